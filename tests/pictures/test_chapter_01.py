"""Chapter 1: outputs that travel with their tokens, and three ways to count."""

from itertools import permutations, product
from math import degrees, hypot, sqrt

import numpy as np

from course import draw
from tests.support import reading
from tests.support.oracle import shares_of
from tests.support.reading import line_in, same, says, set_to

LETTERS = "LLM张老师"
SPOKEN = {"我": "wǒ", "爱": "ài", "你": "nǐ"}


def looks_of(chapter, who):
    """How much a token of 我爱你 looks at each of the three."""
    keys = [chapter.vocabulary[token] @ chapter.W_K for token in "我爱你"]
    return shares_of(keys @ (chapter.vocabulary[who] @ chapter.W_Q) / 2)


def values_of(chapter):
    return np.array([chapter.vocabulary[token] @ chapter.W_V for token in "我爱你"])


def check_outputs(ax, chapter, order):
    """Four bars and a gap for each token."""
    outputs = [looks_of(chapter, name) @ values_of(chapter) for name in order]
    same(np.reshape(reading.heights(ax), (3, 5))[:, :4], outputs)


def bits_of(pos):
    return [pos >> bit & 1 for bit in range(4)]


def spans(ax, colour):
    """Where each bar of a colour starts and where it ends, from left to right."""
    bars = reading.bars_in(ax, colour)
    return [(bar.get_y(), bar.get_y() + bar.get_height()) for bar in bars]


def lines_of_words(ax):
    """What stands in axes: lines from top to bottom, words from left to right."""
    lines = {}
    for text in sorted(ax.texts, key=lambda text: text.get_position()[0]):
        if text.get_text():
            lines.setdefault(text.get_position()[1], []).append(text.get_text())
    return [lines[y] for y in sorted(lines, reverse=True)]


def test_the_tiles_stand_in_the_order_of_two_sentences(chapter):
    (ax,) = chapter.cell["two-sentences-of-three-tiles"].axes
    assert ["".join(tiles) for tiles in lines_of_words(ax)] == ["我爱你", "你爱我"]


def test_rows_trade_places_with_their_tokens(chapter):
    (ax,) = chapter.cell["same-rows-in-another-order"].axes
    shown = lines_of_words(ax)
    halves = [[line[:5] for line in shown], [line[5:] for line in shown]]
    for half, sentence in zip(halves, ("我爱你", "你爱我"), strict=True):
        for (name, *entries), token in zip(half, sentence, strict=True):
            assert name == token
            says(entries, chapter.vocabulary[token])
    left, right = ([name for name, *_ in half] for half in halves)
    top, arrows = ax.get_ylim()[1], reading.arrow_ends(ax)
    led = {(left[int(top - tail[1])], right[int(top - end[1])]) for tail, end in arrows}
    assert led == {("我", "我"), ("你", "你")}


def test_what_ai_gathers_is_a_weighted_sum(chapter):
    *terms, last = chapter.cell["what-ai-gathers"].axes
    weights = looks_of(chapter, "爱")
    values = values_of(chapter)
    for ax, token, weight, value in zip(terms, "我爱你", weights, values, strict=True):
        assert token in ax.get_title(), token
        says(ax.get_title(), weight)
        same(reading.heights(ax), weight * value)
    same(reading.heights(last), weights @ values)
    for ax, sign in zip([*terms[1:], last], "++=", strict=True):
        assert reading.place(ax, sign)[0] < 0  # left of the panel
    says(reading.alt(chapter, "what-ai-gathers"), weights)


def test_the_outputs_in_question_are_those_of_the_first_order(chapter):
    outputs = [looks_of(chapter, name) @ values_of(chapter) for name in "我爱你"]
    for cell in ("an-output-in-question", "does-the-middle-notice"):
        left, right = chapter.cell[cell].axes
        same(reading.heights(left), np.ravel(outputs))
        assert bool(right.patches) == (cell == "does-the-middle-notice")
    same(reading.heights(right), outputs[1])  # the answer: 爱 has the same output
    middle = np.mean([bar.get_x() + bar.get_width() / 2 for bar in right.patches])
    same(middle, reading.place(right, "爱")[0])


