"""Chapter 3: the sum runs round a circle; two tokens, a triangle."""

from math import cos, dist, hypot, pi, sqrt

import numpy as np

from course import draw
from tests.support import reading
from tests.support.oracle import code, tip
from tests.support.reading import named, numbers, same, says, set_to

TOKENS = {"L": np.array([0.62, -0.51]), "张": np.array([0.43, 1.09])}
TOKENS["老"] = np.array([1.30, -0.05])
SPOKEN = {"L": "L", "张": "Zhāng", "老": "lǎo"}
BLUE, GOLD, GREEN = draw.TOKEN.lower(), draw.POSITION.lower(), draw.SUM.lower()
MARK, GREY, EDGE = draw.MARK.lower(), draw.GREY.lower(), draw.POSITION_EDGE.lower()


def lines(ax, colour, marker=""):
    """The lines of axes that have a colour and a marker: their points."""
    return [x.get_xydata() for x in reading.lines_in(ax, colour, marker=marker)]


def check_among(found, wanted):
    """One of these is as wanted; if not, the nearest of them is shown."""
    alike = [x for x in found if np.shape(x) == np.shape(wanted)]
    same(min(alike, key=lambda x: abs(x - wanted).max(), default=[]), wanted)


def check_token(ax, name):
    """Its tile stands amid the circle of its sums, which run clockwise."""
    token = TOKENS[name]
    check_among(lines(ax, GREEN, "v"), [token + (1, 0)])
    check_among(lines(ax, GREEN, "o"), [token + tip(pos) for pos in range(7)])
    check_among(lines(ax, BLUE, "s"), [token])
    assert reading.text_at(ax, token, TOKENS) == name


def check_sum(ax, name, pos):
    """A green point, with its name outside of the circle."""
    check_among(lines(ax, GREEN, "o"), [TOKENS[name] + tip(pos)])
    sums = [words for words in reading.texts_in(ax) if " at " in words]
    assert reading.text_at(ax, TOKENS[name] + tip(pos, 1.4), sums) == f"{name} at {pos}"


def check_hand_to_sum(ax, name, pos):
    check_among(lines(ax, GOLD), [TOKENS[name], TOKENS[name] + tip(pos)])
    check_sum(ax, name, pos)


def test_the_cover_has_one_token_and_one_sum(chapter):
    lines = named(chapter.cell["one-token-in-an-empty-plane"].axes[0])
    token, total = TOKENS["L"], TOKENS["L"] + tip(0)
    same(lines["token"].get_xydata(), [token])
    same(lines["+ position 0"].get_xydata(), [token, total])
    same(lines["= sum: L at 0"].get_xydata(), [total])


def test_the_letter_l_stands_out_at_its_three_places(chapter):
    axes = chapter.cell["one-letter-on-two-lines"].axes
    for ax, places in zip(axes, ([0, 1], [9]), strict=True):
        blue = reading.patches_in(ax, BLUE)
        assert [reading.words_in(ax, tile) for tile in blue] == [["L"]] * len(places)


def test_three_tables_add_up(chapter):
    codes = np.array([code(pos)[:4] for pos in range(2)])
    letter = chapter.embedding["L"][:4]
    tables = {"E": [letter, letter], "P": codes, "X": letter + codes}
    axes = chapter.cell["three-tables"].axes
    for ax, (name, table) in zip(axes, tables.items(), strict=True):
        assert ax.get_title().endswith(name), ax.get_title()
        reading.check_table(ax, ["0 ", "1 "] if name == "P" else ["L ", "L "], table)


def test_one_of_three_places_is_that_of_the_sums(chapter):
    axes = chapter.cell["three-places-for-the-sums"].axes
    line, origin, right = (np.array(lines(ax, GREEN, "o")[0]) for ax in axes)
    away = line - TOKENS["L"]
    same(away[:, 0], away[:, 1])  # a line from L on
    codes = np.array([tip(pos) for pos in range(64)])
    same(origin, codes)
    same(right, TOKENS["L"] + codes)
    question = "where-do-the-sums-lie"
    reading.check_frames(chapter, "three-places-for-the-sums", question)


