"""Chapter 2: bits and waves, hands and their sides, a riddle, and four views."""

import re
from math import cos, dist, hypot, isclose, pi, sin

import numpy as np
from matplotlib.colors import to_hex

import draw
from tests.pictures.reading import (
    alt,
    arrows,
    code,
    named,
    read_board,
    right_answer,
    runs,
    texts_of,
    tip,
)

BLUE, ORANGE, INK, MARK, FAINT = (
    colour.lower() for colour in (draw.SIN, draw.COS, draw.INK, draw.MARK, draw.FAINT)
)


def rates(d_model, base):
    """Radians a token of each pair: from pair to pair by one factor."""
    return np.cumprod([1.0] + [base ** (-2 / d_model)] * (d_model // 2 - 1))


def apart(k, omegas):
    """The distance of two codes that lie k positions apart: chord by chord."""
    return 2 * hypot(*np.sin(k * omegas / 2))


def line_in(ax, wanted):
    """The only line of a colour in axes."""
    (line,) = (line for line in ax.lines if to_hex(line.get_color()) == wanted)
    return line


def place(ax, words):
    return texts_of(ax)[words].get_position()


def numbers(words):
    return [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?", words.replace("−", "-"))]


def shows_a_hand_and_its_sides(ax, angle):
    right, up = tip(angle)
    assert runs(line_in(ax, BLUE), (0, 0), (right, 0))
    assert runs(line_in(ax, ORANGE), (right, 0), (right, up))
    assert runs(line_in(ax, INK), (0, 0), (right, up))


# ---- why both -----------------------------------------------------------------------
def test_the_title_draws_eight_numbers_as_four_hands(chapter):
    told = numbers(alt(chapter.said["position-three-on-four-clocks"]).split(":")[1])
    for i, ax in enumerate(chapter.cell["position-three-on-four-clocks"].axes):
        shows_a_hand_and_its_sides(ax, 3 / 2**i)
        sine, cosine = map(draw.number, tip(3 / 2**i))
        assert list(texts_of(ax)) == [f"sine {sine}", f"cosine {cosine}"]
        assert told[2 * i : 2 * i + 2] == numbers(f"{sine} {cosine}")


def test_bits_keep_their_periods_while_they_are_rounded(chapter):
    panel = chapter.cell["square-to-round"]
    pos = np.arange(17)
    for roundness in (0, 0.3, 1):
        said = panel.sentence_at({"roundness": roundness})
        *rows, bars = panel.canvas.figure.axes
        heights = []
        for j, (ax, period) in enumerate(zip(rows, (4, 8, 16)), 1):
            assert ax.get_ylabel() == f"bit {j}" and f"period {period}" in texts_of(ax)
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
        (hand,) = (x for x in right.lines if runs(x, (0, 0), at))
        assert dist(place(right, f"{degrees}°"), at) < 0.4
        dots = [x for x in left.lines if x.get_marker() == hand.get_marker()]
        seen = {to_hex(x.get_color()): x.get_xydata()[0] for x in dots}
        assert np.allclose(seen[BLUE], (degrees, sine))
        assert np.allclose(seen[ORANGE], (degrees, cosine))
        for name, height in (("sine", sine), ("cosine", cosine)):
            assert isclose(named(left)[name].get_ydata()[degrees], height)
    assert {"sine 0.5", "cosine 0.87"} <= set(texts_of(right))


def test_chords_are_equal_and_their_shadows_are_not(chapter):
    (ax,) = chapter.cell["equal-chords-unequal-shadows"].axes
    tips = np.array([tip(pi * hour / 6) for hour in range(9, 16)])
    assert np.allclose(line_in(ax, INK).get_xydata(), tips)
    assert np.allclose(line_in(ax, BLUE).get_xdata(), tips[:, 0])
    for hour, at in zip(range(9, 16), tips):
        assert dist(place(ax, f"pos {hour}"), at) < 0.3
    written = [text.get_text() for text in ax.texts if text.get_text()[0] == "0"]
    chord, *shadows = written
    assert chord == f"{dist(*tips[:2]):.2f}"
    assert shadows == [f"{shadow:.1f}" for shadow in np.diff(tips[:, 0])]
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
    assert right.get_title() == "ω = 0.5 radians a token"


# ---- why many -----------------------------------------------------------------------
def test_a_fast_hand_returns_and_a_slow_one_crawls(chapter):
    axes = chapter.cell["a-fast-hand-and-a-slow-one"].axes
    for ax, name, omega, close in zip(axes, ("fast", "slow"), (1, 1 / 8), (19, 1)):
        for pos in (0, 1, 19):
            assert runs(named(ax)[str(pos)], (0, 0), tip(pos * omega))
            assert (dist(tip(0), tip(pos * omega)) < 0.16) == (pos in (0, close))
        turn = f"{2 * pi / omega:.1f} tokens a turn"
        assert ax.get_title() == f"the {name} pair: {turn}"


def test_three_fast_clocks_are_back_together_after_25_tokens(chapter):
    back = [k for k in range(1, 50) if all(cos(k / 2**i) > 0.98 for i in range(3))]
    assert right_answer(chapter, "three-clocks-of-four") == f"{back[0]} tokens"
    assert len(back) == 1 and cos(back[0] / 8) < -0.99


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
                assert list(texts_of(ax)) == ["agrees"] * near[i]
            found = [i for i in (3, 2, 1, 0) if near[i] and pos != hidden]
            assert numbers(said) == [riddle, pos, *found] and "agree" in said
            assert all(near) == (pos == hidden) == ("all four" in said)
    hours = [round(41 / 2**i % (2 * pi) * 6 / pi) for i in range(4)]
    assert numbers(panel.alt)[-4:] == hours


# ---- from a factor to the formula ---------------------------------------------------
def test_one_factor_leads_from_mark_to_mark(chapter):
    (ax,) = chapter.cell["one-factor-on-a-log-scale"].axes
    rows = {"bits": (2, 2), "base 16": (2 * pi, 2), "base 10000": (2 * pi, 10)}
    for row, (first, factor) in rows.items():
        ((_, y),) = (place(ax, x) for x in texts_of(ax) if x.split("\n")[0] == row)
        (marks,) = (line for line in ax.lines if line.get_ydata()[0] == y)
        lengths = [first * factor**i for i in range(4)]
        assert np.allclose(marks.get_xdata(), lengths, atol=0.05)
        ways = [(a.xyann[0], a.xy[0]) for a in arrows(ax) if a.xy[1] == y]
        assert np.allclose(ways, list(zip(lengths, lengths[1:])), atol=0.05)
        for x, length in zip(marks.get_xdata(), lengths):
            at = (x, y - 0.4)
            (below,) = (t.get_text() for t in ax.texts if t.get_position() == at)
            assert isclose(float(below.replace(",", "")), length, abs_tol=0.051)
        factors = [t for t in ax.texts if t.get_position()[1] == y + 0.2]
        assert [t.get_text() for t in factors] == [f"×{factor}"] * 3


def test_a_larger_base_leaves_pair_0_alone(chapter):
    slower = rates(16, 100) > rates(16, 10_000)
    assert not slower[0] and slower[1:].all()
    answer = right_answer(chapter, "what-a-larger-base-changes")
    assert answer == "All but that of pair 0"


def test_four_views_show_the_same_code(chapter):
    panel = chapter.cell["one-position-four-views"]
    for d_model, base, pos in ((16, 100, 9), (12, 10, 0), (64, 10_000, 39)):
        said = panel.sentence_at({"d_model": d_model, "base": base, "pos": pos})
        strip, table, *views = panel.canvas.figure.axes
        rows = [code(row, d_model, base) for row in range(40)]
        assert np.allclose(table.images[0].get_array(), rows)
        assert np.allclose(strip.images[0].get_array(), rows[pos : pos + 1])
        dark, light = (sum(table.images[0].to_rgba(x)[:3]) for x in (-1, 1))
        assert dark < light and table.get_xlabel() == "dark −1, light +1"
        (frame,) = table.patches
        assert isclose(frame.get_y() + frame.get_height() / 2, pos)
        pairs = 0, d_model // 4, d_model // 2 - 1
        for name, i, waves, clock in zip("ABC", pairs, views[:3], views[3:]):
            omega = rates(d_model, base)[i]
            bar = np.multiply(named(strip)[name].get_xdata(), d_model)
            assert np.allclose(bar, (2 * i, 2 * i + 2))
            for wanted, wave in ((BLUE, np.sin), (ORANGE, np.cos)):
                x, y = line_in(waves, wanted).get_data()
                assert np.allclose(y, wave(omega * x))
                assert x[line_in(waves, wanted).get_markevery()] == [pos]
            length = f"{name}: wavelength {2 * pi / omega:,.1f}"
            assert waves.get_title("left") == length
            shows_a_hand_and_its_sides(clock, omega * pos)
            turns = f"{pos * omega / (2 * pi):.2f}"
            turns = turns if float(turns) else "less than 0.01"
            assert f"{name} has made {turns} turns" in said or f"{name} {turns}" in said
    assert all(words in panel.alt for words in ("1.43 turns", "middle, 0.14", "0.03"))


# ---- a choice, and the wishes -------------------------------------------------------
def test_a_large_base_slows_hands_and_brings_neighbours_closer(chapter):
    (ax,) = chapter.cell["wavelengths-of-three-bases"].axes
    for base in (16, 10_000, 1_000_000):
        _, y = place(ax, f"base {base}")
        (marks,) = (line for line in ax.lines if line.get_ydata()[0] == y)
        lengths = 2 * pi / rates(64, base)
        assert np.allclose(marks.get_xdata(), lengths)
        step = f"{apart(1, rates(64, base)):.2f}"
        assert place(ax, f"{step} apart")[1] == y
        assert step in alt(chapter.said["wavelengths-of-three-bases"])
        assert 0 < place(ax, f"{sum(lengths > 512)} of 32 hands")[1] - y < 0.6


def test_only_the_cosines_make_the_steps_even(chapter):
    lost = right_answer(chapter, "which-wish-needs-the-cosine").lower()
    board = read_board(chapter.cell["all-three-at-once"].axes[0])
    crosses = {"bounded": ["integers"], lost: ["binary", "sines alone"]}
    assert list(board) == ["bounded", "one code a place", "even steps"]
    for wish, row in board.items():
        assert list(row) == ["integers", "binary", "sines alone", "sines and cosines"]
        assert [name for name in row if not row[name]] == crosses.get(wish, [])


def test_the_reach_is_where_the_average_first_is_that_of_random_angles(chapter):
    panel = chapter.cell["why-10000"]
    for base, n in ((10_000, 512), (16, 64), (100, 32_768)):
        said = panel.sentence_at({"base": base, "n": n})
        (ax,) = panel.canvas.figure.axes
        (marks,) = (line for line in ax.lines if line.get_marker() == "D")
        (_, step), (reach, height) = marks.get_xydata()
        assert isclose(height**2, 2 * 32) and 0.45 < reach / base < 0.65
        assert isclose(step, apart(1, rates(64, base)))
        assert f"Neighbours are {step:.2f} apart" in said
        assert (f"all {n} tokens" in said) == (reach >= n)
        for k, wide in line_in(ax, FAINT).get_xydata()[::40]:
            assert isclose(wide, apart(k, rates(64, base)), abs_tol=1e-6)
