"""Bad input is refused in one line that says what was given and what is allowed."""

from collections import deque
from fractions import Fraction
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sympy
from ipywidgets import IntSlider

import draw
from exercises import check, predict
from explorer import explore, show
from live import Live
from proofs import prove
from render.frames import exported_values
from trained_models import read_trained, select_trained
from utils import frequencies, layer_norm, positional_encoding, rotations_of
from utils import shift_matrix as shift
from wishes import wishes_of


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
ZEROS = np.zeros(2)
ENDLESS = 10**5000  # which Python refuses to write down
MASKED = np.ma.array([1, 2], mask=[0, 1])
THREE = sympy.Integer(3)
BAD = {
    "d_model": (frequencies, [7, 0, 2**28, 4.0, "8", None, True, NAN, [4], HUGE]),
    "base": (lambda value: frequencies(4, value), [1, -2, INF, HUGE, "2", 2j, THREE]),
    "positions": (
        lambda value: positional_encoding(value, 4),
        [-1, True, 2.0, NAN, "我", [[1, 2], [3, 4]], [1, [2, 3]], [INF], [HUGE]]
        + [MASKED, THREE, ["1"], [True]],
    ),
    "k": (
        lambda value: shift(value, 4),
        [-INF, HUGE, np.longdouble("1e400"), "1", True, 1j, [1], Fraction(1)],
    ),
    "M": (rotations_of, ["a", [1, 2], [[1, 2], [3]], [[1j, 0], [0, 1]], [[NAN]]]),
    "X": (layer_norm, ["a", [], [[1, INF]]]),
}


@pytest.mark.parametrize(
    "name, call, value",
    [(name, call, value) for name, (call, bad) in BAD.items() for value in bad],
    ids=lambda part: repr(part)[:20],
)
def test_invalid_numbers_are_refused(name, call, value):
    kind = "Integer" if value is THREE else ""
    assert_refused(lambda: call(value), f"{name} must be", repr(value)[:20], kind)


# ---- everything else -----------------------------------------------------------------
LENGTH = "independent of the text’s length"
SYMBOL = sympy.MatrixSymbol("A", 2, 2)
OPTIONS = {"a": "as", "b": "but"}
MANY = dict.fromkeys(map(str, range(27)), "as")


def wishes(value, *names):
    return lambda: wishes_of(lambda n: np.full((n, 4), value), *names)


