"""Chapter 8: relative schemes, each written out once more, entry by entry."""

import re
from itertools import product
from math import hypot

import numpy as np

from course import draw
from tests.support import oracle, reading
from tests.support.oracle import block, code, shares_of, tip
from tests.support.reading import heights, line_in, named, same, says, text_at

TEXT, SIX = "LLM张老师", np.arange(6)
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


def check_hands(ax, m, n):
    """Query and key stand at their places, each by its name; the arc of the offset."""
    rim = hypot(*QUERY)  # the query reaches to it
    query = block(m * OMEGA) @ QUERY / rim
    key = block(n * OMEGA) @ KEY / rim
    for name, hand, dashed in (("$q$", query, False), ("$k$", key, True)):
        (line,) = (x for x in reading.lines_in(ax, draw.INK, dashed))
        same(line.get_xydata(), [(0, 0), hand])
        at = np.array(reading.place(ax, name))  # along the hand
        same(at / hypot(*at), hand / hypot(*hand))
    ghost = block(n * OMEGA) @ QUERY / rim  # the query, at the key's place
    same(line_in(ax, draw.GREY_TEXT).get_xydata(), [(0, 0), ghost])
    ((start, end, _, heads),) = reading.sweeps(ax)
    same(end - start, (m - n) * OMEGA)
    same(tip(start), ghost)
    same(tip(end), query)
    assert heads == (m != n)


def test_an_arrow_leads_from_zhang_two_places_on_to_shi(chapter):
    axes = chapter.cell["same-tokens-100-places-later"].axes
    for ax, start in zip(axes, (0, 100), strict=True):
        places = [str(n) for n in SIX + start]
        for i, box in enumerate(sorted(ax.patches, key=lambda box: box.get_x())):
            assert reading.words_in(ax, box) == [TEXT[i]]
            assert text_at(ax, box.get_center(), places) == places[i]
        ((tail, end),) = reading.arrow_ends(ax)
        assert (text_at(ax, tail, TEXT), text_at(ax, end, TEXT)) == ("张", "师")


def test_no_added_code_keeps_a_row_of_scores(chapter):
    rows = {}  # by marker and scheme: squares at first, dots 100 places later
    for start, marker in ((0, "s"), (100, "o")):
        codes = {"no code": 0, "learned table": chapter.learned_rows[SIX + start]}
        codes["sines and cosines"] = [code(n, 16) for n in SIX + start]
        for scheme, added in codes.items():
            rows[marker, scheme] = scores(chapter, added)[5]
    asked, answered = "one-row-before-the-move", "which-added-code-keeps-scores"
    for cell in (asked, answered, "one-row-before-and-after"):
        axes = chapter.cell[cell].axes
        for ax in axes:
            for line in ax.lines:
                same(line.get_ydata(), rows[line.get_marker(), ax.get_title()])
            assert len(ax.lines) == 2 - (cell == asked)
        keeps = [ax.get_title() for ax in axes if reading.is_framed(ax)]
        assert keeps == ["no code"] * (len(axes) == 3)


def test_each_row_of_offsets_is_a_window_of_one_strip(chapter):
    top, ax = chapter.cell["offsets-stay-when-the-text-moves"].axes
    says(reading.texts_in_cells(top)[0], range(5, -6, -1))
    for m, row in enumerate(reading.texts_in_cells(ax)):
        same([at for at, words in enumerate(row) if words], 5 - m + SIX)
        says(" ".join(row), m - SIX)
    before, after = ax.get_xticklabels()  # at either side of offset 0, column 5
    assert before.get_position()[0] < 5 < after.get_position()[0]


