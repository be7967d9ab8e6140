"""The drawing vocabulary of the course, and its look: `draw.hand(ax, angle)`.

Every picture is made of these. Angles are in radians, clockwise from 12 o'clock: a hand
at the angle pos * omega points to (sin, cos) of that angle. What each function returns:

    hand, arc, sweep, two_hands    move(…), a function that turns it to other angles
    bars, matrix                   move(values), a function that shows other values
    word, side, arrow, frame       an artist, which matplotlib's own methods move
    box                            the middles of its edges, where arrows begin and end
    number, on_dial                a text; a point (x, y)
    dial, bare, edge, along,       nothing
    table, right_answer, board

Points, angles, lengths and radii that are no finite numbers are refused with a
ValueError; the docstrings below do not repeat it.

`with subplots() as (fig, ax):` gives the sheet, and below it the look of the course, as
in all of `explore`: what a reader draws elsewhere has her own settings.
"""

import math
import textwrap
from contextlib import contextmanager
from numbers import Real
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import font_manager
from matplotlib.cbook import normalize_kwargs
from matplotlib.colors import LinearSegmentedColormap, same_color, to_rgba
from matplotlib.patheffects import Normal, Stroke

from course.pictures import LOOK, Picture, look
from utils import as_floats, as_table, is_integer, is_number, shown_in_error

# ---- the look -----------------------------------------------------------------------
# What a colour means, in every chapter. MARK is for "look here": what is chosen, what
# changes, what is wrong; it is no thing's own colour. Grey shading (UNSEEN) lies where
# training, or a mask, let nothing be seen. Where schemes are compared, the line or bar
# of RoPE has the colour ROPE.
SIN = "#004488"
COS = "#D55E00"
TOKEN = "#66A5D9"
POSITION = "#EFC545"
SUM = "#117733"
ROPE = "#8040DD"
INK = "#222222"  # text and what is measured
FAINT = "#BBBBBB"  # background
MARK = "#AA3377"  # "look here"
PALE = "#F4F4F4"  # the face of a clock, a passed cell
RIGHT = "#EEF6F0"  # the ground of a right answer: SUM, paler
FAILED = "#F0D9E6"  # a cell that has not passed: MARK, paler
TOKEN_TEXT = "#1F6FA8"  # TOKEN is too light for words
POSITION_EDGE = "#9A7400"  # POSITION is too light for a line of its own on white
POSITION_TEXT = "#7A5C00"  # POSITION_EDGE is too light for words
COS_TEXT = "#B34700"  # COS is too light for words
GREY_TEXT = "#555555"  # words that stand behind others, as those of axes
GREY = "#8C8C8C"  # a line that stands behind others
UNSEEN = {"color": FAINT, "alpha": 0.28, "lw": 0, "zorder": 0}  # for axvspan, axhspan
DASHED = (0, (5, 1.5))  # a line style: dashes that a projector shows
SHORT_DASHES = (0, (2, 0.6))
BEFORE = {"color": GREY, "ls": (0, (3, 0.6))}  # a hand, before it is turned
MIDDLE = {"ha": "center", "va": "center"}  # a text stands on its point
LETTERS = 16  # in points, at least: on a slide, 100 pixels an inch, these are 22 pixels
LARGE = 20  # in points: what a picture is about
SIGNED = "signed"  # values in [−1, 1]: dark is −1, light is +1, in grey as well
SAND = "#FBE7A2"
INK_TO_SAND = ("#12263C", "#3F617C", "#9FB1B5", "#E0D5AC", SAND)

FONTS = [  # file, name, style, weight; what a font lacks is taken from the next name
    ("course-sans-regular.otf", "Course Sans", "normal", 400),
    ("course-sans-italic.otf", "Course Sans", "italic", 400),
    ("course-sans-semibold.otf", "Course Sans", "normal", 700),
    ("noto-sans-cjk-sc-subset.otf", "Course Chinese", "normal", 400),
    ("noto-sans-cjk-sc-subset.otf", "Course Chinese", "normal", 700),
]