@pytest.mark.parametrize(
    "call, words",
    [
        (
            lambda: positional_encoding(10**10, 4),
            ["positions x d_model", "134217728", "10000000000 x 4"],
        ),
        (lambda: positional_encoding(range(10**12), 4), ["1000000000000 x 4"]),
        (lambda: positional_encoding(range(10**30, 0, -1), 4), [f"{10**30} x 4"]),
        (lambda: positional_encoding(ENDLESS, 4), ["more than 4300 digits x 4"]),
        (lambda: frequencies(ENDLESS), ["d_model", "got more than 4300 digits"]),
        (lambda: layer_norm([[ENDLESS]]), ["X must", "got more than 4300 digits"]),
        (lambda: positional_encoding(np.zeros(2**14), 2**14), ["16384 x 16384"]),
        (lambda: shift(1, 2**14), ["d_model x d_model", "134217728", "16384 x 16384"]),
        (lambda: positional_encoding("1" * 300, 4), ["positions", "1 …"]),
        (lambda: positional_encoding(3, 7), ["d_model", "7"]),
        (lambda: shift(3, 4, base=1), ["base", "1"]),
        (lambda: rotations_of(np.ones((4, 6))), ["M must", "(4, 6)"]),
        (lambda: layer_norm(np.ones((2, 2, 2))), ["X must", ", of shape (2, 2, 2)"]),
        (lambda: layer_norm(np.ones((3, 0))), ["X must", ", of shape (3, 0)"]),
        (lambda: layer_norm([[1, 2], [3]]), ["X must", "rows of different lengths"]),
        (lambda: layer_norm([[1, 2], [3, INF]]), ["X must", "entry [1, 1] is inf"]),
        (lambda: layer_norm(np.array([[1, NAN]])), ["X must", "entry [0, 1] is nan"]),
        (
            lambda: layer_norm([[1, THREE]]),
            ["X must", "[[1, 3]], which holds 3, of type sympy"],
        ),
        (lambda: positional_encoding(MASKED, 4), ["positions", "masked entries"]),
        (lambda: layer_norm([MASKED, [3, 4]]), ["X must", "masked entries"]),
        (lambda: layer_norm([[1, 2], [0.1, 0.1]]), ["0.1", "row 1"]),
        (lambda: wishes_of(np.ones((64, 4))), ["code", "array"]),
        (wishes(NAN), ["code(10000)", "nan"]),
        (lambda: wishes_of(lambda n: np.ones((9, 4)), [LENGTH]), ["64 rows", "9"]),
        (wishes(1, ["x"]), ["names", "['x']"]),
        (wishes(1, "bounded"), ["names", "'bounded'"]),
        (lambda: prove(False, 0), ["prove", "False"]),
        (lambda: prove(SYMBOL, SYMBOL), ["prove", "A"]),
        (lambda: prove(np.eye(2), 0), ["prove", "array([["]),
        (lambda: prove(sympy.Matrix([1]), 1), ["prove", "one shape"]),
        (lambda: predict("Which?", ["a", "b"], "a"), ["options", "['a', 'b']"]),
        (lambda: predict("Which?", MANY, "0"), ["options", "26"]),
        (lambda: predict("Which?", OPTIONS, "c"), ["answer", "'c'"]),
        (lambda: predict(7, OPTIONS, "a"), ["question", "7"]),
        (lambda: predict(" ", OPTIONS, "a"), ["question", "' '"]),
        (lambda: predict("Which?", {"a": "as", "": "but"}, "a"), ["options", "''"]),
        (lambda: predict("Which?", OPTIONS, "a", 0), ["figure", "0"]),
        (lambda: check(5, {}, ""), ["claims", "{}"]),
        (lambda: check(5, {"odd": True}, ""), ["'odd'", "True"]),
        (lambda: check(5, {"odd": bool}, None), ["hint", "None"]),
        (lambda: show(None, alt="a wave"), ["figure", "None"]),
        (lambda: show(plt.Figure(), alt=" "), ["alt text", "' '"]),
        (lambda: show(plt.Figure(), alt="a wave"), ["drawn", "empty"]),
        (
            lambda: show(explore(stage, v=[2]).live.canvas.figure, alt="a wave"),
            ["animated", "panel.image.value"],
        ),
        (lambda: Live(None), ["draw must be a function of (fig)", "None"]),
        (lambda: Live(max), ["draw must be a function of (fig)", "max"]),
        (lambda: Live(lambda: print), ["draw() is called as draw(fig)", "positional"]),
    ],
)
def test_what_the_helpers_cannot_take_is_refused(call, words):
    assert_refused(call, *words)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda ax: draw.board(ax, [1]), ["board", "[1]"]),
        (lambda ax: draw.board(ax, {"a": {"x": True}, "b": {"y": True}}), ["b", "y"]),
        (
            lambda ax: draw.board(ax, {"a": {"x": (True, 32)}}),
            ["verdict", "(True, 32)"],
        ),
        (lambda ax: draw.board(ax, {"a": {"x": (True,)}}), ["verdict", "(True,)"]),
        (lambda ax: draw.board(ax, {"a": {"x": 1}}), ["verdict", "1"]),
        (
            lambda ax: draw.board(ax, {"a": {"x": True}}, framed="y"),
            ["framed", "['a', 'x']", "'y'"],
        ),
        (
            lambda ax: draw.board(ax, {"a": {"a": True}}, framed="a"),
            ["framed", "one row or one column", "['a', 'a']", "'a'"],
        ),
        (
            lambda ax: draw.board(ax, {"a": {"x": True}}, framed=np.array(["a", "x"])),
            ["framed", "array(['a', 'x']"],
        ),
        (
            lambda ax: draw.board(ax, {"a": {"x": True}}, label_width="x"),
            ["label_width", "'x'"],
        ),
        (lambda ax: draw.on_dial("x"), ["an angle", "'x'"]),
        (lambda ax: draw.on_dial([0, INF]), ["an angle", "entry [1] is inf"]),
        (lambda ax: draw.on_dial(0, NAN), ["a radius", "nan"]),
        (lambda ax: draw.on_dial([0], [NAN]), ["a radius", "entry [0] is nan"]),
        (lambda ax: draw.on_dial(0, "a"), ["a radius", "'a'"]),
        (lambda ax: draw.on_dial([0, 1], [1, 2, 3]), ["2 angles", "[1., 2., 3.]"]),
        (lambda ax: draw.word(ax, [1, 2], "x"), ["an angle", "[1, 2]"]),
        (lambda ax: draw.along(ax.text(0, 0, "x"), (0, 0), (1, NAN)), ["end", "nan"]),
        (lambda ax: draw.along(ax.text(0, 0, "x"), 0, (1, 0)), ["start", "0"]),
        (lambda ax: draw.side(ax, (0, 0), (1, 0), "x", NAN), ["distance", "nan"]),
        (lambda ax: draw.side(ax, (0, 0), (1, 0, 0)), ["an end", "(1, 0, 0)"]),
        (lambda ax: draw.arrow(ax, (0, INF), (1, 1)), ["a tail", "inf"]),
        (lambda ax: draw.arrow(ax, (0, 0), (NAN, 1)), ["a tip", "nan"]),
        (lambda ax: draw.frame(ax, 3, 1, 1), ["a corner", "3"]),
        (lambda ax: draw.frame(ax, (0, 0), "a", 1), ["a width", "'a'"]),
        (lambda ax: draw.box(ax, (0, 0), 1, NAN), ["a height", "nan"]),
        (lambda ax: draw.arc(ax, 0, 1, centre=(NAN, 0)), ["a centre", "nan"]),
        (lambda ax: draw.hand(ax, "3"), ["angle", "'3'"]),
        (lambda ax: draw.arc(ax, 0, NAN), ["angle", "nan"]),
        (lambda ax: draw.sweep(ax, turned="a"), ["angle", "'a'"]),
        (lambda ax: draw.sweep(ax, radius=NAN), ["radius", "nan"]),
        (lambda ax: draw.arc(ax, 0, 1, radius=0), ["radius", "0"]),
        (lambda ax: draw.dial(ax, room=-1), ["room", "-1"]),
        (lambda ax: draw.hand(ax, 0, length="red"), ["length", "'red'"]),
        (lambda ax: draw.number(3, digits=-1), ["digits", "-1"]),
        (lambda ax: draw.number(3, digits=16), ["from 0 to 15", "16"]),
        (lambda ax: draw.number(THREE), ["number", "3, of type sympy"]),
        (lambda ax: draw.number(HUGE), ["number", "1000"]),
        (lambda ax: draw.bars(ax, [1, NAN]), ["bars", "entry [1] is nan"]),
        (lambda ax: draw.bars(ax, [1, 2], names="abc"), ["2 bars", "abc"]),
        (lambda ax: draw.bars(ax, [1, 2], names=3), ["2 bars", "3"]),
        (lambda ax: draw.bars(ax, [1], names={"a"}), ["1 bars", "in order", "{'a'}"]),
        (lambda ax: draw.bars(ax, [1], write="a"), ["write", "'a'"]),
        (lambda ax: draw.bars(ax, [1, 2])(3), ["bars", "3"]),
        (lambda ax: draw.bars(ax, [1, 2])([3]), ["2 bars", "[3]"]),
        (lambda ax: draw.matrix(ax, [[1]], limit=0), ["limit", "0"]),
        (lambda ax: draw.matrix(ax, [[1]], digits=1.5), ["digits", "1.5"]),
        (lambda ax: draw.matrix(ax, [["1"]]), ["finite", "[['1']]"]),
        (lambda ax: draw.matrix(ax, [[1], [1, 2]]), ["finite", "[[1], [1, 2]]"]),
        (lambda ax: draw.matrix(ax, [1, 2]), ["table", "of shape (2,)"]),
        (lambda ax: draw.matrix(ax, [[0, 1]])([[0]]), ["(1, 2)", "(1, 1)"]),
        (lambda ax: draw.matrix(ax, [[INF]]), ["entry [0, 0] is inf"]),
        (lambda ax: draw.table(ax, [[1]], None, draw.SUM), ["1 rows", "None"]),
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
    return lambda v=2, *, many=ZEROS: None


