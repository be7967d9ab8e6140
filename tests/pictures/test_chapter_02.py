"""Chapter 2: bits, waves and hands, one rim, a riddle, four views, a scoreboard."""

import re
from bisect import bisect, insort
from itertools import product
from math import cos, dist, pi, radians, sin, sqrt

import numpy as np
from PIL import Image

from course import draw
from tests.support import oracle, reading
from tests.support.oracle import code, rates
from tests.support.pictures import change_of_blocks
from tests.support.reading import check_hand, line_in, named, same, says, set_to
from tools.chapters import ROOT


def test_bits_keep_their_periods_while_they_are_rounded(chapter):
    panel = chapter.cell["square-to-round"]
    pos = np.arange(33)
    for roundness in (1, 0.3, 0):
        said, (*rows, below) = set_to(panel, roundness=roundness)
        shown = []
        for period, ax in zip((8, 16, 32), rows, strict=True):
            square = pos % period >= period / 2
            wave = (1 - np.sin(2 * pi * (pos + 0.5) / period)) / 2
            shown.append(square + roundness * (wave - square))
            same(line_in(ax, draw.INK).get_ydata(), shown[-1])
            same(np.interp(pos, *line_in(ax, draw.SIN).get_data()), shown[-1])
        steps = np.hypot.reduce(np.diff(shown))
        same(reading.heights(below), steps)
        says(said, roundness, max(steps), min(steps))


def test_one_sine_or_one_cosine_belongs_to_two_hands(chapter):
    left, right = chapter.cell["one-sine-two-angles"].axes
    waves, hands = named(left), named(right)
    for degrees in (30, 150, 330):
        sine, cosine = oracle.tip(degrees * pi / 180)
        same(reading.tip_of(hands[f"{degrees}°"]), (sine, cosine))
        same(np.interp(degrees, *waves["sine"].get_data()), sine)
        same(np.interp(degrees, *waves["cosine"].get_data()), cosine)


def test_a_wavelength_runs_from_peak_to_peak_and_once_round(chapter):
    left, right = chapter.cell["omega-and-wavelength"].axes
    (words,) = (word for word in named(left) if "wavelength" in word)
    arrow = named(left)[words]
    says(words, 4 * pi)
    told = reading.markdown("02", "title-omega-and-wavelength")
    assert r"$2\pi/\omega$: the number of positions" in told
    same((arrow.xyann[0], arrow.xy[0]), (pi, 5 * pi))  # two peaks of sin(pos / 2)
    for pos in (0, 1):
        check_hand(named(right)[str(pos)], pos / 2)


def test_a_larger_base_stretches_all_wavelengths_but_the_first(chapter):
    question = "what-a-larger-base-changes"
    small, large = (2 * pi / rates(8, base) for base in (100, 10_000))
    lines = chapter.cell[question].axes[1].lines  # B
    same(sorted(line.get_xdata().tolist() for line in lines), list(zip(small, large)))
    says(reading.right_answer(chapter, question), np.flatnonzero(large == small))
    reading.check_frames(chapter, "four-ways-to-grow", question)


def test_a_thousand_tips_of_one_hand_fill_its_rim(chapter):
    question = "which-speed-has-resolution"
    before = chapter.cell["a-fast-hand-and-a-slow-one"].axes
    after = chapter.cell[question].axes
    for asked, told, omega in zip(before, after, (1, 1 / 20), strict=True):
        (words,) = (words for words in named(asked) if "turn" in words)
        says(words, 2 * pi / omega)
        for pos in (0, 1, 19):
            check_hand(named(asked)[str(pos)], pos * omega)
        tips = [oracle.tip(pos * omega) for pos in range(1000)]
        same(line_in(told, marker=".").get_xydata(), tips)
        assert not reading.lines_in(asked, marker=".")
    _, reply = reading.replies(chapter, question)["none"]
    says(reply.replace("2π", ""), 2 * pi, 1000, 2 * pi / 1000)
    assert reading.right_answer(chapter, question) == "none"
    for omega in np.random.default_rng(0).uniform(0, pi, 200):
        turns = np.sort(np.arange(1000) * omega / (2 * pi) % 1)
        nearest = min(*np.diff(turns), turns[0] + 1 - turns[-1])
        assert 2 * sin(pi * nearest) < 0.0063


