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

BLUE, ORANGE = draw.SIN.lower(), draw.COS.lower()
INK, MARK = draw.INK.lower(), draw.MARK.lower()


def check_sides(ax, angle):
    right, up = oracle.tip(angle)
    check_hand(line_in(ax, INK), angle)
    same(line_in(ax, BLUE).get_xydata(), [(0, 0), (right, 0)])
    same(line_in(ax, ORANGE).get_xydata(), [(right, 0), (right, up)])


def test_the_title_draws_eight_numbers_as_four_hands(chapter):
    first = "position-three-on-four-clocks"
    for i, ax in enumerate(chapter.cell[first].axes):
        check_sides(ax, 3 / 2**i)
        written = dict(text.get_text().split() for text in ax.texts)
        told = reading.numbers(written["sine"], written["cosine"])
        same(told, oracle.tip(3 / 2**i), atol=0.0051)
    says(reading.alt(chapter, first), 3, code(3, 8, 16))


def test_bits_keep_their_periods_while_they_are_rounded(chapter):
    panel = chapter.cell["square-to-round"]
    pos = np.arange(33)
    for roundness in (1, 0.3, 0):
        said, (*rows, below) = set_to(panel, roundness=roundness)
        heights = []
        for period, ax in zip((8, 16, 32), rows, strict=True):
            square = pos % period >= period / 2
            wave = (1 - np.sin(2 * pi * (pos + 0.5) / period)) / 2
            heights.append(square + roundness * (wave - square))
            same(line_in(ax, INK).get_ydata(), heights[-1])
            same(np.interp(pos, *line_in(ax, BLUE).get_data()), heights[-1])
        steps = np.hypot.reduce(np.diff(heights))
        same(reading.heights(below), steps)
        says(said, roundness, max(steps), min(steps))
    same(reading.numbers(panel.alt)[-1], max(steps), atol=0.0051)


def test_one_sine_or_one_cosine_belongs_to_two_hands(chapter):
    left, right = chapter.cell["one-sine-two-angles"].axes
    waves = named(left)
    for degrees in (30, 150, 330):
        hand, tip = named(right)[f"{degrees}°"], oracle.tip(degrees * pi / 180)
        same(reading.tip_of(hand), tip)
        looks = ("sine", BLUE), ("cosine", ORANGE)
        for height, (wave, colour) in zip(tip, looks, strict=True):
            dot = line_in(left, colour, marker=hand.get_marker())
            same(dot.get_xydata(), [(degrees, height)])
            same(np.interp(degrees, *waves[wave].get_data()), height)


def test_chords_are_equal_and_their_shadows_are_not(chapter):
    (ax,) = chapter.cell["equal-chords-unequal-shadows"].axes
    tips = np.array([oracle.tip(pi * hour / 6) for hour in range(9, 16)])
    same(line_in(ax, INK).get_xydata(), tips)
    same(line_in(ax, BLUE).get_xdata(), tips[:, 0])
    chord, shadows = dist(*tips[:2]), np.diff(tips[:, 0])
    told = reading.in_alt(chapter, "equal-chords-unequal-shadows")
    same(told, [9, 15, chord, *shadows], atol=0.051)


def test_a_wavelength_runs_from_peak_to_peak_and_once_round(chapter):
    left, right = chapter.cell["omega-and-wavelength"].axes
    (words,) = (word for word in named(left) if "wavelength" in word)
    arrow = named(left)[words]
    says(words, 4 * pi)
    same((arrow.xyann[0], arrow.xy[0]), (pi, 5 * pi))
    for line in left.lines:
        same(line.get_ydata(), np.sin(line.get_xdata() / 2))
    axes = chapter.cell["a-fast-hand-and-a-slow-one"].axes
    for ax, omega in zip((right, *axes), (1 / 2, 1, 1 / 8), strict=True):
        for pos in (0, 1):
            check_hand(named(ax)[str(pos)], pos * omega)


def test_one_of_four_ways_to_grow_is_that_of_the_base(chapter):
    axes = chapter.cell["four-ways-to-grow"].axes
    led = [sorted(line.get_xdata().tolist() for line in ax.lines) for ax in axes]
    starts, grown = np.moveaxis(led, 2, 0)
    small, large = (2 * pi / rates(8, base) for base in (100, 10_000))
    same(starts, 4 * [small])
    same((np.divide(grown, small) > 1.01).sum(axis=1), [4, 3, 1, 0])
    same(grown[1], large)  # B, the right answer
    same([grown[0][0], grown[2][3]], [10 * small[0], large[3]])
    kept, answer = np.flatnonzero(large == small), "what-a-larger-base-changes"
    says(reading.right_answer(chapter, answer), kept)
    reading.check_frames(chapter, "four-ways-to-grow", answer)


def test_three_hands_within_ten_degrees_are_not_enough(chapter):
    (back,) = (k for k in range(1, 50) if all(cos(k / 2**i) > 0.98 for i in range(3)))
    says(reading.right_answer(chapter, "three-clocks-of-four"), back)
    for cell in ("three-hands-within-ten-degrees", "three-clocks-of-four"):
        for i, ax in enumerate(chapter.cell[cell].axes):
            check_hand(line_in(ax, INK), 41 / 2**i)
    for i, ax in enumerate(chapter.cell["three-clocks-of-four"].axes):
        check_hand(line_in(ax, MARK, marker="o"), (41 - back) / 2**i)


