"""Chapter 3: the sum runs round a circle; two tokens, a triangle."""

from math import cos, dist, hypot, sqrt

import numpy as np

from course import draw
from tests.support import reading
from tests.support.oracle import code, tip
from tests.support.reading import named, same, says, set_to

TOKENS = {"L": np.array([0.62, -0.51]), "张": np.array([0.43, 1.09])}
TOKENS["老"] = np.array([1.30, -0.05])
SPOKEN = {"L": "L", "张": "Zhāng", "老": "lǎo"}


def has(ax, colour, wanted, marker=""):
    """Among the lines of a colour and a marker is one with these points."""
    lines = [x.get_xydata() for x in reading.lines_in(ax, colour, marker=marker)]
    alike = [x for x in lines if np.shape(x) == np.shape(wanted)]
    same(min(alike, key=lambda x: abs(x - wanted).max(), default=[]), wanted)


def has_sum(ax, name, pos):
    """A green point on the circle round its token, with its name beside it."""
    has(ax, draw.SUM, [TOKENS[name] + tip(n) for n in range(7)], "o")
    has(ax, draw.SUM, [TOKENS[name] + tip(pos)], "o")
    assert reading.text_at(ax, TOKENS[name], TOKENS) == name
    sums = [words for words in reading.texts_in(ax) if " at " in words]
    assert reading.text_at(ax, TOKENS[name] + tip(pos, 1.4), sums) == f"{name} at {pos}"


def test_the_sums_lie_on_a_circle_round_their_token(chapter):
    question = "where-do-the-sums-lie"
    circle = chapter.cell[question].axes[2]  # C
    has(circle, draw.SUM, [TOKENS["L"] + tip(pos) for pos in range(64)], "o")
    reading.check_frames(chapter, "three-places-for-the-sums", question)
    told = reading.markdown("03", "why-a-circle-and-why-there")
    assert r"\sin(\mathit{pos}\,\omega) \\ \cos(\mathit{pos}\,\omega)" in told


def test_one_token_runs_round_a_circle(chapter):
    panel = chapter.cell["one-token-everywhere"]
    for name, pos in (("老", 40), ("L", 9)):
        said, (ax,) = set_to(panel, token=name, pos=pos)
        has_sum(ax, name, pos)
        has(ax, draw.SUM, [TOKENS[name] + (1, 0)], "v")  # the circle runs clockwise
        has(ax, draw.POSITION, [TOKENS[name], TOKENS[name] + tip(pos)])
        assert f"{SPOKEN[name]} at {pos}" in said, said
        says(said, pos, 1)


def test_a_code_of_512_columns_is_16_long(chapter):
    vote, length = "how-long-is-a-code", hypot(*code(9, 512))
    says(reading.right_answer(chapter, vote), length)
    (ax,) = chapter.cell[vote].axes
    has(ax, draw.TOKEN, [(0, 15.2), (1, 15.2)])  # in the same scale
    gold = [x.get_xydata() for x in reading.lines_in(ax, draw.POSITION_EDGE)]
    hands, whole = gold[:16], gold[16:]
    every_16th = np.reshape(code(9, 512), (256, 2))[::16]
    same([end - start for start, end in hands], every_16th)
    same([dist(*ends) for ends in whole], [length])
    sides = [x.get_xydata() for x in reading.lines_in(ax, draw.POSITION)]
    across = sorted(x[0][1] for x in sides if x[0][1] == x[1][1])
    upright = sorted(x[0][0] for x in sides if x[0][0] == x[1][0])
    assert len(sides) == 34
    for lines in across, upright:  # 16 by 16 squares of area 1
        same(np.diff(lines), np.ones(16))


def test_each_curve_of_what_is_found_has_its_name(chapter):
    curves = named(chapter.cell["found-against-width"].axes[0])
    same(curves["token"].get_ydata(), 100 * chapter.token_share)
    same(curves["exact position"].get_ydata(), 100 * chapter.place_share)


def test_two_chords_of_one_offset_are_equally_long(chapter):
    axes = chapter.cell["two-chords-of-one-length"].axes
    for ax, (n, m) in zip(axes, ((5, 7), (20, 22)), strict=True):
        has_sum(ax, "L", n)
        has_sum(ax, "L", m)
        has(ax, draw.MARK, [TOKENS["L"] + tip(n), TOKENS["L"] + tip(m)])
        says(ax.get_title(), 2, dist(tip(2), tip(0)))
    told = reading.markdown("03", "the-chord-depends-on-the-offset")
    assert r"{\text{chord}}^2 = 2 - 2\cos k\omega$" in told


