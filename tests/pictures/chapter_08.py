"""Chapter 8: what its pictures draw, name and say, by formulas of its own.

A hand is (right, up) here, a turn is made of sines and cosines, and every scheme is
written out once more, entry by entry.
"""

import itertools
import json
import math
import re
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import Rectangle, StepPatch
from matplotlib.text import Annotation

from draw import COS, INK, MARK, ROPE, SIN, number
from tests.pictures.reading import alt, beside, cells, look, read_board, replies, sweeps

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "08_relative_schemes.ipynb"
TEXT = "LLM张老师"
QUERY, KEY = np.array([-1.3, 0.7]), np.array([0.4, 1.1])  # (right, up)
OMEGA = 0.4
SIX = np.arange(6)


# ---- what is drawn and said ---------------------------------------------------------
def words_on(ax):
    """The texts in axes: where they stand."""
    texts = [text for text in ax.texts if text.get_text()]
    return {text.get_text(): text.get_position() for text in texts}


def nearest(place, candidates):
    """Of {name: (x, y)} the name that stands nearest to a place."""
    return min(candidates, key=lambda name: math.dist(candidates[name], place))


def by_legend(ax):
    """A legend's names → what they stand for."""
    handles, names = ax.get_legend_handles_labels()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == names
    for drawn, key in zip(handles, ax.get_legend().legend_handles):
        assert hasattr(drawn, "patches") or look(drawn) == look(key)
    return dict(zip(names, handles))


def spans(ax):
    """From where to where grounds are shaded from bottom to top."""
    boxes = [patch.get_bbox() for patch in ax.patches if isinstance(patch, Rectangle)]
    return sorted((box.xmin, box.xmax) for box in boxes if (box.y0, box.y1) == (0, 1))


def arrows(ax):
    """(tail, tip) of each arrow; its head is at the tip."""
    notes = [n for n in ax.texts if isinstance(n, Annotation) and n.arrowprops]
    assert {note.arrowprops["arrowstyle"] for note in notes} <= {"->", "-|>"}
    return [(note.xyann, note.xy) for note in notes]


def check_numbers(ax, values):
    """Every cell of a matrix has its colour, and its number is written in it."""
    assert np.allclose(ax.images[0].get_array(), values, atol=1e-12)
    written = [[float(x.replace("−", "-")) for x in row] for row in cells(ax)]
    assert np.abs(written - np.array(values)).max() < 0.05 + 1e-9


def points(panel):
    """Every setting of an explorer's sliders."""
    grid = panel.grid()
    return [dict(zip(grid, values)) for values in itertools.product(*grid.values())]


# ---- the mathematics, once more -----------------------------------------------------
def turned(pair, angle):
    """A pair (right, up), turned clockwise."""
    (right, up), c, s = pair, np.cos(angle), np.sin(angle)
    return np.array([c * right + s * up, -s * right + c * up])


def pair_score(m, n, omega=OMEGA):
    return turned(QUERY, m * omega) @ turned(KEY, n * omega)


def code(places, d_model=16):
    angle = np.outer(places, 1e4 ** (-np.arange(0, d_model, 2) / d_model))
    waves = np.stack([np.sin(angle), np.cos(angle)], axis=2)
    return waves.reshape(-1, d_model)


def rotation(k, d_model=16, base=1e4):
    R = np.zeros((d_model, d_model))
    for i in range(0, d_model, 2):
        R[i : i + 2, i : i + 2] = turned(np.eye(2), k / base ** (i / d_model))
    return R


def rotated(rows, places):
    return np.array([rotation(p) @ row for row, p in zip(rows, places)])


def bucket(offset):
    """T5: alone up to 7, then two for each doubling; 16 more for keys after."""
    limits = [*range(1, 9), *(8 * 2 ** (i / 2) for i in range(1, 8))]
    return sum(abs(offset) >= limit - 1e-9 for limit in limits) + 16 * (offset < 0)


