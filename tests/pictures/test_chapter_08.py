"""Chapter 8: relative schemes, each written out once more, entry by entry."""

from math import hypot

import numpy as np
import pytest

from course import draw
from tests.support import oracle, reading
from tests.support.oracle import block, shares_of, tip
from tests.support.reading import heights, line_in, named, same, says, set_to, text_at

SIX = np.arange(6)
QUERY, KEY, OMEGA = np.array([-1.3, 0.7]), np.array([0.4, 1.1]), 0.4


def pair_score(k):
    return (block(k * OMEGA) @ QUERY) @ KEY


def test_only_a_head_without_a_code_keeps_its_row_of_scores(chapter):
    for ax in chapter.cell["one-row-before-and-after"].axes:
        before, after = (line_in(ax, marker=at).get_ydata() for at in "so")
        name, keeps = ax.get_title(), np.allclose(before, after)
        assert keeps == (name == "no code"), f"{name}: dots in squares: {keeps}"
        assert reading.is_framed(ax) == keeps, f"{name} has a wrong frame, or none"


def test_each_row_of_offsets_is_query_minus_key(chapter):
    _, ax = chapter.cell["offsets-stay-when-the-text-moves"].axes
    for m, row in enumerate(reading.texts_in_cells(ax)):
        says(filter(None, row), m - SIX)
    before, after = ax.get_xticklabels()  # at either side of offset 0, column 5
    assert before.get_position()[0] < 5 < after.get_position()[0]


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


def scores(chapter):
    """All scores without a scheme."""
    X = chapter.X
    return X @ chapter.W_Q @ (X @ chapter.W_K).T / 4


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
    for name, wanted in (
        ("score", [pair_score(at) for at in k]),
        (r"$\alpha\,\cos$", alpha * np.cos(OMEGA * k)),
        (r"$\beta\,\sin$", beta * np.sin(OMEGA * k)),
    ):
        same(lines[name].get_ydata(), wanted, err_msg=name)


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
