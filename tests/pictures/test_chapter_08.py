"""Chapter 8: relative schemes, each written out once more, entry by entry."""

import re
from itertools import product
from math import hypot

import numpy as np

from course import draw
from tests.support import oracle, reading
from tests.support.oracle import block, code, shares_of
from tests.support.reading import heights, line_in, named, same, says

SIX = np.arange(6)
QUERY, KEY, OMEGA = np.array([-1.3, 0.7]), np.array([0.4, 1.1]), 0.4


def pair_score(k):
    return (block(k * OMEGA) @ QUERY) @ KEY


def scores(chapter, codes=0):
    """All scores without a scheme, or with codes that are added."""
    X = chapter.X + codes
    return X @ chapter.W_Q @ (X @ chapter.W_K).T / 4


def settings(panel):
    """What an explorer says at every setting of its sliders, at last at the first."""
    for values in (*product(*panel.allowed.values()), panel.start.values()):
        said = panel.live.update(**dict(zip(panel.allowed, values, strict=True)))
        yield said, *values


def test_no_added_code_keeps_a_row_of_scores(chapter):
    rows = {}  # by marker and scheme: squares at first, dots 100 places later
    for start, marker in ((0, "s"), (100, "o")):
        codes = {"no code": 0, "learned table": chapter.learned_rows[SIX + start]}
        codes["sines and cosines"] = [code(n, 16) for n in SIX + start]
        for scheme, added in codes.items():
            rows[marker, scheme] = scores(chapter, added)[5]
    for ax in chapter.cell["one-row-before-and-after"].axes:
        for line in ax.lines:
            same(line.get_ydata(), rows[line.get_marker(), ax.get_title()])
    kept = [name for m, name in rows if np.allclose(rows["s", name], rows["o", name])]
    assert {*kept} == {"no code"}


def test_alibi_adds_straight_lines(chapter):
    (ax,) = chapter.cell["alibi-adds-a-straight-line"].axes
    found = []
    for words, line in named(ax).items():
        if words != "masked":
            head, _, part = reading.numbers(words)  # head 3: slope 1/8
            k, added = line.get_data()
            same(added, -abs(k) / part)
            same(part, 2**head)
            found.append(head)
    same(found, [1, 2, 3, 4, 8])


def test_a_count_gives_the_weights_of_alibi(chapter):
    panel = chapter.cell["count-and-alibi-side-by-side"]
    _, right = panel.live.canvas.figure.axes
    for said, start, slope in settings(panel):
        alibi, count = slope * (SIX - 5), slope * (start + SIX)
        weights = shares_of(scores(chapter)[5] + alibi)
        same(weights, shares_of(scores(chapter)[5] + count))
        same(heights(right), weights)
        same(line_in(right, marker="s").get_data(), [SIX, weights])
        says(said, count[5] - alibi[5], 100 * weights[5])


def test_both_turn_and_the_score_stays(chapter):
    figure = chapter.cell["both-turn-the-angle-stays"]
    for ax, (m, n) in zip(figure.axes, ((11, 5), (111, 105)), strict=True):
        ((start, end, *_),) = reading.sweeps(ax)
        same(end - start, (m - n) * OMEGA)
        (below,) = (words for words in reading.texts_in(ax) if "score" in words)
        says(below, m - n, np.degrees((m - n) * OMEGA), pair_score(m - n))


def test_query_and_key_turn_by_their_places_and_the_score_by_the_offset(chapter):
    panel = chapter.cell["two-hands-turned-by-absolute-places"]
    left, right = panel.live.canvas.figure.axes
    offsets, heights = line_in(right, draw.ROPE).get_data()
    same(heights, [pair_score(k) for k in offsets])
    for said, m, k in settings(panel):
        ((start, end, *_),) = reading.sweeps(left)
        same(end - start, k * OMEGA)
        same(line_in(right, draw.MARK).get_xydata(), [(k, pair_score(k))])
        says(said, m, np.degrees(k * OMEGA), pair_score(k))


