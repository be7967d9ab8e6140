"""Chapter 3: the sum runs round a circle; two tokens, two tables, two chords."""

from math import cos, hypot, isclose, pi, sqrt

import numpy as np
from matplotlib.colors import to_hex

import draw
from draw import number
from tests.pictures.reading import alt, code, look, named, right_answer, tip

L, ZHANG = np.array([0.62, -0.51]), np.array([0.43, 1.09])
TOKENS = {"L": L, "张": ZHANG}
BLUE, GOLD, GREEN, MARK, GREY = (
    c.lower() for c in (draw.TOKEN, draw.POSITION, draw.SUM, draw.MARK, draw.GREY)
)


def lines(ax, colour, marker=""):
    """The lines of axes that have a colour and a marker."""
    return [x for x in ax.lines if look(x)[0] == colour and look(x)[2] == marker]


def hands(ax):
    """The golden hands of axes: where each begins and ends."""
    return [line.get_xydata() for line in lines(ax, GOLD)]


def is_circle_of(ax, token):
    """Whether a ring, clockwise arrowheads and all sums are round a token."""
    rings = [x.get_xydata() - token for x in ax.lines if len(x.get_xdata()) > 100]
    found = any(np.allclose(np.hypot(*ring.T), 1) for ring in rings)
    for mark, right in (("v", 1), ("^", -1)):  # down at 3 o'clock, up at 9
        heads = [x.get_xydata()[0] for x in ax.lines if x.get_marker() == mark]
        found &= any(np.allclose(head, token + (right, 0)) for head in heads)
    sums = [token + tip(pos) for pos in range(64)]
    clouds = [x.get_xydata() for x in lines(ax, GREEN, "o") if len(x.get_xdata()) > 1]
    return found and any(np.allclose(cloud, sums) for cloud in clouds)


def leads_to(ax, name, token, pos):
    """Whether a hand leads from a token to the sum that is named there."""
    ends = [token, token + tip(pos)]
    tips = [x.get_xydata()[0] for x in lines(ax, GREEN, "o") if len(x.get_xdata()) == 1]
    (word,) = (text for text in ax.texts if text.get_text() == f"{name} at {pos}")
    nearest = min(tips, key=lambda tip: distance(word, tip))
    at_token = any(np.allclose(x.get_xydata()[0], token) for x in lines(ax, BLUE, "s"))
    led = any(np.allclose(found, ends) for found in hands(ax))
    return at_token and led and np.allclose(nearest, ends[1])


def distance(text, point):
    return hypot(*(np.array(point) - text.get_position()))


# ---- two tables, one plane ----------------------------------------------------------
def test_the_cover_has_one_token_one_sum_and_no_circle(chapter):
    (ax,) = chapter.cell["one-token-in-an-empty-plane"].axes
    ((tail, end),) = hands(ax)
    assert np.allclose([tail, end], [L, L + tip(0)])
    texts = {text.get_text(): text for text in ax.texts}
    assert distance(texts["L"], tail) < 0.3 and distance(texts["L at 0"], end) < 0.3
    (dot,), (square,) = lines(ax, GREEN, "o"), lines(ax, BLUE, "s")
    assert np.allclose([*square.get_xydata(), *dot.get_xydata()], [L, end])
    words = {"token": (BLUE, "s"), "+ position": (GOLD, ""), "= sum": (GREEN, "o")}
    legend = ax.get_legend()
    for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True):
        assert (look(handle)[0], look(handle)[2]) == words.pop(text.get_text())
    assert not words and not any(len(line.get_xdata()) > 2 for line in ax.lines)


def test_two_tokens_with_their_circles(chapter):
    axes = chapter.cell["two-tokens-with-their-circles"].axes
    for ax, (name, pos) in zip(axes, (("L", 2), ("张", 7)), strict=True):
        assert is_circle_of(ax, TOKENS[name])
        assert leads_to(ax, name, TOKENS[name], pos)
    assert "L at 2, Zhāng at 7" in alt(chapter.said["two-tokens-with-their-circles"])


