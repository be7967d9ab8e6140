"""Chapter 8: relative schemes, each written out once more, entry by entry."""

import re
from math import hypot

import numpy as np
import pytest

from course import draw
from course.families import FAMILIES
from tests.support import oracle, reading
from tests.support.oracle import block, shares_of, tip
from tests.support.reading import (
    heights,
    line_in,
    named,
    same,
    says,
    set_to,
    text_at,
)

SIX = np.arange(6)
QUERY, KEY, OMEGA = np.array([-1.3, 0.7]), np.array([0.4, 1.1]), 0.4


def pair_score(k):
    return (block(k * OMEGA) @ QUERY) @ KEY


def scores(chapter, pos=None):
    """All scores, without a scheme or with sines and cosines added at these places."""
    X = chapter.X
    if pos is not None:
        X = X + [oracle.code(n, 16) for n in pos]
    return X @ chapter.W_Q @ (X @ chapter.W_K).T / 4


def test_neither_added_code_keeps_its_row_of_scores(chapter):
    question = "which-added-code-keeps-scores"
    assert reading.right_answer(chapter, question) == "neither"
    for ax in chapter.cell[question].axes:
        before, after = (line_in(ax, marker=at).get_ydata() for at in "so")
        assert abs(before - after).max() > 0.5, f"{ax.get_title()} keeps its row"
        if ax.get_title() == "sines and cosines":
            same(before, scores(chapter, SIX)[5], err_msg="at first")
            same(after, scores(chapter, SIX + 100)[5], err_msg="100 places later")
    same(chapter.no_code(SIX + 100), scores(chapter))


def test_shaw_and_t5_share_numbers_as_told(chapter):
    ax = chapter.cell["what-shaw-and-t5-add"].axes[0]
    rows = [[], [], []]
    for text in ax.texts:
        rows[int(text.get_position()[1])].append(text.get_text())
    assert rows[0] == rows[1] == ["0", "1", "2", "3", "4 and on"]
    assert rows[2] == [*map(str, range(8)), "8 to 11", "12 to 15", "16 to 22"]
    for y, n in enumerate((3, 5)):  # 张, 师
        assert chapter.text[n] in reading.ticks(ax.yaxis)[y + 0.4]
        added = chapter.shaw_vectors[4:] @ (chapter.X[n] @ chapter.W_Q) / 4
        row = sorted((x for x in ax.patches if x.get_y() == y), key=lambda x: x.get_x())
        same([x.get_fc() for x in row], chapter.colours.to_rgba(added))
    told = reading.markdown("08", "learned-biases-in-words")
    buckets = chapter.bucket(np.array([8, 16, 32, 64]))
    assert (np.diff(buckets) == 2).all() and "two buckets serve each doubling" in told
    for words in "beyond ±4 count as ±4", "to distance 7 each", "from 91 on":
        assert words in told


def test_alibi_takes_away_its_slope_at_each_place(chapter):
    (ax,) = chapter.cell["alibi-adds-a-straight-line"].axes
    lines = named(ax)
    assert lines.pop("masked") and reading.unseen(ax) == (-8, -1)  # keys after
    for words, line in lines.items():
        head = int(reading.numbers(words)[0])  # head 3: slope 1/8
        says(words, head, 1, 2**head)
        k, added = line.get_data()
        same(added, -abs(k) / 2**head, err_msg=words)
    assert len(lines) == 5
    alt = chapter.said["alibi-adds-a-straight-line"]
    assert "before the query are at the left" in alt and ax.xaxis_inverted()


@pytest.mark.parametrize("start, slope", [(0, 0.125), (15, 0.5), (20, 1.0)])
def test_a_count_gives_the_weights_of_alibi(chapter, start, slope):
    panel = chapter.cell["count-and-alibi-side-by-side"]
    said, (left, right) = set_to(panel, start=start, slope=slope)
    line, count = slope * (SIX - 5), slope * (start + SIX)
    weights = shares_of(scores(chapter)[5] + line)
    same(line_in(left, marker="s").get_ydata(), count, err_msg="count")
    same(line_in(left, marker="o").get_ydata(), line, err_msg="ALiBi")
    same(heights(right), weights, err_msg="weights with ALiBi")
    same(
        line_in(right, marker="s").get_ydata(), weights, err_msg="weights with a count"
    )
    says(said, count[5] - line[5], 100 * weights[5])


