"""Chapter 5: one rigid motion, its rotations, and one plane in complex numbers."""

import itertools
from math import cos, hypot, isclose, pi, sin

import numpy as np
from matplotlib.colors import to_hex

import draw
from draw import number
from tests.pictures.reading import (
    alt,
    beside,
    block,
    cells,
    look,
    named,
    right_answer,
    runs,
    texts_of,
    tip,
    tip_of,
)

BLUE, ORANGE, GREY, MARK = (
    colour.lower() for colour in (draw.SIN, draw.COS, draw.GREY, draw.MARK)
)


def points(line):
    """The points of a line, without its gaps."""
    found = np.array(line.get_xydata(), float)
    return found[~np.isnan(found).any(axis=1)]


def arcs(ax):
    """The two angles of each arc on a dial, clockwise from 12 o'clock."""
    for line in (x for x in ax.lines if len(x.get_xdata()) == 40):
        angles = np.unwrap(np.arctan2(*line.get_data()))
        yield angles[0], angles[-1]


def frames(ax):
    """The corners and sizes of the frames in a matrix: left, top, width."""
    boxes = [p for p in ax.patches if to_hex(p.get_edgecolor()) == MARK]
    return sorted((p.get_x() + 0.5, p.get_y() + 0.5, p.get_width()) for p in boxes)


def matrix(ax):
    """The numbers of a matrix, 0 in each blank cell; no cell with a zero is written."""
    shown = np.ma.filled(ax.images[0].get_array(), np.nan)
    assert ((abs(shown) > 1e-9) == (cells(ax) != "")).all()  # for NaN, both are False
    return np.nan_to_num(shown)


def is_constant(table):
    """Whether a table depends only on m − n."""
    return np.allclose(np.array(table)[1:, 1:], np.array(table)[:-1, :-1])


# ---- the wish -----------------------------------------------------------------------
def test_one_motion_takes_every_code_to_the_next(chapter):
    (ax,) = chapter.cell["one-motion-takes-every-code-on"].axes
    names = named(ax)
    for m in range(8):
        assert np.allclose(tip_of(names[f"$p_{m}$"]), tip(0.7 * m))
    arrows = [text for text in ax.texts if getattr(text, "arrow_patch", None)]
    assert len(arrows) == 7
    (cover,) = chapter.cell["eight-codes-and-no-rule"].axes
    assert sorted({*names} - {"U"} | {"?"}) == sorted(t.get_text() for t in cover.texts)
    for m, arrow in enumerate(arrows):
        assert np.allclose(arrow.xyann, tip(0.7 * m))
        assert np.allclose(arrow.xy, tip(0.7 * (m + 1)))


def test_which_table_fulfils_the_wish(chapter):
    name = "which-table-fulfils-the-wish"
    steady = [[cos(0.7 * (m - n)) for n in range(5)] for m in range(5)]
    wave = [[sin(0.7 * m) * sin(0.7 * n) for n in range(5)] for m in range(5)]
    assert is_constant(steady) and not is_constant(wave)
    axes = chapter.cell[name].axes
    for ax, table, title in zip(axes, (steady, wave), ("a steady hand", "its sine")):
        assert np.allclose(ax.images[0].get_array(), table)
        assert ax.get_title().startswith(title)
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("n", "m")
        assert np.allclose(frames(ax), [(n + 0.1, n + 2.1, 0.8) for n in range(3)])
        shown = [cells(ax)[n + 2, n] for n in range(3)]
        said = alt(chapter.said[name])
        first, second, third = shown
        words = first if title == "a steady hand" else f"{first}, {second} and {third}"
        assert f"are {words}" in said


def test_no_length_and_no_distance_changes(chapter):
    (ax,) = chapter.cell["the-same-triangle-four-places-on"].axes
    first, second = (line for line in ax.lines if len(line.get_xdata()) == 4)
    assert look(first)[:2] == (GREY, True) and look(second)[:2] == (MARK, False)
    for line, corners, words in (
        (first, (0, 1, 3, 0), "dashed: 0, 1, 3"),
        (second, (4, 5, 7, 4), "solid: 4, 5, 7"),
    ):
        assert np.allclose(line.get_xydata(), [tip(0.7 * m) for m in corners])
        assert words in texts_of(ax)


