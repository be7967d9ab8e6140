"""Chapter 6: the blocks of H, a drawn curve, the bump, and what tokens do to a head."""

import itertools
from math import cos, isclose, pi, sin

import numpy as np
from matplotlib.colors import same_color

import draw
from draw import number
from tests.pictures import reading
from tests.pictures.reading import alt, block, code, named, right_answer, runs, tip

FAR = 100_000
KEYS = ["The", "keys", "to", "the", "old", "cabinet", "are", "lost"]
codes = np.vectorize(code, signature="()->(d)")


def rotation(k, d_model=64):
    """R_k, block by block."""
    R = np.zeros((d_model, d_model))
    for i in range(0, d_model, 2):
        R[i : i + 2, i : i + 2] = block(k * 10_000 ** (-i / d_model))
    return R


def weights_of(X, H):
    """What the last row gives to each row, in 64 dimensions."""
    shares = np.exp([X[-1] @ H @ key / 8 - 40 for key in X])
    return shares / shares.sum()


def per_cent(share):
    return f"{100 * share:.0f}\N{NO-BREAK SPACE}%"


def heights(ax, colour=draw.POSITION):
    """The heights of the bars of a colour, from left to right."""
    bars = [x for x in ax.patches if same_color(x.get_facecolor(), colour)]
    return [x.get_height() for x in sorted(bars, key=lambda bar: bar.get_x())]


def assert_sentence(ax, words, start, weights, colour, wanted):
    """Bars, words and places, and arcs from word 6 to the winner and the wanted one."""
    assert np.allclose(heights(ax, colour), [*weights, 0])
    texts, winner = reading.texts_of(ax), int(np.argmax(weights))
    for n, word in enumerate(words):
        assert texts[f"{word}\n{start + n}"].get_position()[0] == n
    arcs = [line for line in ax.lines if len(line.get_xdata()) == 60]
    for colour, end in ((draw.MARK, winner), (draw.GREY, 6 - wanted)):
        (path,) = (arc for arc in arcs if same_color(arc.get_color(), colour))
        assert np.allclose(path.get_xdata()[[0, -1]], [6, end])
    assert winner in [x.get_xdata()[0] for x in ax.lines if x.get_marker() == "v"]
    assert (f"{6 - winner} back" if winner < 6 else "itself") in texts
    assert ("wanted" in texts) == (winner != 6 - wanted)
    assert texts[per_cent(max(weights))].xy[0] == winner


def test_the_same_look_at_0_and_at_1000(chapter):
    name = "the-same-look-at-0-and-at-1000"
    for ax, start in zip(chapter.cell[name].axes, (0, 1000), strict=True):
        weights = weights_of(codes(range(start, start + 7)), 8 * rotation(5))
        assert_sentence(ax, KEYS, start, weights, draw.POSITION, wanted=5)
    assert f"highest, {100 * max(weights):.0f} %, over keys" in alt(chapter.said[name])
    assert "to keys, 5 back" in alt(chapter.said[name])


def test_two_terms_are_flat_and_two_wander(chapter):
    above, below = chapter.cell["two-flat-two-wandering"].axes
    x, y = np.random.default_rng(seed=4).normal(size=(2, 64))
    terms = {
        "content · content": lambda m: x @ y,
        "position · position": lambda m: code(m) @ code(m - 5),
        "content · position": lambda m: x @ code(m - 5),
        "position · content": lambda m: code(m) @ y,
    }
    for label, line in (named(above) | named(below)).items():
        assert np.allclose(line.get_ydata(), [*map(terms.pop(label), line.get_xdata())])
        assert (np.ptp(line.get_ydata()) < 1e-9) == (line.axes is above)
    assert above.get_ylim() == below.get_ylim()
    flat = "Above content with content and position with position are flat"
    assert flat in alt(chapter.said["two-flat-two-wandering"])


