"""Pictures with sliders.

`explore` checks what it is given and makes an `Explorer`: a widget of sliders, and a
`Live` picture that they move.

To borrow it under the MIT License, copy LICENSE, explorer, panels, live, painter,
controls, checks, pictures, png and speech (.py and .js). They need Python 3.11,
ipywidgets 7.7, matplotlib 3.10 and numpy 2.
"""

import functools
import html
import inspect
import re
import traceback

import ipywidgets as widgets

from checks import brief, brief_error, signature_of
from controls import allowed_values, are_names, label_of, start_values
from live import Live
from panels import forget, name_of, register
from pictures import saved_picture, show
from speech import spoken, voice

__all__ = ["explore", "show"]  # what chapters import

# Rows of buttons that do not touch, a frame round the one that is pressed: its grey
# alone is faint. And a purple ring that shows which has the focus.
STYLE = """<style>
.explorer .widget-toggle-buttons > div {
  display: flex; flex-wrap: wrap; row-gap: 4px }
.explorer .widget-toggle-button.mod-active { box-shadow: inset 0 0 0 2px }
.explorer button:focus-visible { outline: 2px solid #AA3377 !important }
.explorer [role=alert] { color: var(--jp-error-color1, #A00000) }
</style>"""


def explore(draw, /, **controls):
    """Sliders above one live picture; a notebook saves its first state, in 48 colours.

    Parameters
    ----------
    draw : function
        `draw(fig)` draws on a matplotlib figure and returns `update(**values)`.

        - Create artists in `draw`, and only change them in `update`. To replace one,
          remove the old one, give the new one its colour, and set the limits, which
          only grow by themselves; that is slower.
        - The defaults of `update` are the sliders' start values.
        - `update` may return a sentence: the number that matters at these values. It
          stands under the picture, is read out, and is saved: plain text.
        - The docstring of `draw`, up to an empty line, is the alt text: what the first
          picture shows, in plain text. For a `functools.partial` it is that of the
          function in it.
    **controls
        For each argument of `update` that has no default, and others as you like: a
        list, range or 1-D array of at most 10,001 allowed values, finite numbers or
        names; or a tuple (low, high, step), which ends at the last step up to high. A
        tuple of integers gives integers, any other floats. A list that holds only names
        becomes a row of buttons; write "on" and "off" for True and False.

    Returns
    -------
    Explorer
        Let it be the last line of its cell, which shows it. It keeps some memory, 4 MB
        for 900 x 400 pixels, until it is closed: by `close()`, and in JupyterLab,
        Notebook 7 and VS Code also when its cell is run again.

    Raises
    ------
    ValueError
        If there is no control, or one whose values cannot be used; if `draw` has no
        docstring, returns no function or leaves its figure empty; if `update` does not
        take the controls, starts at a value that they do not have, or returns neither a
        sentence nor None; if it adds artists at the start or at the last value of a
        slider, or does not bring the first picture back after those; if `draw` or
        `update` opens a figure of pyplot.
    Exception
        Whatever `draw` raises, or `update` at the start values. When a slider moves, an
        error is shown under the picture, with its line in `update` and with what shows
        it whole, such as `raise Out[7].raised`.

    Notes
    -----
    - Draw with `fig` and its axes, never with plt: where a figure of pyplot is open,
      plt draws on that one, without an error.
    - What `update` does must depend on its values alone: let it set all that it
      changes. Before the panel is shown, it is called several times, at the start and
      at the last value of each slider.
    - The size on the page is that of the figure in pixels; draw.py sets 100 an inch.
    - `painter.Painter` tells how to keep room for labels that become longer, how to
      make a step quick, and what to do where a change does not show.

    Examples
    --------
    >>> import numpy as np
    >>> def draw_wave(fig):
    ...     'A sine wave.'
    ...     x = np.linspace(0, 10, 200)
    ...     (wave,) = fig.subplots().plot(x, np.sin(x))
    ...
    ...     def update(omega=1.0):
    ...         wave.set_ydata(np.sin(omega * x))
    ...         return f"The wave repeats after {2 * np.pi / omega:.1f}."
    ...
    ...     return update
    >>> panel = explore(draw_wave, omega=[0.5, 1.0, 2.0])
    """
    if not controls:
        raise ValueError("explore needs a control: explore(draw, k=(0, 6, 1))")
    # Live checks this again, for those who borrow it; here it comes before the rest.
    first, *_ = signature_of("draw", draw, "fig").parameters
    if first in controls:  # its first argument is a slider's: it is an update
        raise ValueError(
            f"the first argument of draw is the figure, and {first} is a slider: give"
            " explore draw itself, not the update that it returns, or rename the slider"
        )
    alt = _alt_text_of(draw)
    allowed = {name: allowed_values(name, some) for name, some in controls.items()}
    # Live and Explorer check what draw returns: that needs a figure.
    return Explorer(Live(draw), alt, allowed)


