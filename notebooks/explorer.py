"""Pictures on their way to the browser: `show` one, or `explore` it with sliders."""

import base64
import html
import inspect
import io
import json
import struct
import weakref
import zlib

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from painter import Painter
from utils import is_number


# ---- pictures as files --------------------------------------------------------------
def as_image(canvas):
    """What stands on a canvas, without transparency."""
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


def as_quick_png(canvas):
    """What stands on a canvas as a lossless PNG file, made in the least time.

    Pillow would try five filters on every line. That takes twice as long, and makes the
    files of drawings larger; so the few bytes around the pixels are put together here.
    Source: Portable Network Graphics (PNG) Specification, 2003, sections 5 and 11.2.
    """
    pixels = np.asarray(canvas.buffer_rgba())[..., :3]
    height, width, _ = pixels.shape
    lines = np.zeros((height, 1 + 3 * width), dtype="uint8")  # each begins: no filter
    lines[:, 1:] = pixels.reshape(height, 3 * width)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # RGB, 8 bits each
    chunks = {b"IHDR": header, b"IDAT": zlib.compress(lines, 1), b"IEND": b""}
    file = b"\x89PNG\r\n\x1a\n"
    for name, content in chunks.items():
        file += struct.pack(">I", len(content)) + name + content
        file += struct.pack(">I", zlib.crc32(name + content))
    return file


def as_png(canvas):
    """A canvas as a small PNG file of 48 colours, the most frequent ones as they are.

    The others are chosen so that rare ones and pale ones are there, too. By themselves
    they would give a tint to white and grey.
    """
    frequent, other = 16, 32
    picture = as_image(canvas)
    others = picture.quantize(
        other, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
    )
    numbers, palette = np.array(others), others.getpalette()[: 3 * other]
    pixels = np.asarray(picture.convert("RGBA")).view("uint32")[..., 0]
    for _, colour in sorted(picture.getcolors(2**16) or [], reverse=True)[:frequent]:
        pixel = np.frombuffer(bytes([*colour, 255]), "uint32")
        numbers[pixels == pixel] = len(palette) // 3
        palette += colour
    saved = Image.fromarray(numbers)
    saved.putpalette(palette)
    file = io.BytesIO()
    saved.save(file, "png", optimize=True)
    return file.getvalue()


def saved_picture(canvas, alt, sentence=""):
    """What a saved notebook keeps: pixels of `canvas`, `alt` and `sentence`.

    The picture stands in an HTML image, which alone brings its alt text to JupyterLab
    and to pages, and once more as image/png, which LaTeX and some web pages need.
    """
    file = base64.b64encode(as_png(canvas)).decode()
    page = f'<img alt="{html.escape(alt)}" src="data:image/png;base64,{file}">'
    words = f"[picture] {alt}"
    if sentence:
        page += f"<p>{html.escape(sentence)}</p>"
        words += f"\n{sentence}"
    return {"text/html": page, "image/png": file, "text/plain": words}


def show(fig, alt):
    """Display a pyplot figure and close it.

    Parameters
    ----------
    fig : matplotlib figure
    alt : str
        What the picture shows, for those who cannot see it.

    Raises
    ------
    ValueError
        If `fig` is no figure, or the alt text is empty.

    Examples
    --------
    >>> fig, ax = plt.subplots()
    >>> ax.plot([0, 1], [0, 1])
    >>> show(fig, alt="A straight line from (0, 0) to (1, 1).")
    """
    if not isinstance(fig, Figure):
        raise ValueError(f"show needs a figure, such as plt.figure(); got {fig!r}")
    if not alt.strip():
        raise ValueError("show needs an alt text")
    canvas = FigureCanvasAgg(fig)
    canvas.draw()
    display(saved_picture(canvas, alt), raw=True)
    plt.close(fig)


