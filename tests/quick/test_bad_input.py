"""Bad input is refused in one line that says what was given and what is allowed."""

import json
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sympy
from ipywidgets import IntSlider

import draw
import trained_models
import utils
from exercises import check, predict
from explorer import explore, show
from proofs import prove
from tools.frames import exported_values
from wishes import wishes_of

LENGTH = "independent of the text's length"
SYMBOL = sympy.MatrixSymbol("A", 2, 2)
NAN, INF, HUGE = float("nan"), float("inf"), 10**400
BAD = {
    "d_model must be an even integer >= 2": (
        lambda value: utils.frequencies(value),
        [7, 0, -2, 4.0, "8", None, True, NAN, [4], np.int8(3), HUGE],
    ),
    "base must be a finite number > 1": (
        lambda value: utils.frequencies(4, value),
        [1, 0, -10_000, NAN, INF, "10000", True, None, 2j, [10], HUGE],
    ),
    "positions must be an integer n >= 0 and <= 16777216, or a 1-D array of finite": (
        lambda value: utils.positional_encoding(value, 4),
        [-1, True, None, 2.0, NAN, "我", HUGE, {"a": 1}, [[1, 2], [3, 4]], [1, [2, 3]]]
        + [[1, 2j], np.array([0, INF]), ["1"], [HUGE]]
        + [np.ma.array([1, 2], mask=[0, 1])],
    ),
    "k must be a finite real number": (
        lambda value: utils.shift_matrix(value, 4),
        [NAN, -INF, "1", True, 1j, [1], HUGE, Fraction(1), sympy.Integer(3)],
    ),
    "M must be a table of finite real numbers": (
        utils.rotations_of,
        ["a", [1, 2], [[1, 2], [3]], [[1j, 0], [0, 1]], [[NAN, 0], [0, 1]]],
    ),
    "M must be square, with an even number of rows": (
        utils.rotations_of,
        [np.ones((3, 3)), np.ones((4, 6))],
    ),
}


@pytest.mark.parametrize(
    "words, call, value",
    [(words, call, value) for words, (call, bad) in BAD.items() for value in bad],
    ids=lambda part: repr(part)[:20],
)
def test_numbers_that_cannot_be_are_refused(words, call, value):
    with pytest.raises(ValueError) as caught:
        call(value)
    message = str(caught.value)
    assert message.startswith(words)
    assert repr(value)[:30] in message or f"shape {np.shape(value)}" in message
    assert caught.value.__context__ is None, "a reader sees one error"


def test_a_table_that_no_machine_holds_is_refused():
    with pytest.raises(ValueError, match="a table of 16777216 x 128 numbers is too"):
        utils.positional_encoding(2**24, 128)