def test_what_shaw_and_t5_add_at_each_offset(chapter):
    ax, key = chapter.cell["what-shaw-and-t5-add"].axes
    starts = [*range(1, 9), 12, 16, 23, 32, 46, 64, 91]  # of buckets 1 to 15
    buckets = [sum(x >= at for at in starts) for x in range(23)]
    rows = {"T5": chapter.t5_numbers[buckets]}
    for token in "张师":
        query = chapter.X[TEXT.index(token)] @ chapter.W_Q
        near = np.arange(23).clip(max=4)
        rows[f"Shaw, query {token}"] = chapter.shaw_vectors[near + 4] @ query / 4
    light = draw.plt.get_cmap(draw.SIGNED)
    same(key.get_ylim(), (-2, 2))
    for y, name in reading.ticks(ax.yaxis).items():
        covered = []
        assert min(rows[name]) > -2  # above, the bar of colours has a tip
        for box in ax.patches:
            if box.get_y() < y < box.get_y() + 0.8:
                ends = (box.get_bbox().intervalx + (0.5, -0.5)).round().astype(int)
                covered += [*range(ends[0], ends[1] + 1)]
                shades = light((rows[name][ends] + 2) / 4)
                same(shades, [box.get_facecolor()] * 2, atol=1e-6)
        assert sorted(covered) == [*range(23)]
    says(chapter.said["t5-buckets-as-published"], starts[-1])
    told = reading.in_alt(chapter, "what-shaw-and-t5-add")
    same(told[7:], [0, 7, 8, 11, 12, 15, 16, 22])  # of T5


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
    assert reading.unseen(ax) == (-8, -1)  # keys after


def test_a_count_gives_the_weights_of_alibi(chapter):
    panel = chapter.cell["count-and-alibi-side-by-side"]
    left, right = panel.live.canvas.figure.axes
    for said, start, slope in settings(panel):
        line, count = slope * (SIX - 5), slope * (start + SIX)
        weights = shares_of(scores(chapter)[5] + line)
        same(line_in(left, marker="s").get_data(), [SIX, count])
        same(line_in(left, marker="o").get_data(), [SIX, line])
        (gap,) = reading.arrows(left)
        same((gap.xyann[1], gap.xy[1]), (line[5], count[5]))
        same(heights(right), weights)
        *_, last = reading.bars_in(right)
        assert reading.words_in(right, last) == ["ALiBi"]
        assert text_at(right, (5, weights[5]), ["count", "ALiBi"]) == "count"
        same(line_in(right, marker="s").get_data(), [SIX, weights])
        more, to_itself = reading.numbers(said)
        same(more, count[5] - line[5])
        same(to_itself, 100 * weights[5], atol=0.5)
    says(panel.alt, count[[0, 5]], line[[0, 5]], more)


def test_each_answer_to_the_count_has_its_squares(chapter):
    weights = shares_of(scores(chapter)[5] + (SIX - 5) / 2)
    guesses = weights, [0, 0, 0, 0, 0, 1], weights[::-1]
    cells = "three-guesses-of-the-weights", "how-do-counted-weights-differ"
    for cell in cells:
        for ax, guess in zip(chapter.cell[cell].axes, guesses, strict=True):
            same(heights(ax), weights)
            same(line_in(ax, marker="s").get_data(), [SIX, guess])
    reading.check_frames(chapter, *cells)
    same(guesses[0], shares_of(scores(chapter)[5] + SIX / 2))  # with the count


def test_both_turn_and_the_score_stays(chapter):
    figure = chapter.cell["both-turn-the-angle-stays"]
    for ax, (m, n) in zip(figure.axes, ((11, 5), (111, 105)), strict=True):
        check_hands(ax, m, n)
        (below,) = (words for words in reading.texts_in(ax) if "score" in words)
        says(below, m - n, np.degrees((m - n) * OMEGA), pair_score(m - n))
    told = reading.in_alt(chapter, "both-turn-the-angle-stays")
    same(told, [11, 5, 111, 105, 6, pair_score(6)], atol=0.0051)


