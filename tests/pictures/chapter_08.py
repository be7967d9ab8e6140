"""Chapter 8: relative schemes, each written out once more, entry by entry."""

from itertools import product
from math import hypot, isclose

import numpy as np

from draw import number
from tests.pictures import reading
from tests.pictures.reading import alt, block, code, named, runs, sweeps, texts_of, tip

TEXT, SIX = "LLM张老师", np.arange(6)
QUERY, KEY, OMEGA = np.array([-1.3, 0.7]), np.array([0.4, 1.1]), 0.4


def pair_score(k):
    return (block(k * OMEGA) @ QUERY) @ KEY


def scores(chapter, codes=0):
    """All scores without a scheme, or with codes that are added."""
    X = chapter.X + codes
    return X @ chapter.W_Q @ (X @ chapter.W_K).T / 4


def settings(panel):
    """What an explorer says at every setting of its sliders; then it is drawn."""
    for values in product(*panel.grid().values()):
        yield panel.sentence_at(dict(zip(panel.grid(), values))), *values


def ways(ax):
    """(tail, tip) of each arrow; its head is at the tip."""
    assert all(x.arrowprops["arrowstyle"] in ("->", "-|>") for x in reading.arrows(ax))
    return [(x.xyann, x.xy) for x in reading.arrows(ax)]


def check_hands(ax, m, n, legend=None):
    """Query and key stand at their places, each by its name; the arc between them."""
    query, key = block(m * OMEGA) @ QUERY, block(n * OMEGA) @ KEY
    names = named(ax, legend)
    assert runs(names["query"], (0, 0), query) and runs(names["key"], (0, 0), key)
    ((start, end, _, heads),) = sweeps(ax)  # from the key to the query
    assert heads and np.allclose(tip(start, hypot(*key)), key)
    assert np.allclose(tip(end, hypot(*query)), query)


def test_arrows_lead_from_zhang_two_places_on_to_shi(chapter):
    axes = chapter.cell["same-tokens-100-places-later"].axes
    for ax, start in zip(axes, (0, 100), strict=True):
        at = {word: text.get_position()[0] for word, text in texts_of(ax).items()}
        (((tail, _), (end, _)),) = ways(ax)
        assert np.allclose((tail, end), (at["张"], at["师"])) and "offset 2" in at
        assert [at[f"{start + i}"] for i in SIX] == [*SIX]


def test_no_added_code_keeps_a_row_of_scores(chapter):
    figure = chapter.cell["one-row-before-and-after"]
    for ax in figure.axes:
        lines = named(ax, figure.legends[0])
        for name, start in (("places 0 to 5", 0), ("places 100 to 105", 100)):
            codes = {"no code": 0, "learned table": chapter.rows[SIX + start]}
            codes["sines and cosines"] = np.array([code(n, 16) for n in SIX + start])
            row = lines[name].get_ydata()
            assert np.allclose(row, scores(chapter, codes[ax.get_title()])[5])
    assert reading.right_answer(chapter, "which-added-code-keeps-scores") == "Neither."


def test_each_row_of_offsets_is_a_window_of_one_strip(chapter):
    top, ax = chapter.cell["offsets-stay-when-the-text-moves"].axes
    assert reading.cells(top).tolist() == [[number(5 - at, 0) for at in range(11)]]
    for m, row in enumerate(reading.cells(ax)):
        window = {at: words for at, words in enumerate(row) if words}
        assert window == {5 - m + n: number(m - n, 0) for n in SIX}
        assert ax.get_yticklabels()[m].get_text() == f"query {TEXT[m]}"
    assert ax.get_xlabel().startswith("← keys before")  # where m - n is positive
    assert "from 5 at the l" in alt(chapter.said["offsets-stay-when-the-text-moves"])


