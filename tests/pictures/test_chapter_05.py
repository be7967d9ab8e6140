"""Chapter 5: one rigid motion, its rotations, and one plane in complex numbers."""

import itertools
from math import cos, dist, pi, sin
from types import SimpleNamespace

import numpy as np
import pytest

from course import draw
from tests.support import oracle, reading
from tests.support.oracle import tip
from tests.support.reading import check_hand, line_in, named, same, says, text_at


def arc_of(ax):
    """The two angles of the one arc on a dial, clockwise from 12 o'clock."""
    ((start, end, *_),) = reading.sweeps(ax)
    return start, end


def test_one_matrix_leads_from_code_to_code(chapter):
    (ax,) = chapter.cell["one-matrix-from-code-to-code"].axes
    codes = [*(f"$p_{m}$" for m in range(4)), "…"]
    names, found = set(reading.texts_in(ax)) - set(codes), {}
    for arrow in reading.arrows(ax):
        ends = (text_at(ax, (end[0], 0), codes) for end in (arrow.xyann, arrow.xy))
        found[tuple(ends)] = text_at(ax, arrow.xy, names)
    steps = dict.fromkeys(itertools.pairwise(codes), "$U$")
    assert steps.items() <= found.items()
    assert found["$p_1$", "$p_3$"] == "$p_1\\cdot p_3 = p_0\\cdot p_2$"  # one place on


def test_a_sum_of_codes_keeps_its_length_one_place_on(chapter):
    (ax,) = chapter.cell["a-sum-of-codes-one-place-on"].axes
    sides, factors = named(ax), []
    for on, closing in enumerate(reading.lines_in(ax, draw.MARK)):
        arrows = [sides[f"$c_{m}p_{m + on}$"] for m in range(3)]
        steps = np.array([np.subtract(arrow.xy, arrow.xyann) for arrow in arrows])
        factors.append([np.hypot(*step) for step in steps])
        for m, (step, factor) in enumerate(zip(steps, factors[on], strict=True)):
            same(step, factor * tip(0.7 * (m + on)))  # a multiple of its code
        same(np.diff(closing.get_xydata(), axis=0)[0], steps.sum(axis=0))
    same(*factors)
    assert sides["$U$"].xyann[0] < sides["$U$"].xy[0]  # to the next codes


def test_added_codes_leave_a_place_and_multiplied_codes_none(chapter):
    x, y, step = 1.5j, 0.6 + 0.5j, 0.6  # the tokens, as in the formula above it
    m = np.arange(2, 11, 2)
    here, there = np.exp(1j * step * m), np.exp(1j * step * (m - 2))
    wanted = {  # between two hands; of two tokens, and two places on
        "added": (np.angle(x + here) - np.angle(y + there), draw.INK),
        "multiplied": (np.angle(x) - np.angle(y) + 2 * step + 0 * m, draw.ROPE),
    }
    axes = chapter.cell["products-of-two-tokens-on-the-move"].axes
    for ax, (name, (angles, colour)) in zip(axes, wanted.items(), strict=True):
        (told,) = (words for words in reading.texts_in(ax) if "=" not in words)
        assert told.startswith(name)
        for hand, angle in zip(reading.lines_in(ax, colour), angles, strict=True):
            same(np.diff(hand.get_xydata(), axis=0)[0], tip(angle))


def test_which_table_fulfils_the_wish(chapter):
    left, right = chapter.cell["which-table-fulfils-the-wish"].axes
    steady = [[cos(0.7 * (m - n)) for n in range(5)] for m in range(5)]
    wave = [[sin(0.7 * m) * sin(0.7 * n) for n in range(5)] for m in range(5)]
    told = reading.in_alt(chapter, "which-table-fulfils-the-wish")
    for ax, table in (left, steady), (right, wave):
        same(reading.matrix(ax), table)
        assert reading.frames(ax) == [(n, n + 2, 1, 1) for n in range(3)]
        assert {round(table[n + 2][n], 1) for n in range(3)} <= set(told)


def test_equal_offsets_are_equally_far_apart(chapter):
    left, right = chapter.cell["the-same-triangle-four-places-on"].axes
    for ax, places in (left, (0, 2, 5)), (right, (4, 6, 9)):
        codes = [f"$p_{place}$" for place in places]
        for m, n in itertools.combinations(places, 2):
            side = named(ax)[f"offset {n - m}"].get_xydata()
            same(dist(*side), 2 * sin(0.7 * (n - m) / 2))
            assert [text_at(ax, end, codes) for end in side] == [f"$p_{m}$", f"$p_{n}$"]
    sides = [named(ax)["offset 2"].get_xydata() for ax in (left, right)]
    before, after = (end - start for start, end in sides)
    turned = np.angle((after @ [1j, 1]) / (before @ [1j, 1]))
    assert 0 < turned < pi  # four places on is clockwise


