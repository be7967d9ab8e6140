"""Chapter 1: outputs that travel with their tokens, and five codes on the board."""

import re
from itertools import combinations, groupby, permutations, product
from math import degrees, hypot, sqrt

import numpy as np
from matplotlib.colors import to_rgba

from course import draw, wishes_of
from tests.support import reading
from tests.support.oracle import shares_of
from tests.support.reading import heights, line_in, same, says, set_to

SPOKEN = {"我": "wǒ", "爱": "ài", "你": "nǐ"}


def looks_of(chapter, who):
    """How much a token of 我爱你 looks at each of the three."""
    keys = [chapter.vocabulary[token] @ chapter.W_K for token in "我爱你"]
    return shares_of(keys @ (chapter.vocabulary[who] @ chapter.W_Q) / 2)


def outputs_of(chapter, order):
    values = [chapter.vocabulary[token] @ chapter.W_V for token in "我爱你"]
    return np.array([looks_of(chapter, token) @ values for token in order])


def test_a_reordered_weight_meets_its_value():
    told = reading.markdown("01", "is-it-always-so")
    assert r"\Pi A\,\underbrace{\Pi^\top\, \Pi}_{I}\, X W_V" in told


def test_what_ai_gathers_is_the_sum_of_three_weighted_values(chapter):
    *terms, last = chapter.cell["what-ai-gathers"].axes
    for ax, token, weight in zip(terms, "我爱你", looks_of(chapter, "爱"), strict=True):
        value = chapter.vocabulary[token] @ chapter.W_V
        assert token in ax.get_title()
        says(ax.get_title(), weight)
        same(heights(ax), weight * value)
    same(heights(last), np.sum([heights(ax) for ax in terms], axis=0))


def test_the_middle_output_stays_the_same(chapter):
    question = "does-the-middle-notice"
    before, after = (heights(ax) for ax in chapter.cell[question].axes)
    same(after, before[4:8])
    assert "stays the same" in reading.right_answer(chapter, question)


