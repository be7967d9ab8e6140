"""Sliders above one picture: `explore(draw_clocks, pos=(0, 20, 1), k=(-6, 6, 1))`.

To borrow it under the MIT License, copy LICENSE, utils.py, and of course/ explorer.py,
pictures.py, speech.py and speech.js.
"""

import functools
import html
import inspect
import math
import re
import sys
import traceback

import ipywidgets as widgets
import numpy as np
from IPython import get_ipython
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from course.pictures import as_image, as_png, look, saved_picture
from course.speech import spoken, voice
from utils import is_integer, is_number, shown_in_error

MOST_VALUES = 10_001  # of a slider: more than a hand can tell apart
TAKEN = ", and python -OO takes it away" if sys.flags.optimize > 1 else ""
PANELS = {}  # the explorers that are open, by their model_id, the oldest first

# Rows of buttons that do not touch, a frame round the one that is pressed: its grey
# alone is faint. A purple ring that shows which has the focus. And in place of a broken
# chain on each part, which ipywidgets shows once the kernel is another, one sentence.
STYLE = """<style>
.explorer .widget-toggle-buttons > div {
  display: flex; flex-wrap: wrap; row-gap: 4px }
.explorer .widget-toggle-button.mod-active { box-shadow: inset 0 0 0 2px }
.explorer button:focus-visible { outline: 2px solid #AA3377 !important }
.explorer .jupyter-widgets-disconnected::before { content: none }
.explorer.jupyter-widgets-disconnected::before {
  content: "The sliders have lost their kernel. Run the cells again, from the top.";
  font: var(--jp-ui-font-size1, 13px) var(--jp-ui-font-family, sans-serif) }
.explorer.jupyter-widgets-disconnected::before,
.explorer [role=alert] { color: var(--jp-error-color1, #A00000) }
</style>"""


def explore(draw, /, **controls):
    """Sliders above one picture; a notebook saves its first state.

    Parameters
    ----------
    draw : function
        `draw(fig)` draws on a matplotlib figure, never with plt, and returns
        `update(**values)`, which moves what was drawn and may return a sentence: the
        number that matters at these values, in plain text. What `update` does depends
        on its values alone: it sets all that it changes, and adds nothing. Its defaults
        are the start values. The docstring of `draw`, up to an empty line, is the alt
        text: what the first picture shows.
    **controls
        For each argument of `update`: a list, range or 1-D array of allowed values,
        numbers or names; or a tuple (low, high, step), which ends at the last step up
        to high. A list of names becomes a row of buttons.

    Returns
    -------
    Explorer
        Let it be the last line of its cell, which shows it.

    Raises
    ------
    ValueError
        If a control is neither of the two, or has a start value that it cannot reach;
        if `draw` has no docstring, or leaves its figure empty.

    Examples
    --------
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
    >>> panel.sliders["omega"].value = 2.0
    >>> panel.live.sentence
    'The wave repeats after 3.1.'
    """
    if not controls:
        raise ValueError("explore needs a control: explore(draw, k=(0, 6, 1))")
    first, *_ = re.split(r"\n\s*\n", inspect.getdoc(draw) or "", maxsplit=1)
    try:
        (name,) = inspect.signature(draw).bind("fig").arguments
    except TypeError:  # it is no function, or takes other arguments
        name = None
    if name is None or name in controls:
        raise ValueError(
            "explore needs draw(fig), which draws and returns update: give explore draw"
            f" itself, not the update that it returns; got {shown_in_error(draw)}"
        )
    if not first.strip() or isinstance(draw, functools.partial):
        raise ValueError(
            "draw(fig) needs a docstring of its own, which is the picture's alt text"
            f"{TAKEN}; got {shown_in_error(draw)}"
        )
    allowed = {name: allowed_values(name, some) for name, some in controls.items()}
    return Explorer(Live(draw), " ".join(first.split()), allowed)


