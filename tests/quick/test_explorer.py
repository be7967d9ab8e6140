"""What a reader of a chapter relies on when a picture is shown and a slider moves."""

import base64
import io
import re
from datetime import date

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from draw import SIGNED
from explorer import Explorer, explore, show
from png import as_png
from tools.frames import exported_values


def wave(fig):
    """A small stage: one curve, a title and a label."""
    fig.set_size_inches(3, 2)
    ax = fig.add_subplot()
    x = np.linspace(0, 10, 60)
    (line,) = ax.plot(x, 0 * x, label="wave")
    ax.set(ylim=(-3, 3), xlabel="x", xticks=[0, 10], yticks=[-3, 3])

    def update(k=2, size=1.0):
        if size < 0:
            raise RuntimeError("size <b>below</b>\nzero")
        line.set_ydata(size * np.sin(k * x))
        ax.set_title(f"k = {k}")
        return f"It swings <{k}> times by {size}."

    return update


def empty(fig):
    fig.set_size_inches(1, 1)
    return lambda v, **more: None


def panel(**controls):
    controls = controls or {"k": [1, 2, 5], "size": (-1.0, 2.0, 0.5)}
    return explore(wave, alt="a wave & its title", **controls)


def pixels(data):
    return np.asarray(Image.open(io.BytesIO(bytes(data))).convert("RGB")).astype(int)


# ---- sliders -------------------------------------------------------------------------
def reachable(slider):
    values = []
    for index in range(len(slider.options)):
        slider.index = index
        values.append(slider.value)
    return values


@pytest.mark.parametrize(
    "control, values",
    [
        ([1, 2, 5], [1, 2, 5]),
        ((1, 9, 2), [1, 3, 5, 7, 9]),
        ((1, 8, 2), [1, 3, 5, 7]),
        ((0.0, 0.3, 0.1), [0, 0.1, 0.2, 0.3]),  # 0.3, not 3 * 0.1
        ((0.2, 0.3, 0.1), [0.2, 0.3]),  # 0.3 - 0.2 is a little less than 0.1
    ],
)
def test_a_slider_reaches_the_values_of_its_control_and_no_others(control, values):
    slider = explore(empty, alt="nothing", v=control).sliders["v"]
    assert reachable(slider) == values
    assert {type(value) for value in reachable(slider)} == {type(control[0])}
    assert slider.description == "v"
    with pytest.raises(Exception, match="Invalid selection"):
        slider.value = 6


def test_names_stand_on_buttons():
    explorer = explore(empty, alt="nothing", v=["sine", "cosine"], w=[False, True])
    buttons, slider = explorer.sliders.values()
    assert isinstance(buttons, widgets.ToggleButtons)
    assert reachable(buttons) == ["sine", "cosine"] and buttons.description == "v"
    assert isinstance(slider, widgets.SelectionSlider)
    assert explorer.grid()["v"] == ["sine", "cosine"]


def test_sliders_start_where_update_has_its_defaults():
    assert panel().values == {"k": 2, "size": 1.0}
    assert explore(empty, alt="nothing", v=[7, 8]).values == {"v": 7}


def test_moving_a_slider_changes_picture_and_sentence_and_reset_brings_them_back():
    explorer = panel()
    first = explorer.image.value
    assert "It swings &lt;2&gt; times by 1.0." in explorer.words.value
    explorer.sliders["k"].value = 5
    explorer.sliders["size"].value = 2.0
    assert not np.array_equal(pixels(explorer.image.value), pixels(first))
    assert "It swings &lt;5&gt; times by 2.0." in explorer.words.value
    row = explorer.children[1].children
    (reset,) = (widget for widget in row if isinstance(widget, widgets.Button))
    reset.click()
    assert explorer.values == {"k": 2, "size": 1.0} and explorer.image.value == first


def test_an_error_is_one_line_below_the_last_good_picture_until_a_good_value():
    explorer = panel()
    good = explorer.image.value
    explorer.sliders["size"].value = -1.0
    assert "RuntimeError: size &lt;b&gt;below&lt;/b&gt; zero" in explorer.error.value
    assert explorer.image.value == good and "by 1.0." in explorer.words.value
    order = explorer.children.index
    assert order(explorer.image) < order(explorer.words) < order(explorer.error)
    explorer.sliders["size"].value = 1.0
    assert explorer.error.value == "" and explorer.image.value == good


