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
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Rectangle, StepPatch
from matplotlib.text import Annotation

from tests.pictures.reading import alt, cells, replies

INK, MARK, SIN, COS = "#222222", "#AA3377", "#004488", "#D55E00"

TEXT = "LLM张老师"
QUERY, KEY = np.array([-1.3, 0.7]), np.array([0.4, 1.1])  # (right, up)
OMEGA = 0.4


# ---- what is said -------------------------------------------------------------------
def alt_tells(chapter, cell_id, facts):
    """Whether the alt text has these words, in this order; … stands for any others."""
    rest = alt(chapter.said[cell_id])
    for fact in " ".join(facts.split()).split(" … "):
        before, found, rest = rest.partition(fact)
        assert found, f"{cell_id}: no “{fact}” in “{before}”"


def said(number, digits=2):
    text = f"{number:.{digits}f}"
    return text.replace("-", "−") if float(text) else text.lstrip("-")


def value(words):
    return float(words.replace("−", "-"))


# ---- what is drawn ------------------------------------------------------------------
def check_axes(ax, title="", x="", y=""):
    """The words round a picture; and each tick is named by its number."""
    assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) == (title, x, y)
    for axis in (ax.xaxis, ax.yaxis):
        labels = [label.get_text() for label in axis.get_ticklabels()]
        assert not any("-" in label for label in labels)
        if any(labels):
            assert np.allclose([*map(value, labels)], axis.get_ticklocs())
    (left, right), (low, high) = sorted(ax.get_xlim()), sorted(ax.get_ylim())
    for line in (line for line in ax.lines if len(line.get_xdata()) > 2):
        x, y = line.get_data()
        assert left <= np.max(x) and np.min(x) <= right and np.max(x) <= 1.1 * right
        assert low <= np.max(y) <= high, "its top is seen"


def words_on(ax):
    """The texts in axes: where they stand."""
    return {
        text.get_text(): text.get_position() for text in ax.texts if text.get_text()
    }


def nearest(place, candidates):
    """Of {name: (x, y)} the name that stands nearest to a place."""
    return min(candidates, key=lambda name: math.dist(candidates[name], place))


def by_legend(ax):
    """A legend's names → what they stand for, and look like."""
    handles, names = ax.get_legend_handles_labels()
    entries = [text.get_text() for text in ax.get_legend().get_texts()]
    assert entries == names
    for drawn, key in zip(handles, ax.get_legend().legend_handles):
        if hasattr(key, "get_linestyle") and hasattr(drawn, "get_marker"):
            look = drawn.get_linestyle(), drawn.get_marker(), drawn.get_color()
            assert look == (key.get_linestyle(), key.get_marker(), key.get_color())
    return dict(zip(names, handles))


def spans(ax):
    """From where to where grounds are shaded from bottom to top."""
    boxes = [patch.get_bbox() for patch in ax.patches if isinstance(patch, Rectangle)]
    return sorted((box.xmin, box.xmax) for box in boxes if (box.y0, box.y1) == (0, 1))


def line_at(ax, place, colour):
    """The line of a colour that runs at a place, or just below it."""
    (line,) = (
        line
        for line in ax.lines
        if len(line.get_xdata()) > 2 and to_rgb(line.get_color()) == to_rgb(colour)
    )
    assert -0.001 <= place[1] - np.interp(place[0], *line.get_data()) < 0.11
    return line


def arrows(ax):
    """(tail, tip) of each arrow; its head is at the tip."""
    drawn = [
        note for note in ax.texts if isinstance(note, Annotation) and note.arrowprops
    ]
    for note in drawn:
        assert note.arrowprops["arrowstyle"] in ("->", "-|>")
    return [(note.xyann, note.xy) for note in drawn]


def check_numbers(ax, values, digits=1):
    """Every cell of a matrix has its colour, and its number is written in it."""
    (image,) = ax.images
    assert np.allclose(image.get_array(), values, atol=1e-12)
    grey = image.cmap([0.0, 1.0])[:, :3].sum(axis=1)
    assert grey[0] < grey[1], "dark is low"
    written = cells(ax)
    assert written.shape == np.shape(values)
    for place in np.ndindex(*np.shape(values)):
        assert abs(value(written[place]) - values[place]) <= 0.5 * 10.0**-digits + 1e-9
        assert "-" not in written[place] and written[place] != "−0.0"


# ---- the mathematics, once more -----------------------------------------------------
def turned(pair, angle):
    """A pair (right, up), turned clockwise."""
    (right, up), c, s = pair, np.cos(angle), np.sin(angle)
    return np.array([c * right + s * up, -s * right + c * up])


def pair_score(m, n, omega=OMEGA):
    return turned(QUERY, m * omega) @ turned(KEY, n * omega)