def test_one_of_three_answers_has_equal_lengths(chapter):
    equal, one, free = (
        [np.hypot(*reading.tip_of(hand)) for hand in ax.lines]
        for ax in chapter.cell["lengths-equal-or-1-or-free"].axes
    )
    same((np.ptp(equal), *one), (0, *[1] * 5))
    assert min(equal) > 1 and np.ptp(free) > 0.5
    before = "lengths-equal-or-1-or-free"
    reading.check_frames(chapter, before, "must-the-lengths-be-equal")


def test_a_hand_to_and_fro_has_one_dot_product_an_offset(chapter):
    for cell, is_told in ("to-and-fro-by-45-degrees", 0), ("must-the-hand-turn-on", 1):
        for m, ax in enumerate(chapter.cell[cell].axes):
            check_hand(line_in(ax, draw.INK), (m % 2) * pi / 4)
            told = dict(words.split(" = ") for words in reading.texts_in(ax))
            products = (m + 1, draw.number(cos(pi / 4))), (m + 2, draw.number(1))
            wanted = {rf"$p_{m}\cdot p_{n}$": words for n, words in products if n < 6}
            assert told == (wanted if is_told else dict.fromkeys(wanted, "?"))


def test_a_random_matrix_keeps_the_dot_products(chapter):
    m, n = np.indices((3, 3))
    asked = chapter.cell["are-the-framed-numbers-still-equal"].axes
    answered = chapter.cell["can-a-random-matrix-spoil-it"].axes
    for ax in (asked[0], *answered):
        same(reading.matrix(ax), np.cos(0.7 * (m - n)))
    for ax in (*asked, *answered):
        assert reading.frames(ax) == [(0, 1, 1, 1), (1, 2, 1, 1)]
    assert not reading.numbers(*reading.texts_in(asked[1]))  # nothing is told


def best_motion(here, there):
    """Where the best rotation or mirror image puts points, its angle, is it a turn."""
    turn, mirror = (here.conj() * there).sum(), (here * there).sum()
    if abs(turn) > abs(mirror):
        return here * turn / abs(turn), np.angle(turn), True
    return here.conj() * mirror / abs(mirror), np.angle(mirror), False


@pytest.fixture(params=[(15, 1.0), (45, 1.0), (-45, 1.0), (-30, 0.95), (45, 0.9)])
def motion(request, chapter):
    """Eight codes, the best motion from each to the next, and the two axes."""
    step, factor = request.param
    panel = chapter.cell["one-motion-or-a-glowing-rest"]
    said, (left, right) = reading.set_to(panel, second_step=step, factor=factor)
    angles = np.radians(np.cumsum([0, *[45, step] * 3, 45]))
    codes = factor ** np.arange(8) * np.exp(1j * angles)  # their real part up
    aims, angle, turns = best_motion(codes[:-1], codes[1:])
    return SimpleNamespace(**locals())


def test_dots_are_codes_and_rings_are_where_the_best_motion_puts_them(motion):
    left, codes, aims = motion.left, motion.codes, motion.aims
    for points, filled in ((codes, True), (aims, False)):
        marks = line_in(left, marker="o", filled=filled)
        same(marks.get_xydata() @ [1j, 1], points)
    (rest,) = left.collections
    joined = rest.get_segments() @ np.array([1j, 1])
    same(joined, [*zip(aims, codes[1:], strict=True)])


def test_an_arrow_or_a_mirror_shows_the_best_motion(motion):
    mirror = line_in(motion.left, dashed=True)
    assert mirror.get_visible() != motion.turns
    half = np.arctan2(*reading.tip_of(mirror))
    same(arc_of(motion.left)[1] if motion.turns else 2 * half, motion.angle)


def test_dot_products_of_the_codes_stand_at_their_offsets(motion):
    products = (motion.codes[:, None] * motion.codes.conj()).real
    pairs = [(m - n, products[m, n]) for m in range(8) for n in range(m + 1)]
    same(line_in(motion.right, marker="o").get_xydata(), pairs)
    missed, at_1 = max(abs(motion.aims - motion.codes[1:])), np.diagonal(products, 1)
    told = {"several": [missed], "one": [np.degrees(motion.angle)][: motion.turns]}
    count = "one" if missed < 1e-9 else "several"
    assert (np.ptp(at_1) < 1e-9) == (count == "one")
    says(motion.said, told[count])
    assert f": {count} dot product" in motion.said


def test_no_motion_takes_scattered_codes_on(chapter):
    (ax,) = chapter.cell["eight-codes-and-no-rule"].axes
    codes = [named(ax)[f"$p_{m}$"].get_xydata()[0] @ [1j, 1] for m in range(8)]
    assert len(set(codes)) == 8  # each name has a dot of its own
    aims, *_ = best_motion(np.array(codes[:-1]), np.array(codes[1:]))
    assert max(abs(aims - codes[1:])) > 1