def test_a_riddle_is_solved_where_all_hands_agree(chapter):
    panel = chapter.cell["which-position-is-it"]
    for (riddle, hidden), pos in product(chapter.HIDDEN.items(), range(50)):
        said, axes = set_to(panel, riddle=riddle, pos=pos)
        agree = [cos((pos - hidden) / 2**i) > cos(pi / 6) for i in range(4)]
        for i, ax in enumerate(axes):
            check_hand(line_in(ax, INK), hidden / 2**i)
            check_hand(line_in(ax, MARK), pos / 2**i)
            same(len(reading.texts_in(ax)), agree[i])  # a word, or none
        found = [i for i in (3, 2, 1, 0) if agree[i]]
        says(said, riddle, pos, ([] if all(agree) else found))
        assert all(agree) == (pos == hidden), (riddle, pos)


def test_one_factor_leads_from_mark_to_mark(chapter):
    (ax,) = chapter.cell["one-factor-on-a-log-scale"].axes
    rows = {"bits": [2, 4, 8, 16], "base 16": [2 * pi * 2**i for i in range(5)]}
    for name, lengths in rows.items():
        _, y = reading.place(ax, name)
        marks = [line.get_xdata() for line in ax.lines if line.get_ydata()[0] == y]
        same(sorted(np.concatenate(marks)), lengths)
        steps = [(x.xyann[0], x.xy[0]) for x in reading.arrows(ax) if x.xy[1] == y]
        same(sorted(steps), list(zip(lengths, lengths[1:])))


def test_the_whole_table_changes_ever_more_slowly_from_left_to_right(chapter):
    ax, _ = chapter.cell["the-whole-table"].axes
    table = np.array([code(pos) for pos in range(100)])
    same(reading.matrix(ax), table)
    changes = abs(np.diff(table, axis=0)).mean(axis=0)
    assert (np.diff(changes[::2]) < 0).all() and changes[-1] < 0.001


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
        for name, i, waves, clock in zip(
            "ABC", pairs, views[::2], views[1::2], strict=True
        ):
            same(named(strip)[name].get_xdata(), (2 * i / d, (2 * i + 2) / d))
            omega = rates(d, base)[i]
            for colour, wave in ((BLUE, np.sin), (ORANGE, np.cos)):
                x, y = line_in(waves, colour).get_data()
                same(y, wave(omega * x))
            check_sides(clock, omega * pos)
        fast, _, slow = pos * rates(d, base)[pairs] / (2 * pi)
        says(said, pos, fast, slow if slow >= 0.005 else 0.01)  # "less than"


def test_a_large_base_slows_hands_and_brings_neighbours_closer(chapter):
    (ax,) = chapter.cell["wavelengths-of-three-bases"].axes
    steps, texts = [], reading.texts_in(ax)
    for base in (16, 10_000, 1_000_000):
        _, y = reading.place(ax, f"base {base:,}")
        (marks,) = (line for line in ax.lines if line.get_ydata()[0] == y)
        lengths = 2 * pi / rates(64, base)
        same(marks.get_xdata(), lengths, rtol=1e-9)
        hands, gaps = ([x for x in texts if kind in x] for kind in ("of 32", "apart"))
        slow = reading.text_at(ax, (None, y), hands)
        says(slow, sum(lengths > 512), 32)
        steps.append(dist(code(0, 64, base), code(1, 64, base)))
        says(reading.text_at(ax, (None, y), gaps), steps[-1:])
    same(reading.in_alt(chapter, "wavelengths-of-three-bases")[-3:], steps, atol=0.0051)


def test_only_the_cosines_make_the_steps_even(chapter):
    vote = "which-wish-needs-the-cosine"
    lost = reading.right_answer(chapter, vote).lower()
    told = reading.read_board(chapter.cell["all-three-at-once"].axes[0])
    fails = {"integers": ["bounded"], "binary": [lost], "sines alone": [lost]}
    assert reading.failures(told) == fails | {"sines and cosines": []}
    assert reading.read_board(chapter.cell[vote].axes[0]) == told
    asked = reading.read_board(chapter.cell["which-cell-gets-the-cross"].axes[0])
    open_place = {"sines alone": (None, "?")}
    assert asked == {wish: row | open_place for wish, row in told.items()}


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
        same(reading.numbers(said.replace(",", "")), wanted, rtol=0.05)


def test_the_readme_shows_this_explorer_at_position_0(chapter):
    panel = chapter.cell["one-position-four-views"]
    panel.live.paint({**panel.start, "pos": 0})
    now = Image.fromarray(np.asarray(panel.live.canvas.buffer_rgba()))
    kept = Image.open(ROOT / "figures" / "four_views_still.png")  # in fewer colours
    assert change_of_blocks(kept, now).max() < 50  # a position on, 220: make figures
