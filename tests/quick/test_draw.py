"""The drawing vocabulary: what it draws is what it is told."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.patches import Polygon

import draw
from tests.pictures.reading import read_board
from utils import positional_encoding

LENGTH = "independent of the text's length"


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
        tip = ends(draw.hand(ax, 5 * omega, name=pair))[1]
        assert np.allclose(tip, code[2 * pair : 2 * pair + 2])
        assert np.allclose(ax.texts[-1].get_position(), 1.2 * tip)
    short = draw.hand(ax, np.pi / 2, name="3", length=0.5)
    assert np.allclose(ends(short)[1], (0.5, 0))
    assert np.allclose(ax.texts[-1].get_position(), (0.7, 0))


def test_a_hand_turns_and_an_arc_leads_from_hand_to_hand(ax):
    hand = draw.hand(ax, 0)
    draw.turn(hand, np.pi / 2, length=0.5)
    assert np.allclose(ends(hand), [(0, 0), (0.5, 0)])
    draw.turn(hand, np.nan)
    draw.turn(hand, np.pi)
    assert np.allclose(ends(hand), [(0, 0), (0, -1)])
    move = draw.arc(ax, 0, np.pi / 2, radius=2, centre=(1, 0))
    arc = ax.lines[-1]
    assert np.allclose(ends(arc)[[0, -1]], [(1, 2), (3, 0)])
    assert np.allclose(np.hypot(*(ends(arc) - (1, 0)).T), 2)
    move(0, np.pi)
    assert np.allclose(ends(arc)[[0, -1]], [(1, 2), (1, -2)])


@pytest.mark.parametrize("turned", [1, -2.5])
def test_two_hands_and_the_arc_that_leads_from_the_grey_one_to_the_black_one(
    ax, turned
):
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
    assert (tip - neck) @ ahead > 0.9 * np.linalg.norm(tip - neck) * 0.5
    length = np.hypot(*np.diff(ends(arc), axis=0).T).sum() + 0.15
    assert np.isclose(length, 0.5 * abs(turned), rtol=1e-2) and head.get_visible()


def test_a_hand_that_does_not_turn_has_no_arrow_s_head(ax):
    draw.sweep(ax)(1, 0)
    (head,) = (x for x in ax.patches if isinstance(x, Polygon))
    assert not head.get_visible()


def test_words_stand_on_a_dial_at_their_angle(ax):
    words = draw.word(ax, np.pi / 2, "3", radius=0.5)
    assert np.allclose(words.get_position(), (0.5, 0)) and said_on(ax) == ["3"]


def test_a_name_lies_along_its_line_on_the_left_of_its_direction(ax):
    name = ax.text(0, 0, "side")
    draw.along(name, (0, 0), (0, 4), share=0.25, away=0.5)
    assert np.allclose(name.get_position(), (-0.5, 1)) and name.get_rotation() == 90


# ---- bars, cells and the board -------------------------------------------------------
def test_bars_are_raised_and_their_numbers_go_with_them(ax):
    move = draw.bars(ax, [1, 2], names="ab", write=draw.number)
    move([0.254, -3])
    assert [bar.get_height() for bar in ax.patches] == [0.254, -3]
    assert said_on(ax) == ["0.25", "−3.00"] and ax.texts[0].xy == (0, 0.254)
    with pytest.raises(ValueError, match="2 bars need as many values; got"):
        move([5, 5, 5])
    assert ax.patches[0].get_height() == 0.254


LINE = {"linewidth": 9, "c": "red"}
PATCH = {"linewidth": 9, "edgecolor": "red"}
LOOKS = {  # by a name of matplotlib's that is not the one in draw.py
    "hand": (lambda ax: draw.hand(ax, 0, **LINE), LINE),
    "arc": (lambda ax: draw.arc(ax, 0, 1, **LINE) and ax.lines[0], LINE),
    "sweep": (lambda ax: draw.sweep(ax, **LINE) and ax.lines[0], LINE),
    "side": (lambda ax: draw.side(ax, (0, 0), (1, 0), **LINE), LINE),
    "word": (
        lambda ax: draw.word(ax, 0, "0", horizontalalignment="left"),
        {"ha": "left"},
    ),
    "arrow": (
        lambda ax: draw.arrow(ax, (0, 0), (1, 1), linewidth=9).arrow_patch,
        {"lw": 9},
    ),
    "frame": (lambda ax: draw.frame(ax, (0, 0), 1, 1, **PATCH), PATCH),
    "box": (lambda ax: draw.box(ax, (0, 0), 1, 1, **PATCH) and ax.patches[0], PATCH),
}


@pytest.mark.parametrize("name", LOOKS)
def test_a_look_may_be_told_by_each_name_that_matplotlib_has_for_it(ax, name):
    drawn, look = LOOKS[name]
    artist = drawn(ax)
    for key, value in look.items():
        found = getattr(artist, f"get_{key}")()
        assert found == (to_rgba(value) if key == "edgecolor" else value)


def test_bars_take_the_looks_of_matplotlib(ax):
    draw.bars(ax, [1, 2], color=draw.FAINT, ec=draw.INK)
    looks = {(bar.get_facecolor()[:3], bar.get_edgecolor()[:3]) for bar in ax.patches}
    assert looks == {(to_rgb(draw.FAINT), to_rgb(draw.INK))}


BOARD = {
    "first": {LENGTH: True, "even steps": False},
    "second": {LENGTH: (None, "by the mask"), "even steps": True},
}


def test_a_board_shows_what_passes_what_fails_and_what_is_told(ax):
    places = draw.board(ax, BOARD)
    assert read_board(ax) == BOARD
    assert places == {"first": ((0, -0.45), 2, 0.9), "second": ((0, 0.55), 2, 0.9)}
    fills = [patch.get_facecolor()[:3] for patch in ax.patches]
    failed = to_rgb(draw.FAILED)
    assert [fill == failed for fill in fills] == [False, True, False, False]


def test_a_board_writes_figures_beside_its_marks(ax):
    draw.board(ax, {"scheme": {"bounded": (False, "9999"), "even": (True, "1")}})
    assert set(said_on(ax)) == {"bounded", "even", "scheme", "✗ 9999", "✓ 1"}


def test_a_table_holds_its_numbers_on_its_colour(ax):
    draw.table(ax, [[1.234, -5], [0, 7]], "ab", draw.SUM, "sum", digits=1)
    (table,) = ax.tables
    words = [table[cell].get_text().get_text() for cell in ((0, 0), (0, 1), (1, -1))]
    assert words == ["1.2", "−5.0", "b"]
    assert table[0, 0].get_facecolor()[:3] == to_rgb(draw.SUM)


def test_signed_cells_write_their_numbers_and_move(ax):
    move = draw.matrix(ax, [[-1, 0.26], [1, -0.04]])
    assert said_on(ax) == ["−1.0", "0.3", "1.0", "0"]
    assert ax.texts[0].get_color() == "white" != ax.texts[2].get_color()
    move([[1, -0.26], [0, 0]])
    assert said_on(ax) == ["1.0", "−0.3", "0", "0"]
    assert (ax.images[0].get_array() == [[1, -0.26], [0, 0]]).all()
    assert ax.texts[0].get_color() != "white"


def test_a_cell_without_a_number_stays_empty(ax):
    draw.matrix(ax, [[np.nan, -0.5]])
    assert said_on(ax) == ["", "−0.5"]


def test_zeros_stay_blank_if_told_so_and_what_rounds_to_0(ax):
    move = draw.matrix(ax, [[0, 1], [-1, 0.04]], blank_zeros=True)
    assert said_on(ax) == ["", "1.0", "−1.0", ""]
    move([[0.06, np.nan], [-0.04, 0]])
    assert said_on(ax) == ["0.1", "", "", ""]
    assert ax.images[0].get_array().mask.tolist() == [[False, True], [True, True]]


def test_a_frame_stands_around_what_it_frames(ax):
    box = draw.frame(ax, (-0.5, 1), width=2, height=3)
    assert box.get_bbox().extents.tolist() == [-0.5, 1, 1.5, 4]
    assert box.get_facecolor()[3] == 0, "it is empty"
    told = draw.frame(ax, (0, 0), 1, 1, fc=draw.TOKEN)
    assert told.get_facecolor() == to_rgba(draw.TOKEN)
    seen = draw.frame(ax, (0, 0), 1, 1, halo=True)
    assert seen.get_path_effects() and not box.get_path_effects()


def test_a_box_holds_its_words_and_tells_where_its_edges_are(ax):
    edges = draw.box(ax, (1, 2), width=4, height=1, words="token", fc=draw.TOKEN)
    (face,), (words,) = ax.patches, ax.texts
    assert face.get_bbox().extents.tolist() == [1, 2, 5, 3]
    assert face.get_facecolor()[:3] == to_rgb(draw.TOKEN)
    assert words.get_text() == "token" and words.get_position() == (3, 2.5)
    assert edges == {
        "left": (1, 2.5),
        "right": (5, 2.5),
        "bottom": (3, 2),
        "top": (3, 3),
    }


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


def test_an_edge_is_seen_on_both_sides_of_a_line(ax):
    (line,) = ax.plot([0, 1], [0.5, 0.5], color=draw.POSITION, lw=8)
    draw.edge(line)
    ax.axis("off")
    ax.figure.canvas.draw()
    column = np.asarray(ax.figure.canvas.buffer_rgba())[:, 450, :3] / 255
    light, dark = (
        np.abs(column - to_rgb(colour)).max(axis=1) < 0.12
        for colour in (draw.POSITION, draw.POSITION_EDGE)
    )
    first, last = np.flatnonzero(light)[[0, -1]]
    assert dark[first - 1] and dark[last + 1] and light[first : last + 1].all()
