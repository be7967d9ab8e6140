"""Chapter 4: one turn wherever a hand stands, its matrix, and no other matrix."""

import re
from math import cos, degrees, hypot, pi, radians, sin

import mpmath
import numpy as np

from course import draw
from tests.support import reading
from tests.support.oracle import block, code, tip
from tests.support.reading import check_hand, line_in, named, same, says, sweeps

HALF = 0.5  # radians a position of pair 1, in base 16
BLUE, ORANGE, INK = draw.SIN.lower(), draw.COS.lower(), draw.INK.lower()


def test_one_turn_at_three_places(chapter):
    (ax,) = chapter.cell["one-turn-at-three-places"].axes
    for pos in (0, 4, 8):
        check_hand(named(ax)[str(pos)], pos * HALF)
        check_hand(named(ax)[str(pos + 2)], (pos + 2) * HALF)
        assert named(ax)[str(pos)].is_dashed()  # from here
    says(ax.get_title(), 2, 0, 2, 4, 6, 8, 10)  # k, and three steps by it
    same([end - start for start, end, *_ in sweeps(ax)], 2 * HALF)


def test_the_first_step_is_given_and_the_second_is_smaller(chapter):
    for cell, told in ("the-first-of-two-steps", 1), ("is-every-step-the-same", 2):
        for pos, ax in enumerate(chapter.cell[cell].axes):
            check_hand(line_in(ax, dashed=True), pos)
            if pos < told:
                here, there = sin(pos), sin(pos + 1)
                check_hand(line_in(ax, INK), pos + 1)
                same(line_in(ax, BLUE).get_xydata(), [(here, 0), (there, 0)])
                given = reading.numbers(" ".join(reading.texts_in(ax)))
                same(given, [pos, pos + 1, there - here], atol=0.0051)
            else:
                assert [*reading.texts_in(ax)] == ["pos 1", "?"] and len(ax.lines) == 1
    answer = reading.right_answer(chapter, "is-every-step-the-same")
    says(answer, sin(2) - sin(1))


def test_four_clocks_turn_by_k_omega(chapter):
    panel = chapter.cell["a-shift-turns-every-hand"]
    for pos, k in ((7, -3), (20, -6), (4, 3)):
        said, axes = reading.set_to(panel, pos=pos, k=k)
        turns = [k / 2**i for i in range(4)]
        for i, ax in enumerate(axes):
            check_hand(line_in(ax, dashed=True), pos / 2**i)
            check_hand(line_in(ax, marker="o"), (pos + k) / 2**i)
            says(ax.get_title(), i, degrees(turns[i]))
            for place in (pos, pos + k):  # the name at the tip of its hand
                at = np.array(reading.place(ax, draw.number(place, 0)))
                same(at / hypot(*at), tip(place / 2**i), atol=0.2)
        says(said, pos, pos + k, 0, sin(pos + k) - sin(pos))
    says(panel.alt, 4, 7, np.degrees(turns))


def test_two_hands_give_the_two_columns(chapter):
    axes = chapter.cell["two-hands-two-columns"].axes
    columns = ("first column $(a, c)$", "second column $(b, d)$")
    for ax, at, column in zip(axes, (pi / 2, 0), columns, strict=True):
        ((start, end, *_),) = sweeps(ax)
        same(start, at)
        assert end > start  # clockwise
        corner = tip(at + pi / 2, sin(end - at))
        sine, cosine = r"$\sin k\omega$", r"$\cos k\omega$"
        ways = {sine: (BLUE, (0, 0), corner), cosine: (ORANGE, corner, tip(end))}
        check_names(ax, ways)
        (words,) = (words for words in reading.texts_in(ax) if "column" in words)
        says(words, tip(at))
        assert column in words.replace("\n", " ")  # of the matrix [[a, b], [c, d]]


def check_names(ax, sides):
    """A side: name → its colour, where it starts and where it ends."""
    names = named(ax)
    for name, (colour, start, end) in sides.items():
        same(names[name].get_xydata(), [start, end], err_msg=name)
        assert reading.look(names[name]).colour == colour, name