def register_fonts():
    """Let matplotlib draw with the course's fonts, on every machine.

    They have names of their own. Under a real name, a font of the system might be
    drawn in its place, and pictures would differ from machine to machine.
    """
    folder = Path(__file__).resolve().parent / "fonts"
    for file, name, style, weight in FONTS:
        look = {"name": name, "style": style, "weight": weight}
        entry = font_manager.FontEntry(fname=str(folder / file), **look)
        if entry not in font_manager.fontManager.ttflist:  # as after a reload
            font_manager.fontManager.ttflist.append(entry)


register_fonts()
matplotlib.colormaps.register(
    LinearSegmentedColormap.from_list(SIGNED, INK_TO_SAND), force=True
)
LOOK.update(
    {
        "font.family": ["Course Sans", "DejaVu Sans", "Course Chinese"],
        "mathtext.fontset": "cm",  # formulas look as in the text, drawn by MathJax
        "font.size": LETTERS,
        "axes.titlesize": "medium",
        "axes.titleweight": "bold",  # that is, semibold: of the fonts above
        "figure.titlesize": "medium",
        "figure.titleweight": "bold",
        "figure.labelsize": "medium",
        "figure.figsize": (9, 4),
        "figure.dpi": 100,
        "figure.constrained_layout.use": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": INK,
        "axes.labelcolor": GREY_TEXT,
        "xtick.color": GREY_TEXT,
        "ytick.color": GREY_TEXT,
        "text.color": INK,
        "lines.linewidth": 2,
        "legend.frameon": False,
        "image.cmap": SIGNED,
    }
)


@contextmanager
def figure(figsize=None):
    """A figure to draw on, in the look of the course; afterwards, `show` it.

    It has 9 by 4 inches if no (width, height) is given.

    Examples
    --------
    >>> with figure(figsize=(6, 2)) as fig:
    ...     panels = fig.subplot_mosaic("AB")
    """
    with look():
        yield Picture(figsize=figsize)


@contextmanager
def subplots(rows=1, columns=1, *, figsize=None, **how):
    """A `figure` and its axes, as `plt.subplots` gives them, with its arguments.

    Examples
    --------
    >>> with subplots(1, 2, figsize=(6, 2), sharey=True) as (fig, (left, right)):
    ...     waves = left.plot([0, 1]), right.plot([1, 0])
    """
    with figure(figsize) as fig:
        yield fig, fig.subplots(rows, columns, **how)


def _look(kind, usual, asked):
    """The usual look of a kind of artist, and over it the look that is asked for.

    Each may say lw for linewidth, and c for color, which matplotlib has for lines only.
    """
    usual, asked = (normalize_kwargs(look, kind) for look in (usual, asked))
    return usual | normalize_kwargs(asked, plt.Line2D)


# ---- words and numbers --------------------------------------------------------------
def number(x, digits=2):
    """A number in words of a picture, with a minus sign that is not a hyphen.

    What is 0 when rounded has no sign.

    Parameters
    ----------
    x : float
    digits : int
        How many decimals are written; a float has no more than about 15.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If `x` is no finite number, or `digits` no integer from 0 to 15.

    Examples
    --------
    >>> number(-0.254), number(-0.001), number(3, digits=0)
    ('−0.25', '0.00', '3')
    """
    x = _finite("a number", x)
    if not is_integer(digits) or not 0 <= digits <= 15:
        given = shown_in_error(digits)
        raise ValueError(f"digits must be an integer from 0 to 15; got {given}")
    x = round(x, digits) + 0.0  # makes 0.0 of −0.0
    return f"{x:.{digits}f}".replace("-", "−")


def _finite(what, x):
    """A number as a float."""
    if not is_number(x):
        raise ValueError(f"{what} must be a finite number; got {shown_in_error(x)}")
    return float(x)


def _positive(what, x):
    """A number above 0 as a float."""
    if _finite(what, x) <= 0:
        raise ValueError(f"{what} must be above 0; got {shown_in_error(x)}")
    return float(x)


def _finite_or_more(what, x):
    """A number as a float, or a row of numbers as an array."""
    if not np.ndim(x):
        return _finite(what, x)
    return as_floats(f"{what} must be a finite number, or an array of them", x, ndim=1)


def _point(what, xy):
    """(x, y) as a pair of floats."""
    rule = f"{what} must be (x, y), two finite numbers"
    x_and_y = as_floats(rule, xy, ndim=1)
    if len(x_and_y) != 2:
        raise ValueError(f"{rule}; got {shown_in_error(xy)}")
    return tuple(x_and_y.tolist())


