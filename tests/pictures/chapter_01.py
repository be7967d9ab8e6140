"""Chapter 1: outputs that travel with their tokens, and three ways to count."""

from itertools import permutations, product
from math import atan2, cos, exp, hypot, isclose, sqrt

import numpy as np

import draw
from tests.pictures import reading


def gathered(chapter, who):
    """What a token of 我爱你 gathers, token by token; and the weights it gives."""
    code = chapter.vocabulary
    query = code[who] @ chapter.W_Q
    raw = {token: exp(query @ (code[token] @ chapter.W_K) / 2) for token in "我爱你"}
    weights = {token: share / sum(raw.values()) for token, share in raw.items()}
    return sum(weights[t] * (code[t] @ chapter.W_V) for t in weights), weights


def bits_of(pos):
    return [pos >> bit & 1 for bit in range(4)]


def ends(bars):
    """Where bars start, and where they end: above, or below."""
    return np.transpose([(b.get_y(), b.get_y() + b.get_height()) for b in bars])


def written(ax):
    """What a table says, row by row: a name and four numbers."""
    cells = ax.tables[0].get_celld()
    words = [cells[at].get_text().get_text() for at in sorted(cells)]
    return [words[start : start + 5] for start in range(0, len(words), 5)]


def lists_are_linked(axes, order, outputs):
    """Names stand at their outputs, and each arrow leads down from a name to itself."""
    upper, middle, lower = axes
    words = {t.get_position(): t.get_text() for t in middle.texts if t.get_text()}
    slots = [1.5, 6.5, 11.5]
    for ax, y, names in ((upper, 1, "我爱你"), (lower, 0, order)):
        assert [words[x, y] for x in slots] == list(names)
        bars = ends(ax.patches)[1].reshape(3, 5)[:, :4]
        assert np.allclose(bars, [outputs[name] for name in names])
    led = {}
    for arrow in (arrow for arrow in reading.arrows(middle) if arrow.get_visible()):
        (start, high), (end, low) = arrow.xyann, arrow.xy
        tail, head = (min(slots, key=lambda x: abs(x - at)) for at in (start, end))
        assert high > low
        led[words[tail, 1]] = words[head, 0]
    assert led == {a: a for a, b in zip("我爱你", order) if a != b}


def test_tables_name_their_rows(chapter):
    def table(names, values):
        return [[name, *map(draw.number, row)] for name, row in zip(names, values)]

    axes = chapter.cell["same-rows-in-another-order"].axes
    for ax, sentence in zip(axes, ("我爱你", "你爱我")):
        assert written(ax) == table(sentence, map(chapter.vocabulary.get, sentence))
    tokens, count, sums = map(written, chapter.cell["count-added-to-every-entry"].axes)
    assert tokens == table("LLM张老师", chapter.E)
    assert count == [[f"pos {pos} ", *4 * str(pos + 1)] for pos in range(6)]
    assert sums == table("LLM张老师", chapter.E + np.arange(1, 7)[:, None])


def test_what_ai_gathers_is_a_weighted_sum(chapter):
    *terms, last = chapter.cell["what-ai-gathers"].axes
    total, weights = gathered(chapter, "爱")
    for ax, token in zip(terms, "我爱你"):
        assert ax.get_title().strip("+ ") == f"{weights[token]:.2f} ·\nvalue of {token}"
        value = chapter.vocabulary[token] @ chapter.W_V
        assert np.allclose(ends(ax.patches)[1], weights[token] * value)
    assert np.allclose(ends(last.patches)[1], total)


def test_the_bars_travel_with_their_tokens(chapter):
    panel = chapter.cell["the-bars-travel-with-their-tokens"]
    outputs = {token: gathered(chapter, token)[0] for token in "我爱你"}
    for order in map("".join, permutations("我爱你")):
        said = panel.sentence_at({"order": order})
        lists_are_linked(panel.canvas.figure.axes, order, outputs)
        moved = sum(a != b for a, b in zip("我爱你", order))
        assert f"In {order} (" in said and f"), {moved or 'none'} of 3 outputs" in said
        assert said.endswith("of an entry is 0.00.")
    lists_are_linked(chapter.cell["the-bars-that-crossed"].axes, "你爱我", outputs)
    assert "(nǐ ài wǒ)" in panel.sentence_at({"order": "你爱我"})
    assert "Above wǒ ài nǐ (我爱你), below nǐ ài wǒ (你爱我)." in panel.alt
    assert "from the first slot to the last and from the last to the first" in panel.alt
    assert "stays" in reading.right_answer(chapter, "does-the-middle-notice")