def scores(c, name, places):
    """The 36 scores of a scheme; c is the chapter, which has the random numbers."""
    Q, K = c.X @ c.W_Q, c.X @ c.W_K
    if name in ("sines and cosines", "learned table"):
        added = code(places) if name[0] == "s" else c.rows[[*places]]
        return (c.X + added) @ c.W_Q @ ((c.X + added) @ c.W_K).T / 4
    if name in ("RoPE", "both", "query alone", "opposite ways"):
        sign = {"query alone": 0, "opposite ways": -1}.get(name, 1)
        return rotated(Q, places) @ rotated(K, [sign * p for p in places]).T / 4
    table = np.array(Q @ K.T / (1 if name == "T5" else 4))
    for (i, m), (j, n) in itertools.product(enumerate(places), repeat=2):
        if name == "Shaw":
            table[i, j] += Q[i] @ c.shaw_vectors[min(max(m - n, -4), 4) + 4] / 4
        if name == "T5":
            table[i, j] += c.t5_numbers[bucket(m - n)]
        if name == "ALiBi":
            table[i, j] -= abs(m - n) / 2
    return table


def change(c, name, start):
    return scores(c, name, SIX + start) - scores(c, name, SIX)


def weights(table):
    """The attention weights of the last of six queries, which sees all keys."""
    e = np.exp(table[5] - table[5].max())
    return e / e.sum()


# ---- the test: the same tokens, 100 places later ------------------------------------
def test_arrows_lead_from_shi_two_places_back_to_zhang(chapter):
    (ax,) = chapter.cell["same-tokens-100-places-later"].axes
    words = [(*text.get_position(), text.get_text()) for text in ax.texts]
    tokens = sorted((-y, x, word) for x, y, word in words if word and word in TEXT)
    assert "".join(word for *_, word in tokens) == TEXT + TEXT  # row below row
    numbers = sorted((-y, x, int(word)) for x, y, word in words if word.isdigit())
    assert [number for *_, number in numbers] == [*SIX, *SIX + 100]
    ways = [(TEXT[tail], TEXT[tip]) for (tail, _), (tip, _) in arrows(ax)]
    assert ways == [("师", "张")] * 2
    assert [word for *_, word in words].count("offset 2") == 2


def check_the_test(chapter, panel, slider, heading):
    """Scores on the left, their change since places 0 to 5 on the right."""
    for point in points(panel):
        sentence, name, start = panel.sentence_at(point), point[slider], point["start"]
        left, right = panel.canvas.figure.axes
        moved = change(chapter, name, start)
        check_numbers(left, scores(chapter, name, SIX + start))
        check_numbers(right, moved)
        assert left.get_title() == f"{heading}: {name}"
        for ax in (left, right):
            assert ax.get_xlabel() == "key, place n"
            words = {text.get_position(): text.get_text() for text in ax.texts}
            for i, token in enumerate(TEXT):
                assert words[i, 5.7] == f"{token}\n{start + i}"
                assert words[-0.7, i] == f"{token} {start + i}"
        count, size = (np.abs(moved) > 1e-9).sum(), np.abs(moved)
        assert f"{name}, places {start} to {start + 5}: ".lower() in sentence.lower()
        most = f"{count} of 36 have changed, by up to {size.max():.2f}"
        assert (most if count else "all 36 are those of start 0") in sentence
        assert ("less than 0.05" in sentence) == (count > 0 and size.min() < 0.05)


def test_added_codes_change_all_scores_and_no_code_none(chapter):
    panel = chapter.cell["added-codes-tested"]
    check_the_test(chapter, panel, "scheme", "scores")
    size = np.abs(change(chapter, "sines and cosines", 100))
    assert 1e-9 < size.min() < 0.05
    words = f"up to {size.max():.1f}, some by less than 0.05"
    assert words in alt(chapter.said["added-codes-tested"])


def test_only_both_turned_keeps_the_scores(chapter):
    panel = chapter.cell["three-ways-to-turn"]
    check_the_test(chapter, panel, "turn", "scores, turned")
    kept = {n: np.allclose(change(chapter, n, 7), 0) for n in panel.grid()["turn"]}
    assert kept == {"both": True, "query alone": False, "opposite ways": False}