def test_what_cannot_be_drawn_at_the_start_stops_the_notebook():
    def broken(fig):
        return lambda k=1: undefined_artist  # noqa: F821

    for stage in (broken, lambda fig: broken(fig)()):
        before = len(Explorer.alive())
        with pytest.raises(NameError, match="undefined_artist"):
            explore(stage, alt="nothing", k=[1, 2])
        assert len(Explorer.alive()) == before


def test_pyplot_keeps_no_figure():
    before = plt.get_fignums()
    panel().sliders["k"].value = 5
    assert plt.get_fignums() == before


# ---- those who hear a picture --------------------------------------------------------
def test_those_who_hear_it_are_told_what_the_picture_shows():
    explorer = panel()
    heard = explorer.children[-1]
    if isinstance(heard, widgets.HTML):  # ipywidgets 7
        assert "a wave &amp; its title" in heard.value
        assert 'role="status"' in explorer.words.value
    else:
        assert '"a wave & its title"' in str(heard.outputs)
        assert explorer.sliders["k"].tooltip == "k"


# ---- what a deck gets ----------------------------------------------------------------
def test_a_deck_gets_all_values_or_fewer_and_a_sentence_for_each():
    size = (0.0, 1.0, 0.5)
    explorer = explore(wave, alt="a wave", k=[1, 2, 5], size=size)
    assert explorer.grid() == {"k": [1, 2, 5], "size": [0.0, 0.5, 1.0]}
    assert exported_values(explorer, {"k": [2, 5]}) == {
        "k": [2, 5],
        "size": [0.0, 0.5, 1.0],
    }
    shown = explorer.image.value
    assert (
        explorer.live.sentence_at({"k": 5, "size": 2.0})
        == "It swings <5> times by 2.0."
    )
    assert explorer.image.value == shown


# ---- the picture beside matplotlib's own drawing -------------------------------------
# Each stage gives a function of v. A step from 0 to 1 and from 1 to 2 changes one thing
# at a time, as one change that is noticed would paint the others, too.
def words(fig, ax, line):
    line.remove()
    moved, weight, alpha, colour, boxed = (
        ax.text(0.5 + 2 * place, 0.8, "here") for place in range(5)
    )
    for place in (0, 1):
        ax.text(8 * place, 0.1, "two\nlines", linespacing=1 + place)

    def update(v):
        moved.set(y=0.8 - 0.2 * v, text=["here", "there", "here"][v])
        weight.set_weight(["normal", "normal", "bold"][v])
        alpha.set_alpha([1, 0.3, 1][v])
        colour.set_color(["black", "red", "blue"][v])
        face = ["white", "lightgrey", "darkgrey"][v]
        boxed.set_bbox({"facecolor": face, "edgecolor": "none"})

    return update


def lines_of_words(fig, ax, line):
    line.remove()
    spaced = ax.text(0, 0.1, "two\nlines")
    aligned = ax.text(5, 0.1, "a line and\none")

    def update(v):
        spaced.set_linespacing([1, 3, 2][v])
        aligned.set_multialignment(["left", "right", "center"][v])

    return update


def turned_words(fig, ax, line):
    line.remove()
    turned, below, about = (ax.text(4 * place, 0.5, "a word") for place in range(3))
    about.set_rotation(60)

    def update(v):
        turned.set_rotation(60 * v)
        below.set_verticalalignment(["baseline", "top", "center"][v])
        about.set_rotation_mode(["default", "anchor", "default"][v])

    return update


def wrapped_words(fig, ax, line):
    line.remove()
    words = ax.text(0, 0.1, "words that wrap at the edge", wrap=True)
    return lambda v: words.set_x(3 * v)


def words_at_names(fig, ax, line):
    ax.clear()
    ax.plot(["a", "b", "c"], [0, 1, 0])
    words = ax.text("a", 0.5, "here")
    return lambda v: words.set_x("abc"[v])


def words_at_dates(fig, ax, line):
    ax.clear()
    days = [date(2026, 1, day) for day in (1, 2, 3)]
    ax.plot(days, [0, 1, 0])
    ax.set_xticks([])
    words = ax.text(days[0], 0.5, "here")
    return lambda v: words.set_x(days[v])