class Live:
    """A picture without sliders; `sentence` is what its `update` said at last."""

    def __init__(self, draw):
        self.draw, self.sentence = draw, ""
        with look():
            self.canvas = FigureCanvasAgg(Figure(layout="constrained"))
            self.update = draw(self.canvas.figure)
        if not callable(self.update):
            given = shown_in_error(self.update)
            raise ValueError(f"draw must return the function update; got {given}")

    def paint(self, values):
        """Bring `canvas` and `sentence` to these values; return the sentence."""
        with look():
            sentence = self.update(**values) or ""
            if not isinstance(sentence, str):
                given = shown_in_error(sentence)
                raise ValueError(
                    f"update must return a sentence or nothing; got {given}"
                )
            self.canvas.draw()
        self.canvas.figure.set_layout_engine("none")  # so that nothing jumps later
        self.sentence = sentence
        return sentence

    def render(self, values):
        """`paint`, and give the bytes of a PNG file."""
        self.paint(values)
        return as_png(as_image(self.canvas), compress_level=1)


class Explorer(widgets.VBox):
    """Sliders above the picture `live`, and a sentence below it; `explore` makes it.

    `allowed` has the values of each slider, `start` and `values` those at the start and
    now; `image.value` is the picture as a PNG file.
    """

    _ipython_display_ = None  # else ipywidgets 7 leaves the saved picture out

    def __init__(self, live, alt, allowed):
        self.live, self.alt, self.allowed = live, alt, allowed
        signature = inspect.signature(live.update)
        try:
            signature.bind(**{name: values[0] for name, values in allowed.items()})
        except TypeError as error:
            names = ", ".join(allowed)
            raise ValueError(
                f"update{signature} is called as update({names}): {error}"
            ) from None
        arguments = signature.parameters
        self.start = {
            name: _start_value(name, arguments.get(name), values)
            for name, values in allowed.items()
        }
        first = live.render(self.start)
        if live.canvas.figure.get_children() == [live.canvas.figure.patch]:
            raise ValueError(
                "draw on the figure that draw(fig) is given, not with plt; it is empty"
            )
        self._saved = saved_picture(live.canvas, alt, live.sentence)
        room = max(90, 9 * max(map(len, allowed)))  # for the longest name, in pixels
        self.sliders = {
            name: _make_slider(name, values, self.start[name], room)
            for name, values in allowed.items()
        }
        reset = widgets.Button(description="Reset", layout={"width": "80px"})
        reset.on_click(self._reset)
        controls = [*self.sliders.values(), reset]
        self.image = widgets.Image(value=first, layout={"max_width": "100%"})
        self.words = widgets.HTML(spoken(live.sentence))
        self.error = widgets.HTML()
        row = widgets.Box(controls, layout={"flex_flow": "row wrap"})
        style = widgets.HTML(STYLE, layout={"display": "none"})
        super().__init__([row, self.image, self.words, self.error, style, voice(alt)])
        self.add_class("explorer")
        self.words.add_class("explorer-words")
        for slider in self.sliders.values():
            slider.observe(self._refresh, names="value")
        self._close_earlier_runs()
        PANELS[self.model_id] = self

    @property
    def values(self):
        return {name: slider.value for name, slider in self.sliders.items()}

    def _refresh(self, change):
        """Answer a slider; an error is said under the picture until a good value."""
        try:
            self.image.value = self.live.render(self.values)
        except Exception as error:  # what the `update` of a reader may raise
            explore.raised = error
            frames = traceback.walk_tb(error.__traceback__)
            code = getattr(self.live.update, "__code__", None)
            lines = [line for frame, line in frames if frame.f_code is code]
            place = f" (line {lines[0]} of its cell)" if lines else ""
            told = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
            self.error.value = (
                f'<span role="alert">{html.escape(told)}{place}</span> – The picture is'
                " the last good one. The whole error: raise explore.raised"
            )
        else:
            self.error.value = ""
            self.words.value = spoken(self.live.sentence)

    def _reset(self, button):
        for name, slider in self.sliders.items():
            slider.value = self.start[name]

    def _close_earlier_runs(self):
        """Close panels that earlier runs of this cell have left in the kernel."""
        shell = get_ipython()
        message = (shell.get_parent() if hasattr(shell, "get_parent") else None) or {}
        self._cell = message.get("metadata", {}).get("cellId")
        self._run = message.get("header", {}).get("msg_id")
        for other in [*PANELS.values()]:
            if self._cell and other._cell == self._cell and other._run != self._run:
                other.close()

    def close(self):
        """Take the panel out of the notebook, and give its picture back."""
        if self.comm:  # None if it is closed, or could not be made
            PANELS.pop(self.model_id, None)
            for part in (*self.sliders.values(), *self.children):
                part.close()
            self.live = self._saved = None
        super().close()

    def _repr_mimebundle_(self, include=None, exclude=None, **kwargs):
        """What Jupyter displays: the live widget, or where none runs, the picture."""
        view = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
        data = {**self._saved, "application/vnd.jupyter.widget-view+json": view}
        return data, {"explorer": {"alt": self.alt}}


