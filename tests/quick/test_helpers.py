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


NORMED, LENGTH = "survives LayerNorm", "independent of the text’s length"
NEAR, ONE_MAP = "near places look alike", "one matrix moves every place"
FAILS = {
    counting: {"bounded", NORMED, ONE_MAP},
    divided: {LENGTH, NORMED, ONE_MAP},
    binary: {"even steps", NEAR, ONE_MAP},
    noise: {"even steps", NEAR, ONE_MAP},
    paper: set(),
}


@pytest.mark.parametrize("code", FAILS, ids=lambda code: code.__name__)
def test_the_scoreboard_judges_the_codes_of_the_course(code):
    verdicts = wishes_of(code)
    assert list(verdicts) == list(WISHES)
    assert {wish for wish, holds in verdicts.items() if not holds} == FAILS[code]


def helix(period, rise):
    """A code that comes near itself again after a period."""

    def code(n):
        turn = np.arange(n) * 2 * np.pi / period
        return np.stack([np.cos(turn), np.sin(turn), rise * np.arange(n)], axis=1)

    return code


FAULTY = [
    ("bounded", lambda n: 1.01 * paper(n)),
    ("one code a place", lambda n: np.repeat(paper(n), 2, axis=0)[:n]),
    (LENGTH, lambda n: paper(n) / n),
    (LENGTH, np.eye),
    ("even steps", lambda n: 1e-9 * noise(n)),
    (NORMED, lambda n: counting(n)[:, :1]),
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
            'Not yet. Testing "4" raised TypeError',
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
