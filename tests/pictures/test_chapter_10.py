"""Chapter 10: accuracy by place, scores by offset, hands, and published models."""

import math
import re

import numpy as np
import pytest
from matplotlib.colors import to_hex

from course import draw
from course.trained_models import read_trained, select_trained
from tests.support import reading
from tests.support.oracle import rates, tip
from tests.support.reading import line_in, named, same, says, set_to, text_at, tip_of

COLOURS = {"sines and cosines": draw.POSITION_EDGE, "learned table": draw.INK}
COLOURS |= {"RoPE": draw.ROPE}
REPAIRS = {"as it is": ("no", 0), "interpolation": ("interpolation", 0)}
REPAIRS |= {"NTK-aware": ("base change", 0), "as it is + 100 steps": ("no", 100)}


def runs(task, scheme, repair="as it is", layers=1):
    """The results of five models, in the order of their seeds."""
    heads = 4 if scheme == "ALiBi" or layers == 2 else 1
    wanted = {"task": task, "scheme": scheme, "layers": layers, "heads": heads}
    wanted |= {"stretched_from": "test", "last_start": 0, "bias_start": 0.0}
    wanted |= dict(zip(("stretch", "fine_tuning"), REPAIRS[repair], strict=True))
    return [x["result"] for x in select_trained(read_trained("lengths"), **wanted)]


def places(results):
    return np.array([result["by_place"]["128"] for result in results], dtype=float)


def check_shares(words, *shares):
    """The percentages in these words are those of the shares, in this order."""
    says(" ".join(re.findall(r"\d+ %", words)), np.multiply(shares, 100))


def curve_of(ax):
    return next(line for line in ax.lines if len(line.get_ydata()) == 128)


def test_arrows_lead_to_the_symbols_three_back_and_first(chapter):
    (ax,) = chapter.cell["three-back-and-first"].axes
    ends = {tail: text_at(ax, end) for tail, end in reading.arrow_ends(ax)}
    for name, symbol in ("“3 back”: f", "f"), ("“first”: g", "g"):
        end = tip_of(named(ax)[name])
        assert ends[tuple(end)] == symbol
        alt = chapter.said["three-back-and-first"]
        assert f"to {symbol} at place {end[0]:.0f}" in alt


def test_the_winners_swap_and_have_the_colours_of_their_names(chapter):
    axes = chapter.cell["beyond-the-trained-length"].axes
    for ax, task in zip(axes, ("3 back", "first"), strict=True):
        assert ax.get_title() == f"“{task}”" and reading.unseen(ax) == (32, 127)
        for scheme, colour in COLOURS.items():
            wanted = places(runs(task, scheme)).mean(axis=0)
            same(line_in(ax, colour).get_ydata()[64:], wanted[64:])
            assert (wanted[64:].mean() > 0.5) == ((scheme == "RoPE") == (ax is axes[0]))
    names = {words: reading.texts_in(ax)[words].get_color() for words in COLOURS}
    assert names == COLOURS | {"sines and cosines": draw.POSITION_TEXT}
    far = {x: line_in(ax, COLOURS[x]).get_ydata()[64:].mean() for x in COLOURS}
    heights = {x: reading.place(ax, x)[1] for x in COLOURS}
    assert sorted(far, key=far.get) == sorted(far, key=heights.get)
    alone = places(runs("3 back", "RoPE"))[:, 64:].mean(axis=1)
    words = reading.markdown("10", "so-far-back-or-there")
    check_shares(words, alone.min(), alone.max())


def test_outcomes_to_choose_from_are_named_as_the_answers(chapter):
    before, name = "three-outcomes-to-choose-from", "who-finds-the-first-symbol"
    for answer, ax in zip(reading.replies(chapter, name), chapter.cell[before].axes):
        go_on = {x for x in COLOURS if line_in(ax, COLOURS[x]).get_ydata()[-1] == 1}
        assert go_on == {x for x in COLOURS if x.lower() in answer.lower()}, answer
    reading.check_frames(chapter, before, name)


def test_the_head_falls_at_the_first_rival(chapter):
    result = runs("3 back", "RoPE")[1]
    scores, right = result["kernel"], places([result])[0]
    fall = 3 + np.argmax(right[3:] < 0.9)
    name = "where-does-the-head-fall"
    answer = reading.right_answer(chapter, name)
    _, reply = reading.replies(chapter, name)[answer]
    told = reading.numbers(answer, reply)
    same(told, [fall, fall, fall, scores[3] - scores[fall]], atol=0.06)
    (ax,) = chapter.cell[name].axes
    dots = line_in(ax, draw.MARK, marker="o").get_xydata()
    same(dots, [(n, scores[n]) for n in (3, fall)])
    label = chapter.cell["the-rivals-show-the-fall"].axes[1].get_xlabel()
    assert label == "offset above, place below (tokens)"


