"""Chapter 7: stripes along and across, partners, a bump, and a head in court."""

import functools

import numpy as np
import pytest

from course import draw
from tests.support import reading
from tests.support.oracle import causal_head
from tests.support.reading import line_in, same, says, set_to

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


LETTERS = {"A": "half a step on", "B": "as published"}


def codes(n, sines, cosines):
    pos = np.arange(n)[:, None]
    return np.concatenate([np.sin(pos * sines), np.cos(pos * cosines)], axis=1)


def in_both(sines, cosines):
    """The frequencies that stand in both lists."""
    return np.intersect1d(np.round(sines, 9), np.round(cosines, 9))


def varies(table):
    return max(np.ptp(np.diagonal(table, k)) for k in range(1 - len(table), len(table)))


@pytest.fixture(scope="module")
def shares(chapter):
    """A function of a code and of the last place where a training text begins.

    It gives the head's share of right answers, by the place where a new text begins.
    """

    @functools.cache
    def right_of(name, last):
        P = codes(3100, *LISTS[name])
        if name in LETTERS.values():
            P = P[:, TURNS]
        W_Q, W_K, W_V = chapter.train(P, last)
        x, right = np.random.default_rng(seed=99).integers(16, size=(40, 32)), []
        for start in range(0, 3001, 100):
            here, H = P[start : start + 32], W_Q @ W_K.T / 80**0.5
            right.append(causal_head(x, here, H, W_V)[1].mean())
        return np.array(right)

    return right_of


def test_three_sines_for_each_cosine_leave_the_frequencies_of_both(chapter):
    vote = "vote-three-sines-for-each-cosine"
    both = in_both(*LISTS["3 sines : 1 cosine"])
    says(reading.right_answer(chapter, vote), len(both))
    P = codes(400, *LISTS["3 sines : 1 cosine"])
    answered = chapter.cell[vote].axes[1]
    wandering = line_in(answered, draw.INK).get_data()
    same(wandering, [range(3, 400), np.diagonal(P @ P.T, 3)])
    flat = np.cos(3 * both).sum()
    same(line_in(answered, draw.MARK).get_ydata(), flat, atol=1e-6)


def test_keep_the_offset_and_walk(chapter):
    panel = chapter.cell["both-sine-and-cosine"]
    halves = {"32 cosines": (np.cos, ORANGE), "32 sines": (np.sin, BLUE)}
    for columns, (wave, colour) in halves.items():
        for k in (0, 12, 3):
            said, (ax,) = set_to(panel, columns=columns, k=k)
            curve, flat = line_in(ax, colour), line_in(ax, dashed=True)
            waves, both = wave(np.outer(np.arange(312), RATES)), np.cos(k * RATES).sum()
            products = (waves[:300] * waves[k : 300 + k]).sum(axis=1)
            same(curve.get_ydata(), products)
            same(flat.get_ydata(), both)
            says(said, min(products), max(products))


def test_stripes_along_and_across(chapter):
    axes = np.reshape(chapter.cell["stripes-along-and-across"].axes[:9], (3, 3))
    m, n = np.indices((41, 41)) * 0.3
    along, across = np.cos(m - n) / 2, np.cos(m + n) / 2
    rows = {
        r"$\mathrm{sin}\cdot\mathrm{sin}$": (np.sin(m) * np.sin(n), along, -across),
        r"$\mathrm{cos}\cdot\mathrm{cos}$": (np.cos(m) * np.cos(n), along, across),
        "sum": (np.cos(m - n), 2 * along, 0 * m),
    }
    for row, (name, tables) in zip(axes, rows.items(), strict=True):
        assert row[0].get_ylabel() == name
        for ax, table in zip(row, tables, strict=True):
            same(ax.images[0].get_array(), table)


def test_no_weight_helps_a_slower_cosine(chapter):
    panel = chapter.cell["a-weight-for-each-product"]
    m, n = np.indices((41, 41)) * 0.3
    cosines = {"half a step slower": SLOWER, "same frequency": 1}
    for name, factor in cosines.items():
        for weight in (0, 1, 1.5, 0.5):
            said, axes = set_to(panel, cosine=name, weight=weight)
            sines = np.sin(m) * np.sin(n)
            others = weight * np.cos(factor * m) * np.cos(factor * n)
            same(axes[-1].images[0].get_array(), sines + others)
            even = name == "same frequency" and weight == 1
            rest = [] if even else [varies(sines + others)]
            says(said, rest)
            assert ("equal" in said) == even


