"""Chapter 4: one turn wherever a hand stands, its matrix, and no other matrix."""

import re
from math import cos, degrees, dist, pi, radians, sin

import mpmath
import numpy as np
from matplotlib.colors import same_color

import draw
from tests.pictures import reading
from tests.pictures.reading import is_hand, line_in, named, numbers, same, sweeps, tip

HALF = 0.5  # radians a position of pair 1, in base 16
BLUE, ORANGE, INK = draw.SIN.lower(), draw.COS.lower(), draw.INK.lower()


def test_one_turn_at_three_places(chapter):
    (ax,) = chapter.cell["one-turn-at-three-places"].axes
    for pos in (0, 4, 8):
        before, after = named(ax)[str(pos)], named(ax)[str(pos + 2)]
        is_hand(before, pos * HALF)
        is_hand(after, (pos + 2) * HALF)
        assert before.is_dashed() and not after.is_dashed()
    same(numbers(ax.get_title()), [2, 0, 2, 4, 6, 8, 10])  # k, and three steps by it
    same([end - start for start, end, *_ in sweeps(ax)], 2 * HALF)


def test_the_first_step_is_given_and_not_the_second(chapter):
    (ax,) = chapter.cell["the-first-of-two-steps"].axes
    same(line_in(ax, BLUE).get_xydata(), [(0, 0), (sin(1), 0)])
    is_hand(line_in(ax, dashed=True), 0)
    is_hand(line_in(ax, INK), 1)
    written = [numbers(words) for words in reading.texts_of(ax)]
    same(np.concatenate(written), [0, 1, sin(1)], atol=0.0051)


def test_the_second_step_is_smaller_as_the_answer_says(chapter):
    answer = reading.right_answer(chapter, "is-every-step-the-same")
    same(numbers(answer), [sin(2) - sin(1)], atol=0.0051)
    _, reply = reading.replies(chapter.said["is-every-step-the-same"])[answer]
    assert f"sin 2 − sin 1 = {sin(2) - sin(1):.2f}" in reply
    told = reading.prose("04", "notes-each-hand-turns-wherever-it-stands")
    assert f"from {sin(1):.2f} to {sin(2) - sin(1):.2f}" in told


def test_four_clocks_turn_by_k_omega(chapter):
    panel = chapter.cell["a-shift-turns-every-hand"]
    for pos, k in ((7, -3), (20, -6), (4, 3)):
        said, axes = reading.set_to(panel, pos=pos, k=k)
        turns = [k / 2**i for i in range(4)]
        for i, ax in enumerate(axes):
            is_hand(line_in(ax, dashed=True), pos / 2**i)
            is_hand(line_in(ax, marker="o"), (pos + k) / 2**i)
            same(numbers(ax.get_title()), [i, degrees(turns[i])], atol=0.5)
        *turned, pair, change = numbers(said)
        same(turned, [pos, pos + k, *np.degrees(turns)], atol=0.5)
        same((pair, change), (0, sin(pos + k) - sin(pos)), atol=0.005)
    same(numbers(panel.alt), [4, 7, *np.degrees(turns)], atol=0.5)


def test_two_hands_give_the_two_columns(chapter):
    for slide in ("the-theorem", "the-columns-of-a-turn"):
        source = reading.prose("04", slide)
        entries = re.findall(r"\{(-?)\\(sin|cos) k\\omega\}", source)
        assert entries == [("", "cos"), ("", "sin"), ("-", "sin"), ("", "cos")]
    axes = chapter.cell["two-hands-two-columns"].axes
    columns = ("first column (a, c)", "second column (b, d)")
    for ax, at, column in zip(axes, (pi / 2, 0), columns, strict=True):
        ((start, end, *_),) = sweeps(ax)
        same(start, at)
        assert end > start  # clockwise
        corner = tip(at + pi / 2, sin(end - at))
        sine, cosine = named(ax)["sin kω"], named(ax)["cos kω"]
        same(sine.get_xydata(), [(0, 0), corner])
        same(cosine.get_xydata(), [corner, tip(end)])
        assert (reading.look(sine)[0], reading.look(cosine)[0]) == (BLUE, ORANGE)
        same(numbers(ax.get_title()), tip(at))
        assert column in ax.get_title()  # of the matrix [[a, b], [c, d]]