def test_the_letter_l_stands_out_at_its_three_places(chapter):
    found = []
    for ax in chapter.cell["one-letter-on-two-lines"].axes:
        texts = {text.get_position(): text.get_text() for text in ax.texts}
        for tile in ax.patches:
            middle = round(tile.get_x() + tile.get_width() / 2)
            blue = to_hex(tile.get_facecolor()) == BLUE
            assert blue == (texts[middle, 0] == "L")
            assert texts[middle, -0.8] == str(middle)
            found += [middle] * blue
    assert found == [0, 1, 9]
    said = alt(chapter.said["one-letter-on-two-lines"])
    assert "0 and 1 of the first" in said and "position 9 of the second" in said


def test_three_tables_add_up(chapter):
    tables = {}
    for ax in chapter.cell["three-tables"].axes:
        cells = ax.tables[0].get_celld()
        said = {at: cell.get_text().get_text() for at, cell in cells.items()}
        columns = range(-1, 4)  # the first has the names
        rows = [[said[n, i].replace("−", "-") for i in columns] for n in range(6)]
        names, numbers = [row[0] for row in rows], [row[1:] for row in rows]
        tables[ax.get_title()] = names, np.array(numbers, dtype=float)
        colour = {"E": BLUE, "P": GOLD, "X": GREEN}[ax.get_title()[-1]]
        assert to_hex(cells[0, 0].get_facecolor()) == colour
    titles = "token E", "+ position P", "= input X"
    (rows, E), (places, P), (again, X) = (tables[title] for title in titles)
    assert rows == again == list("LLM张老师") and places == list("012345")
    assert np.allclose(P, [code(pos)[:4] for pos in range(6)], atol=0.0051)
    assert np.allclose(E + P, X, atol=0.0101) and (E[0] == E[1]).all()
    assert np.allclose(E[0], [0.62, -0.51, 0.09, 0.85]) and (X[0] != X[1]).any()


# ---- the circle ---------------------------------------------------------------------
def test_one_token_runs_round_a_circle(chapter):
    panel = chapter.cell["one-token-everywhere"]
    assert panel.alt.endswith(f"position {panel.values['pos']}.")
    for name, token in TOKENS.items():
        for pos in (0, 1, 3, 9, 40):
            said = panel.sentence_at({"token": name, "pos": pos})
            (ax,) = panel.canvas.figure.axes
            assert is_circle_of(ax, token) and leads_to(ax, name, token, pos)
            seen = {x.get_text(): x for x in ax.texts if x.get_visible()}
            for n in range(3):  # a dot has its number, or the hand's name is there
                assert (str(n) in seen) == (cos(n - pos) < 0.8)
                dot = token + tip(n)
                assert str(n) not in seen or distance(seen[str(n)], dot) < 0.25
            parts = (token, tip(pos), token + tip(pos))
            a, b, c = (f"({number(x)}, {number(y)})" for x, y in parts)
            spoken = {"L": "L", "张": "Zhāng"}[name]
            assert said == f"{spoken} at {pos}: {a} + {b} = {c}, 1.00 from {spoken}."
            assert "cosine" in ax.get_ylabel() and "cosine" not in ax.get_xlabel()


