"""Chapter 8: relative schemes, each written out once more, entry by entry."""

from itertools import groupby, product
from math import dist, hypot, isclose, pi

import numpy as np

from draw import INK, MARK, number
from tests.pictures import reading
from tests.pictures.reading import alt, block, code, named, runs, texts_of, tip

TEXT, SIX = "LLM张老师", np.arange(6)
QUERY, KEY, OMEGA = np.array([-1.3, 0.7]), np.array([0.4, 1.1]), 0.4


def pair_score(m, n, omega=OMEGA):
    return (block(m * omega) @ QUERY) @ (block(n * omega) @ KEY)


def turned(row, place, base=10_000):
    """A row with each of its pairs turned."""
    pairs = np.reshape(row, (-1, 2))
    rates = base ** (-np.arange(len(pairs)) / len(pairs))
    return np.concatenate([block(place * r) @ pair for r, pair in zip(rates, pairs)])


def rotation(k):
    return np.transpose([turned(row, k, base=16) for row in np.eye(4)])


def bucket(offset):
    """T5: alone up to 7, then two for each doubling; 16 more for keys after."""
    limits = [*range(1, 9), *(8 * 2 ** (i / 2) for i in range(1, 8))]
    return sum(abs(offset) >= limit - 1e-9 for limit in limits) + 16 * (offset < 0)


def added(chapter, name, query, offset):
    """What a scheme adds to a score."""
    vector = chapter.shaw_vectors[min(max(offset, -4), 4) + 4]
    own = chapter.t5_numbers[bucket(offset)]
    bias = {"Shaw": query @ vector / 4, "T5": own, "ALiBi": -abs(offset) / 2}
    return bias.get(name, 0)


def scores(chapter, name, start=0):
    """The 36 scores of a scheme, the first token at the place `start`."""
    places = SIX + start
    codes = {"learned table": chapter.rows[places]}
    codes["sines and cosines"] = [code(n, 16) for n in places]
    X = chapter.X + codes.get(name, 0)
    Q, K = X @ chapter.W_Q, X @ chapter.W_K
    if name in ("RoPE", "both", "query alone", "opposite ways"):
        way = {"query alone": 0, "opposite ways": -1}.get(name, 1)
        Q = np.array([turned(q, m) for q, m in zip(Q, places)])
        K = np.array([turned(k, n * way) for k, n in zip(K, places)])
    bias = [[added(chapter, name, q, m - n) for n in SIX] for m, q in enumerate(Q)]
    return Q @ K.T / (1 if name == "T5" else 4) + bias


def settings(panel):
    """What an explorer says at every setting of its sliders; then it is drawn."""
    for values in product(*panel.grid().values()):
        yield panel.sentence_at(dict(zip(panel.grid(), values))), *values


def labels(ax):
    """What stands below axes, from the left, and beside them, from the top."""
    words = [(*x.get_position(), x.get_text().replace("\n", " ")) for x in ax.texts]
    below = [word for x, y, word in sorted(words) if y < 0 or 5.5 < y < 6]
    words.sort(key=lambda word: word[1])
    return below, [word for x, y, word in words if -2 < x < 0]


def tokens(start):
    return [f"{token} {start + at}" for at, token in enumerate(TEXT)]


def ways(ax):
    """(tail, tip) of each arrow; its head is at the tip."""
    assert all(x.arrowprops["arrowstyle"] in ("->", "-|>") for x in reading.arrows(ax))
    return [(x.xyann, x.xy) for x in reading.arrows(ax)]


def test_arrows_lead_from_shi_two_places_back_to_zhang(chapter):
    axes = chapter.cell["same-tokens-100-places-later"].axes
    for ax, start in zip(axes, (0, 100), strict=True):
        at = {word: text.get_position()[0] for word, text in texts_of(ax).items()}
        (((tail, _), (end, _)),) = ways(ax)
        assert (tail, end) == (at["师"], at["张"]) and "offset 2" in at
        assert labels(ax)[0] == [f"{start + i}" for i in SIX]


