"""Chapter 2: bits and waves, hands and their sides, a riddle, and four views."""

import re
from math import cos, dist, isclose, pi, sin

import numpy as np

import draw
from tests.pictures import reading
from tests.pictures.reading import (
    alt,
    code,
    look,
    named,
    numbers,
    right_answer,
    runs,
    tip,
)

BLUE, ORANGE = draw.SIN.lower(), draw.COS.lower()
INK, MARK = draw.INK.lower(), draw.MARK.lower()


def rates(d_model, base):
    """Radians a token of each pair: from pair to pair by one factor."""
    return np.cumprod([1.0] + [base ** (-2 / d_model)] * (d_model // 2 - 1))


def line_in(ax, colour):
    """The only line of a colour in axes."""
    (line,) = (line for line in ax.lines if look(line)[0] == colour)
    return line


def place(ax, words):
    return reading.texts_of(ax)[words].get_position()


def shows_a_hand_and_its_sides(ax, angle):
    right, up = tip(angle)
    assert runs(line_in(ax, BLUE), (0, 0), (right, 0))
    assert runs(line_in(ax, ORANGE), (right, 0), (right, up))
    assert runs(line_in(ax, INK), (0, 0), (right, up))


def test_the_title_draws_eight_numbers_as_four_hands(chapter):
    told = numbers(alt(chapter.said["position-three-on-four-clocks"]).split(":")[1])
    for i, ax in enumerate(chapter.cell["position-three-on-four-clocks"].axes):
        shows_a_hand_and_its_sides(ax, 3 / 2**i)
        sine, cosine = map(draw.number, tip(3 / 2**i))
        assert [x.get_text() for x in ax.texts] == [f"sine {sine}", f"cosine {cosine}"]
        assert told[2 * i : 2 * i + 2] == numbers(f"{sine} {cosine}")


def test_bits_keep_their_periods_while_they_are_rounded(chapter):
    panel = chapter.cell["square-to-round"]
    pos = np.arange(33)
    for roundness in (0, 0.3, 1):
        said = panel.sentence_at({"roundness": roundness})
        *rows, bars = panel.canvas.figure.axes
        heights = []
        for ax, period in zip(rows, (8, 16, 32)):
            assert [text.get_text() for text in ax.texts] == [f"period {period}"]
            square = pos % period >= period / 2
            wave = (1 + np.cos(2 * pi * (pos + 0.5) / period + pi / 2)) / 2
            heights.append(square + roundness * (wave - square))
            assert np.allclose(line_in(ax, INK).get_ydata(), heights[-1])
            assert np.allclose(line_in(ax, BLUE).get_ydata()[::20], heights[-1])
        steps = np.sqrt((np.diff(heights) ** 2).sum(axis=0))
        assert np.allclose([bar.get_height() for bar in bars.patches], steps)
        assert f"is {max(steps):.2f}, the shortest {min(steps):.2f}." in said


def test_one_sine_or_one_cosine_belongs_to_two_hands(chapter):
    left, right = chapter.cell["one-sine-two-angles"].axes
    for degrees in (30, 150, 330):
        at = sine, cosine = tip(degrees * pi / 180)
        (hand,) = (line for line in right.lines if runs(line, (0, 0), at))
        assert dist(place(right, f"{degrees}°"), at) < 0.4
        dots = [line for line in left.lines if line.get_marker() == hand.get_marker()]
        seen = {look(line)[0]: line.get_xydata()[0] for line in dots}
        for name, colour, height in ("sine", BLUE, sine), ("cosine", ORANGE, cosine):
            assert np.allclose(seen[colour], (degrees, height))
            assert isclose(named(left)[name].get_ydata()[degrees], height)
    told = alt(chapter.said["one-sine-two-angles"])
    assert numbers(told) == [0.5, 30, 150, 0.87, 30, 330, 30, 150, 30, 330]


def test_chords_are_equal_and_their_shadows_are_not(chapter):
    (ax,) = chapter.cell["equal-chords-unequal-shadows"].axes
    tips = np.array([tip(pi * hour / 6) for hour in range(9, 16)])
    assert np.allclose(line_in(ax, INK).get_xydata(), tips)
    assert np.allclose(line_in(ax, BLUE).get_xdata(), tips[:, 0])
    for hour, at in zip(range(9, 16), tips):
        assert dist(place(ax, f"pos {hour}"), at) < 0.3
    written = [text.get_text() for text in ax.texts if text.get_text()[0] == "0"]
    shadows = [f"{shadow:.1f}" for shadow in np.diff(tips[:, 0])]
    assert written == [f"{dist(*tips[:2]):.2f}", *shadows]
    told = alt(chapter.said["equal-chords-unequal-shadows"])
    assert re.findall(r"0\.\d+", told) == written


def test_a_wavelength_runs_from_peak_to_peak(chapter):
    left, right = chapter.cell["omega-and-wavelength"].axes
    arrow = named(left)[f"wavelength {4 * pi:.2f}"]
    assert np.allclose((arrow.xyann[0], arrow.xy[0]), (pi, 5 * pi))
    for pos in range(4):
        assert runs(named(right)[str(pos)], (0, 0), tip(pos / 2))
        assert dist(place(left, str(pos)), (pos, sin(pos / 2))) < 0.7
    x, y = named(right)["ω"].get_data()
    assert np.allclose(np.arctan2(x, y)[[0, -1]], (0, 0.5))


def test_a_fast_hand_returns_and_a_slow_one_crawls(chapter):
    axes = chapter.cell["a-fast-hand-and-a-slow-one"].axes
    for ax, name, omega, close in zip(axes, ("fast", "slow"), (1, 1 / 8), (19, 1)):
        for pos in (0, 1, 19):
            assert runs(named(ax)[str(pos)], (0, 0), tip(pos * omega))
            assert (dist(tip(0), tip(pos * omega)) < 0.16) == (pos in (0, close))
        assert ax.get_title() == f"the {name} pair: {2 * pi / omega:.1f} tokens a turn"


def test_the_votes_have_the_right_answers(chapter):
    (back,) = (k for k in range(1, 50) if all(cos(k / 2**i) > 0.98 for i in range(3)))
    assert right_answer(chapter, "three-clocks-of-four") == f"{back} tokens"
    assert list(rates(6, 100) > rates(6, 10_000)) == [False, True, True]
    assert right_answer(chapter, "what-a-larger-base-changes").startswith("All but")


def test_a_riddle_is_solved_where_all_hands_agree(chapter):
    panel = chapter.cell["which-position-is-it"]
    for riddle, hidden in {1: 41, 2: 23, 3: 34}.items():
        for pos in (0, 3, 16, hidden - 4, hidden - 2, hidden):
            said = panel.sentence_at({"riddle": riddle, "pos": pos})
            near = [cos((pos - hidden) / 2**i) > cos(pi / 6) for i in range(4)]
            for i, ax in enumerate(panel.canvas.figure.axes):
                assert runs(line_in(ax, INK), (0, 0), tip(hidden / 2**i))
                assert runs(line_in(ax, MARK), (0, 0), tip(pos / 2**i))
                assert numbers(ax.get_title("left")) == [i, round(2 * pi * 2**i, 1)]
                assert list(reading.texts_of(ax)) == ["agrees"] * near[i]
            found = [i for i in (3, 2, 1, 0) if near[i] and pos != hidden]
            assert numbers(said) == [riddle, pos, *found] and "agree" in said
            assert all(near) == (pos == hidden) == ("all four" in said)
    assert numbers(panel.alt)[-4:] == [round(41 / 2**i * 6 / pi % 12) for i in range(4)]


def test_one_factor_leads_from_mark_to_mark(chapter):
    (ax,) = chapter.cell["one-factor-on-a-log-scale"].axes
    bits, clocks = "bits 2 ×2 4 ×2 8 ×2 16", "base 16 6.3 ×2 13 ×2 25 ×2 50 ×2 101"
    for y, words in (2.2, bits), (0.5, clocks):  # what stands there, left to right
        lengths = [float(x) for x in words.removeprefix("base ").split()[1::2]]
        rows = [line.get_xdata() for line in ax.lines if line.get_ydata()[0] == y]
        assert np.allclose(np.concatenate(rows), lengths, rtol=0.04)
        ways = [(a.xyann[0], a.xy[0]) for a in reading.arrows(ax) if a.xy[1] == y]
        assert np.allclose(ways, list(zip(lengths, lengths[1:])), rtol=0.04)
        near = [t for t in ax.texts if abs(t.get_position()[1] - y) < 0.6]
        near.sort(key=lambda text: text.get_position()[0])
        assert " ".join(t.get_text() for t in near if t.get_text()) == words
    assert ax.lines[-1].get_markerfacecolor() == "white"  # the fifth clock is hollow
    bracket = named(ax)["× base"]
    assert np.allclose((bracket.xyann[0], bracket.xy[0]), (2 * pi, 2 * pi * 16))


def test_four_views_show_the_same_code(chapter):
    panel = chapter.cell["one-position-four-views"]
    for d_model, base, pos in ((16, 100, 9), (12, 10, 0), (64, 10_000, 39)):
        said = panel.sentence_at({"d_model": d_model, "base": base, "pos": pos})
        strip, table, *views = panel.canvas.figure.axes
        rows = [code(row, d_model, base) for row in range(40)]
        assert np.allclose(table.images[0].get_array(), rows)
        assert np.allclose(strip.images[0].get_array(), rows[pos : pos + 1])
        assert table.images[0].get_clim() == strip.images[0].get_clim() == (-1, 1)
        (frame,) = table.patches
        assert isclose(frame.get_y() + frame.get_height() / 2, pos)
        pairs = 0, d_model // 4, d_model // 2 - 1
        for name, i, waves, clock in zip("ABC", pairs, views[::2], views[1::2]):
            omega = rates(d_model, base)[i]
            bar = np.multiply(named(strip)[name].get_xdata(), d_model)
            assert np.allclose(bar, (2 * i, 2 * i + 2))
            for colour, wave in ((BLUE, np.sin), (ORANGE, np.cos)):
                x, y = line_in(waves, colour).get_data()
                assert np.allclose(y, wave(omega * x))
                assert x[line_in(waves, colour).get_markevery()] == [pos]
            length = 2 * pi / omega
            assert waves.get_title("left") == f"{name}: wavelength {length:,.1f}"
            shows_a_hand_and_its_sides(clock, omega * pos)
            turns = f"{pos / length:.2f}" if pos > length / 200 else "less than 0.01"
            assert f"{name} has made {turns} turns" in said or f"{name} {turns}" in said
    assert all(words in panel.alt for words in ("1.43 turns", "middle, 0.14", "0.03"))


def test_a_large_base_slows_hands_and_brings_neighbours_closer(chapter):
    (ax,) = chapter.cell["wavelengths-of-three-bases"].axes
    for base in (16, 10_000, 1_000_000):
        _, y = place(ax, f"base {base}")
        (marks,) = (line for line in ax.lines if line.get_ydata()[0] == y)
        lengths = 2 * pi / rates(64, base)
        assert np.allclose(marks.get_xdata(), lengths)
        step = f"{dist(code(0, 64, base), code(1, 64, base)):.2f}"
        assert place(ax, f"{step} apart")[1] == y
        assert step in alt(chapter.said["wavelengths-of-three-bases"])
        assert 0 < place(ax, f"{sum(lengths > 512)} of 32 hands")[1] - y < 0.6


def test_only_the_cosines_make_the_steps_even(chapter):
    lost = right_answer(chapter, "which-wish-needs-the-cosine").lower()
    crosses = {"bounded": ["integers"], lost: ["binary", "sines alone"]}
    board = reading.read_board(chapter.cell["all-three-at-once"].axes[0])
    for wish, row in board.items():
        assert [name for name in row if not row[name]] == crosses.get(wish, [])


def test_the_reach_is_where_the_average_first_is_that_of_random_angles(chapter):
    panel = chapter.cell["why-10000"]
    for base, n in ((10_000, 512), (16, 64), (100, 32_768)):
        said = panel.sentence_at({"base": base, "n": n})
        lines = panel.canvas.figure.axes[0].lines
        (marks,) = (line for line in lines if line.get_marker() == "D")
        reach, height = marks.get_xydata()[1]
        assert isclose(height**2, 2 * 32) and 0.45 < reach / base < 0.65
        step = dist(code(0, 64, base), code(1, 64, base))
        assert f"Neighbours are {step:.2f} apart" in said
        assert (f"all {n} tokens" in said) == (reach >= n)