def along(text, start, end, away=0.0):
    """Lay a text along a line, at its middle and never upside down.

    Parameters
    ----------
    text : matplotlib text
    start, end : (x, y), in the data of axes with equal aspect
    away : float
        Distance from the line, to the left of its direction if positive.

    Examples
    --------
    >>> along(plt.figure().subplots().text(0, 0, "1"), (0, 0), (3, 4), away=0.1)
    """
    start, end = _point("a start", start), _point("an end", end)
    x, y = np.subtract(end, start)
    angle = np.arctan2(y, x)  # here counterclockwise from 3 o'clock
    away = _finite("a distance", away)
    to_the_left = away * np.array([-np.sin(angle), np.cos(angle)])
    text.set(
        position=np.mean([start, end], axis=0) + to_the_left,
        rotation=90 - (90 - np.degrees(angle)) % 180,  # in (−90, 90]
        rotation_mode="anchor",
    )


# ---- clocks -------------------------------------------------------------------------
def bare(ax, room=None):
    """Axes without frame and ticks; equal on both, from −room to room, if it is given.

    Parameters
    ----------
    ax : matplotlib axes
    room : float, above 0, optional

    Examples
    --------
    >>> bare(plt.figure().subplots(), room=1.2)
    """
    if room is not None:
        room = _positive("room", room)
        ax.set(xlim=(-room, room), ylim=(-room, room), aspect="equal")
    ax.axis("off")
    for axis in (ax.xaxis, ax.yaxis):  # a title would look for their hidden ticks
        axis.set_visible(False)


def dial(ax, room=1.2, radius=1):
    """The face of a clock, for the hands of one or more pairs.

    Parameters
    ----------
    ax : matplotlib axes
    room : float
        How far the axes reach to each side.
    radius : float, above 0

    Examples
    --------
    >>> dial(plt.figure().subplots())
    """
    radius = _positive("a radius", radius)
    bare(ax, room)
    look = {"facecolor": PALE, "edgecolor": FAINT, "lw": 2, "zorder": 0}
    ax.add_patch(plt.Circle((0, 0), radius, **look))


def on_dial(angle, radius=1):
    """(x, y) of the point at an angle, or of the points at several.

    Parameters
    ----------
    angle : float, or 1-D array of them
        In radians, clockwise from 12 o'clock.
    radius : float, or 1-D array of them
        Distance from the middle.

    Examples
    --------
    >>> [round(float(x), 2) for x in on_dial(np.pi / 2)]
    [1.0, 0.0]
    """
    angle = _finite_or_more("an angle", angle)
    radius = _finite_or_more("a radius", radius)
    if np.ndim(angle) and np.ndim(radius) and len(angle) != len(radius):
        raise ValueError(
            f"{len(angle)} angles need one radius or as many; got {len(radius)}"
        )
    return radius * np.sin(angle), radius * np.cos(angle)


def hand(ax, angle, *, length=1, **look):
    """A hand with a dot at its tip; in the colour POSITION it has a darker edge.

    Parameters
    ----------
    ax : matplotlib axes
    angle : float
        In radians, clockwise from 12 o'clock. NaN hides the hand.
    length : float
        The rim of a dial is at 1.
    **look
        As for `ax.plot`, such as color=MARK.

    Returns
    -------
    callable
        `move(angle)` turns it to another angle; `move(angle, length)` gives it another
        length there.

    Examples
    --------
    >>> move = hand(plt.figure().subplots(), 0)
    >>> move(np.pi / 2)
    """
    usual = {"color": INK, "lw": 4, "marker": "o", "ms": 9, "markevery": [1]}
    usual["solid_capstyle"] = "butt"  # as long as told
    look = _look(plt.Line2D, usual, look)
    (line,) = ax.plot([0, 0], [0, 1], **look)
    if same_color(line.get_color(), POSITION):
        edge(line)

    def move(angle, length=length):
        is_hidden = isinstance(angle, Real) and math.isnan(angle)
        angle = 0.0 if is_hidden else _finite("the angle of a hand", angle)
        x, y = on_dial(angle, _finite("the length of a hand", length))
        line.set(data=([0, x], [0, y]), visible=not is_hidden)

    move(angle)
    return move


