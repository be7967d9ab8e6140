"""Chapter 7: stripes along and across, partners, a bump, and a head in court."""

import functools
import re

import numpy as np
import pytest

from course import draw
from tests.support import reading
from tests.support.oracle import causal_head
from tests.support.reading import line_in, matrix, same, says, set_to

FROM_ONE_TO_ANOTHER = 10_000 ** (-1 / 32)  # the factor between two of 32 frequencies
RATES = FROM_ONE_TO_ANOTHER ** np.arange(32)
SLOWER = FROM_ONE_TO_ANOTHER**0.5  # half a step
TURNS = np.arange(64).reshape(2, 32).T.ravel()  # sine, cosine, sine, …
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


def test_table_a_has_the_bug_and_b_is_as_published(chapter):
    for ax in chapter.cell["two-tables-of-codes"].axes[:2]:
        published_or_not = LISTS[LETTERS[ax.get_title()]]
        wanted = codes(100, *published_or_not)[:, TURNS]
        same(matrix(ax), wanted, err_msg=f"table {ax.get_title()}")
    assert "in A the fast waves break into spots" in chapter.said["two-tables-of-codes"]


@pytest.mark.parametrize("k", [0, 3, 12])
@pytest.mark.parametrize("columns", ["32 sines", "32 cosines"])
def test_sines_alone_wander_and_so_do_cosines(chapter, columns, k):
    waves_of = {"32 sines": (np.sin, draw.SIN), "32 cosines": (np.cos, draw.COS)}
    wave, colour = waves_of[columns]
    said, (ax,) = set_to(chapter.cell["both-sine-and-cosine"], columns=columns, k=k)
    waves, both = wave(np.outer(np.arange(312), RATES)), np.cos(k * RATES).sum()
    products = (waves[:300] * waves[k : 300 + k]).sum(axis=1)
    same(line_in(ax, colour).get_ydata(), products, err_msg=columns)
    same(line_in(ax, dashed=True).get_ydata()[0], both, err_msg="sines and cosines")
    half = line_in(ax, draw.INK, dashed=False).get_ydata()[0]
    same(half, both / 2, err_msg="half of it")
    low, high = (reading.place(ax, x)[1] for x in ("half of it", "sines and cosines"))
    assert low < high, "a name stands at the other line"
    assert f"p(pos + {k})" in ax.get_title()
    says(said, min(products), max(products))


def test_the_cosine_cancels_the_stripes_across(chapter):
    rows = np.reshape(chapter.cell["stripes-along-and-across"].axes[:9], (3, 3))
    titles = [ax.get_title().partition(": ")[2] for ax in rows[0]]
    assert titles == ["", "$m - n$", "$m + n$"]
    m, n = np.indices((41, 41)) * 0.3
    products = np.sin(m) * np.sin(n), np.cos(m) * np.cos(n), np.cos(m - n)
    for row, product in zip(rows, products, strict=True):
        name, (total, along, across) = row[0].get_ylabel(), map(matrix, row)
        same(total, product, err_msg=name)
        same(along + across, total, err_msg=f"{name}: along plus across")
        assert varies(along) < 1e-9, f"{name}: stripes along"
        assert varies(across[::-1]) < 1e-9, f"{name}: stripes across"


@pytest.mark.parametrize("weight", [0.5, 1, 1.5])
@pytest.mark.parametrize(
    "cosine, factor", [("same frequency", 1), ("half a step slower", SLOWER)]
)
def test_only_an_equal_weight_of_the_same_frequency_helps(
    chapter, cosine, factor, weight
):
    panel = chapter.cell["a-weight-for-each-product"]
    said, axes = set_to(panel, cosine=cosine, weight=weight)
    m, n = np.indices((41, 41)) * 0.3
    sines = np.sin(m) * np.sin(n)
    others = weight * np.cos(factor * m) * np.cos(factor * n)
    for ax, table in zip(axes, (sines, others, sines + others), strict=True):
        same(matrix(ax), table, err_msg=f"table {ax.get_title()}")
    helps = (factor, weight) == (1, 1)
    assert ("equal" in said) == helps, said
    says(said, [] if helps else varies(sines + others))


def test_bands_are_drawn_against_the_offset(chapter):
    assert chapter.cell["a-curve-or-a-band"].get_supxlabel() == "offset $m - n$"


def test_lines_join_equal_frequencies(chapter):
    found = {}
    for ax in chapter.cell["three-codes-and-their-partners"].axes:
        found[ax.get_title().split(":")[0]] = len(ax.lines)
        says(ax.get_title(), len(ax.lines), 6)
        for line in ax.lines:
            sine, cosine = (reading.text_at(ax, end) for end in line.get_xydata())
            assert sine == cosine, f"a line joins {sine} and {cosine}"
    assert found == {"reversed": 6, "one pair on": 5, "half a step on": 0}


def test_three_sines_for_each_cosine_leave_16_frequencies(chapter):
    vote, lists = "vote-three-sines-for-each-cosine", LISTS["3 sines : 1 cosine"]
    says(reading.right_answer(chapter, vote), len(in_both(*lists)))
    P, (left, ax) = codes(400, *lists), chapter.cell[vote].axes
    assert [reading.text_at(left, (-0.9, y)) for y in (1, 0)] == ["sines", "cosines"]
    assert ax.get_title() == r"$p(m) \cdot p(m - 3)$"
    same(line_in(ax, draw.INK).get_ydata(), np.diagonal(P @ P.T, 3), err_msg="plain")
    weighed, flat = np.cos(3 * in_both(*lists)).sum(), line_in(ax, draw.MARK)
    same(flat.get_ydata(), weighed, atol=1e-6, err_msg="sines weighed by a third")