def test_no_added_code_and_only_both_turned_keep_the_scores(chapter):
    panels = chapter.cell["added-codes-tested"], chapter.cell["three-ways-to-turn"]
    for panel, heading in zip(panels, ("scores", "scores, turned")):
        left, right = panel.canvas.figure.axes
        for said, name, start in settings(panel):
            here = scores(chapter, name, start)
            moved = here - scores(chapter, name)
            assert np.allclose(left.images[0].get_array(), here)
            assert np.allclose(right.images[0].get_array(), moved)
            assert left.get_title() == f"{heading}: {name}"
            assert labels(left) == labels(right) == (tokens(start), tokens(start))
            count, most = (np.abs(moved) > 1e-9).sum(), np.abs(moved).max()
            told = f"{count} of 36 have changed, by up to {most:.2f}."
            told = told if count else "all 36 are those of start 0."
            assert said.endswith(f": {name}, places {start} to {start + 5}: {told}")
        assert texts_of(left)["query, place m"].get_rotation() == 90
    assert "have, by up to 2.7, some by less than 0.05." in panels[0].alt
    assert "both turned" in panels[1].alt and "every number is 0" in panels[1].alt
    assert reading.right_answer(chapter, "which-added-code-keeps-scores") == "Neither."


def test_tables_of_offsets_are_the_same_in_both_places(chapter):
    axes = chapter.cell["offsets-stay-when-the-text-moves"].axes
    for ax, start in zip(axes, (0, 100), strict=True):
        told = {at: x.get_text() for at, x in ax.tables[0].get_celld().items()}
        for m, n in product(SIX, SIX):  # above them the tokens
            assert told[m + 1, n].get_text() == number(m - n, 0)
            assert told[m + 1, -1].get_text() == tokens(start)[m]


def test_shaw_adds_the_vector_of_the_offset_as_the_query_reads_it(chapter):
    top, ax = chapter.cell["shaw-adds-a-vector-read-by-the-query"].axes[:2]
    vectors = [chapter.shaw_vectors[min(max(k, -4), 4) + 4] for k in range(-8, 9)]
    assert np.allclose(top.images[0].get_array(), np.transpose(vectors))
    assert top.images[0].get_extent()[:2] == [-8.5, 8.5]
    for token in "张师":
        query = chapter.vocabulary[token] @ chapter.W_Q
        wanted = [added(chapter, "Shaw", query, k) for k in range(-8, 9)]
        assert np.allclose(named(ax)[f"query {token}"].get_ydata(), wanted)


def test_t5_adds_a_number_for_each_bucket(chapter):
    (ax,) = chapter.cell["t5-adds-a-number-for-each-bucket"].axes
    curve, stripes = (x.get_data() for x in ax.patches)
    groups = [[*group] for _, group in groupby(range(-63, 64), bucket)]
    shaded = [(at + 1) % 2 for at, group in enumerate(groups) for _ in group]
    assert np.allclose(stripes.values, shaded)  # every other bucket
    assert np.allclose([curve.edges, stripes.edges], np.arange(-63, 65) - 0.5)
    assert np.allclose(curve.values, chapter.t5_numbers[[*map(bucket, range(-63, 64))]])
    alone = [group[0] for group in groups if len(group) == 1]
    assert alone == [*range(-7, 8)] and "to ±7: a number for each" in ax.get_title()


def test_alibi_adds_a_line_that_falls_to_both_sides(chapter):
    (ax,) = chapter.cell["alibi-adds-a-straight-line"].axes
    for head in (1, 2, 3, 4, 8):
        k, height = named(ax)[f"head {head}: slope 1/{2**head}"].get_data()
        assert np.allclose(height, -abs(k) / 2**head)
    (mask,) = ax.patches  # offsets below 0: the key stands after the query
    assert (mask.get_x(), mask.get_width()) == (-8, 7.5)
    assert texts_of(ax)["keys after\nthe query:\nmasked"].get_position()[0] < 0


def test_a_count_gives_the_weights_of_alibi(chapter):
    panel = chapter.cell["count-and-alibi-side-by-side"]
    left, right = panel.canvas.figure.axes
    (bars,), (squares,) = right.containers, right.lines
    assert (bars.get_label(), squares.get_label()) == ("with ALiBi", "with the count")
    for said, start, slope in settings(panel):
        n, line = start + SIX, slope * (SIX - 5)
        powers = np.exp(scores(chapter, "no code")[5] + line)
        weights, more = powers / powers.sum(), f"{slope * n[5]:.2f}"
        lines = named(left)
        assert np.allclose(lines["count: slope · n"].get_data(), [SIX, slope * n])
        assert np.allclose(lines["ALiBi: −slope · (m − n)"].get_data(), [SIX, line])
        assert np.allclose([bar.get_height() for bar in bars], weights)
        assert np.allclose(squares.get_data(), [SIX, weights])
        assert [x.get_text() for x in right.get_xticklabels()] == [*TEXT]
        assert left.get_title() == f"a constant more in every score: {more}"
        shares = f"{weights[5]:.0%} of its attention to itself, {weights[0]:.0%} to the"
        assert f"adds {more} more than" in said and f"shī gives {shares}" in said
    assert panel.start == {"start": 10, "slope": 0.5}
    assert "count, from 5 to 7.5, and ALiBi's line, from −2.5 to 0." in panel.alt
    assert "Not" in reading.right_answer(chapter, "how-do-counted-weights-differ")


