"""Each figure that an alt text has by hand stands in its picture.

A figure that the alt text takes from a variable, as in f"{turns:.1f}", comes from the
lesson and needs no test. One that is written by hand is looked for in the picture: in
its words and ticks, among the numbers and sizes of what it shows, and on its dials.
"""

import ast
import re

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from course.explorer import Explorer
from tools.chapters import cells

FIGURE = re.compile(r"(?<![\w.,/^])[-−]?\d[\d,]*(?:\.\d+)?(?![\w/^])")
CURVE = 12  # points: of a longer line only the ends and the extremes count


def figures(text):
    """The numbers in a text, as they are written: 0.84, 10000."""
    found = (word.replace(",", "").replace("−", "-") for word in FIGURE.findall(text))
    return [word.rstrip(".") for word in found]


def written_by_hand(source, function=None):
    """What an alt text says in so many words: of `show(…, alt=…)`, or a docstring."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            yield (ast.get_docstring(node) or "").split("\n\n")[0]
        elif function is None and isinstance(node, ast.keyword) and node.arg == "alt":
            parts = getattr(node.value, "values", [node.value])  # of an f-string
            for part in parts:
                if isinstance(part, ast.Constant):
                    yield part.value


def angles(x, y):
    """Of hands: where they point, in degrees and hours; of an arc: how far it goes."""
    turns, lengths = np.degrees(np.unwrap(np.arctan2(x, y))), np.hypot(x, y)
    if not lengths[::2].any():  # from the middle to a tip, or out and back and out
        return np.concatenate([turns % 360, (turns / 30 - 0.5) % 12 + 0.5])[1::2]
    return [turns[-1] - turns[0]] if len(x) > 2 and np.ptp(lengths) < 1e-6 else []


def numbers_in(figure):
    """What a reader can read off a figure, or count in it."""
    numbers = [len(figure.axes)]
    for artist in figure.findobj(lambda artist: artist.get_visible()):
        if isinstance(artist, Text):
            numbers += map(float, figures(artist.get_text()))
        elif isinstance(artist, Line2D):
            x, y = np.reshape(np.asarray(artist.get_data(), float), (2, -1))
            numbers += [*angles(x, y)]
            for row in (x, y):
                whole = len(row) <= CURVE
                ends = [*row[[0, -1]], np.nanmin(row), np.nanmax(row)]
                numbers += row.tolist() if whole else ends
        elif isinstance(artist, PathCollection):
            numbers += np.ravel(artist.get_offsets()).tolist()
        elif isinstance(artist, Rectangle):
            numbers += [*artist.get_xy(), artist.get_width(), artist.get_height()]
        elif isinstance(artist, AxesImage):
            numbers += artist.get_array().shape
    for ax in figure.axes:
        numbers += [*ax.get_xlim(), *ax.get_ylim()]
        numbers += [len(ax.lines), len(ax.patches), len(ax.collections), len(ax.texts)]
    return np.array(numbers, float)


def test_figures_in_alt_texts_stand_in_the_picture(path, ran):
    sources = {cell.id: cell.source for cell in cells(path, "code")}
    lost = []
    for name, what in ran.cell.items():
        if isinstance(what, Explorer):
            what.live.paint(what.start)
            figure, function = what.live.canvas.figure, what.live.draw.__name__
            texts = [t for s in sources.values() for t in written_by_hand(s, function)]
            known = [float(word) for word in figures(what.live.sentence)]
        else:
            figure, texts, known = what, written_by_hand(sources[name]), []
        known = np.abs([*numbers_in(figure), *known])
        for word in figures(" ".join(texts)):
            digits = len(word.partition(".")[2])
            near = np.abs(known - abs(float(word))) <= 0.5001 * 10.0**-digits
            if not near.any():
                lost.append(f"cell {name}: {word}")
    assert not lost, (
        "alt texts have figures that their pictures do not show (take them from the"
        f" variable that draws): {'; '.join(lost)}"
    )
