"""Chapter 3: the sum runs round a circle; two tokens, a triangle."""

from math import cos, dist, hypot, pi, sqrt

import numpy as np
from matplotlib.colors import to_hex

import draw
from draw import number
from tests.pictures.reading import alt, code, look, named, right_answer, runs, tip

TOKENS = {"L": np.array([0.62, -0.51]), "张": np.array([0.43, 1.09])}
SPOKEN = {"L": "L", "张": "Zhāng"}
BLUE, GOLD, GREEN, MARK, GREY = (
    c.lower() for c in (draw.TOKEN, draw.POSITION, draw.SUM, draw.MARK, draw.GREY)
)


def lines(ax, colour, marker=""):
    """The lines of axes that have a colour and a marker: their points."""
    found = [x for x in ax.lines if look(x)[0] == colour and look(x)[2] == marker]
    return [x.get_xydata() for x in found]


def has(points, wanted):
    return any(len(x) == len(wanted) and np.allclose(x, wanted) for x in points)


def see_token(ax, name, *places):
    """Its tile stands amid the circle of its sums; hands lead to some, with names."""
    token = TOKENS[name]
    assert has([x.center for x in ax.patches if x.radius == 1], token)
    assert has(lines(ax, draw.GREY_TEXT, "v"), [token + (1, 0)])  # clockwise
    assert has(lines(ax, GREEN, "o"), [token + tip(pos) for pos in range(64)])
    assert has(lines(ax, BLUE, "s"), [token])
    assert has([x.get_position() for x in ax.texts if x.get_text() == name], token)
    for pos in places:
        assert has(lines(ax, GOLD), [token, token + tip(pos)])
        see_sum(ax, name, pos)


def see_sum(ax, name, pos):
    """A green point, with its name."""
    total = TOKENS[name] + tip(pos)
    assert has(lines(ax, GREEN, "o"), [total])
    words = [x.get_position() for x in ax.texts if x.get_text() == f"{name} at {pos}"]
    assert min(dist(word, total) for word in words) < 0.6


def test_the_cover_has_one_token_and_one_sum(chapter):
    (ax,) = chapter.cell["one-token-in-an-empty-plane"].axes
    L, total = TOKENS["L"], TOKENS["L"] + tip(0)
    ends = {"token": [L], "+ position": [L, total], "= sum": [total]}
    assert all(has([named(ax)[name].get_xydata()], ends[name]) for name in ends)


def test_the_letter_l_stands_out_at_its_three_places(chapter):
    found = []
    for ax in chapter.cell["one-letter-on-two-lines"].axes:
        words = {text.get_position(): text.get_text() for text in ax.texts}
        blue = [tile for tile in ax.patches if to_hex(tile.get_facecolor()) == BLUE]
        found += [round(tile.get_x() + tile.get_width() / 2) for tile in blue]
        assert all(words[n, 0] == "L" and words[n, -0.8] == str(n) for n in found[-1:])
    assert found == [0, 1, 9]
    said = alt(chapter.said["one-letter-on-two-lines"])
    assert "0 and 1 of the first" in said and "position 9 of the second" in said


def test_three_tables_add_up(chapter):
    E, P = chapter.E, np.array([code(pos) for pos in range(6)])
    wanted = {"token E": (E, "LLM张老师"), "+ position P": (P, "012345")}
    wanted["= input X"] = E + P, "LLM张老师"
    for ax in chapter.cell["three-tables"].axes:
        table, names = wanted.pop(ax.get_title())
        for (row, column), cell in ax.tables[0].get_celld().items():
            value = names[row] if column < 0 else number(table[row, column])
            assert cell.get_text().get_text() == value
    assert not wanted