def test_query_and_key_turn_by_their_places_and_the_score_by_the_offset(chapter):
    panel = chapter.cell["two-hands-turned-by-absolute-places"]
    left, right = panel.live.canvas.figure.axes
    offsets, heights = line_in(right, draw.ROPE).get_data()
    same(heights, [pair_score(k) for k in offsets])
    for said, m, k in settings(panel):
        check_hands(left, m, m - k)
        same(line_in(right, draw.MARK).get_xydata(), [(k, pair_score(k))])
        says(said, m, np.degrees(k * OMEGA), pair_score(k))
    assert right.get_xlabel() == "offset $m - n$"
    says(panel.alt, m, m - k, np.degrees(k * OMEGA), k)


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


def test_on_by_n_and_back_by_m_ends_at_the_same_hand(chapter):
    axes = chapter.cell["on-by-n-and-back-by-m"].axes
    axes += chapter.cell["on-and-back-once-more"].axes  # of the recap
    for ax, (m, n) in zip(axes, ((8, 5), (13, 10), (8, 5)), strict=True):
        arcs = sorted(reading.sweeps(ax), key=lambda arc: arc[2])  # the inner one first
        (start, end, _, head), (turn, back, _, second) = arcs
        same((start, end), (0, OMEGA * n))
        same(tip(turn), tip(end))
        same(back - turn, -OMEGA * m)
        assert head and second
        reading.check_hand(named(ax)["key"], 0)
        reading.check_hand(named(ax)[f"back by {m}"], -3 * OMEGA)


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
    *clocks, ax = panel.live.canvas.figure.axes
    for said, k, base in settings(panel):
        rates = oracle.rates(16, base)  # of the pairs, fast to slow
        angles = k * rates
        for clock, angle in zip(clocks, angles, strict=True):
            reading.check_hand(line_in(clock, dashed=True), 0)  # the key
            reading.check_hand(line_in(clock, draw.INK), angle)
        same(heights(ax), np.cos(angles))
        so_far = np.cos(np.outer(range(k + 1), rates)).min(axis=0)
        says(said, 0.9, k, sum(so_far > 0.9), 8)
    turned = np.degrees(angles) % 360
    says(panel.alt, 12, k, turned[3], 1)
    _, _, g, *_ = reading.numbers(chapter.said["rope-fades-like-the-code"])
    same(g, np.cos(100 * oracle.rates(128)).mean(), atol=6e-4)  # at offset 100


def test_the_least_that_a_pair_adds_is_high_in_the_slow_pairs(chapter):
    (ax,) = chapter.cell["which-pairs-carry-content"].axes
    angles = np.outer(range(301), oracle.rates(16))  # of the pairs, fast to slow
    same(heights(ax), np.cos(angles).min(axis=0))
    assert (np.diff(heights(ax)[4:]) > 0).all() and max(heights(ax)[:4]) < -0.9
    (ax,) = chapter.cell["three-ways-to-share-the-length"].axes
    same(heights(ax), 0)  # it is asked for
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


def test_a_mask_gives_the_start_token_its_share_of_the_tokens_seen(chapter):
    (ax,) = chapter.cell["a-mask-counts"].axes
    same(heights(ax), 1 / np.arange(1, 13))


def test_each_code_has_an_arrow_to_its_door(chapter):
    (ax,) = chapter.cell["who-enters-where"].axes
    led = {tuple(text_at(ax, end) for end in ends) for ends in reading.arrow_ends(ax)}
    codes = {("learned table,\nsines, cosines", "+"), ("RoPE", "query,\nkey")}
    codes |= {("Shaw, T5, ALiBi", "score")}
    row = ["tokens", "+", "query,\nkey", "score", "weights\n× values", "next\nlayer"]
    assert codes | {("value", "weights\n× values"), *zip(row, row[1:])} <= led


def test_one_map_moves_every_place_of_an_image(chapter):
    left, right = chapter.cell["one-map-moves-an-image"].axes
    matrix = reading.matrix(left)
    for name, first, shift in (("row", 0, 2), ("column", 4, 3)):
        assert first < reading.place(left, name)[1] < first + 3  # beside its four rows
        same(matrix[first : first + 2, first : first + 2], block(shift))
    arrows = reading.arrow_ends(right)
    same([np.subtract(end, tail) for tail, end in arrows], [(3, 2)] * 3)
