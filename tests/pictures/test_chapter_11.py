"""Chapter 11: which positions tokens get, and what a shift of all of them changes."""

import itertools
import re
from math import cos, dist, exp

import numpy as np
import pytest

from course import draw
from tests.support import reading
from tests.support.oracle import tip
from tests.support.reading import named, same, says, set_to, text_at, tip_of, words_in

ROWS = {  # the positions of two texts in a batch, and what became of each part
    "equal lengths": [([0, 1, 2, 3, 4, 5], ["from 0"])] * 2,
    "padded right": [([0, 1, 2, 3, 4, 5], ["from 0"]), ([0, 1, 2], ["from 0"])],
    "padded left": [([0, 1, 2, 3, 4, 5], ["from 0"]), ([3, 4, 5], ["shifted"])],
    "packed": [([0, 1, 2, 3, 4, 5], ["from 0", "shifted"])] * 2,
    "one token a call": [([0] * 6, ["offsets lost"])] * 2,
}


@pytest.mark.parametrize("batch", ROWS)
def test_positions_and_verdicts_of_a_batch(chapter, batch):
    said, axes = set_to(chapter.cell["which-position-does-a-token-get"], batch=batch)
    told = []
    for ax, (positions, verdicts) in zip(axes, ROWS[batch], strict=True):
        cells = sorted(ax.patches, key=lambda box: box.get_x())
        in_cells = [word for box in cells for word in words_in(ax, box)]
        assert [int(word) for word in in_cells if word.isdigit()] == positions
        parts = (word for word in reading.texts_in(ax) if word not in in_cells)
        assert [part for part in parts if part not in ("", "padding")] == verdicts
        told += verdicts
    assert re.findall("from 0|shifted|offsets lost", said) == told


def test_bfloat16_counts_as_far_as_its_eight_digits(chapter):
    last = next(n for n in itertools.count() if len(f"{n + 1:b}".rstrip("0")) > 8)
    says(reading.right_answer(chapter, "where-do-numbers-stop-counting"), last)


def test_a_kept_key_gets_no_position_in_the_second_call(chapter):
    calls = ("我爱", "你")  # what each is given
    wanted = " ".join(str(n) for text in calls for n in range(len(text)))
    assert reading.right_answer(chapter, "who-counts-the-positions") == wanted


def test_with_rope_alone_the_dot_lies_in_its_ring(chapter):
    _, ax = chapter.cell["is-3-4-5-wrong"].axes
    for ring, dot in (ax.lines[:2], ax.lines[2:]):
        scheme = text_at(ax, tip_of(ring), ("table", "RoPE"))
        assert (dist(tip_of(ring), tip_of(dot)) < 0.1) == (scheme == "RoPE")
    for ax in chapter.cell["rings-and-dots"].axes:
        rings, dots = (line.get_ydata() for line in reading.lines_in(ax, marker="o"))
        assert np.allclose(rings, dots) == (ax.get_title() == "with RoPE")
    assert chapter.moved_by("RoPE", 100) < 1e-9


CONTENTS = dict(zip("我爱你", (-0.6, 0.9, 2.2), strict=True))


@pytest.mark.parametrize("newest", ["counts on", "starts at 0"])
@pytest.mark.parametrize("start", [0, 12])
def test_all_hands_turn_together_unless_one_stays(chapter, start, newest):
    panel = chapter.cell["all-hands-turn-together"]
    said, (clock, ax) = set_to(panel, start=start, newest=newest)
    together = newest == "counts on"
    pos = [start, start + 1, start + 2 if together else 0]
    angles = np.array([*CONTENTS.values()]) + 0.4 * np.array(pos)
    looks = 1 + 0.4 * pos[2]
    query = tip_of(reading.line_in(clock, draw.ROPE))
    same(query / np.hypot(*query), tip(looks))
    hands = reading.lines_in(clock, draw.INK)
    same([tip_of(hand) for hand in hands], [tip(angle) for angle in angles])
    raised = [exp(2 * cos(looks - angle)) for angle in angles]
    shares = raised / np.sum(raised)
    same([bar.get_height() for bar in ax.patches if bar.get_fill()], shares)
    outline = [bar.get_height() for bar in ax.patches if not bar.get_fill()]
    assert np.allclose(outline, shares) == together
    says(said, *[start] * together, shares[1])
    says(clock.get_title(), np.degrees(0.4 * start))


