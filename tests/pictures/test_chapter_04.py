"""Chapter 4: one turn wherever a hand stands, its matrix, and no other matrix."""

import re
from functools import partial
from math import cos, degrees, pi, radians, sin

import numpy as np

from course import draw, wishes_of
from tests.support import reading
from tests.support.oracle import block, code, rates, tip
from tests.support.reading import check_hand, line_in, named, same, says, set_to, sweeps

HALF = 0.5  # radians a position of pair 1, in base 16


def test_one_turn_at_three_places(chapter):
    (ax,) = chapter.cell["one-turn-at-three-places"].axes
    for pos in (0, 2, 4, 6, 8, 10):
        check_hand(named(ax)[str(pos)], pos * HALF)
    says(ax.get_title(), 2, 0, 2, 4, 6, 8, 10)  # k, and three steps by it
    same([end - start for start, end, *_ in sweeps(ax)], 2 * HALF)


def test_the_second_step_is_smaller(chapter):
    vote = "is-every-step-the-same"
    for pos, ax in enumerate(chapter.cell[vote].axes):
        says(reading.texts_in(ax), pos, pos + 1, sin(pos + 1) - sin(pos))
    says(reading.right_answer(chapter, vote), sin(2) - sin(1))
    told = reading.markdown("04", "notes-each-hand-turns-wherever-it-stands")
    assert f"from {sin(1):.2f} to {sin(2) - sin(1):.2f}" in told


def test_four_clocks_turn_by_k_omega(chapter):
    panel = chapter.cell["a-shift-turns-every-hand"]
    for pos, k in ((7, -3), (20, -6), (4, 3)):
        said, axes = set_to(panel, pos=pos, k=k)
        for i, ax in enumerate(axes):
            check_hand(line_in(ax, dashed=True), pos / 2**i)
            check_hand(line_in(ax, marker="o"), (pos + k) / 2**i)
            says(ax.get_title(), i, degrees(k / 2**i))
        says(said, pos, pos + k, 0, sin(pos + k) - sin(pos))


def test_sympy_derives_the_matrix_of_a_turn(chapter):
    """The two lines and the matrix that are printed, at some numbers."""
    pos, k, omega = 2.3, -1.7, 0.6
    at = {chapter.pos: pos, chapter.k: k, chapter.omega: omega}
    lines = chapter.new_sine, chapter.new_cosine
    same([float(line.subs(at)) for line in lines], tip((pos + k) * omega))
    printed = np.array(chapter.M.subs(at), float)
    same(printed, block(k * omega))
    same(printed @ tip(pos * omega), tip((pos + k) * omega))
    assert "pos" not in chapter.said["the-matrix-read-off"]


def test_two_hands_give_the_two_columns(chapter):
    """Of the matrix [[a, b], [c, d]]; what runs across is blue, up or down orange."""
    axes = chapter.cell["two-hands-two-columns"].axes
    columns = ("first column $(a, c)$", "second column $(b, d)$")
    for ax, at, column in zip(axes, (pi / 2, 0), columns, strict=True):
        ((start, end, *_),) = sweeps(ax)
        same(start, at)
        assert end > start  # clockwise
        corner = tip(at + pi / 2, sin(end - at))
        names = r"$\sin k\omega$", r"$\cos k\omega$"
        for name, ends in zip(names, ([(0, 0), corner], [corner, tip(end)])):
            line = named(ax)[name]
            same(line.get_xydata(), ends)
            across, up = np.abs(np.subtract(*ends))
            assert line.get_color() == (draw.SIN if across > up else draw.COS)
            assert line.is_dashed() == (up > across)
        (words,) = (words for words in reading.texts_in(ax) if "column" in words)
        says(words, tip(at))
        assert column in words.replace("\n", " ")


def test_the_parts_of_a_hand_turn_along_with_it(chapter):
    left, right = chapter.cell["a-hand-turned-with-its-parts"].axes
    ((start, end, *_),) = sweeps(right)
    for ax, turned in (left, 0), (right, end - start):
        corner = tip(pi / 2 + turned, sin(start))
        sine, cosine = named(ax)[r"$\sin\alpha$"], named(ax)[r"$\cos\alpha$"]
        same(sine.get_xydata(), [(0, 0), corner])
        same(cosine.get_xydata(), [corner, tip(start + turned)])
        assert (sine.get_color(), cosine.get_color()) == (draw.SIN, draw.COS)
        check_hand(line_in(ax, marker="o"), start + turned)
    assert end > start  # clockwise