def test_each_pair_is_a_circle(chapter):
    panel = chapter.cell["one-sum-in-all-pairs"]
    for d_model, base, pos in ((8, 10_000, 9), (2, 100, 6), (8, 10, 63), (4, 100, 1)):
        said = panel.sentence_at({"d_model": d_model, "base": base, "pos": pos})
        seen = [ax for ax in panel.canvas.figure.axes if ax.get_visible()]
        for i, ax in zip(range(d_model // 2), seen, strict=True):
            rate = base ** (-2 * i / d_model)
            assert ax.get_title() == f"pair {i}"
            ((middle, end),) = hands(ax)
            assert np.allclose([*middle, *end], [0, 0, *tip(pos * rate)])
            dots, now = sorted(lines(ax, GREEN, "o"), key=lambda x: -len(x.get_xdata()))
            assert np.allclose(dots.get_xydata(), [tip(n * rate) for n in range(64)])
            assert np.allclose(now.get_xydata(), [end])
        part = 100 * min(63 * rate / (2 * pi), 1)
        assert f"64 positions fill {part:.0f} %" in said
        assert f"on {i + 1} circle" in said and f"pair {i}," in said
    assert f"at position {panel.values['pos']} and" in panel.alt


# ---- times the root of d ------------------------------------------------------------
def test_a_code_of_512_columns_is_16_long(chapter):
    assert right_answer(chapter, "how-long-is-a-code") == f"{hypot(*code(3, 512)):.0f}"
    (ax,) = chapter.cell["three-lengths"].axes
    names = [label.get_text() for label in ax.get_yticklabels()]
    wanted = {"untrained token": 1, "code": 16, "token × √d": sqrt(512)}
    for name, bar, words in zip(names, ax.patches, ax.texts, strict=True):
        assert isclose(bar.get_width(), wanted.pop(name), rel_tol=0.01)
        assert words.get_text() == f"{bar.get_width():.1f}"
        assert to_hex(bar.get_facecolor()) == (GOLD if name == "code" else BLUE)


def test_the_factor_puts_two_tokens_where_they_were(chapter):
    panel = chapter.cell["times-root-d"]
    for d_model in (4, 64, 1024):
        for factor, scale in (("1", 1 / sqrt(d_model)), ("√d", 1)):
            said = panel.sentence_at({"d_model": d_model, "factor": factor})
            (ax,) = panel.canvas.figure.axes
            for name, pos in (("L", 2), ("张", 7)):
                token = scale * TOKENS[name]
                assert is_circle_of(ax, token) and leads_to(ax, name, token, pos)
                (word,) = (text for text in ax.texts if text.get_text() == name)
                other = scale * TOKENS["张" if name == "L" else "L"]
                assert distance(word, token) < distance(word, other)
            apart = scale * hypot(*(L - ZHANG))
            assert f"the two centres are {apart:.2f} apart, the radius is 1." in said
            token, place = scale * sqrt(d_model), sqrt(d_model / 2)
            assert f"about {token:.0f} long, a code {place:.1f}." in said
            assert ax.get_title() == f"d_model = {d_model}, embeddings times {factor}"
    assert f"{hypot(*(L - ZHANG)) / 8:.2f} apart" in panel.alt


def test_one_token_stands_out_once_it_is_scaled(chapter):
    (ax,) = chapter.cell["whose-sum-is-it"].axes
    names = [label.get_text() for label in ax.get_yticklabels()]
    tokens, place = chapter.untrained, code(9, 512)
    parts = {"a code alone": 0, "untrained token + code": 1}
    parts["token × √d + code"] = sqrt(512)
    own = {x.get_ydata()[0]: x.get_xdata()[0] for x in lines(ax, BLUE, "s")}
    clouds = sorted(lines(ax, GREY, "|"), key=lambda x: np.mean(x.get_ydata()))
    for row, (name, dots) in enumerate(zip(names, clouds, strict=True)):
        total = parts[name] * tokens[0] + place
        cosine = tokens @ total / hypot(*total) / np.linalg.norm(tokens, axis=1)
        assert np.allclose(dots.get_xdata(), cosine[1 if parts[name] else 0 :])
        assert isclose(own.pop(row, cosine[0]), cosine[0])
    assert not own and names == list(parts)
    assert f"at {cosine[0]:.2f}." in alt(chapter.said["whose-sum-is-it"])


# ---- concatenated, twice ---------------------------------------------------
def test_both_products_are_written_as_they_are(chapter):
    for ax in chapter.cell["adding-is-concatenating"].axes:
        tiles = {}
        for tile in ax.patches:
            x, y = tile.get_xy()
            at = (round(x + 0.5, 6), round(y + 0.5, 6))
            (word,) = (t for t in ax.texts if np.allclose(t.get_position(), at))
            value = int(word.get_text().replace("−", "-"))
            tiles.setdefault(to_hex(tile.get_facecolor()), {})[at[::-1]] = value
        white = tiles["#ffffff"]
        matrix = np.array([white[at] for at in sorted(white)]).reshape(3, -1)
        by_colour = {c: [x for _, x in sorted(at.items())] for c, at in tiles.items()}
        vector = sum((by_colour.get(c, []) for c in (BLUE, GOLD, GREEN)), [])
        assert (matrix @ vector == by_colour[draw.PALE.lower()]).all()
        copies = {"[W W] reads [x; p]": 2, "W reads x + p": 1}[ax.get_title()]
        assert (matrix == np.hstack([chapter.W] * copies)).all()
        both = np.append(chapter.x, chapter.p)
        assert vector == (both if copies == 2 else chapter.x + chapter.p).tolist()
        halves = [range(3 * half, 3 * half + 3) for half in range(copies)]
        across = sorted({at[1] for at in white})  # where the columns of W stand
        for half, read in zip(halves, ("meets x", "meets p")):
            middle = np.mean([across[column] for column in half])
            below = [t for t in ax.texts if t.get_text() == read]
            assert copies == 1 or abs(below[0].get_position()[0] - middle) < 0.5


def test_two_chords_of_one_offset_are_equally_long(chapter):
    chord = hypot(*(tip(7) - tip(5)))
    assert np.allclose([chord**2, 2 - 2 * cos(2)], hypot(*(tip(22) - tip(20))) ** 2)
    assert right_answer(chapter, "how-far-is-the-other-token") == "Equally far."
    axes = chapter.cell["two-chords-of-one-length"].axes
    for ax, name, n, m in zip(axes, "L张", (5, 20), (7, 22), strict=True):
        token = TOKENS[name]
        assert is_circle_of(ax, token)
        assert all(leads_to(ax, name, token, pos) for pos in (n, m))
        (line,) = lines(ax, MARK)
        assert np.allclose(line.get_xydata(), token + [tip(n), tip(m)])
        assert ax.get_title() == f"k = {m - n}: chord {chord:.2f}"
    said = alt(chapter.said["two-chords-of-one-length"])
    assert said.endswith(f": {chord:.2f}.")
    assert "L with hands to its sums at 5 and 7" in said and "at 20 and 22." in said


def test_distances_of_2_and_of_64_columns(chapter):
    (ax,) = chapter.cell["chord-and-all-chords"].axes
    names = named(ax)
    for d_model in (2, 64):
        apart = [hypot(*(code(k, d_model) - code(0, d_model))) for k in range(64)]
        assert np.allclose(names[f"{d_model} columns"].get_data(), [range(64), apart])
    assert np.allclose(names["64 columns\nat k = 1"].get_ydata(), apart[1])
    assert f"{apart[1]:.2f} for" in alt(chapter.said["chord-and-all-chords"])
    assert min(apart[8:]) > apart[1]


def test_equal_offsets_are_equally_far_with_sines_alone(chapter):
    (ax,) = chapter.cell["computed-or-learned"].axes
    tables = {"learned,\nuntrained": chapter.table}
    tables["computed"] = np.array([code(n) for n in range(63)])
    for name, rows in tables.items():
        apart = np.linalg.norm(rows[2:63] - rows[:61], axis=1)
        assert np.allclose(named(ax)[name].get_data(), [range(61), apart])
        low, high = np.quantile(apart, (0, 1)).round(2 if name == "computed" else 1)
        wanted = f"is {low} every" if low == high else f"between {low} and {high}."
        assert wanted in alt(chapter.said["computed-or-learned"])


def test_each_pair_reads_the_offset_up_to_whole_turns(chapter):
    axes = chapter.cell["one-sawtooth-a-pair"].axes
    for ax, pair in zip(axes, (0, 4, 8), strict=True):
        wave = 2 * pi * 10_000 ** (2 * pair / 64)
        assert ax.get_title() == f"pair {pair}: {wave:.1f} a turn"
        (teeth,) = lines(ax, draw.POSITION_EDGE.lower())
        k, read = teeth.get_data()
        there = ~np.isnan(read)
        turns = (k - read)[there] / wave
        assert np.allclose(turns, turns.round(), atol=1e-6) and there.mean() > 0.8
        assert np.abs(read[there]).max() <= wave / 2 + 1e-6
