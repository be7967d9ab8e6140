"""What a reader of a chapter relies on when a picture is shown and a slider moves."""

import base64
import io
import re

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image

from explorer import Explorer, Painter, as_png, explore, show
from utils import SIGNED


def wave(fig):
    """A small stage: one curve, a title and a legend."""
    ax = fig.add_subplot()
    x = np.linspace(0, 10, 60)
    (line,) = ax.plot(x, 0 * x, label="wave")
    ax.set(ylim=(-3, 3), xlabel="x")

    def update(k=2, size=1.0):
        if size < 0:
            raise RuntimeError("size <b>below</b>\nzero")
        line.set_ydata(size * np.sin(k * x))
        ax.set_title(f"k = {k}")
        return f"It swings <{k}> times by {size}."

    return update


def panel(**controls):
    return explore(
        wave,
        alt="a wave & its title",
        **(controls or {"k": [1, 2, 5], "size": (-1.0, 2.0, 0.5)}),
    )


def pixels(data):
    return np.asarray(Image.open(io.BytesIO(bytes(data))).convert("RGB"))


def reset_button(explorer):
    return next(
        w for w in explorer.children[0].children if isinstance(w, widgets.Button)
    )


# ---- controls -------------------------------------------------------------------
def reachable(slider):
    values = []
    for index in range(len(slider.options)):
        slider.index = index
        values.append(slider.value)
    return values


def test_a_list_gives_a_slider_over_its_values_and_no_others():
    slider = panel(k=[1, 2, 5]).sliders["k"]
    assert reachable(slider) == [1, 2, 5]
    assert slider.description == "k"
    with pytest.raises(Exception, match="Invalid selection"):
        slider.value = 3


@pytest.mark.parametrize(
    "triple, values",
    [
        ((1, 9, 2), [1, 3, 5, 7, 9]),
        ((1, 8, 2), [1, 3, 5, 7]),
        ((0.0, 0.3, 0.1), [0, 0.1, 0.2, 0.3]),
        ((-1.0, 1.0, 0.5), [-1, -0.5, 0, 0.5, 1]),
        ((4, 4, 1), [4]),
    ],
)
def test_a_triple_means_from_low_to_high_in_steps(triple, values):
    explorer = explore(lambda fig: lambda v: None, alt="nothing", v=triple)
    assert reachable(explorer.sliders["v"]) == pytest.approx(values, abs=1e-12)
    assert all(type(v) is type(triple[0]) for v in reachable(explorer.sliders["v"]))


def test_an_ipywidgets_slider_is_taken_as_it_is():
    mine = widgets.IntSlider(min=1, max=4, value=3)
    explorer = explore(lambda fig: lambda k: None, alt="nothing", k=mine)
    assert explorer.sliders["k"] is mine and explorer.values == {"k": 3}


def test_sliders_start_where_update_has_its_defaults():
    assert panel().values == {"k": 2, "size": 1.0}
    assert explore(lambda fig: lambda v: None, alt="nothing", v=[7, 8]).values == {
        "v": 7
    }


def test_a_default_that_the_slider_cannot_reach_is_refused():
    words = "the start value of k must be a value of its slider; got 2"
    with pytest.raises(ValueError, match=words):
        panel(k=[1, 5])


def test_a_slider_is_named_where_the_mouse_rests():
    slider = panel().sliders["k"]
    if slider.has_trait("tooltip"):  # ipywidgets 7 has none
        assert slider.tooltip == "k"


def test_alt_text_and_a_control_are_required():
    for alt, controls in [("", {"k": [1]}), ("  ", {"k": [1]}), ("a wave", {})]:
        with pytest.raises(ValueError, match="alt text and at least one control"):
            explore(wave, alt=alt, **controls)


# ---- the picture ----------------------------------------------------------------
def test_one_figure_persists_and_pyplot_keeps_none():
    stages = []
    before = plt.get_fignums()
    explorer = explore(
        lambda fig: stages.append(fig) or wave(fig), alt="a wave", k=[1, 2, 5]
    )
    for k in (5, 1, 2):
        explorer.sliders["k"].value = k
    assert len(stages) == 1, "the stage is set once"
    assert plt.get_fignums() == before