DIGITS = {"bfloat16": 8, "float16": 11, "float32": 24}
STARTS = [("bfloat16", 0), ("bfloat16", 512), ("float16", 2048), ("float32", 2**24)]


@pytest.mark.parametrize("dtype, start", STARTS)
def test_stored_positions(chapter, dtype, start):
    panel = chapter.cell["do-neighbours-share-a-hand"]
    said, (clock, stairs) = set_to(panel, dtype=dtype, start=start)
    labels = stairs.get_xlabel(), stairs.get_ylabel()
    assert labels == ("position − start", "stored − start")
    to = range(start, start + 16)
    steps = [2 ** max(0, n.bit_length() - DIGITS[dtype]) for n in to]
    kept = [round(n / step) * step for n, step in zip(to, steps)]
    same(named(stairs)["stored"].get_ydata(), np.subtract(kept, start))
    thin = reading.lines_in(clock, draw.INK)
    broad = reading.lines_in(clock, draw.POSITION)
    same([tip_of(hand) for hand in thin], [tip(n) for n in kept[:6]])
    same([tip_of(hand) for hand in broad], [tip(n) for n in to[:6]])
    same(reading.numbers(said.replace(",", ""))[0::3], [start, len(set(kept))])


def test_float16_says_infinity(chapter):
    panel = chapter.cell["do-neighbours-share-a-hand"]
    said, (_, stairs) = set_to(panel, dtype="float16", start=2**24)
    assert np.isnan(named(stairs)["stored"].get_ydata()).all() and "infinity" in said


def test_models_that_may_begin_anywhere_have_no_bar(chapter):
    (ax,) = chapter.cell["which-models-anywhere"].axes
    names = [text for text in ax.texts if text.get_ha() == "right"]
    for name, bar in zip(names, ax.patches, strict=True):
        row = round(bar.get_y() + bar.get_height() / 2)
        beside = [t.get_text() for t in ax.texts if t.get_position()[1] == row]
        holds = name.get_text().startswith(("plain", "a fixed scaling", "a window"))
        assert name.get_position()[1] == row
        assert ("✓" in beside, "✗" in beside) == (holds, not holds)
        assert bar.get_width() < 1e-9 if holds else bar.get_width() > 0.01
        if not holds:
            same(float(beside[-1]), bar.get_width(), atol=0.005)


def test_the_next_token_of_a_padded_text_gets_the_number_of_its_tokens(chapter):
    (ax,) = chapter.cell["the-first-batch-mended"].axes
    cells = sorted(ax.patches, key=lambda box: (round(box.get_y()), box.get_x()))
    told = [word for box in cells for word in words_in(ax, box) if word.isdigit()]
    assert told == [*map(str, range(7)), *map(str, range(4))]


def test_keys_that_were_turned_on_fill_the_outlines(chapter):
    left, right = chapter.cell["turned-keys-move"].axes
    for ax in (left, right):
        bars = [bar.get_height() for bar in ax.patches if bar.get_fill()]
        outline = [bar.get_height() for bar in ax.patches if not bar.get_fill()]
        same([sum(bars), sum(outline)], [1, 1])
        assert np.allclose(bars, outline) == (ax is right)


def test_how_far_a_score_is_off_in_each_type(chapter):
    (ax,) = chapter.cell["how-far-a-score-is-off"].axes
    far = {  # at 1,000 and at 100,000: rounding to 8 digits, or to 24, of angles
        "angles in bfloat16": (1.7, 1.7),
        "as Transformers’ Llama": (0.015, 0.015),
        "all in float32": (3e-5, 0.0025),
    }
    for how, line in named(ax).items():
        if how in far:
            at = np.interp([1000, 100_000], *line.get_data())
            same(at, far.pop(how), rtol=0.35, err_msg=how)
            names = {draw.MARK: draw.MARK, draw.POSITION: draw.POSITION_TEXT}
            colour = reading.texts_in(ax)[how].get_color()
            assert colour == names.get(line.get_color(), draw.INK), how
    assert far == {}