def test_what_shaw_t5_and_alibi_add_at_each_offset(chapter):
    left, right = chapter.cell["what-shaw-and-t5-add"].axes
    near, (stairs,) = np.arange(-8, 9), right.lines
    for token in "张师":
        query = chapter.X[TEXT.index(token)] @ chapter.W_Q
        added = chapter.shaw_vectors[near.clip(-4, 4) + 4] @ query / 4
        assert np.allclose(named(left)[token].get_xydata().T, [near, added])
    starts = [*range(1, 9), 12, 16, 23, 32, 46, 64, 91]  # of T5's buckets 1 to 15
    steps = [chapter.t5_numbers[sum(x >= at for at in starts)] for x in range(101)]
    np.testing.assert_allclose(stairs.get_data(), [range(101), steps])
    np.testing.assert_allclose(left.get_xlim(), [8.5, -8.5])  # earlier keys at the left
    assert stairs.get_drawstyle() == "steps-mid"  # a step up stands at 90.5
    assert ways(right)[0][1] == (90.5, -0.9) and "last step: 91" in texts_of(right)
    assert "the last begins at 91." in alt(chapter.said["what-shaw-and-t5-add"])
    (ax,) = chapter.cell["alibi-adds-a-straight-line"].axes
    for head in (1, 2, 3, 4, 8):
        k, height = named(ax)[f"head {head}: slope 1/{2**head}"].get_data()
        assert np.allclose(height, -abs(k) / 2**head)
    assert ax.patches[0].get_bbox().intervalx.tolist() == [-8, -0.5]  # keys after
    np.testing.assert_allclose(ax.get_xlim(), [8, -8])


def test_a_count_gives_the_weights_of_alibi(chapter):
    panel = chapter.cell["count-and-alibi-side-by-side"]
    left, right = panel.canvas.figure.axes
    for said, start, slope in settings(panel):
        line, count = slope * (SIX - 5), slope * (start + SIX)
        powers = np.exp(scores(chapter)[5] + line)
        weights, lines = powers / powers.sum(), named(left)
        assert np.allclose(lines["count: slope · n"].get_data(), [SIX, count])
        assert np.allclose(lines["ALiBi: −slope · (m − n)"].get_data(), [SIX, line])
        assert np.allclose([bar.get_height() for bar in right.patches], weights)
        assert np.allclose(right.lines[0].get_data(), [SIX, weights])
        shares = f"{weights[5]:.0%} of its attention to itself, {weights[0]:.0%} to the"
        assert f"adds {count[5]:.2f} more" in said and f"shī gives {shares}" in said
    assert panel.start == {"start": 10, "slope": 0.5}
    assert "from 5 to 7.5, and ALiBi's line, from −2.5 to 0." in panel.alt
    assert "Not" in reading.right_answer(chapter, "how-do-counted-weights-differ")


def test_query_and_key_are_turned_by_their_places_and_the_score_by_the_offset(chapter):
    title, score = chapter.cell["both-turn-the-angle-stays"], number(pair_score(6))
    for ax, (m, n) in zip(title.axes, ((11, 5), (111, 105)), strict=True):
        check_hands(ax, m, n, title.legends[0])
        assert ax.viewLim.contains(*texts_of(ax)[f"score {score}"].get_position())
        assert f"places {m} and {n}" == ax.get_title()
    assert f"are the same, {score}." in alt(chapter.said["both-turn-the-angle-stays"])
    panel = chapter.cell["two-hands-turned-by-absolute-places"]
    left, right = panel.canvas.figure.axes
    for said, m, k in settings(panel):
        check_hands(left, m, m - k)
        assert np.allclose(right.lines[2].get_xydata(), [(k, pair_score(k))])
        told = f"query at place {m}, key at place {m - k}, score"
        assert said == f"Offset {number(k, 0)}: {told} {number(pair_score(k))}."
    assert all(isclose(y, pair_score(k)) for k, y in right.lines[1].get_xydata())
    assert [*panel.start.values()] == [8, 1] and "by 8 steps, the key by 7" in panel.alt


def test_the_score_has_an_even_and_an_odd_part(chapter):
    (ax,) = chapter.cell["even-and-odd-part-of-the-score"].axes
    even, odd = QUERY @ KEY, QUERY[1] * KEY[0] - QUERY[0] * KEY[1]
    k, score = named(ax)["score"].get_data()
    assert np.allclose(score, [*map(pair_score, k)]) and 0 < even < odd
    assert np.allclose(named(ax)["α cos"].get_ydata(), even * np.cos(OMEGA * k))
    assert np.allclose(named(ax)["β sin"].get_ydata(), odd * np.sin(OMEGA * k))
    assert "low even wave, α cos" in alt(chapter.said["even-and-odd-part-of-the-score"])


def test_on_by_n_and_back_by_m_ends_at_the_same_hand(chapter):
    axes = chapter.cell["on-by-n-and-back-by-m"].axes
    for ax, (m, n) in zip(axes, ((8, 5), (28, 25)), strict=True):
        (start, end, _, heads), (turn, back, _, more) = sweeps(ax)
        assert np.allclose([start, end, back - turn], [0, 0.2 * n, -0.2 * m])
        assert runs(ax.lines[1], (0, 0), tip(back)) and np.allclose(tip(turn), tip(end))
        assert ax.get_title() == f"on by {n}, back by {m}: back by 3"
        assert runs(ax.lines[0], (0, 0), (0, 1)) and named(ax)["key"] is ax.lines[0]
        assert heads and more and named(ax)["key, back by 3"] is ax.lines[1]