def test_a_saved_picture_keeps_the_colours_of_a_map_from_end_to_end():
    fig, ax = plt.subplots()
    corner = np.add.outer(np.linspace(0.2, 1, 80), np.linspace(0, 1, 80))
    fig.colorbar(ax.imshow(corner, cmap=SIGNED, vmin=-2, vmax=2))
    fig.canvas.draw()
    drawn = np.asarray(fig.canvas.buffer_rgba())[..., :3].astype(int)
    saved = pixels(as_png(fig.canvas))
    plt.close(fig)
    assert np.abs(saved - drawn).max() <= 10  # of 255


def test_moving_a_slider_replaces_the_picture_and_moving_back_restores_it():
    explorer = panel()
    first = explorer.image.value
    explorer.sliders["k"].value = 5
    assert explorer.image.value != first
    assert not np.array_equal(pixels(explorer.image.value), pixels(first))
    explorer.sliders["k"].value = 2
    assert explorer.image.value == first


def test_reset_returns_to_the_start():
    explorer = panel()
    first = explorer.image.value
    explorer.sliders["k"].value, explorer.sliders["size"].value = 5, 2.0
    reset_button(explorer).click()
    assert explorer.values == {"k": 2, "size": 1.0} and explorer.image.value == first


def test_an_exception_is_one_escaped_line_and_the_next_good_value_clears_it():
    explorer = panel()
    good = explorer.image.value
    explorer.sliders["size"].value = -1.0
    assert "RuntimeError: size &lt;b&gt;below&lt;/b&gt; zero" in explorer.error.value
    assert "\n" not in explorer.error.value
    assert explorer.image.value == good, "the last good picture stays"
    assert explorer.children.index(explorer.error) > explorer.children.index(
        explorer.image
    )
    explorer.sliders["size"].value = 1.0
    assert explorer.error.value == "" and explorer.image.value == good


@pytest.mark.parametrize("part", ["stage", "update"])
def test_what_cannot_be_drawn_at_the_start_stops_the_notebook(part):
    def broken(fig):
        if part == "stage":
            undefined_stage  # noqa: F821, B018

        def update(k=1):
            undefined_artist  # noqa: F821, B018

        return update

    before = len(Explorer.alive())
    with pytest.raises(NameError, match=f"undefined_{'stage|artist'}"):
        explore(broken, alt="nothing", k=[1, 2])
    assert len(Explorer.alive()) == before


def test_draw_must_return_update():
    with pytest.raises(
        ValueError, match="draw must return the function update; got None"
    ):
        explore(lambda fig: None, alt="nothing", k=[1, 2])


# ---- the sentence ---------------------------------------------------------------
def test_the_sentence_goes_with_the_picture():
    explorer = panel()
    assert "It swings &lt;2&gt; times by 1.0." in explorer.words.value
    explorer.sliders["k"].value = 5
    assert "It swings &lt;5&gt; times by 1.0." in explorer.words.value
    order = explorer.children.index
    assert order(explorer.image) < order(explorer.words)


def test_those_who_hear_it_are_told_what_the_picture_shows():
    heard = panel().children[-1]
    if isinstance(heard, widgets.HTML):  # ipywidgets 7
        assert "a wave &amp; its title" in heard.value
        assert 'role="status"' in panel().words.value
    else:
        assert '"a wave & its title"' in str(heard.outputs)


def test_after_an_error_the_sentence_of_the_last_good_picture_stays():
    explorer = panel()
    explorer.sliders["size"].value = -1.0
    assert explorer.error.value and "times by 1.0." in explorer.words.value


def test_an_update_may_say_nothing_but_not_something_else():
    assert explore(lambda fig: lambda v: None, alt="nothing", v=[1]).sentence == ""
    with pytest.raises(
        ValueError, match="update must return a sentence or nothing; got 7"
    ):
        explore(lambda fig: lambda v: 7, alt="nothing", v=[1])


def test_a_sentence_can_be_had_without_a_picture():
    explorer = panel()
    before = explorer.image.value
    assert explorer.sentence_at({"k": 5, "size": 2.0}) == "It swings <5> times by 2.0."
    assert explorer.image.value == before


# ---- what tests and exporters use ------------------------------------------------
def test_the_explorers_of_a_kernel_are_known_in_their_order():
    first, second = panel(), panel()
    alive = list(Explorer.alive().values())
    assert alive.index(first) < alive.index(second)
    assert Explorer.alive()[second.model_id] is second


