"""Chapter 10: accuracy by place, scores by offset, hands, and published models."""

import math
import re
from unittest import TestCase

import numpy as np
from matplotlib.colors import to_hex
from matplotlib.patches import Wedge

import draw
from tests.pictures.reading import alt, named, right_answer, texts_of, tip, tip_of
from trained_models import read_trained, select_trained

ROWS = read_trained("lengths")
REPAIRS = {
    "as it is": {"stretch": "no", "fine_tuning": 0},
    "interpolation": {"stretch": "interpolation", "fine_tuning": 0},
    "NTK-aware": {"stretch": "base change", "fine_tuning": 0},
    "as it is + 100 steps": {"stretch": "no", "fine_tuning": 100},
}


def runs(task, scheme, repair="as it is", layers=1):
    """The results of five models, in the order of their seeds."""
    heads = 4 if scheme == "ALiBi" or layers == 2 else 1
    wanted = {"task": task, "scheme": scheme, "layers": layers, "heads": heads}
    wanted |= {"stretched_from": "test", "last_start": 0, "bias_start": 0.0}
    return [x["result"] for x in select_trained(ROWS, **wanted, **REPAIRS[repair])]


def places(results):
    return np.array([result["by_place"]["128"] for result in results], dtype=float)


def says(words, shares):
    """Are the percentages in these words those of the shares, in this order?"""
    said = [int(x) for x in re.findall(r"(\d+) %", words)]
    return np.allclose(said, np.multiply(shares, 100), atol=0.51)


def is_drawn(line, wanted):
    return np.allclose(line.get_ydata(), wanted, equal_nan=True)


def curve_of(ax):
    return next(line for line in ax.lines if len(line.get_ydata()) == 128)


def slice_of(dial):
    (part,) = (x for x in dial.patches if isinstance(x, Wedge))
    assert part.theta2 == 90  # from 12 o'clock on, clockwise
    return (90 - part.theta1) / 360


def grey_of(ax):
    return next(x for x in ax.patches if to_hex(x.get_fc()) == "#bbbbbb")


def test_arrows_lead_to_the_symbols_three_back_and_first(chapter):
    (ax,) = chapter.cell["three-back-and-first"].axes
    heads = [word.xy for word in ax.texts if getattr(word, "arrow_patch", None)]
    assert [x for x, _ in heads] == [4, 0] and {y for _, y in heads} == {0.85}
    said = texts_of(ax)
    assert {"“3 back”: f", "“first”: g"} <= set(said)
    assert said["f"].get_position()[0] == 4 and said["g"].get_position()[0] == 0


def test_each_scheme_has_its_name_and_the_winners_swap(chapter):
    upper, lower = chapter.cell["beyond-the-trained-length"].axes
    late = []
    for ax, task in ((upper, "3 back"), (lower, "first")):
        lines = named(ax, lower.get_legend())
        for scheme in ("sines and cosines", "learned table", "T5", "RoPE"):
            wanted = places(runs(task, scheme)).mean(axis=0)
            assert is_drawn(lines[scheme], wanted)
            late.append(wanted[64:].mean())
        assert ax.get_title() == f"“{task}”" and grey_of(ax).get_x() == 31.5
    assert says(alt(chapter.said["beyond-the-trained-length"]), late)
    assert max(late[:2]) < 0.5 < min(late[2:4]) and max(late[6:]) < 0.5 < min(late[4:6])
    assert right_answer(chapter, "who-finds-the-first-symbol").startswith("Sines")
    (title,) = chapter.cell["three-back-beyond-place-31"].axes
    wanted = places(runs("3 back", "sines and cosines")).mean(axis=0)
    assert is_drawn(curve_of(title), wanted) and grey_of(title).get_x() == 31.5


