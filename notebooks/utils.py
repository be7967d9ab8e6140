"""What several chapters share: mathematics, look, explorer, checks."""
import base64
import html
import inspect
import io
import re
from pathlib import Path

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display
from matplotlib import font_manager
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.spines import Spine
from PIL import Image

HERE = Path(__file__).resolve().parent
INTEGER, REAL, LARGEST = (int, np.integer), (int, float, np.integer, np.floating), float(np.finfo(float).max)

# ---- mathematics ----------------------------------------------------------------
def _refuse(name, value, allowed):
    raise ValueError(f"{name} must be {allowed}; got {value!r}") from None


def _is(value, kinds=REAL):
    value = value.item() if isinstance(value, np.generic) else value
    return isinstance(value, kinds) and not isinstance(value, bool) and abs(value) <= LARGEST


def _positions(positions):
    """`positions` as a 1-D float array; an integer n stands for 0, 1, …, n − 1."""
    if _is(positions, INTEGER) and positions >= 0:
        return np.arange(positions, dtype=float)
    array = np.asarray(positions, dtype=object)
    if array.ndim != 1 or not all(map(_is, array)):
        _refuse("positions", positions, "an integer n >= 0 or a 1-D array of finite real numbers")
    return array.astype(float)


def frequencies(d_model, base=10_000.0):
    """Angular frequencies omega_i = base**(-2i/d_model), one for each (sin, cos) pair.

    Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.5.

    Parameters
    ----------
    d_model : int
        Width of the encoding, even and at least 2.
    base : float
        Finite and larger than 1; 10000 in the paper.

    Returns
    -------
    ndarray, shape (d_model/2,), in radians per position; omega_0 = 1 is the largest.

    Raises
    ------
    ValueError
        If an argument is not as described (so do the two functions below).
    """
    if not _is(d_model, INTEGER) or d_model < 2 or d_model % 2:
        _refuse("d_model", d_model, "an even integer >= 2")
    if not _is(base) or base <= 1:
        _refuse("base", base, "a finite number > 1")
    return float(base) ** (-np.arange(0, d_model, 2) / d_model)


def positional_encoding(positions, d_model, base=10_000.0):
    """Sinusoidal positional encoding: sin(pos omega_i) in column 2i, cos in column 2i + 1.

    Source: Vaswani et al., 2017, section 3.5.

    Parameters
    ----------
    positions : int or 1-D array of real numbers
        An integer n means 0 … n − 1; an array may hold negative and fractional positions.
    d_model, base : see `frequencies`

    Returns
    -------
    ndarray, shape (n, d_model), within 2**-52 (2 + ln base) max(1, abs(pos)) of the formula.
    """
    pos, omega = _positions(positions), frequencies(d_model, base)
    angle = pos[:, None] * omega
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(len(pos), d_model)


def shift_matrix(k, d_model, base=10_000.0):
    """Block-diagonal R_k with `R_k @ p(pos) == p(pos + k)` at every position.

    Source: Vaswani et al., 2017, section 3.5: "a linear function of PE_pos".

    Parameters
    ----------
    k : float
        Offset in positions, any finite real number.
    d_model, base : see `frequencies`

    Returns
    -------
    ndarray, shape (d_model, d_model), blocks [[cos, sin], [−sin, cos]] of k omega_i.
    """
    if not _is(k):
        _refuse("k", k, "a finite real number")
    angle = float(k) * frequencies(d_model, base)
    even, R = np.arange(0, int(d_model), 2), np.zeros((d_model, d_model))
    R[even, even] = R[even + 1, even + 1] = np.cos(angle)
    R[even, even + 1], R[even + 1, even] = np.sin(angle), -np.sin(angle)
    return R


# ---- look -----------------------------------------------------------------------
SIN, COS = "#004488", "#D55E00"
TOKEN, POSITION, SUM = "#66A5D9", "#EFC545", "#117733"
INK, FAINT, MARK = "#222222", "#BBBBBB", "#AA3377"  # text, background, "look here"
SIGNED = "cividis"  # colour map of values in [−1, 1]: dark is −1, light is +1, also in grey