def test_one_token_runs_round_a_circle(chapter):
    assert right_answer(chapter, "where-do-the-sums-lie") == "On a circle round L."
    panel = chapter.cell["one-token-everywhere"]
    assert panel.alt.endswith(f"position {panel.values['pos']}.")
    for name, pos in (("L", 0), ("张", 1), ("L", 9), ("张", 40)):
        said, spoken = panel.sentence_at({"token": name, "pos": pos}), SPOKEN[name]
        (ax,) = panel.canvas.figure.axes
        see_token(ax, name, pos)
        seen = {x.get_text(): x for x in ax.texts if x.get_visible()}
        for n in {"0", "1", "2"} & set(seen):
            assert dist(seen[n].get_position(), TOKENS[name] + tip(int(n))) < 0.25
        parts = TOKENS[name], tip(pos), TOKENS[name] + tip(pos)
        a, b, c = (f"({number(x)}, {number(y)})" for x, y in parts)
        assert said == f"{spoken} at {pos}: {a} + {b} = {c}, 1.00 from {spoken}."
        assert ax.get_xlabel() == "sine's column"


def test_each_pair_is_a_circle(chapter):
    panel = chapter.cell["one-sum-in-all-pairs"]
    assert f"at position {panel.values['pos']} and" in panel.alt
    for d_model, pos in ((8, 9), (2, 6), (4, 63), (8, 1)):
        said = panel.sentence_at({"d_model": d_model, "pos": pos})
        seen = [ax for ax in panel.canvas.figure.axes if ax.get_visible()]
        for i, ax in zip(range(d_model // 2), seen, strict=True):
            rate = 10_000 ** (-2 * i / d_model)
            assert ax.get_title() == f"pair {i}"
            assert has(lines(ax, GOLD), [(0, 0), tip(pos * rate)])
            assert has(lines(ax, GREEN, "o"), [tip(pos * rate)])
            assert has(lines(ax, GREEN, "o"), [tip(n * rate) for n in range(64)])
        part = 100 * min(63 * rate / (2 * pi), 1)
        assert f"on {i + 1} circle" in said
        assert f"pair {i}, 64 positions fill {part:.0f} %" in said


def test_two_tokens_with_their_circles(chapter):
    left, right = chapter.cell["two-tokens-with-their-circles"].axes
    see_token(left, "L", 2)
    see_token(right, "张", 7)
    assert "L at 2, Zhāng at 7" in alt(chapter.said["two-tokens-with-their-circles"])


def test_a_code_of_512_columns_is_16_long(chapter):
    assert right_answer(chapter, "how-long-is-a-code") == f"{hypot(*code(3, 512)):.0f}"
    said = alt(chapter.said["three-lengths"])
    assert "token 1.0, a code 16.0" in said and f"of d {sqrt(512):.1f}." in said


def test_one_token_stands_out_once_it_is_scaled(chapter):
    (ax,) = chapter.cell["whose-sum-is-it"].axes
    names = "a code alone", "untrained token + code", "token × √d + code"
    assert [label.get_text() for label in ax.get_yticklabels()] == list(names)
    tokens = chapter.untrained
    for row, scale in enumerate((0, 1, sqrt(512))):
        dots = tokens @ (scale * tokens[0] + code(9, 512))
        assert has(lines(ax, GREY, "|"), np.transpose([dots, [row] * 1000]))
        assert has(lines(ax, BLUE, "s"), [(dots[0], row)]) == (scale > 0)


def test_what_is_found_in_16_columns(chapter):
    curves = named(chapter.cell["found-against-width"].axes[0])
    draws = np.random.default_rng(seed=9)
    tokens, codes = draws.normal(size=(1000, 16)), [code(n, 16) for n in range(100)]
    which, pos = draws.integers(1000, size=9000), draws.integers(100, size=9000)
    sums = tokens[which] + np.array(codes)[pos]
    token = sums @ np.linalg.pinv(sums) @ tokens[which]
    found = {"token": (token @ tokens.T).argmax(axis=1) == which}
    found["exact position"] = ((sums - token) @ np.transpose(codes)).argmax(
        axis=1
    ) == pos
    for name, right in found.items():
        assert np.isclose(curves[name].get_ydata()[1], 100 * right.mean(), atol=5)
    assert "and 96 at 512." in alt(chapter.said["found-against-width"])


def test_both_products_are_written_as_they_are(chapter):
    (ax,) = chapter.cell["adding-is-concatenating"].axes
    words = {text.get_position(): text.get_text() for text in ax.texts}
    columns = {}  # the left of its tiles → its numbers, from the top
    for tile in sorted(ax.patches, key=lambda tile: tile.get_y()):
        left, top = tile.get_xy()
        value = int(words[left + 0.5, top + 0.5].replace("−", "-"))
        columns.setdefault(left, []).append(value)
    numbers = [columns[left] for left in sorted(columns)]
    wide, both, product = np.transpose(numbers[:6]), *numbers[6:8]
    W, total, again = np.transpose(numbers[8:11]), *numbers[11:]
    assert (wide == np.hstack([W, W])).all() and (W == chapter.W).all()
    assert both == [*chapter.x, *chapter.p] and total == [*(chapter.x + chapter.p)]
    assert (wide @ both == product).all() and product == again
    assert words[1.5, 5] == "meets x" and words[4.7, 5] == "meets p"


def test_two_chords_of_one_offset_are_equally_long(chapter):
    axes = chapter.cell["two-chords-of-one-length"].axes
    for ax, name, (n, m) in zip(axes, "L张", ((5, 7), (20, 22)), strict=True):
        see_token(ax, name, n, m)
        assert has(lines(ax, MARK), [TOKENS[name] + tip(n), TOKENS[name] + tip(m)])
        assert ax.get_title() == f"k = 2: chord {dist(tip(m), tip(n)):.2f}"
    assert ax.get_title()[-4:] in alt(chapter.said["two-chords-of-one-length"])


def test_a_side_of_the_triangle_turns_and_moves_the_cross_term(chapter):
    panel = chapter.cell["the-offset-and-the-place"]
    assert "at 5 to Zhāng at 5, a golden side, a chord, on to Zhāng at 7" in panel.alt
    for second, pos, k in (("张", 5, 2), ("张", 20, 1), ("L", 7, 3), ("张", 9, 3)):
        said = panel.sentence_at({"second": second, "pos": pos, "k": k})
        (ax,) = panel.canvas.figure.axes
        see_token(ax, "L")
        see_token(ax, second)
        corners = [("L", pos), (second, pos), (second, pos + k)]
        a, b, c = (TOKENS[name] + tip(place) for name, place in corners)
        for name, ends in {"Δx": (a, b), "Δp": (b, c), "distance": (a, c)}.items():
            assert runs(named(ax)[name], *ends)
        for corner in corners:
            see_sum(ax, *corner)
        whole, tokens, codes = dist(a, c), dist(a, b) ** 2, 2 - 2 * cos(k)
        cross = number(whole**2 - tokens - codes)
        assert said == (
            f"L at {pos}, {SPOKEN[second]} at {pos + k}: distance {whole:.2f}. Its"
            f" square: tokens {tokens:.2f}, codes {codes:.2f}, cross term {cross}."
        )


def test_distances_in_2_and_in_64_columns(chapter):
    curves = named(chapter.cell["chord-and-all-chords"].axes[0])
    for d_model in (2, 64):
        apart = [dist(code(k, d_model), code(0, d_model)) for k in range(64)]
        assert np.allclose(curves[f"{d_model} columns"].get_data(), [range(64), apart])
    assert np.allclose(curves["64 columns\nat k = 1"].get_ydata(), apart[1])
    assert f"{apart[1]:.2f} for" in alt(chapter.said["chord-and-all-chords"])


def test_each_pair_reads_the_offset_up_to_whole_turns(chapter):
    axes = chapter.cell["one-sawtooth-a-pair"].axes
    for ax, pair in zip(axes, (0, 4, 8), strict=True):
        wave = 2 * pi * 10_000 ** (2 * pair / 64)
        assert ax.get_title() == f"pair {pair}: {wave:.1f} a turn"
        (teeth,) = lines(ax, draw.POSITION_EDGE.lower())
        k, read = teeth[~np.isnan(teeth[:, 1])].T
        assert np.allclose(np.sin(pi * (k - read) / wave), 0) and len(k) > 300
        assert np.abs(read).max() <= wave / 2 + 1e-6
