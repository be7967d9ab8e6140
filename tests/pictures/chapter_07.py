"""Chapter 7: stripes along and across, partners, a bump, and a head in court."""

import itertools

import numpy as np

import draw
from draw import number
from tests.pictures.reading import alt, look, right_answer, runs

FROM_ONE_TO_ANOTHER = 10_000 ** (-1 / 32)  # the factor between two of 32 frequencies
RATES = FROM_ONE_TO_ANOTHER ** np.arange(32)
SLOWER = FROM_ONE_TO_ANOTHER**0.5  # half a step
TURNS = np.arange(64).reshape(2, 32).T.ravel()  # sine, cosine, sine, …
BLUE, ORANGE = draw.SIN.lower(), draw.COS.lower()
LISTS = {  # frequencies of the sines and of the cosines
    "as published": (RATES, RATES),
    "reversed": (RATES, RATES[::-1]),
    "one pair on": (RATES, RATES * FROM_ONE_TO_ANOTHER),
    "3 sines : 1 cosine": (np.repeat(RATES[::2], 3), RATES[::2]),
    "half a step on": (RATES, RATES * SLOWER),
    "sines only": (SLOWER ** np.arange(64), np.array([])),
}


def code(n, sines, cosines):
    pos = np.arange(n)[:, None]
    return np.concatenate([np.sin(pos * sines), np.cos(pos * cosines)], axis=1)


def in_both(sines, cosines):
    return {round(w, 9) for w in sines} & {round(w, 9) for w in cosines}


def shows(ax, table, limits=(-1, 1)):
    """Whether axes show a table, dark its least and light its largest numbers."""
    (image,) = ax.images
    colours = image.get_cmap().name, *image.get_clim()
    return np.allclose(image.get_array(), table) and colours == (draw.SIGNED, *limits)


def varies(table):
    return max(np.ptp(np.diagonal(table, k)) for k in range(1 - len(table), len(table)))


def test_two_heatmaps_of_codes(chapter):
    wanted = {"A": LISTS["half a step on"], "B": LISTS["as published"]}
    axes = chapter.cell["two-tables-of-codes"].axes[:2]
    for ax, (letter, lists) in zip(axes, wanted.items(), strict=True):
        assert ax.get_title() == letter and shows(ax, code(100, *lists)[:, TURNS])
    assert "A the fast waves break" in chapter.said["two-tables-of-codes"]


def test_three_questions(chapter):
    assert right_answer(chapter, "vote-take-away-the-cosines") == "No, none."
    assert right_answer(chapter, "vote-bug-court") == "Nearly always."
    question = "vote-three-sines-for-each-cosine"
    assert right_answer(chapter, question) == "16, with weights in H."
    P = code(400, *LISTS["3 sines : 1 cosine"])
    low, *_, high = sorted(np.diagonal(P @ P.T, 3))
    assert f"from {low:.0f} to {high:.0f}." in chapter.said[question]


def test_keep_the_offset_and_walk(chapter):
    panel = chapter.cell["both-sine-and-cosine"]
    assert "With 32 sines it starts at 0 and climbs" in panel.alt.replace("\n", " ")
    for columns, k in itertools.product(("32 sines", "32 cosines"), (0, 3, 12)):
        said = panel.sentence_at({"columns": columns, "k": k})
        (ax,) = panel.canvas.figure.axes
        wave, colour = (np.sin, BLUE) if columns == "32 sines" else (np.cos, ORANGE)
        waves = wave(np.outer(np.arange(300 + k), RATES))
        at = (waves[:300] * waves[k:]).sum(axis=1)
        curve, flat, middle = ax.lines
        assert np.allclose(curve.get_ydata(), at) and look(curve)[0] == colour
        assert ax.get_title() == f"p(pos) · p(pos + {k}), {columns}"
        both = np.cos(k * RATES).sum()
        assert np.allclose(flat.get_ydata(), both) and flat.is_dashed()
        np.testing.assert_allclose(middle.get_ydata(), both / 2)
        ends = f"from {number(min(at), 1)} to {number(max(at), 1)}, depending on pos"
        assert f"{k} apart, {columns}: {ends}. Sines and cosines: {both:.1f}" in said