# ---- what relative schemes add ------------------------------------------------------
def test_tables_of_offsets_are_the_same_in_both_places(chapter):
    figure = chapter.cell["offsets-stay-when-the-text-moves"]
    for ax, start in zip(figure.axes, (0, 100)):
        for (row, column), cell in ax.tables[0].get_celld().items():
            m, n = row - 1, column  # above them the tokens
            if m < 0:
                told = TEXT[n]
            else:
                told = f"{TEXT[m]} {start + m}" if n < 0 else number(m - n, 0)
            assert cell.get_text().get_text() == told


def test_shaw_adds_the_vector_of_the_offset_as_the_query_reads_it(chapter):
    top, ax = chapter.cell["shaw-adds-a-vector-read-by-the-query"].axes[:2]
    vectors = [chapter.shaw_vectors[min(max(k, -4), 4) + 4] for k in range(-8, 9)]
    assert np.allclose(top.images[0].get_array(), np.transpose(vectors))
    assert top.images[0].get_extent()[:2] == [-8.5, 8.5]
    drawn = by_legend(ax)
    assert set(drawn) == {"query 张", "query 师"}
    for name, line in drawn.items():
        query = chapter.vocabulary[name[-1]] @ chapter.W_Q
        added = [query @ a / 4 for a in vectors]
        assert np.allclose(line.get_data(), [range(-8, 9), added])


def test_t5_adds_a_number_for_each_bucket(chapter):
    (ax,) = chapter.cell["t5-adds-a-number-for-each-bucket"].axes
    (stairs,) = (patch for patch in ax.patches if isinstance(patch, StepPatch))
    heights, edges, _ = stairs.get_data()
    seen = range(-63, 64)
    assert np.allclose(edges, np.arange(-63, 65) - 0.5)
    assert np.allclose(heights, [chapter.t5_numbers[bucket(k)] for k in seen])
    groups = [[*group] for _, group in itertools.groupby(seen, bucket)]
    stripes = [(group[0] - 0.5, group[-1] + 0.5) for group in groups]
    assert np.allclose(spans(ax), stripes[::2])  # every other one is shaded
    alone = [group[0] for group in groups if len(group) == 1]
    assert alone == [*range(-7, 8)] and "to ±7: a number for each" in ax.get_title()


def test_alibi_adds_a_line_that_falls_to_both_sides(chapter):
    (ax,) = chapter.cell["alibi-adds-a-straight-line"].axes
    ends = {line: line.get_xydata()[-1] for line in ax.lines}
    words = [(name, at) for name, at in words_on(ax).items() if "slope" in name]
    assert {nearest(at, ends) for _, at in words} == {*ends} and len(words) == 5
    for name, at in words:
        head, part = map(int, re.fullmatch(r"head (\d): slope 1/(\d+)", name).groups())
        k, added = nearest(at, ends).get_data()
        assert part == 2**head and np.allclose(added, -abs(k) / part)
    assert spans(ax) == [(-8, -0.5)]  # offsets below 0: the key stands after the query
    assert words_on(ax)["keys after\nthe query:\nmasked"][0] < 0


def test_a_count_gives_the_weights_of_alibi(chapter):
    panel = chapter.cell["count-and-alibi-side-by-side"]
    left, right = panel.canvas.figure.axes
    plain = scores(chapter, "no code", SIX)
    for point in points(panel):
        sentence, start, slope = panel.sentence_at(point), *point.values()
        drawn, shares = by_legend(left), by_legend(right)
        count, line = drawn["count: slope · n"], drawn["ALiBi: −slope · (m − n)"]
        wanted = weights(plain - slope * (5 - SIX))
        assert np.allclose(count.get_data(), [SIX, slope * (start + SIX)])
        assert np.allclose(line.get_data(), [SIX, slope * (SIX - 5)])
        assert np.allclose([bar.get_height() for bar in shares["with ALiBi"]], wanted)
        assert np.allclose(shares["with the count"].get_data(), [SIX, wanted])
        for ax in (left, right):
            words = {round(x): name for name, (x, _) in words_on(ax).items()}
            assert words == {i: f"{TEXT[i]}\n{start + i}" for i in range(6)}
        more = f"{slope * (start + 5):.2f}"
        assert left.get_title().endswith(f"more in every score: {more}")
        told = f"{more} more … {wanted[5]:.0%} of … itself, {wanted[0]:.0%} to the"
        assert re.search(told.replace("…", ".*"), sentence)
    start, slope = panel.start.values()
    told = alt(chapter.said["count-and-alibi-side-by-side"])
    assert f"from {start * slope:g} to {(start + 5) * slope:g}," in told
    assert f"from −{5 * slope} to 0." in told