def test_at_offset_47_fast_hands_are_nearly_back_and_slow_ones_are_not(chapter):
    *dials, parts = chapter.cell["hands-at-offset-3-and-47"].axes
    for pair, ax in enumerate(dials):
        omega = 10_000 ** (-pair / 16)
        same(tip_of(line_in(ax, dashed=True)), tip(3 * omega))
        same(tip_of(line_in(ax, draw.MARK, dashed=False)), tip(47 * omega))
        says(ax.get_title(), pair, 44 * omega / math.tau)
    lines = named(parts)
    fast, slow = (lines[f"pairs {x}"].get_ydata() for x in ("0 to 3", "4 to 15"))
    same(fast + slow, runs("3 back", "RoPE")[1]["kernel"], atol=0.15)
    same([fast[3] - fast[47], slow[47] - slow[3]], [4.2, 2.8], atol=0.05)


@pytest.mark.parametrize("repair", REPAIRS)
def test_a_repair_moves_the_curve_the_peak_and_the_accuracy(chapter, repair):
    back = 12 if repair == "interpolation" else 3
    said, (above, below) = set_to(chapter.cell["repairs-of-one-head"], repair=repair)
    result = runs("3 back", "RoPE", repair)[1]
    scores, right = np.array(result["kernel"]), places([result])[0]
    same(curve_of(above).get_ydata(), scores / scores[:32].max())
    same(line_in(above, marker="o").get_xdata(), back)
    same(curve_of(below).get_ydata(), right)
    for ax in (above, below):  # what training showed is not grey
        assert reading.grey_of(ax).get_visible() == ("steps" not in repair)
    assert f"looks {back} back" in said
    check_shares(said, right[64:].mean())


def test_curves_to_choose_from_are_named_as_the_answers(chapter):
    before, name = "three-curves-to-choose-from", "where-does-it-look-now"
    backs = {"12 back": 12, "3 back": 3, "three quarters": 0.75}
    offered = zip(reading.replies(chapter, name), backs, chapter.cell[before].axes)
    for answer, words, ax in offered:
        assert answer.startswith(words)
        x, y = curve_of(ax).get_data()
        (dot,) = line_in(ax, marker="o").get_xdata()
        same([x[x < 16][y[x < 16].argmax()], dot], backs[words], err_msg=answer)
    reading.check_frames(chapter, before, name)


BASES = [3, 10, 30, 100, 1000, 10_000]


def ten(base, pairs=16, length=32):
    """Right answers of ten heads by place, and each head's from twice the length on."""
    wanted = {"base": base, "pairs": pairs, "length": length, "heads": 1}
    rows = select_trained(read_trained("bases"), **wanted)
    assert [row["config"]["seed"] for row in rows] == list(range(10))
    rows = np.array([row["result"]["by_place"] for row in rows], dtype=float) / 100
    assert rows.shape == (10, 4 * length)
    return rows, rows[:, 2 * length :].mean(axis=1)


@pytest.mark.parametrize(
    "base, pairs, length", [(10_000, 16, 32), (3, 16, 32), (10, 4, 64), (1000, 8, 16)]
)
def test_slices_are_what_a_text_shows_and_lines_are_what_ten_heads_do(
    chapter, base, pairs, length
):
    panel = chapter.cell["base-pairs-and-length"]
    said, (above, ax) = set_to(panel, base=base, pairs=pairs, length=length)
    turns = length / math.tau * rates(2 * pairs, base)
    shown = [x for x in reading.patches_in(above, draw.ROPE) if x.get_visible()]
    for part, turn in zip(shown, turns, strict=True):
        same(part.theta2 - part.theta1, 360 * min(turn, 1))
    rows, far = ten(base, pairs, length)
    same(line_in(ax, draw.ROPE).get_ydata(), rows.mean(axis=0))
    thin = reading.lines_in(ax, draw.GREY, dashed=False)
    same([line.get_ydata() for line in thin], rows)
    assert reading.unseen(ax) == (length, 4 * length - 1)
    idle, *others = reading.numbers(said.split("%")[0])
    assert (idle, *others[:-1]) == (sum(turns < 1), pairs, length, 2 * length)
    check_shares(said, far.min(), far.max())


