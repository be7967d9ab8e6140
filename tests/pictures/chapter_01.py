"""Chapter 1: outputs that travel with their tokens, and three ways to count."""

from itertools import permutations
from math import acos, exp, hypot, isclose, sqrt

import numpy as np
from matplotlib.colors import to_hex

import draw
from tests.pictures.reading import alt, arrows, read_board, right_answer, sweeps

TOKEN, POSITION, SUM = (c.lower() for c in (draw.TOKEN, draw.POSITION, draw.SUM))
MARK, GREY = draw.MARK.lower(), draw.GREY.lower()
PINYIN = {"我": "wǒ", "爱": "ài", "你": "nǐ"}
L = np.array([0.62, -0.51, 0.09, 0.85])
UP_DOWN = np.array([1, -1, 1, -1])


# ---- what is computed, in another way -----------------------------------------------
def gathered(chapter, who, others):
    """What a token gathers, added up token by token; and the weights it gives."""
    code, d = chapter.vocabulary, 4
    query = code[who] @ chapter.W_Q
    raw = {o: exp(sum(query * (code[o] @ chapter.W_K)) / sqrt(d)) for o in others}
    weights = {o: share / sum(raw.values()) for o, share in raw.items()}
    return sum(weights[o] * (code[o] @ chapter.W_V) for o in others), weights


def normed(x):
    deviation = np.subtract(x, sum(x) / len(x))
    return deviation / sqrt(sum(deviation**2) / len(x))


def bits_of(pos):
    return [int(bit) for bit in reversed(f"{pos:04b}")]


def flips(pos, k=1):
    return sum(a != b for a, b in zip(bits_of(pos), bits_of(pos + k)))


# ---- what is drawn ------------------------------------------------------------------
def heights(bars):
    return np.array([bar.get_height() for bar in bars])


def ends(bars):
    """Where bars end, seen from their foot: above it, or below."""
    return np.array([bar.get_y() + bar.get_height() for bar in bars])


def colours(bars):
    return {to_hex(bar.get_facecolor()) for bar in bars}


def texts(ax):
    return {t.get_text(): np.array(t.get_position()) for t in ax.texts if t.get_text()}