def code(places, d_model=16, base=1e4):
    waves = (math.sin, math.cos)
    return np.array(
        [
            [waves[c % 2](p / base ** (c // 2 * 2 / d_model)) for c in range(d_model)]
            for p in places
        ]
    )


def rotation(k, d_model, base):
    R = np.zeros((d_model, d_model))
    for i in range(0, d_model, 2):
        for column, unit in ((i, (1, 0)), (i + 1, (0, 1))):
            R[i : i + 2, column] = turned(unit, k / base ** (i / d_model))
    return R


def rotated(rows, places):
    return np.array([rotation(p, 16, 1e4) @ row for row, p in zip(rows, places)])


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
    for i, m in enumerate(places):
        for j, n in enumerate(places):
            if name == "Shaw":
                table[i, j] += Q[i] @ c.shaw_vectors[min(max(m - n, -4), 4) + 4] / 4
            if name == "T5":
                table[i, j] += c.t5_numbers[bucket(m - n)]
            if name == "ALiBi":
                table[i, j] -= abs(m - n) / 2
    return table


def weights(table):
    """The attention weights of the last of six queries, which sees all keys."""
    e = np.exp(table[5] - table[5].max())
    return e / e.sum()


def points(panel):
    """Every setting of an explorer's sliders."""
    grid = panel.grid()
    return [dict(zip(grid, values)) for values in itertools.product(*grid.values())]


# ---- the test: the same tokens, 100 places later ------------------------------------
def test_arrows_lead_from_shi_two_places_back_to_zhang(chapter):
    (ax,) = chapter.cell["same-tokens-100-places-later"].axes
    texts = [(text.get_position(), text.get_text()) for text in ax.texts]
    texts = [((x, round(y, 2)), word) for (x, y), word in texts]
    tokens = {place: word for place, word in texts if word and word in TEXT}
    numbers = {place: int(word) for place, word in texts if word.isdigit()}
    offsets = [place for place, word in texts if word == "offset 2"]
    assert len(tokens) == len(numbers) == 12 and len(offsets) == len(arrows(ax)) == 2
    for (x, y), number in numbers.items():
        assert number == x + (0 if y > 1 else 100)  # the first row is the upper one
        assert tokens[x, round(y + 0.6, 2)] == TEXT[int(x)]
    for (tail, tip), offset in zip(arrows(ax), offsets):
        ends = [nearest(end, {place: place for place in tokens}) for end in (tail, tip)]
        assert [tokens[end] for end in ends] == ["师", "张"]
        assert [end[0] for end in ends] == [tail[0], tip[0]] and tail[1] == tip[1]
        assert tip[0] < offset[0] < tail[0] and 0 < offset[1] - tail[1] < 1
    alt_tells(
        chapter,
        "same-tokens-100-places-later",
        """The six tokens … twice, at places 0 to 5 and at places 100 to 105. In both
        rows an arrow leads from shī two places back to Zhāng: offset 2.""",
    )


def check_the_test(chapter, panel, slider, heading):
    """Scores on the left, their change since places 0 to 5 on the right."""
    figure = panel.canvas.figure
    for point in points(panel):
        sentence, name, start = panel.sentence_at(point), point[slider], point["start"]
        left, right, bar = figure.axes
        now = scores(chapter, name, range(start, start + 6))
        change = now - scores(chapter, name, range(6))
        check_numbers(left, now)
        check_numbers(right, change)
        assert left.get_title() == f"{heading}: {name}"
        assert right.get_title() == "change since start 0"
        for ax in (left, right):
            assert ax.get_xlabel() == "key, place n"
            assert ax.images[0].get_clim() == (-2, 2)
            words = {text.get_position(): text.get_text() for text in ax.texts}
            for i, token in enumerate(TEXT):
                assert words[i, 5.7] == f"{token}\n{start + i}"
                assert words[-0.7, i] == f"{token} {start + i}"
        assert left.get_ylabel() == "query, place m"
        check_axes(bar)
        moved, size = (np.abs(change) > 1e-9).sum(), np.abs(change)
        where = f"{heading}: {name}, places {start} to {start + 5}: ".capitalize()
        if moved:
            small = ", some by less than 0.05" if size.min() < 0.05 else ""
            most = f"{moved} of 36 have changed, by up to {size.max():.2f}{small}."
            assert sentence == where + most
        else:
            assert sentence == where + "all 36 are those of start 0."
    assert bar.get_xticks().tolist() == [-2, 0, 2]


def test_added_codes_change_all_scores_and_no_code_none(chapter):
    panel = chapter.cell["added-codes-tested"]
    assert panel.start == {"scheme": "sines and cosines", "start": 100}
    assert set(panel.grid()["scheme"]) == {
        "sines and cosines",
        "learned table",
        "no code",
    }
    check_the_test(chapter, panel, "scheme", "scores")
    size = np.abs(
        scores(chapter, "sines and cosines", range(100, 106))
        - scores(chapter, "sines and cosines", range(6))
    )
    assert 1e-9 < size.min() < 0.05
    alt_tells(
        chapter,
        "added-codes-tested",
        f"""Left the 36 scores … at places 100 to 105, with sines and cosines added.
        Right by how much each has changed since places 0 to 5: all of them have, by up
        to {size.max():.1f}, some by less than 0.05.""",
    )


def test_only_both_turned_keeps_the_scores(chapter):
    panel = chapter.cell["three-ways-to-turn"]
    assert panel.start == {"turn": "both", "start": 100}
    check_the_test(chapter, panel, "turn", "scores, turned")
    moved = [
        name
        for name in panel.grid()["turn"]
        if not np.allclose(
            scores(chapter, name, range(7, 13)), scores(chapter, name, range(6))
        )
    ]
    assert moved == ["query alone", "opposite ways"]
    alt_tells(
        chapter,
        "three-ways-to-turn",
        """Left the scores … at places 100 to 105 with RoPE: query and key are both
        turned. Right by how much they have changed since places 0 to 5: every number is
        0.""",
    )


# ---- what relative schemes add ------------------------------------------------------
def test_tables_of_offsets_are_the_same_in_both_places(chapter):
    figure = chapter.cell["offsets-stay-when-the-text-moves"]
    for ax, start in zip(figure.axes, (0, 100)):
        assert ax.get_title() == f"m − n, places {start} to {start + 5}"
        table = {at: cell.get_text() for at, cell in ax.tables[0].get_celld().items()}
        for (row, column), words in table.items():
            told = f"{TEXT[row]} {start + row}" if column < 0 else said(row - column, 0)
            assert words.get_text() == told
        across = sorted(ax.texts, key=lambda text: text.get_position())
        assert "".join(text.get_text() for text in across) == TEXT
    alt_tells(
        chapter,
        "offsets-stay-when-the-text-moves",
        """m minus n, for places 0 to 5 and for places 100 to 105. They are the same: 0
        on the diagonal, 5 at the lower left, −5 at the upper right.""",
    )


def test_shaw_adds_the_vector_of_the_offset_as_the_query_reads_it(chapter):
    cell = "shaw-adds-a-vector-read-by-the-query"
    top, ax = chapter.cell[cell].axes[:2]
    (bar,) = (child for child in top.child_axes)
    (image,), seen = top.images, range(-8, 9)
    vectors = [chapter.shaw_vectors[min(max(k, -4), 4) + 4] for k in seen]
    assert np.allclose(image.get_array(), np.transpose(vectors))
    assert image.get_extent()[:2] == [-8.5, 8.5] and image.get_clim() == (-2, 2)
    assert image.cmap(0.0)[:3] < image.cmap(1.0)[:3]
    check_axes(bar)
    assert bar.get_yticks().tolist() == [-2, 0, 2]
    drawn = by_legend(ax)
    assert set(drawn) == {"query 张", "query 师"}
    for name, line in drawn.items():
        query = chapter.vocabulary[name[-1]] @ chapter.W_Q
        assert line.get_xdata().tolist() == [*seen]
        assert np.allclose(line.get_ydata(), [query @ a / 4 for a in vectors])
    check_axes(ax, x="offset m − n (tokens)", y="added")
    title = "the vectors (random here): from 4 on, all the same"
    assert (top.get_title(), top.get_ylabel()) == (title, "vectors a")
    alt_tells(
        chapter,
        cell,
        """Above, the learned vectors as columns … one column for each offset; from 4
        on, at both sides, all are the same. Below, what they add to the score for two
        queries: two different curves, flat from 4 on at both sides.""",
    )


def test_t5_adds_a_number_for_each_bucket(chapter):
    cell, seen = "t5-adds-a-number-for-each-bucket", range(-63, 64)
    (ax,) = chapter.cell[cell].axes
    (stairs,) = (patch for patch in ax.patches if isinstance(patch, StepPatch))
    heights, edges, _ = stairs.get_data()
    assert np.allclose(edges, np.arange(-63, 65) - 0.5)
    assert np.allclose(heights, [chapter.t5_numbers[bucket(k)] for k in seen])
    groups = [[*group] for _, group in itertools.groupby(seen, bucket)]
    stripes = [(group[0] - 0.5, group[-1] + 0.5) for group in groups]
    assert np.allclose(spans(ax), stripes[::2])  # every other one is shaded
    alone = [group[0] for group in groups if len(group) == 1]
    assert alone == [*range(-7, 8)]
    title = f"to ±{max(alone)}: a number for each offset   ·   beyond: wide buckets"
    check_axes(ax, title, "offset m − n (tokens)", "added (random here)")
    alt_tells(
        chapter,
        cell,
        """T5 adds against the offset … a stripe for each bucket. Up to 7 on both sides
        every offset has a stripe of its own; further out … wider and wider.""",
    )


def test_alibi_adds_a_line_that_falls_to_both_sides(chapter):
    cell, seen = "alibi-adds-a-straight-line", np.arange(-8, 9)
    (ax,) = chapter.cell[cell].axes
    lines = {line: line.get_xydata()[-1] for line in ax.lines}
    words = {name: at for name, at in words_on(ax).items() if name.startswith("head")}
    assert {nearest(at, lines) for at in words.values()} == {*lines}
    for name, at in words.items():
        head, part = map(int, re.fullmatch(r"head (\d): slope 1/(\d+)", name).groups())
        line = nearest(at, lines)
        assert part == 2**head and line.get_xdata().tolist() == seen.tolist()
        assert np.allclose(line.get_ydata(), -abs(seen) / part)
        assert abs(at[1] + 8 / part) < 0.01 and at[0] > 8
        table = chapter.alibi(np.arange(6), slope=1 / part) - chapter.no_code(None)
        assert np.isclose(table[5, 0], -5 / part)
    assert len(words) == 5 and {name[:6] for name in words} == {
        f"head {head}" for head in (1, 2, 3, 4, 8)
    }
    assert np.isclose(
        chapter.alibi(chapter.pos)[5, 4] - chapter.no_code(None)[5, 4], -0.5
    )
    assert spans(ax) == [(-8, -0.5)]  # offsets below 0: the key stands after the query
    assert words_on(ax)["keys after\nthe query:\nmasked"][0] < 0
    title = "the further, the less: one slope for each head"
    check_axes(ax, title, "offset m − n (tokens)", "added")
    assert ax.get_yticks().tolist() == [-4, -3, -2, -1, 0]
    alt_tells(
        chapter,
        cell,
        """fall from 0 to both sides. Head 1 falls by one half a token, heads 2, 3 and 4
        by a quarter, an eighth and a sixteenth, head 8 hardly at all. Keys after the
        query are shaded: masked.""",
    )


def test_a_count_gives_the_weights_of_alibi(chapter):
    panel = chapter.cell["count-and-alibi-side-by-side"]
    assert panel.start == {"start": 10, "slope": 0.5}
    left, right = panel.canvas.figure.axes
    plain = scores(chapter, "no code", range(6))
    for point in points(panel):
        sentence, start, slope = panel.sentence_at(point), *point.values()
        places = np.arange(start, start + 6)
        drawn, shares = by_legend(left), by_legend(right)
        count, line = drawn["count: slope · n"], drawn["ALiBi: −slope · (m − n)"]
        assert np.allclose(count.get_ydata(), slope * places)
        assert np.allclose(line.get_ydata(), [-slope * (5 - n) for n in range(6)])
        wanted = weights(plain - slope * (5 - np.arange(6)))
        bars = [bar.get_height() for bar in shares["with ALiBi"]]
        assert np.allclose(bars, wanted)
        assert np.allclose(shares["with the count"].get_ydata(), wanted)
        for ax in (left, right):
            words = {text.get_position()[0]: text.get_text() for text in ax.texts}
            assert words == {i: f"{TEXT[i]}\n{start + i}" for i in range(6)}
            assert ax.get_xlabel() == "key, place n"
        more = slope * (start + 5)
        assert left.get_title() == f"a constant more in every score: {more:.2f}"
        assert right.get_title() == "the same weights of 师"
        assert sentence == (
            f"The count adds {more:.2f} more than ALiBi to every score; with either,"
            f" shī gives {wanted[5]:.0%} of its attention to itself,"
            f" {wanted[0]:.0%} to the first L."
        )
    for drawn in (count, line, shares["with the count"]):
        assert drawn.get_xdata().tolist() == [*range(6)]
    assert [bar.get_x() + bar.get_width() / 2 for bar in shares["with ALiBi"]] == [
        *range(6)
    ]
    alt_tells(
        chapter,
        "count-and-alibi-side-by-side",
        """Left two parallel rising lines … the count, from 5 to 7.5, and ALiBi's line,
        from −2.5 to 0. Right the attention weights of the last token, shī (师): the
        squares of the count stand on top of ALiBi's bars, at the same heights.""",
    )


# ---- RoPE: two hands ----------------------------------------------------------------
def check_hands(ax, m, n, omega=OMEGA, told=True):
    """Query and key stand at their places, each by its name; the arc between them."""
    tips = {"query": turned(QUERY, m * omega), "key": turned(KEY, n * omega)}
    hands = [line.get_xydata() for line in ax.lines if len(line.get_xdata()) == 2]
    assert len(hands) == 2 and all((hand[0] == 0).all() for hand in hands)
    looks = [line.get_linestyle() for line in ax.lines if len(line.get_xdata()) == 2]
    ends = {look: hand[1] for look, hand in zip(looks, hands)}
    assert np.allclose(ends["-"], tips["query"]) and np.allclose(
        ends["--"], tips["key"]
    )
    names = {name.split("\n")[0]: (name, at) for name, at in words_on(ax).items()}
    for word, place in (("query", m), ("key", n)):
        name, at = names[word]
        assert name == (f"{word}\nat {place}" if told else word)
        assert math.dist(at, tips[word]) < 0.9
        side = {hand: end / np.hypot(*end) for hand, end in tips.items()}
        apart = abs(np.arccos(np.clip(side["query"] @ side["key"], -1, 1)))
        if apart > 0.2:
            at = at / np.hypot(*at)
            assert nearest(at, side) == word
    (arc,) = (line.get_xydata() for line in ax.lines if len(line.get_xdata()) > 3)
    start, end = arc[0] / np.hypot(*arc[0]), arc[49] / np.hypot(*arc[49])
    assert np.allclose(start, tips["key"] / np.hypot(*tips["key"]))
    assert np.allclose(end, tips["query"] / np.hypot(*tips["query"]))
    assert np.allclose(np.hypot(*arc[:50].T), 0.75)
    assert np.allclose(arc[51], arc[49])  # and the head is there
    for wing in (arc[50], arc[52]):
        assert np.isclose(math.dist(wing, arc[49]), 0.2)
        assert (wing - arc[49]) @ (arc[49] - arc[48]) < 0  # behind the tip
    (dotted,) = (line.get_xydata() for line in ax.lines if len(line.get_xdata()) == 3)
    assert np.allclose(dotted, [QUERY, (0, 0), KEY])


def test_offset_6_has_the_same_arc_and_score_wherever_it_stands(chapter):
    cell = "both-turn-the-angle-stays"
    figure = chapter.cell[cell]
    for ax, (m, n) in zip(figure.axes, ((11, 5), (111, 105))):
        check_hands(ax, m, n)
        assert ax.get_title() == f"offset {m - n}"
        assert f"score {said(pair_score(m, n))}" in words_on(ax)
    around = [text.get_text() for text in figure.texts]
    assert {"Both turn, the angle stays", "dotted: before turning"} <= {*around}
    alt_tells(
        chapter,
        cell,
        f"""Two dials, each with a query and a key … turned by their places. At places
        11 and 5 they point elsewhere than at places 111 and 105; the arc between them,
        and the score, {said(pair_score(6, 0))}, are the same""",
    )


def test_query_turns_three_steps_and_the_key_one(chapter):
    cell = "query-and-key-turned-by-their-places"
    figure = chapter.cell[cell]
    left, right = figure.axes
    check_hands(left, 0, 0, told=False)
    check_hands(right, 3, 1)
    assert f"score {said(QUERY @ KEY)}" in words_on(left)
    assert f"score {said(pair_score(3, 1))}" in words_on(right)
    titles = left.get_title(), right.get_title()
    assert titles == ("as the head made them", "turned: 3 steps and 1 step")
    assert "dotted: before turning" in [text.get_text() for text in figure.texts]
    alt_tells(
        chapter,
        cell,
        """Left as the head made them; right the query is turned clockwise by three
        steps and the key by one … dotted hands, which show where they were. Below each
        the score.""",
    )


def test_the_score_is_a_wave_of_the_offset_at_every_setting(chapter):
    panel = chapter.cell["two-hands-turned-by-absolute-places"]
    assert panel.start == {"m": 8, "offset": 1, "omega": OMEGA}
    assert {-3, 0, 3} <= {*panel.grid()["offset"]}  # after, and before
    left, right = panel.canvas.figure.axes
    for point in points(panel):
        sentence, m, offset, omega = panel.sentence_at(point), *point.values()
        check_hands(left, m, m - offset, omega)
        height = pair_score(m, m - offset, omega)
        wave, dot = (
            next(line for line in right.lines if len(line.get_xdata()) > 2),
            next(line for line in right.lines if line.get_marker() == "o"),
        )
        offsets = wave.get_xdata()
        law = [pair_score(k, 0, omega) for k in offsets[::20]]
        assert np.allclose(wave.get_ydata()[::20], law)
        assert np.allclose(dot.get_xydata(), [(offset, height)])
        assert sentence == (
            f"Offset {said(offset, 0)}: query at place {m}, key at place {m - offset},"
            f" score {said(height)}."
        )
    assert (offsets[0], offsets[-1]) == (-6, 6)
    check_axes(right, "their dot product", "offset m − n (tokens)", "score")
    assert left.get_title() == "turned by their places"
    assert "dotted: before turning" in words_on(left)
    alt_tells(
        chapter,
        "two-hands-turned-by-absolute-places",
        """Left a dial with the query turned by 8 steps, the key by 7, and an arc with a
        head from key to query. Right the score … against the offset, a wave, with a dot
        at offset 1.""",
    )


def test_the_score_has_an_even_and_an_odd_part(chapter):
    cell = "even-and-odd-part-of-the-score"
    (ax,) = chapter.cell[cell].axes
    even, odd = QUERY @ KEY, QUERY[1] * KEY[0] - QUERY[0] * KEY[1]
    wanted = {
        "even: α cos": (lambda k: even * np.cos(OMEGA * k), COS),
        "odd: β sin": (lambda k: odd * np.sin(OMEGA * k), SIN),
        "score": (lambda k: pair_score(k, 0), INK),
    }
    words = words_on(ax)
    assert set(words) == set(wanted)
    for name, (x, y) in words.items():
        height, colour = wanted[name]
        line = line_at(ax, (x, y), colour)
        k, drawn = line.get_data()
        assert np.allclose(drawn[::16], [height(offset) for offset in k[::16]])
        assert (k[0], k[-1]) == (-12, 12)
    inks = {text.get_text(): text.get_color() for text in ax.texts}
    assert inks == {"even: α cos": "#B34700", "odd: β sin": SIN, "score": INK}
    before_wins = [pair_score(k, 0) > pair_score(-k, 0) for k in range(1, 12)]
    last = before_wins.index(False)  # and from there on the key after wins
    assert last == 7 and not any(before_wins[last:])
    title = f"equally far: up to {last} tokens the key before wins"
    check_axes(ax, title, "offset m − n (tokens)", "score")
    (start, end), (begin, stop) = spans(ax)
    assert np.isclose(pair_score(begin, 0), pair_score(-begin, 0)) and last < begin < 8
    assert np.allclose((start, end), (-stop, -begin)) and stop > 13
    assert abs(even) < abs(odd)
    alt_tells(
        chapter,
        cell,
        """a small even wave, the same before and after, and a large odd wave. Up to 7
        tokens the score is higher before than as far after; in the shaded parts beyond,
        the other way round.""",
    )


def test_a_wrong_sign_exchanges_before_and_after(chapter):
    cell = "a-wrong-sign-exchanges-before-and-after"
    (ax,) = chapter.cell[cell].axes
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    words = words_on(ax)
    for name, sign, ink in (("q k* with m − n", 1, INK), ("q k* with n − m", -1, MARK)):
        place = words.pop(name)
        line = line_at(ax, place, ink)
        k, drawn = line.get_data()
        assert np.allclose(drawn[::16], [pair_score(sign * o, 0) for o in k[::16]])
        (dot,) = (dot for dot in dots if dot.get_color() == line.get_color())
        assert np.allclose(dot.get_xydata(), [(3, pair_score(3 * sign, 0))])
        place = words.pop(f"3 before: {said(pair_score(3 * sign, 0))}")
        assert math.dist(place, dot.get_xydata()[0]) < 0.8
    assert not words
    title = "n − m exchanges before and after"
    check_axes(ax, title, "offset m − n (tokens)", "score")
    assert pair_score(3, 0) > 1 > -1 > pair_score(-3, 0)
    alt_tells(
        chapter,
        cell,
        """the sign of the offset turned round: the second curve is the first one
        mirrored. For a key 3 before the query the first is high and the second low.""",
    )


def test_the_pair_of_chapter_5_has_the_score_of_its_sources(chapter):
    """omega = 0.37 and the key 3 places further on; the wrong sign gives 1.64281."""
    assert np.isclose(chapter.law(-3, 0.37), -1.420479373)
    assert np.isclose(chapter.law(3, 0.37), 1.64281, atol=5e-6)
    for m in (5, 50):
        assert np.isclose(pair_score(m, m + 3, 0.37), -1.420479373)


def test_factors_differ_and_their_product_stays(chapter):
    cell = "factors-differ-product-stays"
    figure = chapter.cell[cell]
    for line, (m, n) in zip(np.reshape(figure.axes, (2, 3)), ((8, 5), (108, 105))):
        for ax, place, back in zip(line, (m, n, m - n), (True, False, True)):
            R = rotation(place, 4, 16)
            check_numbers(ax, R.T if back else R)
            mark = r"^\top" if back else ""
            assert ax.get_title() == rf"$R_{{{place}}}{mark}$"
        signs = [ax.texts[-1].get_text() for ax in line[:2]]
        assert signs == ["·", "="]
        framed = [ax.spines["left"].get_visible() for ax in line]
        assert framed == [False, False, True]
    (title,) = (text.get_text() for text in figure.texts)
    assert title == "3 apart: the same matrix at 8 · 5 and 108 · 105"
    alt_tells(
        chapter,
        cell,
        """Two products of 4 by 4 matrices: R 8 transposed times R 5, and R 108
        transposed times R 105. The factors differ, the framed result is the same: R 3
        transposed.""",
    )


# ---- far away, no code, the board ---------------------------------------------------
def test_rope_stays_within_its_band_and_alibi_leaves_it(chapter):
    cell = "rope-turns-alibi-counts"
    (ax,) = chapter.cell[cell].axes
    query, key = chapter.X[5] @ chapter.W_Q, chapter.X[4] @ chapter.W_K
    bound = math.hypot(*query) * math.hypot(*key) / 4
    lines = {
        name: min(ax.lines, key=lambda line: abs(np.interp(x, *line.get_data()) - y))
        for name, (x, y) in words_on(ax).items()
        if not name.startswith("turning")
    }
    assert len({*lines.values()}) == len(lines) == len(ax.lines) == 3
    away, swing = lines["RoPE"].get_data()
    assert away.tolist() == [*range(1, 1501)] and np.abs(swing).max() <= bound
    for distance in (1, 2, 60, 1500):
        score = rotation(distance, 16, 1e4) @ query @ key / 4
        assert np.isclose(swing[distance - 1], score)
    assert swing[500:].max() > swing[10]  # a far token can win
    leaves = {}
    for part in (16, 256):
        fall = lines[f"ALiBi, slope 1/{part}"].get_ydata()
        assert np.allclose(fall, query @ key / 4 - away / part)
        leaves[part] = away[fall < -bound][0]
    (band,) = (patch for patch in ax.patches if isinstance(patch, Rectangle))
    assert np.allclose((band.get_y(), band.get_height()), (-bound, 2 * bound))
    assert band.get_x() == 1 and band.get_x() + band.get_width() == 1500
    words = r"turning stays within: length · length $/\sqrt{d_k}$"
    assert bound - 0.3 < words_on(ax)[words][1] < bound
    x = "distance of the key (tokens, logarithmic)"
    check_axes(ax, "one random query and key", x, "score")
    assert ax.get_xscale() == "log" and ax.get_yticks().tolist() == [*range(-6, 5, 2)]
    assert abs(leaves[16] - 60) < 6 and abs(leaves[256] - 900) < 90
    alt_tells(
        chapter,
        cell,
        """against their distance, 1 to 1500, on a logarithmic axis. RoPE swings up and
        down within a pale band. ALiBi with slope 1/16 leaves the band at about 60 and
        falls out of the picture; with slope 1/256 it leaves it at about 900 and goes on
        falling.""",
    )


def test_a_mask_counts(chapter):
    (ax,) = chapter.cell["a-mask-counts"].axes
    for place, (bar, words) in enumerate(zip(ax.patches, ax.texts)):
        assert np.isclose(bar.get_height(), 1 / (place + 1))
        assert bar.get_x() + bar.get_width() / 2 == place == words.xy[0]
        assert words.get_text() == f"1/{place + 1}" and words.xy[1] == bar.get_height()
    assert len(ax.patches) == len(ax.texts) == 12
    title = "with a mask, the output tells the place"
    check_axes(ax, title, "place of the query", "output")
    alt_tells(
        chapter,
        "a-mask-counts",
        """the places 0 to 11, what one causal layer puts out: 1, 1/2, 1/3, 1/4 and so
        on, lower and lower.""",
    )


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


def doors(chapter):
    """Where each scheme enters, by what its scores depend on.

    A code at the input is there without tokens. What stands in the score takes a number
    to it, or reads the query alone (Shaw); RoPE turns query and key.
    """
    places, nothing = np.arange(6), np.zeros((6, 16))
    other = chapter.X.copy()
    other[3] += 1  # another token at place 3
    found = {}
    for name, scheme in chapter.SCHEMES.items():
        wide, near = (scheme(f * places, nothing) for f in (2, 1))
        more = scheme(2 * places) - scheme(places)
        touched = (
            np.abs(scheme(2 * places, other) - scheme(places, other) - more) > 1e-9
        )
        as_key = touched[[0, 1, 2, 4, 5], 3].any()
        if np.allclose(more, 0):
            found[name] = "nowhere"
        elif not np.allclose(scheme(places + 100), scheme(places)):
            assert not np.allclose(wide, 0) and not np.allclose(wide, near)
            found[name] = "+"
        else:
            found[name] = "query, key" if as_key else "score"
    return found


def test_each_code_has_an_arrow_to_its_door(chapter):
    (ax,) = chapter.cell["who-enters-where"].axes
    words = words_on(ax)
    boxes, colours = {}, {}
    for patch in ax.patches:
        box = patch.get_bbox()
        inside = [name for name, at in words.items() if box.contains(*at)]
        if len(inside) == 1:  # the frame of the layer has many
            boxes[inside[0]] = box.padded(1e-6)
            colours[inside[0]] = to_hex(patch.get_facecolor()).upper()
    assert set(words) == {*boxes, "each layer"}
    graph = {
        tuple(
            next(name for name, box in boxes.items() if box.contains(*end))
            for end in ends
        )
        for ends in arrows(ax)
    }
    out, query, value_, score = "weights\n× values", "query, key", "value", "score"
    flow = {("tokens", "+"), ("+", query), ("+", value_), (query, score), (score, out)}
    flow |= {(value_, out), (out, "next\nlayer")}
    entries = {}
    for names, door in graph - flow:
        assert colours[names] == "#EFC545"  # a position's
        entries |= dict.fromkeys(re.split(r",\s", names), door)
    assert colours["tokens"] == "#66A5D9"
    assert graph >= flow and entries | {"no code, no mask": "nowhere"} == doors(chapter)
    assert "no code, no mask:\nenters nowhere" in words
    frame = max((patch.get_bbox() for patch in ax.patches), key=lambda box: box.width)
    within = [name for name, box in boxes.items() if frame.containsx(box.x0 + 0.1)]
    assert {query, score, value_, out} <= {*within} and "tokens" not in within
    alt_tells(
        chapter,
        "who-enters-where",
        """Learned table and sines and cosines enter once, before the layers. Shaw, T5
        and ALiBi enter at the score of each layer, RoPE at query and key … nothing
        enters at the value. No code, no mask: enters nowhere.""",
    )


def test_the_board_asks_what_its_columns_say(chapter):
    def scheme(of_offset):
        return lambda pos, X=None: of_offset(np.subtract.outer(pos, pos).astype(float))

    def merges_from(far):
        return scheme(lambda offset: np.minimum(np.abs(offset), far))

    assert chapter.keeps_apart(merges_from(120)) and not chapter.keeps_apart(
        merges_from(119)
    )
    assert chapter.knows_direction(scheme(np.sign))
    assert not chapter.knows_direction(scheme(np.abs))
    assert chapter.stays(scheme(np.sin))
    assert not chapter.stays(lambda pos: pos[:, None] * pos * 1e-6)
    assert chapter.far_away(scheme(lambda offset: -np.abs(offset))) == "falls"
    assert chapter.far_away(scheme(np.sin)) == "bounded"
    assert chapter.goes_on(scheme(np.sin)) and not chapter.goes_on(
        lambda pos: np.zeros(128)[pos]
    )


PASSES = {  # same if moved, before ≠ after, far ones apart, beyond a table
    "no code, no mask": ("✓✗✗✓", "bounded", 0),
    "learned table": ("✗✗✗✗", "bounded", 128 * 16),
    "sines and cosines": ("✗✗✗✓", "bounded", 0),
    "Shaw": ("✓✓✗✓", "bounded", 9 * 16),
    "T5": ("✓✓✗✓", "bounded", 32),
    "ALiBi": ("✓✗✓✓", "falls", 0),
    "RoPE": ("✓✓✓✓", "bounded", 0),
}
WISHES = ["same if moved", "before ≠ after", "far ones apart", "beyond a table"]
WISHES += ["far away", "numbers learned"]


def test_the_board_has_a_cross_where_a_wish_fails(chapter):
    cell = "scoreboard-of-schemes"
    (ax,) = chapter.cell[cell].axes
    texts = [text for text in ax.texts if text.get_text()]
    above = [text for text in texts if isinstance(text, Annotation)]
    above.sort(key=lambda text: (text.xy[0], -text.xyann[1]))
    columns = [
        " ".join(text.get_text() for text in lines)
        for _, lines in itertools.groupby(above, key=lambda text: text.xy[0])
    ]
    assert columns == WISHES
    rows = {}
    for text in sorted(set(texts) - {*above}, key=lambda text: text.get_position()):
        rows.setdefault(text.get_position()[1], []).append(text.get_text())
    drawn = [rows[line] for line in sorted(rows)]
    assert drawn == [
        [name, *marks, away, str(numbers)]
        for name, (marks, away, numbers) in PASSES.items()
    ]
    for patch in ax.patches:  # a cross stands on a dark cell
        x, y = patch.get_x() + 0.48, patch.get_y() + 0.45
        mark = rows[round(y)][1 + round(x - 0.5)]
        assert (to_rgb(patch.get_facecolor()) == to_rgb(MARK)) == (mark == "✗")
    for name, (marks, _, _) in PASSES.items():  # and the verdict is right
        if name not in ("learned table", "sines and cosines"):
            assert np.allclose(
                chapter.SCHEMES[name](np.arange(6)), scores(chapter, name, range(6))
            )
        moved = scores(chapter, name, range(7, 13)) - scores(chapter, name, range(6))
        assert (np.abs(moved).max() < 1e-9) == (marks[0] == "✓")
    alt_tells(
        chapter,
        cell,
        """seven schemes. Same if moved: all but learned table and sines and cosines.
        Before is not after: Shaw, T5, RoPE. Far ones apart: ALiBi, RoPE. Beyond a
        table: all but the learned one. Far away: bounded, but ALiBi falls. Numbers
        learned: learned table 2048, Shaw 144, T5 32, the others 0. RoPE alone has no
        cross.""",
    )


# ---- going further ------------------------------------------------------------------
def test_buckets_grow_with_the_distance(chapter):
    cell = "buckets-grow-with-the-distance"
    (ax,) = chapter.cell[cell].axes
    (line,) = ax.lines
    assert line.get_xdata().tolist() == [*range(129)] and line.get_drawstyle() == (
        "steps-mid"
    )
    assert line.get_ydata().tolist() == [bucket(k) for k in range(129)]
    assert spans(ax) == [(-0.5, 7.5)]  # one bucket each
    words = {"0 to 7: one bucket each", "then two for each doubling"}
    assert words_on(ax).keys() == words
    check_axes(ax, "", "distance to a key before (tokens)", "bucket")
    groups = [bucket(k) for k in range(8, 129)]
    assert [groups.index(b) + 8 for b in (8, 10, 12, 14, 15)] == [8, 16, 32, 64, 91]
    alt_tells(
        chapter,
        cell,
        """of a key before the query: a staircase. From 0 to 7 each distance is a step
        of its own; then the steps get wider and wider, two for each doubling; the last,
        bucket 15, goes on for ever.""",
    )


def test_one_map_moves_every_place_of_an_image(chapter):
    cell = "one-map-moves-an-image"
    left, right = chapter.cell[cell].axes
    step = np.zeros((8, 8))
    step[:4, :4], step[4:, 4:] = rotation(2, 4, 16), rotation(3, 4, 16)
    check_numbers(left, step)
    frames = {
        (p.get_x(), p.get_y(), p.get_width(), p.get_height()) for p in left.patches
    }
    assert frames == {(-0.5, -0.5, 4, 4), (3.5, 3.5, 4, 4)}
    names = words_on(left)
    assert names["row"][1] == 1.5 and names["column"][1] == 5.5
    for (x, y), tip in arrows(right):  # rows count from the top
        assert (tip[0] - x, tip[1] - y) == (3, 2)
    dark = {
        tuple(line.get_xydata()[0]) for line in right.lines if line.get_color() == INK
    }
    assert dark == {tip for _, tip in arrows(right)} and len(dark) == 3
    assert right.get_ylim()[0] > right.get_ylim()[1] and len(right.patches) >= 54
    check_axes(right, "every place: 2 down, 3 to the right", "column", "row")
    assert left.get_title() == "one matrix, two shifts"
    alt_tells(
        chapter,
        cell,
        """8 by 8 numbers with two framed blocks of 4 by 4 on its diagonal, one for the
        row and one for the column, and zeros elsewhere. Right an image of 6 by 9
        places: from three places equal arrows lead to others, each 2 rows down and 3
        columns to the right.""",
    )


def test_what_is_printed_is_what_other_formulas_give(chapter):
    def cosine(a, b):
        return a @ b / math.hypot(*a) / math.hypot(*b)

    random, sine = (
        np.mean([*map(cosine, table, table[1:])])
        for table in (chapter.rows, code(range(128)))
    )
    normal = np.random.default_rng(seed=0).normal(size=(2, 1000, 512))
    lengths = {
        "randn": np.mean([math.hypot(*row) for row in normal[0]]),
        "sinusoidal": 16,
        "N(0, 0.02²)": 0.02 * np.mean([math.hypot(*row) for row in normal[1]]),
    }
    lengths = {name: f"{length:.2f}" for name, length in lengths.items()}
    assert chapter.said["lengths-of-untrained-rows"] == (
        f"cosine of neighbouring rows: random {random:.2f}, sinusoidal {sine:.2f}\n"
        f"length of a row: {lengths}\n"
    )

    Q, K = chapter.X @ chapter.W_Q, chapter.X @ chapter.W_K

    def by_halves(rows, places):
        """Column i goes with i + 8."""
        paired = np.stack([rows[:, :8], rows[:, 8:]], axis=2).reshape(6, 16)
        moved = rotated(paired, places).reshape(6, 8, 2)
        return np.hstack([moved[..., 0], moved[..., 1]])

    six = np.arange(6)
    rope = rotated(Q, six) @ rotated(K, six).T / 4
    off = np.abs(by_halves(Q, six) @ by_halves(K, six).T / 4 - rope).max()
    here, there = (rotated(Q, p) @ by_halves(K, p).T / 4 for p in (six, six + 100))
    assert chapter.said["halves-are-another-order"] == (
        f"halves on columns that were not reordered: scores off by {off:.2f}\n"
        "query interleaved, key in halves: the test fails by"
        f" {np.abs(there - here).max():.2f}\n"
    )

    omega = 1e4 ** (-np.arange(64) / 64)
    g = np.mean(np.cos(100 * omega))
    contents = np.random.default_rng(seed=14).normal(size=(400, 2, 64, 2))
    q, k = (contents[:, i, :, 1] + 1j * contents[:, i, :, 0] for i in (0, 1))
    at_0, at_100 = (
        (q * np.exp(1j * place * omega) * k.conj()).real.sum(axis=1)
        for place in (0, 100)
    )
    assert chapter.said["rope-fades-like-the-code"] == (
        f"equal contents: g(100) = {g:.3f}\nrandom contents: higher at 100 than at 0 in"
        f" {np.mean(at_100 > at_0):.0%} of 400 heads\n"
    )


# ---- questions and exercises --------------------------------------------------------
def check_question(chapter, cell_id, right, asked, reasons):
    found = replies(chapter.said[cell_id])
    assert [option for option, (is_right, _) in found.items() if is_right] == [right]
    assert asked in chapter.said[cell_id]
    assert {option: reply for option, (_, reply) in found.items()} == {
        option: " ".join(reply.split()) for option, reply in reasons.items()
    }


def test_which_added_code_keeps_all_scores(chapter):
    for name in ("sines and cosines", "learned table"):
        here, there = (scores(chapter, name, range(s, s + 6)) for s in (0, 100))
        assert np.abs(there - here).min() > 1e-9
    reasons = {
        "Only sines and cosines.": """The dot product of two such codes knows only the
            offset. But a score compares sums, token plus code, through two
            matrices.""",
        "Only a learned table.": """Nothing ties one row to another, so the moved
            scores are made of other numbers.""",
        "Neither.": """A token at another place is another sum: another query,
            another key.""",
    }
    asked = f"Which code, added to the tokens, keeps all {len(TEXT) ** 2} scores?"
    check_question(chapter, "which-added-code-keeps-scores", "Neither.", asked, reasons)


def test_how_counted_weights_differ_from_alibis(chapter):
    plain, line = (scores(chapter, name, range(6)) for name in ("no code", "ALiBi"))
    assert np.allclose(weights(plain + 0.5 * np.arange(6)), weights(line))
    reasons = {
        "Far on, the last token takes all.": """It has the largest number, but by how
            much is it larger than the others?""",
        "The first tokens win.": """Later keys get more, so it is the near ones that
            win, as with ALiBi.""",
        "Not at all.": "Softmax looks at differences only.",
    }
    asked = "you add slope · n to every score: the place of the key"
    check_question(
        chapter, "how-do-counted-weights-differ", "Not at all.", asked, reasons
    )


def test_what_eight_pairs_do(chapter):
    here, there = (scores(chapter, "RoPE", range(s, s + 6)) for s in (0, 100))
    assert np.allclose(here, there) and here.shape == (6, 6)
    reasons = {
        "changes: the speeds differ.": """They do, but within one pair query and key
            turn at the same speed.""",
        "stays if the contents are alike.": """Whatever they are: moving both changes no
            length and no angle.""",
        "stays.": """In each pair both hands turn by the same angle, so no angle
            between them changes.""",
    }
    asked = "have eight pairs of columns, and each pair turns at its own speed."
    check_question(chapter, "what-do-eight-pairs-do", "stays.", asked, reasons)


def test_what_the_score_does_far_away(chapter):
    reasons = {
        "It fades to 0.": """With equal contents and many pairs it falls for a while,
            then scatters about 0 without settling (chapter 5).""",
        "It falls for ever.": """A turn cannot make a hand longer, so the score is
            bounded.""",
        "It wanders within bounds.": "A sum of waves, one for each pair of columns.",
    }
    asked, right = "With RoPE, a key moves further", "It wanders within bounds."
    check_question(chapter, "what-does-the-score-do-far-away", right, asked, reasons)


def test_whether_a_mask_can_count(chapter):
    reasons = {
        "No: all places look alike.": """Not quite all: the first token sees one token,
            the hundredth sees a hundred.""",
        "Yes: by looking at all alike.": """The start token then gets a share of
            1 / (number of tokens seen).""",
        "Only with a second layer.": """Two are needed to tell the order of the others.
            To count them, one will do.""",
    }
    asked, right = "how many stand before it?", "Yes: by looking at all alike."
    check_question(chapter, "can-a-mask-count", right, asked, reasons)


NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "08_relative_schemes.ipynb"


def cell_of(cell_id):
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    (cell,) = (cell for cell in notebook["cells"] if cell["id"] == cell_id)
    return cell


def tried(chapter, answer, check_id):
    """Which claims of a check an answer fulfils: {claim: True, False or an error}."""
    names, verdicts = dict(vars(chapter)), {}

    def listen(answer, claims, hint):
        assert HINTS[check_id] in hint
        for claim, holds in claims.items():
            try:
                verdicts[claim] = bool(holds(answer))
            except Exception as error:
                verdicts[claim] = error

    exec(answer, names)
    names["check"] = listen
    exec("".join(cell_of(check_id)["source"]), names)
    return verdicts


HINTS = {
    "exercise-levels-off-check": "np.minimum(a, b) takes the smaller of two numbers",
    "exercise-witness-check": "add to a whole row of scores without changing its",
    "exercise-look-back-check": "the score is (R_{m−n} q) · k. For m − n = back, which",
    "exercise-repaired-check": "the dot product subtracts the angles by itself",
}
CLAIMS = {  # what a claim has to name
    "exercise-levels-off": [
        ["3 places before or after", f"loses {0.5 * 3}"],
        ["4, 6 or 60 places away", f"loses {0.5 * 4:.0f},", "both sides"],
        ["no score changes when the text moves"],
    ],
    "exercise-witness": [
        ["7, 50 or 100 places later", "changed by 1 or more"],
        ["no weight has changed", "7, 50 or 100"],
        ["no two rows change by the same amount"],
        ["the weights change", "twice as far apart"],
    ],
    "exercise-look-back": [
        ["back = 3, 8 or 33", f"place 50 finds place {50 - 3}, {50 - 8} or {50 - 33}"],
        ["back = −2", "ahead"],
    ],
    "exercise-repaired": [
        ["no score changes when the text moves"],
        ["anticlockwise", "before and after are exchanged"],
    ],
}


def test_each_claim_of_an_exercise_is_refused_alone(chapter):
    for exercise, claims in CLAIMS.items():
        alone = set()
        for answer in cell_of(f"{exercise}-answer")["metadata"]["wrong"]:
            verdicts = tried(chapter, answer, f"{exercise}-check")
            failed = [claim for claim, holds in verdicts.items() if holds is not True]
            alone |= {*failed} if len(failed) == 1 else set()
        assert alone == {*verdicts}, f"{exercise}: no wrong answer fails at one alone"
        for claim, facts in zip(verdicts, claims, strict=True):
            assert all(fact in claim for fact in facts), claim
