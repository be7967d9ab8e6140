"""What several chapters share: proofs, the scoreboard, questions."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sympy

from course.proofs import prove
from course.questions import check, predict
from course.wishes import WISHES, wishes_of
from utils import layer_norm, positional_encoding


@pytest.fixture
def shown(monkeypatch):
    """What is displayed."""
    displayed = []
    for module in ("proofs", "questions"):
        where = f"course.{module}.display"
        monkeypatch.setattr(where, lambda data, **how: displayed.append(data))
    return displayed


# ---- proofs --------------------------------------------------------------------------
A, B = sympy.symbols("alpha beta", real=True)
sin, cos = sympy.sin, sympy.cos
TRUE = [
    (sin(A) * sin(B), (cos(A - B) - cos(A + B)) / 2),
    (sympy.exp(sympy.I * A), cos(A) + sympy.I * sin(A)),
    (sympy.Matrix([[sin(2 * A), 1]]), sympy.Matrix([[2 * sin(A) * cos(A), 1]])),
]
FALSE = [
    (sin(2 * A), 2 * sin(A)),
    (sympy.Matrix([[0, 1], [1, 0]]), sympy.eye(2)),
    (sympy.Matrix([sin(A), 0]), sympy.Matrix([sin(A), B])),
    (sympy.nan, sympy.Integer(5)),
    (sympy.oo, sympy.oo),
    (sympy.Matrix([sympy.nan]), sympy.Matrix([5])),
]


@pytest.mark.parametrize("left, right", TRUE)
def test_what_is_true_is_proved(shown, left, right):
    prove(left, right, name=r"\text{left}")
    assert shown[0].data.startswith(r"\text{left} = ")


@pytest.mark.parametrize("left, right", FALSE)
def test_what_is_false_is_refused(shown, left, right):
    with pytest.raises(AssertionError, match="not proved"):
        prove(left, right)
    assert r" \overset{?}{=} " in shown[0].data


# ---- the scoreboard ------------------------------------------------------------------
def counting(n):
    return np.outer(np.arange(n) + 1, np.ones(16))


def divided(n):
    return np.outer(np.arange(n) / (n - 1), np.ones(16))


def binary(n):
    return np.arange(n)[:, None] // 2 ** np.arange(16) % 2


def noise(n):
    return np.random.default_rng(seed=1).uniform(-1, 1, size=(20_000, 16))[:n]


def paper(n):
    return positional_encoding(n, 64)


def clocks(*omegas):
    """Sines and cosines of these angular frequencies, and two columns of zeros."""

    def code(n):
        angles = np.outer(np.arange(n), omegas)
        return np.hstack([np.sin(angles), np.cos(angles), np.zeros((n, 2))])

    return code


def beside_ones(column):
    """A number for each place, and a column of ones."""
    return lambda n: np.column_stack([column(n), np.ones(n)])


def gray(n):
    return (np.arange(n) ^ np.arange(n) // 2)[:, None] // 2 ** np.arange(16) % 2


def turned(code, seed=5):
    """The same code on other axes."""
    table = code(2)
    axes = np.linalg.qr(
        np.random.default_rng(seed).normal(size=2 * table.shape[1:]),
    )[0]
    return lambda n: code(n) @ axes


NORMED, LENGTH = "survives LayerNorm", "independent of the text’s length"
NEAR, ONE_MAP = "near places look alike", "one matrix moves every place"
EVEN, RESOLUTION, ONE_CODE = "even steps", "resolution", "one code a place"
FAILS = {  # a code that somebody may bring → the wishes that it fails
    "counts": (counting, {"bounded", NORMED, RESOLUTION, ONE_MAP}),
    "counts and 1": (beside_ones(np.arange), {"bounded", RESOLUTION}),
    "pos / 10,000": (
        lambda n: counting(n) / 1e4,
        {NORMED, RESOLUTION, ONE_MAP},
    ),
    "pos / 10,000 and 1": (beside_ones(lambda n: np.arange(n) / 1e4), {RESOLUTION}),
    "pos / 10 and 1": (
        beside_ones(lambda n: np.arange(n) / 10),
        {"bounded", RESOLUTION},
    ),
    "square root": (
        beside_ones(lambda n: np.arange(n) ** 0.5),
        {"bounded", EVEN, NEAR, RESOLUTION, ONE_MAP},
    ),
    "logarithm": (
        beside_ones(lambda n: np.log1p(np.arange(n))),
        {EVEN, NEAR, RESOLUTION, ONE_MAP},
    ),
    "divided": (divided, {LENGTH, NORMED, RESOLUTION, ONE_MAP}),
    "divided and 1": (
        beside_ones(lambda n: np.arange(n) / (n - 1)),
        {LENGTH, RESOLUTION},
    ),
    "binary": (binary, {EVEN, NEAR, ONE_MAP}),
    "Gray": (gray, {NEAR, ONE_MAP}),
    "remainders": (
        lambda n: np.arange(n)[:, None] % [7, 11, 13],
        {"bounded", EVEN, NEAR, RESOLUTION, ONE_MAP},
    ),
    "a quick clock": (clocks(1), {NEAR, RESOLUTION}),
    "a clock, .05": (clocks(0.05), {RESOLUTION}),
    "a clock, .03": (clocks(0.03), {RESOLUTION}),
    "a clock, .01": (clocks(0.01), {RESOLUTION}),
    "a clock, .001": (clocks(0.001), {RESOLUTION}),
    "two slow clocks": (clocks(0.01, 0.003), {RESOLUTION}),
    "64 places a turn": (clocks(2 * np.pi / 64), {NEAR, RESOLUTION, ONE_CODE}),
    "63 places a turn": (clocks(2 * np.pi / 63), {ONE_CODE, NORMED, NEAR, RESOLUTION}),
    "two clocks": (clocks(2 * np.pi / 40, 2 * np.pi / 1500), set()),
    "330 clocks": (clocks(*np.linspace(0.01, 3.1, 330)), set()),
    "remainders, a 1 among zeros": (
        lambda n: np.hstack([np.eye(m)[np.arange(n) % m] for m in (7, 11, 13)]),
        {NEAR},
    ),
    "counts in four columns": (
        lambda n: counting(n)[:, :4],
        {"bounded", NORMED, RESOLUTION, ONE_MAP},
    ),
    "an ellipse": (lambda n: paper(n) * ([2] + [1] * 63), {EVEN}),
    "sines alone": (lambda n: paper(n)[:, ::2], {EVEN, RESOLUTION, ONE_MAP}),
    "noise": (noise, {EVEN, NEAR, ONE_MAP}),
    "normal": (
        lambda n: np.random.default_rng(2).normal(size=(20_000, 64))[:n],
        {EVEN, NEAR, ONE_MAP},
    ),
    "10": (lambda n: positional_encoding(n, 10), set()),
    "paper": (paper, set()),
    "512": (lambda n: positional_encoding(n, 512), set()),
    "paper, twice as large": (lambda n: 2 * paper(n), set()),
    "paper, small": (lambda n: paper(n) / 50, set()),
    "paper, other axes": (turned(paper), set()),
    "paper, base 500,000": (lambda n: positional_encoding(n, 64, 5e5), set()),
}


@pytest.mark.parametrize("name", FAILS)
def test_the_scoreboard_judges_the_code_that_somebody_brings(name):
    code, fails = FAILS[name]
    verdicts = wishes_of(code)
    assert list(verdicts) == list(WISHES)
    assert {wish for wish, holds in verdicts.items() if not holds} == fails
    table = code(1000)
    closest = min(
        np.linalg.norm(table[:-k] - table[k:], axis=1).min() for k in range(1, 999)
    )
    tenth = np.linalg.norm(table, axis=1).max() / 10
    assert (closest < tenth) == (RESOLUTION in fails)


def helix(period, rise):
    """A code that comes near itself again after a period."""

    def code(n):
        turn = np.arange(n) * 2 * np.pi / period
        return np.stack([np.cos(turn), np.sin(turn), rise * np.arange(n)], axis=1)

    return code


FAULTY = [
    ("bounded", lambda n: 10.1 * paper(n)),
    (ONE_CODE, lambda n: np.repeat(paper(n), 2, axis=0)[:n]),
    (LENGTH, lambda n: paper(n) / n),
    (LENGTH, np.eye),
    (EVEN, lambda n: 1e-9 * noise(n)),
    (NORMED, counting),
    (RESOLUTION, clocks(1, 2)),
    (NEAR, helix(period=8, rise=0.06)),
    (ONE_MAP, lambda n: paper(n)[:, ::2]),
]


@pytest.mark.parametrize("wish, code", FAULTY)
def test_a_code_with_one_fault_fails_the_wish_that_names_it(wish, code):
    assert wishes_of(code, [wish]) == {wish: False}


def test_layer_norm_divides_by_the_deviation_of_all():
    assert layer_norm([[-1, 1], [2, 0]]).tolist() == [[-1, 1], [1, -1]]


# ---- exercises and questions ---------------------------------------------------------
CLAIMS = {"it is even": lambda n: n % 2 == 0, "it is above 2": lambda n: n > 2}


def untouched():
    raise NotImplementedError


@pytest.mark.parametrize(
    "answer, claims, said",
    [
        (..., CLAIMS, "Your turn.\n"),
        (untouched, {"it gives 4": lambda f: f() == 4}, "Your turn.\n"),
        (4, CLAIMS, "Correct: it is even; it is above 2.\n"),
        (3, CLAIMS, "Not yet. This should hold: it is even.\n"),
        (2, CLAIMS, "Not yet. This should hold: it is above 2.\n"),
        ("four", {"is 2": lambda n: n / 2}, 'Not yet. Testing "is 2" raised TypeError'),
        # A forgotten `return`, and a forgotten `all`
        (
            lambda: None,
            {"4": lambda f: f() - 4},
            "Not yet. Something is None: does a function lack `return`?",
        ),
        (4, {"it is 5": lambda n: [n == 5]}, 'Not yet. Testing "it is 5" gave [False]'),
    ],
)
def test_check_answers_in_one_line_and_folds_its_hint(
    answer, claims, said, capsys, shown
):
    check(answer, claims, "try 4 & see")
    printed = capsys.readouterr().out
    assert printed.startswith(said) and printed.count("\n") == 1
    hint = "<details><summary>Hint</summary>try 4 &amp; see</details>"
    hints = [] if said.startswith("Correct") else [hint]
    assert [data["text/html"] for data in shown] == hints


def test_a_question_unfolds_a_reply_for_each_answer(shown):
    options = {"yes & no": "Since <i> is text.", "no": "Since `b` is smaller."}
    predict("Is `a < b`?", options, "no")
    question, wrong, right = shown[0]["text/html"].split("<details")
    assert "<code>a &lt; b</code>" in question and "open" not in wrong + right
    assert "yes &amp; no" in wrong and "Not this one.</b> Since &lt;i&gt;" in wrong
    assert "Right.</b> Since <code>b</code>" in right


def test_a_question_sets_variables_in_italics_and_its_plain_text_has_no_stars(shown):
    predict("Is *m* < 2 * 3?", {"*R*₃": "As *n* is.", "no": "It is."}, "*R*₃")
    page, plain = shown[0]["text/html"], shown[0]["text/plain"]
    assert "<em>m</em> &lt; 2 * 3" in page and "As <em>n</em> is." in page
    assert "<summary><b>A</b> <em>R</em>₃</summary>" in page
    assert plain == "Predict: Is m < 2 * 3?\nA R₃\nB no"


def test_the_answered_picture_unfolds_with_the_right_reply(shown):
    fig, ax = plt.subplots()
    ax.plot([0, 1])
    predict("Where?", {"here": "Look.", "there": "No."}, "here", answered=fig)
    right, wrong = shown[0]["text/html"].split("<details")[1:]
    assert right.endswith("</details>") and "<img" in right and "<img" not in wrong
    assert fig.number not in plt.get_fignums()


def test_the_plain_text_of_a_question_does_not_give_the_answer_away(shown):
    for answer in ("left", "right"):
        predict("Which way?", {"left": "reply one", "right": "reply two"}, answer)
    plain = "Predict: Which way?\nA left\nB right"
    assert [data["text/plain"] for data in shown] == [plain, plain]