def test_a_rival_is_marked_where_the_accuracy_steps_down(chapter):
    result = runs("3 back", "RoPE")[1]
    scores, right = result["kernel"], places([result])[0]
    high = (n for n in range(32, 127) if scores[n] >= max(scores[:32]) - 2)
    rivals = [n for n in high if max(scores[n - 1 : n + 2]) == scores[n]]
    (ax,) = chapter.cell["the-score-of-each-offset"].axes
    assert is_drawn(ax.lines[0], scores) and "within 2 of the peak" in texts_of(ax)
    for name in ("a-drawing-foretells-the-fall", "the-fall-once-more"):
        above, below = chapter.cell[name].axes
        assert is_drawn(above.lines[0], scores)
        marked = sorted(int(word) for word in texts_of(above) if word.isdigit())
        assert marked == [3, *rivals] == [3, 47, 59, 104]
        assert ", ".join(map(str, rivals)) in alt(chapter.said[name])
        marks = [x for x in below.lines if to_hex(x.get_color()) == draw.MARK.lower()]
        assert [x.get_xdata()[0] for x in marks] == rivals
        assert is_drawn(curve_of(below), right)
    assert right_answer(chapter, "where-will-the-head-fall") == "At 47."
    ends = [3, *rivals, 128]
    levels = [right[a + 1 : b].mean() for a, b in zip(ends, ends[1:])]
    assert says(alt(chapter.said["a-drawing-foretells-the-fall"]), levels)


def test_at_offset_47_fast_hands_are_nearly_back_and_slow_ones_at_new_angles(chapter):
    name, turns = "hands-at-offset-3-and-47", []
    for pair, ax in enumerate(chapter.cell[name].axes):
        omega = 10_000 ** (-pair / 16)
        before, now = [x for x in ax.lines if len(x.get_xdata()) == 2]
        assert np.allclose(tip_of(before), tip(3 * omega)) and before.is_dashed()
        assert np.allclose(tip_of(now), tip(47 * omega)) and not now.is_dashed()
        turns.append(f"{44 * omega / math.tau:.2f}")
        assert ax.get_title() == f"pair {pair}\n{turns[-1]} turns"
        assert (math.dist(tip_of(before), tip_of(now)) < 0.5) == (pair < 2)
        shown = min(31 * omega / math.tau, 1)
        assert math.isclose(slice_of(ax), shown)
        assert (47 * omega / math.tau % 1 > shown) == (pair == 4)
    told = "the two hands nearly agree, after {} and {} turns; in the pairs 2, 3 and 4"
    assert told.format(*turns) in alt(chapter.said[name])


def test_a_repair_moves_the_curve_the_peak_and_the_accuracy(chapter):
    panel = chapter.cell["repairs-of-one-head"]
    for repair, back in zip(REPAIRS, (3, 12, 3, 3)):
        said = panel.sentence_at({"repair": repair})
        result = runs("3 back", "RoPE", repair)[1]
        scores, right = np.array(result["kernel"]), places([result])[0]
        above, below = panel.canvas.figure.axes
        assert is_drawn(curve_of(above), scores / scores[:32].max())
        assert [tip_of(x)[0] for x in above.lines if x.get_marker() == "o"] == [back]
        assert is_drawn(curve_of(below), right)
        for ax in (above, below):  # what a further training showed is not grey
            assert grey_of(ax).get_visible() == ("steps" not in repair)
        assert f"looks {back} back" in said and says(said, [right[64:].mean()])
    assert right_answer(chapter, "where-does-it-look-now") == "12 back."


def test_a_slice_is_what_a_hand_shows_in_a_text(chapter):
    panel = chapter.cell["what-each-hand-has-shown"]
    for L, base, d_model in ((32, 10_000, 32), (8192, 500_000, 128)):
        said = panel.sentence_at({"L": L, "base": base, "d_model": d_model})
        pairs = d_model // 2
        turns = [L / math.tau * base ** (-i / pairs) for i in range(pairs)]
        *dials, ax = panel.canvas.figure.axes
        for number, dial in enumerate(dials):
            shown = min(turns[round(number * (pairs - 1) / 7)], 1)
            assert math.isclose(slice_of(dial), shown)
        assert is_drawn(ax.lines[0], turns)
        slow = sum(turn < 1 for turn in turns)
        assert f"texts of {L} tokens, {slow} of {pairs} hands do not" in said


