"""Chapter 10: accuracy by place, scores by offset, hands, and published models."""

import itertools
import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_hex

from course import draw
from course.trained_models import read_trained, select_trained
from tests.support import reading
from tests.support.oracle import rates, tip
from tests.support.reading import line_in, named, same, says, set_to

LOOKS = {"sines and cosines": draw.POSITION_EDGE, "learned table": draw.INK}
LOOKS |= {"RoPE": draw.ROPE}
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


def check_shares(words, shares):
    """The percentages in these words are those of the shares, in this order."""
    told = [int(x) for x in re.findall(r"(\d+) %", words)]
    same(told, np.multiply(shares, 100), atol=0.51)


def check_line(line, wanted):
    same(line.get_ydata(), wanted, atol=1e-6)


def curve_of(ax):
    return next(line for line in ax.lines if len(line.get_ydata()) == 128)


def test_each_scheme_has_its_name_and_the_winners_swap(chapter):
    figure = chapter.cell["beyond-the-trained-length"]
    for ax, task in zip(figure.axes, ("3 back", "first"), strict=True):
        for scheme, colour in LOOKS.items():
            wanted = places(runs(task, scheme)).mean(axis=0)
            if (task, scheme) == ("3 back", "RoPE"):  # no answer to a later question
                wanted[32:64] = np.nan
            check_line(line_in(ax, colour), wanted)
        assert ax.get_title() == f"“{task}”" and reading.unseen(ax) == (32, 127)


@pytest.fixture
def head():
    """The scores of RoPE's second head, its right answers, and the peak's rivals."""
    result = runs("3 back", "RoPE")[1]
    scores, right = result["kernel"], places([result])[0]
    high = (n for n in range(32, 127) if scores[n] >= max(scores[:32]) - 2)
    rivals = [n for n in high if max(scores[n - 1 : n + 2]) == scores[n]]
    return SimpleNamespace(scores=scores, right=right, rivals=rivals)


def test_the_head_falls_at_the_first_rival(chapter, head):
    name, first = "where-does-the-head-fall", head.rivals[0]
    answer = reading.right_answer(chapter, name)
    _, reply = reading.replies(chapter, name)[answer]
    below_peak = head.scores[3] - head.scores[first]
    same(reading.numbers(answer, reply), [first] * 3 + [below_peak], atol=0.06)
    above, below = chapter.cell["the-rivals-show-the-fall"].axes
    check_line(curve_of(above), head.scores)
    check_line(curve_of(below), head.right)
    marks = reading.lines_in(below, draw.MARK)
    assert sorted(x.get_xdata()[0] for x in marks) == head.rivals


def test_at_offset_47_fast_hands_are_nearly_back_and_slow_ones_at_new_angles(chapter):
    *dials, parts = chapter.cell["hands-at-offset-3-and-47"].axes
    for pair, ax in enumerate(dials):
        omega = 10_000 ** (-pair / 16)
        before, now = line_in(ax, dashed=True), line_in(ax, draw.MARK, dashed=False)
        same(reading.tip_of(before), tip(3 * omega))
        same(reading.tip_of(now), tip(47 * omega))
        says(ax.get_title(), pair, 44 * omega / math.tau)
    lines, scores = named(parts), runs("3 back", "RoPE")[1]["kernel"]
    both = [lines[f"pairs {pairs}"].get_ydata() for pairs in ("0 to 3", "4 to 15")]
    same(np.sum(both, axis=0), scores, atol=0.15)
    fast = np.exp(1j * np.outer(np.arange(128), 10_000 ** (-np.arange(4) / 16)))
    slow = np.vander(np.linspace(-1, 1, 128), 12)  # a polynomial in place of hands
    basis = np.c_[fast.real, fast.imag, slow]
    weights = np.linalg.lstsq(basis, scores)[0]
    same(both[0], basis[:, :8] @ weights[:8], atol=0.3)
    short, more = [abs(x[47] - x[3]) for x in both]  # said below the picture
    same((short, more), (4.2, 2.8), atol=0.05)


def test_a_repair_moves_the_curve_the_peak_and_the_accuracy(chapter):
    panel = chapter.cell["repairs-of-one-head"]
    for repair, back in zip(REPAIRS, (3, 12, 3, 3), strict=True):
        said, (above, below) = set_to(panel, repair=repair)
        result = runs("3 back", "RoPE", repair)[1]
        scores, right = np.array(result["kernel"]), places([result])[0]
        check_line(curve_of(above), scores / scores[:32].max())
        same(line_in(above, marker="o").get_xdata(), back)
        check_line(curve_of(below), right)
        assert f"looks {back} back" in said
        check_shares(said, [right[64:].mean()])


