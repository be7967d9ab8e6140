"""Finds things in a figure as a reader does: by colour, place or name."""

import html
import itertools
import math
import re
from collections import namedtuple

import numpy as np
from matplotlib.colors import same_color, to_hex
from matplotlib.patches import Polygon

from course import draw
from tests.support.oracle import tip
from tools.chapters import NOTEBOOKS, cells, question_metadata

NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?")
Look = namedtuple("Look", "colour dashed marker filled")


class Found(dict):
    """Things by their names; where a name is wrong, the right ones are told."""

    def __init__(self, kind, things):
        super().__init__(things)
        self.kind = kind

    def __missing__(self, name):
        there = ", ".join(map(repr, self)) or "none"
        raise AssertionError(f"no {self.kind} is called {name!r}; there are: {there}")


def only(kind, things):
    """The one thing that there is."""
    things = list(things)
    told = "".join(f"\n  {thing}" for thing in things)
    assert len(things) == 1, f"1 {kind} is wanted, {len(things)} are there{told}"
    return things[0]


# ---- numbers ------------------------------------------------------------------------
def same(found, wanted, rtol=0, atol=1e-9, err_msg=""):
    """Two numbers, or arrays of them, are the same; nothing is not the same as one."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    fits = found.shape == wanted.shape or (found.size and wanted.ndim == 0)
    is_same = fits and np.allclose(found, wanted, rtol, atol, equal_nan=True)
    assert is_same, f"{err_msg}\nit is\n{found}\nand should be\n{wanted}"


def written(words):
    """The numbers that stand in a sentence, as they are written."""
    return [x.replace(",", "") for x in NUMBER.findall(words.replace("−", "-"))]


def numbers(*texts):
    """The numbers that stand in a sentence, or in more of them."""
    return [float(x) for x in written(" ".join(texts))]


def says(words, *wanted):
    """The numbers in words are these, each to the digits that are written."""
    words = words if isinstance(words, str) else " ".join(words)
    told, wanted = written(words), np.concatenate([[], *map(np.ravel, wanted)])
    has_all = len(told) == len(wanted)
    assert has_all, f"“{words}” should tell {len(wanted)} numbers, {wanted}"
    for number, value in zip(told, wanted, strict=True):
        digits = len(number.partition(".")[2])
        is_right = abs(float(number) - value) <= 0.51 / 10**digits
        assert is_right, f"“{words}” tells {number}; right is {value:.{digits + 2}f}"


# ---- lines --------------------------------------------------------------------------
def look(line):
    """What tells lines apart: colour, dashes and marker."""
    face = line.get_markerfacecolor()
    marker = str(line.get_marker()).replace("None", "")
    filled = marker != "" and face != "none"
    return Look(to_hex(line.get_color()), line.is_dashed(), marker, filled)


def lines_in(ax, colour=None, dashed=None, marker=None, filled=None):
    """The lines of axes that look so; None is any."""
    wanted = colour and colour.lower(), dashed, marker, filled
    return [
        x
        for x in ax.lines
        if all(a in (None, b) for a, b in zip(wanted, look(x), strict=True))
    ]


def line_in(ax, *wanted, **parts):
    """The only line of axes that looks so."""
    found = lines_in(ax, *wanted, **parts)
    told = "".join(f"\n  {look(line)}" for line in ax.lines)
    is_one = len(found) == 1
    assert is_one, f"{len(found)} lines look as {wanted or ''}{parts or ''}; all:{told}"
    return found[0]


def tip_of(line):
    return np.array(line.get_xydata()[-1])


def check_hand(line, angle, length=1):
    told = f"a hand should point at {math.degrees(angle) % 360:.0f}°"
    same(line.get_xydata(), [(0, 0), tip(angle, length)], err_msg=told)


def sweeps(ax, lines=None):
    """Of each arc, or of these lines: the angles of its ends, radius, heads."""
    heads = [x.get_xy() for x in ax.patches if isinstance(x, Polygon)]
    heads = [head for head in heads if len(head) == 4]  # triangles: tip, two wings
    curves = [x for x in ax.lines if len(x.get_xdata()) > 3 and not look(x).marker]
    for arc in lines or curves:
        x, y = np.transpose(arc.get_xydata())
        angles = np.unwrap(np.arctan2(x, y))
        end, neck = angles[-1], np.array([x[-1], y[-1]])
        near = [
            head for head in heads if math.dist(head[1:3].mean(axis=0), neck) < 0.01
        ]
        for point, *_ in near:
            on = math.atan2(*point) - angles[-1]
            end += (on + math.pi) % math.tau - math.pi
        yield angles[0], end, math.hypot(x[0], y[0]), len(near)


def arrows(ax):
    """The arrows of axes that can be seen."""
    texts = (text for text in ax.texts if text.get_visible())
    return [text for text in texts if getattr(text, "arrow_patch", None)]


def arrow_ends(ax):
    """Where each arrow of axes starts and where its head is: (tail, tip)."""
    found = arrows(ax)
    assert all(x.arrowprops["arrowstyle"] in ("->", "-|>") for x in found)
    return [(x.xyann, x.xy) for x in found]


# ---- words and what they name -------------------------------------------------------
def texts_in(ax):
    """The words that can be seen in axes → their text."""
    seen = (text for text in ax.texts if text.get_visible())
    return Found("text of the axes", {text.get_text(): text for text in seen})


def place(ax, words):
    return texts_in(ax)[words].get_position()


def middles(ax):
    """Each text that can be seen in axes, with the middle of its box, in pixels."""
    for text in ax.texts:
        if text.get_text() and text.get_visible():
            yield text.get_text(), text.get_window_extent().get_points().mean(axis=0)


def text_at(ax, point, among=None):
    """The text of axes, or of these texts, that stands nearest to a point.

    A coordinate that is None does not count: (None, 3) is nearest in height.
    """
    counts = [x is not None for x in point]
    at = ax.transData.transform([1 if x is None else x for x in point])
    texts = [x for x in middles(ax) if among is None or x[0] in among]
    assert texts, f"no such text is in the axes: {among or 'none at all'}"
    return min(texts, key=lambda text: math.dist(text[1][counts], at[counts]))[0]


def path_of(artist):
    """Points along a line or along the arrow of an annotation, in pixels."""
    if hasattr(artist, "get_xydata"):
        ends = artist.get_transform().transform(np.asarray(artist.get_xydata(), float))
    else:
        ends = artist.axes.transData.transform([artist.xyann, artist.xy])
    steps = np.linspace(0, 1, 50)[:, None]
    pieces = [start + steps * (end - start) for start, end in itertools.pairwise(ends)]
    return np.concatenate([ends, *pieces])


def named(ax, legend=None):
    """What has a name in axes: legend entry, or text → the line or arrow it names.

    An entry of their legend, or of this one, names the only line of the same look, a
    text what is nearest: named(ax)["cos β"].get_color().
    """
    lines = [line for line in ax.lines if line.get_visible() and len(line.get_xdata())]
    paths = [(artist, path_of(artist)) for artist in lines + arrows(ax)]
    found = Found("line", {})
    for words, middle in middles(ax):
        away = [np.hypot(*(points - middle).T).min() for _, points in paths]
        found[words], _ = paths[np.argmin(away)]
    legend = legend or ax.get_legend()
    if legend:
        entries = [text.get_text() for text in legend.get_texts()]
        for entry, handle in zip(entries, legend.legend_handles, strict=True):
            alike = (line for line in lines if look(line) == look(handle))
            found[entry] = only(f"line like “{entry}” in the legend", alike)
    return found


def words_in(ax, box):
    """What stands in a box, or in a bar: texts, from top to bottom."""
    edges = box.get_window_extent()
    inside = [x for x in middles(ax) if edges.contains(*x[1])]
    return [words for words, _ in sorted(inside, key=lambda text: -text[1][1])]


def ticks(axis):
    """Where something is written along ax.xaxis or ax.yaxis → what is written."""
    words = (label.get_text() for label in axis.get_ticklabels())
    return Found("tick", zip(axis.get_ticklocs(), words, strict=True))


# ---- bars, boxes, cells -------------------------------------------------------------
def bars_in(ax, colour=None):
    """Bars, or those of a colour ("none": frames), from left to right."""
    bars = sum(map(list, ax.containers), [])
    faces = [bar.get_facecolor() if bar.get_fill() else "none" for bar in bars]
    some = [
        bar
        for bar, x in zip(bars, faces, strict=True)
        if not colour or same_color(x, colour)
    ]
    return sorted(some, key=lambda bar: bar.get_x())


def heights(ax, colour=None):
    return [bar.get_height() for bar in bars_in(ax, colour)]


def patches_in(ax, colour):
    """Boxes, bars and shadings that are filled with a colour."""
    filled = (patch for patch in ax.patches if patch.get_fill())
    return [x for x in filled if to_hex(x.get_fc()) == to_hex(colour)]


def grey_of(ax):
    """The grey shading of axes, where training let nothing be seen."""
    assert patches_in(ax, draw.FAINT), "no grey shading is in the axes"
    return patches_in(ax, draw.FAINT)[0]


def unseen(ax):
    """The first and the last whole number under the grey shading."""
    start, end = grey_of(ax).get_bbox().intervalx
    return math.ceil(start), math.floor(end)


def matrix(ax):
    """The numbers of the coloured cells in axes; NaN where a cell is empty."""
    cells = only("table of coloured cells", (*ax.images, *ax.collections))
    return np.ma.filled(cells.get_array(), np.nan)


def texts_in_cells(ax):
    """What is written in a matrix: an array of texts, by row and column."""
    placed = {text.get_position()[::-1]: text.get_text() for text in ax.texts}
    placed = {at: words for at, words in placed.items() if not np.mod(at, 1).any()}
    table = np.full(np.max([*placed], axis=0).astype(int) + 1, "", dtype=object)
    for (row, column), words in placed.items():
        table[int(row), int(column)] = words
    return table


def frames(ax, colour=draw.MARK):
    """Of each frame of a colour: its first column and row, its columns and rows."""
    found = []
    for box in (x.get_bbox() for x in ax.patches if same_color(x.get_ec(), colour)):
        column, row = math.ceil(box.xmin), math.ceil(box.ymin)
        columns, rows = math.floor(box.xmax) - column, math.floor(box.ymax) - row
        found.append((column, row, columns + 1, rows + 1))
    return sorted(found)


def read_board(ax):
    """What stands on a board of verdicts without headings: scheme → {column: verdict}.

    A verdict is True, False or, where a cell is only told, (None, text).
    """
    above = [word for word in ax.texts if hasattr(word, "xyann")]
    above.sort(key=lambda word: (word.xy[0], -word.xyann[1]))  # line after line
    columns = {
        x: " ".join(word.get_text() for word in lines)
        for x, lines in itertools.groupby(above, key=lambda word: word.xy[0])
    }
    rows, names_at = Found("row", {}), {}
    for word in (word for word in ax.texts if word not in above):
        (x, line), said = word.get_position(), word.get_text().replace("\n", " ")
        if x < 0:
            names_at[line] = said
            rows[said] = Found("column", {})
        elif said:
            verdict = {"✓": True, "✗": False}.get(said, (None, said))
            rows[names_at[line]][columns[x]] = verdict
    return rows


def failures(board):
    """Column of a board → its rows with a cross."""
    columns = next(iter(board.values()))
    crosses = {x: [row for row in board if board[row][x] is False] for x in columns}
    return Found("column", crosses)


# ---- a chapter ----------------------------------------------------------------------
def set_to(panel, **values):
    """What an explorer says where its sliders are set so, and its axes."""
    return panel.live.update(**values), panel.live.canvas.figure.axes


def markdown(chapter, name):
    """A markdown cell of a chapter, as written: markdown("04", "the-theorem")."""
    path = only(f"chapter {chapter}", NOTEBOOKS.glob(f"{chapter}_*.ipynb"))
    sources = {cell.id: cell.source for cell in cells(path, "markdown")}
    return Found("cell of text", sources)[name]


def plain(chapter, name):
    """A markdown cell without its colours: its formulas are as one writes them."""
    return re.sub(r"\\textcolor{#\w+}{([^{}]*)}", r"\1", markdown(chapter, name))


def replies(chapter, name):
    """What a question offers: answer → (whether it is right, its reply)."""
    asked = filter(None, map(question_metadata, chapter.displayed[name]))
    offered = Found("answer", {})
    for option in only(f"question in cell {name}", asked)["options"]:
        texts = (re.sub("</?em>", "", option[part]) for part in ("words", "reply"))
        answer, reply = map(html.unescape, texts)
        offered[answer] = option["right"], reply
    return offered


def right_answer(chapter, question):
    """The one right answer that a question offers."""
    offered = replies(chapter, question)
    return only("right answer", (x for x, (is_right, _) in offered.items() if is_right))


def is_framed(ax):
    """Whether a panel has a frame, which says that its answer is right."""
    edges = [patch.get_edgecolor() for patch in (ax.patch, *ax.patches)]
    return any(same_color(edge, draw.SUM) for edge in edges)


def check_frames(chapter, before, question):
    """The picture before a question has no frame, its answer's round the right one."""
    offered = replies(chapter, question).values()
    assert not any(map(is_framed, chapter.cell[before].axes)), f"{before} gives it away"
    framed = [is_framed(ax) for ax in chapter.cell[question].axes]
    right = [is_right for is_right, _ in offered]
    assert framed == right, f"{question}: framed {framed}, right answers {right}"