def check_lists(chapter, axes, order):
    """Names stand at their outputs, and each arrow leads from a name to itself."""
    upper, middle, lower = axes
    assert lines_of_words(middle) == [list("我爱你"), list(order)]
    check_outputs(upper, chapter, "我爱你")
    check_outputs(lower, chapter, order)
    arrows = reading.arrow_ends(middle)
    led = {("我爱你"[int(a // 5)], order[int(b // 5)]) for (a, _), (b, _) in arrows}
    assert led == {(a, a) for a, b in zip("我爱你", order, strict=True) if a != b}


def test_the_bars_travel_with_their_tokens(chapter):
    panel = chapter.cell["the-bars-travel-with-their-tokens"]
    for order in map("".join, permutations("我爱你")):
        said, axes = set_to(panel, order=order)
        check_lists(chapter, axes, order)
        moved = sum(a != b for a, b in zip("我爱你", order, strict=True))
        says(said, [moved, 3, 0] if moved else [3, 0])  # changed by 0.00
        assert f"{order} ({' '.join(SPOKEN[token] for token in order)})" in said
    check_lists(chapter, chapter.cell["the-bars-that-crossed"].axes, "你爱我")


def test_a_count_is_added_to_every_entry(chapter):
    axes = chapter.cell["count-added-to-every-entry"].axes
    counts = np.repeat(range(1, 7), 4).reshape(6, 4)
    tables = {"token": chapter.E, "count": counts, "sum": chapter.E + counts}
    for ax, (title, rows) in zip(axes, tables.items(), strict=True):
        places = [f"pos {pos} " for pos in range(6)]
        reading.check_table(ax, places if title == "count" else LETTERS, rows)
        assert title in ax.get_title(), title


def test_the_sums_point_along_a_code_that_outgrows_the_tokens(chapter):
    panel = chapter.cell["counting-drowns-the-words"]
    for n, width in ((2, 4), (100, 16), (1000, 256)):
        said, (left, right) = set_to(panel, n=n, d_model=width)
        tokens = chapter.wide[:, :width]
        token = np.mean([hypot(*x) for x in tokens])
        code = [count * sqrt(width) for count in range(1, n + 1)]
        same(line_in(left, draw.TOKEN).get_ydata(), token)
        same(line_in(left, draw.POSITION).get_xydata(), [*enumerate(code, 1)])
        angles = {}
        for count, shade in ((0, draw.GREY), (n, draw.SUM)):
            hands = reading.lines_in(right, shade, dashed=count == 0)
            tips = [reading.tip_of(hand) for hand in hands]
            angles[count] = np.arctan2(*np.transpose(tips))
            sums = tokens + count
            cosines = [sum(x) / hypot(*x) / sqrt(width) for x in sums]
            same(np.cos(angles[count]), cosines)
            name = "M + code" if count else "M"
            x, y = reading.place(right, name)
            same(np.arctan2(x, y), angles[count][1], err_msg=name)
        times, tilt, *_ = reading.numbers(said)
        same(times, code[-1] / token, atol=0.51)
        same(tilt, degrees(max(abs(angles[n]))), atol=0.051)
    says(panel.alt, panel.values["n"] - 1)


def normed(x):
    deviation = x - np.mean(x)
    return 2 * deviation / hypot(*deviation)


def test_layernorm_erases_one_count_and_not_the_other(chapter):
    panel, token = chapter.cell["layernorm-erases-the-count"], chapter.E[0]
    ways = {"(1, 1, 1, 1)": [1, 1, 1, 1], "(1, −1, 1, −1)": [1, -1, 1, -1]}
    for pos, way in product(range(4), ways):
        said, (before, after) = set_to(panel, pos=pos, direction=way)
        count = (pos + 1) * np.array(ways[way])
        total = token + count
        same(reading.heights(before, draw.POSITION), count)
        same(spans(before, draw.TOKEN), np.transpose([count, total]))
        same(spans(before, draw.SUM), np.transpose([4 * [np.mean(total)], total]))
        same(reading.heights(after, draw.SUM), normed(total))
        same(reading.heights(after, "none"), normed(token))
        change = max(abs(normed(total) - normed(token)))
        says(said, pos, change)
    says(panel.alt, panel.values["pos"])
    filled = {"a-token-on-three": [], "what-does-layernorm-leave": normed(token + 3)}
    for cell, bars in filled.items():  # of the vote, and of its answer
        before, after = chapter.cell[cell].axes
        same(spans(before, draw.TOKEN), [(3, 3 + entry) for entry in token])
        same(reading.heights(after, draw.SUM), bars)


def test_one_step_shrinks_with_the_length(chapter):
    axes = chapter.cell["one-step-in-two-sequences"].axes
    for ax, n in zip(axes, (6, 16), strict=True):
        codes = [pos / (n - 1) for pos in range(n)]
        _, (said,) = lines_of_words(ax)
        for token, code in zip("M张老师", codes[2:]):
            same(reading.place(ax, token)[0], code)
        same(line_in(ax, draw.INK).get_xdata(), codes)
        same(line_in(ax, draw.MARK).get_xdata(), codes[4:6])
        says(said, 1 / (n - 1))
    says(reading.alt(chapter, "one-step-in-two-sequences"), 0, 1, 6, 1 / 5, 16)


def test_eight_is_nearer_to_zero_than_to_seven(chapter):
    left, right = chapter.cell["bits-that-flip"].axes
    table = np.array([bits_of(pos) for pos in range(16)])
    flips = abs(np.diff(table, axis=0)).sum(axis=1)
    same(reading.matrix(left), table)
    same(reading.heights(right), flips)
    assert reading.frames(left) == [(0, 0, 4, 1), (0, 7, 4, 2)]  # rows 0, and 7 and 8
    says(reading.alt(chapter, "bits-that-flip"), 0, 15, 16, 4, 0, 7, 8, flips[:8], 7, 8)
    vote = "whose-code-is-nearer"
    says(reading.right_answer(chapter, vote), 0)
    for cell, told in {"three-codes-to-guess": [6], vote: [0, 6, 7, 8]}.items():
        (ax,) = chapter.cell[cell].axes
        lower, upper, names = lines_of_words(ax)  # here y leads down
        assert names == 2 * [f"bit {bit}" for bit in range(4)]
        rows = {}
        for line in (upper, lower):
            for name, *bits in (line[:5], line[5:]):
                rows[int(name.removeprefix("pos "))] = bits
        assert [*rows] == [0, 6, 7, 8]
        for pos, bits in rows.items():
            assert bits == [str(bit) if pos in told else "?" for bit in bits_of(pos)]


def test_equal_sums_of_bits_differ_two_places_on(chapter):
    (ax,) = chapter.cell["two-doors-further-on"].axes
    lines = lines_of_words(ax)
    for top, places, verdict in ((0, (0, 6, 2, 4), "="), (7, (2, 8, 4, 6), "≠")):
        names, first, second, signs, *others = lines[top : top + 6]
        says(names, places)
        a, b, left, right, c, d = np.array([first, second, *others], dtype=int).T
        same((a, b, c, d), [bits_of(pos) for pos in places])
        same((left, right), (a + b, c + d))
        assert "".join(signs) == f"+={verdict}=+", signs
        assert (left == right).all() == (verdict == "="), (left, right)


def test_each_bit_is_a_wave(chapter):
    axes = chapter.cell["bits-as-square-waves"].axes
    for bit, ax in enumerate(axes):
        wave = line_in(ax, draw.INK)
        same(line_in(ax, draw.MARK).get_xdata(), 8)  # where all four have an edge
        assert wave.get_drawstyle() == "steps-post"
        same(wave.get_ydata(), [bits_of(pos)[bit] for pos in range(33)])
        says(ax.get_ylabel(), bit)
        says(reading.texts_in(ax), 2 ** (bit + 1))


def test_each_candidate_fails_three_wishes(chapter):
    (ax,) = chapter.cell["three-candidates-seven-wishes"].axes
    norm, matrix = "survives LayerNorm", "one matrix moves every place"
    failures = {
        "integers": ["bounded", norm, matrix],
        "divided by length": ["independent of the text’s length", norm, matrix],
        "binary": ["even steps", "near places look alike", matrix],
    }
    assert reading.failures(reading.read_board(ax)) == failures
    assert reading.frames(ax, draw.INK) == [(0, 6, 4, 1)]  # around the last row
