"""Proofs, questions, exercises and the scoreboard: what several chapters share."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sympy
from matplotlib.colors import to_rgb

from utils import (
    MARK,
    POSITION,
    POSITION_EDGE,
    SUM,
    WISHES,
    check,
    draw_board,
    draw_dial,
    draw_signed,
    draw_table,
    edge,
    positional_encoding,
    predict,
    prove,
    read_board,
    wishes_of,
)

ALPHA, BETA = sympy.symbols("alpha beta", real=True)


# ---- proofs ---------------------------------------------------------------------
@pytest.fixture
def lines(monkeypatch):
    """What `prove` typesets."""
    found = []
    monkeypatch.setattr("utils.display", lambda line: found.append(line.data))
    return found


@pytest.mark.parametrize(
    "left, right",
    [
        (sympy.sin(ALPHA) ** 2 + sympy.cos(ALPHA) ** 2, sympy.Integer(1)),
        (
            sympy.sin(ALPHA) * sympy.sin(BETA),
            (sympy.cos(ALPHA - BETA) - sympy.cos(ALPHA + BETA)) / 2,
        ),
        (sympy.exp(sympy.I * ALPHA), sympy.cos(ALPHA) + sympy.I * sympy.sin(ALPHA)),
        (
            sympy.Matrix([[sympy.sin(2 * ALPHA), 1]]),
            sympy.Matrix([[2 * sympy.sin(ALPHA) * sympy.cos(ALPHA), 1]]),
        ),
    ],
)
def test_what_is_true_is_proved(lines, left, right):
    prove(left, right)
    assert " = " in lines[0] and r"\neq" not in lines[0]


@pytest.mark.parametrize(
    "left, right",
    [
        (sympy.sin(2 * ALPHA), 2 * sympy.sin(ALPHA)),
        (sympy.sin(ALPHA), sympy.cos(ALPHA)),
        (sympy.Integer(1), sympy.Integer(2)),
        (sympy.Matrix([[0, 1], [1, 0]]), sympy.eye(2)),
        (sympy.Matrix([sympy.sin(ALPHA), 0]), sympy.Matrix([sympy.sin(ALPHA), BETA])),
    ],
)
def test_what_is_false_is_refused(lines, left, right):
    with pytest.raises(AssertionError, match="not proved"):
        prove(left, right)
    assert r" \neq " in lines[0]


def test_a_proof_can_show_a_name(lines):
    prove(sympy.sin(-ALPHA), -sympy.sin(ALPHA), name=r"\text{odd}")
    assert lines[0].startswith(r"\text{odd} = - \sin")
    assert lines[0].endswith(r"\text{residual }0")


# ---- the scoreboard -------------------------------------------------------------
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


FAILS = {
    counting: {"bounded", "survives LayerNorm", "one map moves every place"},
    divided: {
        "independent of the text's length",
        "survives LayerNorm",
        "one map moves every place",
    },
    binary: {"even steps", "near places look alike", "one map moves every place"},
    noise: {"even steps", "near places look alike", "one map moves every place"},
    paper: set(),
}


@pytest.mark.parametrize("code", FAILS, ids=lambda code: code.__name__)
def test_the_scoreboard_judges_the_course_s_codes(code):
    verdicts = wishes_of(code)
    assert list(verdicts) == list(WISHES)
    assert {wish for wish, holds in verdicts.items() if not holds} == FAILS[code]


def test_the_paper_s_code_is_the_only_one_without_a_fault():
    assert [code.__name__ for code in FAILS if not FAILS[code]] == ["paper"]


def test_what_is_too_small_or_too_narrow_fulfils_no_wish_by_accident():
    def tiny_noise(n):
        return 1e-9 * np.random.default_rng(seed=1).uniform(-1, 1, (20_000, 12))[:n]

    def one_column(n):
        return np.arange(n)[:, None] + 1

    def slow_count(n):
        return np.outer(np.arange(n) / 1000, [1, -1, 1, -1])

    assert not wishes_of(tiny_noise)["even steps"]
    assert not wishes_of(one_column)["survives LayerNorm"]
    assert not wishes_of(slow_count)["bounded"]


def test_every_wish_can_fail_alone():
    """Spoilt in one respect, the paper's code fails the wish that is about it."""

    def twins(n):
        return np.repeat(paper(n), 2, axis=0)[:n]

    assert not wishes_of(lambda n: 1.01 * paper(n))["bounded"]
    assert not wishes_of(twins)["one code a place"]
    assert not wishes_of(lambda n: paper(n) / n)["independent of the text's length"]
    assert not wishes_of(lambda n: paper(n) ** 3)["even steps"]
    assert not wishes_of(counting)["survives LayerNorm"]
    assert not wishes_of(noise)["near places look alike"]
    assert not wishes_of(lambda n: paper(n)[:, ::2])["one map moves every place"]


def test_some_wishes_may_be_asked_alone():
    assert wishes_of(counting, ["even steps"]) == {"even steps": True}


def test_a_board_marks_what_passes_and_what_fails():
    fig, ax = plt.subplots()
    draw_board(
        ax,
        {
            "first": {"bounded": True, "even steps": False},
            "second": {"bounded": (False, "9999"), "even steps": (None, "by the mask")},
        },
        headings={"second": "another group"},
    )
    words = [text.get_text() for text in ax.texts]
    for expected in ("even steps", "first", "second", "another group", "9999"):
        assert expected in words
    assert words.count("✓") == 1 and words.count("✗") == 2
    fills = [patch.get_facecolor()[:3] for patch in ax.patches]
    assert fills.count(to_rgb(MARK)) == 2 and len(fills) == 4
    plt.close(fig)