def written(ax):
    """What a table says: the names of its rows, and their numbers."""
    cells = ax.tables[0].get_celld()
    words = {at: cell.get_text().get_text() for at, cell in cells.items()}
    rows = range(len(words) // 5)
    numbers = [[float(words[i, j].replace("−", "-")) for j in range(4)] for i in rows]
    return "".join(words[i, -1] for i in rows), np.array(numbers)


def lists_are_linked(axes, above, below, outputs):
    """Names, bars and arrows of two lists: each arrow leads from a name to itself."""
    upper, middle, lower = axes
    slots = [5 * i + 1.5 for i in range(len(above))]
    words = [(*t.get_position(), t.get_text()) for t in middle.texts if t.get_text()]
    for row, names, ax in ((1, above, upper), (0, below, lower)):
        read = {x: name for x, y, name in words if y == row}
        assert [read[x] for x in slots] == list(names)
        bars = heights(ax.patches).reshape(-1, 5)[:, :4]
        assert np.allclose(bars, [outputs[name] for name in names], atol=1e-9)
        low, high = ax.get_ylim()
        assert low < bars.min() and bars.max() < high
    assert middle.get_xlim() == upper.get_xlim()
    found = {}
    for arrow in (arrow for arrow in arrows(middle) if arrow.get_visible()):
        (start, high), (end, low) = arrow.xyann, arrow.xy
        assert high > low
        at, to = (round((x - 1.5) / 5) for x in (start, end))
        found[above[at]] = below[to]
        assert to_hex(arrow.arrow_patch.get_edgecolor()) == MARK
    assert found == {a: a for a, b in zip(above, below, strict=True) if a != b}


# ---- nobody notices -----------------------------------------------------------------
def test_two_sentences_lie_in_one_bag(chapter):
    (ax,) = chapter.cell["two-sentences-one-bag"].axes
    tiles = [(t.get_position(), t.get_text()) for t in ax.texts if t.get_text()]
    top = "".join(token for (_, y), token in sorted(tiles) if y > 6)
    assert top == "我爱你你爱我"
    assert sorted(token for (_, y), token in tiles if y < 4) == sorted("我爱你")


def test_the_rows_of_two_sentences_are_the_same(chapter):
    axes = chapter.cell["same-rows-in-another-order"].axes
    for ax, sentence in zip(axes, ("我爱你", "你爱我")):
        names, numbers = written(ax)
        rows = [chapter.vocabulary[token] for token in sentence]
        assert names == sentence and np.allclose(numbers, rows, atol=0.00501)


def test_what_ai_gathers_is_a_weighted_sum(chapter):
    *terms, last = chapter.cell["what-ai-gathers"].axes
    total, weights = gathered(chapter, "爱", "我爱你")
    for ax, token in zip(terms, "我爱你"):
        assert ax.get_title().strip("+ ") == f"{weights[token]:.2f} ·\nvalue of {token}"
        value = chapter.vocabulary[token] @ chapter.W_V
        assert np.allclose(heights(ax.patches), weights[token] * value)
    assert np.allclose(heights(last.patches), total) and colours(last.patches) == {SUM}


def test_the_bars_travel_with_their_tokens(chapter):
    panel = chapter.cell["the-bars-travel-with-their-tokens"]
    outputs = {token: gathered(chapter, token, "我爱你")[0] for token in "我爱你"}
    for order in map("".join, permutations("我爱你")):
        said = panel.sentence_at({"order": order})
        axes = panel.canvas.figure.axes
        lists_are_linked(axes, "我爱你", order, outputs)
        assert colours(axes[0].patches) == colours(axes[2].patches) == {SUM}
        moved = sum(a != b for a, b in zip("我爱你", order))
        spoken = " ".join(PINYIN[token] for token in order)
        assert f"In {order} ({spoken}), {moved or 'none'} of 3 outputs" in said
        assert said.endswith("of an entry is 0.00.")
    again = chapter.cell["the-bars-that-crossed"].axes
    lists_are_linked(again, "我爱你", "你爱我", outputs)
    answer = "It stays the same, number for number."
    assert right_answer(chapter, "does-the-middle-notice") == answer


def test_dog_and_man_change_places_and_the_mean_stays(chapter):
    words = ["dog", "bites", "man"]
    outputs = {word: gathered(chapter, word, words)[0] for word in words}
    outputs["mean"] = sum(outputs.values()) / 3
    axes = chapter.cell["equivariant-or-invariant"].axes
    lists_are_linked(axes, [*words, "mean"], [*words[::-1], "mean"], outputs)
    for ax in (axes[0], axes[2]):
        assert colours(ax.patches[:15]) == {SUM} and colours(ax.patches[15:]) == {GREY}


# ---- counting -----------------------------------------------------------------------
def test_token_plus_count_is_sum(chapter):
    axes = chapter.cell["count-added-to-every-entry"].axes
    (tokens, x), (places, count), (sums, total) = map(written, axes)
    assert [ax.get_title() for ax in axes] == ["token", "+ code (count)", "= sum"]
    assert tokens == sums == "LLM张老师"
    assert places == "pos 0 pos 1 pos 2 pos 3 pos 4 pos 5 "
    assert np.allclose(x[0], L) and (x[0] == x[1]).all()
    assert (count == np.arange(1, 7)[:, None]).all() and np.allclose(x + count, total)


def test_the_count_drowns_the_tokens(chapter):
    panel = chapter.cell["counting-drowns-the-words"]
    for n, width in ((2, 4), (6, 4), (100, 16), (1000, 256)):
        said = panel.sentence_at({"n": n, "d_model": width})
        left, right = panel.canvas.figure.axes
        code, token = left.lines
        assert [to_hex(x.get_color()) for x in left.lines] == [POSITION, TOKEN]
        assert left.get_xlabel() == "count = pos + 1 (log scale)"
        counts = code.get_xdata()
        assert list(counts) == list(range(1, n + 1))
        assert np.allclose(code.get_ydata(), [hypot(*[c] * width) for c in counts])
        some = chapter.wide[:, :width]
        mean = sum(hypot(*x) for x in some) / 5
        assert np.allclose(token.get_ydata(), mean)
        at = texts(left)
        assert at["token"][1] < mean and at["code (count)"][1] > 12 * sqrt(width)
        before = [x for x in right.lines if to_hex(x.get_color()) == GREY]
        after = [x for x in right.lines if to_hex(x.get_color()) == SUM]
        assert all(x.is_dashed() for x in before)
        assert not any(x.is_dashed() for x in after)
        names = [*texts(right)]
        assert names == ["(1, …, 1)", "M", "dashed: token", "solid: token + code"]
        tilts = []
        for count, hands in ((0, before), (n, after)):
            for x, hand in zip(some + count, hands, strict=True):
                tilts.append(acos(min(1, sum(x) / (hypot(*x) * sqrt(width)))))
                (_, right_of), (_, up) = hand.get_data()
                assert isclose(abs(np.arctan2(right_of, up)), tilts[-1], abs_tol=1e-6)
        way, ((start, end, _, heads),) = tilts[1], sweeps(right)
        assert np.allclose((start, end), (way, tilts[6])) and heads == 1
        at = texts(right)["M"]
        assert isclose(np.arctan2(*at), way, abs_tol=1e-6)
        assert f"d_model = {width}, position {n - 1}:" in said
        assert f" {n * sqrt(width) / mean:.0f} times as long" in said
        assert f"within {np.degrees(max(tilts[5:])):.1f}°" in said
    assert np.allclose(chapter.wide[0, :4], L)


def test_layernorm_erases_one_count_and_not_the_other(chapter):
    panel = chapter.cell["layernorm-erases-the-count"]
    for name, way in (("(1, 1, 1, 1)", np.ones(4)), ("(1, −1, 1, −1)", UP_DOWN)):
        for pos in range(4):
            said = panel.sentence_at({"pos": pos, "direction": name})
            before, after = panel.canvas.figure.axes
            count, token = before.patches[:4], before.patches[4:8]
            sticks = before.patches[8:]
            assert colours(count) == {POSITION} and colours(token) == {TOKEN}
            assert np.allclose(heights(count), (pos + 1) * way)
            assert np.allclose(ends(token), L + (pos + 1) * way)
            assert np.allclose(ends(token) - heights(token), ends(count))
            assert isclose(texts(before)[f"count {pos + 1}"][1], (pos + 1) * way[3] / 2)
            (mean,) = (x for x in before.lines if x.is_dashed())
            level = sum(L + (pos + 1) * way) / 4
            assert np.allclose(mean.get_ydata(), level)
            assert np.allclose(ends(sticks), ends(token))
            assert np.allclose(ends(sticks) - heights(sticks), level)
            assert colours(sticks) == {SUM}
            bars, frames = after.patches[:4], after.patches[4:]
            assert np.allclose(heights(frames), normed(L))
            assert not any(frame.get_fill() for frame in frames)
            assert np.allclose(heights(bars), normed(L + (pos + 1) * way))
            change = np.abs(heights(bars) - heights(frames)).max()
            assert (change < 1e-12) == (name == "(1, 1, 1, 1)")
            assert said.startswith(f"Position {pos}: ")
            assert said.endswith(f"of an entry is {change:.2f}.")
            for ax, drawn in ((before, ends(token)), (after, heights(bars))):
                assert ax.get_ylim()[0] < drawn.min() and drawn.max() < ax.get_ylim()[1]
    assert right_answer(chapter, "what-does-layernorm-leave") == "None."


# ---- two repairs --------------------------------------------------------------------
def test_one_step_shrinks_with_the_length(chapter):
    axes = chapter.cell["one-step-in-two-sequences"].axes
    for ax, n in zip(axes, (6, 16), strict=True):
        marks, pair = ax.lines
        assert np.allclose(marks.get_xdata(), [pos / (n - 1) for pos in range(n)])
        said, *tokens = ax.texts
        assert said.get_text() == f"one step: {1 / (n - 1):.2f}"
        places = [text.get_position()[0] for text in tokens]
        assert np.allclose(places, [pos / (n - 1) for pos in range(6)])
        assert "".join(text.get_text() for text in tokens) == "LLM张老师"
        assert np.allclose(pair.get_xdata(), places[4:])
        assert ax.get_ylabel() == f"{n} tokens"


def test_seven_to_eight_flips_all_bits(chapter):
    left, right = chapter.cell["bits-that-flip"].axes
    shown = left.images[0].get_array()
    assert shown.tolist() == [bits_of(pos) for pos in range(16)]
    dark, light = (sum(left.images[0].to_rgba(bit)[:3]) for bit in (1, 0))
    assert left.get_title() == "dark: 1" and dark < light
    (frame,) = left.patches
    assert not frame.get_path_effects()  # a white edge would hide bits beside it
    assert (frame.get_y(), frame.get_height()) == (6.5, 2)
    assert heights(right.patches).tolist() == [flips(pos) for pos in range(15)]
    assert [to_hex(bar.get_facecolor()) for bar in right.patches].index(MARK) == 7
    above = [t.get_text() for t in right.texts]
    assert above == [str(flips(pos)) for pos in range(15)]
    told = alt(chapter.said["bits-that-flip"])
    assert ", ".join(above[:8]) in told and "rows 7 and 8" in told
    assert flips(7) == 4 and right_answer(chapter, "how-many-bits-flip") == "All four."


def test_two_doors_further_on(chapter):
    (ax,) = chapter.cell["two-doors-further-on"].axes
    numbers = {int(t): at for t, at in texts(ax).items() if t.isdigit()}
    assert sorted(numbers) == list(range(9))
    boxes = [b for b in ax.patches if hasattr(b, "get_height")]
    for pos, (x, _) in numbers.items():
        own = [b for b in boxes if abs(b.get_x() + b.get_width() / 2 - x) < 0.1]
        own.sort(key=lambda b: -b.get_y())  # the lowest bit stands on top
        dark = [int(to_hex(b.get_facecolor()) != "#ffffff") for b in own]
        assert dark == bits_of(pos)
    words = [(t.get_position(), t.get_text()) for t in ax.texts if " " in t.get_text()]
    found = set()
    for arrow in arrows(ax):
        (start, y), (end, _) = arrow.xyann, arrow.xy
        at = [min(numbers, key=lambda n: abs(numbers[n][0] - x)) for x in (start, end)]
        assert at[1] - at[0] == 2 and isclose(numbers[at[0]][0], start)
        middle = (start + end) / 2
        (said,) = (w for (x, h), w in words if isclose(x, middle) and abs(h - y) < 1)
        changed = flips(at[0], k=2)
        below = f"{changed} bits flip" if changed > 1 else "1 bit flips"
        assert said == ("add 2" if y > 0 else below)
        found.add((at[0], y > 0))
    assert found == {(pos, high) for pos in (0, 3, 6) for high in (True, False)}


def test_each_bit_is_a_wave(chapter):
    for bit, ax in enumerate(chapter.cell["bits-as-square-waves"].axes):
        (wave,) = ax.lines
        assert wave.get_drawstyle() == "steps-post"
        assert wave.get_ydata().tolist() == [pos >> bit & 1 for pos in range(33)]
        assert ax.get_ylabel() == f"bit {bit}" and f"period {2 << bit}" in texts(ax)


# ---- the scoreboard -----------------------------------------------------------------
def test_each_candidate_fails_three_wishes(chapter):
    (ax,) = chapter.cell["three-candidates-seven-wishes"].axes
    by_wish = read_board(ax)
    failed = {
        name: {wish for wish, row in by_wish.items() if not row[name]}
        for name in by_wish["bounded"]
    }
    norm, one_map = "survives LayerNorm", "one matrix moves every place"
    assert failed == {
        "integers": {"bounded", norm, one_map},
        "divided by length": {"independent of the text's length", norm, one_map},
        "binary": {"even steps", "near places look alike", one_map},
    }
    assert len(by_wish) == 7
