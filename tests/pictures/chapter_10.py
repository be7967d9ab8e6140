"""Chapter 10: accuracy by place, scores by offset, hands, and published models."""

import json
import math
import re

import numpy as np
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle, Wedge

import draw
from tests.pictures.reading import alt, named, right_answer, texts_of, tip, tip_of
from tools.chapters import NOTEBOOKS

TRAINED = NOTEBOOKS / "trained"
ROWS = list(
    map(json.loads, (TRAINED / "lengths.jsonl").read_text("utf-8").splitlines())
)
MODELS = json.loads((TRAINED / "configurations.json").read_text("utf-8"))
CONFIGS = {name: model["config"] for name, model in MODELS.items()}
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
    wanted |= {"stretched_from": "test", "last_start": 0, "bias_start": 0}
    wanted |= REPAIRS[repair]
    chosen = [row for row in ROWS if wanted.items() <= row["config"].items()]
    chosen.sort(key=lambda row: row["config"]["seed"])
    return [row["result"] for row in chosen]


def places(results):
    rows = [result["by_place"]["128"] for result in results]
    return np.array(rows, dtype=float)


def percents(words):
    return [int(x) for x in re.findall(r"(\d+) %", words)]


def is_drawn(line, wanted):
    return np.allclose(line.get_ydata(), wanted, equal_nan=True)


def trained_up_to(ax):
    """Where the grey begins."""
    return min(x.get_x() for x in ax.patches if to_hex(x.get_fc()) == "#bbbbbb")


# ---- accuracy by place --------------------------------------------------------------
def test_the_title_is_the_mean_of_five_models_with_the_papers_code(chapter):
    (ax,) = chapter.cell["three-back-beyond-place-31"].axes
    wanted = places(runs("3 back", "sines and cosines")).mean(axis=0)
    assert any(is_drawn(line, wanted) for line in ax.lines if len(line.get_ydata()) > 2)
    assert trained_up_to(ax) == 31.5
    assert wanted[3:32].min() > 0.99 and wanted[64:].mean() < 0.15


def test_arrows_lead_to_the_symbols_three_back_and_first(chapter):
    (ax,) = chapter.cell["three-back-and-first"].axes
    heads = [word.xy for word in ax.texts if getattr(word, "arrow_patch", None)]
    assert [x for x, _ in heads] == [4, 0] and {y for _, y in heads} == {0.85}
    said = texts_of(ax)
    assert {"“3 back”: f", "“first”: g"} <= set(said)
    assert said["f"].get_position()[0] == 4 and said["g"].get_position()[0] == 0


def test_each_scheme_has_its_name_and_the_winners_swap(chapter):
    upper, lower = chapter.cell["beyond-the-trained-length"].axes
    told = percents(alt(chapter.said["beyond-the-trained-length"]))
    late = []
    for ax, task in ((upper, "3 back"), (lower, "first")):
        lines = named(ax, lower.get_legend())
        for scheme in ("sines and cosines", "learned table", "T5", "RoPE"):
            wanted = places(runs(task, scheme)).mean(axis=0)
            assert is_drawn(lines[scheme], wanted)
            late.append(wanted[64:].mean())
        assert ax.get_title() == f"“{task}”" and trained_up_to(ax) == 31.5
    assert np.allclose(told, np.multiply(late, 100), atol=0.51)
    assert max(late[:2]) < 0.5 < min(late[2:4]) and max(late[6:]) < 0.5 < min(late[4:6])
    right = right_answer(chapter, "who-finds-the-first-symbol")
    assert right.startswith("Sines and cosines, or")


def test_six_schemes_say_what_their_rows_say(chapter):
    panel = chapter.cell["six-schemes-and-two-tasks"]
    for task, scheme, layers in (("3 back", "ALiBi", 1), ("first", "no code", 2)):
        said = panel.sentence_at({"task": task, "scheme": scheme, "layers": layers})
        rows = places(runs(task, scheme, layers=layers))
        wanted = np.nanmean(rows[:, 3:32]), rows[:, 64:].mean()
        assert np.allclose(percents(said), np.multiply(wanted, 100), atol=0.51)
        assert said.startswith(f"{task}, {scheme}, layers: {layers}: ")


# ---- scores by offset ---------------------------------------------------------------
def test_a_rival_is_marked_where_the_accuracy_steps_down(chapter):
    result = runs("3 back", "RoPE")[1]
    scores, right = result["kernel"], places([result])[0]
    rivals = [
        n
        for n in range(32, 127)
        if max(scores[n - 1 : n + 2]) == scores[n] >= max(scores[:32]) - 2
    ]
    above, below = chapter.cell["a-drawing-foretells-the-fall"].axes
    for ax in (above, *chapter.cell["the-score-of-each-offset"].axes):
        assert any(is_drawn(x, scores) for x in ax.lines if len(x.get_ydata()) == 128)
    marked = sorted(int(word) for word in texts_of(above) if word.isdigit())
    assert marked == [3, *rivals] == [3, 47, 59, 104]
    marks = [x for x in below.lines if to_hex(x.get_color()) == draw.MARK.lower()]
    assert [x.get_xdata()[0] for x in marks] == rivals
    assert right[3:47].min() > 0.95 and right[47:].max() < 0.8
    answer = right_answer(chapter, "where-will-the-head-fall")
    assert answer == "At 47, where the curve comes up into the band again."
    told = percents(alt(chapter.said["a-drawing-foretells-the-fall"]))
    ends = [3, *rivals, 128]
    wanted = [right[a + 1 : b].mean() for a, b in zip(ends, ends[1:])]
    assert np.allclose(told, np.multiply(wanted, 100), atol=0.51)