def test_two_triangles_lead_to_the_tip_of_a_hand(chapter):
    (ax,) = chapter.cell["two-ways-add-up-to-one-sine"].axes
    a, b = radians(40), radians(30)
    (x, y), (right, up) = tip(a, cos(b)), tip(a + b)
    sides = {
        "sin α cos β": (BLUE, (0, y), (x, y)),
        "cos α sin β": (BLUE, (x, y), (right, y)),
        "sin (α + β)": (BLUE, (0, 0), (right, 0)),
        "cos α cos β": (ORANGE, (0, 0), (0, y)),
        "sin α sin β": (ORANGE, (right, up), (right, y)),
        "cos (α + β)": (ORANGE, (right, 0), (right, up)),
        "cos β": (INK, (0, 0), (x, y)),
        "sin β": (INK, (x, y), (right, up)),
        "1": (INK, (0, 0), (right, up)),
    }
    names = named(ax)
    for name, (colour, start, end) in sides.items():
        same(names[name].get_xydata(), [start, end], err_msg=name)
        assert reading.look(names[name])[0] == colour, name
    alphas = [x.get_position() for x in ax.texts if x.get_text() == "α"]
    first, second = sorted(alphas, key=lambda at: dist(at, (0, 0)))
    beta = np.arctan2(*reading.place(ax, "β"))
    assert 0 < np.arctan2(*first) < a < beta < a + b
    assert pi / 2 < np.arctan2(*(second - tip(a, cos(b)))) < pi / 2 + a