def test_the_count_drowns_the_tokens(chapter):
    panel = chapter.cell["counting-drowns-the-words"]
    for n, width in ((2, 4), (100, 16), (1000, 256)):
        said = panel.sentence_at({"n": n, "d_model": width})
        left, right = panel.canvas.figure.axes
        line = reading.named(left)
        long = [hypot(*[count] * width) for count in range(1, n + 1)]
        assert np.allclose(line["code (count)"].get_xydata(), [*enumerate(long, 1)])
        mean = sum(hypot(*x) for x in chapter.wide[:, :width]) / 5
        assert np.allclose(line["token"].get_ydata(), mean)
        tilts = {}
        for count, hands in ((0, right.lines[:5]), (n, right.lines[5:10])):
            assert {hand.is_dashed() for hand in hands} == {count == 0}
            tilts[count] = [atan2(*reading.tip_of(hand)) for hand in hands]
            for x, angle in zip(chapter.wide[:, :width] + count, tilts[count]):
                assert isclose(cos(angle), sum(x) / hypot(*x) / sqrt(width))
        ((start, end, *_),) = reading.sweeps(right)  # of M, the second token
        assert np.allclose((start, end), (tilts[0][1], tilts[n][1]))
        words = reading.texts_of(right)
        assert isclose(atan2(*words["M"].get_position()), start, abs_tol=1e-6)
        assert {"dashed: token", "solid: token + code"} < set(words)
        assert f"position {n - 1}: the code is {long[-1] / mean:.0f} times" in said
        assert f"within {np.degrees(max(map(abs, tilts[n]))):.1f}°" in said
    assert "from the dashed hand of M to its solid one" in panel.alt


def test_layernorm_erases_one_count_and_not_the_other(chapter):
    def normed(x):
        deviation = x - sum(x) / 4
        return 2 * deviation / hypot(*deviation)

    panel, L = chapter.cell["layernorm-erases-the-count"], chapter.E[0]
    ways = ("(1, 1, 1, 1)", np.ones(4)), ("(1, −1, 1, −1)", np.array([1, -1, 1, -1]))
    for pos, (name, way) in product(range(4), ways):
        said = panel.sentence_at({"pos": pos, "direction": name})
        before, after = panel.canvas.figure.axes
        count = (pos + 1) * way
        mean = sum(L + count) / 4
        starts = [*np.zeros(4), *count, *4 * [mean]]  # of blocks, tokens and sticks
        stops = [*count, *(L + count), *(L + count)]
        assert np.allclose(ends(before.patches), [starts, stops])
        assert np.allclose(before.lines[1].get_ydata(), mean)  # dashed
        assert f"count {pos + 1}" in reading.texts_of(before)
        bars_and_frames = [*normed(L + count), *normed(L)]
        assert np.allclose(ends(after.patches)[1], bars_and_frames)
        change = max(abs(normed(L + count) - normed(L)))
        assert f"Position {pos}: " in said and f"of an entry is {change:.2f}." in said
    assert "the count at position 2, and green sticks" in panel.alt
    assert reading.right_answer(chapter, "what-does-layernorm-leave") == "None."


def test_one_step_shrinks_with_the_length(chapter):
    for ax, n in zip(chapter.cell["one-step-in-two-sequences"].axes, (6, 16)):
        said, *tokens = ax.texts
        places = [token.get_position()[0] for token in tokens]
        assert np.allclose(places, [pos / (n - 1) for pos in range(6)])
        assert "".join(token.get_text() for token in tokens) == "LLM张老师"
        marks, step = (line.get_xdata() for line in ax.lines)
        assert len(marks) == n and np.allclose(marks[:6], places)
        assert np.allclose(step, places[4:])
        assert said.get_text() == f"one step: {1 / (n - 1):.2f}"
        assert ax.get_ylabel() == f"{n} tokens"