def test_only_the_right_code_passes_all_three_tests(chapter):
    (ax,) = chapter.cell["a-board-of-three-tests"].axes
    verdicts = [text for text in ax.texts if text.get_text() in "✓✗"]
    rows = {}
    for text in sorted(verdicts, key=lambda text: text.get_position()):
        rows.setdefault(round(text.get_position()[1]), []).append(text.get_text())
    assert ["".join(rows[row]) for row in sorted(rows)] == [
        *("✓✓✓", "✗✓✗", "✓✗✗"),
        *["✓✓✗"] * 5,
        "✗✓✓",  # rounded places: right at 3
    ]


def test_the_lonely_column_lags_behind(chapter):
    fig = chapter.cell["an-odd-width"]
    lines = named(fig.axes[0], fig.legends[0])
    rate = 10_000 ** (-4 / 5)
    should, put = lines["where it should be"], lines["where the best matrix puts it"]
    pos = should.get_xdata()
    same(should.get_ydata(), np.sin((pos + 1000) * rate))
    same(put.get_ydata(), cos(1000 * rate) * np.sin(pos * rate), atol=0.1)


def test_the_last_dials_are_turned_on_as_their_titles_say(chapter):
    first, *others = chapter.cell["all-hands-once-more"].axes
    begin = np.arctan2(*tip_of(reading.line_in(first, draw.ROPE)))
    for ax in others:
        end = np.arctan2(*tip_of(reading.line_in(ax, draw.ROPE)))
        says(ax.get_title(), np.degrees(end - begin) % 360)


def test_arcs_and_bits_stand_beside_their_names(chapter):
    arcs = named(chapter.cell["eleven-clocks"].axes[0])
    for k in (3, 4, 7):
        same(np.ptp(arcs[f"$R_{k}$"].get_xdata()), k, err_msg=f"R_{k}")
    clocks = chapter.cell["eleven-clocks"].axes[0].lines[:11]
    for hour, hand in enumerate(clocks, 1):
        same(tip_of(hand) - (hour, 0), tip(np.radians(30 * hour), 0.3))
    (ax,) = chapter.cell["which-columns-are-a-pair"].axes
    for words, apart in {"share an angle": 1, "are mixed": 4}.items():
        _, y = reading.place(ax, words)
        beside = [x for x in ax.lines if x.get_ydata().mean() * y > 0]
        same([np.ptp(arc.get_xdata()) for arc in beside], apart, err_msg=words)
    (ax,) = chapter.cell["where-do-numbers-stop-counting"].axes
    parts = ("sign", "exponent")
    assert tuple(text_at(ax, (x, -0.45), parts) for x in (0.5, 5)) == parts


def test_prints_and_notes_tell_what_is_computed(chapter):
    says(chapter.said["first-tokens-stay"], [9, 8, 7, 6, 2, 1], [6, 5, 4, 3, 2, 1])
    length = dist(chapter.positional_encoding([7], 512)[0], [0] * 512)
    lines = chapter.said["length-of-a-code-beside-a-token"].splitlines()
    for line, ratio in zip(lines, (length, length / 512**0.5), strict=True):
        told = reading.numbers(line.split(": ", 1)[1])
        same(told, [ratio, ratio / 512**0.5], atol=0.02)
    *_, missed = reading.written(chapter.said["only-the-lonely-column-misses"])
    assert f"column 4 misses {missed}" in reading.markdown("11", "the-lonely-column")
    end = r"(R_s\,R_m\,q)\cdot(R_s\,R_n\,k) = (R_m\,q)\cdot(R_n\,k)$$"
    assert end in reading.markdown("11", "title-all-hands-turn-together")
    assert "a query behind longrope" in chapter.said["what-decides-anywhere"]
    off = chapter.off_by(chapter.fine, 100_000)
    assert f"by {off:.3f} at 100,000" in reading.markdown("11", "notes-as-models-do-it")