def word(ax, angle, words, radius=1.2, **look):
    """Words on a dial, or beyond its rim.

    Parameters
    ----------
    ax : matplotlib axes
    angle : float
        In radians, clockwise from 12 o'clock.
    words : str or number
    radius : float
        Distance from the middle; the rim is at 1.
    **look
        As for `ax.text`.

    Returns
    -------
    matplotlib text

    Examples
    --------
    >>> three = word(plt.figure().subplots(), np.pi / 2, 3)
    """
    place = on_dial(_finite("an angle", angle), _finite("a radius", radius))
    return ax.text(*place, words, **_look(plt.Text, MIDDLE, look))


def arc(ax, start, end, radius=0.5, centre=(0, 0), **look):
    """An arc from one angle to another.

    Parameters
    ----------
    ax : matplotlib axes
    start, end : float
        In radians, clockwise from 12 o'clock.
    radius : float, above 0
    centre : (x, y), in the axes' data
    **look
        As for `ax.plot`, such as color=INK.

    Returns
    -------
    callable
        `move(start, end)` lets it lead from and to other angles.

    Examples
    --------
    >>> move = arc(plt.figure().subplots(), 0, np.pi / 2)
    >>> move(0, np.pi)
    """
    radius, centre = _positive("a radius", radius), _point("a centre", centre)
    (line,) = ax.plot([], [], **_look(plt.Line2D, {"color": MARK}, look))

    def move(start, end):
        start, end = _finite("an angle", start), _finite("an angle", end)
        points = int(np.clip(20 * abs(end - start), 40, 10_000))
        x, y = on_dial(np.linspace(start, end, points), radius)
        line.set_data(centre[0] + x, centre[1] + y)

    move(start, end)
    return move


def sweep(ax, radius=0.55, start=0, turned=0, **look):
    """An arc with an arrow's head, for the way of a hand.

    Parameters
    ----------
    ax : matplotlib axes
    radius : float, above 0
    start, turned : float
        The angle where it starts and how far it leads, in radians and clockwise; a
        negative turn leads back.
    **look
        As for `ax.plot`, such as color=INK; of the head, color, alpha and zorder.

    Returns
    -------
    callable
        `move(start, turned)` lets it start elsewhere and lead as far as that.

    Examples
    --------
    >>> move = sweep(plt.figure().subplots())
    >>> move(np.pi / 2, -1)
    """
    look = _look(plt.Line2D, {"color": MARK, "lw": 4}, look)
    bend = arc(ax, 0, 0, radius, **look)
    shared = {name: look[name] for name in ("color", "alpha", "zorder") if name in look}
    (head,) = ax.fill([0] * 3, [0] * 3, lw=0, **{"zorder": 3} | shared)

    def move(start, turned):
        start, turned = _finite("an angle", start), _finite("an angle", turned)
        length = np.sign(turned) * min(0.15, radius, radius * abs(turned))
        tip, neck = start + turned, start + turned - length / radius  # angles
        wings = radius - length / 2, radius + length / 2
        bend(start, neck)
        head.set_xy([on_dial(tip, radius), *(on_dial(neck, wing) for wing in wings)])
        head.set_visible(turned != 0)

    move(start, turned)
    return move


def two_hands(ax, radius=0.55, start=0, turned=0):
    """A hand before and after a turn: dashed grey, then black; between them an arc.

    Parameters
    ----------
    ax : matplotlib axes
    radius : float
        Of the arc, above 0.
    start, turned : float
        As for `sweep`.

    Returns
    -------
    callable
        `move(start, turned)`: the grey hand stands at the angle `start`, the black one
        is turned on from there.

    Examples
    --------
    >>> move = two_hands(plt.figure().subplots())
    >>> move(0, np.pi / 2)
    """
    lead = sweep(ax, radius)
    turn_before = hand(ax, 0, marker="", **BEFORE)
    turn_after = hand(ax, 0)

    def move(start, turned):
        lead(start, turned)
        turn_before(start)
        turn_after(start + turned)

    move(start, turned)
    return move


