"""Bad input is refused in one line that says what was given and what is allowed."""

from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sympy

from course import (
    check,
    draw,
    explore,
    predict,
    prove,
    read_trained,
    select_trained,
    show,
    wishes_of,
)
from course.explorer import Live
from render.frames import exported_values
from utils import frequencies, layer_norm, positional_encoding, rotations_of
from utils import shift_matrix as shift


def assert_refused(call, *words):
    """Calls; the error is one line in which these words stand, and the only error."""
    with pytest.raises(ValueError) as caught:
        call()
    message = str(caught.value)
    assert [word for word in words if word not in message] == [], message
    assert "\n" not in message
    assert caught.value.__context__ is None or caught.value.__suppress_context__


# ---- numbers and tables --------------------------------------------------------------
NAN, INF, HUGE = float("nan"), float("inf"), 10**400
MASKED = np.ma.array([1, 2], mask=[0, 1])
BAD = {
    "d_model": (frequencies, [7, 0, 2**28, 4.0, "8", None, True, NAN, [4], HUGE]),
    "base": (lambda value: frequencies(4, value), [1, -2, INF, HUGE, "2", 2j, True]),
    "positions": (
        lambda value: positional_encoding(value, 4),
        [-1, True, 2.0, NAN, "我", [[1, 2], [3, 4]], [1, [2, 3]], [INF], [HUGE]]
        + [MASKED, ["1"], [True]],
    ),
    "k": (lambda value: shift(value, 4), [-INF, HUGE, "1", True, 1j, [1]]),
    "M": (rotations_of, ["a", [1, 2], [[1, 2], [3]], [[1j, 0], [0, 1]], [[NAN]]]),
    "X": (layer_norm, ["a", [], [[1, INF]], np.ones((3, 0))]),
}


@pytest.mark.parametrize(
    "name, call, value",
    [(name, call, value) for name, (call, bad) in BAD.items() for value in bad],
    ids=lambda part: repr(part)[:20],
)
def test_invalid_numbers_are_refused(name, call, value):
    assert_refused(lambda: call(value), f"{name} must", repr(value)[:20])


@pytest.mark.parametrize("three", [sympy.Integer(3), Fraction(3), np.int8(3)])
def test_integers_and_rationals_of_sympy_are_numbers(three):
    assert np.array_equal(shift(three, 4), shift(3, 4))
    assert np.array_equal(shift(three / 2, 4), shift(1.5, 4))
    assert np.array_equal(frequencies(6, three), frequencies(6, 3))
    assert np.array_equal(positional_encoding([three], 4), positional_encoding([3], 4))
    four = three + 1
    if not isinstance(four, Fraction):
        assert positional_encoding(four, four).shape == (4, 4)


# ---- everything else -----------------------------------------------------------------
OPTIONS = {"a": "as", "b": "but"}
LENGTH = "independent of the text’s length"


def wishes(value, *names):
    return lambda: wishes_of(lambda n: np.full((n, 4), value), *names)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: positional_encoding(10**10, 4), ["positions x", "10000000000 x 4"]),
        (lambda: positional_encoding(np.zeros(2**14), 2**14), ["16384 x 16384"]),
        (lambda: shift(1, 2**14), ["d_model x d_model", "2**27", "16384 x 16384"]),
        (lambda: positional_encoding("1" * 300, 4), ["positions", "1 …"]),
        (lambda: positional_encoding(3, 7), ["d_model", "7"]),
        (lambda: rotations_of(np.ones((4, 6))), ["M must", "(4, 6)"]),
        (lambda: layer_norm(np.ones((2, 2, 2))), ["X must", ", of shape (2, 2, 2)"]),
        (lambda: layer_norm([[1, 2], [3]]), ["X must", "inhomogeneous"]),
        (lambda: layer_norm([[1, 2], [3, INF]]), ["X must", "entry [1, 1] is inf"]),
        (lambda: layer_norm([[1, 2], [0.1, 0.1]]), ["0.1", "row 1"]),
        (lambda: wishes_of(np.ones((64, 4))), ["code", "array"]),
        (wishes(NAN), ["code(10000)", "nan"]),
        (lambda: wishes_of(lambda n: np.ones((9, 4)), [LENGTH]), ["64 rows", "9"]),
        (wishes(1, ["x"]), ["names", "['x']"]),
        (lambda: prove(np.eye(2), 0), ["prove", "array([["]),
        (lambda: prove(sympy.Matrix([1]), 1), ["prove", "one shape"]),
        (lambda: predict("Which?", ["a", "b"], "a"), ["options", "['a', 'b']"]),
        (lambda: predict("Which?", OPTIONS, "c"), ["answer", "'c'"]),
        (lambda: predict("Which?", {"a": "as", "": "but"}, "a"), ["options", "''"]),
        (lambda: check(5, {}, ""), ["claims", "{}"]),
        (lambda: check(5, {"odd": True}, ""), ["'odd'", "True"]),
        (lambda: show(None, alt="a wave"), ["figure", "None"]),
        (lambda: show(plt.Figure(), alt=" "), ["alt text", "' '"]),
        (lambda: Live(lambda fig: None), ["draw must return", "update", "None"]),
        (lambda: read_trained("heads"), ["heads", "['bases', 'lengths', 'moved']"]),
    ],
)
def test_what_the_helpers_cannot_take_is_refused(call, words):
    assert_refused(call, *words)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda ax: draw.board(ax, [1]), ["board", "[1]"]),
        (lambda ax: draw.board(ax, {"a": {"x": 1}}), ["verdict", "1"]),
        (
            lambda ax: draw.board(ax, {"a": {"x": True}}, framed="y"),
            ["framed", "['a', 'x']", "'y'"],
        ),
        (lambda ax: draw.on_dial("x"), ["an angle", "'x'"]),
        (lambda ax: draw.on_dial([0, 1], [1, 2, 3]), ["2 angles", "3"]),
        (lambda ax: draw.arrow(ax, (0, INF), (1, 1)), ["a tail", "inf"]),
        (lambda ax: draw.frame(ax, 3, 1, 1), ["a corner", "3"]),
        (lambda ax: draw.hand(ax, "3"), ["angle", "'3'"]),
        (lambda ax: draw.sweep(ax, radius=NAN), ["radius", "nan"]),
        (lambda ax: draw.dial(ax, room=-1), ["room", "-1"]),
        (lambda ax: draw.number(3, digits=-1), ["digits", "-1"]),
        (lambda ax: draw.number(HUGE), ["number", "1000"]),
        (lambda ax: draw.bars(ax, [1, NAN]), ["bars", "entry [1] is nan"]),
        (lambda ax: draw.bars(ax, [1, 2], names="abc"), ["2 bars", "abc"]),
        (lambda ax: draw.bars(ax, [1, 2])([3]), ["2 bars", "got 1"]),
        (lambda ax: draw.matrix(ax, [1, 2]), ["table", "of shape (2,)"]),
        (lambda ax: draw.matrix(ax, [[0, 1]])([[0]]), ["(1, 2)", "(1, 1)"]),
        (lambda ax: draw.matrix(ax, [[INF]]), ["entry [0, 0] is inf"]),
        (lambda ax: draw.table(ax, [[1]], "ab", draw.SUM), ["1 rows", "'ab'"]),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, words):
    assert_refused(lambda: call(plt.Figure().subplots()), *words)


