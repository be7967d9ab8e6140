"""Pictures on their way to the browser, each with its words: `show` displays one."""

import base64
import html

import matplotlib.pyplot as plt
from IPython.display import display
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from checks import brief
from png import as_png

# Functions that `picture` calls with each figure: whoever exports a chapter adds one.
listeners = []


def show(fig, alt):
    """Display a pyplot figure in Jupyter, in 48 colours, and close it.

    Parameters
    ----------
    fig : matplotlib figure
    alt : str
        What the picture shows, for those who cannot see it.

    Raises
    ------
    ValueError
        If `fig` is no figure or an empty one, if artists in it are animated, or if the
        alt text is empty.
    Exception
        What matplotlib raises where it cannot draw a formula. The figure stays open.

    Examples
    --------
    >>> fig, ax = plt.subplots()
    >>> _ = ax.plot([0, 1], [0, 1])
    >>> show(fig, alt="A straight line from (0, 0) to (1, 1).")
    """
    data, metadata = picture(fig, alt)
    display(data, metadata={"picture": metadata}, raw=True)


def picture(fig, alt):
    """What `show` displays: a figure as HTML, as PNG and in words. It is closed.

    Then each of `listeners` is called with the figure.

    Parameters
    ----------
    fig : matplotlib figure
    alt : str
        As for `show`.

    Returns
    -------
    data : dict of str to str
        By MIME type, such as "text/html".
    metadata : dict of str to str
        The alt text, for whoever makes another page of it.

    Raises
    ------
    Exception
        As `show` does.

    Examples
    --------
    >>> fig, ax = plt.subplots()
    >>> _ = ax.plot([0, 1], [0, 1])
    >>> data, metadata = picture(fig, alt="A straight line.")
    >>> sorted(data), metadata
    (['image/png', 'text/html', 'text/plain'], {'alt': 'A straight line.'})
    """
    if not isinstance(fig, Figure):
        raise ValueError(f"a picture is a figure, as of plt.figure(); got {brief(fig)}")
    if not isinstance(alt, str) or not alt.strip():
        raise ValueError(f"a picture needs an alt text; got {brief(alt)}")
    if is_empty(fig):
        raise ValueError("something must be drawn on a figure; got an empty one")
    if any(artist.get_animated() for artist in fig.findobj()):
        raise ValueError(
            "show leaves out what is animated, as all artists of a live picture are: an"
            " explorer has it as a PNG file, panel.image.value"
        )
    alt = " ".join(alt.split())
    its_own, canvas = fig.canvas, FigureCanvasAgg(fig)  # which takes its place
    try:
        canvas.draw()
        data = saved_picture(canvas, alt)
    except Exception:
        fig.set_canvas(its_own)
        raise
    plt.close(fig)
    fig.set_canvas(canvas)  # matplotlib takes it away where a figure is closed
    for listen in listeners:
        listen(fig)
    return data, {"alt": alt}


def is_empty(figure):
    """Whether nothing is on a figure but its ground.

    Parameters
    ----------
    figure : matplotlib figure

    Returns
    -------
    bool

    Examples
    --------
    >>> is_empty(Figure())
    True
    """
    return figure.get_children() == [figure.patch]


def saved_picture(canvas, alt, sentence=""):
    """What a saved notebook keeps: a picture's pixels, its alt text and a sentence.

    The picture stands in an HTML image, which alone brings its alt text to JupyterLab
    and to pages, and once more as image/png, which LaTeX and some web pages need.

    Parameters
    ----------
    canvas : matplotlib FigureCanvasAgg
        It has been drawn.
    alt, sentence : str
        Plain, and on one line each.

    Returns
    -------
    dict of str to str
        By MIME type.

    Examples
    --------
    >>> canvas = FigureCanvasAgg(Figure())
    >>> canvas.draw()
    >>> print(saved_picture(canvas, "A white page.", "It is new.")["text/plain"])
    [picture] A white page.
    It is new.
    """
    file = base64.b64encode(as_png(canvas)).decode()
    page = f'<img alt="{html.escape(alt)}" src="data:image/png;base64,{file}">'
    words = f"[picture] {alt}"
    if sentence:
        page += f"<p>{html.escape(sentence)}</p>"
        words += f"\n{sentence}"
    return {"text/html": page, "image/png": file, "text/plain": words}