def test_eight_is_nearer_to_zero_than_to_seven(chapter):
    left, right = chapter.cell["bits-that-flip"].axes
    table = left.images[0].get_array().tolist()
    assert table == [bits_of(pos) for pos in range(16)]
    flips = [sum(a != b for a, b in zip(*rows)) for rows in zip(table, table[1:])]
    assert ends(right.patches)[1].tolist() == flips
    assert right.patches[7].get_facecolor() == left.patches[0].get_edgecolor()
    assert ends(left.patches).T.tolist() == [[-0.5, 0.5], [6.5, 8.5]]  # rows 0, 7, 8
    told = reading.alt(chapter.said["bits-that-flip"])
    assert ", ".join(map(str, flips[:8])) in told and "row 0 and rows 7 and 8" in told
    assert sum(table[8]) == 1 and flips[7] == 4  # bits that differ from those of 8
    assert reading.right_answer(chapter, "whose-code-is-nearer") == "0's."


def test_equal_sums_of_bits_differ_two_places_on(chapter):
    (ax,) = chapter.cell["two-doors-further-on"].axes
    columns = {}  # x → the words that stand there, from top to bottom
    for text in sorted(ax.texts, key=lambda text: -text.get_position()[1]):
        if text.get_text():
            columns.setdefault(text.get_position()[0], []).append(text.get_text())
    ordered = [columns[x] for x in sorted(columns)]
    signs = [" ".join(column) for column in ordered[1::2]]
    assert signs == ["+ +", "= =", "= two places on ≠", "= =", "+ +"]
    for top, places in ((0, (0, 6, 2, 4)), (5, (2, 8, 4, 6))):  # above, below
        names, *rows = zip(*(column[top : top + 5] for column in ordered[::2]))
        assert " ".join(names) == "pos {} pos {} sum sum pos {} pos {}".format(*places)
        a, b, left, right, c, d = np.transpose(rows).astype(int)
        assert np.array_equal([a, b, c, d], [bits_of(pos) for pos in places])
        assert (a + b == left).all() and (c + d == right).all()
        assert (left == right).all() == (top == 0)
    for arrow in reading.arrows(ax):
        (x, start), (below, end) = arrow.xyann, arrow.xy
        assert below == x and start > end and columns[x][0].startswith("pos")
    told = reading.alt(chapter.said["two-doors-further-on"])
    assert "positions 0 and 6" in told and "to 2 and 8, and to 4 and 6" in told


def test_each_bit_is_a_wave(chapter):
    for bit, ax in enumerate(chapter.cell["bits-as-square-waves"].axes):
        mark, wave = ax.lines
        assert set(mark.get_xdata()) == {8}  # where all four have an edge
        assert wave.get_drawstyle() == "steps-post"
        assert wave.get_ydata().tolist() == [bits_of(pos)[bit] for pos in range(33)]
        assert ax.get_ylabel() == f"bit {bit}"
        assert f"period {2 << bit}" in reading.texts_of(ax)
    assert "all of them at 8" in reading.alt(chapter.said["bits-as-square-waves"])


def test_each_candidate_fails_three_wishes(chapter):
    (ax,) = chapter.cell["three-candidates-seven-wishes"].axes
    board = reading.read_board(ax)
    norm = "survives LayerNorm"
    failures = {
        "Integers fail": ("bounded", norm),
        "Divided by length fails": ("independent of the text's length", norm),
        "Binary fails": ("even steps", "near places look alike"),
    }
    told = reading.alt(chapter.said["three-candidates-seven-wishes"])
    for fails, (first, second) in failures.items():
        code = fails.rpartition(" ")[0].lower()
        failed = [wish for wish, row in board.items() if not row[code]]
        assert failed == [first, second, "one matrix moves every place"]
        assert f"{fails} at {first}, {second} and one matrix" in told
