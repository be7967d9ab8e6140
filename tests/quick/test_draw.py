"""The drawing vocabulary: what it draws is what it is told."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Polygon

from course import draw
from tests.support.reading import read_board
from utils import positional_encoding

LENGTH = "independent of the text’s length"
BOARD = {
    "first": {LENGTH: True, "even steps": False},
    "second": {LENGTH: (None, "by the mask"), "even steps": True},
}


@pytest.fixture
def ax():
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


def said_on(ax):
    return [text.get_text() for text in ax.texts]


def ends(line):
    return np.transpose(line.get_data())


# ---- clocks --------------------------------------------------------------------------
def test_a_hand_at_pos_times_omega_points_to_the_pair_of_the_encoding(ax):
    code = positional_encoding([5], d_model=4)[0]
    for pair, omega in enumerate([1, 0.01]):
        draw.hand(ax, 5 * omega)
        assert np.allclose(ends(ax.lines[-1])[1], code[2 * pair : 2 * pair + 2])


def test_a_hand_keeps_its_length_and_hides_at_an_angle_that_is_nan(ax):
    move = draw.hand(ax, np.nan, length=0.5)
    (hand,) = ax.lines
    assert not hand.get_visible()
    move(np.pi / 2)
    assert np.allclose(ends(hand), [(0, 0), (0.5, 0)]) and hand.get_visible()
    move(np.pi, length=0)
    assert np.allclose(ends(hand), 0)
    move(np.float32("nan"))
    move(0)
    assert np.allclose(ends(hand)[1], (0, 0.5))


def test_a_hand_in_the_colour_position_has_an_edge(ax):
    draw.hand(ax, 0, c=draw.POSITION)
    draw.hand(ax, 0)
    draw.hand(ax, 0, color=None)  # that of the axes' cycle
    assert [len(line.get_path_effects()) for line in ax.lines] == [2, 0, 0]


@pytest.mark.parametrize("turned", [1, -2.5])
def test_an_arc_with_a_head_leads_from_the_grey_hand_to_the_black_one(ax, turned):
    draw.two_hands(ax, radius=0.5)(0.3, turned)
    arc, grey, black = ax.lines
    (head,) = (x for x in ax.patches if isinstance(x, Polygon))
    old, new = (np.array(draw.on_dial(angle)) for angle in (0.3, 0.3 + turned))
    assert np.allclose(ends(grey)[1], old) and np.allclose(ends(black)[1], new)
    tip, *wings, _ = head.get_xy()
    neck = ends(arc)[-1]
    assert np.allclose(ends(arc)[0], old / 2) and np.allclose(tip, new / 2)
    assert np.allclose(np.mean(wings, axis=0), neck)  # the head stands on the arc
    ahead = np.sign(turned) * np.array([neck[1], -neck[0]])
    assert (tip - neck) @ ahead > 0 and head.get_visible()


def test_a_box_may_lead_to_the_left_and_down(ax):
    assert draw.box(ax, (1, 1), -1, -1)["left"] == (0, 0.5)


def test_a_look_may_have_its_long_name_or_its_short_one(ax):
    draw.box(ax, (0, 0), 1, 1, facecolor="red", linewidth=5)
    arrow = draw.arrow(ax, (0, 0), (1, 1), linewidth=5, c="red").arrow_patch
    assert arrow.get_edgecolor() == to_rgba("red") and arrow.get_linewidth() == 5
    framed = draw.frame(ax, (0, 0), 1, 1, c="red")
    assert framed.get_facecolor() == framed.get_edgecolor() == to_rgba("red")
    draw.word(ax, 0, "up", horizontalalignment="left")
    draw.hand(ax, 0, c="red")
    side = draw.side(ax, (0, 0), (1, 1), linewidth=5)
    draw.sweep(ax, c="red", alpha=0.5)(1, 0)
    assert (ax.lines[0].get_color(), side.get_linewidth()) == ("red", 5)
    (head,) = (x for x in ax.patches if isinstance(x, Polygon))
    assert head.get_facecolor() == to_rgba("red", 0.5)
    assert not head.get_visible()  # as it does not turn


def test_the_name_of_a_side_may_have_a_colour_of_its_own(ax):
    draw.side(ax, (0, 0), (1, 0), "sin", name_color=draw.SIN, color=draw.COS)
    draw.side(ax, (0, 0), (1, 0), "1", color=draw.COS)
    assert [name.get_color() for name in ax.texts] == [draw.SIN, draw.INK]


@pytest.mark.parametrize(
    "end, place, rotation",
    [((0, 4), (-0.5, 2), 90), ((0, -4), (0.5, -2), 90), ((-4, 0), (-2, -0.5), 0)],
)
def test_a_name_lies_on_the_left_of_its_line_and_is_never_upside_down(
    ax, end, place, rotation
):
    name = ax.text(0, 0, "side")
    draw.along(name, (0, 0), end, away=0.5)
    assert np.allclose(name.get_position(), place)
    assert np.isclose(name.get_rotation(), rotation)


# ---- bars, cells and the board -------------------------------------------------------
def test_bars_are_raised_and_their_numbers_go_with_them(ax):
    move = draw.bars(ax, [1, 2], names="ab", write=draw.number)
    move([0.254, -3])
    assert [bar.get_height() for bar in ax.patches] == [0.254, -3]
    assert said_on(ax) == ["0.25", "−3.00"] and ax.texts[0].xy == (0, 0.254)


def test_words_stand_at_the_ends_of_bars_wherever_these_begin(ax):
    draw.bars(ax, [1, -2], bottom=3, align="edge", c="red", write=draw.number)
    assert [text.xy for text in ax.texts] == [(0.4, 4), (1.4, 1)]
    assert {bar.get_facecolor() for bar in ax.patches} == {to_rgba("red")}


def test_a_board_shows_what_passes_what_fails_and_what_is_told(ax):
    draw.board(ax, BOARD)
    assert read_board(ax) == BOARD
    failed = [patch.get_facecolor() == to_rgba(draw.FAILED) for patch in ax.patches]
    assert failed == [False, True, False, False]


@pytest.mark.parametrize(
    "framed, box",
    [("second", [0, 0.55, 2, 0.9]), ("even steps", [1.02, -0.45, 0.96, 1.9])],
)
def test_a_row_or_a_column_of_a_board_is_framed(ax, framed, box):
    draw.board(ax, BOARD, framed=framed)
    assert np.allclose(ax.patches[-1].get_bbox().bounds, box)


def test_a_table_has_the_names_of_a_dict(ax):
    draw.table(ax, [[1]], {"a": 1}, draw.SUM)
    assert ax.tables[0][0, -1].get_text().get_text() == "a"


def test_a_table_of_no_colour_draws_nothing(ax):
    with pytest.raises(ValueError, match="bogus"):
        draw.table(ax, [[1]], "a", "bogus")
    assert not ax.tables and ax.axison


def test_signed_cells_write_their_numbers_and_move(ax):
    move = draw.matrix(ax, [[-1, 0.26], [1, -0.04]])
    assert said_on(ax) == ["−1.0", "0.3", "1.0", "0"]
    assert ax.texts[0].get_color() == draw.SAND != ax.texts[2].get_color()
    move([[1, np.nan], [-0.26, 0]])
    assert said_on(ax) == ["1.0", "", "−0.3", "0"]
    assert ax.collections[0].get_array().tolist() == [[1, None], [-0.26, 0]]
    assert ax.texts[0].get_color() != draw.SAND


def test_zeros_stay_blank_if_told_so_and_what_rounds_to_0(ax):
    draw.matrix(ax, [[0, 1], [-0.06, -0.04]], blank_zeros=True)
    assert said_on(ax) == ["", "1.0", "−0.1", ""]
    assert ax.collections[0].get_array().mask.tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize(
    "look, white",
    [
        ({"fc": draw.SUM}, True),
        ({"fc": draw.POSITION}, False),
        ({"fc": "none"}, False),
        ({"fc": "black", "alpha": 0.1}, False),
    ],
)
def test_words_in_a_dark_box_are_white(ax, look, white):
    draw.box(ax, (0, 0), 1, 1, "sum", **look)
    assert ax.texts[0].get_color() == ("white" if white else draw.INK)


def test_a_reader_s_settings_hold_again_after_a_picture_that_fails():
    plt.rcParams["savefig.dpi"] = 72
    with pytest.raises(ValueError, match="digits"), draw.subplots():
        matplotlib.interactive(True)  # as Jupyter does where plt is first used
        draw.number(1, digits=-1)
    assert plt.rcParams["savefig.dpi"] == 72 and plt.isinteractive()
    matplotlib.interactive(False)
