"""Chapter 4: one turn wherever a hand stands, its matrix, and no other matrix."""

import re
from math import cos, degrees, exp, hypot, isclose, pi, radians, sin

import mpmath
import numpy as np
from matplotlib.colors import to_hex

import draw
from draw import number
from tests.pictures.reading import (
    beside,
    block,
    code,
    look,
    named,
    read_board,
    right_answer,
    runs,
    sweeps,
    texts_of,
    tip,
    tip_of,
)
from tools.chapters import NOTEBOOKS, cells

HALF = 0.5  # radians a position of pair 1, in base 16
BLUE, ORANGE, INK, GREY, MARK = (
    colour.lower() for colour in (draw.SIN, draw.COS, draw.INK, draw.GREY, draw.MARK)
)


def code_8(pos):
    return code(pos, 8, 16)


def blocks(turns):
    matrix = np.zeros((2 * len(turns), 2 * len(turns)))
    for i, turn in enumerate(turns):
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block(turn)
    return matrix


R_3 = blocks([3, 1.5, 0.75, 0.375])  # in base 16


def is_before(line):
    return look(line)[:3] == (GREY, True, "")


def is_after(line):
    return look(line) == (INK, False, "o", True)


def test_one_turn_at_three_places(chapter):
    (ax,) = chapter.cell["one-turn-at-three-places"].axes
    names = named(ax)
    for place in (0, 2, 4, 6, 8, 10):
        line = names[str(place)]
        assert runs(line, (0, 0), tip(place * HALF))
        assert is_before(line) if place % 4 == 0 else is_after(line)
    found = sorted((a % (2 * pi), b - a, heads) for a, b, _, heads in sweeps(ax))
    assert np.allclose(found, [(0, 1, 1), (2, 1, 1), (4, 1, 1)])
    arcs = [line for words, line in beside(ax) if words == "kω"]
    assert len(set(arcs)) == 3 and {look(line)[0] for line in arcs} == {MARK}


def test_four_clocks_turn_by_k_omega(chapter):
    panel = chapter.cell["a-shift-turns-every-hand"]
    for pos, k in ((4, 3), (0, 1), (7, -3), (11, 6), (20, -6), (1, 0)):
        said = panel.sentence_at({"pos": pos, "k": k})
        there = number(pos + k, 0)
        angles = [f"{number(degrees(k * 2.0**-i), 0)}°" for i in range(4)]
        for i, ax in enumerate(panel.canvas.figure.axes):
            start, turned = pos * 2.0**-i, k * 2.0**-i
            (grey,), (black,) = (filter(f, ax.lines) for f in (is_before, is_after))
            assert runs(grey, (0, 0), tip(start))
            assert runs(black, (0, 0), tip(start + turned))
            ((low, high, _, heads),) = sweeps(ax)
            assert isclose(cos(low - start), 1) and heads == (k != 0)
            assert isclose(high - low, turned, abs_tol=1e-9)
            numbers = dict(beside(ax))
            assert numbers[there] is black if k else numbers[there] in (grey, black)
            assert k == 0 or numbers[str(pos)] is grey
            assert f"pair {i}\nkω =\n{angles[i]}" in numbers
        headline = panel.canvas.figure.get_suptitle().split()
        assert headline == f"dashed: pos = {pos} solid: pos + k = {there}".split()
        changed = number(sin(pos + k) - sin(pos))
        assert f"{pos} to {there}, the hands turn by {', '.join(angles)};" in said
        assert f"changes by {changed}." in said
    first, *others, last = (f"{degrees(3 * 2.0**-i):.0f}" for i in range(4))
    assert f"are {', '.join([first, *others])} and {last} degrees," in panel.alt
    step = f"By {sin(2) - sin(1):.2f}."
    assert right_answer(chapter, "is-every-step-the-same") == step