# ---- sliders ------------------------------------------------------------------------
def allowed_values(name, control):
    """What a slider can reach, as a list: see `explore`.

    >>> allowed_values("k", (0, 0.3, 0.1)), allowed_values("k", ["sine", "cosine"])
    ([0.0, 0.1, 0.2, 0.3], ['sine', 'cosine'])
    """
    got = f"got {shown_in_error(control)}"
    if isinstance(control, tuple):
        hint = f". If these are its values, give a list: {shown_in_error([*control])}"
        if len(control) != 3 or not all(map(is_number, control)):
            raise ValueError(f"{name} must be (low, high, step), numbers; {got}{hint}")
        low, high, step = control
        if step <= 0 or not 0 <= high - low <= MOST_VALUES * step:
            raise ValueError(
                f"{name} must have low below high, a step above 0, and at most"
                f" {MOST_VALUES} values; {got}{hint}"
            )
        count = math.floor((high - low) / step + 1e-9) + 1
        if all(map(is_integer, control)):
            return [int(low + i * step) for i in range(count)]
        digits = 12 - math.floor(math.log10(step))  # 3 steps of 0.1 make 0.3
        return [round(float(low + i * step), digits) + 0.0 for i in range(count)]
    is_list = isinstance(control, (list, range, np.ndarray))
    values = np.asarray(control, object).tolist() if is_list else []
    values = [x.item() if isinstance(x, np.generic) else x for x in values]
    if not values or not all(is_number(x) or isinstance(x, str) for x in values):
        raise ValueError(
            f"{name} must be (low, high, step) or a list of numbers or of names; {got}"
        )
    return values


def _start_value(name, argument, values):
    """Where a slider starts: at the default of `update`, else at its first value."""
    default = getattr(argument, "default", inspect.Parameter.empty)
    if default is inspect.Parameter.empty:
        return values[0]
    for value in values:
        both = is_number(value) and is_number(default)  # which rounding may part
        if value == default or (both and math.isclose(value, default, abs_tol=1e-12)):
            return value
    raise ValueError(
        f"{name} starts at its default in update, which must be one of"
        f" {shown_in_error(values)}; got {shown_in_error(default)}"
    )


def label_of(value):
    """A value as it stands beside its slider, with a minus sign that is not a hyphen.

    >>> label_of(0.1 + 0.2), label_of(-3), label_of(1_000_000.0), label_of("sine")
    ('0.3', '−3', '1000000', 'sine')
    """
    if isinstance(value, str):
        return value
    is_whole = float(value).is_integer() and abs(value) < 1e15
    words = f"{value:.0f}" if is_whole else f"{value:.6g}"
    return words.replace("-", "−")


def are_names(values):
    """Whether values are names: they have no order, so that buttons show them all."""
    return all(isinstance(value, str) for value in values)


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