def test_two_triangles_lead_to_the_tip_of_a_hand(chapter):
    ax, _ = chapter.cell["two-ways-add-up-to-one-sine"].axes
    a, b = radians(40), radians(30)
    (x, y), (right, up) = tip(a, cos(b)), tip(a + b)
    sides = {
        r"$\sin\alpha\,\cos\beta$": (BLUE, (0, y), (x, y)),
        r"$\cos\alpha\,\sin\beta$": (BLUE, (x, y), (right, y)),
        r"$\sin(\alpha + \beta)$": (BLUE, (0, 0), (right, 0)),
        r"$\cos\alpha\,\cos\beta$": (ORANGE, (0, 0), (0, y)),
        r"$\sin\alpha\,\sin\beta$": (ORANGE, (right, up), (right, y)),
        r"$\cos(\alpha + \beta)$": (ORANGE, (right, 0), (right, up)),
        r"$\cos\beta$": (INK, (0, 0), (x, y)),
        r"$\sin\beta$": (INK, (x, y), (right, up)),
        "1": (INK, (0, 0), (right, up)),
    }
    check_names(ax, sides)


def test_a_block_for_each_pair(chapter):
    panel = chapter.cell["one-matrix-for-all-pairs"]
    for d_model, base, k in ((4, 100, -4), (6, 10_000, 20), (8, 16, 3)):
        said, (ax,) = reading.set_to(panel, d_model=d_model, base=base, k=k)
        turns = [k * base ** (-2 * i / d_model) for i in range(d_model // 2)]
        wanted = np.full((8, 8), np.nan)
        names = [words for words in reading.texts_in(ax) if words.startswith("pair")]
        for i, turn in enumerate(turns):
            rows = slice(2 * i, 2 * i + 2)
            wanted[rows, rows] = block(turn)
            beside = reading.text_at(ax, (None, 2 * i + 0.5), names)
            says(beside, i, degrees(turn))
        same(reading.matrix(ax), wanted)
        says(said, degrees(turns[0]), degrees(turns[-1]))
        says(ax.get_title(), k, d_model, 0)
    says(panel.alt, k, np.degrees(turns))


def test_the_formulas_are_right_as_they_are_printed(chapter):
    a, b = 0.4, 0.3
    at = {"sin": sin, "cos": cos, "α": a, "alpha": a, "β": b, "beta": b}
    for line in chapter.said["both-identities-for-all-angles"].strip().splitlines():
        same(*(eval(side, dict(at)) for side in line.split("=")))
    for slide in ("the-theorem", "the-columns-of-a-turn"):
        source = reading.markdown("04", slide)
        entries = re.findall(r"(-?)\\(sin|cos) k", source)
        assert entries == [("", "cos"), ("", "sin"), ("-", "sin"), ("", "cos")]
    found = chapter.said["the-one-solution-of-sympy"]
    entries = re.findall(r"(-?) ?\\textcolor\S+\\(sin|cos) k", found)
    assert entries == [("", "cos"), ("", "sin"), ("-", "sin"), ("", "cos")]


def test_the_shift_takes_the_columns_of_10_to_those_of_13(chapter):
    (ax,) = chapter.cell["two-numbers-of-the-code-of-13"].axes
    start, end = (code(pos, 512)[8:16] for pos in (10, 13))
    for column, wanted in ((0, start), (2, end), (4, end)):
        words = " ".join(reading.texts_in_cells(ax)[:, column])
        says(words, wanted)
    same([int(label.get_text()) for label in ax.get_yticklabels()], range(8, 16))
    told = reading.in_alt(chapter, "two-numbers-of-the-code-of-13")
    same(told[6:], [10, 11, 3, *start[2:4], *end[2:4]], atol=0.0051)


def test_a_fit_at_more_and_more_positions(chapter):
    codes = np.transpose([code(pos, 8, 16) for pos in range(44)])
    here, there = codes[:, :41], codes[:, 3:]
    panel = chapter.cell["eight-positions-give-the-shift-matrix"]
    for count in range(1, 9):
        said, (left, right) = reading.set_to(panel, positions=count)
        at = range(4, 4 + count)
        matrix = there[:, at] @ np.linalg.pinv(here[:, at])
        missed = np.linalg.norm(matrix @ here - there, axis=0)
        same(reading.matrix(left), abs(matrix))
        same(line_in(right, INK).get_ydata(), missed, atol=1e-6)
        same(line_in(right, draw.MARK).get_xdata(), at)
        says(said, [4] if count == 1 else [4, 3 + count], max(missed))
        assert ("R₃" in said) == (count == 8)
    start = panel.start["positions"]  # of which the alt text tells
    says(panel.alt, 8, 8, 4, 3 + start, 0, 40, 0)
    assert start == 4 and "four dots at 0" in panel.alt
    asked, answer = "a-matrix-of-question-marks", "how-many-positions-decide"
    says(reading.right_answer(chapter, answer), 8)
    for cell, count in (asked, 1), (answer, 8):
        (ax,) = chapter.cell[cell].axes
        same(len(reading.patches_in(ax, draw.POSITION)), 2 * count)


def test_three_on_five_on_and_back(chapter):
    (ax,) = chapter.cell["two-shifts-and-the-way-back"].axes
    names = named(ax)
    for pos in (0, 3, 8):
        check_hand(names[str(pos)], pos * HALF)
    for shift, pos in ((3, 0), (5, 3), (8, 0), (-8, 8)):
        ((start, end, *_),) = sweeps(ax, [names[f"$R_{{{shift}}}$"]])
        same(tip(start), tip(pos * HALF))
        same(end - start, shift * HALF)
        assert names[f"$R_{{{shift}}}$"].is_dashed() == (shift < 0)


def dot(offset):
    return sum(cos(offset * 10_000 ** (-i / 32)) for i in range(32))


def test_dot_products_are_no_ruler(chapter):
    left, right = chapter.cell["the-dot-product-is-no-ruler"].axes
    same(reading.matrix(left), [[dot(m - n) for n in range(60)] for m in range(60)])
    line = line_in(right, INK)
    same(line.get_xydata(), [(offset, dot(offset)) for offset in range(-59, 60)])
    for spot, offset in zip(reading.lines_in(right, draw.MARK), (-28, 28), strict=True):
        same(spot.get_xydata(), [(offset, dot(offset))])
        says(reading.text_at(right, (offset, dot(offset))), offset)


def test_a_head_that_looks_three_back(chapter):
    axes = chapter.cell["scores-with-and-without-the-shift"].axes
    for ax, back, name in zip(axes, (0, 3), ("W_Q = I", "W_Q = R_3"), strict=True):
        wanted = [[dot(m - back - n) for n in range(21)] for m in range(21)]
        same(reading.matrix(ax), wanted)
        framed = [(10 - back, 10, 1, 1), (20 - back, 20, 1, 1)]  # key, query
        assert reading.frames(ax) == framed and name in ax.get_title()
    (line,) = axes[1].lines
    same(line.get_xydata(), [(0, 0), (20, 20)])  # n = m
    vote = "which-key-scores-highest"
    says(reading.right_answer(chapter, vote), 7)
    for cell, tops in {"three-keys-for-one-query": [10], vote: [10, 7]}.items():
        for ax, top in zip(chapter.cell[cell].axes, tops):
            same(reading.matrix(ax), [[dot(top - n) for n in range(21)]])
            assert reading.frames(ax) == [(top, 0, 1, 1)]


def test_which_code_one_map_moves(chapter):
    (ax,) = chapter.cell["the-first-code-that-fulfils-all-seven"].axes
    fails = reading.failures(reading.read_board(ax))
    one_map = "one matrix moves every place"
    moved = [name for name in fails if one_map not in fails[name]]
    assert moved == ["one clock", "sines and cosines"] and not fails[moved[1]]


def test_one_shift_in_two_orders(chapter):
    left, right = chapter.cell["one-shift-drawn-in-two-orders"].axes
    for ax, across, up, way in (left, "sin", "cos", 1), (right, "cos", "sin", -1):
        ((start, end, *_),) = sweeps(ax)
        same(end - start, way)  # 1 is clockwise
        aside, above = (reading.place(ax, x) for x in (f"{across} →", f"{up} ↑"))
        assert aside[0] > above[0] and above[1] > aside[1]
        check_hand(named(ax)["$pos$"], start)
        check_hand(named(ax)["$pos + k$"], end)
    ((here, *_),), ((mirrored, *_),) = sweeps(left), sweeps(right)
    same(mirrored, pi / 2 - here)


def test_the_determinant_in_400_digits(chapter):
    told = reading.numbers(chapter.said["vandermonde-by-numbers"])  # d = …: 10^…
    with mpmath.workdps(400):
        for d, exponent in zip(told[::3], told[2::3], strict=True):
            pairs = range(int(d) // 2)
            rates = [mpmath.power(10, -8 * i / mpmath.mpf(d)) for i in pairs]
            waves = [(wave, w) for w in rates for wave in (mpmath.sin, mpmath.cos)]
            codes = [[wave(n * w) for wave, w in waves] for n in range(int(d))]
            found = mpmath.log10(abs(mpmath.det(mpmath.matrix(codes))))
            same(exponent, float(found), atol=0.5)