def test_a_grid_holds_all_values_or_those_for_a_deck():
    explorer = explore(
        wave, alt="a wave", k=[1, 2, 5], size=(0.0, 2.0, 0.5), export={"k": [2, 5]}
    )
    assert explorer.grid() == {"k": [1, 2, 5], "size": [0.0, 0.5, 1.0, 1.5, 2.0]}
    assert explorer.grid(export=True)["k"] == [2, 5]
    assert explorer.label("size", 0.5) == "0.5" and explorer.label("k", 5) == "5"
    mine = widgets.IntSlider(min=1, max=4, value=3)
    assert explore(lambda fig: lambda k: None, alt="nothing", k=mine).grid() == {
        "k": [1, 2, 3, 4]
    }


@pytest.mark.parametrize(
    "export, words",
    [
        (
            {"k": [5]},
            "export must give k some values of its slider, 2 among them; got ",
        ),
        (
            {"k": [2, 3]},
            "export must give k some values of its slider, 2 among them; got ",
        ),
        ({"omega": [1]}, "export names omega, which no slider is called"),
    ],
)
def test_what_a_deck_cannot_show_is_refused_in_the_notebook(export, words):
    with pytest.raises(ValueError, match=words):
        explore(wave, alt="a wave", k=[1, 2, 5], export=export)


# ---- drawing over a kept background -----------------------------------------------
# What an update may do to the stage: each entry gives a function of v = 0, 1, 2.
def _limits(fig, ax, line):
    return lambda v: ax.set(xlim=(0, 10 + v), ylim=(-1, 1 + 3 * v))


def _words(fig, ax, line):
    return lambda v: ax.set(title="title" * v, xlabel=f"x{v}", ylabel="y" * v)


def _legend(fig, ax, line):
    def update(v):
        line.set_label(f"v = {v}")
        ax.legend(loc="upper right")

    return update


def _visibility(fig, ax, line):
    note = ax.annotate("note", (5, 0))

    def update(v):
        note.set_visible(v == 1)
        line.set_visible(v != 1)

    return update


def _suptitle(fig, ax, line):
    return lambda v: fig.suptitle("above " * v)


def _ticks(fig, ax, line):
    return lambda v: ax.set_xticks(range(v + 1), [f"tick{i}" for i in range(v + 1)])


def _scale(fig, ax, line):
    return lambda v: ax.set_xscale(["linear", "symlog", "linear"][v])


def _spine_and_grid(fig, ax, line):
    def update(v):
        ax.spines["top"].set_visible(v == 1)
        ax.grid(v == 2)

    return update


def _new_artist(fig, ax, line):
    drawn = []

    def update(v):
        while drawn:
            drawn.pop().remove()
        drawn.extend(ax.axvline(i + 1, color="red") for i in range(v))

    return update


def _second_axes(fig, ax, line):
    other = ax.twinx()
    (curve,) = other.plot([0, 10], [0, 1], color="red")

    def update(v):
        curve.set_ydata([v, 1])
        other.set_ylim(0, 1 + v)

    return update


def _heatmap(fig, ax, line):
    picture = ax.imshow(
        np.zeros((4, 4)), vmin=-1, vmax=1, extent=(0, 10, -1, 1), aspect="auto"
    )
    bar = fig.colorbar(picture)

    def update(v):
        picture.set_data(np.full((4, 4), v / 2))
        bar.set_label(f"value {v}")

    return update


def _background(fig, ax, line):
    return lambda v: ax.set_facecolor(["white", "yellow", "pink"][v])


def _axes_visibility(fig, ax, line):
    other = fig.add_axes((0.6, 0.6, 0.3, 0.3))
    other.plot([0, 1], linewidth=20)
    return lambda v: other.set_visible(v != 1)


def _axis_off(fig, ax, line):
    return lambda v: ax.set_axis_off() if v == 1 else ax.set_axis_on()


def _tick_colour(fig, ax, line):
    return lambda v: ax.tick_params(labelcolor=["black", "red", "blue"][v])


def _label_colour(fig, ax, line):
    ax.set_xlabel("x")
    return lambda v: ax.xaxis.label.set_color(["black", "red", "blue"][v])