@pytest.mark.parametrize("draw_stage", [stage, partial(stage)])
def test_the_docstring_of_a_picture_is_its_alt_text(draw_stage):
    assert explore(draw_stage, v=[1, 2]).alt == "A line from left to right."


def test_an_alt_text_ends_at_a_line_without_words():
    def draw_line(fig):
        """A line\x20
        to the right.
        \x20\x20
        It is drawn with plot.
        """
        return stage(fig)

    assert explore(draw_line, v=[1, 2]).alt == "A line to the right."


def test_docstring_and_controls_are_checked_before_anything_is_drawn():
    assert_refused(lambda: explore(lambda fig: 1 / 0, v=[2]), "lambda", "docstring")

    def never(fig):
        """Nothing."""
        raise AssertionError

    assert_refused(lambda: explore(never, v=[]), "v must", "[]")


@pytest.mark.parametrize(
    "controls, words",
    [
        ({}, ["control"]),
        ({"v": IntSlider(2)}, ["v must", "IntSlider"]),
        ({"v": np.ma.array([1, 2], mask=[0, 1])}, ["v must be", "list", "mask"]),
        ({"v": []}, ["v must", "[]"]),
        (
            {"v": (0, 6)},
            ["v must be (low, high, step)", "(0, 6). If these are its values"],
        ),
        ({"v": ("a", "b", "c")}, ["v must", "('a', 'b', 'c')"]),
        ({"v": np.zeros(0)}, ["v must", "array([]"]),
        ({"v": np.ones((2, 2))}, ["v must", "1-D array", "array([["]),
        ({"v": np.array([2, NAN])}, ["of v", "nan"]),
        ({"v": (0, 5, 0)}, ["v must have", "a step above 0", "(0, 5, 0)"]),
        ({"v": [1, 2, 1]}, ["two values of v have one label, 1", "got 1 and 1"]),
        ({"v": (1, 2, 3)}, ["got (1, 2, 3)", "a list: [1, 2, 3]"]),
        ({"v": deque([1, 2])}, ["v must be", "got deque([1, 2])"]),
        ({"v": range(10**12)}, ["v may have", "10001", "1000000000000"]),
        ({"v": ["a", " "]}, ["a value of v", "' '"]),
        ({"v": (-1e308, 1e308, 1)}, ["v may have", "10001", "1e+308"]),
        ({"v": [-1e308, 1e308]}, ["v starts at its default", "1e+308]; got 2"]),
        ({"v": [2, 2 + 1e-9]}, ["of v have", "6 digits", "2 and 2.000000001"]),
        ({"v": np.array([1, 2], dtype="timedelta64[ns]")}, ["of v", "timedelta64(1"]),
        ({"v": [2, True]}, ["of v", "a finite number or a name", "got True"]),
        ({"v": [2, "2"]}, ["of v have one label, 2; got 2 and '2'"]),
        ({"v": ["a", "a "]}, ["of v have one label, a; got 'a' and 'a '"]),
        ({"v": [2, NAN]}, ["of v", "nan"]),
        ({"v": [2, THREE]}, ["of v", "3, of type sympy"]),
        ({"v": [2, HUGE]}, ["of v", "1000"]),
        ({"v": [2], "w": [1]}, ["update(v=2, *, many=", ") is called as update(v, w)"]),
        ({"v": ["2", "3"]}, ["v starts at its default", "['2', '3']; got 2"]),
        ({"v": [1, 3]}, ["v starts at its default", "[1, 3]; got 2"]),
        ({"v": [2], "many": [1]}, ["many starts at its default", "array([0., 0.])"]),
    ],
)
def test_invalid_controls_are_refused(controls, words):
    assert_refused(lambda: explore(stage, **controls), *words)


