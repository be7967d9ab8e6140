"""The appendix: a clock is an hour turned on by a minute; stored rows; rounding."""

from math import radians

import numpy as np
import pytest

from course import draw
from tests.support import reading
from tests.support.oracle import tip
from tests.support.reading import check_hand, line_in, look, named, says

DAY = "a-position-is-an-hour-and-a-minute"


def test_of_25_clocks_the_first_row_and_column_are_stored(chapter):
    day, _ = chapter.cell[DAY].live.canvas.figure.axes
    stored = set()
    for line in day.lines:
        middle, end = line.get_xydata()
        pos = round(middle @ (1, -5))
        reading.same(end - middle, tip(radians(20 * pos), np.hypot(*(end - middle))))
        if look(line).colour == draw.POSITION.lower():
            stored.add(pos)
    assert stored == {*range(5), *range(0, 25, 5)} and len(day.lines) == 25


@pytest.mark.parametrize("pos", [3, 10, 17])
def test_the_hour_is_turned_on_by_the_minute(chapter, pos):
    hour, minute = pos - pos % 5, pos % 5
    said, (day, ax) = reading.set_to(chapter.cell[DAY], pos=pos)
    assert reading.frames(day) == [(minute, -(hour // 5), 1, 1)]
    check_hand(line_in(ax, dashed=True), radians(20 * hour))
    check_hand(line_in(ax, draw.INK), radians(20 * pos))
    if minute:
        ((start, end, *_),) = reading.sweeps(ax)
        reading.same(end - start, radians(20 * minute))
        assert named(ax)[str(hour)] is line_in(ax, dashed=True)
    told = [pos, hour // 5, 5, minute, hour, 20 * hour, minute]
    says(said, told, 20 * minute, 20 * pos)


def test_two_errors_rise_and_one_stays(chapter):
    (ax,) = chapter.cell["errors-by-position"].axes
    ends = {way: line.get_ydata()[-1] for way, line in named(ax).items()}
    pos, omega = np.arange(131_072), 10_000.0 ** -(np.arange(16) / 16)
    angle = np.outer(pos.astype("float32"), omega.astype("float32")).astype(float)
    rows = np.random.default_rng(seed=4).normal(size=(2, 10, 16, 2))
    (q_up, q_right), (k_up, k_right) = np.moveaxis(rows, -1, 1)
    sizes = np.hypot(q_up, q_right) * np.hypot(k_up, k_right)
    apart = np.arctan2(q_right, q_up) - np.arctan2(k_right, k_up)
    turned = (angle[3:] - angle[:-3])[:, None] + apart
    off = (sizes * (np.cos(turned) - np.cos(3 * omega + apart))).sum(axis=2)
    reading.same(ends["angles in float32"], abs(off).max() / 32**0.5, rtol=0.01)
    assert ends["hours and minutes"] < 1e-6
    assert ends["angles in float32"] < ends["row by row"]  # they lie close together