def test_counted_weights_do_not_differ_from_those_of_alibi(chapter):
    before, question = "three-guesses-of-the-weights", "how-do-counted-weights-differ"
    weights = shares_of(scores(chapter)[5] + SIX / 2)  # with the count
    answer, *_ = chapter.cell[question].axes
    same(heights(answer), weights, err_msg="weights with ALiBi")
    same(line_in(answer, marker="s").get_ydata(), weights, err_msg="answer A")
    reading.check_frames(chapter, before, question)
    assert reading.right_answer(chapter, question) == "not at all"


def bfloat16(x):
    """To 8 binary digits, by the decimal value of the last of them; ties to even."""
    last = 2.0 ** (np.floor(np.log2(np.maximum(abs(x), 1e-30))) - 7)
    return np.round(x / last) * last


def float16(x):
    return x.astype(np.float16).astype(float)


def test_in_sixteen_bits_a_count_moves_weights_and_the_line_does_not(chapter):
    exact, line = scores(chapter), -abs(np.subtract.outer(SIX, SIX)) / 2

    def moved(added, kind):
        """The largest change of a weight: what is added is rounded, and the sum."""
        rounded = kind(exact + kind(added))
        rows = [(rounded[m, : m + 1], (exact + line)[m, : m + 1]) for m in SIX]
        return max(abs(shares_of(x) - shares_of(y)).max() for x, y in rows)

    wanted = []
    for start in 100, 1000, 10_000:
        count = (start + SIX) / 2
        wanted += [start, 16, moved(count, bfloat16), 16, moved(count, float16)]
    of_line = moved(line, bfloat16)
    wanted += [16, of_line, 16, moved(line, float16)]
    says(chapter.said["count-in-sixteen-bits"], wanted)
    told = reading.markdown("08", "count-and-alibi-in-words")
    assert f"our weights moves by {wanted[7]:.3f} from place 1000 on" in told
    assert f"none by more than {of_line:.3f}" in told
    parts = told.split("$")[1].partition("=")[2].split("-")  # slope n, slope m
    assert [part.strip()[-1] for part in parts] == ["n", "m"]  # m: the same for all


@pytest.mark.parametrize("m, k", [(8, 3), (108, 3), (20, -6), (9, 0)])
def test_query_and_key_turn_by_their_places_and_the_score_by_the_offset(chapter, m, k):
    panel = chapter.cell["two-hands-turned-by-absolute-places"]
    said, (dial, right) = set_to(panel, m=m, offset=k)
    rim = hypot(*QUERY)  # the query reaches to it
    query, key = block(m * OMEGA) @ QUERY / rim, block((m - k) * OMEGA) @ KEY / rim
    for name, hand, dashed in (("$q$", query, False), ("$k$", key, True)):
        lines = reading.lines_in(dial, draw.INK, dashed)
        same([line.get_xydata()[1] for line in lines], [hand], err_msg=f"hand {name}")
        at = np.array(reading.place(dial, name))
        same(at / hypot(*at), hand / hypot(*hand), err_msg=f"{name}, along its hand")
    ((start, end, *_),) = reading.sweeps(dial)
    same(end - start, k * OMEGA, err_msg="the arc of the offset")
    same(tip(end), query, err_msg="its end, at the query")
    offsets, wave = line_in(right, draw.ROPE).get_data()
    same(wave, [pair_score(at) for at in offsets], err_msg="score")
    same(line_in(right, draw.MARK).get_xydata(), [(k, pair_score(k))], err_msg="dot")
    assert right.get_xlabel() == "offset $m - n$"
    says(said, m, np.degrees(k * OMEGA), pair_score(k))