def test_the_matrix_of_sympy_is_a_rotation(chapter):
    sp, turn = chapter.sp, chapter.k * chapter.omega
    wanted = sp.Matrix([[sp.cos(turn), sp.sin(turn)], [-sp.sin(turn), sp.cos(turn)]])
    assert wanted == chapter.M
    assert f" = {sp.latex(wanted)}" in chapter.said["the-one-solution-of-sympy"]
    assert np.allclose(chapter.M_k(7, 0.3), block(7 * 0.3))
    (path,) = NOTEBOOKS.glob("04*.ipynb")
    slide = next(cell.source for cell in cells(path) if cell.id == "the-theorem")
    tex = r"\\textcolor\{#\w+\}\{(-?)\\(\w+) k\\omega\}"
    signs, waves = zip(*re.findall(tex, slide))
    assert signs == ("", "", "-", "") and waves == ("cos", "sin", "sin", "cos")


def test_one_block_moves_three_hands(chapter):
    before, box, after = chapter.cell["one-block-moves-three-hands"].axes
    for ax, shift, colour in ((before, 0, GREY), (after, 2, INK)):
        for place, marker in zip((0, 4, 8), "osD"):
            line = named(ax)[str(place + shift)]
            assert runs(line, (0, 0), tip((place + shift) * HALF))
            assert look(line) == (colour, False, marker, True)
    assert before.get_position().x0 < box.get_position().x0 < after.get_position().x0
    assert np.allclose(box.images[0].get_array(), block(1))


def test_two_triangles_lead_to_the_tip_of_a_hand(chapter):
    (ax,) = chapter.cell["two-ways-add-up-to-one-sine"].axes
    names = named(ax)
    a, b = radians(40), radians(30)
    (x, y), (right, up) = tip(a, cos(b)), tip(a + b)
    for name, start, end, colour, dashes in (
        ("sin α cos β", (0, y), (x, y), BLUE, False),
        ("cos α sin β", (x, y), (right, y), BLUE, False),
        ("sin (α + β)", (0, 0), (right, 0), BLUE, False),
        ("cos α cos β", (0, 0), (0, y), ORANGE, True),
        ("sin α sin β", (right, y), (right, up), ORANGE, True),
        ("cos (α + β)", (right, 0), (right, up), ORANGE, True),
        ("cos β", (0, 0), (x, y), INK, False),
        ("sin β", (x, y), (right, up), INK, False),
        ("1", (0, 0), (right, up), INK, False),
    ):
        assert runs(names[name], start, end), name
        assert look(names[name])[:2] == (colour, dashes), name
    arcs = [line.get_xydata() for words, line in beside(ax) if words in "αβ"]
    for points, middle, start, end in zip(
        arcs, ((0, 0), (0, 0), (x, y)), (0, a, pi / 2), (a, a + b, pi / 2 + a)
    ):  # α, β, and α once more
        angles = np.arctan2(*(points - middle).T)
        assert np.allclose(angles[[0, -1]], (start, end))
    (square,) = (line.get_xydata() for line in ax.lines if len(line.get_xdata()) == 3)
    back, on = tip(a + pi, 0.06), tip(a + pi / 2, 0.06)
    assert np.allclose(square - (x, y), [back, back + on, on])


