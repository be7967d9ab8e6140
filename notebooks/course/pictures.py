"""Pictures on their way to the page, each with its words: `show` displays one."""

import base64
import contextlib
import html
import io

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from utils import shown_in_error

COLOURS = 128  # of a saved picture: a third of the bytes
LOOK = {}  # the settings of matplotlib that pictures have; course.draw fills it

# Functions that `picture` calls with each figure, for those who export a chapter.
listeners = []


class Picture(Figure):
    """A figure of `draw.subplots`: it is shown in the look in which it was drawn."""


@contextlib.contextmanager
def look():
    """A context with matplotlib's defaults and LOOK, whatever a reader has set.

    >>> plt.rcParams["savefig.dpi"] = 300
    >>> with look():
    ...     print(plt.rcParams["savefig.dpi"])
    figure
    """
    stays = {}
    try:
        with plt.style.context(LOOK, after_reset=True):
            try:
                yield
            finally:  # where plt is first used, it is told to display as Jupyter does
                stays["interactive"] = plt.isinteractive()
    finally:
        plt.rcParams.update(stays)


def show(fig, alt):
    """Display a figure of `draw.figure`, `draw.subplots` or pyplot in Jupyter.

    Parameters
    ----------
    fig : matplotlib figure
    alt : str
        What the picture shows, for those who cannot see it.

    Raises
    ------
    ValueError
        If `fig` is not a figure, or `alt` has no words.

    Examples
    --------
    >>> fig, ax = plt.subplots()
    >>> _ = ax.plot([0, 1], [0, 1])
    >>> show(fig, alt="A straight line from (0, 0) to (1, 1).")
    """
    data, metadata = picture(fig, alt)
    display(data, metadata={"picture": metadata}, raw=True)


def picture(fig, alt):
    """What `show` displays: a dict by MIME type, and one with the alt text."""
    if not isinstance(fig, Figure):
        given = shown_in_error(fig)
        raise ValueError(f"show needs a figure, as of plt.figure(); got {given}")
    if not isinstance(alt, str) or not alt.strip():
        given = shown_in_error(alt)
        raise ValueError(f"a picture needs an alt text: what it shows; got {given}")
    alt = " ".join(alt.split())
    with look() if isinstance(fig, Picture) else contextlib.nullcontext():
        canvas = FigureCanvasAgg(fig)
        canvas.draw()
        data = saved_picture(canvas, alt)
        plt.close(fig)
        fig.set_canvas(canvas)  # matplotlib takes it away where a figure is closed
        for listen in listeners:
            listen(fig)
    return data, {"alt": alt}


def as_image(canvas):
    """The pixels of a FigureCanvasAgg that has been drawn, as an image of Pillow."""
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


def as_png(image, **how):
    """The bytes of a PNG file of an image."""
    file = io.BytesIO()
    image.save(file, "png", **how)
    return file.getvalue()


def saved_picture(canvas, alt, sentence=""):
    """What a saved notebook keeps: a picture in few colours, its alt text, a sentence.

    The picture stands in an HTML image, which alone brings its alt text to JupyterLab
    and to pages, and once more as image/png, which LaTeX and some web pages need.

    Examples
    --------
    >>> canvas = FigureCanvasAgg(Figure())
    >>> canvas.draw()
    >>> print(saved_picture(canvas, "A white page.", "It is new.")["text/plain"])
    [picture] A white page.
    It is new.
    """
    few = as_image(canvas).quantize(COLOURS, kmeans=2, dither=Image.Dither.NONE)
    file = base64.b64encode(as_png(few, optimize=True)).decode()
    page = f'<img alt="{html.escape(alt)}" src="data:image/png;base64,{file}">'
    words = f"[picture] {alt}"
    if sentence:
        page += f"<p>{html.escape(sentence)}</p>"
        words += f"\n{sentence}"
    return {"text/html": page, "image/png": file, "text/plain": words}
