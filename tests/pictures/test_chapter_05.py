"""Chapter 5: codes as complex numbers, pairs of them, and one rigid motion."""

import re
from math import cos, dist, log, pi, sin

import numpy as np
import pytest

from course import draw
from tests.support import oracle, reading
from tests.support.oracle import tip
from tests.support.reading import (
    check_hand,
    line_in,
    lines_in,
    named,
    same,
    says,
    set_to,
    tip_of,
)


def test_framed_numbers_are_equal_for_a_hand_and_not_for_its_sine(chapter):
    axes = chapter.cell["which-table-fulfils-the-wish"].axes
    two_places_on = [sin(0.7 * n) * sin(0.7 * (n + 2)) for n in range(3)]
    wishes = {"the hand": [cos(0.7 * 2)] * 3, "its sine": two_places_on}
    for ax, (name, wanted) in zip(axes, wishes.items(), strict=True):
        table = reading.matrix(ax)
        framed = [table[row, column] for column, row, *_ in reading.frames(ax)]
        same(framed, wanted, err_msg=f"framed numbers of {name}")
    alt = chapter.said["which-table-fulfils-the-wish"]
    says(alt.rpartition("its sine alone, they are")[2], two_places_on)


def test_a_product_with_a_conjugate_has_the_product_of_the_lengths(chapter):
    left, right = chapter.cell["a-product-with-a-conjugate"].axes
    p_m, p_n = (tip_of(hand) @ [1j, 1] for hand in lines_in(left, draw.POSITION))
    mirrored = line_in(left, draw.BEFORE["color"])
    same(tip_of(mirrored) @ [1j, 1], p_n.conjugate(), err_msg="conjugate of p_n")
    product = p_m * p_n.conjugate()
    same(tip_of(line_in(right, draw.INK)) @ [1j, 1], product, err_msg="product")
    height = line_in(right, draw.COS, dashed=True).get_xydata()
    same(height, [(0, 0), (0, product.real)], err_msg="height, the dot product")
    assert abs(abs(p_m) - abs(p_n)) > 0.1, "the lengths should differ"


def test_lengths_may_be_equal_and_not_1(chapter):
    before, question = "lengths-equal-or-1-or-free", "must-the-lengths-be-equal"
    equal, one, free = (
        [np.hypot(*reading.tip_of(hand)) for hand in ax.lines]
        for ax in chapter.cell[before].axes
    )
    assert np.ptp(equal) < 1e-9 < np.ptp(free) and min(equal) > 1
    same(one, 1, err_msg="lengths of answer B")
    reading.check_frames(chapter, before, question)


def test_the_next_code_may_stand_at_one_place_alone(chapter):
    before, question = "anywhere-on-or-back", "where-may-the-next-code-stand"
    places = {"A: anywhere": None, "B: 45° on": [2], "C: 45° on, or back": [2, 0]}
    for ax, (name, steps) in zip(
        chapter.cell[before].axes, places.items(), strict=True
    ):
        assert ax.get_title() == name
        for m, hand in enumerate(lines_in(ax, draw.POSITION)):
            check_hand(hand, m * pi / 4)
        if steps is None:
            around = line_in(ax, draw.MARK).get_xydata()
            same(np.hypot(*around.T), 1, err_msg="the rim")
        else:
            rings = line_in(ax, marker="o", filled=False).get_xydata()
            same(rings, [tip(m * pi / 4) for m in steps], err_msg=f"rings of {name}")
    reading.check_frames(chapter, before, question)


def test_a_hand_to_and_fro_has_one_dot_product_at_each_offset(chapter):
    for m, ax in enumerate(chapter.cell["must-the-hand-turn-on"].axes):
        check_hand(line_in(ax, draw.INK), (m % 2) * pi / 4)
        for k, words in enumerate(reading.texts_in(ax), start=1):
            says(words, m, m + k, cos(pi / 4) if k == 1 else 1)
    right = reading.right_answer(chapter, "must-the-hand-turn-on")
    assert right == "It is, at all offsets."


