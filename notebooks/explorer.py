"""Pictures with sliders.

`explore` checks what it is given and makes an `Explorer`: a widget of sliders, and a
`Live` picture that they move.

To borrow it, copy explorer, pictures, controls, checks, painter, png and speech (.py
and .js).
"""

import contextlib
import html
import inspect

import ipywidgets as widgets
import matplotlib.pyplot as plt
from IPython import get_ipython
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from checks import brief, brief_error
from controls import allowed_values, are_names, label_of, signature_of, start_values
from painter import Painter
from pictures import is_empty, saved_picture, show
from png import as_quick_png
from speech import spoken, voice

__all__ = ["explore", "show", "Explorer", "Live"]  # chapters take the first two

# Rows of buttons that do not touch, a frame round the one that is pressed: its grey
# alone is faint. And a ring, in the MARK of draw.py, that shows which has the focus.
STYLE = """<style>
.explorer .widget-toggle-buttons > div {
  display: flex; flex-wrap: wrap; row-gap: 4px }
.explorer .widget-toggle-button.mod-active { box-shadow: inset 0 0 0 2px }
.explorer button:focus-visible { outline: 2px solid #AA3377 !important }
.explorer [role=alert] { color: var(--jp-error-color1, #A00000) }
</style>"""


def explore(draw=None, /, *unnamed, **controls):
    """Sliders above one live picture; a notebook saves its first state, in 48 colours.

    Parameters
    ----------
    draw : callable
        `draw(fig)` draws on a matplotlib figure and returns `update(**values)`.

        - Create artists in `draw`, and only change them in `update`.
        - The defaults of `update` are the sliders' start values.
        - `update` may return a sentence: the number that matters at these values. It
          stands under the picture, is read out, and goes into decks.
        - The docstring of `draw`, up to an empty line, is the alt text: what the first
          picture shows. That of a partial is its function's.
    **controls
        For each argument of `update`: a list, range or 1-D array of allowed values
        (finite numbers or names, at most 10,001), or a tuple (low, high, step), which
        ends at the last step up to high. Names become a row of buttons.

    Returns
    -------
    Explorer
        Let it be the last line of its cell, which shows it. Its 4 MB stay in memory
        until its `close()`. When its cell is run again, JupyterLab says so, and the one
        before is closed.

    Raises
    ------
    ValueError
        If `draw` takes no figure, has no docstring, draws nothing, opens a figure of
        pyplot or returns no `update`; if there is no control, one without values, with
        too many or with two of one label, or one that `update` lacks; if a start value
        is none of its slider's, or `update` returns what is no sentence.
    Exception
        Whatever `draw` raises, or `update` at the start values. When a slider moves, an
        error is one line under the picture, and kept: see `Explorer.raised`.

    Notes
    -----
    The layout of the first picture stays: a title that grows is cut off. If something
    does not change, set `ax.stale = True` in `update`: see `painter.Painter`. Draw on
    `fig`: what pyplot draws on a figure that is open already is not noticed.

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
    if draw is None or unnamed or not controls:
        raise ValueError(
            "explore needs draw first, and then controls with names:"
            " explore(draw, k=(0, 6, 1))"
        )
    first, *_ = signature_of("draw", draw, "fig").parameters
    if first in controls:  # its first argument is a slider's: it is an update
        raise ValueError(
            "explore takes draw itself, and not the update that draw(fig) returns"
        )
    function = getattr(draw, "func", draw)  # of a partial
    alt = " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())
    if not alt:
        name = getattr(function, "__name__", brief(draw))
        raise ValueError(f"{name} has no docstring: it is the picture's alt text")
    allowed = {name: allowed_values(name, some) for name, some in controls.items()}
    return Explorer(Live(draw), alt, allowed)


class Live:
    """A picture that its `update` brings to any values; nothing here is a widget.

    Parameters
    ----------
    draw : callable
        `draw(fig)` returns `update(**values)`, as for `explore`.

    Attributes
    ----------
    draw, update : callable
    canvas : matplotlib FigureCanvasAgg
        Holds the figure; after `paint`, its pixels.
    sentence : str
        What `update` said at the last `paint`; "" if it said nothing.

    Raises
    ------
    ValueError
        If `draw` takes no figure, or returns no function.

    Examples
    --------
    >>> def draw_number(fig):
    ...     text = fig.text(0.5, 0.5, "")
    ...
    ...     def update(n):
    ...         text.set_text(n)
    ...         return f"The number is {n}."
    ...
    ...     return update
    >>> live = Live(draw_number)
    >>> live.paint({"n": 5})
    >>> live.sentence
    'The number is 5.'
    """

    def __init__(self, draw):
        signature_of("draw", draw, "fig")
        self.draw = draw
        self.canvas = FigureCanvasAgg(Figure())
        with _no_pyplot("draw(fig)"):
            self.update = draw(self.canvas.figure)
        if not callable(self.update):
            raise ValueError(
                f"draw must return the function update; got {brief(self.update)}"
            )
        self.sentence = ""
        self._painter = Painter(self.canvas)

    def move(self, values):
        """Call `update`, and leave the pixels as they are.

        Parameters
        ----------
        values : dict of str to value
            One for each argument of `update`.

        Returns
        -------
        str
            What `update` says, on one line; "" if it says nothing.

        Raises
        ------
        ValueError
            If that is no sentence, or `update` opens a figure of pyplot.
        Exception
            Whatever `update` raises, as for values that it does not take.
        """
        with _no_pyplot("update"):
            words = self.update(**values)
        if words is not None and not isinstance(words, str):
            raise ValueError(
                f"update must return a sentence or None; got {brief(words)}"
            )
        lines = map(str.strip, (words or "").splitlines())
        return " ".join(filter(None, lines))  # no-break spaces stay

    def paint(self, values):
        """Bring `canvas` and `sentence` to these values.

        Parameters
        ----------
        values : as for `move`

        Raises
        ------
        Exception
            As `move` does.
        """
        sentence = self.move(values)
        self._painter.paint()
        self.sentence = sentence

    def render(self, values):
        """`paint`, and give the picture.

        Parameters
        ----------
        values : as for `move`

        Returns
        -------
        bytes
            Of a PNG file.

        Raises
        ------
        Exception
            As `move` does.
        """
        self.paint(values)
        return as_quick_png(self.canvas)


@contextlib.contextmanager
def _no_pyplot(name):
    """Raise a ValueError if what is called `name` opens a figure of pyplot here.

    Of figures that were open before, pyplot does not tell which it has changed. When a
    slider moves there are none: Jupyter closes them where a cell ends.
    """
    before = {*plt.get_fignums()}
    try:
        yield
    finally:
        opened = {*plt.get_fignums()} - before
        for number in opened:
            plt.close(number)
    if opened:
        raise ValueError(f"{name} must draw on fig; it has used plt, on another figure")


# ---- panels that are open -----------------------------------------------------------
_makers = {}  # each open panel → its cell, and which run of it; the oldest first


def _register(panel):
    """Note an open panel, and close those that earlier runs of its cell have left.

    A cell that runs again shows a new panel; the kernel would keep the one before.
    """
    cell, run = _running_cell()
    for other, (its_cell, its_run) in [*_makers.items()]:
        if cell is not None and its_cell == cell and its_run != run:
            other.close()
    _makers[panel] = cell, run


def _running_cell():
    """The cell that runs, None where its page does not name it, and its run.

    JupyterLab, Notebook 7 and VS Code send it, as `cellId`.
    """
    shell = get_ipython()
    message = shell.get_parent() if hasattr(shell, "get_parent") else {}
    run = message.get("header", {}).get("msg_id")
    return message.get("metadata", {}).get("cellId"), run


# ---- the panel ----------------------------------------------------------------------
class Explorer(widgets.VBox):
    """Sliders above a live picture and a sentence below it; made by `explore`.

    Parameters
    ----------
    live : Live
        The picture.
    alt : str
        What it shows at the start.
    grid : dict of str to list
        The values that each slider can reach.

    Attributes
    ----------
    live, alt, grid : as given
    sliders : dict of str to widget
    start : dict
        The values of the sliders at the start.
    values : dict
        The present values of the sliders.
    raised : Exception or None
        What the last move of a slider raised; `raise panel.raised` shows where.
    image, words, error : widgets
        The picture, the sentence, and the line that tells of an error.

    Raises
    ------
    ValueError
        If the figure is empty, or `update` does not take these values.

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
    >>> panel.values, panel.start, panel.grid
    ({'rise': 0.5}, {'rise': 1}, {'rise': [0.5, 1]})
    >>> panel.close()
    """

    _ipython_display_ = None  # else ipywidgets 7 leaves the saved picture out

    def __init__(self, live, alt, grid):
        self.live = live
        self.alt = alt
        self.grid = grid
        self.start = start_values(live.update, grid)
        self.raised = None
        self._resetting = False
        first = self._first_picture()  # what it raises, stops the notebook
        self._saved = saved_picture(live.canvas, alt, live.sentence)
        self.sliders = {
            name: _make_slider(name, values, self.start[name])
            for name, values in grid.items()
        }
        self.image = widgets.Image(value=first, layout={"max_width": "100%"})
        self.words = widgets.HTML(spoken(live.sentence))
        self.error = widgets.HTML()
        super().__init__(self._rows())
        self.add_class("explorer")
        self.words.add_class("explorer-words")
        for slider in self.sliders.values():
            slider.observe(self._refresh, names="value")
        _register(self)

    def _first_picture(self):
        """The picture at the start, as the bytes of a PNG file."""
        picture = self.live.render(self.start)
        if is_empty(self.live.canvas.figure):
            raise ValueError("draw on the figure that draw(fig) is given; it is empty")
        return picture

    def _rows(self):
        """What the panel is made of, from above; the last two are not seen."""
        reset = widgets.Button(description="Reset", layout={"width": "80px"})
        reset.on_click(self._reset)
        controls = [*self.sliders.values(), reset]
        row = widgets.Box(controls, layout={"flex_flow": "row wrap"})
        style = widgets.HTML(STYLE, layout={"display": "none"})
        return [row, self.image, self.words, self.error, style, voice(self.alt)]

    @staticmethod
    def alive():
        """The explorers that nobody has closed.

        Returns
        -------
        dict of str to Explorer
            By their `model_id`, the oldest first.
        """
        return {panel.model_id: panel for panel in _makers}

    def close(self):
        """Take the panel out of the notebook, with all that it is made of.

        What is closed is no longer among those of `alive`, and its memory is free.
        """
        if self.comm:  # it has none if it was only half made, or is closed
            _makers.pop(self, None)
            for part in _parts_of(self):
                part.close()
        super().close()

    @property
    def values(self):
        """The present values of the sliders."""
        return {name: slider.value for name, slider in self.sliders.items()}

    def _refresh(self, *_):
        """Answer a slider; an error is said under the picture until a good value."""
        if self._resetting:
            return
        try:
            self.image.value = self.live.render(self.values)
        except Exception as error:  # whatever the `update` of a notebook may raise
            self.raised = error
            line = f"{brief_error(error)} (The picture shows the values before.)"
            self.error.value = f'<span role="alert">{html.escape(line)}</span>'
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


def _parts_of(widget):
    """All widgets that a panel is made of: those in it, layouts and styles.

    Other kinds of widgets may keep parts elsewhere; those of a panel do not.
    """
    looks = [getattr(widget, name, None) for name in ("layout", "style")]
    for part in (*getattr(widget, "children", ()), *filter(None, looks)):
        yield from _parts_of(part)
        yield part


# ---- sliders ------------------------------------------------------------------------
def _make_slider(name, values, start):
    """A slider called `name` over these values; for names, a row of buttons."""
    options = [(label_of(value), value) for value in values]
    if are_names(values):
        slider = widgets.ToggleButtons(options=options, value=start, description=name)
        slider.add_class("widget-inline-hbox")  # its name stands before it
        slider.layout.width = slider.style.button_width = "auto"
    else:
        slider = widgets.SelectionSlider(options=options, value=start, description=name)
        slider.layout.width = "430px"
    slider.style.description_width = "90px"
    if slider.has_trait("tooltip"):  # ipywidgets 7 has none; 8 would show "null"
        slider.tooltip = name
    return slider