@pytest.mark.parametrize("takes", [utils.positional_encoding, utils.shift_matrix])
def test_each_formula_asks_for_the_same_widths_and_bases(takes):
    with pytest.raises(ValueError, match="d_model must be"):
        takes(3, 7)
    with pytest.raises(ValueError, match="base must be"):
        takes(3, 4, base=1)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: utils.layer_norm("a"), "X must be a table of finite"),
        (lambda: utils.layer_norm(np.ones((3, 0))), "X must be a table of finite"),
        (
            lambda: utils.layer_norm([[1, 2], [0.1, 0.1]]),
            r"different numbers; got 0\.1 throughout row 1",
        ),
        (lambda: wishes_of(np.ones((64, 4))), "code must be a function"),
        (lambda: wishes_of(lambda n: np.full((n, 4), NAN)), "be a table of fin"),
        (lambda: wishes_of(lambda n: np.full((n, 4), NAN if n > 64 else 1)), "code.10"),
        (lambda: wishes_of(lambda n: np.ones((3, 4))), "must have 10000 rows; got 3"),
        (lambda: wishes_of(lambda n: np.ones((min(n, 99), 4)), [LENGTH]), "128 rows"),
        (lambda: wishes_of(lambda n: np.ones((n, 4)), ["x"]), r"got \['x'\]"),
        (lambda: wishes_of(np.ones, "bounded"), "a list of wishes; got 'bounded'"),
        (lambda: wishes_of(np.ones, None), "a list of wishes; got None"),
        (lambda: wishes_of(np.ones, [["a"]]), r"must be some of .*; got \[\['a'\]\]"),
        (lambda: prove(np.ones(2), np.ones(2)), "needs sympy expressions"),
        (lambda: prove(False, 0), "needs sympy expressions"),
        (lambda: prove(SYMBOL, SYMBOL), "needs sympy expressions or matrices; got A"),
        (lambda: prove(sympy.eye(2), sympy.eye(3)), "two sides of one shape"),
        (lambda: predict("Which?", ["a", "b"], "a"), "options must be a dict"),
        (lambda: predict("Which?", {"a": ""}, "b"), r"one of \['a'\]; got 'b'"),
        (lambda: predict(7, {"a": ""}, "a"), "replies are texts; got 7"),
        (lambda: predict("Which?", dict.fromkeys(map(str, range(27)), ""), "0"), "26"),
        (lambda: check(5, {}, ""), r"claims must be a dict.*; got \{\}"),
        (lambda: check(5, {"odd": True}, ""), "'odd' needs a function.*; got True"),
        (lambda: check(5, {1: bool}, ""), "1 needs a function"),
        (lambda: check(5, {"odd": bool}, None), "hint must be a text; got None"),
    ],
)
def test_what_the_other_helpers_cannot_take_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# ---- pictures ------------------------------------------------------------------------
@pytest.mark.parametrize(
    "rows, words",
    [
        ({}, r"needs a dict of rows.*; got \{\}"),
        ([1], r"needs a dict of rows.*; got \[1\]"),
        ({"a": {"x": True}, "b": {"y": True}}, r"b must have the columns \['x'\]"),
        ({"a": {"x": "✗"}}, "a, x: a verdict is True, False"),
        ({"a": {"x": None}}, "a, x: a verdict is True, False"),
        ({"a": {"x": (True,)}}, "a, x: a verdict is True, False"),
    ],
)
def test_a_board_that_cannot_be_is_refused(rows, words):
    with pytest.raises(ValueError, match=words):
        draw.board(plt.Figure().subplots(), rows)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda ax: draw.side(ax, (1, 2), (1, 2), "a"), "a line needs two points"),
        (lambda ax: draw.hand(ax, "3"), "angle must be a number.*; got '3'"),
        (lambda ax: draw.hand(ax, [1, 2]), r"angle must be a number.*; got \[1, 2\]"),
        (lambda ax: draw.number(None), "a finite number is wanted; got None"),
        (lambda ax: draw.sweep(ax, radius=0), "radius must be a number > 0; got 0"),
        (lambda ax: draw.bars(ax, [1, 2], names="abc"), "2 bars need as many names"),
        (lambda ax: draw.bars(ax, [1, 2])(3), "2 bars need as many values; got 3"),
        (lambda ax: draw.matrix(ax, [[1]], limit=0), "limit must be .* > 0; got 0"),
        (lambda ax: draw.matrix(ax, [[1j]]), r"finite numbers is wanted; got \[\[1j"),
        (lambda ax: draw.matrix(ax, [["1"]]), "finite numbers is wanted"),
        (lambda ax: draw.matrix(ax, [[1], [1, 2]]), "finite numbers is wanted"),
        (lambda ax: draw.matrix(ax, [[INF]]), r"finite numbers is wanted; got \[\[inf"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call(plt.Figure().subplots())


def test_cells_are_filled_from_a_table_of_their_own_shape():
    ax = plt.Figure().subplots()
    with pytest.raises(ValueError, match="with rows and columns is wanted"):
        draw.matrix(ax, [1, 2])
    with pytest.raises(ValueError, match=r"shape \(1, 2\) is wanted; .* \(1, 3\)"):
        draw.table(ax, [[1, 2, 3]], "a", draw.SUM, "", columns=["x", "y"])
    move = draw.matrix(ax, [[0, 1]])
    with pytest.raises(ValueError, match=r"a table of shape \(1, 2\) is wanted"):
        move([[0, 1, 0]])


def draws_nothing(fig):
    fig.text(0, 0, "")
    return lambda v=2: None


def draws_a_line(fig):
    """A line
    from left to right."""
    return draws_nothing(fig)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"v": [2]}, "draws_nothing has no docstring: it is the picture's alt text"),
        ({"alt": "", "v": [2]}, "alt must be a text that is not empty; got ''"),
        ({"alt": " ", "v": [2]}, "alt must be a text that is not empty; got ' '"),
        ({"alt": 5, "v": [2]}, "alt must be a text that is not empty; got 5"),
        ({"alt": "a wave"}, "at least one control"),
        ({"alt": "a wave", "v": 5}, "v must be .*; got 5"),
        ({"alt": "a wave", "v": IntSlider(2)}, "v must be a list .*; got IntSlider"),
        ({"alt": "a wave", "v": "one"}, "v must be .*; got 'one'"),
        ({"alt": "a wave", "v": (0, 6)}, r"v must be .*; got \(0, 6\)"),
        ({"alt": "a wave", "v": [2, 2 + 1e-9]}, r"must differ.*; got \['2', '2'\]"),
        ({"alt": "a wave", "v": [2, 1, True]}, r"must differ.*; got \[2, 1, True\]"),
        ({"alt": "a wave", "v": [2, NAN]}, "a value of v must be a finite .*; got nan"),
        ({"alt": "a wave", "v": [2, [1]]}, r"a value of v must be .*; got \[1\]"),
        (
            {"alt": "a wave", "v": range(10**6)},
            r"at most 10000 steps; got range\(0, 1000000\)",
        ),
        (
            {"alt": "a wave", "v": [2], "w": [1]},
            r"update\(v=2\) does not fit the controls v, w",
        ),
        ({"alt": "a wave", "v": []}, r"v must be .*; got \[\]"),
        ({"alt": "a wave", "v": (2, 1, 1)}, r"v must have .*; got \(2, 1, 1\)"),
        ({"alt": "a wave", "v": (0, 5, 6)}, r"v must have .*; got \(0, 5, 6\)"),
        ({"alt": "a wave", "v": (0, 5, 0)}, r"v must have .*; got \(0, 5, 0\)"),
        ({"alt": "a wave", "v": (0, 10**9, 1)}, "at most 10000 steps; got"),
        ({"alt": "a wave", "v": (-1e308, 1e308, 1)}, "at most 10000 steps; got"),
        ({"alt": "a wave", "v": [1, 3]}, "v starts at 2; its slider has 1, 3"),
    ],
)
def test_an_explorer_that_cannot_be_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        explore(draws_nothing, **arguments)