# ---- RoPE: two hands ----------------------------------------------------------------
def check_hands(ax, m, n, omega=OMEGA, with_places=True):
    """Query and key stand at their places, each by its name; the arc between them."""
    tips = {"query": turned(QUERY, m * omega), "key": turned(KEY, n * omega)}
    side = {hand: tip / np.hypot(*tip) for hand, tip in tips.items()}
    ways = {len(line.get_xdata()): line.get_xydata() for line in ax.lines}
    hands = [line for line in ax.lines if len(line.get_xdata()) == 2]
    ends = {line.get_linestyle(): line.get_xydata() for line in hands}
    assert np.allclose(ends["-"], [(0, 0), tips["query"]])
    assert np.allclose(ends["--"], [(0, 0), tips["key"]])
    assert np.allclose(ways[3], [QUERY, (0, 0), KEY])  # dotted: before turning
    ((start, end, radius, heads),) = sweeps(ax)  # from the key to the query
    for angle, hand in ((start, "key"), (end, "query")):
        assert np.allclose([math.sin(angle), math.cos(angle)], side[hand])
    assert heads == (abs(end - start) > 1e-9) and math.isclose(radius, 0.75)
    names = {name.split("\n")[0]: (name, at) for name, at in words_on(ax).items()}
    for word, place in (("query", m), ("key", n)):
        name, at = names[word]
        assert name == (f"{word}\nat {place}" if with_places else word)
        assert math.dist(at, tips[word]) < 0.9
        if side["query"] @ side["key"] < math.cos(0.2):  # else they lie together
            assert nearest(at / np.hypot(*at), side) == word


def test_title_and_first_picture_turn_query_and_key_by_their_places(chapter):
    axes = chapter.cell["both-turn-the-angle-stays"].axes
    axes += chapter.cell["query-and-key-turned-by-their-places"].axes
    for ax, (m, n) in zip(axes, ((11, 5), (111, 105), (0, 0), (3, 1)), strict=True):
        check_hands(ax, m, n, with_places=m > 0)
        assert f"score {number(pair_score(m, n))}" in words_on(ax)
        assert ax.get_title() == f"offset {m - n}" or m < 5
    score = f"score, {number(pair_score(6, 0))}, are the same"
    assert score in alt(chapter.said["both-turn-the-angle-stays"])


def test_the_score_is_a_wave_of_the_offset_at_every_setting(chapter):
    panel = chapter.cell["two-hands-turned-by-absolute-places"]
    assert {-3, 0, 3} <= {*panel.grid()["offset"]}  # after, and before
    left, right = panel.canvas.figure.axes
    for point in points(panel):
        sentence, m, offset, omega = panel.sentence_at(point), *point.values()
        check_hands(left, m, m - offset, omega)
        height = pair_score(m, m - offset, omega)
        k, wave = max((line.get_data() for line in right.lines), key=np.size)
        (dot,) = (line for line in right.lines if line.get_marker() == "o")
        assert np.allclose(wave[::20], [pair_score(o, 0, omega) for o in k[::20]])
        assert np.allclose(dot.get_xydata(), [(offset, height)])
        assert sentence == (
            f"Offset {number(offset, 0)}: query at place {m},"
            f" key at place {m - offset}, score {number(height)}."
        )
    m, offset, _ = panel.start.values()
    told = f"turned by {m} steps, the key by {m - offset},"
    assert told in alt(chapter.said["two-hands-turned-by-absolute-places"])


def check_curves(ax, wanted):
    """Each name stands at the line of its colour, which has these heights."""
    found = dict(beside(ax))
    for name, (height, colour) in wanted.items():
        k, drawn = found[name].get_data()
        assert found[name].get_color() == colour
        assert np.allclose(drawn[::16], [height(offset) for offset in k[::16]])