# ---- explorers -----------------------------------------------------------------------
def stage(fig):
    """A line
    from left to right.

    Parameters, and more.
    """
    fig.text(0, 0, "")
    return lambda v=2: None


def test_the_docstring_of_a_picture_is_its_alt_text():
    assert explore(stage, v=[1, 2]).alt == "A line from left to right."


def number(fig):
    """A number in place of a sentence."""
    return lambda v: 3.5


def on_plt(fig):
    """A line on another figure."""
    plt.figure()
    return lambda v: plt.close()


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: explore(stage), ["control"]),
        (lambda: explore(lambda fig: None, v=[2]), ["docstring", "alt text"]),
        (lambda: explore(stage, w=[2]), ["update(v=2)", "called as update(w)", "'w'"]),
        (lambda: explore(number, v=[2]), ["must return a sentence", "3.5"]),
        (lambda: explore(stage(plt.Figure()), v=[1, 2]), ["draw itself", "update"]),
        (lambda: explore(None, v=[1, 2]), ["draw(fig)", "None"]),
        (lambda: explore(on_plt, v=[1]), ["the figure that draw(fig) is given", "plt"]),
        (lambda: explore(stage, v=3), ["v must be", "list", "got 3"]),
        (lambda: explore(stage, v=[]), ["v must be", "[]"]),
        (lambda: explore(stage, v=[2, NAN]), ["v must be", "nan"]),
        (lambda: explore(stage, v=(0, 6)), ["(0, 6). If these are its values, give a"]),
        (lambda: explore(stage, v=(0, 5, 0)), ["a step above 0", "(0, 5, 0)"]),
        (lambda: explore(stage, v=(5, 1, 1)), ["low below high", "[5, 1, 1]"]),
        (lambda: explore(stage, v=(0, 10**9, 1)), ["at most 10001 values"]),
        (
            lambda: explore(stage, v=[1, 3]),
            ["v starts at", "[1, 3]; got 2"],
        ),
    ],
)
def test_what_an_explorer_cannot_show_is_refused(call, words):
    assert_refused(call, *words)


@pytest.mark.parametrize("fewer", [{"v": [1]}, {"v": [2, 3]}, {"w": [1]}])
def test_a_deck_shows_values_that_its_sliders_have(fewer):
    explorer = explore(stage, v=[1, 2])
    assert_refused(lambda: exported_values(explorer, fewer), "export", *fewer)


# ---- rows of trained models ----------------------------------------------------------
ROWS = [
    {"config": {"task": task, "seed": seed, "k": 3}, "result": {}}
    for task, seed in (("first", 0), ("3 back", 0), ("3 back", 1))
]


@pytest.mark.parametrize(
    "wanted, words",
    [
        ({"task": "3 bak"}, ["task", "['3 back', 'first']", "'3 bak'"]),
        ({"seeds": 0}, ["['k', 'seed', 'task']", "'seeds'"]),
        ({"task": "first", "seed": 1}, ["{'task': 'first', 'seed': 1}"]),
    ],
)
def test_a_run_that_was_not_trained_is_refused(wanted, words):
    assert_refused(lambda: select_trained(ROWS, **wanted), *words)


def test_runs_are_found_by_their_configuration():
    assert select_trained(ROWS, task="3 back") == ROWS[1:]
    assert select_trained(ROWS, task="3 back", seed=1, k=3) == ROWS[2:]