for weight in (400, 700):  # under a name of its own: a font of the system would draw other pictures
    font_manager.fontManager.ttflist.append(font_manager.FontEntry(
        fname=str(HERE / "fonts" / "noto-sans-cjk-sc-subset.otf"), name="Course Chinese", weight=weight))
plt.rcParams.update({
    "font.family": ["DejaVu Sans", "Course Chinese"], "font.size": 13,
    "axes.titlesize": "medium", "figure.titlesize": "medium", "legend.frameon": False,
    "figure.figsize": (9, 4), "figure.dpi": 100, "figure.constrained_layout.use": True,
    "axes.spines.top": False, "axes.spines.right": False, "lines.linewidth": 2,
    "axes.edgecolor": INK, "text.color": INK, "image.cmap": SIGNED,
})


def _encode(canvas, kind):
    """What stands on the canvas as bytes of a "webp" (fast) or "png" (small) file."""
    picture, file = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB"), io.BytesIO()
    if kind == "png":
        picture = picture.quantize(256, dither=Image.Dither.NONE)
    picture.save(file, kind, optimize=True, lossless=True, quality=0, method=0)
    return file.getvalue()


def _bundle(canvas, alt):
    png = base64.b64encode(_encode(canvas, "png")).decode()
    return {"image/png": png, "text/plain": f"[picture] {alt}"}, {"image/png": {"alt": alt}}


def show(fig, alt):
    """Display a pyplot figure once; `alt` says what it shows to those who cannot see it."""
    (canvas := FigureCanvasAgg(fig)).draw()
    data, metadata = _bundle(canvas, alt)
    display(data, metadata=metadata, raw=True)
    plt.close(fig)


def save_figure(fig, name):
    """Write name.png to the folder figures/, where there is one."""
    if (folder := HERE.parent / "figures").is_dir():
        fig.savefig(folder / f"{name}.png", dpi=200, metadata={"Software": None})


# ---- explorer -------------------------------------------------------------------
def _slider(name, control):
    """A slider that can reach the allowed values of `control` and no others."""
    if isinstance(control, widgets.Widget):
        return control
    values = list(control)
    if isinstance(control, tuple) and len(values) == 3 and all(map(_is, values)):
        low, high, step = control
        values = [low + i * step for i in range(int((high - low) / step + 1.000001))] if step > 0 else []
    if not values:
        _refuse(name, control, "some allowed values or (low, high, step) with low <= high and step > 0")
    labels = [f"{v:.6g}" if isinstance(v, float) else str(v) for v in values]
    return widgets.SelectionSlider(options=list(zip(labels, values)), description=name,
                                   layout={"width": "430px"}, style={"description_width": "90px"})