def test_the_score_has_an_even_and_an_odd_part(chapter):
    cell = "even-and-odd-part-of-the-score"
    (ax,) = chapter.cell[cell].axes
    even, odd = QUERY @ KEY, QUERY[1] * KEY[0] - QUERY[0] * KEY[1]
    wanted = {
        "even: α cos": (lambda k: even * np.cos(OMEGA * k), COS),
        "odd: β sin": (lambda k: odd * np.sin(OMEGA * k), SIN),
        "score": (lambda k: pair_score(k, 0), INK),
    }
    check_curves(ax, wanted)
    before_wins = [pair_score(k, 0) > pair_score(-k, 0) for k in range(1, 12)]
    last = before_wins.index(False)  # and from there on the key after wins
    assert not any(before_wins[last:]) and abs(even) < abs(odd)
    assert f"up to {last} tokens the key before wins" in ax.get_title()
    told = alt(chapter.said[cell])
    assert f"Up to {last} tokens" in told
    assert "small even wave" in told and "large odd wave" in told
    after, (begin, end) = spans(ax)
    assert np.isclose(pair_score(begin, 0), pair_score(-begin, 0))
    assert last < begin < last + 1 and np.allclose(after, (-end, -begin))


def test_a_wrong_sign_exchanges_before_and_after(chapter):
    (ax,) = chapter.cell["a-wrong-sign-exchanges-before-and-after"].axes
    wanted = {
        "q k* with m − n": (lambda k: pair_score(k, 0), INK),
        "q k* with n − m": (lambda k: pair_score(-k, 0), MARK),
    }
    check_curves(ax, wanted)
    for sign, ink in ((1, INK), (-1, MARK)):
        at = 3, pair_score(3 * sign, 0)
        dots = [line for line in ax.lines if line.get_marker() == "o"]
        (dot,) = (dot for dot in dots if dot.get_color() == ink)
        assert np.allclose(dot.get_xydata(), [at])
        assert math.dist(words_on(ax)[f"3 before: {number(at[1])}"], at) < 0.8
    assert chapter.law(3) > 1 > -1 > pair_score(-3, 0)


def test_the_pair_of_chapter_5_has_the_score_of_its_sources(chapter):
    """omega = 0.37 and the key 3 places further on; the wrong sign gives 1.64281."""
    assert np.isclose(chapter.law(-3, 0.37), -1.420479373)
    assert np.isclose(chapter.law(3, 0.37), 1.64281, atol=5e-6)
    assert np.isclose(pair_score(50, 53, 0.37), -1.420479373)


def test_factors_differ_and_their_product_stays(chapter):
    figure = chapter.cell["factors-differ-product-stays"]
    for line, (m, n) in zip(np.reshape(figure.axes, (2, 3)), ((8, 5), (108, 105))):
        for ax, place, back in zip(line, (m, n, m - n), (True, False, True)):
            R = rotation(place, 4, 16)
            check_numbers(ax, R.T if back else R)
            mark = r"^\top" if back else ""
            assert ax.get_title() == rf"$R_{{{place}}}{mark}$"


# ---- far away, no code, the board ---------------------------------------------------
def test_rope_stays_within_its_band_and_alibi_leaves_it(chapter):
    cell = "rope-turns-alibi-counts"
    (ax,) = chapter.cell[cell].axes
    query, key = chapter.X[5] @ chapter.W_Q, chapter.X[4] @ chapter.W_K
    bound, lines = math.hypot(*query) * math.hypot(*key) / 4, dict(beside(ax))
    away, swing = lines["RoPE"].get_data()
    assert away.tolist() == [*range(1, 1501)] and np.abs(swing).max() <= bound
    assert lines["RoPE"].get_color() == ROPE
    for distance in (1, 2, 60, 1500):
        score = rotation(distance) @ query @ key / 4
        assert np.isclose(swing[distance - 1], score)
    assert np.abs(swing[1000:]).max() > np.abs(swing[:10]).max()  # it does not fade
    for part, about in ((16, 60), (256, 900)):
        fall = lines[f"ALiBi, slope 1/{part}"].get_ydata()
        assert np.allclose(fall, query @ key / 4 - away / part)
        assert abs(away[fall < -bound][0] / about - 1) < 0.1
        assert f"at about {about} and" in alt(chapter.said[cell])
    (band,) = (patch for patch in ax.patches if isinstance(patch, Rectangle))
    assert np.allclose((band.get_y(), band.get_height()), (-bound, 2 * bound))


