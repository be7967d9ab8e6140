"""Bad input is refused in one line that says what was given and what is allowed."""

import json
import traceback
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sympy
from ipywidgets import IntSlider

import draw
import trained_models
import utils
from explorer import explore, show
from tools.frames import chosen

NAN, INF, HUGE = float("nan"), float("inf"), 10**400
WIDTH, BASE = "an even integer >= 2", "a finite number > 1"
PLACES = "an integer n >= 0 or a 1-D array of finite real numbers"
OFFSET = "a finite real number"

BAD_WIDTHS = [7, 0, -2, 4.0, "8", None, True, NAN, [4], np.int8(3), HUGE]
BAD_BASES = [1, 0, -10_000, NAN, INF, "10000", True, None, 2j, [10], HUGE]
BAD_POSITIONS = [
    *(-1, True, None, 2.0, NAN, "我", HUGE, {"a": 1}, [[1, 2], [3, 4]], [1, [2, 3]]),
    *([1, 2j], np.array([0, INF]), ["1"], [HUGE]),
]
BAD_OFFSETS = [NAN, -INF, "1", True, 1j, [1], HUGE, Fraction(1)]


def briefly(value):
    return repr(value)[:20]


def is_one(error):
    """Whether a reader sees one error, and not a chain of them."""
    return "".join(traceback.format_exception(error)).count("Traceback") == 1


def refused(call, name, value, allowed):
    """Assert that `call` is refused as promised, and by no line deep in numpy."""
    with pytest.raises(ValueError) as caught:
        call()
    message = str(caught.value)
    assert name in message and allowed in message and repr(value)[:30] in message
    assert traceback.extract_tb(caught.tb)[-1].filename == utils.__file__
    assert is_one(caught.value)


@pytest.mark.parametrize("value", BAD_WIDTHS, ids=briefly)
def test_a_width_that_cannot_be_is_refused(value):
    refused(lambda: utils.frequencies(value), "d_model", value, WIDTH)
    refused(lambda: utils.positional_encoding(3, value), "d_model", value, WIDTH)
    refused(lambda: utils.shift_matrix(3, value), "d_model", value, WIDTH)


@pytest.mark.parametrize("value", BAD_BASES, ids=briefly)
def test_a_base_that_cannot_be_is_refused(value):
    refused(lambda: utils.frequencies(4, value), "base", value, BASE)
    refused(lambda: utils.positional_encoding(3, 4, base=value), "base", value, BASE)
    refused(lambda: utils.shift_matrix(3, 4, base=value), "base", value, BASE)


@pytest.mark.parametrize("value", BAD_POSITIONS, ids=briefly)
def test_positions_that_cannot_be_are_refused(value):
    refused(lambda: utils.positional_encoding(value, 4), "positions", value, PLACES)


@pytest.mark.parametrize("value", BAD_OFFSETS, ids=briefly)
def test_an_offset_that_cannot_be_is_refused(value):
    refused(lambda: utils.shift_matrix(value, 4), "k", value, OFFSET)


@pytest.mark.parametrize("shape", [(3, 3), (4, 6)], ids=str)
def test_a_matrix_without_pairs_has_no_rotations(shape):
    with pytest.raises(ValueError, match="M must be square, .*; got the shape"):
        utils.rotations_of(np.ones(shape))


NO_TABLES = ["a", [1, 2], [[1, 2], [3]], [[1j, 0], [0, 1]], [[np.nan, 0], [0, 1]]]


@pytest.mark.parametrize("value", NO_TABLES, ids=str)
@pytest.mark.parametrize("takes", [utils.rotations_of, utils.layer_norm])
def test_what_is_no_table_of_real_numbers_is_refused(takes, value):
    with pytest.raises(ValueError, match="must be a table of finite real numbers"):
        takes(value)


@pytest.mark.parametrize(
    "code, names, words",
    [
        (np.ones((64, 4)), [], "code must be a function"),
        (lambda n: np.full((n, 4), np.nan), [], "must be a table of finite"),
        (lambda n: np.ones((3, 4)), [], "64 rows"),
        (lambda n: np.ones((n, 4)), ["bound"], r"got \['bound'\]"),
    ],
)
def test_a_code_that_is_none_has_no_wishes(code, names, words):
    with pytest.raises(ValueError, match=words):
        utils.wishes_of(code, names)


