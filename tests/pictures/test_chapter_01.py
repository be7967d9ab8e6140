"""Chapter 1: outputs that travel with their tokens, and three ways to count."""

from itertools import permutations, product
from math import ceil, degrees, floor, hypot, sqrt

import numpy as np

import draw
from tests.pictures import reading
from tests.pictures.reading import alt, in_alt, line_in, named, numbers, same, set_to

LETTERS = "LLM张老师"
SPOKEN = {"我": "wǒ", "爱": "ài", "你": "nǐ"}


def weights_of(chapter, who):
    """How much a token of 我爱你 looks at each of the three."""
    query = chapter.vocabulary[who] @ chapter.W_Q
    keys = [chapter.vocabulary[token] @ chapter.W_K for token in "我爱你"]
    return reading.shares_of(np.array([query @ key / 2 for key in keys]))


def values(chapter):
    return np.array([chapter.vocabulary[token] @ chapter.W_V for token in "我爱你"])


def bits_of(pos):
    return [pos >> bit & 1 for bit in range(4)]


def ends(bars):
    return [bar.get_y() + bar.get_height() for bar in bars]


def spans(bars):
    """Where each bar starts and where it ends."""
    return np.transpose([[bar.get_y() for bar in bars], ends(bars)])


def test_each_row_is_that_of_its_token(chapter):
    axes = chapter.cell["same-rows-in-another-order"].axes
    for ax, sentence in zip(axes, ("我爱你", "你爱我"), strict=True):
        rows = [chapter.vocabulary[token] for token in sentence]
        reading.is_table(ax, sentence, rows)


def test_the_tiles_stand_in_the_order_of_two_sentences(chapter):
    name, sentences = "two-sentences-of-three-tiles", ["我爱你", "你爱我"]
    shown = lines_of_words(chapter.cell[name].axes[0])
    assert ["".join(tiles) for tiles in shown] == sentences, shown
    spoken = [" ".join(SPOKEN[token] for token in tiles) for tiles in sentences]
    above, below = (f"{x} ({tiles})" for x, tiles in zip(spoken, sentences))
    assert f"Above {above}, below {below}" in alt(chapter.said[name])


def test_what_ai_gathers_is_a_weighted_sum(chapter):
    *terms, last = chapter.cell["what-ai-gathers"].axes
    weights = weights_of(chapter, "爱")
    for ax, token, weight, value in zip(terms, "我爱你", weights, values(chapter)):
        assert token in ax.get_title(), token
        same(numbers(ax.get_title()), [weight], atol=0.0051)
        same(ends(ax.patches), weight * value)
    same(ends(last.patches), weights @ values(chapter))
    same(in_alt(chapter, "what-ai-gathers"), weights, atol=0.0051)