@pytest.mark.parametrize(
    "draw, words",
    [
        (lambda fig: None, "draw must return the function update; got None"),
        (lambda fig: lambda v: None, "draw must draw on the figure that it is given"),
        (
            lambda fig: fig.text(0, 0, "") and (lambda v: 7),
            "update must return a sentence or nothing; got 7",
        ),
    ],
)
def test_a_stage_that_cannot_be_is_refused(draw, words):
    with pytest.raises(ValueError, match=words):
        explore(draw, alt="nothing", v=[1])


@pytest.mark.parametrize(
    "fewer, words",
    [
        ({"v": [1]}, "export must give v some values of its slider, 2 among them"),
        ({"v": [2, 3]}, "export must give v some"),
        ({"w": [1]}, "export names w, which no slider"),
    ],
)
def test_a_deck_shows_values_that_its_sliders_have(fewer, words):
    with pytest.raises(ValueError, match=words):
        exported_values(explore(draws_a_line, v=[1, 2]), fewer)


def test_the_docstring_of_a_picture_is_its_alt_text():
    assert explore(draws_a_line, v=[1, 2]).alt == "A line from left to right."


def test_what_is_no_figure_or_has_no_alt_text_is_not_shown():
    for thing in (None, plt.Figure().subplots()):
        with pytest.raises(ValueError, match="show needs a figure"):
            show(thing, alt="a wave")
    with pytest.raises(ValueError, match="alt text"):
        show(plt.Figure(), alt=" ")


# ---- rows of trained models ----------------------------------------------------------
ROWS = [
    {"config": {"task": task, "seed": seed, "k": 3}, "result": {}}
    for task, seed in (("first", 0), ("3 back", 0), ("3 back", 1))
]


@pytest.mark.parametrize(
    "wanted, words",
    [
        ({"k": True}, "k must be one of [3]; got True"),
        ({"task": "3 bak"}, "task must be one of ['3 back', 'first']; got '3 bak'"),
        ({"seeds": 0}, "a run is described by ['k', 'seed', 'task']; got 'seeds'"),
        ({"task": "first", "seed": 1}, "no run has all of {'task': 'first', 'seed': 1"),
    ],
)
def test_a_run_that_was_not_trained_is_refused(wanted, words):
    with pytest.raises(ValueError) as caught:
        trained_models.select_trained(ROWS, **wanted)
    assert words in str(caught.value)


def test_runs_are_found_by_their_configuration():
    assert trained_models.select_trained(ROWS, task="3 back") == ROWS[1:]
    assert trained_models.select_trained(ROWS, task="3 back", seed=1, k=3) == ROWS[2:]


@pytest.mark.parametrize(
    "line, words",
    [
        ('{"version": 0, "config": {}}', "line 2: a row of version 0; this course"),
        ('{"config": {}}', "line 2: not a trained model"),
        ('{"version": 1, "con', "line 2: not a trained model"),
        ("[]", "line 2: not a trained model"),
    ],
)
def test_rows_of_another_version_are_refused(tmp_path, line, words):
    path = tmp_path / "head.jsonl"
    path.write_text(json.dumps({"version": 1, **ROWS[0]}) + "\n" + line + "\n")
    with pytest.raises(ValueError) as caught:
        trained_models.read_trained(path)
    assert words in str(caught.value) and str(path) in str(caught.value)


def test_rows_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match=r"there are \['head', 'lengths', 'moved'\]"):
        trained_models.read_trained("heads")
