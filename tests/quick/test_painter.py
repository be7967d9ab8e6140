"""The Painter paints what matplotlib's full redraw would."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from explorer import explore
from painter import Painter
from tests.support.pictures import pixels


# Each stage gives a function of v. A step from 0 to 1 and from 1 to 2 changes one thing
# at a time, as one change that is noticed would paint the others, too.
def words(fig, ax, line):
    moved, colour, turned = (ax.text(1 + 3 * place, 0.8, "here") for place in range(3))

    def update(v):
        moved.set(y=0.8 - 0.2 * v, text=["here", "there", "here"][v])
        colour.set_color(["black", "red", "blue"][v])
        turned.set_rotation(60 * v)

    return update


def a_ground_below_the_axes(fig, ax, line):
    fig.add_artist(plt.Rectangle((0.05, 0.05), 0.9, 0.9, color="yellow", zorder=-1))

    def update(v):
        line.set(ydata=[0, 1 - v / 2], linewidth=20, color="red")

    return update


def a_word_that_goes_below_the_axes(fig, ax, line):
    word = fig.text(0, 0.5, "half of this word")
    return lambda v: word.set_zorder((5, -1, 5)[v])


def frames_that_come_and_go(fig, ax, line):
    ax.spines[:].set_linewidth(6)

    def update(v):
        ax.set_frame_on(v != 1)
        ax.set_axis_on() if v < 2 else ax.set_axis_off()

    return update


def words_that_come_and_go(fig, ax, line):
    hidden = ax.text(4, 0.5, "here")
    beyond = fig.text(0.9, 0.95, "cut off by the edge", va="bottom")

    def update(v):
        hidden.set_visible(v != 1)
        beyond.set_position([(0.9, 0.95), (-0.2, -0.03), (2, 2)][v])
        ax.yaxis.label.set_text(f"value {10**v}")  # the figure stays fresh

    return update


def labels_and_ground(fig, ax, line):
    def update(v):
        ax.set_title("title" * v)
        ax.xaxis.label.set(text="label", color="red" if v else "blue")
        ax.patch.set_facecolor("yellow" if v == 2 else "white")

    return update


def limits_and_ticks(fig, ax, line):
    ax.set_aspect(5)  # so that other limits move the legend
    ax.legend([line], ["line"], loc="upper left")

    def update(v):
        ax.set_ylim(0, 1 if v else 2)
        ax.set_xticks([0, 10], ["left", "right"] if v == 2 else ["0", "10"])

    return update


def limits_that_follow(fig, ax, line):
    def update(v):
        line.set_ydata([0, 1 + v])
        ax.relim()
        ax.autoscale()

    return update


def axes_that_come_and_go(fig, ax, line):
    ax.set_position((0.2, 0.2, 0.3, 0.7))
    other = fig.add_axes((0.6, 0.2, 0.3, 0.7), xticks=[], yticks=[])
    other.plot([0, 1], [0, 1], linewidth=20)

    def update(v):
        other.set_visible(v != 1)
        line.set_ydata([0, 1 - v / 2])

    return update


def axes_that_overlap(fig, ax, line):
    other = fig.add_axes((0.4, 0.2, 0.5, 0.7))
    twin = ax.twinx()

    def update(v):
        other.set_zorder(1 - v)  # at last below the ground of the first
        line.set_ydata([0, 1 - v / 2])
        twin.set_ylim(0, 1 + v)

    return update


def a_redraw_of_its_own(fig, ax, line):
    ax.set(xlabel="x", ylabel="y")

    def update(v):
        ax.set_xlim(0, 10 + v)
        fig.canvas.draw_idle()

    return update


def axes_inside_of_axes(fig, ax, line):
    (inner,) = ax.inset_axes((0.1, 0.5, 0.4, 0.4)).plot([0, 1], linewidth=20)
    return lambda v: inner.set_ydata([v, 1])


def a_second_scale(fig, ax, line):
    top = ax.secondary_xaxis("top")

    def update(v):
        top.set_xticks([0, 5 * v])
        line.set_ydata([0, 1 - v / 2])

    return update


def axes_that_come_to_overlap(fig, ax, line):
    ax.set_position((0.1, 0.2, 0.3, 0.7))
    (other,) = fig.add_axes((0.6, 0.2, 0.3, 0.7)).plot([0, 1], linewidth=20)

    def update(v):
        other.axes.set_position((0.6 - 0.4 * (v == 1), 0.2, 0.3, 0.7))
        line.set(ydata=[0, 1 - v / 2], linewidth=9, zorder=5)

    return update


def axes_that_are_not_flat(fig, ax, line):
    ax.remove()
    (x, y), z = np.eye(2, 3), np.arange(3)
    face = fig.add_subplot(projection="3d").plot_trisurf(x, y, z)
    return lambda v: face.set_verts([np.transpose([x, y, z - v])])


def figures_inside_of_a_figure(fig, ax, line):
    ax.remove()
    (inner,) = fig.subfigures().subplots().plot([0, 1], linewidth=20)
    return lambda v: inner.set_ydata([v, 1])


def heatmap(fig, ax, line):
    line.set_zorder(3)
    look = {"cmap": "gray", "vmin": -1, "vmax": 1}
    cells = ax.imshow(np.zeros((2, 2)), extent=(0, 10, 0, 1), **look)
    ax.set_aspect("auto")
    bar = fig.colorbar(cells)

    def update(v):
        cells.set_data(np.full((2, 2), v / 2))
        bar.set_label(f"value {v}")

    return update


def new_artists(fig, ax, line):
    drawn = []

    def update(v):
        while drawn:
            drawn.pop().remove()
        fig.suptitle("above " * v)
        drawn.extend(ax.axvline(i + 1, color="red", zorder=1 + 2 * i) for i in range(v))

    return update


def legends(fig, ax, line):
    hidden = ax.legend([line], ["hidden"], loc="lower right")
    ax.add_artist(hidden)

    def update(v):
        if v == 0:  # a new one
            ax.legend([line], ["line"], loc="upper left")
        ax.get_legend().get_texts()[0].set_text("curve" if v else "line")
        ax.get_legend().get_lines()[0].set_color("red" if v == 2 else "black")
        hidden.set_visible(v != 2)

    return update


STAGES = [
    *(words, words_that_come_and_go, frames_that_come_and_go, a_ground_below_the_axes),
    a_word_that_goes_below_the_axes,
    *(labels_and_ground, limits_and_ticks, limits_that_follow, heatmap, new_artists),
    *(legends, axes_that_come_and_go, axes_that_overlap, axes_inside_of_axes),
    *(axes_that_are_not_flat, figures_inside_of_a_figure, a_second_scale),
    *(axes_that_come_to_overlap, a_redraw_of_its_own),
]


def on_a_small_figure(stage):
    def draw(fig):
        """A stage."""
        fig.set_size_inches(3, 2)
        ax = fig.add_subplot(xticks=[0, 10], yticks=[0, 1])
        act = stage(fig, ax, *ax.plot([0, 10], [0, 1]))

        def update(v=0):
            act(v)

        return update

    return draw


def test_what_cannot_be_drawn_is_an_error_each_time():
    canvas = FigureCanvasAgg(plt.Figure(layout="constrained"))
    ax = canvas.figure.subplots()
    painter = Painter(canvas)
    painter.paint()
    ax.set_xticks([0, 1], [r"$\mistake$", "b"])
    for _ in range(2):
        with pytest.raises(ValueError):
            painter.paint()


def test_the_background_is_drawn_once_while_only_artists_change(monkeypatch):
    canvas = FigureCanvasAgg(plt.Figure())
    ax = canvas.figure.subplots()
    (line,) = ax.plot([0, 1], label="line")
    ax.legend()
    ax.yaxis.label.set(text="hidden", visible=False)
    painter, drawn = Painter(canvas), []
    draw = canvas.draw
    monkeypatch.setattr(canvas, "draw", lambda: drawn.append(draw()))
    for height in range(3):
        line.set_ydata([0, height])
        ax.get_legend().get_texts()[0].set_text(f"height {height}")
        painter.paint()
    assert len(drawn) == 1


def drawn_by_matplotlib(draw):
    """What matplotlib alone draws at each v, in the layout of the start."""
    canvas = FigureCanvasAgg(plt.Figure(layout="constrained"))
    update = draw(canvas.figure)
    update(0)
    canvas.figure.draw_without_rendering()
    canvas.figure.set_layout_engine("none")
    pictures = []
    for v in range(3):
        update(v)
        canvas.draw()
        pictures.append(np.array(canvas.buffer_rgba())[..., :3].astype(int))
    return pictures


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.__name__)
def test_the_picture_is_what_matplotlib_draws(stage):
    draw = on_a_small_figure(stage)
    expected = drawn_by_matplotlib(draw)
    assert np.any(expected[0] != expected[1]) and np.any(expected[1] != expected[2])
    explorer = explore(draw, v=[0, 1, 2])
    first = explorer.image.value
    for v in (1, 2, 0):
        explorer.sliders["v"].value = v
        assert explorer.error.value == ""
        painted = pixels(explorer.image.value)
        assert np.abs(painted - expected[v]).max() <= 1, f"v = {v}"
    assert explorer.image.value == first, "the way there does not matter"