def best_motion(here, there):
    """Where the best rotation or mirror image puts points, its angle, is it a turn."""
    turn, mirror = (here.conj() * there).sum(), (here * there).sum()
    if abs(turn) > abs(mirror):
        return here * turn / abs(turn), np.angle(turn), True
    return here.conj() * mirror / abs(mirror), np.angle(mirror), False


@pytest.mark.parametrize("step, factor", [(15, 1.0), (-45, 1.0), (45, 1.0), (45, 0.9)])
def test_a_code_is_missed_where_one_offset_has_several_products(chapter, step, factor):
    panel = chapter.cell["one-motion-or-a-glowing-rest"]
    said, (left, right) = set_to(panel, second_step=step, factor=factor)
    angles = np.radians(np.cumsum([0, *[45, step] * 3, 45]))
    codes = factor ** np.arange(8) * np.exp(1j * angles)  # their real part up
    aims, angle, turns = best_motion(codes[:-1], codes[1:])
    for name, points, filled in (("dots", codes, True), ("rings", aims, False)):
        marks = line_in(left, marker="o", filled=filled)
        same(marks.get_xydata() @ [1j, 1], points, err_msg=name)
    ((_, end, *_),) = reading.sweeps(left)
    mirror = line_in(left, dashed=True)
    assert mirror.get_visible() != turns
    shown = end if turns else 2 * np.arctan2(*reading.tip_of(mirror))
    same(shown, angle, err_msg="angle of the best motion, in radians")
    products = (codes[:, None] * codes.conj()).real
    pairs = [(m - n, products[m, n]) for m in range(8) for n in range(m + 1)]
    same(line_in(right, marker="o").get_xydata(), pairs, err_msg="offset, product")
    missed = max(abs(aims - codes[1:]))
    if np.ptp(np.diagonal(products, 1)) < 1e-9:
        assert missed < 1e-9 and ": one dot product" in said
        says(said, [np.degrees(angle)][:turns])
    else:
        assert ": several dot products" in said
        says(said, missed)


def test_one_factor_takes_every_code_to_the_next_clockwise(chapter):
    dial, waves = chapter.cell["one-motion-takes-every-code-on"].axes
    names, lines = named(dial), named(waves)
    codes = [names[f"$p_{m}$"].get_xydata()[0] @ [1j, 1] for m in range(8)]
    factor = codes[1] / codes[0]
    assert 0 < np.angle(factor) < pi, "it turns anticlockwise"
    same(codes, codes[0] * factor ** np.arange(8), err_msg="codes")
    for name, part in {"up": np.real(codes), "right": np.imag(codes)}.items():
        same(lines[name].get_xydata()[::20], [*enumerate(part)], err_msg=name)


def test_each_plane_has_the_length_and_the_step_of_its_title(chapter):
    axes = chapter.cell["four-planes-at-position-5"].axes
    wanted = zip(axes, (1, 0.6, 0.8, 0.4), (1, 1 / 2, 1 / 4, 1 / 8), strict=True)
    for i, (ax, length, step) in enumerate(wanted):
        says(ax.get_title(), i, length, i, step)
        check_hand(line_in(ax, draw.POSITION), 5 * step, length)


def test_the_direction_that_turns_least_lies_in_the_middle_of_its_plane(chapter):
    (ax,) = chapter.cell["the-direction-that-turns-least"].axes
    for words, times in {"$U^{-1}v$": -1, "$v$": 0, "$Uv$": 1, "$U^2v$": 2}.items():
        check_hand(named(ax)[words], 0.9 * times)