def test_alpha_is_the_even_and_beta_the_odd_part_of_the_score(chapter):
    lines = named(chapter.cell["even-and-odd-part-of-the-score"].axes[0])
    alpha, beta = QUERY @ KEY, QUERY[1] * KEY[0] - QUERY[0] * KEY[1]
    k = lines["score"].get_xdata()
    for name, wanted, colour in (
        ("score", [pair_score(at) for at in k], None),
        (r"$\alpha\,\cos$", alpha * np.cos(OMEGA * k), draw.COS),
        (r"$\beta\,\sin$", beta * np.sin(OMEGA * k), draw.SIN),
    ):
        same(lines[name].get_ydata(), wanted, err_msg=name)
        assert colour in (None, lines[name].get_color()), name


def test_on_by_n_and_back_by_m_is_back_by_the_offset(chapter):
    axes = chapter.cell["on-by-n-and-back-by-m"].axes
    for ax, (m, n) in zip(axes, ((8, 5), (13, 10)), strict=True):
        arcs = sorted(reading.sweeps(ax), key=lambda arc: arc[2])  # the inner one first
        (start, end, _, _), (turn, back, _, _) = arcs
        same((start, end), (0, OMEGA * n), err_msg=f"the arc on by {n}")
        same(back - turn, -OMEGA * m, err_msg=f"the arc back by {m}")
        lines = named(ax)
        reading.check_hand(lines[f"on by {n}"], n * OMEGA)
        reading.check_hand(lines[f"back by {m}"], -3 * OMEGA)
    law = reading.markdown("08", "between-query-and-key")
    assert r"R_m^\top R_n\; k \;=\; q^\top R_{n-m}\; k" in law


def turned(x, pos, pairs, way=1):
    """Numbers x at a place: each pair of columns turned; 1 is the way of libraries."""
    y = np.array(x, float)
    for (i, j), rate in zip(pairs, oracle.rates(len(x)), strict=True):
        y[[i, j]] = block(-way * pos * rate) @ y[[i, j]]
    return y


LAYOUTS = {
    "halves": ([(0, 4), (1, 5), (2, 6), (3, 7)], 1),
    "neighbours": ([(0, 1), (2, 3), (4, 5), (6, 7)], 1),
    "neighbours, the other way": ([(0, 1), (2, 3), (4, 5), (6, 7)], -1),
}


def test_each_layout_has_its_partners_and_its_numbers(chapter):
    (ax,) = chapter.cell["eight-numbers-in-three-layouts"].axes
    firsts = []
    for name, (pairs, way) in LAYOUTS.items():
        low = reading.place(ax, name)[1] - 0.9
        inside = [x for x in ax.texts if abs(x.get_position()[1] - low - 0.4) < 0.01]
        inside = sorted(inside, key=lambda text: text.get_position()[0])
        numbers = [text.get_text() for text in inside if text.get_text()]
        says(numbers, turned(range(1, 9), 3, pairs, way))
        arcs = [arc for arc in reading.arrows(ax) if 0 < arc.xy[1] - low < 1]
        ends = {(int(arc.get_position()[0]), int(arc.xy[0])) for arc in arcs}
        assert ends == {*pairs}, name
        firsts.append(turned(range(1, 9), 3, pairs, way)[0])
    said = chapter.said["eight-numbers-in-three-layouts"]
    says(re.findall(r"[−\d.]+(?= (?:stands )?first)", said)[:3], firsts)
    same(chapter.GOLDEN, turned(range(1, 9), 3, LAYOUTS["halves"][0]), atol=1e-5)
    told = reading.markdown("08", "which-layout-has-my-checkpoint")
    assert "1 to 8, at place 3, base 10,000" in told


NAMES = {  # in the picture → model_type, of which all must have the layout
    "halves": {"Llama 1 to 3": "llama", "Mistral": "mistral",
               "Qwen": "qwen2 qwen3 qwen3_next", "Gemma": "gemma gemma2 gemma3_text",
               "GPT-NeoX": "gpt_neox"},
    "neighbours": {"Llama 4": "llama4_text", "GPT-J": "gptj",
                   "DeepSeek-V3": "deepseek_v3", "GLM-4": "glm glm4",
                   "Cohere": "cohere cohere2"},
}  # fmt: skip