def test_a_slice_is_what_a_hand_shows_in_a_text(chapter):
    panel = chapter.cell["what-each-hand-has-shown"]
    for L, pairs in ((32, 16), (4096, 64), (8192, 32)):
        said, (above, ax) = set_to(panel, L=L, d_head=2 * pairs)
        turns = L / math.tau * rates(2 * pairs)
        slices = reading.patches_in(above, draw.ROPE)
        picked = np.linspace(0, pairs - 1, 8).round().astype(int)
        shown = [part.theta2 - part.theta1 for part in slices]
        same(shown, 360 * np.minimum(turns[picked], 1))
        check_line(line_in(ax, draw.INK, marker="o"), turns)
        says(said, sum(turns < 1), pairs)


def test_interpolation_slows_all_hands_and_the_others_spare_the_fast(chapter):
    (ax,) = chapter.cell["slowed-by-how-much"].axes
    lines, pair = named(ax), np.arange(64)
    turns = 4096 / math.tau * rates(128)
    check_line(lines["interpolation"], [4] * 64)
    check_line(lines["NTK-aware"], 4 ** (pair / 63))
    check_line(lines["by parts"], 1 / np.interp(turns, (1, 32), (1 / 4, 1)))
    assert reading.unseen(ax) == ((turns >= 1).sum(), 63)


# Pairs of hands, base, trained length, factors of the length and of the slowest hand.
MODELS = {
    "Llama 3.1": (64, 500_000, 8192, 16, 8),
    "SmolLM3": (64, 5_000_000, 65_536, 1, 1),
    "Gemma 4": (256, 1_000_000, 131_072, 1, 1),  # of its pairs, 64 turn
    "gpt-oss": (32, 150_000, 4096, 32, 32),
}


@pytest.fixture(params=MODELS)
def model(request, chapter):
    """A published model, what is said of it, its configuration, hands and layers."""
    panel = chapter.cell["clocks-of-published-models"]
    said, (hands, layers) = set_to(panel, model=request.param)
    name, said = said.split(": ")
    assert name == request.param
    return SimpleNamespace(name=name, said=said, hands=hands, layers=layers)


def test_hands_of_a_model_make_their_turns_before_and_now(model):
    pairs, base, first, longer, slowed = MODELS[model.name]
    turns = first / math.tau * rates(2 * pairs, base)
    turning = 64 if model.name == "Gemma 4" else pairs
    turns[turning:] = np.nan
    lines = {"before": draw.INK, "now": draw.ROPE}
    before, now = (line_in(model.hands, c).get_ydata() for c in lines.values())
    same(before, turns)
    ends = [0, turning - 1]
    same(now[ends], turns[ends] * longer / [1, slowed])
    idle = np.sum(~(turns >= 1))
    at_new_angles = [idle] if model.name == "Llama 3.1" else []
    says(model.said, idle, pairs, at_new_angles)
    assert reading.grey_of(model.hands).get_bbox().y1 == 1


def test_each_layer_of_a_model_is_a_square_of_its_kind(chapter, model):
    config = chapter.CONFIGS[model.name]
    n = config["num_hidden_layers"]
    kinds = config.get("layer_types", [""] * n)
    with_rope = config.get("no_rope_layers", [1] * n)
    squares = [x for x in model.layers.patches if x.get_visible()]
    squares.sort(key=lambda square: square.get_x())
    for square, kind, rope in zip(squares, kinds, with_rope, strict=True):
        wanted = draw.ROPE.lower() if rope else "#ffffff"
        wanted = "#dcc8f5" if kind == "sliding_attention" else wanted
        assert to_hex(square.get_fc()) == wanted


def test_six_schemes_at_two_tasks_by_place(chapter):
    panel = chapter.cell["six-schemes-and-two-tasks"]
    schemes = "RoPE", "ALiBi", "T5", "learned table", "sines and cosines", "no code"
    for task, scheme, layers in itertools.product(("first", "3 back"), schemes, (2, 1)):
        said, (ax,) = set_to(panel, task=task, scheme=scheme, layers=layers)
        rows = places(runs(task, scheme, layers=layers))
        check_line(line_in(ax, draw.INK), rows.mean(axis=0))
        check_shares(said, [np.nanmean(rows[:, 3:32]), rows[:, 64:].mean()])


# ---- no picture: the cell that reads a file of one's own -----------------------------
def test_a_config_is_read_whatever_its_form_or_refused(chapter):
    deep = chapter.CONFIGS["DeepSeek-V3"]
    _, then, now = chapter.clocks_of(deep)
    assert math.isclose(then[22] / now[22], 10)  # 1 at pair 10, 40 at 23: rounded
    bare = {name: deep[name] for name in deep if not name.startswith("rope")}
    flat = {"rope_theta": 10_000} | deep["rope_scaling"]
    old = {name.replace("rope_", ""): x for name, x in deep["rope_scaling"].items()}
    for config in (deep | {"rope_scaling": old}, bare | {"rope_parameters": flat}):
        same(chapter.clocks_of(config)[2], now)
    same(chapter.clocks_of(deep | {"rope_scaling": None})[2], then)
    for wrong in (bare, deep | {"rope_scaling": {"type": "mrope"}}):
        with pytest.raises(ValueError, match="not read here"):
            chapter.clocks_of(wrong)