def test_two_triangles_lead_to_the_tip_of_a_hand(chapter):
    ax, _ = chapter.cell["two-ways-add-up-to-one-sine"].axes
    a, b = radians(40), radians(30)
    (x, y), (right, up) = tip(a, cos(b)), tip(a + b)
    sides = {
        r"$\sin\alpha\,\cos\beta$": ((0, y), (x, y)),
        r"$\cos\alpha\,\sin\beta$": ((x, y), (right, y)),
        r"$\sin(\alpha + \beta)$": ((0, 0), (right, 0)),
        r"$\cos\alpha\,\cos\beta$": ((0, 0), (0, y)),
        r"$\sin\alpha\,\sin\beta$": ((right, up), (right, y)),
        r"$\cos(\alpha + \beta)$": ((right, 0), (right, up)),
        r"$\cos\beta$": ((0, 0), (x, y)),
        r"$\sin\beta$": ((x, y), (right, up)),
        "1": ((0, 0), (right, up)),
    }
    for name, ends in sides.items():
        same(named(ax)[name].get_xydata(), ends, err_msg=name)


def test_a_block_for_each_pair(chapter):
    panel = chapter.cell["one-matrix-for-all-pairs"]
    for d_model, base, k in ((4, 100, -4), (8, 16, 3)):
        said, (ax,) = set_to(panel, d_model=d_model, base=base, k=k)
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


def test_the_minus_sign_stands_in_the_lower_row(chapter):
    found = chapter.said["the-matrix-read-off"].replace(" ", "")
    printed = re.findall(r"(-?)\\(sin|cos){\\left\(k", found)
    slides = ("the-theorem", "the-columns-of-a-turn")
    texts = (reading.markdown("04", slide).replace(" ", "") for slide in slides)
    entries = (re.findall(r"(-?)\\(sin|cos)k", text) for text in texts)
    for matrix in (printed, *entries):
        assert matrix == [("", "cos"), ("", "sin"), ("-", "sin"), ("", "cos")]
    for slide in ("which-matrix-moves-a-hand", "the-theorem"):
        codes = re.findall(r"\\(sin|cos)\(", reading.markdown("04", slide))
        assert codes == ["sin", "cos"] * 2, f"{slide}: a code has its sine first"
    told = reading.markdown("04", "notes-two-hands-fix-the-matrix")
    assert r"by $\cos k\omega$, *down* by $\sin k\omega$" in told
    told = reading.markdown("04", "notes-why-at-every-position")
    assert r"right: $\sin\alpha\cos k\omega + \cos\alpha\sin k\omega$" in told
    assert r"Up: $\cos\alpha\cos k\omega - \sin\alpha\sin k\omega$" in told


def test_eight_positions_fix_the_matrix(chapter):
    codes = np.array([[x for i in range(4) for x in tip(n / 2**i)] for n in range(44)])
    here, there = codes[:41].T, codes[3:].T
    panel = chapter.cell["eight-positions-give-the-shift-matrix"]
    for count in (1, 4, 8):
        said, (left, right) = set_to(panel, positions=count)
        at = range(4, 4 + count)
        matrix = there[:, at] @ np.linalg.pinv(here[:, at])
        missed = np.linalg.norm(matrix @ here - there, axis=0)
        same(reading.matrix(left), abs(matrix))
        same(line_in(right, draw.INK).get_ydata(), missed, atol=1e-6)
        same(line_in(right, draw.MARK).get_xdata(), at)
        says(said, [4] if count == 1 else [4, 3 + count], max(missed))
        assert ("R₃" in said) == (count == 8)
    vote = "how-many-positions-decide"
    says(reading.right_answer(chapter, vote), 8)
    _, reply = reading.replies(chapter, vote)["4, one for each pair"]
    says(reply, 4, 8, 4 * 8, 8 * 8)
    told = reading.markdown("04", "notes-fit-more-and-more")
    ((first, last),) = re.findall(r"more than 1 at (\d+) to (\d+)", told)
    assert chapter.missed[int(first) : int(last) + 1].min() > 1


