"""Chapter 1: outputs that travel with their tokens, and three ways to count."""

from itertools import permutations, product
from math import degrees, hypot, sqrt

import numpy as np

from course import draw
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
    ways = {"(1, 1, 1, 1)": [1, 1, 1, 1], "(1, −1, 1, −1)": [1, -1, 1, -1]}
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


def test_eight_is_nearer_to_zero_than_to_seven(chapter):
    left, right = chapter.cell["bits-that-flip"].axes
    table = np.array([[pos >> bit & 1 for bit in range(4)] for pos in range(16)])
    same(reading.matrix(left), table)
    same(heights(right), abs(np.diff(table, axis=0)).sum(axis=1))
    says(reading.right_answer(chapter, "whose-code-is-nearer"), 0)


def test_each_candidate_fails_three_wishes(chapter):
    (ax,) = chapter.cell["three-candidates-seven-wishes"].axes
    norm, matrix = "survives LayerNorm", "one matrix moves every place"
    assert reading.failures(reading.read_board(ax)) == {
        "integers": ["bounded", norm, matrix],
        "divided by length": ["independent of the text’s length", norm, matrix],
        "binary": ["even steps", "near places look alike", matrix],
    }