def arrow(ax, tail, tip, style="->", **look):
    """An arrow between two points.

    Parameters
    ----------
    ax : matplotlib axes
    tail, tip : (x, y), in the axes' data
    style : str
        As `arrowstyle` of matplotlib; "<->" has two heads.
    **look
        As for a patch of matplotlib, such as color=INK, and what `arrowprops` of
        `ax.annotate` takes beside an arrowstyle, such as shrinkA=0.

    Returns
    -------
    matplotlib annotation
        Its `xy = tip` moves its tip, its `set_position(tail)` the other end.

    Examples
    --------
    >>> step = arrow(plt.figure().subplots(), (0, 0), (1, 1))
    """
    tail, tip = _point("a tail", tail), _point("a tip", tip)
    usual = {"arrowstyle": style, "color": MARK, "lw": 2}
    look = _look(plt.Rectangle, usual, look)  # the names of all patches
    return ax.annotate("", tip, tail, arrowprops=look)


def side(ax, start, end, name="", away=0.05, name_color=INK, **look):
    """A straight line with a name along it, as of a triangle.

    Parameters
    ----------
    ax : matplotlib axes with equal aspect
    start, end : (x, y), in the axes' data
    name : str or number
    away : float
        Distance of the name, as for `along`.
    name_color : str
    **look
        As for `ax.plot`, such as color=SIN.

    Returns
    -------
    matplotlib line

    Examples
    --------
    >>> base = side(plt.figure().subplots(), (0, 0), (1, 0), "base", color=SIN)
    """
    start, end = _point("a start", start), _point("an end", end)
    look = _look(plt.Line2D, {"color": INK, "lw": 4}, look)
    if name != "":
        text = ax.text(0, 0, name, size=LARGE, color=name_color, **MIDDLE)
        along(text, start, end, away)
    (line,) = ax.plot(*zip(start, end), **look)
    return line


def edge(*lines):
    """Give lines in the colour POSITION a darker edge, so that they stand out on white.

    Many marks, as dots, get it quicker by their own look, mec=POSITION_EDGE.

    Examples
    --------
    >>> edge(*plt.figure().subplots().plot([0, 1], color=POSITION))
    """
    for line in lines:
        width = line.get_linewidth() + 2
        outline = Stroke(linewidth=width, foreground=POSITION_EDGE)
        line.set_path_effects([outline, Normal()])


# ---- bars and cells -----------------------------------------------------------------
def bars(ax, values, names=None, color=POSITION, write=None, **look):
    """Bars that can be raised.

    Parameters
    ----------
    ax : matplotlib axes
    values : sequence of numbers
    names : sequence of str, optional
        What stands below each bar.
    color : str, or a sequence of them
    write : callable, optional
        value → the words at the end of its bar, such as `number`.
    **look
        As for `ax.bar`, such as ec=INK.

    Returns
    -------
    callable
        `move(values)` raises the bars to other values, as many as there are bars. The
        axes stay as high as they are: set ylim for the highest.

    Raises
    ------
    ValueError
        If the values are no finite numbers, there are more names or fewer, or `move`
        gets another number of values.

    Examples
    --------
    >>> move = bars(plt.figure().subplots(), [1, 2], names="ab", write=number)
    >>> move([2, 1])
    """
    rule = "values of bars must be finite numbers"
    heights = as_floats(rule, values, ndim=1)
    places = range(len(heights))
    labels = None if names is None else _names("bars", len(heights), names)
    look = _look(plt.Rectangle, {"color": color}, look)
    columns = ax.bar(places, heights, **look)
    if labels:
        ax.set_xticks(places, labels=labels)
    end = {"xytext": (0, 3), "textcoords": "offset points", "ha": "center"}
    texts = [ax.annotate("", (place, 0), **end) for place in places if write]

    def move(values):
        heights = as_floats(rule, values, ndim=1)
        if len(heights) != len(columns):
            raise ValueError(
                f"{len(columns)} bars need as many values; got {len(heights)}"
            )
        for column, height in zip(columns, heights):
            column.set_height(height)
        for text, column, height, value in zip(texts, columns, heights, values):
            text.set_text(write(value))  # 1 is not 1.0
            text.xy = column.get_center()[0], column.get_y() + height
            above = height >= 0
            text.set(y=3 if above else -3, va="baseline" if above else "top")

    move(values)
    return move