def test_a_small_base_carries_every_head_on_and_a_large_one_does_not(chapter):
    (ax,) = chapter.cell["far-by-base"].axes
    for length in (16, 32, 64):
        (line,) = (x for x in ax.lines if x.get_label() == f"{length} tokens")
        drawn = line.get_ydata()
        same(drawn, [ten(base, length=length)[1].mean() for base in BASES], atol=0.004)
    assert ten(3)[1].min() > 0.99 and ten(10)[1].min() > 0.95
    assert ten(10_000)[1].min() < 0.5
    thin = [x.get_xdata()[0] for x in ax.lines if list(x.get_ydata()) == [0, 1]]
    slowest = [rates(32, base)[-1] for base in thin]
    same(slowest, np.divide(math.tau, (16, 32, 64)))  # one turn in such a text
    first, second = chapter.cell["hands-of-two-bases"].axes
    for ax, base in (first, 10), (second, 10_000):
        turns = 32 / math.tau * rates(32, base)
        parts = reading.patches_in(ax, draw.ROPE)
        same([x.theta2 - x.theta1 for x in parts], 360 * np.minimum(turns, 1))


def test_a_match_scores_as_a_random_key_where_the_dots_are(chapter):
    (ax,) = chapter.cell["a-match-far-back"].axes
    dots = [x.get_xdata()[0] for x in reading.lines_in(ax, draw.MARK, marker="o")]
    for base, dot in zip((10, 10_000, 500_000), dots, strict=True):
        keeps = np.cos(np.outer([dot - 1, dot], rates(128, base))).mean(axis=1)
        assert keeps[0] >= 0 > keeps[1]
        assert text_at(ax, (dot, -0.08)).replace(",", "") == str(dot)


def test_interpolation_slows_all_hands_and_the_others_spare_the_fast(chapter):
    (ax,) = chapter.cell["slowed-by-how-much"].axes
    turns = 4096 / math.tau * rates(128)
    wanted = {
        "interpolation": [4] * 64,
        "NTK-aware": 4 ** (np.arange(64) / 63),
        "by parts": 1 / np.interp(turns, (1, 32), (1 / 4, 1)),
    }
    for name, slower in wanted.items():
        same(named(ax)[name].get_ydata(), slower, err_msg=name)


# Pairs of hands, base, trained length, factors of the length and of the slowest hand.
MODELS = {
    "Llama 3.1": (64, 500_000, 8192, 16, 8),
    "SmolLM3": (64, 5_000_000, 65_536, 1, 1),
    "Gemma 4": (256, 1_000_000, 131_072, 1, 1),  # of its pairs, 64 turn
    "gpt-oss": (32, 150_000, 4096, 32, 32),
}


@pytest.mark.parametrize("model", MODELS)
def test_hands_and_layers_of_a_published_model(chapter, model):
    panel = chapter.cell["clocks-of-published-models"]
    said, (hands, layers) = set_to(panel, model=model)
    pairs, base, first, longer, slowed = MODELS[model]
    turns = first / math.tau * rates(2 * pairs, base)
    turning = 64 if model == "Gemma 4" else pairs
    turns[turning:] = np.nan
    same(line_in(hands, draw.INK).get_ydata(), turns)
    for name, colour in {"now": draw.ROPE, "before": draw.INK}.items():
        assert to_hex(reading.texts_in(hands)[name].get_color()) == colour.lower()
    now = line_in(hands, draw.ROPE).get_ydata()
    same(now[[0, turning - 1]], turns[[0, turning - 1]] * longer / [1, slowed])
    idle = np.sum(~(turns >= 1))
    at_new_angles = [idle] if model == "Llama 3.1" else []
    says(said.removeprefix(model), idle, pairs, at_new_angles)

    config = chapter.CONFIGS[model]
    n = config["num_hidden_layers"]
    kinds = config.get("layer_types", [""] * n)
    with_rope = config.get("no_rope_layers", [1] * n)
    squares = [x for x in layers.patches if x.get_visible()]
    squares.sort(key=lambda square: square.get_x())
    for square, kind, rope in zip(squares, kinds, with_rope, strict=True):
        wanted = draw.ROPE.lower() if rope else "#ffffff"
        wanted = "#dcc8f5" if kind == "sliding_attention" else wanted
        assert to_hex(square.get_fc()) == wanted


@pytest.mark.parametrize(
    "task, scheme, layers",
    [("first", "ALiBi", 2), ("3 back", "T5", 1), ("3 back", "learned table", 1)],
)
def test_a_scheme_at_a_task_by_place(chapter, task, scheme, layers):
    values = {"task": task, "scheme": scheme, "layers": layers}
    said, (ax,) = set_to(chapter.cell["six-schemes-and-two-tasks"], **values)
    rows = places(runs(task, scheme, layers=layers))
    thin = reading.lines_in(ax, draw.GREY, dashed=False)
    same([line.get_ydata() for line in thin], np.resize(rows, (5, 128)))
    same(line_in(ax, draw.INK).get_ydata(), rows.mean(axis=0))
    check_shares(said, np.nanmean(rows[:, 3:32]), rows[:, 64:].mean())