# ---- sliders ------------------------------------------------------------------------
def allowed_values(name, control):
    """What `control`, for the slider `name`, allows: a sequence or low … high."""
    values = list(control) if np.iterable(control) else []
    is_triple = isinstance(control, tuple) and len(values) == 3
    if is_triple and all(is_number(value) for value in values):
        low, high, step = values
        fits = step > 0 and (low == high or step <= high - low)
        count = int((high - low) / step + 1e-6) + 1 if fits else 0
        values = [low + i * step for i in range(count)]
    labels = list(map(written, values))
    if not values or len(set(labels)) < len(labels):
        raise ValueError(
            f"{name} must be a list of allowed values, no two written alike, or (low, "
            f"high, step) with 0 < step <= high - low; got {control!r}"
        )
    return values


def written(value):
    """A value as it stands beside its slider."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def are_names(values):
    """Whether values have no order, so that all of them should be seen at once."""
    return all(isinstance(value, str) for value in values)


def make_slider(name, control):
    """A slider `name` over the allowed values of `control`; a widget is kept.

    For names it is a row of buttons.
    """
    if isinstance(control, widgets.Widget):
        return control
    values = allowed_values(name, control)
    options = [(written(value), value) for value in values]
    if are_names(values):
        slider = widgets.ToggleButtons(options=options, description=name)
        slider.add_class("widget-inline-hbox")  # its name stands before it
        slider.layout.width = slider.style.button_width = "auto"
    else:
        slider = widgets.SelectionSlider(options=options, description=name)
        slider.layout.width = "430px"
    slider.style.description_width = "90px"
    if slider.has_trait("tooltip"):  # ipywidgets 7 has none; 8 would show "null"
        slider.tooltip = name
    return slider


def values_of(slider):
    """All values that a slider can reach."""
    if hasattr(slider, "options"):
        pairs = [o if isinstance(o, tuple) else (o, o) for o in slider.options]
        return [value for _, value in pairs]
    if hasattr(slider, "max"):
        count = round((slider.max - slider.min) / slider.step)
        return [slider.min + i * slider.step for i in range(count + 1)]
    return [False, True]


# ---- explorer -----------------------------------------------------------------------
# What a screen reader needs and ipywidgets leaves out, set in the page: a slider's
# name, its value in place of an option's number, which button is pressed, an alt text,
# and a polite voice for the sentence under the picture. Where a page runs no scripts,
# all the rest works.
SPEECH = """
function speak(wait) {
  const panel = element.closest('.explorer');
  const words = panel?.querySelector('.explorer-words .widget-html-content');
  const image = panel?.querySelector('.widget-image');
  if (!words || !image) {
    setTimeout(speak, wait, 1.5 * wait);  // a slow machine shows it late
    return;
  }
  image.alt = alt;
  words.setAttribute('aria-live', 'polite');
  new MutationObserver(() => {
    image.alt = words.textContent + ' At the start: ' + alt;
  }).observe(words, {childList: true, characterData: true, subtree: true});
  for (const slider of panel.querySelectorAll('.widget-hslider')) {
    const handle = slider.querySelector('.noUi-handle');
    const value = slider.querySelector('.widget-readout');
    const name = slider.querySelector('.widget-label').textContent;
    handle.setAttribute('aria-label', name);
    const tell = () => {
      if (handle.getAttribute('aria-valuetext') !== value.textContent)
        handle.setAttribute('aria-valuetext', value.textContent);
    };
    new MutationObserver(tell).observe(slider, {
      childList: true, subtree: true, attributeFilter: ['aria-valuetext']});
    tell();
  }
  for (const choice of panel.querySelectorAll('.widget-toggle-buttons')) {
    const group = choice.querySelector('button').parentElement;
    group.setAttribute('role', 'group');
    group.setAttribute('aria-label', choice.querySelector('.widget-label').textContent);
    const tell = () => {
      for (const button of group.children)
        button.setAttribute('aria-pressed', button.classList.contains('mod-active'));
    };
    new MutationObserver(tell).observe(group, {
      subtree: true, attributeFilter: ['class']});
    tell();
  }
}
speak(50);
"""
# Rows of buttons that do not touch, a frame round the one that is pressed: its grey
# alone is faint. And a ring that shows which has the focus.
STYLE = """<style>
.explorer .widget-toggle-buttons > div { display: flex; flex-wrap: wrap; row-gap: 4px; }
.explorer .widget-toggle-button.mod-active { box-shadow: inset 0 0 0 2px; }
.explorer button:focus-visible { outline: 2px solid #AA3377 !important; }
</style>"""
# Colab's ipywidgets 7 runs no such script; there, hidden words have to do.
RUNS_SPEECH = int(widgets.__version__.split(".")[0]) >= 8
HIDDEN = '<span style="position:absolute;clip-path:inset(50%)">{}</span>'


class Explorer(widgets.VBox):
    """Sliders above one picture and a sentence below it; made by `explore`.

    Attributes
    ----------
    draw : callable
        What sets the stage, as it was given to `explore`.
    alt : str
        What the first picture shows.
    canvas : matplotlib FigureCanvasAgg
        Holds the figure; after `paint`, its pixels.
    sliders : dict of str to widget
    start : dict
        The values of the sliders at the start.
    sentence : str
        What `update` said at the last `paint`; "" if it said nothing.
    image, words, error : widgets
        The live picture, the sentence, and the line that tells of an error.
    """

    _ipython_display_ = None  # else ipywidgets 7 leaves the saved picture out
    _alive = weakref.WeakValueDictionary()

    def __init__(self, draw, alt, controls):
        self.draw = draw
        self.alt = alt
        self.canvas = FigureCanvasAgg(plt.Figure())
        self.sliders = {
            name: make_slider(name, control) for name, control in controls.items()
        }
        self.sentence = ""
        self.image = widgets.Image(format="png", layout={"max_width": "100%"})
        self.words = widgets.HTML()
        self.error = widgets.HTML()
        self._update = None  # what `draw` has returned
        self._painter = Painter(self.canvas)

        # The first picture is drawn here and now: what it raises, stops the notebook.
        self.image.value = self.render()
        self.start = self.values
        self._saved = saved_picture(self.canvas, self.alt, self.sentence)
        self._say(self.sentence)

        reset = widgets.Button(description="Reset", layout={"width": "80px"})
        row = widgets.Box([*self.sliders.values(), reset])
        row.layout.flex_flow = "row wrap"
        super().__init__([row, self.image, self.words, self.error, self._speech()])
        self.add_class("explorer")
        self.words.add_class("explorer-words")
        Explorer._alive[self.model_id] = self
        for slider in self.sliders.values():
            slider.observe(self._refresh, names="value")
        reset.on_click(lambda button: self._move(self.start))

    @classmethod
    def alive(cls):
        """The explorers of this kernel, oldest first, by the id of their widget."""
        return dict(cls._alive)

    @property
    def values(self):
        """The present values of the sliders."""
        return {name: slider.value for name, slider in self.sliders.items()}

    def grid(self, fewer=None):
        """The values of every slider, by name.

        Parameters
        ----------
        fewer : dict, optional
            For some sliders, the values that a deck shows, the start among them.

        Raises
        ------
        ValueError
            If `fewer` names a slider or a value that is not there, or not the start.
        """
        values = {name: values_of(slider) for name, slider in self.sliders.items()}
        for name, some in (fewer or {}).items():
            if name not in values:
                raise ValueError(f"export names {name}, which no slider is called")
            if self.start[name] not in some or not set(some) <= set(values[name]):
                raise ValueError(
                    f"export must give {name} some values of its slider, "
                    f"{self.start[name]!r} among them; got {list(some)}"
                )
            values[name] = list(some)
        return values

    def label(self, name, value):
        """What stands beside the slider `name` at a value."""
        options = getattr(self.sliders[name], "options", ())
        labels = {o[1]: o[0] for o in options if isinstance(o, tuple)}
        return labels.get(value, written(value))

    def paint(self, values=None):
        """Bring `canvas` and `sentence` to `values`, or to those of the sliders.

        It raises what `draw` or `update` raise.
        """
        self.sentence = self.sentence_at(values)
        self._painter.paint()

    def render(self, values=None):
        """`paint`, and the picture as the bytes of a PNG file."""
        self.paint(values)
        return as_quick_png(self.canvas)

    def sentence_at(self, values=None):
        """What `update` says at `values`, or at those of the sliders; "" for nothing.

        The artists are moved there, but nothing is painted.
        """
        if self._update is None:
            self._set_the_stage()
        said = self._update(**(values or self.values))
        if said is not None and not isinstance(said, str):
            raise ValueError(f"update must return a sentence or nothing; got {said!r}")
        return said or ""

    def _set_the_stage(self):
        """Draw what stays, and move the sliders to where `update` has its defaults."""
        figure = self.canvas.figure
        update = self.draw(figure)
        if not callable(update):
            raise ValueError(f"draw must return the function update; got {update!r}")
        try:
            inspect.signature(update).bind(**self.values)
        except TypeError as error:
            raise ValueError(f"controls and update do not fit: {error}") from None
        self._move(
            {
                name: parameter.default
                for name, parameter in inspect.signature(update).parameters.items()
                if parameter.default is not parameter.empty
            }
        )
        self._update = update

    def _move(self, values):
        """Set the sliders that are named."""
        for name in values.keys() & self.sliders.keys():
            try:
                self.sliders[name].value = values[name]
            except Exception:
                raise ValueError(
                    f"the start value of {name} must be a value of its slider; "
                    f"got {values[name]!r}"
                ) from None

    def _refresh(self, change):
        """Answer a slider; an error is said under the picture until a good value."""
        try:
            self.image.value = self.render()
        except Exception as error:
            line = " ".join(f"{type(error).__name__}: {error}".split())
            self.error.value = (
                f'<span role="alert" style="color:#A00000">{html.escape(line)}</span>'
            )
        else:
            self.error.value = ""
            self._say(self.sentence)

    def _say(self, sentence):
        """Put the sentence under the picture; SPEECH makes its place a polite voice."""
        words = html.escape(sentence)
        self.words.value = (
            words if RUNS_SPEECH else f'<span role="status">{words}</span>'
        )

    def _speech(self):
        """A part of the explorer that is heard and not seen."""
        if not RUNS_SPEECH:
            return widgets.HTML(STYLE + HIDDEN.format(html.escape(self.alt)))
        script = f"const alt = {json.dumps(self.alt)};\n{SPEECH}"
        script += f"element.innerHTML = {json.dumps(STYLE)};"
        output = {
            "output_type": "display_data",
            "data": {"application/javascript": script},
            "metadata": {},
        }
        layout = {"height": "0", "overflow": "hidden"}
        return widgets.Output(outputs=(output,), layout=layout)

    def _repr_mimebundle_(self, include=None, exclude=None, **kwargs):
        view = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
        return {**self._saved, "application/vnd.jupyter.widget-view+json": view}


def explore(draw, *, alt=None, **controls):
    """Sliders above one live picture; a saved notebook keeps its first state.

    Parameters
    ----------
    draw : callable
        `draw(fig)` sets the stage on a matplotlib figure and returns
        `update(**values)`, which moves the artists. The defaults of `update` are the
        sliders' start values. `update` may return a sentence: the number that matters
        at these values, in plain words. It stands under the picture, is read out, and
        goes into decks.
    alt : str, optional
        What the first picture shows; unless given, the docstring of `draw`.
    **controls
        For each argument of `update`: a list of allowed values, (low, high, step) or an
        ipywidgets slider. A list of names becomes a row of buttons.

    Returns
    -------
    Explorer

    Raises
    ------
    ValueError
        If there is no alt text or no control, or one without values, or one that
        `update` lacks.
    Exception
        Whatever `draw` raises, or `update` at the start values. Later, when a slider
        moves, an error is one line under the picture.

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
    >>> explore(draw_wave, omega=[0.5, 1.0, 2.0])
    """
    if not callable(draw):
        raise ValueError(f"explore needs a function draw(fig); got {draw!r}")
    if alt is None:
        alt = " ".join((draw.__doc__ or "").split())
    if not alt.strip():
        name = getattr(draw, "__name__", repr(draw))
        raise ValueError(f"{name} has no docstring: it is the picture's alt text")
    if not controls:
        raise ValueError("explore needs at least one control, such as k=(0, 6, 1)")
    return Explorer(draw, alt, controls)
