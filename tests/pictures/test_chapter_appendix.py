"""The appendix: a clock is an hour turned on by a minute; stored rows; rounding."""

from math import isclose, radians

import numpy as np
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from course import draw
from tests.support import reading
from tests.support.oracle import tip
from tests.support.reading import check_hand, line_in, look, named, right_answer, says

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
        told = [pos, hour // 5, 5, minute, hour, 20 * hour, minute]
        says(said, told, 20 * minute, 20 * pos)


def test_fewest_rows_are_stored_at_the_root(chapter):
    (ax,) = chapter.cell["the-valley"].axes
    rows = {B: B + len(range(0, 5000, B)) for B in range(1, 5001)}
    assert np.array_equal(line_in(ax, draw.INK).get_xydata(), list(rows.items()))
    best = [(B, count) for B, count in rows.items() if count == min(rows.values())]
    assert tuple(line_in(ax, draw.MARK).get_xydata()[0]) in best
    assert right_answer(chapter, "how-many-rows-are-enough") == str(best[0][1])


def test_two_errors_rise_and_one_stays(chapter):
    (ax,) = chapter.cell["errors-by-position"].axes
    heights = {}
    for way, line in named(ax).items():
        positions, errors = line.get_data()
        heights[way] = dict(zip(positions, errors, strict=True))
    omega = 10_000.0 ** -(np.arange(16) / 16)
    for pos in (1000, 100_000):
        pos = min(positions, key=lambda x: abs(x - pos))
        angle = np.float32(pos) * omega.astype("float32")
        off = abs(np.exp(1j * angle.astype(float)) - np.exp(1j * pos * omega)).max()
        rounded, chained = heights["angles in float32"][pos], heights["row by row"][pos]
        assert 0.9 * off < rounded < 4 * off  # at this position, and up to it
        assert rounded < chained  # here; their lines lie close together
    assert max(heights["hours and minutes"].values()) < 3 * 2**-24