def test_a_mask_counts(chapter):
    (ax,) = chapter.cell["a-mask-counts"].axes
    assert len(ax.patches) == len(ax.texts) == 12
    for place, (bar, words) in enumerate(zip(ax.patches, ax.texts)):
        assert np.isclose(bar.get_height(), 1 / (place + 1))
        assert bar.get_x() + bar.get_width() / 2 == place == words.xy[0]
        assert words.get_text() == f"1/{place + 1}"
    assert [name.get_text() for name in ax.get_xticklabels()] == [*map(str, range(12))]


def test_one_causal_layer_does_not_tell_order_and_two_do(chapter):
    layers = np.random.default_rng(seed=13).normal(size=(2, 3, 16, 16)) / 4

    def last(X, depth):
        for A, B, C in layers[:depth]:
            e = np.exp(X @ A @ (X @ B).T / 4) * np.tri(6)
            X = X + e / e.sum(axis=1, keepdims=True) @ X @ C
        return X[-1]

    swapped = chapter.X[[0, 1, 3, 2, 4, 5]]
    one, two = (np.abs(last(chapter.X, n) - last(swapped, n)).max() for n in (1, 2))
    assert one < 1e-12 and two > 0.1


def test_each_code_has_an_arrow_to_its_door(chapter):
    (ax,) = chapter.cell["who-enters-where"].axes
    boxes = {name: at for name, at in words_on(ax).items() if name != "each layer"}

    def box_at(end):
        """The box in which an end stands: it is as high as its words, and as wide."""
        renderer = FigureCanvasAgg(ax.figure).get_renderer()
        place = ax.transData.transform(end)
        for text in ax.texts:
            if text.get_text() in boxes and not isinstance(text, Annotation):
                box = text.get_bbox_patch().get_window_extent(renderer)
                if box.contains(*place):
                    return text.get_text().replace("\n", " ")

    assert {tuple(map(box_at, ends)) for ends in arrows(ax)} >= {
        ("learned table, sines and cosines", "+"),
        ("Shaw, T5, ALiBi", "score"),
        ("RoPE", "query, key"),
    }


def test_the_board_asks_what_its_columns_say(chapter):
    def scheme(of_offset):
        return lambda pos, X=None: of_offset(np.subtract.outer(pos, pos).astype(float))

    def merges_from(far):
        return scheme(lambda offset: np.minimum(np.abs(offset), far))

    assert chapter.keeps_apart(merges_from(120))
    assert not chapter.keeps_apart(merges_from(119))
    assert not chapter.keeps_apart(lambda pos, X: np.outer(pos, pos) / 1.0)
    assert chapter.knows_direction(scheme(np.sign))
    assert not chapter.knows_direction(scheme(np.abs))
    assert chapter.stays(scheme(np.sin))
    assert not chapter.stays(lambda pos: pos[:, None] * pos * 1e-6)
    assert chapter.far_away(scheme(lambda offset: -np.abs(offset))) == "falls"
    assert chapter.far_away(scheme(np.sin)) == "bounded"
    assert chapter.goes_on(scheme(np.sin))
    assert not chapter.goes_on(lambda pos: np.zeros(128)[pos])


PASSES = {  # same if moved, before ≠ after, far ones apart, beyond a table
    "no code, no mask": ("✓✗✗✓", "bounded", 0),
    "learned table": ("✗✗✗✗", "bounded", 128 * 16),
    "sines and cosines": ("✗✗✗✓", "bounded", 0),
    "Shaw": ("✓✓✗✓", "bounded", 9 * 16),
    "T5": ("✓✓✗✓", "bounded", 32),
    "ALiBi": ("✓✗✓✓", "falls", 0),
    "RoPE": ("✓✓✓✓", "bounded", 0),
}