def test_stripes_along_and_across(chapter):
    axes = np.reshape(chapter.cell["stripes-along-and-across"].axes[:9], (3, 3))
    assert [ax.get_title()[-5:] for ax in axes[0]] == ["and n", "m − n", "m + n"]
    m, n = np.indices((41, 41)) * 0.3
    half = np.cos(m - n) / 2, np.cos(m + n) / 2
    rows = {
        "sin · sin": (np.sin(m) * np.sin(n), half[0], -half[1]),
        "cos · cos": (np.cos(m) * np.cos(n), half[0], half[1]),
        "sum": (np.cos(m - n), 2 * half[0], 0 * m),
    }
    for line, (label, tables) in zip(axes, rows.items(), strict=True):
        signs = [text.get_text() for ax in line for text in ax.texts]
        assert line[0].get_ylabel() == label and signs == ["=", "+"]
        assert all(map(shows, line, tables))
    assert "and across it is empty" in alt(chapter.said["stripes-along-and-across"])


def test_no_weight_helps_a_slower_cosine(chapter):
    panel = chapter.cell["a-weight-for-each-product"]
    assert "0.5 times cos · cos" in panel.alt and "still with faint" in panel.alt
    m, n = np.indices((41, 41)) * 0.3
    cosines = {"same frequency": 1, "half a step slower": SLOWER}
    for weight, (name, w) in itertools.product((0, 0.5, 1, 1.5), cosines.items()):
        said = panel.sentence_at({"cosine": name, "weight": weight})
        axes = panel.canvas.figure.axes
        sines, shown = np.sin(m) * np.sin(n), weight * np.cos(w * m) * np.cos(w * n)
        assert all(map(shows, axes, (sines, shown, sines + shown)))
        assert axes[1].get_title() == f"{weight:g} · cos · cos"
        rest = varies(sines + shown)
        assert (rest < 1e-9) == (weight == w == 1) == ("are equal" in said)
        assert f"{rest:.2f}" in said or "are equal" in said


def test_lines_join_equal_frequencies(chapter):
    name = "three-codes-and-their-partners"
    below = {"reversed": 5 - np.arange(6), "one pair on": np.arange(6) + 1}
    below["half a step on"] = np.arange(6) + 0.5
    for ax, (title, cosines) in zip(chapter.cell[name].axes, below.items()):
        pairs = {(i, j) for i in range(6) for j in range(6) if i == cosines[j]}
        assert {tuple(line.get_xdata()) for line in ax.lines} == pairs
        assert all(np.diff(line.get_ydata()) < 0 for line in ax.lines)  # sine above
        assert ax.get_title() == f"{title}:\n{len(pairs)} of 6 pairs"
        for height, row, words in ((1, range(6), "sines"), (0, cosines, "cosines")):
            found = [x.get_text() for x in ax.texts if x.get_position()[1] == height]
            assert found == [f"{x:g}" for x in row] + [words] * (title == "reversed")
    assert "six lines that cross in the middle. One pair on: five" in chapter.said[name]


def band(ax, k):
    edge = ax.collections[0].get_paths()[0].vertices
    return [end(edge[edge[:, 0] == k, 1]) for end in (min, max)]


def test_a_curve_or_a_band(chapter):
    P, query = code(400, RATES, RATES)[:, TURNS], np.arange(100, 300)
    heads = {"H = I: yes": np.eye(64), "H at random: no": chapter.any_H}
    for ax in chapter.cell["a-curve-or-a-band"].axes:
        for k, score in zip(*ax.lines[0].get_data()):
            row = (P @ heads[ax.get_title()] @ P.T)[query, query - k]
            assert np.allclose([*band(ax, k), score], [min(row), max(row), row[0]])
            assert (np.ptp(row) < 1e-9) == ax.get_title().endswith("yes")
    assert "With H = I, one curve with its top" in chapter.said["a-curve-or-a-band"]