def check_hands(ax, m, n, omega=OMEGA, where="\nat {}"):
    """Query and key stand at their places, each by its name; the arc between them."""
    query, key = block(m * omega) @ QUERY, block(n * omega) @ KEY
    hands = [line for line in ax.lines if len(line.get_xdata()) == 2]
    thin, thick = sorted(hands, key=lambda line: line.get_linewidth())
    assert runs(thick, (0, 0), query) and runs(thin, (0, 0), key)
    (made,) = (line for line in ax.lines if line.get_linestyle() == ":")
    assert np.allclose(made.get_xydata(), [QUERY, (0, 0), KEY])
    ((start, end, _, heads),) = reading.sweeps(ax)  # from the key to the query
    assert heads and np.allclose(tip(start, hypot(*key)), key)
    assert np.allclose(tip(end, hypot(*query)), query)
    for name, place, own, other in (("query", m, query, key), ("key", n, key, query)):
        at = texts_of(ax)[name + where.format(place)].get_position()
        assert dist(at, own) < 0.9
        assert at @ own / hypot(*own) > at @ other / hypot(*other)


def test_title_and_first_picture_turn_query_and_key_by_their_places(chapter):
    title = chapter.cell["both-turn-the-angle-stays"].axes
    first = chapter.cell["query-and-key-turned-by-their-places"].axes
    for ax, (m, n) in zip([*title, *first], ((11, 5), (111, 105), (0, 0), (3, 1))):
        check_hands(ax, m, n, where="\nat {}" if m else "")
        assert f"score {number(pair_score(m, n))}" in texts_of(ax)
    assert [ax.get_title() for ax in title] == ["offset 6"] * 2
    score = f"score, {number(pair_score(6, 0))}, are the same"
    assert score in alt(chapter.said["both-turn-the-angle-stays"])


def test_the_score_is_a_wave_of_the_offset_at_every_setting(chapter):
    panel = chapter.cell["two-hands-turned-by-absolute-places"]
    left, right = panel.canvas.figure.axes
    _, wave, dot = right.lines
    for said, m, offset, omega in settings(panel):
        check_hands(left, m, m - offset, omega)
        heights = [pair_score(k, 0, omega) for k in wave.get_xdata()]
        assert np.allclose(wave.get_ydata(), heights)
        score = pair_score(m, m - offset, omega)
        assert np.allclose(dot.get_xydata(), [(offset, score)])
        told = f"query at place {m}, key at place {m - offset}, score {number(score)}."
        assert said == f"Offset {number(offset, 0)}: {told}"
    assert panel.start == {"m": 8, "offset": 1, "omega": OMEGA}
    assert "query turned by 8 steps, the key by 7," in panel.alt
    assert reading.right_answer(chapter, "what-do-eight-pairs-do") == "stays."


def test_the_score_has_an_even_and_an_odd_part(chapter):
    cell = "even-and-odd-part-of-the-score"
    (ax,) = chapter.cell[cell].axes
    even, odd = QUERY @ KEY, QUERY[1] * KEY[0] - QUERY[0] * KEY[1]
    lines = named(ax)
    k, score = lines["score"].get_data()
    assert np.allclose(score, [pair_score(offset, 0) for offset in k])
    assert np.allclose(lines["even: α cos"].get_ydata(), even * np.cos(OMEGA * k))
    assert np.allclose(lines["odd: β sin"].get_ydata(), odd * np.sin(OMEGA * k))
    before_wins = [pair_score(k, 0) > pair_score(-k, 0) for k in range(1, 13)]
    assert before_wins == [True] * 7 + [False] * 5 and abs(even) < abs(odd)
    assert "up to 7 tokens the key before wins" in ax.get_title()
    assert "large odd wave. Up to 7 tokens the" in alt(chapter.said[cell])
    left, right = (patch.get_bbox() for patch in ax.patches)  # half a wavelength away
    assert isclose(left.x1, -pi / OMEGA) and isclose(right.x0, pi / OMEGA)