def test_the_score_has_an_even_and_an_odd_part(chapter):
    (ax,) = chapter.cell["even-and-odd-part-of-the-score"].axes
    even, odd = QUERY @ KEY, QUERY[1] * KEY[0] - QUERY[0] * KEY[1]
    lines = named(ax)
    k, score = lines["score"].get_data()
    same(score, [pair_score(at) for at in k])
    same(lines[r"$\alpha\,\cos$"].get_data(), [k, even * np.cos(OMEGA * k)])
    same(lines[r"$\beta\,\sin$"].get_data(), [k, odd * np.sin(OMEGA * k)])


def test_the_formulas_have_the_signs_that_the_pictures_have(chapter):
    for cell, formula in (
        ("alibi-heading", r"B_mn=-\textslope\cdot|m-n|"),
        ("the-law-of-rope", r"=\mathrmRe\big[qk^*e^i\omega(m-n)\big]"),
        ("the-law-of-rope", r"\alpha\cos(m-n)\omega+\beta\sin(m-n)\omega"),
        ("between-query-and-key", r"q^\topR_m^\topR_nk=q^\topR_n-mk"),
        ("before-is-not-after", r"\beta=k_xq_y-k_yq_x"),
    ):
        colours_and_space = r"\\[,;]|\\textcolor\{.*?\}|[{}\s]"
        written = re.sub(colours_and_space, "", reading.markdown("08", cell))
        assert formula in written, cell


def test_only_rope_keeps_all_scores_of_the_head(chapter):
    waves = np.array([code(n, 16) for n in range(106)])
    lines = map(str.split, chapter.said["rope-in-the-head"].strip().splitlines())
    told = {name: float(change) for name, change in lines}
    for name, codes in (("sinusoidal", waves), ("learned", chapter.learned_rows)):
        moved = scores(chapter, codes[SIX + 100]) - scores(chapter, codes[SIX])
        same(told[name], abs(moved).max(), atol=0.0051)
    same(told["rope"], 0)


def test_slow_pairs_keep_what_fast_pairs_turn_round(chapter):
    panel = chapter.cell["what-each-pair-adds-by-offset"]
    ax = panel.live.canvas.figure.axes[-1]
    for said, k, base in settings(panel):
        rates = oracle.rates(16, base)  # of the pairs, fast to slow
        angles = k * rates
        same(heights(ax), np.cos(angles))
        so_far = np.cos(np.outer(range(k + 1), rates)).min(axis=0)
        says(said, 0.9, k, sum(so_far > 0.9), 8)
    _, _, g, *_ = reading.numbers(chapter.said["rope-fades-like-the-code"])
    same(g, np.cos(100 * oracle.rates(128)).mean(), atol=6e-4)  # at offset 100


def test_the_least_that_a_pair_adds_is_high_in_the_slow_pairs(chapter):
    (ax,) = chapter.cell["which-pairs-carry-content"].axes
    angles = np.outer(range(301), oracle.rates(16))  # of the pairs, fast to slow
    same(heights(ax), np.cos(angles).min(axis=0))
    assert (np.diff(heights(ax)[4:]) > 0).all() and max(heights(ax)[:4]) < -0.9
    _, fast = reading.replies(chapter, "which-pairs-carry-content")["in the fast pairs"]
    says(fast, 2 * np.pi)  # tokens a turn


def test_rope_stays_within_its_band_and_alibi_leaves_it(chapter):
    (ax,) = chapter.cell["rope-turns-alibi-counts"].axes
    query, key = chapter.X[5] @ chapter.W_Q, chapter.X[4] @ chapter.W_K
    (band,), lines = ax.patches, named(ax)
    same(band.get_bbox().y1, hypot(*query) * hypot(*key) / 4)
    away, swing = lines["RoPE"].get_data()
    q, k = (row[1::2] + 1j * row[0::2] for row in (query, key))
    turns = np.exp(1j * np.outer(away, 10.0 ** (-np.arange(8) / 2)))
    same(swing, (turns @ (q * k.conj())).real / 4)
    for part in (16, 256):
        fall = lines[f"ALiBi, slope 1/{part}"].get_ydata()
        same(fall, query @ key / 4 - away / part)