def _names(what, count, names):
    """`names` as a list, if they are as many as the bars or rows, and have an order."""
    has_order = hasattr(names, "__len__") and not isinstance(names, (set, frozenset))
    if not has_order or len(names) != count:
        given = shown_in_error(names)
        raise ValueError(f"{count} {what} need as many names, in order; got {given}")
    return list(names)


def frame(ax, corner, width, height, halo=False, **look):
    """A frame around what stands in the axes, empty unless it has a face.

    Parameters
    ----------
    ax : matplotlib axes
    corner : (x, y)
        One of its corners, in the axes' data, such as that at the left and below.
    width, height : float
        From there; negative ones lead to the left and down.
    halo : bool
        Whether it has a white edge round its own, to stand out on dark cells.
    **look
        As for `plt.Rectangle`, such as fc=TOKEN, its face, and ec=INK, its edge.

    Returns
    -------
    matplotlib rectangle

    Examples
    --------
    >>> box = frame(plt.figure().subplots(), (0, 0), width=2, height=1)
    """
    corner = _point("a corner", corner)
    width, height = _finite("a width", width), _finite("a height", height)
    look = _look(plt.Rectangle, {"fc": "none", "ec": MARK, "lw": 4}, look)
    if "color" in look:  # of both; beside one of them, matplotlib warns
        look["facecolor"] = look["edgecolor"] = look.pop("color")
    box = plt.Rectangle(corner, width, height, **look)
    if halo:
        wider = Stroke(linewidth=box.get_linewidth() + 4, foreground="white")
        box.set_path_effects([wider, Normal()])
    return ax.add_patch(box)


def right_answer(ax):
    """Show that a panel, with its letter, is the right answer: as a vote shows it.

    A pale green ground lies behind it, with a bar at the left for those who see grey.

    Parameters
    ----------
    ax : matplotlib axes

    Examples
    --------
    >>> right_answer(plt.figure().subplots())
    """
    look = {"transform": ax.transAxes, "zorder": -1, "clip_on": False}
    look["in_layout"] = False  # panels stay where they are
    ax.add_patch(plt.Rectangle((-0.03, -0.12), 1.06, 1.28, fc=RIGHT, ec="none", **look))
    ax.add_patch(plt.Rectangle((-0.03, -0.12), 0, 1.28, ec=SUM, lw=4, **look))


def box(ax, corner, width, height, words="", size=LETTERS, **look):
    """Words in a box, and the middles of its edges, where arrows begin and end.

    Parameters
    ----------
    ax : matplotlib axes
    corner, width, height, **look
        As for `frame`.
    words : str
    size : float
        Of the words, in points.

    Returns
    -------
    dict of str to (x, y)
        The middle of the edge "left", "right", "bottom" and "top".

    Examples
    --------
    >>> ax = plt.figure().subplots()
    >>> token, code = box(ax, (0, 0), 1, 1, "token"), box(ax, (2, 0), 1, 1, "code")
    >>> way = arrow(ax, code["left"], token["right"])
    >>> token["right"], code["left"]
    ((1, 0.5), (2, 0.5))
    """
    usual = {"fc": PALE, "ec": FAINT, "lw": 1}
    face = frame(ax, corner, width, height, **_look(plt.Rectangle, usual, look))
    left, right = sorted([corner[0], corner[0] + width])
    bottom, top = sorted([corner[1], corner[1] + height])
    x, y = (left + right) / 2, (bottom + top) / 2
    color = _words_on(face.get_facecolor())
    ax.text(x, y, words, color=color, size=size, **MIDDLE)
    beside = {"left": (left, y), "right": (right, y)}
    return beside | {"bottom": (x, bottom), "top": (x, top)}