def test_two_questions_on_the_wish(chapter):
    assert "are equal" in right_answer(chapter, "must-the-lengths-be-equal")
    angles = [0, pi / 4] * 4  # to and fro
    assert is_constant(np.cos(np.subtract.outer(angles, angles)))
    assert right_answer(chapter, "must-the-hand-turn-on") == "Yes, all of them."


# ---- eight points -------------------------------------------------------------------
def eight(second_step, factor):
    """Eight points, each made from the one before by hand."""
    angle, length, placed = 0.0, 1.0, []
    for m in range(8):
        placed.append(tip(angle, length))
        angle += (45 if m % 2 == 0 else second_step) * pi / 180
        length *= factor
    return np.array(placed)


def best_of(here, there):
    """The best rotation or mirror in the plane, by trying: matrix, angle, is a turn."""
    tried = []
    for angle in np.linspace(-pi, pi, 7201):
        for is_turn in (True, False):
            matrix = block(angle) if is_turn else block(angle) * [[-1, 1], [-1, 1]]
            missed = np.sum((here @ matrix.T - there) ** 2)
            tried.append((missed, matrix.tolist(), angle, is_turn))
    return min(tried)[1:]


SETTINGS = [(15, 1.0), (45, 1.0), (-45, 1.0), (30, 0.9), (-30, 0.95), (45, 0.9)]


def settings_of(panel):
    """The axes, the sentence, the points and their best motion, at some settings."""
    for setting in SETTINGS:
        said = panel.sentence_at(dict(zip(panel.values, setting)))
        placed = eight(*setting)
        best = best_of(placed[:-1], placed[1:])
        yield setting, *panel.canvas.figure.axes, said, placed, best


def test_eight_points_and_where_the_best_motion_puts_them(chapter):
    panel = chapter.cell["one-motion-or-a-glowing-rest"]
    assert tuple(panel.values.values()) == SETTINGS[0]
    for setting, left, _, said, placed, best in settings_of(panel):
        matrix, angle, is_turn = best
        moved = placed[:-1] @ np.transpose(matrix)
        solid = [x for x in left.lines if x.get_marker() == "o"]
        rings, dots = sorted(solid, key=lambda x: x.get_markerfacecolor() != "none")
        assert np.allclose(points(dots), placed)
        assert np.allclose(points(rings), moved, atol=2e-3)
        missed = np.hypot(*(moved - placed[1:]).T).max()
        glows = [x for x in left.lines if len(x.get_xdata()) == 21 and x.get_visible()]
        assert len(glows) == (missed > 1e-3)
        for line in glows:
            ends = points(line).reshape(7, 2, 2)
            assert np.allclose(ends, np.stack([moved, placed[1:]], 1), atol=2e-3)
        (motion,) = (t for t in left.texts if t.get_text() == "U")
        assert hypot(*motion.get_position()) < 0.25
        ring = texts_of(left)["U $p_0$"]
        assert hypot(*(ring.get_position() - moved[0])) < 0.42
        names = [t for t in left.texts if "U" not in t.get_text() != ""]
        numbers = [(t, m) for t in names for m in t.get_text().split(", ")]
        assert sorted(m for _, m in numbers) == list("01234567")
        for text, m in numbers:
            assert hypot(*(text.get_position() - placed[int(m)])) < 0.5
        assert not missed > 1e-3 or f"misses a point by up to {missed:.2f}." in said
        mirror = next(x for x in left.lines if len(x.get_xdata()) == 2)
        assert mirror.get_visible() != is_turn
        if is_turn:
            ((start, end),) = arcs(left)
            assert isclose(end - start, angle, abs_tol=2e-3)
        else:  # what lies on the axis stays
            assert np.allclose(matrix @ tip_of(mirror), tip_of(mirror), atol=2e-3)
        does = f"turns by {number(angle * 180 / pi, 0)}°" if is_turn else "mirrors"
        assert left.get_title() == f"the best U {does}"
        assert f"U {does}" in said or missed > 1e-3
        assert said.startswith(f"Steps of 45° and {number(setting[0], 0)}° in turn: ")
    assert "turns by 32 degrees" in panel.alt