def test_fast_hands_are_back_at_offset_47_and_slow_ones_are_not(chapter):
    for ax, pair in zip(chapter.cell["hands-at-offset-3-and-47"].axes, (0, 1, 2, 4)):
        omega = 10_000 ** (-pair / 16)
        before, now = [x for x in ax.lines if len(x.get_xdata()) == 2]
        assert np.allclose(tip_of(before), tip(3 * omega)) and before.is_dashed()
        assert np.allclose(tip_of(now), tip(47 * omega)) and not now.is_dashed()
        assert ax.get_title() == f"pair {pair}\n{44 * omega / math.tau:.2f} turns"
        near = math.dist(tip_of(before), tip_of(now)) < 0.5
        assert near == (pair < 2)


def test_a_repair_moves_the_curve_the_peak_and_the_accuracy(chapter):
    panel = chapter.cell["repairs-of-one-head"]
    for repair, back in (("as it is", 3), ("interpolation", 12), ("NTK-aware", 3)):
        said = panel.sentence_at({"repair": repair})
        result = runs("3 back", "RoPE", repair)[1]
        scores, right = np.array(result["kernel"]), places([result])[0]
        above, below = panel.canvas.figure.axes
        curves = [x for x in above.lines if len(x.get_ydata()) == 128]
        assert is_drawn(curves[0], scores / scores[:32].max())
        assert [tip_of(x)[0] for x in above.lines if x.get_marker() == "o"] == [back]
        assert any(is_drawn(x, right) for x in below.lines if len(x.get_ydata()) > 2)
        assert f"looks {back} back" in said
        assert abs(percents(said)[0] - 100 * right[64:].mean()) < 0.51
    assert right_answer(chapter, "where-does-it-look-now") == "12 back."


# ---- hands, fast and slow -----------------------------------------------------------
def test_a_slice_is_what_a_hand_shows_in_a_text(chapter):
    panel = chapter.cell["what-each-hand-has-shown"]
    for L, base, d_model in ((128, 10_000, 32), (8192, 500_000, 128)):
        said = panel.sentence_at({"L": L, "base": base, "d_model": d_model})
        pairs = d_model // 2
        turns = [L / math.tau * base ** (-i / pairs) for i in range(pairs)]
        *dials, ax = panel.canvas.figure.axes
        for number, dial in enumerate(dials):
            (part,) = (x for x in dial.patches if isinstance(x, Wedge))
            shown = turns[round(number * (pairs - 1) / 7)]
            assert part.theta2 == 90  # 12 o'clock; the angle grows to the left
            assert math.isclose(90 - part.theta1, 360 * min(shown, 1))
        assert is_drawn(ax.lines[0], turns)
        slow = sum(turn < 1 for turn in turns)
        assert f"texts of {L} tokens, {slow} of {pairs} hands do not" in said


def test_interpolation_slows_all_hands_and_the_others_spare_the_fast(chapter):
    (ax,) = chapter.cell["slowed-by-how-much"].axes
    lines, pair = named(ax), np.arange(64)
    turns = 4096 / math.tau * 10_000 ** (-pair / 64)
    by_parts = 1 / np.interp(turns, (1, 32), (1 / 4, 1))
    assert is_drawn(lines["interpolation"], [4] * 64)
    assert is_drawn(lines["NTK-aware"], 4 ** (pair / 63))
    assert is_drawn(lines["by parts"], by_parts)
    assert math.isclose(trained_up_to(ax), (turns >= 1).sum() - 0.5)


# ---- published models ---------------------------------------------------------------
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
        lines = named(ax)
        then, now = (lines[x].get_ydata() for x in ("before scaling", "today"))
        wanted = math.tau * base ** (np.arange(pairs) / pairs)
        turning = 64 if model == "Gemma 4" else pairs
        assert np.allclose(then[:turning], wanted[:turning])
        assert np.isnan(then[turning:]).all()
        assert np.allclose(now[[0, turning - 1]], then[[0, turning - 1]] * [1, slowed])
        (unseen,) = (x for x in ax.patches if to_hex(x.get_fc()) == "#bbbbbb")
        assert unseen.get_y() == first
        squares = [x for x in strip.patches if isinstance(x, Rectangle)]
        faces = [to_hex(x.get_fc()) for x in squares if x.get_visible()]
        assert len(faces) == CONFIGS[model]["num_hidden_layers"]
        for i, face in enumerate(faces):
            pale = (
                CONFIGS[model].get("layer_types", [""] * 99)[i] == "sliding_attention"
            )
            bare = not CONFIGS[model].get("no_rope_layers", [1] * 99)[i]
            assert face == ("#dcc8f5" if pale else "#ffffff" if bare else "#8040dd")


def test_slow_hands_make_no_more_turns_than_in_the_first_training(chapter):
    left, right = chapter.cell["slower-or-still-drawn"].axes
    then, now = named(left)["in 4,096 tokens"], named(left)["today, in 131,072"]
    wanted = 4096 / math.tau * 150_000 ** (-np.arange(32) / 32)
    assert is_drawn(then, wanted)
    slow = wanted < 1
    assert np.allclose(now.get_ydata()[slow], wanted[slow]) and slow.any()
    assert math.isclose(now.get_ydata()[0], 32 * wanted[0])
    turns = named(right)["in 131,072 tokens"].get_ydata()
    assert (turns > 0).sum() == 64 and turns[63] > 600
    assert "192 of 256 hands\nstand still" in texts_of(right)
    assert draw.ROPE.lower() == to_hex(now.get_color())