def _alt_text_of(draw):
    """The first paragraph of a function's docstring, on one line."""
    function = _without_partial(draw)
    first, *_ = re.split(r"\n\s*\n", inspect.getdoc(function) or "", maxsplit=1)
    alt = " ".join(first.split())
    if not alt:
        name = getattr(function, "__name__", brief(draw))
        raise ValueError(
            f"{name} has no docstring: it is the picture's alt text. (Give explore draw"
            " itself, not the update that it returns.)"
        )
    return alt


def _without_partial(function):
    """The function in a `functools.partial`; any other function as it is."""
    return function.func if isinstance(function, functools.partial) else function


# ---- the panel ----------------------------------------------------------------------
class Explorer(widgets.VBox):
    """Sliders above a live picture and a sentence below it; made by `explore` alone.

    Parameters
    ----------
    live : Live
        The picture.
    alt : str
        What it shows at the start.
    allowed : dict of str to list
        The values that each slider can reach. `explore` has checked them.

    Attributes
    ----------
    live, alt, allowed
        As given; `live` is None when the panel is closed.
    sliders : dict of str to widget
    start : dict
        The values of the sliders at the start.
    values : dict
        The present values of the sliders.
    raised : Exception or None
        What the last move of a slider raised; `raise panel.raised` shows it whole.
    image, words, error : widgets
        The picture, whose `value` is a PNG file that you may save; the sentence; and
        the line that tells of an error.

    Raises
    ------
    ValueError
        If `update` does not take the names of `allowed`, or has a default that is none
        of its values; or as `Live.first_picture` does.
    Exception
        Whatever `update` raises at the start.

    Examples
    --------
    >>> def draw_line(fig):
    ...     'A line that rises by 1.'
    ...     (line,) = fig.subplots().plot([0, 1], [0, 1])
    ...
    ...     def update(rise=1):
    ...         line.set_ydata([0, rise])
    ...
    ...     return update
    >>> panel = explore(draw_line, rise=[0.5, 1])
    >>> panel.sliders["rise"].value = 0.5
    >>> panel.values, panel.start, panel.allowed
    ({'rise': 0.5}, {'rise': 1}, {'rise': [0.5, 1]})
    >>> panel.close()
    """

    _ipython_display_ = None  # else ipywidgets 7 leaves the saved picture out

    def __init__(self, live, alt, allowed):
        self.live = live
        self.alt = alt
        self.allowed = allowed
        self.start = start_values(live.update, allowed)
        self.raised = None
        self._resetting = False
        # Before any widget is made, so that a refusal leaves none behind.
        ends = [{**self.start, name: some[-1]} for name, some in allowed.items()]
        first = live.first_picture(self.start, ends)
        self._saved = saved_picture(live.canvas, alt, live.sentence)
        room = max(90, 9 * max(map(len, allowed)))  # for the longest name, in pixels
        self.sliders = {
            name: _make_slider(name, values, self.start[name], room)
            for name, values in allowed.items()
        }
        self.image = widgets.Image(value=first, layout={"max_width": "100%"})
        self.words = widgets.HTML(spoken(live.sentence))
        self.error = widgets.HTML()
        super().__init__(self._rows())
        self.add_class("explorer")
        self.words.add_class("explorer-words")
        for slider in self.sliders.values():
            slider.observe(self._refresh, names="value")
        register(self)

    def __repr__(self):
        if not self.live:
            return "<Explorer: closed>"
        values = ", ".join(f"{name}={value!r}" for name, value in self.values.items())
        return f"<Explorer: {values}>"

    def _rows(self):
        """What the panel is made of, from above; the last two are not seen."""
        reset = widgets.Button(description="Reset", layout={"width": "80px"})
        reset.on_click(self._reset)
        controls = [*self.sliders.values(), reset]
        row = widgets.Box(controls, layout={"flex_flow": "row wrap"})
        style = widgets.HTML(STYLE, layout={"display": "none"})
        return [row, self.image, self.words, self.error, style, voice(self.alt)]

    def close(self):
        """Take the panel out of the notebook, with all that it is made of.

        Its picture is given back: IPython keeps the panel itself among the outputs of
        its cells.
        """
        if self.comm:  # it has none if it was only half made, or is closed
            forget(self)
            for part in _parts_of(self):
                part.close()
            self.live = self._saved = self.raised = None
            self._repr_mimebundle_ = None  # as ipywidgets 8 does: it shows no more
        super().close()

    @property
    def values(self):
        """The present values of the sliders."""
        return {name: slider.value for name, slider in self.sliders.items()}

    def _refresh(self, *_):
        """Answer a slider; an error is said under the picture until a good value."""
        if self._resetting or not self.live:
            return
        try:
            self.image.value = self.live.render(self.values)
        except Exception as error:  # whatever the `update` of a notebook may raise
            self.raised = error
            place = _place_of(error, self.live.update)
            told = html.escape(f"{brief_error(error)}{place}")
            name = name_of(self)
            hint = f" The whole error: raise {name}.raised" if name else ""
            self.error.value = (
                f'<span role="alert">{told}</span> – The picture is the last good one.'
                f"{hint}"
            )
        else:
            self.raised = None
            self.error.value = ""
            self.words.value = spoken(self.live.sentence)

    def _reset(self, button):
        """Move all sliders back, and then paint once."""
        self._resetting = True
        try:
            for name, slider in self.sliders.items():
                slider.value = self.start[name]
        finally:
            self._resetting = False
        self._refresh()

    def _repr_mimebundle_(self, include=None, exclude=None, **kwargs):
        """What Jupyter displays: the live widget, or where none runs, the picture."""
        view = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
        data = {**self._saved, "application/vnd.jupyter.widget-view+json": view}
        return data, {"explorer": {"alt": self.alt}}