def test_three_on_five_on_and_back(chapter):
    (ax,) = chapter.cell["two-shifts-and-the-way-back"].axes
    names = named(ax)
    for pos in (0, 3, 8):
        check_hand(names[str(pos)], pos * HALF)
    for shift, pos in ((3, 0), (5, 3), (8, 0), (-8, 8)):
        ((start, end, *_),) = sweeps(ax, [names[f"$R_{{{shift}}}$"]])
        same(tip(start), tip(pos * HALF))
        same(end - start, shift * HALF)
    told = reading.markdown("04", "two-shifts-make-a-shift")
    assert r"R_j R_k = R_{j+k} " in told and r"R_{-k} = R_k^\top = R_k^{-1}" in told


def test_a_dot_product_is_a_sum_of_cosines(chapter):
    (ax,) = chapter.cell["the-dot-product-is-no-ruler"].axes
    curve = line_in(ax, marker="")
    wanted = [code(100) @ code(100 + int(offset)) for offset in curve.get_xdata()]
    same(curve.get_ydata(), wanted, atol=1e-9)
    for dot in reading.lines_in(ax, draw.MARK):
        ((offset, height),) = dot.get_xydata()
        same(height, code(100) @ code(100 + int(offset)))
        says(reading.text_at(ax, (offset, height)), offset)
    assert r"\sum_i \cos " in reading.markdown("04", "the-dot-product-of-two-codes")


def scores_three_on(d_model, tokens):
    """Of queries with keys that stand for three positions on."""
    keys = np.array([code(n, d_model) for n in range(21)]) + tokens
    turn = np.zeros((d_model, d_model))
    for i, rate in enumerate(rates(d_model)):
        turn[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block(3 * rate)
    return np.array([[query @ (turn @ key) for key in keys] for query in keys])


def test_a_head_that_looks_three_back_with_codes_alone(chapter):
    says(reading.right_answer(chapter, "which-key-scores-highest"), 7)
    left, right = chapter.cell["scores-with-and-without-the-shift"].axes
    tokens = np.random.default_rng(0).normal(size=(21, 64))
    for ax, added, name, back in (
        (left, 0, "codes alone", 3),
        (right, tokens, "tokens added", 0),
    ):
        scores = scores_three_on(64, added)
        same(reading.matrix(ax), scores)
        assert (scores.argmax(axis=1)[[10, 20]] == [10 - back, 20 - back]).all()
        framed = [(10 - back, 10, 1, 1), (20 - back, 20, 1, 1)]  # key, query
        assert reading.frames(ax) == framed and name in ax.get_title()
    told = reading.markdown("04", "a-head-that-looks-back")
    assert f"in 0 of {21 - 3} rows, in each of 20 random draws" in told


def test_with_tokens_added_no_query_scores_highest_three_back():
    """With other draws, too, than those of the chapter."""
    for d_model in (64, 512):
        for seed in range(100, 105):
            tokens = np.random.default_rng(seed).normal(size=(21, d_model))
            tops = scores_three_on(d_model, tokens).argmax(axis=1)[3:]
            assert not (tops == np.arange(18)).any()


def rows_of(d_model, n):
    return np.array([code(pos, d_model) for pos in range(n)])


def test_only_many_clocks_fulfil_all_eight_wishes(chapter):
    (ax,) = chapter.cell["the-code-that-fulfils-all-eight"].axes
    board = reading.read_board(ax)
    assert len(board) == 8
    assert reading.failures(board) == {
        "integers": ["bounded", "resolution"],
        "fixed scale": ["resolution"],
        "Gray code": ["near places look alike", "one matrix moves every place"],
        "one slow clock": ["resolution"],
        "many clocks": [],
    }
    alt = chapter.said["the-code-that-fulfils-all-eight"]
    for words, name in ("Integers fail", "integers"), ("Gray code", "Gray code"):
        told = " and at ".join(reading.failures(board)[name])
        assert f"{words} at {told}" in alt, f"alt text: {name}"
    (step, _) = chapter.chain["one slow clock"](2)[1]
    told = reading.markdown("04", "small-print-on-the-five-codes")
    assert f"turns by {step:.2g} " in told
    boards = {d: wishes_of(partial(rows_of, d)) for d in (6, 8, 10, 12)}
    all_of_them = [d for d in boards if all(boards[d].values())]
    told = reading.markdown("04", "only-many-clocks-fulfil-all")
    says(told, 64 / 2, 10_000)
    assert min(all_of_them) == 2 * 5 and "five are" in told


def test_gray_code_flips_one_bit_at_a_step(chapter):
    table = chapter.chain["Gray code"](1000)
    assert (np.abs(np.diff(table, axis=0)).sum(axis=1) == 1).all()
    same(np.unique(table), [0, 1])


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