def test_a_side_of_the_triangle_turns_and_moves_the_cross_term(chapter):
    panel = chapter.cell["the-offset-and-the-place"]
    for second, pos, k in (("张", 20, 1), ("L", 7, 3), ("张", 5, 2)):
        said, (ax,) = set_to(panel, second=second, pos=pos, k=k)
        corners = [("L", pos), (second, pos), (second, pos + k)]
        for corner in corners:
            has_sum(ax, *corner)
        a, b, c = (TOKENS[name] + tip(place) for name, place in corners)
        has(ax, draw.TOKEN, [a, b])
        has(ax, draw.POSITION, [b, c])
        has(ax, draw.MARK, [a, c])
        tokens, codes, square = dist(a, b) ** 2, 2 - 2 * cos(k), dist(a, c) ** 2
        assert f"{SPOKEN[second]} at {pos + k}" in said, said
        says(said, pos, pos + k, sqrt(square), square - tokens - codes)


def test_the_wish_of_near_places_hangs_on_width_and_base(chapter):
    panel, k = chapter.cell["near-places-in-all-widths"], range(64)
    for d_model, base in ((2, 10), (8, 10_000), (8, 1000), (64, 10_000)):
        said, (ax,) = set_to(panel, d_model=d_model, base=base)
        first = code(0, d_model, base)
        apart = np.array([dist(code(n, d_model, base), first) for n in k])
        has(ax, draw.SUM, np.transpose([k, apart]), "o")
        near, far = apart[1], apart[8:].min()
        (level,) = reading.lines_in(ax, draw.SUM, marker="")
        same(level.get_ydata(), [near, near])
        (closer,) = reading.lines_in(ax, draw.MARK, marker="o")
        same(closer.get_xdata(), [n for n in k[8:] if apart[n] <= near])
        says(said, near, far)
        assert ("not fulfilled" in said) == (far <= near), said
        top = ax.get_ylim()[1]
        assert apart.max() < top and near / top > 0.05  # all of it is seen


def test_a_fresh_table_puts_neighbours_no_closer_than_others(chapter):
    (ax,) = chapter.cell["distances-in-two-tables"].axes
    (sines,) = reading.lines_in(ax, draw.SUM, marker="o")
    apart = [dist(code(k, 64), code(0, 64)) for k in range(1, 64)]
    same(sines.get_data(), [range(1, 64), apart])
    rows, table = reading.lines_in(ax, draw.INK, marker="o"), chapter.table
    for n, dots in zip(range(0, 400, 50), rows, strict=True):
        apart = [dist(table[n + k], table[n]) for k in range(1, 64)]
        same(dots.get_data(), [range(1, 64), apart])


def test_numbers_of_the_prose_hold(chapter):
    told = reading.markdown("03", "take-the-token-off")
    assert f"in {chapter.found['untrained']} of 1000 sums" in told
    told = reading.markdown("03", "notes-the-token-is-found-again")
    low, high = chapter.lengths[[0, -1], 0]
    assert f"Lengths from {low:g} to {high:g} alone" in told
    told = reading.markdown("03", "the-position-needs-room")
    exact, near = 100 * chapter.place_share, 100 * chapter.near_share
    assert f"place of {exact[3]:.0f} in 100 at 64 columns" in told
    assert f"{near[3]:.0f} in 100 are at most one place off" in told
    assert f"at 512 columns {exact[-1]:.0f} in 100 are exact" in told
    ends = ((TOKENS["L"] + tip(n), TOKENS["张"] + tip(n + 2)) for n in range(21))
    apart = [dist(*both) for both in ends]
    told = reading.markdown("03", "notes-only-the-cross-term-moves")
    assert f"between {min(apart):.2f} and {max(apart):.2f} at the offset 2" in told
    (width,) = reading.numbers(reading.markdown("03", "one-wish-is-fulfilled"))
    assert len(chapter.fulfilled[width]) == 5
    told = reading.markdown("03", "notes-do-near-places-look-alike")
    last = chapter.fulfilled[8][-1]
    assert f"up to {last} the wish is fulfilled, at {10 * last:,} not" in told