def test_what_is_left_makes_a_bump_three_back(chapter):
    P = code(113, *LISTS["half a step on"])
    borrowed = P @ chapter.best_head(np.arange(32), np.arange(32)) @ P.T
    for ax in chapter.cell["bumps-of-four-codes"].axes:
        title, told = ax.get_title().split("\n")
        left = np.array(sorted(in_both(*LISTS[title])))
        k, score = ax.lines[0].get_data()
        bump = np.cos(np.multiply.outer(k - 3, left)).sum(axis=1)
        assert told == (f"{len(left)} frequencies" if len(left) else "H as published")
        assert runs(ax.lines[1], (3, 0), (3, 1))
        assert all(np.ptp(band(ax, x)) < 1e-9 for x in k) == (len(left) > 0)
        assert np.allclose(score, bump if len(left) else borrowed[100, 100 - k])
    assert "3, from 32, 31 and 16" in alt(chapter.said["bumps-of-four-codes"])


def test_each_cosine_is_half_a_step_slower(chapter):
    (ax,) = chapter.cell["each-cosine-is-slower"].axes
    assert ax.xaxis_inverted() and "fast ones" in chapter.said["each-cosine-is-slower"]
    height = {x.get_text(): x.get_position()[1] for x in ax.get_yticklabels()}
    for line, row, factor in zip(ax.lines, ("sines", "cosines"), (1, SLOWER)):
        assert np.allclose(line.get_xdata(), RATES[:8] * factor)
        assert set(line.get_ydata()) == {height[row]}
        assert look(line)[0] == {"sines": BLUE, "cosines": ORANGE}[row]
    assert f"{100 * (1 - SLOWER):.0f} % slower than its sine" in ax.get_title()


def test_the_bug_in_court(chapter):
    panel = chapter.cell["the-bug-in-court"]
    assert "Trained at place 0: nearly all right there" in panel.alt
    shares, training = {}, {"at place 0": 0, "up to 1000": 1000}
    for name, (begin, last) in itertools.product("AB", training.items()):
        said = panel.sentence_at({"code": name, "training": begin})
        (ax,) = panel.canvas.figure.axes
        start, right = shares[name, last] = ax.lines[0].get_data()
        (grey,) = (span for span in ax.patches if span.get_visible())
        assert start[-1] == 3000 and grey.get_x() == last + 32
        assert ax.get_title() == f"accuracy with code {name}"
        word = {"A": "A, the pasted code", "B": "B, the published code"}[name]
        here, elsewhere = (f"{100 * x:.0f} %" for x in (right[0], right[1:].mean()))
        assert said.startswith(f"{word}; training texts begin {begin}: ")
        assert said.endswith(f": {here} right at place 0, {elsewhere} elsewhere.")
    assert round(100 * shares["B", 0][1][1:].mean()) == 96  # the notes say so
    assert shares["A", 0][1][0] > 0.9 and shares["A", 0][1][1:].mean() < 0.4


def test_the_board(chapter):
    (ax,) = chapter.cell["six-codes-on-the-board"].axes
    lines = {}
    for text in sorted(ax.texts, key=lambda text: text.get_position()[0]):
        lines.setdefault(text.get_position()[1], []).append(text.get_text())
    rows = {first: rest for first, *rest in lines.values()}
    letter = {"as published": " (B)", "half a step on": " (A)"}
    moves = {"as published", "reversed", "3 sines : 1 cosine"}
    for name, lists in LISTS.items():
        left, P = len(in_both(*lists)), code(200, *lists)
        row = rows[name + letter.get(name, "")]
        told = [x == "✓" for x in row if x in ("✓", "✗")]
        assert told == [name in moves, varies(P @ P.T) < 1e-9, left > 0, left > 0]
        right = chapter.shares[name][11:].mean()  # beyond place 1000
        assert row[-1] == f"{100 * right:.0f} %" and f"{left}" in row
    assert "sines only fail all" in chapter.said["six-codes-on-the-board"]