def test_a_block_for_each_pair(chapter):
    panel = chapter.cell["one-matrix-for-all-pairs"]
    for d_model, base, k in ((4, 100, -4), (6, 10_000, 20), (8, 16, 3)):
        said, (ax,) = reading.set_to(panel, d_model=d_model, base=base, k=k)
        turns = [k * base ** (-2 * i / d_model) for i in range(d_model // 2)]
        wanted = np.full((8, 8), np.nan)
        names = [words for words in reading.texts_of(ax) if words.startswith("pair")]
        assert len(names) == len(turns)
        for i, turn in enumerate(turns):
            rows = slice(2 * i, 2 * i + 2)
            wanted[rows, rows] = reading.block(turn)
            beside = reading.text_at(ax, (None, 2 * i + 0.5), names)
            same(numbers(beside), [i, degrees(turn)], atol=0.051)
        same(np.ma.filled(ax.images[0].get_array(), np.nan), wanted)
        same(numbers(ax.get_title())[:2], [k, d_model])
        same(numbers(said), [k, *np.degrees(turns)], atol=0.051)
    same(numbers(panel.alt), [k, *np.degrees(turns)], atol=0.051)


def test_the_formulas_are_right_as_they_are_printed(chapter):
    sums = reading.prose("04", "why-at-every-position").split("$")[1::2]
    for coloured, colour in zip(sums, (draw.SIN, draw.COS_TEXT), strict=True):
        start, end = rf"\textcolor{{{colour}}}{{", "}"  # as the sides of the triangles
        assert coloured.startswith(start) and coloured.endswith(end)
        sum_of_angles = coloured.removeprefix(start).removesuffix(end)
        python = sum_of_angles.replace(r"\alpha", "(0.4)").replace(r"\beta", "(0.3)")
        python = re.sub(r"\)\s*\\", ") * ", python).replace("\\", "")
        left, right = python.split("=")
        same(eval(left), eval(right))
    dots = r"p(\mathit{pos})\cdot p(\mathit{pos} + k) \;=\; \sum_i \cos k\omega_i"
    assert dots in reading.prose("04", "the-dot-product-of-two-codes")
    back = r"R_{-k} = R_k^\top = R_k^{-1}"
    assert back in reading.prose("04", "two-shifts-make-a-shift")


def test_the_shift_takes_the_columns_of_10_to_those_of_13(chapter):
    (ax,) = chapter.cell["two-numbers-of-the-code-of-13"].axes
    start, end = (reading.code(pos, 512)[8:16] for pos in (10, 13))
    for column, wanted in ((0, start), (2, end), (4, end)):
        words = " ".join(reading.cells(ax)[:, column])
        same(numbers(words), wanted, atol=0.0051)
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert names == ["p(10)", "→", "$R_3$ p(10)", "=", "p(13)"]
    rows = [label.get_text() for label in ax.get_yticklabels()]
    same([int(row) for row in rows], range(8, 16))
    told = numbers(reading.alt(chapter.said["two-numbers-of-the-code-of-13"]))
    entries = 3, *start[2:4], *end[2:4]  # in the dimensions 10 and 11
    same(told, [8, 15, 10, 3, 10, 13, 10, 11, *entries], atol=0.0051)


HERE = np.transpose([reading.code(pos, 8, 16) for pos in range(41)])
THERE = np.transpose([reading.code(pos, 8, 16) for pos in range(3, 44)])


def test_a_matrix_takes_a_code_three_positions_on(chapter):
    (ax,) = chapter.cell["a-matrix-of-question-marks"].axes
    words = "×", "p(pos)", "=", "p(pos + 3)"
    assert (np.diff([reading.place(ax, word)[0] for word in words]) > 0).all()
    same(numbers(reading.right_answer(chapter, "how-many-positions-decide")), [8])


def test_a_fit_at_more_and_more_positions(chapter):
    panel = chapter.cell["eight-positions-give-the-shift-matrix"]
    for count in range(1, 9):
        said, (left, right) = reading.set_to(panel, positions=count)
        at = range(4, 4 + count)
        matrix = THERE[:, at] @ np.linalg.pinv(HERE[:, at])
        missed = np.linalg.norm(matrix @ HERE - THERE, axis=0)
        shown = np.ma.filled(left.images[0].get_array(), np.nan)
        same(np.nan_to_num(shown), np.where(abs(matrix) < 0.05, 0, matrix))
        same(line_in(right, INK).get_ydata(), missed, atol=1e-6)
        same(line_in(right, draw.MARK).get_xdata(), at)
        ends = [4] if count == 1 else [4, 3 + count]
        found = [0, 41] if count == 8 else [max(missed)]  # no error at 41
        same(numbers(said), ends + found, atol=0.0051)
        assert ("R₃" in said) == (count == 8)
    fitted, seen = panel.alt.split("Right")  # "fitted at the positions 4 to 7: …"
    same(numbers(fitted), [8, 8, 4, 7])
    same(numbers(seen), [0, 40, 0])


def test_three_on_four_on_and_back(chapter):
    (ax,) = chapter.cell["three-on-four-on-and-back"].axes
    names = named(ax)
    for pos in (0, 3, 7):
        is_hand(names[str(pos)], pos * HALF)
    for shift, pos in ((3, 0), (4, 3), (7, 0), (-7, 7)):
        ((start, end, *_),) = sweeps(ax, [names[f"$R_{{{shift}}}$"]])
        same(tip(start), tip(pos * HALF))
        same(end - start, shift * HALF)


def dot(offset):
    return sum(cos(offset * 10_000 ** (-i / 32)) for i in range(32))


def test_dot_products_are_no_ruler(chapter):
    left, right = chapter.cell["the-dot-product-is-no-ruler"].axes
    wanted = [[dot(m - n) for n in range(60)] for m in range(60)]
    same(left.images[0].get_array(), wanted)
    line = line_in(right, INK)
    same(line.get_xydata(), [(offset, dot(offset)) for offset in range(-59, 60)])
    spots = (spot.get_xydata()[0].tolist() for spot in right.lines if spot is not line)
    same(sorted(spots), [(-28, dot(28)), (28, dot(28))])
    for offset, words in ((-28, "offset −28"), (28, "offset 28")):
        assert reading.text_at(right, (offset, dot(offset))) == words


def test_a_head_that_looks_three_back(chapter):
    same(numbers(reading.right_answer(chapter, "which-key-scores-highest")), [7])
    axes = chapter.cell["scores-with-and-without-the-shift"].axes
    for ax, back, name in zip(axes, (0, 3), ("W_Q = I", "W_Q = R_3"), strict=True):
        wanted = [[dot(m - back - n) for n in range(21)] for m in range(21)]
        same(ax.images[0].get_array(), wanted)
        framed = [box.get_center() for box in ax.patches]
        same(sorted(map(tuple, framed)), [(10 - back, 10), (20 - back, 20)])
        assert name in ax.get_title()
        same(numbers(ax.get_title())[-4:], [10, 10 - back, 20, 20 - back])
        assert ax.get_xlabel() == "key at n"
    assert axes[0].get_ylabel() == "query at m"
    same(axes[1].lines[0].get_xydata(), [(0, 0), (20, 20)])  # n = m
    powers = np.exp([dot(7 - n) / 8 for n in range(21)])  # of the query at 10
    at_7, beside = powers[7] / powers.sum(), powers[6] / powers.sum()
    told = reading.prose("04", "notes-with-the-shift-three-back")
    assert f"{at_7:.2f} to the key at 7 and {beside:.2f} to each key beside it" in told


def test_three_keys_are_where_their_answers_say(chapter):
    given, asked = chapter.cell["three-keys-for-one-query"].axes
    same(given.images[0].get_array(), [[dot(10 - n) for n in range(21)]])
    same([box.get_center() for box in given.patches], [(10, 0)])
    offered = reading.replies(chapter.said["which-key-scores-highest"])
    for vote, answer in zip("ABC", offered, strict=True):
        same(reading.place(asked, vote)[0], numbers(answer))


def test_which_code_one_map_moves(chapter):
    (ax,) = chapter.cell["the-first-code-that-fulfils-all-seven"].axes
    board = reading.read_board(ax)
    *_, (last, moves) = board.items()
    assert [name for name in moves if moves[name]] == ["one clock", "sines and cosines"]
    (frame,) = (box for box in ax.patches if box.get_facecolor()[3] == 0)
    top, bottom = sorted(frame.get_bbox().intervaly)
    framed = [row for row in board if top < reading.place(ax, row)[1] < bottom]
    assert framed == [last]


def test_one_shift_in_two_orders(chapter):
    left, right = chapter.cell["one-shift-drawn-in-two-orders"].axes
    for ax, across, up, way in (left, "sin", "cos", 1), (right, "cos", "sin", -1):
        ((start, end, *_),) = sweeps(ax)
        same(end - start, way)  # 1 is clockwise
        aside, above = (reading.place(ax, x) for x in (f"{across} →", f"{up} ↑"))
        assert aside[0] > above[0] and above[1] > aside[1]
        is_hand(named(ax)["pos"], start)
        is_hand(named(ax)["pos + k"], end)
    ((here, *_),), ((mirrored, *_),) = sweeps(left), sweeps(right)
    same(mirrored, pi / 2 - here)


def test_the_determinant_in_400_digits(chapter):
    told = numbers(chapter.said["how-small-the-determinant-is"])
    with mpmath.workdps(400):
        for d, ten, exponent in zip((4, 8, 16), told[1::3], told[2::3], strict=True):
            rates = [
                mpmath.mpf(10_000) ** (mpmath.mpf(-2 * i) / d) for i in range(d // 2)
            ]
            rows = [
                [wave(n * w) for w in rates for wave in (mpmath.sin, mpmath.cos)]
                for n in range(d)
            ]
            found = mpmath.log10(abs(mpmath.det(mpmath.matrix(rows))))
            same([ten, exponent], [10, float(found)], atol=0.5)


def test_words_and_formulas_name_the_right_thing(chapter):
    for name in ("which-matrix-moves-a-hand", "the-columns-of-a-turn", "the-theorem"):
        words = reading.prose("04", name) + chapter.said["the-one-solution-of-sympy"]
        waves = re.findall(r"\{(#\w+)\}\{-?\\(sin|cos)", words)
        assert set(waves) == {(draw.SIN, "sin"), (draw.COS_TEXT, "cos")}
    at = {"sin": sin, "cos": cos, "α": 0.4, "alpha": 0.4, "β": 0.3, "beta": 0.3}
    for line in chapter.said["both-identities-for-all-angles"].strip().splitlines():
        same(*(eval(side, dict(at)) for side in line.split("=")))


def test_colours_and_dashes_are_as_told(chapter):
    (ax,) = chapter.cell["two-ways-add-up-to-one-sine"].axes
    assert all(x.is_dashed() == (reading.look(x)[0] == ORANGE) for x in ax.lines)
    yellow, grey, *_ = ax.patches
    assert same_color(yellow.get_facecolor()[:3], draw.POSITION)
    same(yellow.get_xy()[0], 0)
    same(grey.get_xy()[0], tip(radians(40), cos(pi / 6)))
    names = named(chapter.cell["three-on-four-on-and-back"].axes[0])
    for shift in (3, 4, 7, -7):
        arc = names[f"$R_{{{shift}}}$"]
        assert arc.is_dashed() == (shift < 0)
        assert (np.hypot(*arc.get_xydata()[0]) < 0.5) == (shift in (3, 4))  # inner
    for name in ("the-dot-product-is-no-ruler", "three-keys-for-one-query"):
        (image,) = chapter.cell[name].axes[0].images
        assert "dark 12, light 32" in image.axes.get_title()
        assert (*image.get_clim(), image.get_cmap().name) == (12, 32, draw.SIGNED)
    for ax in chapter.cell["one-shift-drawn-in-two-orders"].axes:
        colours = {x.get_text()[:3]: x.get_color() for x in ax.texts}
        assert (colours["sin"], colours["cos"]) == (draw.SIN, draw.COS_TEXT)
