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
from tools.chapters import NOTEBOOKS, cells, explorer_of, question_of, still_of

Look = namedtuple("Look", "colour dashed marker filled")


def same(found, wanted, rtol=0, atol=1e-9, err_msg=""):
    """Two figures, or arrays of them, are the same; nothing is not the same as one."""
    assert np.size(found) or not np.size(wanted), f"nothing is there; wanted: {wanted}"
    np.testing.assert_allclose(found, wanted, rtol, atol, err_msg=err_msg)


def numbers(*texts):
    """The numbers that stand in a sentence, or in more of them."""
    words = " ".join(texts).replace("−", "-")
    return [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?", words)]


NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?")


def says(words, *wanted):
    """The numbers in words are these, each to the digits that are written."""
    words = words if isinstance(words, str) else " ".join(words)
    told = NUMBER.findall(words.replace("−", "-"))
    wanted = np.concatenate([[], *map(np.ravel, wanted)])
    for number, value in zip(told, wanted, strict=True):
        digits = len(number.partition(".")[2])
        same(
            float(number.replace(",", "")), value, atol=0.51 / 10**digits, err_msg=words
        )


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
    (line,) = lines_in(ax, *wanted, **parts)
    return line


def path_of(artist):
    """Points along a line or along the arrow of an annotation, in pixels."""
    if hasattr(artist, "get_xydata"):
        ends = artist.get_transform().transform(np.asarray(artist.get_xydata(), float))
    else:
        ends = artist.axes.transData.transform([artist.xyann, artist.xy])
    steps = np.linspace(0, 1, 50)[:, None]
    pieces = [start + steps * (end - start) for start, end in itertools.pairwise(ends)]
    return np.concatenate([ends, *pieces])


def middles(ax):
    """Each text that can be seen in axes, with the middle of its box, in pixels."""
    renderer = ax.get_figure(root=True).canvas.get_renderer()
    for text in ax.texts:
        if text.get_text() and text.get_visible():
            box = text.get_window_extent(renderer)
            yield text.get_text(), box.get_points().mean(axis=0)


def text_at(ax, point, among=None):
    """The text of axes, or of these texts, that stands nearest to a point.

    A coordinate that is None does not count: (None, 3) is nearest in height.
    """
    counts = [x is not None for x in point]
    at = ax.transData.transform([1 if x is None else x for x in point])
    texts = [x for x in middles(ax) if among is None or x[0] in among]
    return min(texts, key=lambda text: math.dist(text[1][counts], at[counts]))[0]


def words_in(ax, box):
    """What stands in a box, or in a bar: texts, from top to bottom."""
    edges = box.get_window_extent()
    inside = [x for x in middles(ax) if edges.contains(*x[1])]
    return [words for words, _ in sorted(inside, key=lambda text: -text[1][1])]


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
    return next(iter(patches_in(ax, draw.FAINT)))


def ticks(axis):
    """Where something is written along ax.xaxis or ax.yaxis → what is written."""
    words = (label.get_text() for label in axis.get_ticklabels())
    return dict(zip(axis.get_ticklocs(), words, strict=True))


def unseen(ax):
    """The first and the last whole number under the grey shading."""
    start, end = grey_of(ax).get_bbox().intervalx
    return math.ceil(start), math.floor(end)


def named(ax, legend=None):
    """What has a name in axes: legend entry, or text → the line or arrow it names.

    An entry of their legend, or of this one, names the only line of the same look, a
    text what is nearest: named(ax)["cos β"].get_color().
    """
    lines = [line for line in ax.lines if line.get_visible() and len(line.get_xdata())]
    found = {}
    for words, middle in middles(ax):
        away = {x: np.hypot(*(path_of(x) - middle).T).min() for x in lines + arrows(ax)}
        found[words] = min(away, key=away.get)
    legend = legend or ax.get_legend()
    if legend:
        entries = [text.get_text() for text in legend.get_texts()]
        for entry, handle in zip(entries, legend.legend_handles, strict=True):
            (found[entry],) = (x for x in lines if look(x) == look(handle))
    return found


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


def texts_in_cells(ax):
    """What is written in a matrix: an array of texts, by row and column."""
    placed = {}
    for text in ax.texts:
        column, row = text.get_position()
        if float(column).is_integer() and float(row).is_integer():
            placed[int(row), int(column)] = text.get_text()
    shape = np.max(list(placed), axis=0) + 1
    table = np.full(shape, "", dtype=object)
    for place, words in placed.items():
        table[place] = words
    return table


def matrix(ax):
    """The numbers of the coloured cells in axes; NaN where a cell is empty."""
    (cells,) = (*ax.images, *ax.collections)
    return np.ma.filled(cells.get_array(), np.nan)


def frames(ax, colour=draw.MARK):
    """Of each frame of a colour: its first column and row, its columns and rows."""
    framed = [x.get_bbox() for x in ax.patches if same_color(x.get_ec(), colour)]
    starts = [np.ceil(np.minimum(*box.get_points())).astype(int) for box in framed]
    ends = [np.floor(np.maximum(*box.get_points())).astype(int) for box in framed]
    return sorted(
        (*a.tolist(), *(b - a + 1).tolist()) for a, b in zip(starts, ends, strict=True)
    )


def is_framed(ax):
    """Whether a panel has a frame, which says that its answer is right."""
    edges = [patch.get_edgecolor() for patch in (ax.patch, *ax.patches)]
    return any(same_color(edge, draw.SUM) for edge in edges)


def check_frames(chapter, before, question):
    """The picture before a question has no frame, its answer's round the right one."""
    offered = replies(chapter, question).values()
    assert not any(map(is_framed, chapter.cell[before].axes))
    framed = [is_framed(ax) for ax in chapter.cell[question].axes]
    assert framed == [is_right for is_right, _ in offered]


def check_table(ax, names, rows):
    """The names and the numbers of a table, row by row."""
    for row, (name, wanted) in enumerate(zip(names, rows, strict=True)):
        line = [ax.tables[0][row, column] for column in range(-1, len(wanted))]
        beside, *entries = (cell.get_text().get_text() for cell in line)
        assert beside == name, (beside, name)
        same(numbers(*entries), wanted, atol=0.0051)


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
    rows, names_at = {}, {}
    for word in (word for word in ax.texts if word not in above):
        (x, line), said = word.get_position(), word.get_text().replace("\n", " ")
        if x < 0:
            names_at[line] = said
            rows[said] = {}
        elif said:
            verdict = {"✓": True, "✗": False}.get(said, (None, said))
            rows[names_at[line]][columns[x]] = verdict
    return rows


def failures(board):
    """Column of a board → its rows with a cross."""
    columns = next(iter(board.values()))
    return {x: [row for row in board if board[row][x] is False] for x in columns}


def alt(chapter, name):
    """The alt text of the first picture of a cell."""
    shown = (still_of(o) or explorer_of(o) for o in chapter.displayed[name])
    return next(filter(None, shown))["alt"]


def in_alt(chapter, name):
    """The numbers in the alt text of a cell."""
    return numbers(alt(chapter, name))


def set_to(panel, **values):
    """What an explorer says where its sliders are set so, and its axes."""
    return panel.live.update(**values), panel.live.canvas.figure.axes


def markdown(chapter, name):
    """A markdown cell of a chapter, as written: markdown("04", "the-theorem")."""
    (path,) = NOTEBOOKS.glob(f"{chapter}_*.ipynb")
    (cell,) = (cell for cell in cells(path, "markdown") if cell.id == name)
    return cell.source


def replies(chapter, name):
    """What a question offers: answer → (whether it is right, its reply)."""
    (question,) = filter(None, map(question_of, chapter.displayed[name]))
    offered = {}
    for option in question["options"]:
        texts = (re.sub("</?em>", "", option[part]) for part in ("words", "reply"))
        answer, reply = map(html.unescape, texts)
        offered[answer] = option["right"], reply
    return offered


def right_answer(chapter, question):
    """The one right answer that a question offers."""
    offered = replies(chapter, question)
    (answer,) = (answer for answer, (is_right, _) in offered.items() if is_right)
    return answer


def tip_of(line):
    return np.array(line.get_xydata()[-1])


def check_hand(line, angle, length=1):
    same(line.get_xydata(), [(0, 0), tip(angle, length)])


def texts_in(ax):
    """The words that can be seen in axes → their text."""
    return {text.get_text(): text for text in ax.texts if text.get_visible()}


def place(ax, words):
    return texts_in(ax)[words].get_position()


def arrows(ax):
    """The arrows of axes that can be seen."""
    texts = (text for text in ax.texts if text.get_visible())
    return [text for text in texts if getattr(text, "arrow_patch", None)]


def arrow_ends(ax):
    """Where each arrow of axes starts and where its head is: (tail, tip)."""
    found = arrows(ax)
    assert all(x.arrowprops["arrowstyle"] in ("->", "-|>") for x in found)
    return [(x.xyann, x.xy) for x in found]
