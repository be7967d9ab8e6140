"""Bad input is refused with a ValueError that says what was given and is allowed."""

import traceback
from fractions import Fraction

import numpy as np
import pytest

import utils
from explorer import explore

NAN, INF = float("nan"), float("inf")
WIDTH, BASE, OFFSET = (
    "an even integer >= 2",
    "a finite number > 1",
    "a finite real number",
)
PLACES = "an integer n >= 0 or a 1-D array of finite real numbers"

BAD_D_MODEL = [
    7,
    1,
    0,
    -2,
    4.0,
    6.5,
    "8",
    None,
    True,
    False,
    NAN,
    [4],
    np.float64(4),
    np.bool_(True),
    np.int8(3),
    10**400,
]
BAD_BASE = [
    1,
    1.0,
    0,
    -10_000,
    NAN,
    INF,
    -INF,
    "10000",
    True,
    None,
    2j,
    [10],
    np.float64(NAN),
    10**400,
]
BAD_POSITIONS = [
    -1,
    np.int64(-3),
    True,
    np.bool_(False),
    None,
    2.0,
    np.float64(3),
    NAN,
    "5",
    "我",
    10**400,
    3j,
    [[1, 2], [3, 4]],
    np.zeros((2, 2)),
    np.zeros((0, 2)),
    np.array(3.0),
    [1, 2j],
    np.array([1j]),
    [0, NAN],
    np.array([0, INF]),
    ["1", "2"],
    np.array(["a"]),
    [True, False],
    np.array([True]),
    [0, 1, True],
    [1, [2, 3]],
    [[1], [2, 3]],
    [1, None],
    [10**400],
    {"a": 1},
    {1, 2},
]
BAD_K = [
    NAN,
    INF,
    -INF,
    "1",
    True,
    np.bool_(True),
    1j,
    None,
    [1],
    np.array([1.0]),
    10**400,
]


def refused(call, name, value, allowed):
    """Assert that `call` is refused as promised."""
    with pytest.raises(ValueError) as caught:
        call()
    message = str(caught.value)
    assert name in message and allowed in message
    assert repr(value)[:30] in message
    where = traceback.extract_tb(caught.tb)[-1].filename
    assert where == utils.__file__, "the error comes from elsewhere"
    shown = "".join(traceback.format_exception(caught.value))
    assert shown.count("Traceback") == 1, "one error, not a chain"


@pytest.mark.parametrize("value", BAD_D_MODEL, ids=lambda v: repr(v)[:20])
def test_bad_d_model(value):
    refused(lambda: utils.frequencies(value), "d_model", value, WIDTH)
    refused(lambda: utils.positional_encoding(3, value), "d_model", value, WIDTH)
    refused(lambda: utils.shift_matrix(3, value), "d_model", value, WIDTH)


@pytest.mark.parametrize("value", BAD_BASE, ids=lambda v: repr(v)[:20])
def test_bad_base(value):
    refused(lambda: utils.frequencies(4, value), "base", value, BASE)
    refused(lambda: utils.positional_encoding(3, 4, base=value), "base", value, BASE)
    refused(lambda: utils.shift_matrix(3, 4, base=value), "base", value, BASE)


@pytest.mark.parametrize("value", BAD_POSITIONS, ids=lambda v: repr(v)[:20])
def test_bad_positions(value):
    refused(lambda: utils.positional_encoding(value, 4), "positions", value, PLACES)


@pytest.mark.parametrize("value", BAD_K, ids=lambda v: repr(v)[:20])
def test_bad_offset(value):
    refused(lambda: utils.shift_matrix(value, 4), "k", value, OFFSET)


@pytest.mark.parametrize(
    "control", [[], (), (3, 1, 1), (0, 5, 0), (0, 5, -1)], ids=repr
)
def test_a_control_without_values(control):
    with pytest.raises(ValueError, match="speed must be .*; got "):
        explore(lambda fig: lambda speed: None, alt="nothing", speed=control)


def test_fractions_are_refused_with_the_same_words():
    half = Fraction(1, 2)
    refused(lambda: utils.shift_matrix(half, 4), "k", half, OFFSET)


# ---- rows of trained models -----------------------------------------------------
ROWS = [
    {"config": {"task": task, "seed": seed, "k": 3}, "result": {}}
    for task, seed in (("first", 0), ("3 back", 0), ("3 back", 1))
]


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"task": "3 bak"}, "task must be one of ['3 back', 'first']; got '3 bak'"),
        ({"seed": 7}, "seed must be one of [0, 1]; got 7"),
        ({"seeds": 0}, "a run is described by ['k', 'seed', 'task']; got 'seeds'"),
        ({"task": "first", "seed": 1}, "no run has all of {'task': 'first', 'seed': 1"),
    ],
)
def test_a_run_that_was_not_trained_is_refused(wanted, words):
    with pytest.raises(ValueError) as refused:
        utils.select_trained(ROWS, **wanted)
    assert words in str(refused.value)


def test_runs_are_found_by_their_configuration():
    assert utils.select_trained(ROWS, task="3 back") == ROWS[1:]
    assert utils.select_trained(ROWS, task="3 back", seed=1, k=3) == ROWS[2:]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"version": 0, "config": {}}', "line 2: a row of version 0; this course"),
        ('{"version": "1"}', "a row of version '1'"),
        ('{"config": {}}', "line 2: not a trained model"),
        ('{"version": 1, "con', "line 2: not a trained model"),
        ("[]", "line 2: not a trained model"),
    ],
)
def test_rows_of_another_version_are_refused(tmp_path, line, words):
    path = tmp_path / "head.jsonl"
    path.write_text('{"version": 1, "config": {}, "result": {}}\n' + line + "\n")
    with pytest.raises(ValueError) as refused:
        utils.read_trained(path)
    assert words in str(refused.value) and str(path) in str(refused.value)


def test_rows_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match=r"there are \['head', 'lengths', 'moved'\]"):
        utils.read_trained("heads")


@pytest.mark.parametrize("shape", [(3, 3), (4, 6), (4,), (2, 4, 4)])
def test_a_matrix_without_pairs_has_no_rotations(shape):
    with pytest.raises(ValueError, match="M must be square, .*; got the shape"):
        utils.rotations_of(np.ones(shape))
