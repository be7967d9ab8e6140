"""The appendix: a clock is an hour turned on by a minute; stored rows; rounding."""

from math import isclose, radians

import numpy as np
from matplotlib.colors import to_hex
from matplotlib.patches import Circle, Rectangle

import draw
from tests.pictures import reading
from tests.pictures.reading import alt, is_hand, line_in, look, named, right_answer

DAY = "a-position-is-an-hour-and-a-minute"


def framed(ax, colour):
    """The clocks in frames of a colour, as (hour, minute)."""
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    boxes = [box for box in boxes if to_hex(box.get_edgecolor()) == colour.lower()]
    middles = [box.get_center().round() for box in boxes]
    return sorted((-5 * down, minute) for minute, down in middles)


def test_25_clocks_of_which_9_are_stored(chapter):
    panel = chapter.cell[DAY]
    day, _ = panel.canvas.figure.axes
    places = {patch.center for patch in day.patches if isinstance(patch, Circle)}
    assert places == {(r, -q) for q in range(5) for r in range(5)}
    stored = set()
    for line in day.lines:
        middle, end = line.get_xydata()
        pos = round(middle @ (1, -5))
        length = np.hypot(*(end - middle))
        reading.same(end - middle, reading.tip(radians(20 * pos), length))
        if look(line)[0] == draw.POSITION.lower():
            stored.add(pos)
    assert stored == {*range(5), *range(0, 25, 5)} and len(day.lines) == 25
    hours = {text.get_text(): text.get_position()[1] for text in day.get_yticklabels()}
    assert hours == {"0": 0, "5": -1, "10": -2, "15": -3, "20": -4}
    assert (day.get_xlabel(), day.get_ylabel()) == ("minute", "hour")
    assert "first column, the hours, and the first row, the minutes" in panel.alt


def test_the_hour_is_turned_on_by_the_minute(chapter):
    panel = chapter.cell[DAY]
    for pos in (17, 0, 3, 10, 24):
        hour, minute = pos - pos % 5, pos % 5
        said, (day, ax) = reading.set_to(panel, pos=pos)
        assert framed(day, draw.GREY) == sorted([(0, minute), (hour, 0)])
        assert framed(day, draw.MARK) == [(hour, minute)]
        before, after = line_in(ax, dashed=True), line_in(ax, draw.INK)
        is_hand(before, radians(20 * hour))
        is_hand(after, radians(20 * pos))
        if minute:
            ((start, end, *_),) = reading.sweeps(ax)
            assert isclose(end - start, radians(20 * minute))
            assert named(ax)[str(hour)] is before and named(ax)[str(pos)] is after
        assert set(reading.texts_of(ax)) - {""} == {str(pos), str(hour)}
        assert said == (
            f"{pos} = {hour // 5} · 5 + {minute}: hour {hour} stands at {20 * hour}°,"
            f" minute {minute} turns it on by {20 * minute}°, to {20 * pos}°."
        )
    assert "17, its hour 15 and its minute 2" in panel.alt
    assert (
        "hand of 15 is turned on, clockwise, by 40 degrees to that of 17" in panel.alt
    )


def test_fewest_rows_are_stored_at_the_root(chapter):
    (ax,) = chapter.cell["the-valley"].axes
    rows = {B: B + len(range(0, 5000, B)) for B in range(1, 5001)}
    assert np.array_equal(line_in(ax, draw.INK).get_xydata(), list(rows.items()))
    best = [(B, count) for B, count in rows.items() if count == min(rows.values())]
    assert tuple(line_in(ax, draw.MARK).get_xydata()[0]) in best
    for axis in (ax.xaxis, ax.yaxis):
        for place, text in zip(axis.get_ticklocs(), axis.get_ticklabels()):
            assert text.get_text() == str(place)
    assert ax.get_xlabel().startswith("B, ") and "rows" in ax.get_ylabel()
    words = (
        f"from {rows[1]} rows at B = 1 over {rows[10]} at 10 down to {rows[71]} at 71"
    )
    assert words in alt(chapter.said["the-valley"])
    assert "71 + 71 rows make 5000" in chapter.said["as-exact-as-the-formula"]


def test_two_questions(chapter):
    assert right_answer(chapter, "how-many-rows-are-enough") == "142"
    last = right_answer(chapter, "how-exact-is-the-last-row")
    assert last == "It is about as exact as row 1000."


def test_two_errors_rise_and_one_stays(chapter):
    name, n, pairs = "errors-by-position", 131_072, 16
    (ax,) = chapter.cell[name].axes
    names = named(ax)
    heights = {}
    for way in ("angles in float32", "row by row", "hours and minutes"):
        positions, errors = names[way].get_xydata().T
        assert positions[0] == 1 and positions[-1] == n - 1
        heights[way] = dict(zip(positions, errors))
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
    said = alt(chapter.said[name])
    assert "rise together to 0.005: angles in float32, and row by row" in said
    assert all(0.004 < heights[way][n - 1] < 0.006 for way in list(heights)[:2])
    assert (
        "Hours and minutes take a step at position 363 and stay near 0.0000001" in said
    )
    assert 0.5e-7 < flat[n - 1] < 2e-7
    assert ax.get_xlabel() == "position" and "error" in ax.get_ylabel()