def test_blocks_of_alpha_and_beta(chapter):
    (ax,) = chapter.cell["blocks-of-alpha-and-beta"].axes
    R, letters = rotation(0.5, 8), {"0": 0}  # there, α is a cosine and β is a sine
    for i, (c, s) in enumerate(zip(np.diag(R)[::2], np.diag(R, 1)[::2])):
        letters |= {rf"$\alpha_{i}$": c, rf"$\beta_{i}$": s, rf"−$\beta_{i}$": -s}
    written = reading.cells(ax)
    assert np.allclose(np.vectorize(letters.get, otypes=[float])(written), R)
    rows = "alpha and beta in the first row, minus beta and alpha in the second"
    assert rows in alt(chapter.said["blocks-of-alpha-and-beta"])


def test_even_part_and_odd_part(chapter):
    (ax,) = chapter.cell["even-part-and-odd-part"].axes
    H = 0.6 * np.eye(2) + 0.8 * block(pi / 2)
    for label, wave in (
        ("α cos jω", lambda j: 0.6 * cos(0.25 * j)),
        ("β sin jω", lambda j: 0.8 * sin(0.25 * j)),
        ("their sum", lambda j: tip(0.25 * j) @ H @ tip(0)),
    ):
        j, values = named(ax)[label].get_data()
        assert np.allclose(values, [wave(at) for at in j])
    top = f"highest about {j[values.argmax()]:.0f} back"
    assert top in alt(chapter.said["even-part-and-odd-part"])


def test_three_questions(chapter):
    assert " and " in right_answer(chapter, "which-terms-keep-their-value")
    assert right_answer(chapter, "which-curve-is-hard").startswith("Up and down")
    assert right_answer(chapter, "where-does-are-look") == "itself"


def test_the_head_obeys_at_every_place(chapter):
    panel = chapter.cell["draw-a-curve-the-head-obeys"]
    for a, b in ((12, 0), (4, 8), (0, 12)):
        wish = np.interp(range(17), [0, 3, 8, 13, 16], [0, a, b, 4, 0])
        H = chapter.head_for(wish)
        asked = [code(16) @ H @ code(16 - j) / 8 for j in range(17)]
        np.testing.assert_allclose(asked, wish, atol=1.3)  # its corners are round
        weights = np.exp(asked) / np.exp(asked).sum()
        for place in (1_000, FAR, 16):
            said = panel.sentence_at({"back_3": a, "back_8": b, "place": place})
            above, below = panel.canvas.figure.axes
            lines = named(above)
            got = lines[f"the head at {place:,}"].get_ydata()
            np.testing.assert_allclose(got, asked, atol=1e-8)  # nothing moves
            np.testing.assert_allclose(lines["your curve"].get_ydata(), wish)
            np.testing.assert_allclose(above.lines[2].get_data(), [(3, 8), (a, b)])
            np.testing.assert_allclose(heights(below), weights, atol=1e-8)
        got = ", ".join(number(asked[k], 1) for k in (3, 8, 13))
        best, share = weights.argmax(), per_cent(weights.max())
        assert said.startswith(f"At place 16 the head scores {got}. Of 17 words,")
        assert said.endswith(f" the one {best} back gets {share}.")
    assert f"{share} for the word {best} back".replace("\xa0", " ") in panel.alt
    for ax in chapter.cell["one-curve-at-three-places"].axes:  # the last one, again
        for line, values in zip(ax.lines, (wish, asked), strict=True):
            np.testing.assert_allclose(line.get_ydata(), values, atol=1e-8)


def test_up_and_down_is_too_much(chapter):
    (ax,) = chapter.cell["up-and-down"].axes
    wish = [12, 0] * 8 + [12]
    assert np.allclose(named(ax)["asked for"].get_ydata(), wish)
    j = np.outer(range(17), 10_000 ** (-np.arange(32) / 32))
    waves = np.hstack([np.cos(j), np.sin(j)])
    got = waves @ np.linalg.lstsq(waves, np.array(wish), rcond=0.01)[0]
    assert np.allclose(named(ax)["the head"].get_ydata(), got, atol=0.01)
    between = f"stays between {min(got):.0f} and {max(got[2:-2]):.0f} and rises to"
    assert f"{between} {max(got):.0f} only at" in alt(chapter.said["up-and-down"])
    options = chapter.said["which-curve-is-hard"]
    assert f"misses by up to {max(abs(got - wish)):.1f}" in str(options)