def test_interpolation_slows_all_hands_and_the_others_spare_the_fast(chapter):
    (ax,) = chapter.cell["slowed-by-how-much"].axes
    lines, pair = named(ax), np.arange(64)
    turns = 4096 / math.tau * 10_000 ** (-pair / 64)
    assert is_drawn(lines["interpolation"], [4] * 64)
    assert is_drawn(lines["NTK-aware"], 4 ** (pair / 63))
    assert is_drawn(lines["by parts"], 1 / np.interp(turns, (1, 32), (1 / 4, 1)))
    assert math.isclose(grey_of(ax).get_x(), (turns >= 1).sum() - 0.5)


def test_a_model_is_drawn_as_its_configuration_says(chapter):
    panel = chapter.cell["clocks-of-published-models"]
    for model, pairs, base, first, slowed, words in (
        ("Llama 3.1", 64, 5e5, 8192, 8, "29 of 64 hands"),
        ("gpt-oss", 32, 1.5e5, 4096, 32, "Pale: 18 layers"),
        ("SmolLM3", 64, 5e6, 65_536, 1, "Empty: 9 layers"),
        ("Gemma 4", 256, 1e6, 131_072, 1, "192 stand still. Pale: 25 layers"),
    ):
        assert words in panel.sentence_at({"model": model})
        strip, ax = panel.canvas.figure.axes
        then, now = (named(ax)[x].get_ydata() for x in ("before scaling", "today"))
        wanted = math.tau * base ** (np.arange(pairs) / pairs)
        turning = 64 if model == "Gemma 4" else pairs
        wanted[turning:] = np.nan
        assert np.allclose(then, wanted, equal_nan=True)
        assert np.allclose(now[[0, turning - 1]], then[[0, turning - 1]] * [1, slowed])
        assert grey_of(ax).get_y() == first
        faces = [to_hex(x.get_fc()) for x in strip.patches if x.get_visible()]
        n = chapter.CONFIGS[model]["num_hidden_layers"]
        kinds = chapter.CONFIGS[model].get("layer_types", [""] * n)
        roped = chapter.CONFIGS[model].get("no_rope_layers", [1] * n)
        for face, kind, rope in zip(faces, kinds, roped, strict=True):
            pale = kind == "sliding_attention"
            assert face == ("#dcc8f5" if pale else "#8040dd" if rope else "#ffffff")


def test_a_config_is_read_whatever_its_form_or_refused(chapter):
    deep = chapter.CONFIGS["DeepSeek-V3"]
    _, then, now = chapter.clocks_of(deep)
    assert math.isclose(then[22] / now[22], 10)  # 1 at pair 10, 40 at 23: rounded
    bare = {name: deep[name] for name in deep if not name.startswith("rope")}
    flat = {"rope_theta": 10_000} | deep["rope_scaling"]
    old = {name.replace("rope_", ""): x for name, x in deep["rope_scaling"].items()}
    for config in (deep | {"rope_scaling": old}, bare | {"rope_parameters": flat}):
        assert np.allclose(chapter.clocks_of(config)[2], now)
    assert np.allclose(chapter.clocks_of(deep | {"rope_scaling": None})[2], then)
    for wrong in (bare, deep | {"rope_scaling": {"type": "mrope"}}):
        with TestCase().assertRaisesRegex(ValueError, "not read here"):
            chapter.clocks_of(wrong)


def test_slow_hands_make_no_more_turns_than_in_the_first_training(chapter):
    left, right = chapter.cell["slower-or-still-drawn"].axes
    then, now = named(left)["in 4,096 tokens"], named(left)["today, in 131,072"]
    wanted = 4096 / math.tau * 150_000 ** (-np.arange(32) / 32)
    assert is_drawn(then, wanted)
    slow = wanted < 1
    assert np.allclose(now.get_ydata()[slow], wanted[slow]) and slow.sum() == 14
    assert math.isclose(now.get_ydata()[0], 32 * wanted[0])
    turns = named(right)["in 131,072 tokens"].get_ydata()
    assert (turns > 0).sum() == 64 and turns[63] > 600
    assert "192 of 256 hands\nstand still" in texts_of(right)
    assert right.get_title() == "Gemma 4, full layers"
    assert draw.ROPE.lower() == to_hex(now.get_color())
