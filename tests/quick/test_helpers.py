"""What several chapters share: proofs, the scoreboard, drawn things, questions."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sympy
from matplotlib.colors import to_rgb

import utils
from utils import WISHES, check, draw_board, positional_encoding, predict, wishes_of


@pytest.fixture
def shown(monkeypatch):
    """What is displayed."""
    displayed = []
    monkeypatch.setattr("utils.display", lambda data, **how: displayed.append(data))
    return displayed


@pytest.fixture
def ax():
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


def said_on(ax):
    return [text.get_text() for text in ax.texts]


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
]


@pytest.mark.parametrize("left, right", TRUE)
def test_what_is_true_is_proved(shown, left, right):
    utils.prove(left, right, name=r"\text{left}")
    assert shown[0].data.startswith(r"\text{left} = ")


@pytest.mark.parametrize("left, right", FALSE)
def test_what_is_false_is_refused(shown, left, right):
    with pytest.raises(AssertionError, match="not proved"):
        utils.prove(left, right)
    assert r" \neq " in shown[0].data


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


NORMED, LENGTH = "survives LayerNorm", "independent of the text's length"
NEAR, ONE_MAP = "near places look alike", "one map moves every place"
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


def test_what_is_spoilt_in_one_respect_fails_the_wish_that_is_about_it():
    def fails(wish, code):
        return wishes_of(code, [wish]) == {wish: False}

    def helix(n):  # eight places on, a code is nearer than its neighbour
        turn = np.arange(n) * np.pi / 4
        return np.stack([np.cos(turn), np.sin(turn), 0.08 * turn], axis=1)

    assert fails("bounded", lambda n: 1.01 * paper(n))
    assert fails("bounded", lambda n: counting(n) / 1000)
    assert fails("one code a place", lambda n: np.repeat(paper(n), 2, axis=0)[:n])
    assert fails(LENGTH, lambda n: paper(n) / n)
    assert fails("even steps", lambda n: paper(n) ** 3)
    assert fails("even steps", lambda n: 1e-9 * noise(n))
    assert fails(NORMED, lambda n: counting(n)[:, :1])
    assert fails(NEAR, helix)
    assert fails(ONE_MAP, lambda n: paper(n)[:, ::2])


def test_layer_norm_divides_by_the_deviation_of_all():
    assert utils.layer_norm(np.array([[1.0, 3.0]])).tolist() == [[-1.0, 1.0]]


BOARD = {
    "first": {LENGTH: True, "even steps": False},
    "second": {LENGTH: (None, "by the mask"), "even steps": True},
}


def test_a_board_shows_what_passes_what_fails_and_what_is_told(ax):
    draw_board(ax, BOARD)
    assert utils.read_board(ax) == BOARD
    fills = [patch.get_facecolor()[:3] for patch in ax.patches]
    assert [fill == to_rgb(utils.MARK) for fill in fills] == [False, True, False, False]


def test_a_board_writes_figures_beside_its_marks_and_headings_above_its_schemes(ax):
    rows = {"scheme": {"bounded": (False, "9999")}}
    draw_board(ax, rows, headings={"scheme": "a group"})
    assert set(said_on(ax)) == {"bounded", "a group", "scheme", "✗", "9999"}


# ---- drawn things that chapters share ------------------------------------------------
def test_a_table_holds_its_numbers_on_its_colour(ax):
    utils.draw_table(ax, [[1.234, -5], [0, 7]], "ab", utils.SUM, "sum", digits=1)
    (table,) = ax.tables
    words = [table[cell].get_text().get_text() for cell in ((0, 0), (0, 1), (1, -1))]
    assert words == ["1.2", "-5.0", "b"]
    assert table[0, 0].get_facecolor()[:3] == to_rgb(utils.SUM)


def test_signed_cells_write_their_numbers_and_move(ax):
    move = utils.draw_signed(ax, [[-1, 0.26], [1, -0.04]])
    assert said_on(ax) == ["−1.0", "0.3", "1.0", "0"]
    assert ax.texts[0].get_color() == "white" != ax.texts[2].get_color()
    move([[1, -0.26], [0, 0]])
    assert said_on(ax) == ["1.0", "−0.3", "0", "0"]
    assert (ax.images[0].get_array() == [[1, -0.26], [0, 0]]).all()
    assert ax.texts[0].get_color() != "white"


def test_an_edge_is_seen_on_both_sides_of_a_line(ax):
    (line,) = ax.plot([0, 1], [0.5, 0.5], color=utils.POSITION, lw=8)
    utils.edge(line)
    ax.axis("off")
    ax.figure.canvas.draw()
    column = np.asarray(ax.figure.canvas.buffer_rgba())[:, 450, :3] / 255
    light, dark = (
        np.abs(column - to_rgb(colour)).max(axis=1) < 0.12
        for colour in (utils.POSITION, utils.POSITION_EDGE)
    )
    first, last = np.flatnonzero(light)[[0, -1]]
    assert dark[first - 1] and dark[last + 1] and light[first : last + 1].all()


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
        ("four", {"is 2": lambda n: n / 2}, "Not yet. Your answer raised TypeError"),
        (np.ones(2), {"is 1": lambda x: x == 1}, "Not yet. Your answer raised Value"),
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
    assert "Yes.</b> Since <code>b</code>" in right


def test_the_plain_text_of_a_question_does_not_give_the_answer_away(shown):
    for answer in ("left", "right"):
        predict("Which way?", {"left": "reply one", "right": "reply two"}, answer)
    plain = "Predict: Which way?\n( ) left\n( ) right"
    assert [data["text/plain"] for data in shown] == [plain, plain]


def test_the_right_answer_must_be_an_option(shown):
    with pytest.raises(ValueError, match="answer must be one of .*'left'.*; got 'up'"):
        predict("Which way?", {"left": "", "right": ""}, "up")
    assert not shown