def test_one_factor_takes_every_code_to_the_next(chapter):
    for name in ("one-motion-takes-every-code-on", "eight-codes-and-one-rule"):
        ax, *others = chapter.cell[name].axes
        dots = [f"$p_{m}$" for m in range(8)]
        codes = np.array([named(ax)[dot].get_xydata()[0] @ [1j, 1] for dot in dots])
        factor = codes[1] / codes[0]
        assert 0 < np.angle(factor) < pi  # clockwise
        same(codes, codes[0] * factor ** np.arange(8))
        arrows = reading.arrow_ends(ax)
        led = {tuple(text_at(ax, end, dots) for end in ends) for ends in arrows}
        assert led == set(itertools.pairwise(dots))
        for waves in others:  # the same codes, against m
            for name, parts in {"up": codes.real, "right": codes.imag}.items():
                same(named(waves)[name].get_xydata()[::20], [*enumerate(parts)])


def test_a_factor_turns_and_a_dot_product_keeps_the_angle(chapter):
    left, right = chapter.cell["a-turn-and-an-angle"].axes
    before, after = line_in(left, dashed=True), line_in(left, draw.INK, marker="o")
    for ax, start, end, hands in (
        (left, "$p_m$", "$p_{m+k}$", [before, after]),
        (right, "$p_n$", "$p_m$", reading.lines_in(right, draw.POSITION)),
    ):
        here, there = arc_of(ax)
        assert 0 < there - here < pi  # clockwise
        for angle, name, hand in zip((here, there), (start, end), hands, strict=True):
            same(tip(angle), reading.tip_of(hand))
            assert text_at(ax, 1.2 * tip(angle)) == name


def check_blocks(ax, *blocks):
    """A matrix has these blocks, each in a frame, and blanks elsewhere."""
    wanted = np.full((6, 6), np.nan)
    starts = np.cumsum([0, *map(len, blocks)])
    for start, end, block in zip(starts, starts[1:], blocks):
        wanted[start:end, start:end] = block
    same(reading.matrix(ax), wanted)
    sizes = zip(starts, starts, map(len, blocks), map(len, blocks))
    assert reading.frames(ax) == [*sizes]


def test_every_motion_falls_into_blocks(chapter):
    (ax,) = chapter.cell["the-blocks-that-were-found"].axes  # of the paper's codes
    angles = 16 ** (-np.arange(3) / 3)
    check_blocks(ax, *map(oracle.block, angles))
    left, right = chapter.cell["one-motion-in-two-sets-of-axes"].axes
    angles = np.angle(np.linalg.eigvals(reading.matrix(left)))
    turns = sorted(a for a in angles if 1e-9 < a < pi - 1e-9)
    check_blocks(right, *map(oracle.block, turns), [[1]], [[-1]])


def test_four_planes_at_position_5(chapter):
    axes = chapter.cell["four-planes-at-position-5"].axes
    for i, (ax, length) in enumerate(zip(axes, (1, 0.6, 0.8, 0.4), strict=True)):
        step = 1 / 2**i
        says(ax.get_title(), length, step)
        check_hand(line_in(ax, draw.POSITION), 5 * step, length)


def test_a_code_times_a_conjugate_turns_by_the_offset(chapter):
    (ax,) = chapter.cell["a-hand-and-its-conjugate"].axes
    names = named(ax)
    check_hand(names[r"$p = e^{i\varphi}$"], 1)
    check_hand(names[r"$p^* = e^{-i\varphi}$"], -1)
    same(names[r"$\sin\varphi$"].get_xydata(), [(0, cos(1)), tip(1)])
    same(names[r"$\cos\varphi$"].get_xydata(), [(0, 0), (0, cos(1))])
    same(arc_of(ax), (0, 1))
    panel = chapter.cell["only-the-offset-is-left"]
    for m, k in itertools.product((7, 4, 14), (-3, -2, 1, 4)):
        said, (left, right) = reading.set_to(panel, m=m, k=k)
        for at in (m, m - k):
            check_hand(named(left)[f"$p_{{{at}}}$"], 0.6 * at)
        start, end = arc_of(left)
        same([tip(start), tip(end)], [tip(0.6 * (m - k)), tip(0.6 * m)])
        same(arc_of(right), (0, 0.6 * k))
        check_hand(line_in(right, marker="o"), 0.6 * k)
        height = cos(0.6 * k)  # the dot product
        same(line_in(right, dashed=True).get_xydata(), [(0, 0), (0, height)])
        says(said, m, m - k, 0.6 * k, 12, height)


def test_similarity_against_its_limit(chapter):
    panel = chapter.cell["long-term-decay-against-its-limit"]
    for d, base in ((128, 10_000), (64, 100), (2048, 100_000)):
        said, (ax,) = reading.set_to(panel, d_model=d, base=base)
        k, g = line_in(ax, draw.GREY, marker=".").get_data()
        rates = oracle.rates(d, base)
        same(g, np.cos(np.multiply.outer(k, rates)).mean(axis=1))
        limits = line_in(ax, draw.INK).get_xydata()
        s = (np.arange(200_000) + 0.5) / 200_000  # the integral, as a sum
        for at, limit in limits[:300:60]:
            same(limit, np.cos(at * base**-s).mean(), atol=1e-4)
        end = line_in(ax, dashed=True).get_xdata()[0]
        same(reading.numbers(said), [d, end], atol=0.51)