def _words_that_move(fig, ax, line):
    words = ax.text(1, 0.5, "here")
    return lambda v: words.set(x=2 * v, text=["here", "there", "here"][v])


def _words_in_a_box(fig, ax, line):
    words = ax.text(4, 0.5, "boxed", bbox={"facecolor": "white"})
    return lambda v: words.get_bbox_patch().set_facecolor(["white", "red", "blue"][v])


def _look_of_words(fig, ax, line):
    words = ax.text(4, 0.5, "here", alpha=0.9)
    return lambda v: words.set_alpha(0.9 - 0.3 * v)


def _weight_of_words(fig, ax, line):
    words = ax.text(4, 0.5, "here")
    return lambda v: words.set_weight(["normal", "bold", "normal"][v])


def _visible_words(fig, ax, line):
    words = ax.text(4, 0.5, "here")
    return lambda v: words.set_visible(v != 1)


def _words_beyond_the_edge(fig, ax, line):
    words = fig.text(0.9, 0.95, "cut off by the edge", va="bottom")
    return lambda v: words.set_position([(0.9, 0.95), (-0.2, -0.03), (2, 2)][v])


def _words_of_a_legend(fig, ax, line):
    legend = ax.legend([line], ["zero"], loc="upper left")
    return lambda v: legend.get_texts()[0].set_text(["zero", "one", "two"][v])


def _lines_of_a_legend(fig, ax, line):
    legend = ax.legend([line], ["line"], loc="upper left")
    return lambda v: legend.get_lines()[0].set_color(["black", "red", "blue"][v])


def _visible_legend(fig, ax, line):
    legend = ax.legend([line], ["line"], loc="upper left")
    return lambda v: legend.set_visible(v != 1)


def _axis_label(fig, ax, line):
    label = ax.set_ylabel("zero")
    return lambda v: label.set_text(["zero", "one", "two"][v])


CHANGES = [
    _words_that_move,
    _words_in_a_box,
    _look_of_words,
    _weight_of_words,
    _visible_words,
    _words_beyond_the_edge,
    _words_of_a_legend,
    _lines_of_a_legend,
    _visible_legend,
    _axis_label,
    _limits,
    _words,
    _legend,
    _visibility,
    _suptitle,
    _ticks,
    _scale,
    _spine_and_grid,
    _new_artist,
    _second_axes,
    _heatmap,
    _background,
    _axes_visibility,
    _axis_off,
    _tick_colour,
    _label_colour,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__[1:])
def test_a_picture_depends_on_the_values_and_not_on_the_way_there(change):
    def draw(fig):
        fig.set_size_inches(3, 2)
        ax = fig.add_subplot()
        act = change(fig, ax, *ax.plot([0, 10], [0, 1]))

        def update(v=0, height=1):
            ax.lines[0].set_ydata([0, height])
            act(v)

        return update

    def fresh(v):
        """All of it drawn anew; the layout is that of the start values."""
        explorer = explore(draw, alt="a stage", v=[0, 1, 2], height=[1, 2])
        explorer.canvas.figure.stale = True
        return explorer.render({"v": v, "height": 1})

    moved = explore(draw, alt="a stage", v=[0, 1, 2], height=[1, 2])
    expected = [fresh(v) for v in range(3)]
    assert not moved.error.value and len(set(expected)) > 1
    for v in (1, 2, 0):
        moved.sliders["v"].value = v
        assert np.array_equal(pixels(moved.image.value), pixels(expected[v])), (
            f"v = {v}"
        )
        moved.sliders["height"].value = 2
        moved.sliders["height"].value = 1
        assert moved.image.value == expected[v], f"v = {v}, back again"


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__[1:])
def test_the_picture_is_what_matplotlib_draws(change):
    """Up to what lies under: frames and ticks are painted first."""

    def draw(fig):
        fig.set_size_inches(3, 2)
        ax = fig.add_subplot()
        act = change(fig, ax, *ax.plot([0, 10], [0, 1]))

        def update(v):
            act(v)

        return update

    explorer = explore(draw, alt="a stage", v=[0, 1, 2])
    explorer.sliders["v"].value = 1
    for artist in explorer.canvas.figure.findobj():
        artist.set_animated(False)
    explorer.canvas.draw()
    ordinary = np.asarray(explorer.canvas.buffer_rgba())[..., :3].astype(int)
    differs = np.abs(ordinary - pixels(explorer.image.value)).max(axis=-1) > 60
    assert differs.mean() < 0.01


