"""Small chapters, to test what all chapters and decks have in common."""

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.chapters import ROOT

SETUP = """
import numpy as np
from course import explore, predict

def wave(fig):
    "A sine wave from 0 to 20"
    x = np.linspace(0, 20, 200)
    ax = fig.subplots()
    curve, = ax.plot(x, np.sin(x))
    def update(k=1, a=0):
        curve.set_ydata(np.sin(k * x + a))
        ax.set_title(f"period: {1 / k:.2f} turns")
        return f"The wave is {k} times as fast and {a} ahead."
    return update
"""


def text_cell(source, kind="-", **metadata):
    place = {"slideshow": {"slide_type": kind}, **metadata}
    return new_markdown_cell(source, metadata=place)


def code_cell(source, kind="-", tags=("no-code-on-slide",), id="", **metadata):
    place = {"slideshow": {"slide_type": kind}, "tags": list(tags), **metadata}
    return new_code_cell(source, metadata=place, **({"id": id} if id else {}))


def wave_cell(controls, **about):
    """A cell that shows the wave with these sliders."""
    return code_cell(f"explore(wave, {controls})", **about)


def chapter_of(folder, *cells, name="11_small"):
    """The path of a chapter with these cells after its title."""
    for beside in ("utils.py", "course"):
        if not (folder / beside).exists():
            (folder / beside).symlink_to(ROOT / "notebooks" / beside)
    title = text_cell("# 11 · A small deck", "slide", tags=["title"])
    question = text_cell("Does it hold what a test needs?", tags=["question"])
    nb = new_notebook(cells=[title, question, code_cell(SETUP, "skip"), *cells])
    nbformat.write(nb, folder / f"{name}.ipynb")
    return folder / f"{name}.ipynb"