def words_that_come_and_go(fig, ax, line):
    hidden = ax.text(4, 0.5, "here")
    beyond = fig.text(0.9, 0.95, "cut off by the edge", va="bottom")

    def update(v):
        hidden.set_visible(v != 1)
        beyond.set_position([(0.9, 0.95), (-0.2, -0.03), (2, 2)][v])

    return update


def labels(fig, ax, line):
    def update(v):
        ax.set(title="title" * v, xlabel=f"x{v}", ylabel="y" * v)
        ax.xaxis.label.set_color(["black", "red", "blue"][v])
        fig.suptitle("above " * v)

    return update


def limits_and_ticks(fig, ax, line):
    ax.set_aspect(5)  # so that other limits move the legend
    ax.legend([line], ["line"], loc="upper left")

    def update(v):
        ax.set_ylim(0, 1 if v else 2)
        ax.set_xticks([0, 10], ["left", "right"] if v == 2 else ["0", "10"])

    return update


def axes_that_come_and_go(fig, ax, line):
    other = fig.add_axes((0.6, 0.25, 0.3, 0.3))
    other.plot([0, 1], [0.5, 0.5], linewidth=20)
    other.set(xlim=(-1, 2), xticks=[], yticks=[])
    other.patch.set_visible(False)  # painted below the lines of all axes
    inner = other.inset_axes((0, 1.2, 1, 1))
    inner.plot([0, 1], linewidth=20)
    inner.axis("off")
    return lambda v: other.set_visible(v != 1)


def axes_within_axes_and_below(fig, ax, line):
    inner, below = ax.inset_axes((0.1, 0.6, 0.3, 0.3)), ax.twinx()
    below.set_zorder(-1)
    for other in (inner, below):
        other.axis("off")  # painted below the lines of all axes
    ax.patch.set_visible(False)  # before matplotlib 3.11 it hides what is below
    (short,) = inner.plot([0, 1], [0, 1], linewidth=20)
    (long,) = below.plot([0, 10], [0, 1], color="red", linewidth=20)

    def update(v):
        short.set_ydata([v, 0])
        long.set_ydata([0, v])

    return update


def axes_in_three_dimensions(fig, ax, line):
    ax.remove()
    solid = fig.add_subplot(projection="3d")
    solid.plot([0, 1], [0, 1], [0, 1], linewidth=9)
    return lambda v: solid.view_init(30, 60 * v)  # the figure stays fresh


def ground(fig, ax, line):
    return lambda v: ax.patch.set_facecolor(["white", "red", "blue"][v])


def heatmap(fig, ax, line):
    line.set_zorder(3)
    cells = ax.imshow(np.zeros((2, 2)), vmin=-1, vmax=1, extent=(0, 10, 0, 1))
    ax.set_aspect("auto")
    bar = fig.colorbar(cells)
    for frame in (ax.spines[:], bar.outline, ax.xaxis, ax.yaxis):  # painted below
        frame.set_visible(False)

    def update(v):
        cells.set_data(np.full((2, 2), v / 2))
        bar.set_label(f"value {v}")

    return update


def new_artists(fig, ax, line):
    drawn = []

    def update(v):
        while drawn:
            drawn.pop().remove()
        drawn.extend(ax.axvline(i + 1, color="red", zorder=1 + 2 * i) for i in range(v))

    return update


def a_label_by_its_text(fig, ax, line):
    return lambda v: ax.yaxis.label.set_text(f"value {10**v}")  # the figure stays fresh


def a_label_that_comes_and_goes(fig, ax, line):
    ax.set_xlabel("a label of many letters")
    return lambda v: ax.xaxis.label.set_visible(v != 1)


def a_label_in_a_box(fig, ax, line):
    label = ax.yaxis.label
    label.set_text("boxed")

    def update(v):
        face = ["white", "black", "darkgrey"][v]
        label.set_bbox({"facecolor": face, "edgecolor": "none"} if v else None)

    return update


def new_legend(fig, ax, line):
    def update(v):
        line.set_label(f"v = {v}")
        ax.legend(loc="upper right")

    return update


def parts_of_a_legend(fig, ax, line):
    hidden = ax.legend([line], ["hidden"], loc="lower right")
    ax.add_artist(hidden)
    legend = ax.legend([line], ["line"], loc="upper left")

    def update(v):
        legend.get_texts()[0].set_text("curve" if v else "line")
        legend.get_lines()[0].set_color("red" if v == 2 else "black")
        hidden.set_visible(v != 2)

    return update