def table(ax, values, rows, color, digits=2):
    """A table of numbers on a coloured ground: one row for each token or position.

    Parameters
    ----------
    ax : matplotlib axes
    values : array, shape (number of rows, number of columns)
    rows : sequence
        What stands at the left of each row; a text gives its characters.
    color : str
        TOKEN, POSITION or SUM.
    digits : int
        How many decimals are written.

    Raises
    ------
    ValueError
        If `values` is not a table, or `rows` are more than its rows, or fewer.

    Examples
    --------
    >>> table(plt.figure().subplots(), [[1, 2]], ["我"], TOKEN)
    """
    values = as_table("cells", values)
    rows = _names("rows", len(values), rows)
    texts = [[number(value, digits) for value in row] for row in values]
    in_cells = _words_on(color)
    ax.axis("off")
    grid = ax.table(texts, rowLabels=rows, cellLoc="center", bbox=(0.12, 0, 0.88, 1))
    grid.auto_set_font_size(False)
    grid.set_fontsize(LETTERS)
    for (_, column), cell in grid.get_celld().items():
        is_name = column < 0  # of a row
        ground, words = ("white", INK) if is_name else (color, in_cells)
        cell.set(edgecolor="white", linewidth=2, facecolor=ground)
        cell.get_text().set_color(words)


def matrix(ax, values, digits=1, limit=1, blank_zeros=False):
    """Cells coloured from −1, dark, to +1, light, with their numbers written in them.

    Parameters
    ----------
    ax : matplotlib axes
    values : array, shape (number of rows, number of columns)
        Where there is NaN, a cell stays empty.
    digits : int
        How many decimals are written.
    limit : float
        The number of the lightest colour, in place of 1; −limit has the darkest.
    blank_zeros : bool
        Whether a cell stays empty if its number rounds to 0.

    Returns
    -------
    callable
        `move(values)` shows other values of the same shape.

    Raises
    ------
    ValueError
        If `values` is no table, `move` gets one of another shape, `limit` is not
        positive, or `digits` is no integer from 0 to 15.

    Examples
    --------
    >>> move = matrix(plt.figure().subplots(), [[1, -1], [0.5, 0]], blank_zeros=True)
    >>> move([[0, 0], [0, 0]])
    """
    limit = _positive("limit", limit)
    number(limit, digits)  # refuses wrong digits before anything is drawn
    values = _cells(values)
    rows, columns = shape = values.shape
    edges = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
    # An image would look the same, and take twice as long.
    cells = ax.pcolormesh(*edges, values, cmap=SIGNED, vmin=-limit, vmax=limit)
    ax.set(xticks=[], yticks=[], aspect="equal", ylim=edges[1][[-1, 0]])
    ax.spines[:].set_visible(False)
    texts = {
        (row, column): ax.text(column, row, "", **MIDDLE)
        for row, column in np.ndindex(shape)
    }

    def move(values):
        values = _cells(values)
        if values.shape != shape:
            raise ValueError(f"cells must have the shape {shape}; got {values.shape}")
        for place, text in texts.items():
            words = _in_a_cell(values[place], digits)
            if blank_zeros and words == "0":
                values[place], words = np.nan, ""
            text.set_text(words)
        cells.set_array(values)
        for place, is_dark in np.ndenumerate(_is_dark(cells.to_rgba(values))):
            # On dark cells the words have the scale's light colour
            texts[place].set_color(SAND if is_dark else "black")

    move(values)
    return move


def _cells(values):
    """A table as floats; NaN stays, for a cell that is empty."""
    values = np.array(values, dtype=float)
    as_table("cells", np.where(np.isnan(values), 0, values))
    return values


def _words_on(ground):
    """The colour of words on a ground."""
    return "white" if _is_dark(to_rgba(ground)) else INK


def _is_dark(colours):
    """Whether words on colours, each (red, green, blue, alpha), must be light.

    By the contrast of the Web Content Accessibility Guidelines (WCAG 2.2), made of
    relative luminances: below 0.18, white words have more of it than black ones.
    """
    colours = np.asarray(colours)
    on_white = 1 - colours[..., 3:] * (1 - colours[..., :3])
    light = on_white**2.2  # what a screen gives for red, green and blue
    luminance = light @ (0.21, 0.72, 0.07)  # what of it the eye sees
    return luminance < 0.18


def _in_a_cell(value, digits):
    """A number as it stands in a cell: NaN is nothing, what rounds to 0 is "0"."""
    if np.isnan(value):
        return ""
    words = number(value, digits)
    return words if round(float(value), digits) else "0"


# ---- the board of verdicts ----------------------------------------------------------
CELL_WIDTH, CELL_HEIGHT = 0.96, 0.9  # in columns and in lines
ABOVE_THE_BOARD, LINE_OF_A_NAME = 7, 20  # where columns' names begin, their lines


