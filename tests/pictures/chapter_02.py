"""Chapter 2: bits and waves, hands and their sides, four views, and a riddle."""

import re
from math import cos, dist, hypot, isclose, log, pi, prod, sin, sqrt

import numpy as np
from matplotlib.colors import to_hex

import draw
from tests.pictures.reading import (
    alt,
    arrows,
    code,
    look,
    named,
    read_board,
    right_answer,
    sweeps,
    tip,
)

BLUE, ORANGE, INK, MARK, FAINT = (
    colour.lower() for colour in (draw.SIN, draw.COS, draw.INK, draw.MARK, draw.FAINT)
)
NUMBER = re.compile(r"[+−]?\d+(?:\.\d+)?")


def rates(d_model, base):
    """Radians a token of each pair, by repeated multiplication."""
    step = base ** (-2.0 / d_model)
    return [prod([step] * i) for i in range(d_model // 2)]


def colour(artist):
    return to_hex(artist.get_color())


def pieces(line):
    """The pieces of a line with gaps, each as an array of points."""
    points = np.transpose(np.asarray(line.get_data(), float))
    gaps = np.flatnonzero(np.isnan(points[:, 1]))
    return [part[~np.isnan(part[:, 1])] for part in np.split(points, gaps)][:-1]


def drawn_in(ax, wanted):
    """The only line of some colour in axes, markers and dashes as they are asked."""
    (line,) = (line for line in ax.lines if look(line)[: len(wanted)] == wanted)
    return line


def runs(line, *points):
    return np.allclose(np.transpose(line.get_data()), points, atol=1e-9)


def places(ax):
    """Where each text of axes stands."""
    return {text.get_text(): text.get_position() for text in ax.texts}


def numbers(words):
    return [float(x.replace("−", "-")) for x in NUMBER.findall(words)]


# ---- a hand and its two sides -------------------------------------------------------
def test_the_title_draws_eight_numbers_as_four_hands(chapter):
    figure = chapter.cell["position-three-on-four-clocks"]
    assert figure.get_suptitle() == "position 3: eight numbers"
    told = numbers(alt(chapter.said["position-three-on-four-clocks"]).split(":")[1])
    for i, ax in enumerate(figure.axes):
        right, up = tip(3 / 2**i)
        assert runs(drawn_in(ax, (BLUE,)), (0, 0), (right, 0))
        assert runs(drawn_in(ax, (ORANGE, True)), (right, 0), (right, up))
        assert runs(drawn_in(ax, (INK,)), (0, 0), (right, up))
        sides = {text.get_text().split()[0]: text for text in ax.texts}
        assert list(map(colour, sides.values())) == [BLUE, draw.COS_TEXT.lower()]
        written = numbers(sides["sine"].get_text() + sides["cosine"].get_text())
        for words in (written, told[2 * i : 2 * i + 2]):
            assert np.allclose(words, (right, up), atol=0.0051)


def test_bits_keep_their_periods_while_they_are_rounded(chapter):
    panel = chapter.cell["square-to-round"]
    for roundness in (0, 0.3, 1):
        said = panel.sentence_at({"roundness": roundness})
        *rows, bars = panel.canvas.figure.axes
        heights = []
        for ax, period in zip(rows, (4, 8, 16)):
            assert ax.get_ylabel() == f"bit {round(log(period, 2)) - 1}"
            assert list(places(ax)) == [f"period {period}"]
            dots = drawn_in(ax, (INK,))
            line = drawn_in(ax, (BLUE,))
            for x, y in zip(*dots.get_data()):
                square = 1.0 if x % period >= period / 2 else 0.0
                wave = (1 + cos(2 * pi * (x + 0.5) / period + pi / 2)) / 2
                assert round(wave) == square
                assert isclose(y, square + roundness * (wave - square), abs_tol=1e-9)
            assert list(dots.get_xdata()) == list(range(17))
            assert np.allclose(line.get_ydata()[::20], dots.get_ydata())
            heights.append(dots.get_ydata())
        steps = np.sqrt((np.diff(heights) ** 2).sum(axis=0))
        assert np.allclose([bar.get_height() for bar in bars.patches], steps)
        middles = [bar.get_x() + bar.get_width() / 2 for bar in bars.patches]
        assert np.allclose(middles, np.arange(16) + 0.5)
        assert f"is {max(steps):.2f}, the shortest {min(steps):.2f}." in said
    assert "nothing to 1.73" in panel.alt


def test_one_sine_belongs_to_two_angles_and_hands(chapter):
    left, right = chapter.cell["one-sine-two-angles"].axes
    waves = {"sine": (sin, BLUE, False), "cosine": (cos, ORANGE, True)}
    for name, (wave, *style) in waves.items():
        line = named(left)[name]
        assert list(look(line)[:2]) == style
        assert np.allclose(line.get_ydata(), list(map(wave, line.get_xdata())))
    for degree, mark in ((30, "o"), (150, "s")):
        angle = degree * pi / 180
        blue, orange = (x for x in left.lines if x.get_marker() == mark)
        assert (colour(blue), colour(orange)) == (BLUE, ORANGE)
        assert runs(blue, (angle, 0.5)) and runs(orange, (angle, cos(angle)))
        (hand,) = (x for x in right.lines if x.get_marker() == mark)
        assert runs(hand, (0, 0), tip(angle))
        for words in (f"{degree}°", f"cosine {draw.number(cos(angle))}"):
            assert isclose(places(right)[words][1], 1.1 * cos(angle))
    assert "sine 0.5" in places(right) and dist(places(right)["0°"], tip(0)) < 0.3
    ((start, end, _, headed),) = sweeps(right)
    assert np.allclose((start, end), (0, 5 * pi / 6)) and headed


def test_chords_are_equal_and_their_shadows_are_not(chapter):
    (ax,) = chapter.cell["equal-chords-unequal-shadows"].axes
    hours = range(9, 16)
    tips = [tip(pi * hour / 6) for hour in hours]
    assert runs(drawn_in(ax, (INK,)), *tips)
    assert np.allclose(drawn_in(ax, (BLUE,)).get_xdata(), np.transpose(tips)[0])
    for hour, at in zip(hours, tips):
        assert np.allclose(places(ax)[f"pos {hour}"], 1.23 * at)
    chord = f"{dist(*tips[:2]):.2f}"
    assert dist(places(ax)[chord], (tips[-1] + tips[-2]) / 2) < 0.1
    ((_, of_hand),) = (at for words, at in places(ax).items() if "hand" in words)
    ((_, of_sine),) = (at for words, at in places(ax).items() if "sine" in words)
    assert of_hand > 0 > of_sine
    written = [t for t in ax.texts if re.fullmatch(r"0\.\d", t.get_text())]
    for text, (start, _), (end, _) in zip(written, tips, tips[1:]):
        assert start < text.get_position()[0] < end and colour(text) == BLUE
        assert text.get_text() == f"{end - start:.1f}"
    told = alt(chapter.said["equal-chords-unequal-shadows"])
    assert re.findall(r"0\.\d+", told) == [chord, *(t.get_text() for t in written)]


def test_a_wavelength_runs_from_peak_to_peak(chapter):
    left, right = chapter.cell["omega-and-wavelength"].axes
    arrow = named(left)[f"wavelength {4 * pi:.2f}"]
    assert np.allclose(arrow.xyann[0], pi) and np.allclose(arrow.xy[0], 5 * pi)
    (dots,) = (line for line in left.lines if line.get_marker() == "o")
    for place in range(4):
        assert runs(named(right)[str(place)], (0, 0), tip(place / 2))
        assert isclose(dots.get_ydata()[place], sin(place / 2), abs_tol=1e-9)
        assert dist(places(left)[str(place)], (place, sin(place / 2))) < 0.7
    x, y = named(right)["ω"].get_data()
    assert np.allclose(np.arctan2(x, y)[[0, -1]], (0, 0.5))
    assert right.get_title() == "ω = 0.5 radians a token"


# ---- from a factor to the formula ---------------------------------------------------
def test_one_factor_leads_from_mark_to_mark(chapter):
    (ax,) = chapter.cell["one-factor-on-a-log-scale"].axes
    rows = {
        "bits": (2, 2, "2 4 8 16"),
        "base 16\n= $2^4$": (2 * pi, 2, "6.3 13 25 50"),
        "base 10000\n= $10^4$": (2 * pi, 10, "6.3 63 628 6283"),
    }
    for name, (first, factor, below) in rows.items():
        lengths = [first * factor**i for i in range(4)]
        y = places(ax)[name][1]
        (marks,) = (line for line in ax.lines if line.get_ydata()[0] == y)
        assert np.allclose(marks.get_xdata(), lengths)
        ends = [(a.xyann[0], a.xy[0]) for a in arrows(ax) if a.xy[1] == y]
        assert np.allclose(ends, list(zip(lengths, lengths[1:])))
        near = [t for t in ax.texts if 0 < abs(t.get_position()[1] - y) < 0.5]
        words = {t.get_position()[0]: t.get_text() for t in near if t.get_text()}
        assert " ".join(words[x] for x in lengths) == below
        assert [words[x] for x in words if x not in lengths] == [f"×{factor}"] * 3


def test_four_views_show_the_same_code(chapter):
    panel = chapter.cell["one-position-four-views"]
    for d_model, base, pos in ((16, 100, 9), (12, 10, 0), (64, 10_000, 39)):
        said = panel.sentence_at({"d_model": d_model, "base": base, "pos": pos})
        strip, table, waves, clocks = panel.canvas.figure.axes
        wanted = [code(row, d_model, base) for row in range(40)]
        assert np.allclose(table.images[0].get_array(), wanted)
        assert np.allclose(strip.images[0].get_array(), wanted[pos : pos + 1])
        assert table.lines[0].get_ydata() == [pos]
        assert table.get_xlabel() == "dark −1, light +1"
        dark, light = (sum(table.images[0].to_rgba(x)[:3]) for x in (-1, 1))
        assert dark < light
        (frame,) = table.patches
        assert isclose(frame.get_y() + frame.get_height() / 2, pos)

        pairs = {"A": 0, "B": d_model // 4, "C": d_model // 2 - 1}
        omegas = [rates(d_model, base)[i] for i in pairs.values()]
        brackets = pieces(strip.lines[0])
        here, sines, cosines, *dots = waves.lines
        assert list(map(colour, (sines, cosines, *dots))) == [BLUE, ORANGE] * 2
        sides = {colour(line): pieces(line) for line in clocks.lines}
        middles = [circle.center for circle in clocks.patches]
        for j, (name, omega) in enumerate(zip("ABC", omegas)):
            start, end = brackets[j][[0, -1], 0] * d_model
            assert np.allclose((start, end), (2 * pairs[name], 2 * pairs[name] + 2))
            assert isclose(places(strip)[name][0] * d_model, start + 1)
            low, (right, up) = -4 * j, tip(omega * pos)
            for line, wave in ((sines, np.sin), (cosines, np.cos)):
                x, y = pieces(line)[j].T
                assert np.allclose(y, low + wave(omega * x)) and 39 in x
            at = [dot.get_xydata()[j] for dot in dots]
            assert np.allclose(at, [(pos, low + right), (pos, low + up)])
            assert (pieces(here)[j][:, 0] == pos).all()
            length = f"{name}: wavelength {2 * pi / omega:,.1f}"
            assert low + 1 < places(waves)[length][1] < low + 2
            middle = np.array(middles[j])
            foot, end = middle + (right, 0), middle + (right, up)
            assert np.allclose(sides[INK][j], [middle, end])
            assert np.allclose(sides[BLUE][j], [middle, foot])
            assert np.allclose(sides[ORANGE][j], [foot, end])
            assert dist(places(clocks)[name], middle) < 1.6
            turns = f"{pos * omega / (2 * pi):.2f}"
            turns = turns if float(turns) else "less than 0.01"
            assert f"{name} has made {turns} turns" in said or f"{name} {turns}" in said
        assert middles == sorted(middles, key=lambda middle: -middle[1])
    assert all(words in panel.alt for words in ("1.43 turns", "middle, 0.14", "0.03"))


def test_the_whole_table_is_the_code_of_the_paper(chapter):
    ax = chapter.cell["the-whole-table"].axes[0]
    wanted = [code(pos, 64, 10_000) for pos in range(100)]
    assert np.allclose(ax.images[0].get_array(), wanted)
    assert ax.get_xlabel() == "dimension (sin in even, cos in odd ones)"


# ---- fast and slow ------------------------------------------------------------------
def test_dimensions_come_in_pairs_and_small_i_is_fast(chapter):
    omegas = rates(64, 10_000)
    assert omegas[3] > omegas[4]
    for ax, i in zip(chapter.cell["pairs-three-and-four"].axes, (3, 4)):
        length = 2 * pi / omegas[i]
        pair = f"pair {i}: dimensions {2 * i} and {2 * i + 1}"
        assert ax.get_title("left") == f"{pair}, wavelength {length:.1f}"
        for line, wave in zip(ax.lines, (sin, cos)):
            assert look(line)[:2] == ((BLUE, False), (ORANGE, True))[wave is cos]
            heights = [wave(omegas[i] * x) for x in line.get_xdata()]
            assert np.allclose(line.get_ydata(), heights)
        crests = {text.get_text(): text.get_position()[0] for text in ax.texts}
        assert list(crests) == ["1", "2", "3", "4"][: round(60 / length)]
        assert all(isclose(sin(omegas[i] * x), 1) for x in crests.values())


def test_a_fast_hand_returns_and_a_slow_one_crawls(chapter):
    axes = chapter.cell["a-fast-hand-and-a-slow-one"].axes
    for ax, omega, close, far in zip(axes, (1, 1 / 8), (19, 1), (1, 19)):
        names = named(ax)
        for pos in (0, 1, 19):
            assert runs(names[str(pos)], (0, 0), tip(pos * omega))
        assert dist(tip(0), tip(close * omega)) < 0.16
        assert dist(tip(0), tip(far * omega)) > 0.9
        thin = [line.get_xydata()[1] for line in ax.lines if colour(line) == FAINT]
        assert np.allclose(thin, [tip(pos * omega) for pos in range(20)])
        name = "fast" if omega == 1 else "slow"
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
                hours, given, own = ax.lines
                assert (colour(given), colour(own)) == (INK, MARK)
                assert runs(hours, *(0.88 * tip(hour * pi / 6) for hour in range(12)))
                assert runs(given, (0, 0), tip(hidden / 2**i))
                assert runs(own, (0, 0), tip(pos / 2**i))
                assert numbers(ax.get_title("left")) == [i, round(2 * pi * 2**i, 1)]
                shown = [text.get_text() for text in ax.texts if text.get_visible()]
                assert shown == ["agrees"] * near[i]
            found = [i for i in (3, 2, 1, 0) if near[i] and pos != hidden]
            assert numbers(said) == [riddle, pos, *found] and "agree" in said
            assert all(near) == (pos == hidden) == ("all four" in said)
            assert any(near) == ("no pair" not in said)
    hours = [round(41 / 2**i % (2 * pi) * 6 / pi) for i in range(4)]
    assert numbers(panel.alt)[-4:] == hours


def test_a_larger_base_leaves_pair_0_alone(chapter):
    small, large = rates(16, 100), rates(16, 10_000)
    assert [x > y for x, y in zip(small, large)] == [False] + [True] * 7
    answer = right_answer(chapter, "what-a-larger-base-changes")
    assert answer == "All but that of pair 0"


def test_a_large_base_slows_hands_and_brings_neighbours_closer(chapter):
    (ax,) = chapter.cell["wavelengths-of-three-bases"].axes
    for base in (16, 10_000, 1_000_000):
        y = places(ax)[f"base {base}"][1]
        (dots,) = (line for line in ax.lines if line.get_ydata()[0] == y)
        omegas = rates(64, base)
        assert np.allclose(dots.get_xdata(), [2 * pi / omega for omega in omegas])
        step = sqrt(sum(2 - 2 * cos(omega) for omega in omegas))
        assert places(ax)[f"{step:.2f} apart"] == (1.04, y)
        slow = sum(2 * pi / omega > 512 for omega in omegas)
        assert 0 < places(ax)[f"{slow} of 32 hands"][1] - y < 0.6
        assert f"{step:.2f}" in alt(chapter.said["wavelengths-of-three-bases"])
    (grey,) = ax.patches
    assert grey.get_x() == 512 and "512" in ax.texts[0].get_text()


def test_the_scoreboard_has_two_crosses(chapter):
    board = read_board(chapter.cell["all-three-at-once"].axes[0])
    crosses = {"bounded": "integers", "one code a place": "", "even steps": "binary"}
    codes = ("integers", "binary", "sines and cosines")
    assert board == {w: {c: c != crosses[w] for c in codes} for w in crosses}


# ---- going further ------------------------------------------------------------------
def test_the_nearest_code_is_marked(chapter):
    panel = chapter.cell["how-close-two-codes-come"]
    for d_model, wanted in ((2, 710), (4, 1885), (16, 1)):
        said = panel.sentence_at({"d_model": d_model})
        (ax,) = panel.canvas.figure.axes
        omegas = np.array(rates(d_model, 10_000))
        k, apart = ax.lines[1].get_xydata()[0]
        assert k == wanted and isclose(apart, 2 * hypot(*np.sin(k * omegas / 2)))
        assert f"offset {wanted}: " in said and f"k = {wanted}," in ax.get_title()
        for k in (1, 44, 710):
            wide = 2 * hypot(*np.sin(k * omegas / 2))
            assert np.allclose(ax.lines[0].get_xydata()[k - 1], (k, wide))
        for words in (said, ax.get_title()):
            assert isclose(numbers(words)[-1], apart, rel_tol=0.1)


def test_the_reach_is_where_the_average_first_is_that_of_random_angles(chapter):
    panel = chapter.cell["why-10000"]
    for base, n in ((10_000, 512), (16, 64), (100, 32_768)):
        said = panel.sentence_at({"base": base, "n": n})
        (ax,) = panel.canvas.figure.axes
        omegas = np.array(rates(64, base))
        (near, step), (reach, height) = next(
            line for line in ax.lines if line.get_marker() == "D"
        ).get_xydata()
        assert near == 1 and isclose(step, 2 * hypot(*np.sin(omegas / 2)))
        assert height == 8 and 0.45 < reach / base < 0.65
        assert f"Neighbours are {step:.2f} apart" in said
        assert ("to its end" in said) == (reach >= n)
        (end,) = (x for x in ax.lines if x.is_dashed() and colour(x) == MARK)
        assert list(end.get_xdata()) == [n, n]
        assert f"step {step:.2f}" in places(ax)
        for k, wide in drawn_in(ax, (FAINT,)).get_xydata()[::40]:
            assert isclose(wide, 2 * hypot(*np.sin(k * omegas / 2)), abs_tol=1e-6)