def test_one_matrix_for_two_codes(chapter):
    panel = chapter.cell["one-matrix-for-all-pairs"]
    for d_model, base, k in ((8, 16, 3), (4, 100, -4), (6, 10_000, 20), (2, 16, 0)):
        said = panel.sentence_at({"d_model": d_model, "base": base, "k": k})
        (ax,) = panel.canvas.figure.axes
        turns = [k * base ** (-2 * i / d_model) for i in range(d_model // 2)]
        R_k = blocks(turns)
        shown = np.ma.filled(ax.images[0].get_array(), np.nan)
        assert shown.shape == (8, 14) and np.isnan(shown[d_model:]).all()
        assert np.allclose(np.nan_to_num(shown[:d_model, :d_model]), R_k)
        assert np.isnan(shown[:d_model, :d_model]).sum() == d_model * (d_model - 2)
        for column, pos in ((9, 4), (10, 30)):
            old, new = shown[:d_model, column], shown[:d_model, column + 3]
            assert np.allclose(old, code(pos, d_model, base))
            assert np.allclose(R_k @ old, new)
            assert np.allclose(new, code(pos + k, d_model, base))
        words = {text.get_position(): text.get_text() for text in ax.texts[-5:]}
        names = [f"p({number(n, 0)})" for n in (4, 30, 4 + k, 30 + k)]
        assert [words[x, -0.95] for x in (8.9, 10.1, 11.9, 13.1)] == names
        assert words[3.5, -0.95] == f"$R_{{{k}}}$ (empty: 0)"
        middles = [box.get_center() for box in ax.patches[1:] if box.get_visible()]
        assert np.allclose(middles, [2 * [2 * i + 0.5] for i in range(len(turns))])
        assert f"p(4) to {names[2]} and p(30) to {names[3]}." in said
        angles = ", ".join(f"{number(degrees(turn), 1)}°" for turn in turns)
        assert said.endswith(f"turns by {angles}.")


def fitted(positions):
    """The smallest matrix that is right at some positions: by the pseudo-inverse."""
    here = np.transpose([code_8(pos) for pos in positions])
    there = np.transpose([code_8(pos + 3) for pos in positions])
    return there @ np.linalg.pinv(here)


def errors(matrix, add=0):
    """How far from p(pos + 3) the codes of the positions 0 to 40 land."""
    return [hypot(*(matrix @ code_8(m) + add - code_8(m + 3))) for m in range(41)]


def test_three_curves_touch_zero(chapter):
    wanted = {
        "add p(7) − p(4)": ([4], errors(np.eye(8), code_8(7) - code_8(4))),
        "a matrix right at 4 and 5": ([4, 5], errors(fitted([4, 5]))),
        "$R_3$": ([4], [0] * 41),
    }
    axes = chapter.cell["three-curves-touch-zero"].axes
    for ax, (title, (at, missed)) in zip(axes, wanted.items(), strict=True):
        assert ax.get_title() == title
        curve, dots = ax.lines
        assert np.allclose(curve.get_xdata(), range(21))
        assert np.allclose(curve.get_ydata(), missed[:21], atol=1e-9), title
        assert list(dots.get_xdata()) == at and look(dots)[0] == MARK
        assert np.allclose(dots.get_ydata(), 0, atol=1e-9)


def test_how_small_the_determinant_is(chapter):
    for width in (4, 8, 16):
        with mpmath.workdps(200):  # in 16 digits, rounding hides the last of the three
            rates = [mpmath.root(10_000, width) ** (-2 * i) for i in range(width // 2)]
            rows = [
                [f(n * rate) for rate in rates for f in (mpmath.sin, mpmath.cos)]
                for n in range(width)
            ]
            exponent = round(mpmath.log10(abs(mpmath.det(rows))))
        told = chapter.said["how-small-the-determinant-is"]
        assert f"d_model = {width}: determinant about 10^{exponent}\n" in told


def test_a_fit_at_more_and_more_positions(chapter):
    panel = chapter.cell["eight-positions-give-the-shift-matrix"]
    for count in range(1, 9):
        said = panel.sentence_at({"positions": count})
        left, right = panel.canvas.figure.axes
        missed = errors(matrix := fitted(range(4, 4 + count)))
        shown = np.ma.filled(left.images[0].get_array(), np.nan)
        assert np.allclose(np.nan_to_num(shown), matrix * (abs(matrix) >= 0.05))
        curve, zeros = right.lines
        assert np.allclose(curve.get_ydata(), missed, atol=1e-6)
        assert list(zeros.get_xdata()) == list(range(4, 4 + count))
        assert np.allclose(zeros.get_ydata(), 0, atol=1e-6)
        where = "4" if count == 1 else f"4 to {3 + count}"
        assert left.get_title() == f"fitted at {where} (empty: rounds to 0)"
        far = f"elsewhere the error is up to {max(missed):.2f}."
        result = "the error is 0 at all 41 positions. It is R_3."
        assert said == f"Fitted at {where}: {result if count == 8 else far}"
    assert np.allclose(matrix, R_3)
    answer = right_answer(chapter, "how-many-positions-decide")
    assert answer == "At 8: one for each dimension."


def test_three_on_four_on_and_back(chapter):
    (ax,) = chapter.cell["three-on-four-on-and-back"].axes
    for place in (0, 3, 7):
        line = named(ax)[str(place)]
        assert is_after(line) and runs(line, (0, 0), tip(place * HALF))
    arcs = {}
    for a, b, radius, heads in sweeps(ax):
        arcs[round((a + 0.1) % (2 * pi) / HALF), round((b - a) / HALF)] = radius
        assert heads == 1
    for offset, start, end in ((3, 0, 3), (4, 3, 7), (7, 0, 7), (-7, 7, 0)):
        x, y = texts_of(ax)[f"$R_{{{offset}}}$"].get_position()
        assert 0.1 < hypot(x, y) - arcs.pop((start, offset)) < 0.27  # outside its arc
        between = np.arctan2(x, y) % (2 * pi) / HALF
        assert min(start, end) < between < max(start, end)
    assert not arcs


def dot(offset):
    return sum(cos(offset * 10_000 ** (-i / 32)) for i in range(32))


def test_dot_products_are_no_ruler(chapter):
    left, right = chapter.cell["the-dot-product-is-no-ruler"].axes
    wanted = [[dot(m - n) for n in range(60)] for m in range(60)]
    assert np.allclose(left.images[0].get_array(), wanted)
    line, *dots = right.lines
    assert np.allclose(line.get_xdata(), range(-59, 60))
    assert np.allclose(line.get_ydata(), [dot(n) for n in range(-59, 60)])
    for spot, n in zip(dots, (-28, 28), strict=True):
        assert np.allclose(tip_of(spot), (n, dot(28)))
        x, y = texts_of(right)[f"offset {number(n, 0)}"].get_position()
        assert x == n and -2 < y - dot(28) < 0  # below
    assert dot(32) > dot(28)  # as the notes say


def test_a_head_that_looks_three_back(chapter):
    assert np.allclose(code_8(10) @ R_3, code_8(7))
    assert right_answer(chapter, "which-code-stands-in-row-10") == "The code p(7)."
    axes = chapter.cell["scores-with-and-without-the-shift"].axes
    for ax, at, name in zip(axes, (10, 7), ("$W_Q = I$", "$W_Q = R_3$"), strict=True):
        assert ax.get_title() == f"query at 10, {name}: highest at {at}"
        for n, column in enumerate(ax.patches):
            assert isclose(column.get_x() + column.get_width() / 2, n, abs_tol=1e-9)
            assert isclose(column.get_height(), dot(n - at))
            assert (to_hex(column.get_facecolor()) == MARK) == (n == at)
    powers = [exp(dot(n - 7) / 8) for n in range(21)]
    first, second = (f"{powers[n] / sum(powers):.2f}" for n in (7, 8))
    assert f" {first} at 7, {second} beside it;" in axes[0].figure.get_supxlabel()


# ---- the scoreboard, and two orders -------------------------------------------------
def test_which_code_one_map_moves(chapter):
    (ax,) = chapter.cell["the-first-code-that-fulfils-all-seven"].axes
    board = read_board(ax)
    (*_, framed), moves = board, board["one matrix moves every place"]
    assert [name for name in moves if moves[name]] == ["one clock", "sines and cosines"]
    full = [name for name in moves if all(row[name] for row in board.values())]
    assert full == ["sines and cosines"] and board[framed] is moves


def test_one_shift_in_two_orders(chapter):
    wave = {"sin": np.sin, "cos": np.cos}
    colours = {"sin": draw.SIN, "cos": draw.COS_TEXT}
    axes = chapter.cell["one-shift-drawn-in-two-orders"].axes
    for ax, (across, up) in zip(axes, (("sin", "cos"), ("cos", "sin")), strict=True):
        names, said = named(ax), texts_of(ax)
        for name, angle in (("pos", 0.35), ("pos + k", 1.35)):
            assert runs(names[name], (0, 0), (wave[across](angle), wave[up](angle)))
        assert is_before(names["pos"]) and is_after(names["pos + k"])
        ((start, end, _, heads),) = sweeps(ax)
        assert heads == 1 and (start < end) == (across == "sin")  # clockwise
        assert np.allclose(tip(end), tip_of(names["pos + k"]))
        assert said[f"{across} →"].get_position()[0] > 1
        assert said[f"{up} ↑"].get_position()[1] > 1
        assert said[f"{across} →"].get_color() == colours[across]
        assert said[f"{up} ↑"].get_color() == colours[up]
        assert ax.get_title() == f"order ({across}, {up})"