def _place_of(error, update):
    """Where in `update` an error was raised, in parentheses; "" if it is not known."""
    function = inspect.unwrap(_without_partial(update))
    code = getattr(function, "__code__", None)
    frames = traceback.walk_tb(error.__traceback__)
    lines = [line for frame, line in frames if frame.f_code is code]
    return f" (line {lines[0]} of the cell or file of update)" if lines else ""


def _parts_of(widget):
    """All widgets that a panel is made of: those in it, layouts and styles.

    Other kinds of widgets may keep parts elsewhere; those of a panel do not.
    """
    looks = [getattr(widget, name, None) for name in ("layout", "style")]
    for part in (*getattr(widget, "children", ()), *filter(None, looks)):
        yield from _parts_of(part)
        yield part


# ---- sliders ------------------------------------------------------------------------
def _make_slider(name, values, start, room):
    """A slider over these values, behind its name; for names, a row of buttons."""
    options = [(label_of(value), value) for value in values]
    if are_names(values):
        slider = widgets.ToggleButtons(options=options, value=start, description=name)
        slider.add_class("widget-inline-hbox")  # its name stands before it
        slider.layout.width = slider.style.button_width = "auto"
    else:
        slider = widgets.SelectionSlider(options=options, value=start, description=name)
        slider.layout.width = f"{340 + room}px"
    slider.style.description_width = f"{room}px"
    if slider.has_trait("tooltip"):  # ipywidgets 7 has none; 8 would show "null"
        slider.tooltip = name
    return slider