def test_models_stand_beside_the_layout_that_their_code_has(chapter):
    (ax,) = chapter.cell["eight-numbers-in-three-layouts"].axes
    for name, models in NAMES.items():
        below = np.subtract(reading.place(ax, name), (0, 0.35))
        (words,) = (
            x.get_text() for x in ax.texts if np.allclose(x.get_position(), below)
        )
        listed = re.split(r"[:;,]\s*", words.replace("\n", " "))
        assert listed[1:] == [*models], f"beside {name}"
        for model_type in " ".join(models.values()).split():
            family = FAMILIES[model_type]
            assert (family.layout, family.sign) == (name, 1), model_type
    assert listed[0] == "Meta’s own files of Llama"
    assert FAMILIES["nanochat"].sign == -1 and FAMILIES["nanochat"].layout == "halves"


def test_each_mistake_passes_the_test_and_not_the_eight_numbers(chapter):
    pairs = LAYOUTS["halves"][0]
    x = range(1, 9)
    made = {
        "the other way": turned(x, -3, pairs),
        "neighbours": turned(x, 3, LAYOUTS["neighbours"][0]),
        "places doubled": turned(x, 6, pairs),
        "base 500,000": chapter.rotate_halves(chapter.ONE_TO_8, [3], 500_000)[0],
    }
    lines = chapter.said["golden-vector"].splitlines()
    for name, line in zip(made, lines, strict=True):
        assert line.startswith(name)
        off = abs(made[name] - turned(x, 3, pairs)).max()
        says(line.removeprefix(name), 0, off)
    assert "four such mistakes" in reading.markdown("08", "which-layout-in-words")


def test_violet_pairs_are_the_shares_of_the_models_beside_them(chapter):
    (ax,) = chapter.cell["pairs-that-turn"].axes

    def pairs_of(name):
        """What is written in the violet boxes of a row, and the number of all boxes."""
        low = reading.place(ax, name)[1] - 0.9
        row = [box for box in ax.patches if abs(box.get_y() - low) < 0.01]
        violet = [x for x in reading.patches_in(ax, draw.ROPE) if x in row]
        return [reading.words_in(ax, box) for box in violet], len(row)

    letters, count = pairs_of("partial rotary")
    share = len(letters) / count
    (beside,) = (text for text in reading.texts_in(ax) if "a quarter: " in text)
    assert beside == "a quarter: GPT-NeoX, Qwen3-Next\na half: GLM-4"
    assert share == FAMILIES["gpt_neox"].defaults["rotary_pct"] == 1 / 4
    assert share == FAMILIES["qwen3_next"].defaults["partial_rotary_factor"]
    assert FAMILIES["glm4"].defaults["partial_rotary_factor"] == 1 / 2
    assert share * 16 == chapter.TURNING
    letters, count = pairs_of("decoupled (MLA)")
    mla = FAMILIES["deepseek_v3"].defaults
    turning, still = mla["qk_rope_head_dim"], mla["qk_nope_head_dim"]
    assert len(letters) / count == turning / (turning + still)
    letters, count = pairs_of("M-RoPE")
    assert "".join(sum(letters, [])) == "tthhhwww" and count == 8
    assert chapter.AXIS.tolist() == ["thw".index(x) for x in "tthhhwww" for _ in "xy"]


@pytest.mark.parametrize("k, base", [(30, 10_000), (3, 100), (1000, 500_000)])
def test_slow_pairs_keep_what_fast_pairs_turn_round(chapter, k, base):
    panel = chapter.cell["what-each-pair-adds-by-offset"]
    said, (*clocks, ax) = set_to(panel, offset=k, base=base)
    rates = oracle.rates(16, base)  # of the pairs, fast to slow
    for clock, rate in zip(clocks, rates, strict=True):
        reading.check_hand(line_in(clock, draw.INK), k * rate)
    same(heights(ax), np.cos(k * rates), err_msg="what each pair adds")
    so_far = np.cos(np.outer(range(k + 1), rates)).min(axis=0)
    says(said, 0.9, k, sum(so_far > 0.9), 8)
    assert "more than 0.9" in said