def check_partners(ax, sines, cosines):
    """Steps of the sines above those of the cosines, in the colours of both."""
    heights = []
    for row, colour in (sines, draw.SIN), (cosines, draw.COS_TEXT):
        found = [x for x in ax.texts if x.get_color() == colour]
        found.sort(key=lambda text: text.get_position()[0])
        says((x.get_text() for x in found), row)
        heights.append([x.get_position()[1] for x in found])  # and its name
    assert min(heights[0]) > max(heights[1])
    pairs = zip(*np.nonzero(np.equal.outer(sines, cosines)), strict=True)
    assert sorted(tuple(line.get_xdata()) for line in ax.lines) == sorted(pairs)


def test_lines_join_equal_frequencies(chapter):
    name, sines = "three-codes-and-their-partners", np.arange(6)
    partners = {
        "reversed": (sines[::-1], 6),
        "one pair on": (sines + 1, 5),
        "half a step on": (sines + 0.5, 0),
    }
    axes = chapter.cell[name].axes
    for ax, (title, (cosines, count)) in zip(axes, partners.items(), strict=True):
        check_partners(ax, sines, cosines)
        assert ax.get_title().startswith(title)
        says(ax.get_title(), count, 6)


def check_band(ax, scores):
    """Of each offset, a band holds what 200 queries score; a line shows the first."""
    query, edge = np.arange(100, 300), ax.collections[0].get_paths()[0].vertices
    (line,) = (line for line in ax.lines if len(line.get_xdata()) > 2)
    for k, shown in zip(*line.get_data(), strict=True):
        row, ends = scores[query, query - k], edge[edge[:, 0] == k, 1]
        wanted = min(row), max(row), row[0]
        same((min(ends), max(ends), shown), wanted, atol=1e-6)


def test_a_curve_or_a_band(chapter):
    P, (left, right) = codes(400, RATES, RATES), chapter.cell["a-curve-or-a-band"].axes
    check_band(left, P @ P.T)
    any_H = np.random.default_rng(seed=0).normal(size=(64, 64)) / 4
    published = P[:, TURNS]  # H has sine, cosine, sine, …
    check_band(right, published @ any_H @ published.T)


def test_what_is_left_makes_a_bump_three_back(chapter):
    axes = chapter.cell["bumps-of-four-codes"].axes
    k = np.subtract.outer(np.arange(400), np.arange(400))
    for ax in axes[:3]:
        name, told = ax.get_title().split("\n")
        rates = in_both(*LISTS[name])
        check_band(ax, sum(np.cos((k - 3) * rate) for rate in rates))
        says(told, len(rates))
    assert axes[3].get_title().startswith("half a step on")
    P, c, s = codes(400, *LISTS["half a step on"]), np.cos(3 * RATES), np.sin(3 * RATES)
    H = np.block([[np.diag(c), np.diag(s)], [np.diag(-s), np.diag(c)]])  # looks 3 back
    check_band(axes[3], P @ H @ P.T)


def test_the_bug_in_court(chapter, shares):
    panel, elsewhere = chapter.cell["the-bug-in-court"], {}
    for begin, last in {"at place 0": 0, "up to 1000": 1000}.items():
        for letter, name in LETTERS.items():
            said, (ax,) = set_to(panel, code=letter, training=begin)
            right = 100 * shares(name, last)
            starts, shown = line_in(ax, marker="o").get_data()
            same(starts, range(0, 3001, 100))
            same(100 * shown, right, atol=0.1)  # of 1160 answers one may be a tie
            (grey,) = (span for span in ax.patches if span.get_visible())
            same(grey.get_x(), last + 32)
            elsewhere[letter, last] = right[1:].mean()
            says(said, right[0], 0, elsewhere[letter, last])
            assert ax.get_title().split()[-1] == letter == said[0]
    same(elsewhere["B", 0], 96, atol=0.5)  # the notes say so


def test_the_board(chapter, shares):
    (ax,) = chapter.cell["six-codes-on-the-board"].axes
    board = reading.read_board(ax)
    letters = {name: f" ({letter})" for letter, name in LETTERS.items()}
    moves = {"as published", "reversed", "3 sines : 1 cosine"}
    for name, lists in LISTS.items():
        row = board[name + letters.get(name, "")]
        left, P = len(in_both(*lists)), codes(200, *lists)
        plain = varies(P @ P.T) < 1e-9
        assert row["one matrix moves every place"] == (name in moves), name
        assert row["it works with H = I"] == plain, name
        right = shares(name, 1000)[11:].mean()  # beyond place 1000
        counts = {"usable frequencies": left, "right beyond place 1000": 100 * right}
        for column, count in counts.items():
            assert row[column][1][0] == "✗✓"[left > 0], name
            says(row[column][1], count)
