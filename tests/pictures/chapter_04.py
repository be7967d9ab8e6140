"""Chapter 4: one turn wherever a hand stands, its matrix, and no other matrix."""

import re
from math import cos, degrees, pi, radians, sin

import numpy as np

import draw
from draw import number
from tests.pictures import reading
from tests.pictures.reading import block, code, look, named, runs, sweeps, tip
from tools.chapters import NOTEBOOKS, cells

HALF = 0.5  # radians a position of pair 1, in base 16
BLUE, ORANGE = draw.SIN.lower(), draw.COS.lower()
INK, GREY = draw.INK.lower(), draw.GREY.lower()
BEFORE, AFTER = (GREY, True, ""), (INK, False, "o")  # colour, dashes and tip of a hand


def hands_stand(ax, *places):
    """Whether the hands with these names point where their positions are."""
    return all(runs(named(ax)[str(n)], (0, 0), tip(n * HALF)) for n in places)


def test_one_turn_at_three_places(chapter):
    (ax,) = chapter.cell["one-turn-at-three-places"].axes
    assert hands_stand(ax, 0, 2, 4, 6, 8, 10)
    looks = [look(named(ax)[str(place)])[:3] for place in (0, 4, 8, 2, 6, 10)]
    assert looks == 3 * [BEFORE] + 3 * [AFTER]
    found = sorted((a % (2 * pi), b - a, heads) for a, b, _, heads in sweeps(ax))
    assert np.allclose(found, [(0, 1, 1), (2, 1, 1), (4, 1, 1)])


def test_four_clocks_turn_by_k_omega(chapter):
    panel = chapter.cell["a-shift-turns-every-hand"]
    for pos, k in ((7, -3), (20, -6), (4, 3)):
        said = panel.sentence_at({"pos": pos, "k": k})
        turns = [k * 2.0**-i for i in range(4)]
        angles = [f"{number(degrees(turn), 0)}°" for turn in turns]
        for i, ax in enumerate(panel.canvas.figure.axes):
            start = pos * 2.0**-i
            lines = {look(line)[:3]: line for line in ax.lines}
            assert runs(lines[BEFORE], (0, 0), tip(start))
            assert runs(lines[AFTER], (0, 0), tip(start + turns[i]))
            assert f"pair {i}\nkω =\n{angles[i]}" in reading.texts_of(ax)
        assert f"solid: pos + k = {pos + k}" in panel.canvas.figure.get_suptitle()
        turned = f"From {pos} to {pos + k}, the hands turn by {', '.join(angles)};"
        assert turned in said
        assert said.endswith(f"pair 0 changes by {number(sin(pos + k) - sin(pos))}.")
    assert f"{', '.join(angles[:3])} and {angles[3]}".replace("°", "") in panel.alt


def test_two_hands_give_the_two_columns(chapter):
    (path,) = NOTEBOOKS.glob("04*.ipynb")
    tex = r"\\textcolor\{#\w+\}\{(-?)\\(\w+) k\\omega\}"
    slides = ("the-theorem", "the-columns-of-a-turn")
    for slide in [cell for cell in cells(path) if cell.id in slides]:
        entries = re.findall(tex, slide.source)
        assert entries == [("", "cos"), ("", "sin"), ("-", "sin"), ("", "cos")]
    first, second = "(1, 0) → first column (a, c)", "(0, 1) → second column (b, d)"
    starts = {first: pi / 2, second: 0}
    for ax in chapter.cell["two-hands-two-columns"].axes:
        ((start, end, _, heads),) = sweeps(ax)
        assert np.isclose(start, starts.pop(ax.get_title())) and heads == 1
        corner = tip(start + pi / 2, sin(end - start))
        sine, cosine = named(ax)["sin kω"], named(ax)["cos kω"]
        assert runs(sine, (0, 0), corner) and runs(cosine, corner, tip(end))
        assert look(sine)[0] == BLUE and look(cosine)[0] == ORANGE