def test_rope_stays_within_its_band_and_alibi_leaves_it(chapter):
    (ax,) = chapter.cell["rope-turns-alibi-counts"].axes
    query, key = chapter.X[5] @ chapter.W_Q, chapter.X[4] @ chapter.W_K
    (band,), lines = ax.patches, named(ax)
    same(band.get_bbox().y1, hypot(*query) * hypot(*key) / 4, err_msg="the band")
    away, swing = lines["RoPE"].get_data()
    q, k = (row[1::2] + 1j * row[0::2] for row in (query, key))
    turns = np.exp(1j * np.outer(away, oracle.rates(16)))
    same(swing, (turns @ (q * k.conj())).real / 4, err_msg="RoPE")
    for part in (16, 256):
        fall = lines[f"ALiBi, slope 1/{part}"].get_ydata()
        same(fall, query @ key / 4 - away / part, err_msg=f"ALiBi, slope 1/{part}")


def test_each_code_has_an_arrow_to_its_door(chapter):
    (ax,) = chapter.cell["who-enters-where"].axes
    led = {tuple(text_at(ax, end) for end in ends) for ends in reading.arrow_ends(ax)}
    doors = {
        ("learned table,\nsines, cosines", "+"),
        ("RoPE", "query,\nkey"),
        ("Shaw, T5, ALiBi", "score"),
    }
    assert doors <= led, f"no arrow leads so: {doors - led}"


def test_sentences_say_what_is_computed(chapter):
    def told(name):
        return reading.markdown("08", name)

    assert r"\frac{q_m \cdot k_n}{\sqrt{d_k}}" in told("put-the-offset-into-the-score")
    assert chapter.cell["a-mask-counts"].axes[0].get_xlabel() == "place of the query"
    hands = told("two-hands-in-words")
    assert hands.count(f"{np.degrees(OMEGA):.0f}° a step") == 2
    still, moving = hands.partition("Move `m`: ")[2].split("Move `offset`: ")
    assert "the dot stands still" in still and "the arc keeps its width" in still
    assert "the query stays" in moving and "along a wave" in moving
    assert f"$R_{{{5 - 8}}}$ stands between" in told("on-by-n-in-words")
    (i, j), *_ = LAYOUTS["halves"][0]
    assert (i, j) == (0, 8 // 2) and "$i$ and $i + d/2$" in told(
        "rope-in-the-head-heading"
    )
    layouts = told("which-layout-in-words")
    assert "Meta’s own files of Llama hold neighbours" in layouts
    assert (
        "files of DeepSeek-V3 hold neighbours" in layouts and "into halves" in layouts
    )
    assert FAMILIES["deepseek_v3"].layout == "neighbours"
    assert "rope_interleave" in FAMILIES["deepseek_v3"].keys
    time = oracle.rates(16)[(chapter.AXIS == 0)[::2]]
    assert time.min() > oracle.rates(16)[(chapter.AXIS > 0)[::2]].max()
    assert "gives time the fastest pairs" in told("what-turns-in-words")
    slow = [sum(np.cos(300 * oracle.rates(16, base)) > 0.9) for base in (100, 500_000)]
    assert slow[0] < slow[1]
    assert "larger `base` makes more pairs slow" in told("slow-pairs-in-words")
    slope = {head: 2 ** (-8 * head / chapter.HEADS) for head in chapter.SLOPES}
    assert slope == chapter.SLOPES and "2^{-8h/N}" in told("alibi-in-words")
    assert abs(chapter.opposite_ways(SIX + 100) - chapter.opposite_ways(SIX)).max() > 1
    assert "gets $m + n$, and fails the test" in told("the-law-in-words")
