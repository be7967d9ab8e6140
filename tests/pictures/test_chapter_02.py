"""Chapter 2: bits and waves, hands and their sides, a riddle, and four views."""

from itertools import product
from math import cos, dist, pi, sqrt

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
    same((arrow.xyann[0], arrow.xy[0]), (pi, 5 * pi))  # two peaks of sin(pos / 2)
    fast, slow = chapter.cell["a-fast-hand-and-a-slow-one"].axes
    for ax, omega in (right, 1 / 2), (fast, 1), (slow, 1 / 8):
        for pos in (0, 1):
            check_hand(named(ax)[str(pos)], pos * omega)


def test_a_larger_base_stretches_all_wavelengths_but_the_first(chapter):
    question = "what-a-larger-base-changes"
    small, large = (2 * pi / rates(8, base) for base in (100, 10_000))
    lines = chapter.cell[question].axes[1].lines  # B
    same(sorted(line.get_xdata().tolist() for line in lines), list(zip(small, large)))
    says(reading.right_answer(chapter, question), np.flatnonzero(large == small))
    reading.check_frames(chapter, "four-ways-to-grow", question)


def test_the_guess_that_fits_three_clocks_is_25_off(chapter):
    (off,) = (k for k in range(1, 50) if all(cos(k / 2**i) > 0.98 for i in range(3)))
    says(reading.right_answer(chapter, "three-clocks-of-four"), off)
    for i, ax in enumerate(chapter.cell["three-clocks-of-four"].axes):
        check_hand(line_in(ax, draw.INK), 41 / 2**i)
        check_hand(line_in(ax, draw.MARK, marker="o"), (41 - off) / 2**i)


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
    for d, base, pos in ((64, 10_000, 39), (12, 10, 0), (16, 100, 9)):
        said, (strip, table, *views) = set_to(panel, d_model=d, base=base, pos=pos)
        rows = [code(row, d, base) for row in range(40)]
        same(reading.matrix(table), rows)
        same(reading.matrix(strip), rows[pos : pos + 1])
        (frame,) = table.patches
        same(frame.get_y() + frame.get_height() / 2, pos)
        pairs = [0, d // 4, d // 2 - 1]
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


def test_without_the_cosines_steps_are_uneven(chapter):
    vote = "which-wish-needs-the-cosine"
    lost = reading.right_answer(chapter, vote).lower()
    wanted = {"integers": ["bounded"], "binary": [lost], "sines alone": [lost]}
    for cell in (vote, "all-three-at-once"):
        failures = reading.failures(reading.read_board(chapter.cell[cell].axes[0]))
        assert failures == wanted | {"sines and cosines": []}


def test_the_reach_is_where_the_average_first_is_that_of_random_angles(chapter):
    panel = chapter.cell["why-10000"]
    for base, n in ((16, 64), (100, 32_768), (10_000, 512)):
        said, (ax,) = set_to(panel, base=base, n=n)
        each = line_in(ax, draw.FAINT)
        apart = [dist(code(k, 64, base), code(0, 64, base)) for k in each.get_xdata()]
        same(each.get_ydata(), apart, atol=1e-6)
        (near, step), (reach, height) = line_in(ax, marker="D").get_xydata()
        same((near, step, height), (1, apart[0], sqrt(2 * 32)))
        same(reach / base, 0.55, atol=0.1)
        wanted = [step, n] if reach >= n else [step, reach, n]
        same(reading.numbers(said), wanted, rtol=0.05)


def test_the_readme_shows_this_explorer_at_position_0(chapter):
    panel = chapter.cell["one-position-four-views"]
    panel.live.paint({**panel.start, "pos": 0})
    now = Image.fromarray(np.asarray(panel.live.canvas.buffer_rgba()))
    kept = Image.open(ROOT / "figures" / "four_views_still.png")  # in fewer colours
    assert change_of_blocks(kept, now).max() < 50  # a position on, 220: make figures