def test_a_board_is_read_as_it_was_drawn_and_a_wrong_mark_is_seen():
    board = {
        "first": {"independent of the text's length": True, "even steps": False},
        "second": {"independent of the text's length": (None, "?"), "even steps": True},
    }
    fig, ax = plt.subplots()
    draw_board(ax, board)
    assert read_board(ax) == board
    next(text for text in ax.texts if text.get_text() == "✗").set_text("✓")
    assert read_board(ax) != board
    plt.close(fig)


# ---- drawn things that chapters share -------------------------------------------
def test_a_dial_is_a_circle_with_room_around_it():
    fig, ax = plt.subplots()
    draw_dial(ax, room=1.4)
    (face,) = ax.patches
    assert face.get_radius() == 1 and ax.get_xlim() == ax.get_ylim() == (-1.4, 1.4)
    assert ax.get_aspect() == 1 and not ax.axison
    plt.close(fig)


def test_a_table_holds_its_numbers_on_its_colour():
    fig, ax = plt.subplots()
    draw_table(ax, [[1.234, -5], [0, 7]], "ab", SUM, "sum", digits=1)
    (table,) = ax.tables
    cells = {
        place: cell.get_text().get_text() for place, cell in table.get_celld().items()
    }
    assert cells[0, 0] == "1.2" and cells[0, 1] == "-5.0" and cells[1, -1] == "b"
    assert table[0, 0].get_facecolor()[:3] == to_rgb(SUM)
    plt.close(fig)


def test_signed_cells_write_their_numbers_and_move():
    fig, ax = plt.subplots()
    move = draw_signed(ax, [[-1, 0.26], [1, -0.04]])
    assert [text.get_text() for text in ax.texts] == ["−1.0", "0.3", "1.0", "0"]
    assert ax.texts[0].get_color() == "white" != ax.texts[2].get_color()
    move([[1, -0.26], [0, 0]])
    assert [text.get_text() for text in ax.texts] == ["1.0", "−0.3", "0", "0"]
    assert (ax.images[0].get_array() == [[1, -0.26], [0, 0]]).all()
    assert ax.texts[0].get_color() != "white"
    plt.close(fig)


def test_an_edge_is_seen_on_both_sides_of_a_line():
    fig = plt.figure(figsize=(1, 1), layout="none")
    ax = fig.add_axes((0, 0, 1, 1))
    (line,) = ax.plot([0, 1], [0.5, 0.5], color=POSITION, lw=8)
    edge(line)
    ax.axis("off")
    fig.canvas.draw()
    column = np.asarray(fig.canvas.buffer_rgba())[:, 50, :3]
    expected = 255 * np.array([to_rgb(colour) for colour in (POSITION_EDGE, POSITION)])
    dark, light = (np.abs(column - colour).max(axis=1) < 30 for colour in expected)
    first, last = np.flatnonzero(light)[[0, -1]]
    assert dark[first - 1] and dark[last + 1] and dark.sum() <= 4
    assert light[first : last + 1].all() and last - first > 8
    plt.close(fig)


# ---- exercises and questions ----------------------------------------------------
@pytest.fixture
def shown(monkeypatch):
    bundles = []
    monkeypatch.setattr("utils.display", lambda data, **kwargs: bundles.append(data))
    return bundles


CLAIMS = {"it is even": lambda n: n % 2 == 0, "it is above 2": lambda n: n > 2}


def untouched():
    raise NotImplementedError


@pytest.mark.parametrize(
    "answer, said",
    [
        (..., "Your turn.\n"),
        (4, "Correct: it is even; it is above 2.\n"),
        (3, "Not yet. This should hold: it is even.\n"),
        (2, "Not yet. This should hold: it is above 2.\n"),
    ],
)
def test_check_answers_in_one_line_and_folds_its_hint(answer, said, capsys, shown):
    check(answer, CLAIMS, "try 4 & see")
    assert capsys.readouterr().out == said
    hint = "<details><summary>Hint</summary>try 4 &amp; see</details>"
    correct = said.startswith("Correct")
    assert [data["text/html"] for data in shown] == ([] if correct else [hint])


def test_check_never_raises(capsys, shown):
    check("four", {"it is even": lambda n: n / 2 == 2}, "try 4")
    assert "Not yet. Your answer raised TypeError" in capsys.readouterr().out
    check(np.ones(2), {"it is 1": lambda x: x == 1}, "try 1")
    assert "Not yet. Your answer raised ValueError" in capsys.readouterr().out
    check(untouched, {"it gives 4": lambda f: f() == 4}, "return 4")
    assert capsys.readouterr().out == "Your turn.\n"


def test_a_question_unfolds_its_replies(shown):
    predict(
        "Is `a < b`?",
        {"yes & no": "Since <i> is text.", "no": "Since `b` is smaller."},
        "no",
    )
    page = shown[0]["text/html"]
    assert (
        "<code>a &lt; b</code>" in page
        and "yes &amp; no" in page
        and "&lt;i&gt;" in page
    )
    assert page.count("<details") == 2 and "open" not in page
    replies = page.split("<details")[1:]
    assert (
        "Not this one." in replies[0]
        and "Yes." in replies[1]
        and "<code>b</code>" in replies[1]
    )


def test_the_plain_text_of_a_question_does_not_give_the_answer_away(shown):
    for answer in ("left", "right"):
        predict("Which way?", {"left": "reply one", "right": "reply two"}, answer)
    assert (
        shown[0]["text/plain"]
        == shown[1]["text/plain"]
        == "Predict: Which way?\n( ) left\n( ) right"
    )


def test_the_right_answer_must_be_an_option(shown):
    with pytest.raises(ValueError, match="answer must be one of .*'left'.*; got 'up'"):
        predict("Which way?", {"left": "", "right": ""}, "up")
    assert not shown