def test_a_list_is_advised_only_where_it_would_be_taken():
    for triple in ((0, INF, 1), (0, 10, None), (1, 2, True)):
        with pytest.raises(ValueError, match=r"finite numbers; got \(.*\)$"):
            explore(stage, v=triple)


@pytest.mark.parametrize(
    "draw_stage, words",
    [
        (lambda fig: None, ["draw", "None"]),
        (lambda fig: lambda v: None, ["the figure that draw(fig) is given", "empty"]),
        (lambda fig: plt.plot([1, 2]) and (lambda v: None), ["it has used plt"]),
        (lambda fig: fig.text(0, 0, "") and (lambda v: 7), ["update", "7"]),
        (
            lambda fig: fig.text(0, 0, "") and (lambda v: fig.text(0, v, "") and None),
            ["update must only change artists"],
        ),
        (
            lambda fig: fig.text(0, 0, "") and (lambda v: plt.title("v") and None),
            ["must draw on fig", "plt"],
        ),
    ],
)
def test_an_invalid_stage_is_refused(draw_stage, words):
    draw_stage.__doc__ = "Nothing."
    before = plt.get_fignums()
    assert_refused(lambda: explore(draw_stage, v=[1]), *words)
    assert plt.get_fignums() == before


def adding(fig, at):
    """Nothing."""
    words = fig.text(0, 0, "")

    def update(v, w=1):
        words.set_text(f"{v}")
        if v == at:
            fig.text(0, v, "")
        if w > 1:
            raise RuntimeError

    return update