def test_the_bars_travel_with_their_tokens(chapter):
    panel = chapter.cell["the-bars-travel-with-their-tokens"]
    for order in map("".join, permutations("我爱你")):
        said, (upper, middle, lower) = set_to(panel, order=order)
        for ax, tokens in (upper, "我爱你"), (lower, order):
            bars = np.reshape(heights(ax), (3, 5))[:, :4]  # the fifth is a gap
            same(bars, outputs_of(chapter, tokens))
        ends = [
            (int(a // 5), int(b // 5)) for (a, _), (b, _) in reading.arrow_ends(middle)
        ]
        moved = [
            ("我爱你".index(x), i) for i, x in enumerate(order) if "我爱你"[i] != x
        ]
        assert sorted(ends) == sorted(moved), order
        says(said, [len(moved), 3, 0] if moved else [3, 0])  # changed by 0.00
        assert f"{order} ({' '.join(SPOKEN[token] for token in order)})" in said


def test_the_sums_point_along_a_code_that_outgrows_the_tokens(chapter):
    panel = chapter.cell["counting-drowns-the-words"]
    for n, width in ((2, 4), (100, 16), (1000, 256)):
        said, (left, right) = set_to(panel, n=n, d_model=width)
        tokens = chapter.wide[:, :width]
        token = np.mean([hypot(*x) for x in tokens])
        code = [count * sqrt(width) for count in range(1, n + 1)]
        same(line_in(left, draw.TOKEN).get_ydata(), token)
        same(line_in(left, draw.POSITION).get_ydata(), code)
        for count, colour in ((0, draw.GREY), (n, draw.SUM)):
            hands = reading.lines_in(right, colour, dashed=count == 0)
            angles = [np.arctan2(*reading.tip_of(hand)) for hand in hands]
            cosines = [sum(x) / hypot(*x) / sqrt(width) for x in tokens + count]
            same(np.cos(angles), cosines)
        times, tilt, *_ = reading.numbers(said)
        same(times, code[-1] / token, atol=0.51)
        same(tilt, degrees(max(np.abs(angles))), atol=0.051)


def normed(x):
    deviation = x - np.mean(x)
    return 2 * deviation / hypot(*deviation)


def test_layernorm_erases_one_count_and_not_the_other(chapter):
    panel, token = chapter.cell["layernorm-erases-the-count"], chapter.E[0]
    ways = {"(1, 1, 1, 1)": [1, 1, 1, 1], "(1, 0, 0, 0)": [1, 0, 0, 0]}
    for pos, way in product((0, 3), ways):
        said, (before, after) = set_to(panel, pos=pos, direction=way)
        total = token + (pos + 1) * np.array(ways[way])
        tops = [x.get_y() + x.get_height() for x in reading.bars_in(before, draw.TOKEN)]
        same(tops, total)
        same(heights(after, draw.SUM), normed(total))
        same(heights(after, "none"), normed(token))
        says(said, pos, max(abs(normed(total) - normed(token))))
    vote = "what-does-layernorm-leave"
    after = chapter.cell[vote].axes[1]
    same(heights(after, draw.SUM), heights(after, "none"))
    assert reading.right_answer(chapter, vote) == "none"


def test_divided_by_a_fixed_number_neighbours_stand_on_one_another(chapter):
    rulers = chapter.cell["one-step-in-two-sequences"].axes
    for ax, step in zip(rulers, (1 / 5, 1 / 15, 1 / 10_000), strict=True):
        same(np.diff(line_in(ax, draw.MARK).get_xdata()), step)
        (said,) = (x.get_text() for x in ax.texts if "step" in x.get_text())
        same(reading.numbers(said), step, rtol=0.01)


def binary(pos, bits=4):
    return [pos >> bit & 1 for bit in range(bits)]


def reflected(bits):
    """Gray code: what there is, and once more backwards with a 1 behind it."""
    rows = [[]]
    for _ in range(bits):
        rows = [[*row, 0] for row in rows] + [[*row, 1] for row in rows[::-1]]
    return rows


def test_binary_jumps_and_gray_code_flips_one_bit(chapter):
    left, jumps, right, steps = chapter.cell["bits-that-flip"].axes
    shown = (
        (left, jumps, [*map(binary, range(16))], 8),
        (right, steps, reflected(4), 15),
    )
    for ax, beside, table, far in shown:
        same(reading.matrix(ax), table)
        flips = abs(np.diff(table, axis=0)).sum(axis=1)
        bars = sorted(beside.patches, key=lambda bar: bar.get_y())
        same([bar.get_width() for bar in bars], flips)
        assert [x.get_text() for x in beside.texts] == [*map(str, flips)]
        assert reading.frames(ax) == [(0, 0, 4, 1), (0, far, 4, 1)]
        assert sum(np.not_equal(table[0], table[far])) == 1
    assert f"{far} is one bit from 0" in reading.markdown("01", "wish-even-steps")
    says(reading.right_answer(chapter, "whose-code-is-nearer"), 0)


def test_one_position_on_numbers_follow_and_bits_do_not(chapter):
    (ax,) = chapter.cell["numbers-move-and-bits-do-not"].axes
    cells = [(x.get_position(), x.get_text()) for x in ax.texts]
    cells = sorted((-y, x, int(word)) for (x, y), word in cells if word.isdigit())
    *lines, last = ([*line] for _, line in groupby(cells, key=lambda cell: cell[0]))
    lines = [[entry for *_, entry in line] for line in lines]
    first, second, third = map(np.array, lines)
    for pos, line in enumerate((first, second, third), start=1):
        assert line[:8].tolist() == [pos, 1, pos + 1, 1, *binary(pos)]
    same((first + second)[4:], third[4:])  # 1 + 2 = 3, and what becomes of them
    same([first[8:], second[8:]], [binary(2), binary(3)])
    assert [entry for *_, entry in last] == binary(4) != third[8:].tolist()
    told = reading.markdown("01", "notes-numbers-move-and-bits-do-not")
    assert f"too: {' '.join(map(str, third[8:]))}, the code of no position" in told


NEAR, RESOLUTION = "near places look alike", "resolution"
MATRIX = "one matrix moves every place"


def test_each_code_lacks_resolution_or_the_one_matrix(chapter):
    (ax,) = chapter.cell["five-codes-eight-wishes"].axes
    assert reading.failures(reading.read_board(ax)) == {
        "integers": ["bounded", RESOLUTION],
        "fixed scale": [RESOLUTION],
        "divided by length": ["independent of the text’s length", RESOLUTION],
        "binary": ["even steps", NEAR, MATRIX],
        "Gray code": [NEAR, MATRIX],
    }
    (box,) = (x for x in ax.patches if x.get_ec() == to_rgba(draw.INK))
    rows = [box.get_y(), box.get_y() + box.get_height()]
    same(rows, [6, 7], atol=0.5)  # the last two
    told = reading.markdown("01", "no-code-here-has-both")
    assert "lack resolution. **Bits** have resolution and lack the last wish" in told
    told = chapter.said["five-codes-eight-wishes"].partition(" All else ")[0]
    for wish, row in reading.read_board(ax).items():
        crosses = list(row.values()).count(False)
        assert told.count(" ".join(wish.split()[:2])) == crosses, f"alt text: {wish}"


def test_numbers_come_close_and_bits_do_not(chapter):
    wanted = [1 / hypot(999, 1), 1e-4 / hypot(0.0999, 1), 1 / 999 / sqrt(2)]
    wanted += [1 / sqrt(9), 1 / sqrt(10)]  # one bit, of nine and of ten
    found = reading.numbers(chapter.said["how-close-two-codes-come"])
    same(found, wanted, atol=0.51e-4)
    for scheme, step in (
        (chapter.integers, 1),
        (chapter.fixed_scale, 1e-4),
        (chapter.divided_by_length, 1 / 999),
    ):
        column, ones, *empty = scheme(1000).T
        same(column, step * np.arange(1000))
        same(ones, 1)
        same(empty, 0)
    same(chapter.twelve_gray_bits(1000), reflected(12)[:1000])
    same(chapter.twelve_bits(1000), [binary(pos, 12) for pos in range(1000)])


def test_no_matrix_moves_bits_even_with_a_one_beside_them(chapter):
    """Two equal sums that are no longer equal three positions on."""
    for scheme in (chapter.twelve_bits, chapter.twelve_gray_bits):
        here, there = scheme(16), scheme(19)[3:]
        pairs = [*combinations(range(16), 2)]
        assert any(
            (here[a] + here[b] == here[c] + here[d]).all()
            and (there[a] + there[b] != there[c] + there[d]).any()
            for (a, b), (c, d) in combinations(pairs, 2)
        )


def test_three_codes_of_ones_own_fail_where_the_solution_says(chapter):
    told = reading.markdown("01", "solution-a-code-of-your-own")
    names = {"np": np}
    exec(re.search(r"```python\n(.*?)```", told, re.DOTALL)[1], names)
    lacks = {
        name: [wish for wish, has in wishes_of(names[name]).items() if not has]
        for name in ("slow_clock", "remainders", "logarithm")
    }
    assert lacks["slow_clock"] == [RESOLUTION]
    assert lacks["remainders"] == [NEAR]
    assert len(lacks["logarithm"]) == 4 and "fulfils four wishes" in told
    assert len(np.unique(names["remainders"](1001), axis=0)) == 7 * 11 * 13


def test_a_code_of_ones_own_stands_beside_the_five(chapter):
    yours = wishes_of(lambda n: np.zeros((n, 2)))
    board = chapter.draw_board({**chapter.board, "yours": yours})
    found = reading.read_board(*board.axes)
    assert {wish: found[wish]["yours"] for wish in found} == yours
    assert found["bounded"]["integers"] is False


def test_numbers_of_the_prose_hold(chapter):
    told = reading.markdown("01", "notes-one-step-in-two-sequences")
    assert f"room for {len(chapter.room)} numbers" in told
    told = reading.markdown("01", "small-print-on-the-scoreboard")
    assert f"the code of position {2**8 - 1}, eight ones" in told
    told = reading.markdown("01", "a-column-of-ones-does-not-help-bits")
    gray, rows = told.partition("For Gray code")[2], np.array(reflected(4))
    a, b, c, d = map(int, reading.numbers(gray))
    same(rows[a] + rows[b], rows[c] + rows[d])
    assert (rows[a + 1] + rows[b + 1] != rows[c + 1] + rows[d + 1]).any()
    within = reading.numbers(reading.markdown("01", "rmsnorm-keeps-the-count"))[-1]
    near, far = (chapter.rms_norm(chapter.E + count) for count in (1000, 1001))
    assert within / 10 < np.abs(far - near).max() < within