def test_the_board_has_a_cross_where_a_wish_fails(chapter):
    (ax,) = chapter.cell["scoreboard-of-schemes"].axes
    wishes = "same if moved", "before ≠ after", "far ones apart", "beyond a table"
    drawn = {
        name: (
            "".join("✓" if row[wish] else "✗" for wish in wishes),
            row["far away"][1],
            int(row["numbers learned"][1]),
        )
        for name, row in read_board(ax).items()
    }
    assert drawn == PASSES
    for name, (marks, _, numbers) in PASSES.items():
        here, table = chapter.SCHEMES[name](SIX), scores(chapter, name, SIX)
        assert np.allclose(here, table)
        assert np.allclose(change(chapter, name, 7), 0) == (marks[0] == "✓")
        told = alt(chapter.said["scoreboard-of-schemes"])
        assert f"{name} {numbers}" in told or not numbers


# ---- going further ------------------------------------------------------------------
def test_buckets_grow_with_the_distance(chapter):
    (ax,) = chapter.cell["buckets-grow-with-the-distance"].axes
    (line,) = ax.lines
    distances = [*range(129)]
    assert np.allclose(line.get_data(), [distances, [*map(bucket, distances)]])
    assert spans(ax) == [(-0.5, 7.5)]  # one bucket each


def test_one_map_moves_every_place_of_an_image(chapter):
    left, right = chapter.cell["one-map-moves-an-image"].axes
    step = np.zeros((8, 8))
    step[:4, :4], step[4:, 4:] = rotation(2, 4, 16), rotation(3, 4, 16)
    check_numbers(left, step)
    names = words_on(left)
    assert names["row"][1] == 1.5 and names["column"][1] == 5.5  # at their blocks
    assert len(arrows(right)) == 3 and right.get_ylim() == (5.6, -0.6)  # from the top
    for (x, y), tip in arrows(right):
        assert (tip[0] - x, tip[1] - y) == (3, 2)


# ---- questions and exercises --------------------------------------------------------
def test_the_right_answers_to_the_questions(chapter):
    added = [change(chapter, n, 100) for n in ("sines and cosines", "learned table")]
    assert np.abs(added).min() > 1e-9
    counted = scores(chapter, "no code", SIX) + 0.5 * SIX
    assert np.allclose(weights(counted), weights(scores(chapter, "ALiBi", SIX)))
    assert np.allclose(change(chapter, "RoPE", 100), 0)
    # for the others see the pictures: RoPE in its band, a mask counts
    for cell, right in (
        ("which-added-code-keeps-scores", "Neither."),
        ("how-do-counted-weights-differ", "Not at all."),
        ("what-do-eight-pairs-do", "stays."),
        ("what-does-the-score-do-far-away", "It wanders within bounds."),
        ("can-a-mask-count", "Yes: by looking at all alike."),
    ):
        offered = replies(chapter.said[cell]).items()
        assert [answer for answer, (is_right, _) in offered if is_right] == [right]


def tried(chapter, answer, check_source):
    """Which claims of a check an answer fulfils: {claim: whether}."""
    names, verdicts = dict(vars(chapter)), {}

    def listen(answer, claims, hint):
        for claim, holds in claims.items():
            try:
                verdicts[claim] = bool(holds(answer))
            except Exception:
                verdicts[claim] = False

    exec(answer, names)
    names["check"] = listen
    exec(check_source, names)
    return verdicts


def test_each_claim_of_an_exercise_is_refused_alone(chapter):
    found = {cell["id"]: cell for cell in json.loads(NOTEBOOK.read_text())["cells"]}
    exercises = [name for name in found if name.endswith("-answer")]
    assert len(exercises) == 4
    for name in exercises:
        source = "".join(found[name.replace("-answer", "-check")]["source"])
        alone = set()
        for answer in found[name]["metadata"]["wrong"]:
            verdicts = tried(chapter, answer, source)
            failed = [claim for claim, holds in verdicts.items() if not holds]
            alone |= {*failed} if len(failed) == 1 else set()
        assert alone == {*verdicts}, f"{name}: no wrong answer fails at one alone"