def test_artists_that_pile_up_at_the_end_of_a_slider_are_refused():
    end = partial(adding, at=3)
    assert_refused(
        lambda: explore(end, w=[1, 2], v=[1, 2, 3]), "update must only change"
    )
    other = explore(partial(adding, at=7), w=[1, 2], v=[1, 2, 3])  # w = 2 raises
    assert [text.get_text() for text in other.live.canvas.figure.texts] == ["1"]


def test_an_update_that_remembers_earlier_values_is_refused():
    def draw_bars(fig):
        """Bars that are drawn again."""
        ax = fig.subplots()
        bars = []

        def update(n=3):
            while bars:
                bars.pop().remove()
            bars.extend(ax.bar(range(n), range(n)))  # the limits only grow

        return update

    assert_refused(
        lambda: explore(draw_bars, n=(1, 9, 1)), "depend on its values alone", "limits"
    )


def test_a_sentence_that_remembers_earlier_values_is_refused():
    seen = set()

    def draw_words(fig):
        """Words."""
        fig.text(0, 0, "")
        return lambda v=1: seen.add(v) or f"{len(seen)} values were seen."

    assert_refused(lambda: explore(draw_words, v=[1, 2]), "the sentence of the start")


def test_what_draw_returns_is_refused():
    update = stage(plt.Figure())
    assert_refused(lambda: explore(update, v=[1, 2]), "draw itself", "update")


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
        ({"k": True}, ["k", "[3]", "True"]),
        ({"task": "3 bak"}, ["task", "['3 back', 'first']", "'3 bak'"]),
        ({"task": ["first"]}, ["task", "['first']"]),
        ({"seeds": 0}, ["['k', 'seed', 'task']", "'seeds'"]),
        ({"task": "first", "seed": 1}, ["{'task': 'first', 'seed': 1}"]),
    ],
)
def test_a_run_that_was_not_trained_is_refused(wanted, words):
    assert_refused(lambda: select_trained(ROWS, **wanted), *words)


def test_runs_are_found_by_their_configuration():
    assert select_trained(ROWS, task="3 back") == ROWS[1:]
    assert select_trained(ROWS, task="3 back", seed=1, k=3) == ROWS[2:]


@pytest.mark.parametrize("name", ["heads", 3])
def test_rows_that_do_not_exist_are_refused(name):
    assert_refused(lambda: read_trained(name), f"{name}", "['lengths', 'moved']")
