"""The appendix: a clock is an hour turned on by a minute; stored rows; rounding."""

from math import isclose, isqrt, radians

import numpy as np
from matplotlib.colors import to_hex
from matplotlib.patches import Circle, Rectangle

import draw
from tests.support import reading
from tests.support.oracle import tip
from tests.support.reading import check_hand, line_in, look, named, right_answer

DAY = "a-position-is-an-hour-and-a-minute"


def framed(ax, colour):
    """The clocks in frames of a colour, as (hour, minute)."""
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    boxes = [box for box in boxes if to_hex(box.get_edgecolor()) == colour.lower()]
    middles = [box.get_center().round() for box in boxes]
    return sorted((-5 * down, minute) for minute, down in middles)


def test_25_clocks_of_which_9_are_stored(chapter):
    panel = chapter.cell[DAY]
    day, _ = panel.live.canvas.figure.axes
    places = {patch.center for patch in day.patches if isinstance(patch, Circle)}
    assert places == {(r, -q) for q in range(5) for r in range(5)}
    stored = set()
    for line in day.lines:
        middle, end = line.get_xydata()
        pos = round(middle @ (1, -5))
        length = np.hypot(*(end - middle))
        reading.same(end - middle, tip(radians(20 * pos), length))
        if look(line).colour == draw.POSITION.lower():
            stored.add(pos)
    assert stored == {*range(5), *range(0, 25, 5)} and len(day.lines) == 25


def test_the_hour_is_turned_on_by_the_minute(chapter):
    panel = chapter.cell[DAY]
    for pos in (0, 3, 10, 24, 17):
        hour, minute = pos - pos % 5, pos % 5
        said, (day, ax) = reading.set_to(panel, pos=pos)
        assert framed(day, draw.GREY) == sorted([(0, minute), (hour, 0)])
        assert framed(day, draw.MARK) == [(hour, minute)]
        before, after = line_in(ax, dashed=True), line_in(ax, draw.INK)
        check_hand(before, radians(20 * hour))
        check_hand(after, radians(20 * pos))
        if minute:
            ((start, end, *_),) = reading.sweeps(ax)
            assert isclose(end - start, radians(20 * minute))
            assert named(ax)[str(hour)] is before and named(ax)[str(pos)] is after
        assert set(reading.texts_in(ax)) - {""} == {str(pos), str(hour)}
        told = [pos, hour // 5, 5, minute, hour, 20 * hour, minute]
        reading.same(reading.numbers(said), [*told, 20 * minute, 20 * pos])
    clocks = [25, 0, 24]  # how many, the first, the last
    told = [*clocks, pos, hour, minute, hour, 20 * minute, pos]
    reading.same(reading.numbers(panel.alt), told)


def test_fewest_rows_are_stored_at_the_root(chapter):
    (ax,) = chapter.cell["the-valley"].axes
    rows = {B: B + len(range(0, 5000, B)) for B in range(1, 5001)}
    assert np.array_equal(line_in(ax, draw.INK).get_xydata(), list(rows.items()))
    best = [(B, count) for B, count in rows.items() if count == min(rows.values())]
    assert tuple(line_in(ax, draw.MARK).get_xydata()[0]) in best
    alt = reading.alt(chapter, "the-valley")
    told = reading.numbers(alt.replace("5,001", "5001"))
    reading.same(told, [rows[1], 1, rows[10], 10, rows[71], 71])


def test_as_many_rows_are_enough_as_the_valley_is_deep(chapter):
    fewest = min(B + len(range(0, 5000, B)) for B in range(1, 5001))
    assert right_answer(chapter, "how-many-rows-are-enough") == str(fewest)


def test_two_errors_rise_and_one_stays(chapter):
    name, n, pairs = "errors-by-position", 131_072, 16
    (ax,) = chapter.cell[name].axes
    heights = {}
    for way, line in named(ax).items():
        positions, errors = line.get_data()
        heights[way] = dict(zip(positions, errors, strict=True))
    omega = 10_000.0 ** -(np.arange(pairs) / pairs)
    for pos in (1000, 100_000):
        pos = min(positions, key=lambda x: abs(x - pos))
        angle = np.float32(pos) * omega.astype("float32")
        off = abs(np.exp(1j * angle.astype(float)) - np.exp(1j * pos * omega)).max()
        rounded, chained = heights["angles in float32"][pos], heights["row by row"][pos]
        assert 0.9 * off < rounded < 4 * off  # at this position, and up to it
        step = np.exp(1j * omega).astype("complex64").astype(complex)
        assert chained > 0.5 * abs(step**pos - np.exp(1j * pos * omega)).max()
        assert rounded < chained  # here; their lines lie close together
    flat = heights["hours and minutes"]
    assert max(flat.values()) < 3 * 2**-24 and flat[1] < 2**-24
    top, _, step, level = reading.in_alt(chapter, name)  # the second is of float32
    assert isclose(top, heights["angles in float32"][n - 1], rel_tol=0.2)
    assert isclose(top, heights["row by row"][n - 1], rel_tol=0.2)
    assert step == isqrt(n) + 1 and level / 2 < flat[n - 1] < 2 * level