def test_the_dot_products_of_eight_points_by_their_offset(chapter):
    pairs = [(m, n) for m in range(8) for n in range(m + 1)]
    panel = chapter.cell["one-motion-or-a-glowing-rest"]
    for _, _, right, said, placed, _ in settings_of(panel):
        table = placed @ placed.T
        (cloud,) = (x for x in right.lines if len(x.get_xdata()) == len(pairs))
        assert np.allclose(cloud.get_xydata(), [(m - n, table[m, n]) for m, n in pairs])
        bars = points(next(x for x in right.lines if len(x.get_xdata()) == 24))
        for k, ((x, low), (_, high)) in enumerate(bars.reshape(8, 2, 2)):
            at = np.diagonal(table, k)
            assert x == k and np.allclose((low, high), (min(at), max(at)))
        assert is_constant(table) == ("fits every step" in said)
        ends = map(number, (np.diagonal(table, 1).min(), np.diagonal(table, 1).max()))
        assert is_constant(table) or f"from {' to '.join(ends)}." in said
    for setting in itertools.product(range(-45, 46, 15), (0.9, 0.95, 1.0)):
        evenly = abs(setting[0]) == 45 and setting[1] == 1.0
        assert is_constant((p := eight(*setting)) @ p.T) == evenly


# ---- rotations ----------------------------------------------------------------------
def test_the_motion_of_the_papers_codes(chapter):
    name = "the-blocks-that-were-found"
    (ax,) = chapter.cell[name].axes
    wanted = np.zeros((6, 6))
    for i in range(3):
        wanted[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block(16 ** (-i / 3))
    assert np.allclose(matrix(ax), wanted)
    assert frames(ax) == [(0, 0, 2), (2, 2, 2), (4, 4, 2)]
    for f in (cos, sin):
        first, second, third = (number(f(16 ** (-i / 3))) for i in range(3))
        assert f"{first}, {second} and {third}" in alt(chapter.said[name])


def test_a_random_motion_in_its_own_axes(chapter):
    left, right = chapter.cell["one-motion-in-two-sets-of-axes"].axes
    random, own = matrix(left), matrix(right)
    assert np.allclose(random @ random.T, np.eye(6))
    values = [np.sort_complex(np.linalg.eigvals(U)) for U in (random, own)]
    assert np.allclose(*values)  # the same motion
    for i in (0, 2):
        turn = np.arctan2(own[i, i + 1], own[i, i])
        assert np.allclose(own[i : i + 2, i : i + 2], block(turn))
    assert np.allclose(own[4:, 4:], [[1, 0], [0, -1]])
    assert np.allclose(own[:4, 4:], 0) and np.allclose(own[:2, 2:4], 0)
    assert frames(right) == [(0, 0, 2), (2, 2, 2), (4, 4, 1), (5, 5, 1)]


def test_four_planes_at_position_5(chapter):
    name = "four-planes-at-position-5"
    planes = zip((1, 0.6, 0.8, 0.4), (1, 0.5, 0.25, 0.125))
    for ax, (length, step) in zip(chapter.cell[name].axes, planes, strict=True):
        assert ax.get_title() == f"$r_{{i}}$ = {length:g}, $\\theta_{{i}}$ = {step:g}"
        (line,) = (x for x in ax.lines if len(x.get_xdata()) == 2)
        assert runs(line, (0, 0), tip(5 * step, length))
        dots = [tip_of(x) for x in ax.lines if len(x.get_xdata()) == 1]
        assert np.allclose(dots, [tip(m * step, length) for m in range(5)])
        (circle,) = (x for x in ax.lines if len(x.get_xdata()) == 40)
        assert np.allclose(np.hypot(*circle.get_data()), length)
    assert f"made {5 / (2 * pi):.1f} turns" in alt(chapter.said[name])


# ---- complex numbers ----------------------------------------------------------------
def test_a_hand_and_its_conjugate(chapter):
    (ax,) = chapter.cell["a-hand-and-its-conjugate"].axes
    names = named(ax)
    z = np.exp(1j)  # real part up, imaginary part to the right
    assert runs(names[r"$p = e^{i\varphi}$"], (0, 0), (z.imag, z.real))
    mirrored = names[r"$p^* = e^{-i\varphi}$"]
    assert runs(mirrored, (0, 0), (z.conjugate().imag, z.conjugate().real))
    assert look(mirrored)[:2] == (GREY, True)
    sine, cosine = names[r"sin $\varphi$"], names[r"cos $\varphi$"]
    assert runs(sine, (0, cos(1)), (sin(1), cos(1))) and look(sine)[0] == BLUE
    assert runs(cosine, (0, 0), (0, cos(1))) and look(cosine)[0] == ORANGE
    (arc,) = arcs(ax)
    assert np.allclose(arc, (0, 1))
    for text, place in (("1", 1), ("$i$", 1j), ("real part: up", 1)):
        along = complex(*texts_of(ax)[text].get_position()[::-1])
        assert np.allclose(along / abs(along), place, atol=0.2)


def test_only_the_offset_is_left(chapter):
    panel = chapter.cell["only-the-offset-is-left"]
    m, k = panel.values["m"], panel.values["k"]
    assert f"positions {m} and {m - k}, " in panel.alt
    for m, k in itertools.product((7, 4, 14), (-3, -2, 0, 1, 4)):
        said = panel.sentence_at({"m": m, "k": k})
        left, right = panel.canvas.figure.axes
        first, second = np.exp(0.6j * m), np.exp(0.6j * (m - k))
        z = first * second.conjugate()
        names = dict(beside(left))
        assert np.allclose(tip_of(names[f"$p_{{{m}}}$"]), (first.imag, first.real))
        if k:
            other = names[f"$p_{{{m - k}}}$"]
            assert np.allclose(tip_of(other), (second.imag, second.real))
        for ax, (start, end) in zip((left, right), [(second, first), (1, z)]):
            (arc,) = arcs(ax)
            assert np.allclose(np.exp(1j * np.array(arc)), (start, end))
            assert isclose(arc[1] - arc[0], 0.6 * k, abs_tol=1e-9)
        (product,) = (x for x in right.lines if x.get_marker() == "o")
        assert runs(product, (0, 0), (z.imag, z.real))
        assert any(runs(x, (0, 0), (0, z.real)) for x in right.lines)
        (height,) = (t for t in right.texts if t.get_text() == number(z.real))
        assert isclose(height.get_position()[1], z.real)
        assert height.get_position()[0] * z.imag <= 0  # across from the hand
        assert f"m = {m}, n = {m - k}: " in said
        assert said.endswith(f"the dot product, is {number(z.real)}.")
        assert f"stands {number(0.6 * k, 1)} radians" in said
    assert f"its height, {cos(1.2):.2f}, is the dot" in panel.alt
    assert right_answer(chapter, "what-does-the-product-do") == "It stands still."


# ---- long-term decay ----------------------------------------------------------------
def test_similarity_against_its_limit(chapter):
    panel = chapter.cell["long-term-decay-against-its-limit"]
    for d, base in ((128, 10_000), (64, 100), (2048, 100_000)):
        said = panel.sentence_at({"d_model": d, "base": base})
        (ax,) = panel.canvas.figure.axes
        names = named(ax)
        g = names["g(k)"]
        for k, drawn in g.get_xydata()[::97]:
            mean = sum(cos(k * base ** (-2 * i / d)) for i in range(d // 2)) / (d / 2)
            assert isclose(drawn, mean, abs_tol=1e-9)
        s = (np.arange(200_000) + 0.5) / 200_000  # the integral, as a sum
        for k, drawn in names["limit: ever more dimensions"].get_xydata()[:300:60]:
            assert isclose(drawn, np.cos(k * base**-s).mean(), abs_tol=1e-4)
        (border,) = (x for x in ax.lines if look(x)[:2] == (MARK, True))
        end = border.get_xdata()[0]
        meeting = texts_of(ax)["the two fastest hands meet again"]
        assert 1 < meeting.get_position()[0] / end < 1.3
        apart = end * (1 - base ** (-2 / d)) / (2 * pi)
        assert 0.85 < apart < 1
        assert f"follow the limit up to the dashed line, at offset {end:.0f}." in said
        far = g.get_ydata()[g.get_xdata() > 1e5].max()
        assert said.endswith(f"reach {number(far)}.")
