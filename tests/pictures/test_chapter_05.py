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


def test_a_hand_to_and_fro_has_one_dot_product_an_offset(chapter):
    for m, ax in enumerate(chapter.cell["must-the-hand-turn-on"].axes):
        check_hand(line_in(ax, draw.INK), (m % 2) * pi / 4)
        told = dict(words.split(" = ") for words in reading.texts_in(ax))
        products = (m + 1, draw.number(cos(pi / 4))), (m + 2, draw.number(1))
        wanted = {rf"$p_{m}\cdot p_{n}$": words for n, words in products if n < 6}
        assert told == wanted


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


def test_one_factor_takes_every_code_to_the_next(chapter):
    for name in ("one-motion-takes-every-code-on", "eight-codes-and-one-rule"):
        ax, *others = chapter.cell[name].axes
        dots = [f"$p_{m}$" for m in range(8)]
        codes = np.array([named(ax)[dot].get_xydata()[0] @ [1j, 1] for dot in dots])
        factor = codes[1] / codes[0]
        assert 0 < np.angle(factor) < pi  # clockwise
        same(codes, codes[0] * factor ** np.arange(8))
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
