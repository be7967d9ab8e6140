"""`make bench` measures what it says: its ratios, its errors, its goals, its slopes."""

import sys

import numpy as np
import pytest
from chapters import ROOT

sys.path.append(str(ROOT / "bench"))

import growth  # noqa: E402
import table  # noqa: E402

from utils import positional_encoding  # noqa: E402

SMALL = 40, 16


# ---- the ways -----------------------------------------------------------------------
@pytest.mark.parametrize("dtype", table.DTYPES)
def test_all_ways_make_the_same_table_of_the_type_that_was_asked_for(dtype):
    wanted = positional_encoding(*SMALL)
    for name, way in table.ways(dtype).items():
        made = np.asarray(way.setup(*SMALL, dtype)())
        assert made.dtype == dtype, name
        assert np.allclose(made, wanted, atol=1e-5), name


def test_a_way_gives_fresh_memory_each_time():
    for name in table.ways("float64"):
        build = table.WAYS[name].setup(*SMALL, "float64")
        first, second = np.asarray(build()), np.asarray(build())
        assert not np.shares_memory(first, second), name


def test_what_a_chapter_does_not_define_is_named():
    with pytest.raises(ValueError, match="no cell of 10_in_practice defines nothing"):
        table.taken("10_in_practice", "nothing")


def test_a_class_is_taken_as_it_stands_in_its_chapter():
    nn = type("nn", (), {"Module": object})
    taken = table.taken("10_in_practice", "PositionalEncoding", nn=nn)
    assert taken.__name__ == "PositionalEncoding" and hasattr(taken, "forward")


# ---- error --------------------------------------------------------------------------
def test_the_error_of_a_right_table_is_that_of_its_type():
    exact = table.exact_values(*SMALL)
    right = positional_encoding(*SMALL)
    assert table.error(right, exact) < 1e-14
    assert 1e-9 < table.error(right.astype("float32"), exact) < 1e-7


@pytest.mark.parametrize(
    "wrong",
    [
        lambda right: right[::-1],
        lambda right: right.reshape(-1, 2)[:, ::-1].reshape(right.shape),
        lambda right: right + 1e-6,
        lambda right: np.where(right < -0.9, np.nan, right),
    ],
    ids=["upside down", "cosine first", "a little off", "some are no numbers"],
)
def test_a_wrong_table_is_told_from_a_right_one(wrong):
    exact = table.exact_values(*SMALL)
    assert not table.error(wrong(positional_encoding(*SMALL)), exact) < 5e-7


def test_the_same_entries_are_looked_at_every_time():
    assert np.array_equal(table.entries(*SMALL), table.entries(*SMALL))


# ---- time and goals -----------------------------------------------------------------
def test_a_ratio_compares_two_times_of_one_round():
    pairs = (3, 1), (20, 10), (1, 100)  # the medians of the times are 3 and 10
    rounds = [{"a": a, "b": b} for a, b in pairs]
    assert table.within_rounds(rounds, "a", "b") == 2


def test_each_round_times_every_way_once():
    called = []
    builds = {name: lambda name=name: called.append(name) for name in "abc"}
    rounds = table.in_rounds(builds, 4)
    assert [set(times) for times in rounds] == [set("abc")] * 4
    assert all(set(called[i : i + 3]) == set("abc") for i in range(0, 12, 3))


def a_row(contender, n=5000, **changes):
    row = {"n": n, "d_model": 512, "dtype": "float32", "contender": contender}
    return {
        **row,
        "ratio_to_blocks": 1.0,
        "ratio_to_copy": 2.0,
        "error": 1e-7,
    } | changes


def verdicts(text=12.0, copy=2.0, error=1e-7, n=5000):
    rows = [
        a_row(table.TEXTBOOK, n, ratio_to_blocks=text),
        a_row(table.BLOCKS, n, ratio_to_copy=copy, error=error),
    ]
    return [goal["holds"] for goal in table.goals(rows)]


def test_goals_are_judged_by_the_rows():
    assert verdicts() == [True, True, True]
    assert verdicts(text=9.9) == [False, True, True]
    assert verdicts(copy=3.1) == [True, False, True]
    assert verdicts(error=2.1e-7) == [True, True, False]


def test_small_tables_have_no_goal():
    assert verdicts(n=512) == []


@pytest.mark.kernel
def test_memory_counts_what_was_held_at_most():
    pytest.importorskip("resource")
    held = table.in_child("memory_of", table.COPY, 2000, 512, "float64")
    assert 0.9 < held / (2000 * 512 * 8) < 1.3


# ---- growth -------------------------------------------------------------------------
def test_the_slope_is_the_power():
    xs = [1, 4, 16]
    assert growth.slopes(xs, [x**2 for x in xs]) == [2, 2]


@pytest.mark.parametrize(
    "ys, part",
    [
        ([1, 10, 100, 1000], [1, 1000]),
        ([5, 5, 50, 500], [10, 1000]),  # first what does not grow
        ([1, 10, 100, 10_000], [1, 100]),  # at last more than that
        ([1, 1, 1, 1], None),
    ],
)
def test_the_linear_part_is_found(ys, part):
    assert growth.linear_part([1, 10, 100, 1000], ys) == part


def test_the_steps_of_decks_are_read_from_what_export_says():
    said = """chapter 04: ran in 3.0 s
chapter 05: ran in 2.0 s
chapter 04: explorer 1 of 2 (k 5): drawn after 5.0 s
chapter 04: explorer 2 of 2 (k 5): drawn after 6.5 s
chapter 04: slides/build/04.html: 4.1 MB in 8 s
chapter 05: slides/build/05.html: 4.1 MB in 3 s
"""
    steps = growth.steps_of_decks(said)
    assert steps["running cells"] == 5
    assert steps["drawing frames"] == 3.5
    assert steps["writing decks"] == 2.5


def test_a_cell_is_counted_as_what_it_is():
    assert growth.kind_of("import numpy as np\nnp.ones(3)") == "imports"
    assert growth.kind_of("sp.simplify(a)") == "sympy"
    assert growth.kind_of("panel = explore(\n    draw)") == "pictures"
    assert growth.kind_of("check(\n    f, {})") == "exercises"
    assert growth.kind_of("x = 3") == "other cells"