class Explorer(widgets.VBox):
    """Sliders above one picture; made by `explore`."""

    _ipython_display_ = None  # else ipywidgets 7 leaves the saved picture out

    def __init__(self, draw, alt, controls, export=None):
        self.alt, self.export, self._draw, self._update, self._frame = alt, export or {}, draw, None, None
        self._canvas = FigureCanvasAgg(plt.Figure())
        self.sliders = {name: _slider(name, control) for name, control in controls.items()}
        self.image, self.error = widgets.Image(format="webp", layout={"max_width": "100%"}), widgets.HTML()
        reset = widgets.Button(description="Reset", layout={"width": "80px"})
        row = widgets.Box([*self.sliders.values(), reset], layout={"flex_flow": "row wrap"})
        spoken = f'<span style="position:absolute;clip-path:inset(50%)">{html.escape(alt)}</span>'
        super().__init__([row, self.image, widgets.HTML(spoken), self.error])
        self._refresh()
        self.start = self.values
        for slider in self.sliders.values():
            slider.observe(self._refresh, names="value")
        reset.on_click(lambda button: self._move(self.start))

    @property
    def values(self):
        return {name: slider.value for name, slider in self.sliders.items()}

    def render(self, values=None):
        """The picture (at the sliders' values) as WebP bytes; raises what `draw` raises."""
        figure = self._canvas.figure
        if self._update is None:
            figure.clear()
            self._update = self._draw(figure)
            defaults = inspect.signature(self._update).parameters
            self._move({name: p.default for name, p in defaults.items() if p.default is not p.empty})
        self._update(**(values or self.values))
        if self._frame is None:  # the first layout stands, so that nothing jumps
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
        self._paint(figure)
        return _encode(self._canvas, "webp")

    def _paint(self, figure):
        """Draw what can move over a kept picture of the axes, renewed when one of them changes."""
        movable = [(owner, a) for owner in (*figure.axes, figure) if owner.get_visible()
                   for a in sorted(owner.get_children(), key=lambda a: a.zorder)
                   if a not in (owner.patch, *figure.axes, *figure.subfigs)
                   and not isinstance(a, (Axis, Spine))]
        text = [(a.get_text(), a.get_color()) for ax in figure.axes for a in (ax.xaxis.label, ax.yaxis.label)]
        if figure.stale or self._frame is None or self._frame[0] != text:
            for _, artist in movable:
                artist.set_animated(True)  # the canvas leaves it out
            self._canvas.draw()
            self._frame = text, self._canvas.copy_from_bbox(figure.bbox)
        self._canvas.restore_region(self._frame[1])
        for owner, artist in movable:
            owner.draw_artist(artist)

    def _move(self, values):
        for name in values.keys() & self.sliders.keys():
            try:
                self.sliders[name].value = values[name]
            except Exception:
                _refuse(f"the start value of {name}", values[name], "a value of its slider")

    def _refresh(self, change=None):
        try:
            self.image.value, self.error.value = self.render(), ""
        except Exception as error:
            line = html.escape(" ".join(f"{type(error).__name__}: {error}".split()))
            self.error.value = f'<span role="alert" style="color:#A00000">{line}</span>'

    def _repr_mimebundle_(self, include=None, exclude=None, **kwargs):
        view = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
        try:
            self.render(self.start)
            data, metadata = _bundle(self._canvas, self.alt)
        except Exception:  # the widget's error line says it
            data, metadata = {"text/plain": f"[picture] {self.alt}"}, {}
        return {**data, "application/vnd.jupyter.widget-view+json": view}, metadata


def explore(draw, *, alt, export=None, **controls):
    """Sliders above one live picture; a saved notebook keeps its first state.

    Parameters
    ----------
    draw : callable
        `draw(fig)` sets the stage on a matplotlib figure and returns `update(**values)`,
        which moves the artists. The defaults of `update` are the sliders' start values.
    alt : str
        What the first picture shows.
    export : dict, optional
        Fewer values of some controls, for slides, where every combination is drawn in advance.
    **controls
        For each argument of `update`: a list of allowed values, (low, high, step) or a slider.
    """
    if not controls or not alt.strip():
        raise ValueError("explore needs an alt text and at least one control")
    return Explorer(draw, alt, controls, export)


# ---- checks ---------------------------------------------------------------------
def predict(question, options, answer):
    """A quiz question: `options` maps each to the reply that unfolds on a click; `answer` is one."""
    if answer not in options:
        _refuse("answer", answer, f"one of {list(options)}")
    page = f"<p><b>Predict, then click your answer.</b> {html.escape(question)}</p>"
    for option, reply in options.items():
        verdict = "Yes." if option == answer else "Not this one."
        page += (f'<details style="margin:.3em 1em"><summary>{html.escape(option)}</summary>'
                 f'<p style="margin:.3em 1.2em"><b>{verdict}</b> {html.escape(reply)}</p></details>')
    plain = "\n".join([f"Predict: {question}", *(f"( ) {option}" for option in options)])
    display({"text/html": re.sub(r"`(.+?)`", r"<code>\1</code>", page), "text/plain": plain}, raw=True)


def check(answer, claims, hint):
    """Print whether `answer` passes `claims` (words: test); the hint while it is `...` or not implemented."""
    try:
        if answer is ...:
            raise NotImplementedError
        failed = next((claim for claim, holds in claims.items() if not holds(answer)), None)
        print(f"Not yet. This should hold: {failed}." if failed else f"Correct: {'; '.join(claims)}.")
    except NotImplementedError:
        print(f"Your turn. Hint: {hint}")
    except Exception as error:
        print(f"Not yet. Your answer raised {type(error).__name__}: {error}")