@pytest.mark.parametrize(
    "sides, words",
    [
        ((np.ones(2), np.ones(2)), "needs sympy expressions"),
        ((True, True), "needs sympy expressions"),
        ((False, 0), "needs sympy expressions"),
        ((sympy.eye(2), sympy.eye(3)), "size mismatch"),
    ],
)
def test_what_is_no_formula_is_not_proved(sides, words):
    with pytest.raises(ValueError, match=words):
        utils.prove(*sides)


def test_a_question_without_replies_and_a_check_without_claims_are_refused():
    with pytest.raises(ValueError, match="options must be a dict"):
        utils.predict("Which?", ["left", "right"], "left")
    with pytest.raises(ValueError, match="at least one claim"):
        utils.check(5, {}, "")


# ---- pictures ------------------------------------------------------------------------
@pytest.mark.parametrize(
    "rows, words",
    [
        ({}, "at least one column"),
        ({"a": {"x": True}, "b": {"y": True}}, r"b must have the columns \['x'\]"),
        ({"a": {"x": "✗"}}, "a, x: a verdict is True, False"),
    ],
)
def test_a_board_that_cannot_be_is_refused(rows, words):
    with pytest.raises(ValueError, match=words):
        draw.board(plt.Figure().subplots(), rows)


def test_cells_are_filled_from_a_table_of_their_own_shape():
    ax = plt.Figure().subplots()
    for cells in (draw.matrix, lambda *a: draw.table(*a, "a", draw.SUM, "")):
        with pytest.raises(ValueError, match="with rows and columns is wanted"):
            cells(ax, [1, 2])
    move = draw.matrix(ax, [[0, 1]])
    with pytest.raises(ValueError, match=r"a table of shape \(1, 2\) is wanted"):
        move([[0, 1, 0]])


def draws_nothing(fig):
    return lambda v=2: None


def draws_a_line(fig):
    """A line
    from left to right."""
    return draws_nothing(fig)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"v": [2]}, "draws_nothing has no docstring: it is the picture's alt text"),
        ({"alt": " ", "v": [2]}, "it is the picture's alt text"),
        ({"alt": "a wave"}, "at least one control"),
        ({"alt": "a wave", "v": 5}, "v must be .*; got 5"),
        ({"alt": "a wave", "v": IntSlider(2)}, "v must be a list .*; got IntSlider"),
        ({"alt": "a wave", "v": "one"}, "v must be .*; got 'one'"),
        ({"alt": "a wave", "v": (0, 6)}, r"v must be .*; got \(0, 6\)"),
        ({"alt": "a wave", "v": (1, 10, 100)}, r"v must be .*; got \(1, 10, 100\)"),
        ({"alt": "a wave", "v": [2, 2 + 1e-9]}, "no two written alike"),
        ({"alt": "a wave", "v": [2], "w": [1]}, "controls and update do not fit"),
        ({"alt": "a wave", "v": []}, r"v must be .*; got \[\]"),
        ({"alt": "a wave", "v": (2, 1, 3)}, r"v must be .*; got \(2, 1, 3\)"),
        ({"alt": "a wave", "v": (0, 5, 0)}, r"v must be .*; got \(0, 5, 0\)"),
        ({"alt": "a wave", "v": [1, 3]}, "start value of v must be .*; got 2"),
    ],
)
def test_an_explorer_that_cannot_be_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        explore(draws_nothing, **arguments)


@pytest.mark.parametrize(
    "draw, words",
    [
        (lambda fig: None, "draw must return the function update; got None"),
        (lambda fig: lambda v: 7, "update must return a sentence or nothing; got 7"),
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
        chosen(explore(draws_a_line, v=[1, 2]), fewer)


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
    assert is_one(caught.value)


def test_rows_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match=r"there are \['head', 'lengths', 'moved'\]"):
        trained_models.read_trained("heads")