STAGES = [
    *(words, turned_words, lines_of_words, wrapped_words, words_at_names),
    *(words_at_dates, axes_in_three_dimensions, ground),
    *(words_that_come_and_go, labels, a_label_by_its_text, limits_and_ticks),
    *(axes_that_come_and_go, axes_within_axes_and_below, heatmap, new_artists),
    *(a_label_that_comes_and_goes, a_label_in_a_box, new_legend, parts_of_a_legend),
]


def on_a_small_figure(stage):
    def draw(fig):
        fig.set_size_inches(3, 2)
        ax = fig.add_subplot(xticks=[0, 10], yticks=[0, 1])
        act = stage(fig, ax, *ax.plot([0, 10], [0, 1]))

        def update(v=0):
            act(v)

        return update

    return draw


def drawn_by_matplotlib(draw):
    """What matplotlib alone draws at each v, in the layout of the start."""
    canvas = FigureCanvasAgg(plt.Figure())
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


def difference(one, other):
    """The largest between the means of 6 x 6 pixels, as words stand at whole pixels."""
    height, width = (side // 6 for side in one.shape[:2])
    blocks = (one - other)[: 6 * height, : 6 * width].reshape(height, 6, width, 6, 3)
    return np.abs(blocks.mean(axis=(1, 3))).max()


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.__name__)
def test_the_picture_is_what_matplotlib_draws(stage):
    draw = on_a_small_figure(stage)
    expected = drawn_by_matplotlib(draw)
    apart = min(difference(*expected[:2]), difference(*expected[1:]))
    assert apart > 30
    explorer = explore(draw, alt="a stage", v=[0, 1, 2])
    first = explorer.image.value
    for v in (1, 2, 0):
        explorer.sliders["v"].value = v
        assert explorer.error.value == ""
        painted = pixels(explorer.image.value)
        assert difference(painted, expected[v]) < apart / 2, f"v = {v}"
    assert explorer.image.value == first, "the way there does not matter"


# ---- what a saved notebook keeps -----------------------------------------------------
def saved_pixels(page):
    source = re.search('src="data:image/png;base64,([^"]+)"', page)[1]
    return pixels(base64.b64decode(source))


def test_the_saved_output_holds_the_first_picture_its_words_and_the_live_view():
    explorer = panel()
    first = explorer.image.value
    explorer.sliders["k"].value = 5
    shown = explorer.image.value
    data = explorer._repr_mimebundle_()
    view = "application/vnd.jupyter.widget-view+json"
    assert set(data) == {"text/html", "image/png", "text/plain", view}
    assert data[view]["model_id"] == explorer.model_id
    sentence = "It swings <2> times by 1.0."
    assert data["text/plain"] == f"[picture] a wave & its title\n{sentence}"
    page = data["text/html"]
    assert page.startswith('<img alt="a wave &amp; its title" src="data:image/png')
    assert page.endswith("<p>It swings &lt;2&gt; times by 1.0.</p>")
    palette = 16  # as the saved picture has 48 colours
    assert np.abs(saved_pixels(page) - pixels(first)).max() <= palette
    assert explorer.image.value == shown, "the live picture stays"


def test_a_saved_picture_keeps_the_colours_of_a_map_from_end_to_end():
    fig, ax = plt.subplots()
    corner = np.add.outer(np.linspace(0.2, 1, 80), np.linspace(0, 1, 80))
    fig.colorbar(ax.imshow(corner, cmap=SIGNED, vmin=-2, vmax=2))
    fig.canvas.draw()
    drawn = np.asarray(fig.canvas.buffer_rgba())[..., :3].astype(int)
    saved = pixels(as_png(fig.canvas))
    plt.close(fig)
    assert np.abs(saved - drawn).max() <= 20  # of 255


def test_a_picture_without_sliders_carries_its_alt_text_and_is_closed(monkeypatch):
    bundles = []
    monkeypatch.setattr("explorer.display", lambda data, raw: bundles.append(data))
    before = plt.get_fignums()
    fig, ax = plt.subplots()
    ax.plot([0, 1])
    show(fig, alt='A line, "rising"')
    assert plt.get_fignums() == before
    page = bundles[0]["text/html"]
    assert page.startswith('<img alt="A line, &quot;rising&quot;" src="data:image/png')
    assert bundles[0]["text/plain"] == '[picture] A line, "rising"'
    assert saved_pixels(page).shape == (400, 900, 3)