def test_a_riddle_is_solved_where_all_hands_agree(chapter):
    panel = chapter.cell["which-position-is-it"]
    for (riddle, hidden), off in product(chapter.HIDDEN.items(), (0, 1, 8, -8)):
        said, axes = set_to(panel, riddle=riddle, pos=hidden - off)
        agree = [cos(off / 2**i) > cos(pi / 6) for i in range(4)]
        for i, ax in enumerate(axes):
            check_hand(line_in(ax, draw.INK), hidden / 2**i)
            check_hand(line_in(ax, draw.MARK), (hidden - off) / 2**i)
            assert ("agrees" in reading.texts_in(ax)) == agree[i]
        named_pairs = [] if all(agree) else [i for i in (3, 2, 1, 0) if agree[i]]
        says(said, riddle, hidden - off, named_pairs)
        assert ("all four" in said) == (off == 0)


def test_four_views_show_one_position(chapter):
    panel = chapter.cell["one-position-four-views"]
    for d, base, pos in ((64, 10_000, 39), (8, 10, 0), (16, 100, 9)):
        said, (strip, table, *views) = set_to(panel, d_model=d, base=base, pos=pos)
        rows = [code(row, d, base) for row in range(40)]
        same(reading.matrix(table), rows)
        same(reading.matrix(strip), rows[pos : pos + 1])
        (frame,) = table.patches
        same(frame.get_y() + frame.get_height() / 2, pos)
        pairs = [0, d // 8, d // 2 - 1]
        for i, waves, clock in zip(pairs, views[::2], views[1::2], strict=True):
            omega = rates(d, base)[i]
            right, up = oracle.tip(omega * pos)
            check_hand(line_in(clock, draw.INK), omega * pos)
            same(line_in(clock, draw.SIN).get_xydata(), [(0, 0), (right, 0)])
            same(line_in(clock, draw.COS).get_xydata(), [(right, 0), (right, up)])
            for colour, height in (draw.SIN, right), (draw.COS, up):
                same(np.interp(pos, *line_in(waves, colour).get_data()), height)
        fast, _, slow = pos * rates(d, base)[pairs] / (2 * pi)
        says(said, pos, fast, slow if slow >= 0.005 else 0.01)  # "less than"


def gray(pos):
    return [int(bit) for bit in f"{pos ^ pos >> 1:012b}"]


def slow_clock(pos):
    return oracle.tip(pos / 20)


CODES = {
    "fixed scale": lambda pos: [pos / 10_000, 1],
    "Gray code": gray,
    "one slow clock": slow_clock,
    "32 sines": lambda pos: code(pos, 64)[0::2],
    "sines and cosines": lambda pos: code(pos, 64),
}


def lacks(row):
    """Which of the four wishes of the board a code lacks, from their definitions."""
    table = np.array([row(pos) for pos in range(1000)], dtype=float)
    steps = np.hypot.reduce(np.diff(table, axis=0), axis=1)[:63]
    if np.ptp(steps) > 1e-9:
        yield "even steps"
    apart = (
        np.hypot.reduce(table[k:64] - table[: 64 - k], axis=1) for k in range(8, 64)
    )
    if max(steps) >= min(map(min, apart)):
        yield "near places look alike"
    longest = max(np.hypot.reduce(table, axis=1))
    if (
        min(
            min(np.hypot.reduce(table[k:] - table[:-k], axis=1)) for k in range(1, 1000)
        )
        < longest / 10
    ):
        yield "resolution"
    if missed(table, k=5) > 1e-6:
        yield "one matrix moves every place"


def missed(table, k):
    """How far the best matrix that moves each row k on misses, beside their length."""
    best = np.linalg.lstsq(table[:-k], table[k:])[0]
    return np.linalg.norm(table[:-k] @ best - table[k:]) / np.linalg.norm(table[k:])


def test_only_sines_and_cosines_have_resolution_and_one_matrix(chapter):
    wanted = {name: list(lacks(row)) for name, row in CODES.items()}
    assert [name for name in wanted if not wanted[name]] == ["sines and cosines"]
    (kept,) = {*chapter.wishes} - {*wanted["32 sines"]}
    assert f"32 sines have only that {kept}" in chapter.said["why-both-why-many"]
    told = reading.markdown("02", "notes-which-wish-needs-the-cosine")
    assert f"{len(code(0, 64))} of them, as many numbers as before" in told
    vote = "which-wish-needs-the-cosine"
    for cell in (vote, "why-both-why-many"):
        board = reading.read_board(chapter.cell[cell].axes[0])
        assert reading.failures(board) == wanted
    asked = reading.read_board(chapter.cell["which-cell-gets-the-cross"].axes[0])
    assert {row["32 sines"] for row in asked.values()} == {(None, "?")}
    chosen = reading.right_answer(chapter, vote).split(", ")
    for wish, words in zip(wanted["32 sines"], chosen, strict=True):
        assert wish.startswith(words)


def test_sines_alone_do_not_lead_back(chapter):
    sines = np.array([code(pos, 64)[0::2] for pos in range(1200)])
    says(
        reading.markdown("02", "title-all-three-at-once"),
        32,
        100 * missed(sines[::-1], 3),
    )


def test_the_reach_is_where_the_average_first_is_that_of_random_angles(chapter):
    panel = chapter.cell["why-10000"]
    for base, k in ((16, 1), (100, 10_000), (10_000, 500)):
        said, (ax,) = set_to(panel, base=base, k=k)
        each = line_in(ax, draw.GREY)
        apart = [dist(code(x, 64, base), code(0, 64, base)) for x in each.get_xdata()]
        same(each.get_ydata(), apart, atol=1e-6)
        (near, step), (reach, height) = line_in(ax, marker="D").get_xydata()
        same((near, step, height), (1, apart[0], sqrt(2 * 32)))
        same(reach / base, 0.55, atol=0.1)
        here = dist(code(k, 64, base), code(0, 64, base))
        same(line_in(ax, marker="o").get_xydata(), [(k, here)])
        around = np.linspace(k / sqrt(2), k * sqrt(2), 20_001)
        squares = [2 * (1 - np.cos(around * omega)).mean() for omega in rates(64, base)]
        same(reading.numbers(said), [k, here, sqrt(sum(squares))], atol=0.01)


def test_a_distance_does_not_tell_the_offset(chapter):
    told = reading.markdown("02", "more-reach-has-a-price")
    for d, share in ((64, 73), (512, 88)):
        chords = 2 * np.sin(np.outer(np.arange(1, 5033), rates(d)) / 2)
        behind, sorted_so_far = 0, []
        for apart in np.hypot.reduce(chords, axis=1):
            behind += bisect(sorted_so_far, apart)  # smaller offsets that are nearer
            insort(sorted_so_far, apart)
        same(100 * behind / (5032 * 5031 / 2), share, atol=0.5)
        assert f"{share} %" in told
    for near, far in ((500, 4770), (1000, 4349)):
        assert dist(code(near, 64), code(0, 64)) > dist(code(far, 64), code(0, 64))
        assert str(near) in told and str(far) in told


def test_the_readme_shows_this_explorer_at_position_0(chapter):
    panel = chapter.cell["one-position-four-views"]
    panel.live.paint({**panel.start, "pos": 0})
    now = Image.fromarray(np.asarray(panel.live.canvas.buffer_rgba()))
    kept = Image.open(ROOT / "figures" / "four_views_still.png")  # in fewer colours
    assert change_of_blocks(kept, now).max() < 50  # a position on, 220: make figures


def test_the_formula_has_the_sine_first_and_falling_frequencies():
    told = reading.markdown("02", "the-formula").replace(" ", "")
    waves = re.findall(r"_{(2i(?:\+1)?)}=\\textcolor{#\w+}{\\(sin|cos)}", told)
    assert waves == [("2i", "sin"), ("2i+1", "cos")]
    assert r"\omega_i=\text{base}^{-2i/d_\text{model}}" in told


def test_numbers_of_the_notes_hold(chapter):
    steps = chapter.said["all-steps-of-three-clocks-are-equal"]
    (sines,) = re.findall("(?m)^sines: steps (.*)", steps)
    assert f"uneven, {sines}" in reading.markdown("02", "notes-round-off-the-bits")
    told, off = reading.markdown("02", "notes-which-position-is-it"), 41 - np.arange(50)
    pair_3, *_, pair_3_last = np.flatnonzero(np.cos(off / 8) > cos(pi / 6))
    assert f"nine positions, {pair_3} to {pair_3_last} in `riddle` 1" in told
    fast = np.cos(off[:, None] / 2 ** np.arange(3)) > cos(radians(8.5))
    assert f"set `pos = {np.flatnonzero(fast.all(axis=1))[0]}`" in told
    slowest = 2 * pi / rates(64, 16)[-1]
    assert f"after {slowest:.0f} tokens" in reading.markdown("02", "notes-why-10000")