def test_the_bump_walks(chapter):
    panel = chapter.cell["the-bump-walks"]
    assert "its top at offset 5" in panel.alt and "of pairs 4, 8 and 12" in panel.alt
    for k in (5, -3, 0, 12):
        said = panel.sentence_at({"k": k})
        axes = {ax.get_title(): ax for ax in panel.canvas.figure.axes}
        for pair in (0, 4, 8, 12):
            angle = k * 10_000 ** (-pair / 32)
            assert runs(axes[f"pair {pair}"].lines[0], (0, 0), tip(angle))
        ax = axes["score, divided by 32"]
        (line,) = (x for x in ax.lines if len(x.get_xdata()) == 51)
        query = code(100 + k)  # a key j back, turned on by k
        mean = [query @ code(100 + j) / 32 for j in line.get_xdata()]
        assert np.allclose(line.get_ydata(), mean)
        assert np.allclose(ax.lines[1].get_xydata(), [[k, 1]])
        looks = f"{abs(k)} {'back' if k > 0 else 'ahead'}" if k else "at its own place"
        rival = per_cent(sorted(mean)[-2])
        assert said.startswith(f"Highest {looks}: all 32 cosines are 1.")
        assert said.endswith(f"The best rival has {rival}.")
        sides = reading.texts_of(ax)
        assert sides["ahead"].get_position()[0] < 0 < sides["back"].get_position()[0]


def test_one_line_darkens(chapter):
    X, shares = codes(range(200)), []
    for ax, s in zip(chapter.cell["one-line-darkens"].axes, (1, 8, 32), strict=True):
        for m in (3, 11, 29):
            row = np.array(ax.images[0].get_array())[m]
            assert np.allclose(row[: m + 1], weights_of(X[: m + 1], s * rotation(5)))
        shares.append(weights_of(X[:30], s * rotation(5))[24])
        assert ax.get_title() == f"s = {s}: {per_cent(shares[-1])}"
        assert ax.get_xlabel() == "looks at n"
    words = "row gives {:.0%}, {:.0%} and {:.0%} to the word 5 back".format(*shares)
    assert words.replace("%", " %") in alt(chapter.said["one-line-darkens"])


def test_the_verb_looks_at_itself(chapter):
    panel = chapter.cell["a-verb-with-its-token"]
    assert "with tokens added, are gives 100 % to itself" in panel.alt
    for tokens, gain in itertools.product(("apart", "added"), (1, 8, 32)):
        X = codes(range(100, 107))
        said = panel.sentence_at({"gain": gain, "tokens": tokens})
        if tokens == "added":
            X += chapter.token_vectors(KEYS)[:7]
        weights = weights_of(X, gain * rotation(5))
        assert weights.argmax() == (6 if tokens == "added" else 1)
        colour = draw.SUM if tokens == "added" else draw.POSITION
        (ax,) = panel.canvas.figure.axes
        assert_sentence(ax, KEYS, 100, weights, colour, wanted=5)
        assert ax.get_title() == rf"$H = {gain}\,R_5$"
        to_noun, to_itself = per_cent(weights[1]), per_cent(weights[6])
        start = f"Tokens {tokens}, gain {gain}: “are” gives {to_noun} to"
        assert said.startswith(start)
        assert said.endswith(f"to “keys”, 5 back, and {to_itself} to itself.")


def test_positions_and_tokens_in_a_score(chapter):
    name = "positions-and-tokens-in-a-score"
    (ax,) = chapter.cell[name].axes
    texts = reading.texts_of(ax)
    own = sum(cos(5 * 10_000 ** (-i / 32)) for i in range(32))
    rows, parts = ("five back", "itself", "itself"), ("position", "position", "token")
    for row, part, start, value in zip(rows, parts, (0, 0, own), (32, own, 2 * own)):
        corner = start, texts[row].get_position()[1] - 0.3
        (bar,) = (bar for bar in ax.patches if np.allclose(bar.get_xy(), corner))
        assert same_color(bar.get_facecolor(), getattr(draw, part.upper()))
        assert isclose(bar.get_width(), value, rel_tol=0.03)
        assert f"{part} {bar.get_width():.0f}" in texts
        assert f"{bar.get_width():.0f} from {part}" in alt(chapter.said[name])