def test_two_triangles_lead_to_the_tip_of_a_hand(chapter):
    (ax,) = chapter.cell["two-ways-add-up-to-one-sine"].axes
    a, b = radians(40), radians(30)
    (x, y), (right, up) = tip(a, cos(b)), tip(a + b)
    for name, start, end, colour, dashes in (
        ("sin α cos β", (0, y), (x, y), BLUE, False),
        ("cos α sin β", (x, y), (right, y), BLUE, False),
        ("sin (α + β)", (0, 0), (right, 0), BLUE, False),
        ("cos α cos β", (0, 0), (0, y), ORANGE, True),
        ("sin α sin β", (right, up), (right, y), ORANGE, True),
        ("cos (α + β)", (right, 0), (right, up), ORANGE, True),
        ("cos β", (0, 0), (x, y), INK, False),
        ("sin β", (x, y), (right, up), INK, False),
        ("1", (0, 0), (right, up), INK, False),
    ):
        line = named(ax)[name]
        assert runs(line, start, end) and look(line)[:2] == (colour, dashes), name
    arcs = [line.get_xydata() for line in ax.lines if len(line.get_xdata()) > 3]
    corners, ends = ((0, 0), (0, 0), (x, y)), ((0, a), (a, a + b), (pi / 2, pi / 2 + a))
    for points, corner, wanted in zip(arcs, corners, ends, strict=True):
        assert np.allclose(np.arctan2(*(points - corner).T)[[0, -1]], wanted)
    assert [text.get_text() for text in ax.texts[-3:]] == ["α", "β", "α"]