def test_a_wrong_sign_exchanges_before_and_after(chapter):
    (ax,) = chapter.cell["a-wrong-sign-exchanges-before-and-after"].axes
    for name, sign, ink in (("m − n", 1, INK), ("n − m", -1, MARK)):
        line, height = named(ax)[f"q k* with {name}"], pair_score(3 * sign, 0)
        wanted = [pair_score(sign * k, 0) for k in line.get_xdata()]
        assert np.allclose(line.get_ydata(), wanted)
        (dot,) = (x for x in ax.lines if x.get_marker() == "o" and x.get_color() == ink)
        words = texts_of(ax)[f"3 before: {number(height)}"]
        assert line.get_color() == words.get_color() == ink
        assert np.allclose(dot.get_xydata(), [(3, height)])


def test_factors_differ_and_their_product_stays(chapter):
    axes = chapter.cell["factors-differ-product-stays"].axes
    for ax, place in zip(axes, (-8, 5, -3, -108, 105, -3), strict=True):
        assert np.allclose(ax.images[0].get_array(), rotation(place))
        mark = r"^\top" if place < 0 else ""  # it turns back
        assert ax.get_title() == rf"$R_{{{abs(place)}}}{mark}$"


def test_rope_stays_within_its_band_and_alibi_leaves_it(chapter):
    cell = "rope-turns-alibi-counts"
    (ax,) = chapter.cell[cell].axes
    query, key = chapter.X[5] @ chapter.W_Q, chapter.X[4] @ chapter.W_K
    bound, lines = hypot(*query) * hypot(*key) / 4, named(ax)
    away, swing = lines["RoPE"].get_data()
    assert np.allclose(swing, [turned(query, n) @ key / 4 for n in away])
    assert np.abs(swing[1000:]).max() > np.abs(swing[:10]).max()  # it does not fade
    for part, about in ((16, 60), (256, 900)):
        fall = np.array(lines[f"ALiBi, slope 1/{part}"].get_ydata())
        assert np.allclose(fall, query @ key / 4 - away / part)
        assert isclose(away[fall < -bound][0], about, rel_tol=0.1)
        assert f"at about {about} and" in alt(chapter.said[cell])
    (band,) = ax.patches
    assert np.allclose([band.get_y(), band.get_height()], [-bound, 2 * bound])
    assert "wanders" in reading.right_answer(chapter, "what-does-the-score-do-far-away")


def test_a_mask_gives_the_start_token_its_share_of_the_tokens_seen(chapter):
    (ax,) = chapter.cell["a-mask-counts"].axes
    assert np.allclose([bar.get_height() for bar in ax.patches], 1 / np.arange(1, 13))
    assert [x.get_text() for x in ax.texts] == [f"1/{n}" for n in range(1, 13)]
    assert [x.get_text() for x in ax.get_xticklabels()] == [f"{at}" for at in range(12)]
    assert reading.right_answer(chapter, "can-a-mask-count")[:4] == "Yes:"


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


BOARD = {  # same if moved, before ≠ after, far ones apart, beyond a table
    "no code, no mask": "✓✗✗✓ bounded 0",
    "learned table": "✗✗✗✗ bounded 2048",
    "sines and cosines": "✗✗✗✓ bounded 0",
    "Shaw": "✓✓✗✓ bounded 144",
    "T5": "✓✓✗✓ bounded 32",
    "ALiBi": "✓✗✓✓ falls 0",
    "RoPE": "✓✓✓✓ bounded 0",
}


def test_the_board_has_a_cross_where_a_wish_fails(chapter):
    (ax,) = chapter.cell["scoreboard-of-schemes"].axes
    for name, row in reading.read_board(ax).items():
        *wishes, (_, far_away), (_, learned) = row.values()
        marks = "".join("✗✓"[wish] for wish in wishes)
        assert f"{marks} {far_away} {learned}" == BOARD[name]
        assert np.allclose(chapter.SCHEMES[name](SIX), scores(chapter, name))
        stays = np.allclose(scores(chapter, name, 7), scores(chapter, name))
        assert stays == (marks[0] == "✓")
    assert "2048, Shaw 144, T5 32, the" in alt(chapter.said["scoreboard-of-schemes"])


def test_one_map_moves_every_place_of_an_image(chapter):
    left, right = chapter.cell["one-map-moves-an-image"].axes
    blocks = left.images[0].get_array()
    assert np.allclose([blocks[:4, :4], blocks[4:, 4:]], [rotation(2), rotation(3)])
    heights = [texts_of(left)[name].get_position()[1] for name in ("row", "column")]
    assert heights == [1.5, 5.5] and right.yaxis_inverted()
    assert all(np.subtract(end, tail).tolist() == [3, 2] for tail, end in ways(right))