def test_one_token_runs_round_a_circle(chapter):
    panel = chapter.cell["one-token-everywhere"]
    for name, pos in (("老", 1), ("L", 0), ("老", 40), ("L", 9)):
        said, (ax,) = set_to(panel, token=name, pos=pos)
        token, total = TOKENS[name], TOKENS[name] + tip(pos)
        check_token(ax, name)
        check_hand_to_sum(ax, name, pos)
        assert f"{SPOKEN[name]} at {pos}" in said, said
        says(said, pos, dist(token, total))
    same(numbers(panel.alt)[-1], pos)


def test_each_pair_is_a_circle(chapter):
    panel = chapter.cell["one-sum-in-all-pairs"]
    for d_model, pos in ((8, 9), (2, 6), (4, 63), (8, 1)):
        said, axes = set_to(panel, d_model=d_model, pos=pos)
        seen = [ax for ax in axes if ax.get_visible()]
        for i, ax in zip(range(d_model // 2), seen, strict=True):
            rate = 10_000 ** (-2 * i / d_model)
            check_among(lines(ax, GOLD), [(0, 0), tip(pos * rate)])
            check_among(lines(ax, GREEN, "o"), [tip(pos * rate)])
            check_among(lines(ax, GREEN, "o"), [tip(n * rate) for n in range(64)])
        part = 100 * min(63 * rate / (2 * pi), 1)
        says(said, i, 64, part)


def test_a_code_of_512_columns_is_16_long(chapter):
    vote, length = "how-long-is-a-code", hypot(*code(3, 512))
    says(reading.right_answer(chapter, vote), length)
    token = np.mean([hypot(*row) for row in chapter.untrained])
    (ax,) = chapter.cell["three-lengths"].axes
    widths = dict(sorted((bar.get_y(), bar.get_width()) for bar in ax.patches))
    same([*widths.values()], [token, length, sqrt(512) * token])
    for cell in ("a-hand-for-each-of-256-pairs", vote):
        (ax,) = chapter.cell[cell].axes
        same(dist(*lines(ax, BLUE)[0]), 1)  # the token, as long as a hand
        drawn, whole = lines(ax, EDGE)[:256], lines(ax, EDGE)[256:]
        same([end - start for start, end in drawn], np.reshape(code(9, 512), (256, 2)))
        same([dist(*ends) for ends in whole], [length] if cell == vote else [])


def test_one_token_stands_out_once_it_is_scaled(chapter):
    (ax,) = chapter.cell["whose-sum-is-it"].axes
    tokens, names = chapter.untrained, reading.ticks(ax.yaxis)
    scales = {"alone": 0, "untrained": 1, r"\sqrt{d}": sqrt(512)}
    for row, (word, scale) in enumerate(scales.items()):
        assert word in names[row]
        dots = tokens @ (scale * tokens[0] + code(9, 512))
        check_among(lines(ax, GREY, "|"), np.transpose([dots, [row] * 1000]))
        if scale:
            check_among(lines(ax, BLUE, "s"), [(dots[0], row)])


def test_what_is_found_in_16_columns(chapter):
    curves = named(chapter.cell["found-against-width"].axes[0])
    draws = np.random.default_rng(seed=9)
    tokens, codes = draws.normal(size=(1000, 16)), [code(n, 16) for n in range(100)]
    which, pos = draws.integers(1000, size=9000), draws.integers(100, size=9000)
    sums = tokens[which] + np.array(codes)[pos]
    token = sums @ np.linalg.pinv(sums) @ tokens[which]
    name_found = (token @ tokens.T).argmax(axis=1) == which
    place_found = ((sums - token) @ np.transpose(codes)).argmax(axis=1) == pos
    for name, found in ("token", name_found), ("exact position", place_found):
        same(curves[name].get_ydata()[1], 100 * found.mean(), atol=5)


def test_both_products_are_written_as_they_are(chapter):
    (ax,) = chapter.cell["adding-is-concatenating"].axes
    columns = {}  # the left of its tiles → its numbers, from the top
    for tile in sorted(ax.patches, key=lambda tile: tile.get_y()):
        column = columns.setdefault(tile.get_x(), [])
        column += numbers(*reading.words_in(ax, tile))
    shown = [columns[left] for left in sorted(columns)]
    same(np.transpose(shown[:6]), np.hstack([chapter.W, chapter.W]))
    same(shown[6], [*chapter.x, *chapter.p])
    same(np.transpose(shown[8:11]), chapter.W)
    same(shown[11], chapter.x + chapter.p)
    same([shown[7], shown[12]], 2 * [chapter.W @ (chapter.x + chapter.p)])


def test_two_chords_of_one_offset_are_equally_long(chapter):
    axes = chapter.cell["two-chords-of-one-length"].axes
    chord = dist(tip(2), tip(0))
    for ax, name, (n, m) in zip(axes, "L张", ((5, 7), (20, 22)), strict=True):
        check_token(ax, name)
        check_hand_to_sum(ax, name, n)
        check_hand_to_sum(ax, name, m)
        check_among(lines(ax, MARK), [TOKENS[name] + tip(n), TOKENS[name] + tip(m)])
        says(ax.get_title(), 2, chord)
    told = reading.in_alt(chapter, "two-chords-of-one-length")
    same(told, [5, 7, 20, 22, chord], atol=0.0051)
    axes = chapter.cell["two-tokens-with-their-circles"].axes
    for ax, name, pos in zip(axes, "L张", (2, 7), strict=True):
        check_token(ax, name)
        check_hand_to_sum(ax, name, pos)


def test_one_of_two_distances_is_given(chapter):
    told, asked = chapter.cell["one-distance-of-two"].axes
    _, answered = chapter.cell["across-two-tokens"].axes
    assert not lines(asked, MARK)
    for ax, n in (told, 5), (answered, 20):
        ends = [TOKENS["L"] + tip(n), TOKENS["张"] + tip(n + 2)]
        same(lines(ax, MARK), [ends])
        check_sum(ax, "L", n)
        check_sum(ax, "张", n + 2)
        told_of = " ".join(x for x in reading.texts_in(ax) if "distance" in x)
        says(told_of, n, n + 2, dist(*ends))


def test_a_side_of_the_triangle_turns_and_moves_the_cross_term(chapter):
    panel = chapter.cell["the-offset-and-the-place"]
    for second, pos, k in (("张", 20, 1), ("L", 7, 3), ("张", 9, 3), ("张", 5, 2)):
        said, (ax,) = set_to(panel, second=second, pos=pos, k=k)
        check_token(ax, "L")
        check_token(ax, second)
        corners = [("L", pos), (second, pos), (second, pos + k)]
        for corner in corners:
            check_sum(ax, *corner)
        a, b, c = (TOKENS[name] + tip(place) for name, place in corners)
        sides = {r"$\Delta x$": (BLUE, a, b), r"$\Delta p$": (GOLD, b, c)}
        for name, (colour, *ends) in (sides | {"distance": (MARK, a, c)}).items():
            check_among(lines(ax, colour), ends)
            if not dist(*ends):
                continue
            way, place = np.diff(ends, axis=0)[0], reading.place(ax, name) - ends[0]
            share = place @ way / (way @ way)
            aside = place - share * way
            assert 0 < share < 1 and 0.1 < hypot(*aside) < 0.3  # beside its side,
            assert aside @ ((a + b + c) / 3 - ends[0]) < 1e-9  # outside of the triangle
        tokens, codes, square = dist(a, b) ** 2, 2 - 2 * cos(k), dist(a, c) ** 2
        assert f"{SPOKEN[second]} at {pos + k}" in said, said
        says(said, pos, pos + k, sqrt(square), square - tokens - codes)
    says(panel.alt, pos, pos, pos + k, pos, pos + k)


def test_distances_in_2_and_in_64_columns(chapter):
    curves = named(chapter.cell["chord-and-all-chords"].axes[0])
    for d_model in (2, 64):
        apart = [dist(code(k, d_model), code(0, d_model)) for k in range(64)]
        same(curves[f"{d_model} columns"].get_data(), [range(64), apart])
    same(curves["64 columns\nat $k$ = 1"].get_ydata(), apart[1])


def test_each_pair_reads_the_offset_up_to_whole_turns(chapter):
    axes = chapter.cell["one-sawtooth-a-pair"].axes
    for ax, pair in zip(axes, (0, 4, 8), strict=True):
        wave = 2 * pi * 10_000 ** (2 * pair / 64)
        says(ax.get_title(), pair, wave)
        (teeth,) = lines(ax, EDGE)
        k, read = teeth[~np.isnan(teeth[:, 1])].T
        same(np.sin(pi * (k - read) / wave), 0)
        assert len(k) > 300 and abs(read).max() <= wave / 2 + 1e-6, abs(read).max()