def test_a_block_for_each_pair(chapter):
    panel = chapter.cell["one-matrix-for-all-pairs"]
    for d_model, base, k in ((4, 100, -4), (6, 10_000, 20), (8, 16, 3)):
        said = panel.sentence_at({"d_model": d_model, "base": base, "k": k})
        (ax,) = panel.canvas.figure.axes
        turns = [k * base ** (-2 * i / d_model) for i in range(d_model // 2)]
        angles = [f"{number(degrees(turn), 1)}°" for turn in turns]
        shown = np.ma.filled(ax.images[0].get_array(), np.nan)
        assert np.isnan(shown).sum() == 64 - 4 * len(turns)
        for i, turn in enumerate(turns):
            rows = slice(2 * i, 2 * i + 2)
            assert np.allclose(shown[rows, rows], block(turn))
            words = reading.texts_of(ax)[f"pair {i}\nkω = {angles[i]}"]
            assert words.get_position()[1] == 2 * i + 0.5  # beside its block
        assert f"$R_{{{k}}}$ for d_model = {d_model}" in ax.get_title()
        turned = f"With k = {number(k, 0)}, the pairs turn by {', '.join(angles)}."
        assert said == turned
    assert f"{', '.join(angles[:3])} and {angles[3]}".replace("°", "") in panel.alt


HERE = np.transpose([code(pos, 8, 16) for pos in range(41)])
THERE = np.transpose([code(pos, 8, 16) for pos in range(3, 44)])


def fitted(at):
    """The smallest matrix that takes these codes 3 on: by the pseudo-inverse."""
    return THERE[:, at] @ np.linalg.pinv(HERE[:, at])


def test_a_fit_at_more_and_more_positions(chapter):
    panel = chapter.cell["eight-positions-give-the-shift-matrix"]
    left, right = panel.canvas.figure.axes
    for count in range(1, 9):
        said = panel.sentence_at({"positions": count})
        matrix = fitted(range(4, 4 + count))
        missed = np.linalg.norm(matrix @ HERE - THERE, axis=0)
        shown = np.ma.filled(left.images[0].get_array(), 0)
        assert np.allclose(np.nan_to_num(shown), matrix * (abs(matrix) >= 0.05))
        curve, zeros = right.lines
        assert np.allclose(curve.get_ydata(), missed, atol=1e-6)
        assert list(zeros.get_xdata()) == list(range(4, 4 + count))
        where = "4" if count == 1 else f"4 to {3 + count}"
        assert f"fitted at {where} (" in left.get_title()
        far = f"elsewhere the error is up to {max(missed):.2f}."
        result = "the error is 0 at all 41 positions. It is R_3."
        assert said == f"Fitted at {where}: {result if count == 8 else far}"


def test_three_on_four_on_and_back(chapter):
    (ax,) = chapter.cell["three-on-four-on-and-back"].axes
    assert hands_stand(ax, 0, 3, 7)
    assert [heads for *_, heads in sweeps(ax)] == [1, 1, 1, 1]
    for offset, start, end in ((3, 0, 3), (4, 3, 7), (7, 0, 7), (-7, 7, 0)):
        arc = named(ax)[f"$R_{{{offset}}}$"]
        (way,) = sweeps(ax, [arc])
        assert np.allclose([*map(tip, way[:2])], [tip(start * HALF), tip(end * HALF)])


def dot(offset):
    return sum(cos(offset * 10_000 ** (-i / 32)) for i in range(32))


def test_dot_products_are_no_ruler(chapter):
    left, right = chapter.cell["the-dot-product-is-no-ruler"].axes
    wanted = [[dot(m - n) for n in range(60)] for m in range(60)]
    assert np.allclose(left.images[0].get_array(), wanted)
    line, *dots = right.lines
    assert np.allclose(line.get_xydata(), [(n, dot(n)) for n in range(-59, 60)])
    for spot, n in zip(dots, (-28, 28), strict=True):
        assert np.allclose(spot.get_xydata(), [(n, dot(28))])
        assert reading.texts_of(right)[f"offset {number(n, 0)}"].get_position()[0] == n


def test_a_head_that_looks_three_back(chapter):
    right = reading.right_answer(chapter, "which-key-scores-highest")
    assert right == "At the key 7."
    axes = chapter.cell["scores-with-and-without-the-shift"].axes
    for ax, back, name in zip(axes, (0, 3), ("$W_Q = I$", "$W_Q = R_3$"), strict=True):
        assert ax.get_title() == f"{name}: 10 → {10 - back}, 20 → {20 - back}"
        wanted = [[dot(m - back - n) for n in range(21)] for m in range(21)]
        assert np.allclose(ax.images[0].get_array(), wanted)
        framed = [box.get_center() for box in ax.patches]
        assert np.allclose(framed, [(10 - back, 10), (20 - back, 20)])
    assert runs(axes[1].lines[0], (0, 0), (20, 20))  # n = m


def test_which_code_one_map_moves(chapter):
    (ax,) = chapter.cell["the-first-code-that-fulfils-all-seven"].axes
    *_, moves = reading.read_board(ax).values()  # the last row, framed
    assert [name for name in moves if moves[name]] == ["one clock", "sines and cosines"]


def test_one_shift_in_two_orders(chapter):
    axes = chapter.cell["one-shift-drawn-in-two-orders"].axes
    for ax, across, up, way in zip(axes, ("sin", "cos"), ("cos", "sin"), (1, -1)):
        ((start, end, *_),) = sweeps(ax)
        assert np.isclose(end - start, way)  # 1 is clockwise
        assert runs(named(ax)["pos"], (0, 0), tip(start))
        assert runs(named(ax)["pos + k"], (0, 0), tip(end))
        assert {f"{across} →", f"{up} ↑"} < set(reading.texts_of(ax))


def test_alt_texts_tell_what_is_drawn(chapter):
    for cell, words in (
        ("one-turn-at-three-places", "arcs, each marked kω, lead clockwise"),
        ("two-hands-two-columns", "(1, 0): its tip comes to cos kω at the right"),
        ("two-ways-add-up-to-one-sine", "right: sin α cos β, then cos α sin β"),
        ("three-on-four-on-and-back", "back from 7 to 0 the shift by −7"),
        ("scores-with-and-without-the-shift", "W_Q = R_3 it lies three to the left"),
        ("one-shift-drawn-in-two-orders", "order (sin, cos) the hand turns clockwise"),
    ):
        assert words in reading.alt(chapter.said[cell]), cell