def test_what_only_moves_is_drawn_over_the_kept_background(monkeypatch):
    """A legend calls its figure stale when it is drawn; that costs a slider nothing."""
    explorer = explore(wave, alt="a wave", k=[1, 2, 5], size=[1.0, 2.0])
    explorer.canvas.figure.axes[0].legend()
    explorer.render()
    drawn = []
    monkeypatch.setattr(explorer.canvas, "draw", lambda: drawn.append(True))
    first = explorer.image.value
    explorer.sliders["size"].value = 2.0
    assert explorer.image.value != first and drawn == []


def test_words_are_drawn_once_wherever_they_stand(monkeypatch):
    """A table of numbers is most of a step's time, and its numbers come again."""

    def draw(fig):
        ax = fig.subplots()
        texts = [ax.text(x / 5, 0.5, "") for x in range(5)]

        def update(v=0):
            for x, text in enumerate(texts):
                text.set_text(str((v + x) % 5))

        return update

    explorer = explore(draw, alt="numbers", v=[0, 1, 2, 3, 4])
    drawn = []
    monkeypatch.setattr(Text, "draw", lambda text, page: drawn.append(text))
    pictures = {explorer.render({"v": v}) for v in range(5)}
    assert drawn == [] and len(pictures) == 5


def test_lines_of_the_same_words_keep_the_distance_that_each_text_has():
    def draw(fig):
        for place in (0, 1):
            fig.text(place / 2, 0.1, "one\none", linespacing=1 + place)

        def update(v=0):
            pass

        return update

    picture = pixels(explore(draw, alt="words", v=[0, 1]).image.value)
    dark = (picture < 128).any(axis=-1)
    left, right = np.hsplit(dark, 2)
    heights = [np.ptp(np.flatnonzero(half.any(axis=1))) for half in (left, right)]
    assert heights[1] > 1.2 * heights[0]


def test_only_so_many_stamps_are_kept(monkeypatch):
    monkeypatch.setattr(Painter, "STAMPS", 2)
    explorer = explore(wave, alt="a wave", k=[1, 2, 5], size=[1.0, 2.0])
    kept = {k: explorer.render({"k": k, "size": 1.0}) for k in (1, 2, 5)}
    assert {k: explorer.render({"k": k, "size": 1.0}) for k in (1, 2, 5)} == kept


# ---- what a saved notebook keeps ------------------------------------------------
def source_of(page):
    return base64.b64decode(re.search('src="data:image/png;base64,([^"]+)"', page)[1])


def test_the_saved_output_holds_the_first_picture_its_words_and_the_live_view():
    explorer = panel()
    first = explorer.image.value
    explorer.sliders["k"].value = 5
    data = explorer._repr_mimebundle_()
    view = "application/vnd.jupyter.widget-view+json"
    assert set(data) == {"text/html", "text/plain", view}
    page = data["text/html"]
    assert page.startswith(
        '<img alt="a wave &amp; its title" src="data:image/png;base64,'
    )
    assert page.endswith("<p>It swings &lt;2&gt; times by 1.0.</p>")
    assert data["text/plain"] == (
        "[picture] a wave & its title\nIt swings <2> times by 1.0."
    )
    assert data[view]["model_id"] == explorer.model_id
    saved = pixels(source_of(page)).astype(int)
    assert np.abs(saved - pixels(first)).max() <= 16, "equal up to the palette"


def test_displaying_does_not_disturb_the_live_picture():
    explorer = panel()
    explorer.sliders["k"].value = 5
    shown = explorer.image.value
    explorer._repr_mimebundle_()
    assert explorer.image.value == shown and explorer.render() == shown


def test_ipywidgets_7_shows_the_same_bundle():
    assert panel()._ipython_display_ is None


def test_a_static_picture_carries_its_alt_text_and_is_closed(monkeypatch):
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
    assert pixels(source_of(page)).shape == (400, 900, 3)
    with pytest.raises(ValueError, match="alt text"):
        show(fig, alt=" ")