def test_only_rope_keeps_all_scores_of_the_head(chapter):
    waves = np.array([code(n, 16) for n in range(106)])
    *added, rope, change = chapter.said["rope-in-the-head"].split()
    assert (*added[::2], rope, change) == ("sinusoidal", "learned", "rope", "0.00")
    for codes, told in zip((waves, chapter.rows), added[1::2], strict=True):
        moved = scores(chapter, codes[SIX + 100]) - scores(chapter, codes[SIX])
        assert told == f"{abs(moved).max():.2f}"


def test_slow_pairs_keep_what_fast_pairs_turn_round(chapter):
    panel = chapter.cell["what-each-pair-adds-by-offset"]
    *clocks, ax = panel.canvas.figure.axes
    for said, k, base in settings(panel):
        angles = [k * base ** (-i / 8) for i in range(8)]  # of the pairs, fast to slow
        for clock, angle in zip(clocks, angles, strict=True):
            assert runs(clock.lines[1], (0, 0), tip(angle))  # the black query
        assert np.allclose([bar.get_height() for bar in ax.patches], np.cos(angles))
        assert said.startswith(f"At offset {k}, {sum(np.cos(angles) > 0.9)} of 8 pairs")
    turned = np.degrees([30 * 10 ** (-i / 2) for i in range(8)]) % 360
    assert panel.start["offset"] == 30 and "query 30 places on" in panel.alt
    assert min(turned[:3]) > 170 and f"fourth by {turned[3]:.0f} degrees" in panel.alt
    assert "slow" in reading.right_answer(chapter, "which-pairs-carry-content")


def test_rope_stays_within_its_band_and_alibi_leaves_it(chapter):
    (ax,) = chapter.cell["rope-turns-alibi-counts"].axes
    query, key = chapter.X[5] @ chapter.W_Q, chapter.X[4] @ chapter.W_K
    bound, lines = hypot(*query) * hypot(*key) / 4, named(ax)
    away, swing = lines["RoPE"].get_data()
    q, k = (row[1::2] + 1j * row[0::2] for row in (query, key))
    turns = np.exp(1j * np.outer(away, 10.0 ** (-np.arange(8) / 2)))
    assert np.allclose(swing, (turns @ (q * k.conj())).real / 4)
    for part, about in ((16, 60), (256, 900)):
        fall = np.array(lines[f"ALiBi, slope 1/{part}"].get_ydata())
        assert np.allclose(fall, query @ key / 4 - away / part)
        assert isclose(away[fall < -bound][0], about, rel_tol=0.1)
        assert f"at about {about} and" in alt(chapter.said["rope-turns-alibi-counts"])
    assert np.allclose(ax.patches[0].get_bbox().intervaly, [-bound, bound])


def test_a_mask_gives_the_start_token_its_share_of_the_tokens_seen(chapter):
    (ax,) = chapter.cell["a-mask-counts"].axes
    assert np.allclose([bar.get_height() for bar in ax.patches], 1 / np.arange(1, 13))
    assert [x.get_text() for x in ax.texts] == [f"1/{n}" for n in range(1, 13)]


def test_each_code_has_an_arrow_to_its_door(chapter):
    (ax,) = chapter.cell["who-enters-where"].axes
    boxes = [x.get_bbox().padded(0.01) for x in ax.patches if x.get_width() < 5]
    words = [(word, x.get_position()) for word, x in texts_of(ax).items() if word]

    def box(point):
        (here,) = (box for box in boxes if box.contains(*point))
        return next(word for word, at in words if here.contains(*at))

    leads = {box(tail): box(end) for tail, end in ways(ax)}
    assert leads["RoPE"] == "query, key" and leads["Shaw, T5, ALiBi"] == "score"
    assert leads["learned table,\nsines and cosines"] == "+"


def test_one_map_moves_every_place_of_an_image(chapter):
    left, right = chapter.cell["one-map-moves-an-image"].axes
    assert texts_of(left)["row"].get_position()[1] == 1.5 and right.yaxis_inverted()
    assert all(np.subtract(end, tail).tolist() == [3, 2] for tail, end in ways(right))