def board(ax, rows, label_width=2.0, framed=None):
    """A board of verdicts, such as a row for each wish and a column for each scheme.

    What passes has a tick on a pale cell, what fails a cross on a darker one, so that
    the board can be read in grey.

    Parameters
    ----------
    ax : matplotlib axes
    rows : dict of str to dict
        The name of a row → {column: verdict}. A verdict is True or False, or a pair
        (True, False or None, text); None stands for a cell that is only told.
    label_width : float
        Width of the rows' names, in columns.
    framed : str, optional
        The name of the row or the column that has a frame around it.

    Raises
    ------
    ValueError
        If there is no row, rows differ in their columns, a verdict is not one, or not
        just one row or one column has the name in `framed`.

    Examples
    --------
    >>> rows = {"counting": {"bounded": False, "even steps": True}}
    >>> board(plt.figure().subplots(), rows, framed="counting")
    """
    columns = _columns_of(rows)
    label_width = _positive("label_width", label_width)
    names = [*rows, *columns]
    is_one = isinstance(framed, str) and names.count(framed) == 1
    if framed is not None and not is_one:
        rule = f"framed must be the name of one row or one column, of {names}"
        raise ValueError(f"{rule}; got {shown_in_error(framed)}")
    letters = 12 if len(columns) < 5 else 9  # in a line of a column's name
    above_the_cells = {"textcoords": "offset points", "ha": "center"}
    for at, column in enumerate(columns):
        lines = textwrap.wrap(str(column), letters, break_long_words=False)
        for above, words in enumerate(reversed(lines)):
            place = (0, ABOVE_THE_BOARD + LINE_OF_A_NAME * above)  # in points
            ax.annotate(words, (at + 0.5, -0.6), place, **above_the_cells)
    for line, (name, verdicts) in enumerate(rows.items()):
        ax.text(-0.1, line, name, ha="right", va="center")
        for at, column in enumerate(columns):
            _draw_verdict(ax, at, line, verdicts[column])
    ax.set(xlim=(-label_width, len(columns)), ylim=(len(rows) - 0.4, -0.6))
    ax.axis("off")
    look = {"ec": INK, "lw": 3, "clip_on": False}
    top = -CELL_HEIGHT / 2  # of the first line; its middle is at 0
    if framed in rows:
        line = list(rows).index(framed)
        frame(ax, (0, top + line), len(columns), CELL_HEIGHT, **look)
    elif framed is not None:
        left = columns.index(framed) + (1 - CELL_WIDTH) / 2
        frame(ax, (left, top), CELL_WIDTH, len(rows) - 1 + CELL_HEIGHT, **look)


def _columns_of(rows):
    """The columns of a board, the same in every row."""
    lists = [*rows.values()] if isinstance(rows, dict) else []
    are_dicts = all(isinstance(verdicts, dict) for verdicts in lists)
    columns = {tuple(verdicts) for verdicts in lists} if are_dicts else ()
    if len(columns) != 1:
        rule = "a board needs a dict of rows, each a dict with the same columns"
        raise ValueError(f"{rule}; got {shown_in_error(rows)}")
    return list(*columns)


def _draw_verdict(ax, column, line, verdict):
    """One cell of a board."""
    pair = verdict if isinstance(verdict, tuple) else (verdict, "")
    passes, told = pair if len(pair) == 2 else ("", "")
    is_verdict = passes is None or isinstance(passes, (bool, np.bool_))
    if not is_verdict or not isinstance(told, str):
        rule = "a verdict is True, False or a pair of one of them, or None, and a text"
        raise ValueError(f"{rule}; got {shown_in_error(verdict)}")
    ground, colour, sign = PALE, INK, ""
    if passes is not None:
        ground, colour, sign = (PALE, SUM, "✓") if passes else (FAILED, MARK, "✗")
    corner = (column + (1 - CELL_WIDTH) / 2, line - CELL_HEIGHT / 2)
    ax.add_patch(plt.Rectangle(corner, CELL_WIDTH, CELL_HEIGHT, lw=0, fc=ground))
    words = f"{sign} {told}".strip()
    text = ax.text(column + 0.5, line, words, color=colour)
    text.set(ha="center", va="center_baseline", size=LETTERS if told else LARGE)