def test_the_outputs_in_question_are_those_of_the_first_order(chapter):
    left, right = chapter.cell["an-output-in-question"].axes
    outputs = [weights_of(chapter, name) @ values(chapter) for name in "我爱你"]
    same(np.reshape(ends(left.patches), (3, 5))[:, :4], outputs)
    for ax, order in ((left, "我爱你"), (right, "你爱我")):  # each below its four bars
        at = [int(reading.place(ax, token)[0] // 5) for token in order]
        assert at == [0, 1, 2]
    assert reading.text_at(right, reading.place(right, "?"), "你爱我") == "爱"
    assert not right.patches


def lists_are_linked(chapter, axes, order):
    """Names stand at their outputs, and each arrow leads down from a name to itself."""
    upper, middle, lower = axes
    lines = {}  # y → what stands in each slot of five bars
    for x, y in (text.get_position() for text in middle.texts if text.get_text()):
        lines.setdefault(y, []).append(int(x // 5))
    assert [sorted(slots) for slots in lines.values()] == 2 * [[0, 1, 2]]
    assert ["".join(words) for words in lines_of_words(middle)] == ["我爱你", order]
    for ax, names in ((upper, "我爱你"), (lower, order)):
        outputs = [weights_of(chapter, name) @ values(chapter) for name in names]
        bars = np.reshape(ends(ax.patches), (3, 5))
        same(bars[:, :4], outputs)
    led = []
    for arrow in (arrow for arrow in reading.arrows(middle) if arrow.get_visible()):
        tail, head = int(arrow.xyann[0] // 5), int(arrow.xy[0] // 5)  # 5 a slot
        led.append("我爱你"[tail] + order[head])
        assert arrow.xyann[1] > arrow.xy[1]  # downwards
    assert led == [a + a for a, b in zip("我爱你", order) if a != b], led


def test_the_bars_travel_with_their_tokens(chapter):
    panel = chapter.cell["the-bars-travel-with-their-tokens"]
    for order in map("".join, permutations("我爱你")):
        said = panel.sentence_at({"order": order})
        lists_are_linked(chapter, panel.canvas.figure.axes, order)
        moved = sum(a != b for a, b in zip("我爱你", order))
        same(numbers(said), [moved, 3, 0] if moved else [3, 0])  # changed by 0.00
        assert order in said
        assert " ".join(SPOKEN[token] for token in order) in said
    lists_are_linked(chapter, chapter.cell["the-bars-that-crossed"].axes, "你爱我")
    assert "stays" in reading.right_answer(chapter, "does-the-middle-notice")


def test_a_count_is_added_to_every_entry(chapter):
    axes = chapter.cell["count-added-to-every-entry"].axes
    counts = np.repeat(range(1, 7), 4).reshape(6, 4)
    tables = {"token": chapter.E, "count": counts, "sum": chapter.E + counts}
    for ax, (title, rows) in zip(axes, tables.items(), strict=True):
        places = [f"pos {pos} " for pos in range(6)]
        reading.is_table(ax, places if title == "count" else LETTERS, rows)
        assert title in ax.get_title(), title
    same(in_alt(chapter, "count-added-to-every-entry"), [1, 1])  # pos + 1, the step
    same(tables["sum"][1] - tables["sum"][0], 1)


def test_the_code_grows_longer_than_the_tokens(chapter):
    panel = chapter.cell["counting-drowns-the-words"]
    for n, width in ((2, 4), (100, 16), (1000, 256)):
        said, (left, _) = set_to(panel, n=n, d_model=width)
        lines = named(left)
        token = np.mean([hypot(*x[:width]) for x in chapter.wide])
        code = [count * sqrt(width) for count in range(1, n + 1)]
        same(lines["token"].get_ydata(), token)
        same(lines["code (count)"].get_xydata(), [*enumerate(code, 1)])
        same(numbers(said)[0], code[-1] / token, atol=0.51)
    same(numbers(panel.alt), [panel.values["n"] - 1])


def test_the_sums_point_one_way(chapter):
    panel = chapter.cell["counting-drowns-the-words"]
    for n, width in ((2, 4), (100, 16), (1000, 256)):
        said, (_, ax) = set_to(panel, n=n, d_model=width)
        angles = {}
        for count, shade in ((0, draw.GREY), (n, draw.SUM)):
            hands = reading.lines_in(ax, shade, dashed=count == 0)
            tips = np.array([reading.tip_of(hand) for hand in hands])
            angles[count] = np.arctan2(*tips.T)
            sums = chapter.wide[:, :width] + count
            cosines = [sum(x) / hypot(*x) / sqrt(width) for x in sums]
            same(np.cos(angles[count]), cosines)
        ((start, end, *_),) = reading.sweeps(ax)  # of M, the second token
        same((start, end), (angles[0][1], angles[n][1]))
        same(np.arctan2(*reading.texts_of(ax)["M"].get_position()), start)
        same(numbers(said)[1], degrees(max(abs(angles[n]))), atol=0.051)
    key = dict(text.split(": ") for text in reading.texts_of(ax) if ": " in text)
    assert "code" in key["solid"] and "code" not in key["dashed"], key


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
        blocks, tokens, sticks = np.reshape(before.patches, (3, 4))
        same(ends(blocks), count)
        same(spans(tokens), np.transpose([count, total]))
        same(spans(sticks), np.transpose([4 * [np.mean(total)], total]))
        same(line_in(before, dashed=True).get_ydata(), np.mean(total))
        (label,) = (text for text in reading.texts_of(before) if "count" in text)
        same(numbers(label), [pos + 1])
        same(ends(after.patches), [*normed(total), *normed(token)])  # and frames
        change = max(abs(normed(total) - normed(token)))
        same(numbers(said), [pos, change], atol=0.0051)
    same(numbers(panel.alt), [panel.values["pos"]])
    assert "None" in reading.right_answer(chapter, "what-does-layernorm-leave")


def test_a_token_on_three_is_normed_without_the_three(chapter):
    before, after = chapter.cell["a-token-on-three"].axes
    blocks, tokens = np.reshape(before.patches, (2, 4))
    same(spans(blocks), 4 * [(0, 3)])
    same(spans(tokens), [(3, 3 + entry) for entry in chapter.E[0]])
    same(ends(after.patches), normed(chapter.E[0]))


def test_one_step_shrinks_with_the_length(chapter):
    axes = chapter.cell["one-step-in-two-sequences"].axes
    for ax, n in zip(axes, (6, 16), strict=True):
        codes = [pos / (n - 1) for pos in range(n)]
        (said,) = (words for words in reading.texts_of(ax) if "step" in words)
        tokens = [text for text in ax.texts if text.get_text() != said]
        tokens.sort(key=lambda text: text.get_position()[0])
        assert "".join(token.get_text() for token in tokens) == LETTERS
        same([token.get_position()[0] for token in tokens], codes[:6])
        same(line_in(ax, draw.INK).get_xdata(), codes)
        same(line_in(ax, draw.MARK).get_xdata(), codes[4:6])
        same(numbers(said), [1 / (n - 1)], atol=0.0051)
        same(numbers(ax.get_ylabel()), [n])
    same(in_alt(chapter, "one-step-in-two-sequences"), [0, 1, 6, 1 / 5, 16])


def test_one_code_is_given_and_three_are_asked_for(chapter):
    (ax,) = chapter.cell["three-codes-to-guess"].axes
    words = {text.get_position(): text.get_text() for text in ax.texts}
    same([int(words[6, bit]) for bit in range(4)], bits_of(6))
    asked = [pos for (pos, bit), word in words.items() if word == "?"]
    assert sorted(asked) == sorted(4 * [0, 7, 8]), asked


def test_eight_is_nearer_to_zero_than_to_seven(chapter):
    left, right = chapter.cell["bits-that-flip"].axes
    table = np.array([bits_of(pos) for pos in range(16)])
    flips = abs(np.diff(table, axis=0)).sum(axis=1)
    same(left.images[0].get_array(), table)
    same(ends(right.patches), flips)
    same(right.patches[7].get_facecolor(), left.patches[0].get_edgecolor())
    framed = [(ceil(top), floor(bottom)) for top, bottom in spans(left.patches)]
    assert sorted(framed) == [(0, 0), (7, 8)]  # rows
    same(in_alt(chapter, "bits-that-flip"), [0, 15, 16, 4, 0, 7, 8, *flips[:8], 7, 8])
    same(numbers(reading.right_answer(chapter, "whose-code-is-nearer")), [0])


def lines_of_words(ax):
    """What stands in axes: lines from top to bottom, words from left to right."""
    lines = {}
    for text in sorted(ax.texts, key=lambda text: text.get_position()[0]):
        if text.get_text():
            lines.setdefault(text.get_position()[1], []).append(text.get_text())
    return [lines[y] for y in sorted(lines, reverse=True)]


def test_equal_sums_of_bits_differ_two_places_on(chapter):
    (ax,) = chapter.cell["two-doors-further-on"].axes
    lines = lines_of_words(ax)
    for top, places, verdict in ((0, (0, 6, 2, 4), "="), (7, (2, 8, 4, 6), "≠")):
        names, first, second, signs, *others = lines[top : top + 6]
        same(numbers(" ".join(names)), places)
        rows = np.array([first, second, *others], dtype=int)
        a, b, left, right, c, d = rows.T
        same((a, b, c, d), [bits_of(pos) for pos in places])
        same((left, right), (a + b, c + d))
        assert "".join(signs) == f"+={verdict}=+", signs
        assert (left == right).all() == (verdict == "="), (left, right)
    for arrow in reading.arrows(ax):
        same(arrow.xyann[0], arrow.xy[0])
        assert arrow.xyann[1] > arrow.xy[1]  # downwards
    same(in_alt(chapter, "two-doors-further-on"), [0, 6, 2, 4, 2, 8, 4, 6])


def test_each_bit_is_a_wave(chapter):
    axes = chapter.cell["bits-as-square-waves"].axes
    for bit, ax in enumerate(axes):
        wave = line_in(ax, draw.INK)
        same(line_in(ax, draw.MARK).get_xdata(), 8)  # where all four have an edge
        assert wave.get_drawstyle() == "steps-post", wave.get_drawstyle()
        same(wave.get_ydata(), [bits_of(pos)[bit] for pos in range(33)])
        same(numbers(ax.get_ylabel()), [bit])
        same(numbers(*reading.texts_of(ax)), [2 ** (bit + 1)])
    same(in_alt(chapter, "bits-as-square-waves"), [0, 32, 2, 4, 8, 16, 8])


def test_each_candidate_fails_three_wishes(chapter):
    (ax,) = chapter.cell["three-candidates-seven-wishes"].axes
    board = reading.read_board(ax)
    norm, matrix = "survives LayerNorm", "one matrix moves every place"
    failures = {
        "integers": ["bounded", norm, matrix],
        "divided by length": ["independent of the text's length", norm, matrix],
        "binary": ["even steps", "near places look alike", matrix],
    }
    for code, wanted in failures.items():
        failed = [wish for wish, row in board.items() if not row[code]]
        assert failed == wanted, (code, failed)