@pytest.mark.parametrize("m, k", [(7, 2), (14, -3), (4, 4)])
def test_a_code_times_a_conjugate_stands_at_the_offset(chapter, m, k):
    said, (left, right) = set_to(chapter.cell["only-the-offset-is-left"], m=m, k=k)
    for at in (m, m - k):
        check_hand(named(left)[f"$p_{{{at}}}$"], 0.6 * at)
    check_hand(line_in(right, marker="o"), 0.6 * k)
    height = cos(0.6 * k)
    ends = line_in(right, dashed=True).get_xydata()
    same(ends, [(0, 0), (0, height)], err_msg="height, the dot product")
    says(said, m, m - k, 0.6 * k, 12, height)


def test_added_codes_change_with_the_place_and_multiplied_codes_do_not(chapter):
    added, multiplied = chapter.cell["products-of-two-tokens-on-the-move"].axes
    for ax, name, changes in (added, "added", True), (multiplied, "multiplied", False):
        assert any(words.startswith(name) for words in reading.texts_in(ax)), name
        hands = [np.diff(line.get_xydata(), axis=0)[0] for line in ax.lines]
        moves = [dist(hands[0], hand) > 0.1 for hand in hands[1:]]
        assert moves == [changes] * 4, f"codes {name}: directions change: {moves}"


@pytest.mark.parametrize("d, base", [(128, 10_000), (64, 100)])
def test_similarity_against_its_limit(chapter, d, base):
    panel = chapter.cell["long-term-decay-against-its-limit"]
    said, (ax,) = set_to(panel, d_model=d, base=base)
    k, similarity = line_in(ax, draw.GREY, marker=".").get_data()
    waves = np.cos(np.multiply.outer(k, oracle.rates(d, base)))
    same(similarity, waves.mean(axis=1), err_msg="grey dots")
    s = (np.arange(200_000) + 0.5) / 200_000  # the integral, as a sum
    for at, limit in line_in(ax, draw.INK).get_xydata()[:300:60]:
        same(limit, np.cos(at * base**-s).mean(), atol=1e-4, err_msg=f"limit at {at}")
    border = line_in(ax, dashed=True).get_xdata()[0]
    same(border, pi * d / log(base), err_msg="where the two fastest hands meet")
    says(said, d, border)


def test_formulas_and_numbers_of_the_prose_hold(chapter):
    terms = r"x\cdot y + x\cdot p_n + p_m\cdot y + \boxed{\,p_m\cdot p_n\,}"
    assert terms in reading.plain("05", "the-wish")
    assert r"u_m u_n + v_m v_n = \mathrm{Re}" in reading.plain(
        "05", "a-code-as-a-complex-number"
    )
    told = reading.plain("05", "the-clock-of-chapter-2")
    assert r"up $\cos m\theta$, right $\sin m\theta$" in told
    told = reading.plain("05", "title-move-both-hands-together")
    both = r"\cos m\theta\,\cos n\theta + \sin m\theta\,\sin n\theta"
    assert rf"{both} = \cos\,(m-n)\,\theta" in told
    before, now = re.findall(
        "`k` = −(.+) in place of (.+) the product",
        reading.plain("05", "notes-move-both-hands-together"),
    )[0]
    assert before == now
    told = reading.plain("05", "choosing-the-frequencies")
    assert r"\mathrm{base}^{-2i/d}" in told and r"\frac2d \sum_i \cos k\omega_i" in told
    told = reading.plain("05", "notes-choosing-the-frequencies")
    assert f"takes off about {log(10) / log(10_000):.2f}" in told
    zero = chapter.K[chapter.LIMITS[10_000] < 0][0] / 10_000
    assert f"0 at about {zero:.1f} times the base" in told
    told = reading.plain("05", "notes-why-one-linear-map")
    for m in (2, 3):
        assert rf"p_{m} = 2\cos\theta\;p_{m - 1} - p_{m - 2}$" in told
    (step,) = re.findall(
        r"at −(\d+) it is 0 once more", reading.plain("05", "notes-place-eight-points")
    )
    panel = chapter.cell["one-motion-or-a-glowing-rest"]
    said, _ = set_to(panel, second_step=-int(step), factor=1.0)
    assert "fits every step" in said