def test_each_cosine_is_half_a_step_slower(chapter):
    (ax,) = chapter.cell["each-cosine-is-slower"].axes
    sines, cosines = (
        line_in(ax, colour).get_xdata() for colour in (draw.SIN, draw.COS)
    )
    same(sines, RATES[:8], err_msg="sines")
    same(cosines, SLOWER * RATES[:8], err_msg="cosines")
    assert "radians" in ax.get_xlabel()


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("begin, last", [("at place 0", 0), ("up to 1000", 1000)])
def test_the_bug_in_court(chapter, shares, letter, begin, last):
    panel = chapter.cell["the-bug-in-court"]
    said, (ax,) = set_to(panel, code=letter, training=begin)
    right = 100 * shares(LETTERS[letter], last)
    starts, shown = line_in(ax, marker="o").get_data()
    same(starts, range(0, 3001, 100), err_msg="places")
    same(100 * shown, right, atol=0.1, err_msg="right, in %")  # one may be a tie
    (grey,) = (span for span in ax.patches if span.get_visible())
    same(grey.get_x(), last + 32, err_msg="from here on no training text came")
    says(said, right[0], 0, right[1:].mean())
    assert ax.get_title().split()[-1] == letter == said[0]
    if (letter, last) == ("B", 0):
        assert "98 % elsewhere" in said  # the notes say so


def test_the_board(chapter, shares):
    (ax,) = chapter.cell["six-codes-on-the-board"].axes
    board = reading.read_board(ax)
    letters = {name: f" ({letter})" for letter, name in LETTERS.items()}
    moves = {"as published", "reversed", "3 sines : 1 cosine"}
    for name, lists in LISTS.items():
        row = board[name + letters.get(name, "")]
        left, P = len(in_both(*lists)), codes(200, *lists)
        plain = varies(P @ P.T) < 1e-9
        assert row["one matrix moves every place"] == (name in moves), (
            f"{name}: column 1"
        )
        assert row["it works with H = I"] == plain, f"{name}: column 2"
        right = shares(name, 1000)[11:].mean()  # beyond place 1000
        counts = {"usable frequencies": left, "right beyond place 1000": 100 * right}
        for column, count in counts.items():
            told = row[column][1]
            assert told[0] == "✗✓"[left > 0], f"{name}, {column}: {told}"
            says(told, count)
    right = shares(LETTERS["A"], 1000)[11:].mean()
    notes = reading.markdown("07", "notes-the-scoreboard")
    assert f"A stands at {100 * right:.0f} %" in notes
    alt = chapter.said["six-codes-on-the-board"]
    assert re.search(r"One pair on [^.]* 31\. 3 sines [^.]* 16\.", alt), alt


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_other_beginnings_give_the_same_board(chapter, seed):
    """The notes say so: right with a usable frequency, and not without one."""
    for name, lists in LISTS.items():
        P = codes(3100, *lists)
        right = chapter.accuracy(chapter.train(P, 1000, seed=seed), P)[11:].mean()
        usable = len(in_both(*lists)) > 0
        assert (right > 0.95) == usable, f"{name}, seed {seed}: {right:.2f} right"


def test_sines_and_cosines_have_their_colours_and_names(chapter):
    (ax,) = chapter.cell["sorted-into-sines-and-cosines"].axes
    for colour, wave in ((draw.SIN, "s"), (draw.COS_TEXT, "c")):
        tiles = reading.patches_in(ax, colour)
        assert len(tiles) == 8
        assert {reading.words_in(ax, tile)[0][1] for tile in tiles} == {wave}
    (ax,) = chapter.cell["each-cosine-is-slower"].axes
    rows = reading.ticks(ax.yaxis)
    assert rows[line_in(ax, draw.SIN).get_ydata()[0]] == "sines"
    _, ax = chapter.cell["vote-three-sines-for-each-cosine"].axes
    assert "sines weighed by a third" in reading.texts_in(ax)


def test_formulas_on_slides_are_those_that_cells_prove(chapter):
    halves = r"\tfrac12\cos{(m-n)\omega} %s \tfrac12\cos{(m+n)\omega}"
    for cell, formula in {
        "the-rule-in-both-lists": (
            r"\sin m\omega\,\sin n\omega &= " + halves % "-" + r"\\[8pt] "
            r"\cos m\omega\,\cos n\omega &= " + halves % "+"
        ),
        "notes-the-rule-in-both-lists": (
            r"\sin m\omega\cos n\omega - \cos m\omega\sin n\omega"
        ),
        "title-does-the-order-matter": (
            r"$s_i = \sin m\omega_i$ and $c_i = \cos m\omega_i$"
        ),
        "small-print-of-the-rule": r"only for $\omega' = -\omega$",
        "recap": "cancels what depends on $m + n$",
    }.items():
        assert formula in reading.plain("07", cell), cell
    exponent = "(-2 * (j // 2) / d_model)"
    assert f"`10_000 ** {exponent}`" in reading.markdown("07", "a-common-bug")
    rates = [10_000 ** eval(exponent, {"j": j, "d_model": 64}) for j in range(64)]
    same(rates, np.repeat(RATES, 2))


def test_prints_tell_what_is_computed(chapter):
    at = chapter.longer[~chapter.untrained].mean()
    beyond = chapter.longer[chapter.untrained].mean()
    says(chapter.said["five-hundred-steps"], 500, 100 * at, 1000, 100 * beyond)
    assert at > chapter.A[~chapter.untrained].mean() + 0.1 and beyond < 0.7
    says(chapter.said["any-matrix-at-all"], 64, 8, 0)
    assert "\n0 with sines only" in chapter.said["any-matrix-at-all"]
    near = np.cos(chapter.at_random).mean(), np.cos(RATES).mean()
    says(chapter.said["random-frequencies-in-both-lists"], *near)
