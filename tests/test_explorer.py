"""What a reader of a chapter relies on when a slider moves, a quiz is read or an exercise is tried."""
import base64
import io

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image
from utils import check, explore, predict


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

    return update


def panel(**controls):
    return explore(wave, alt="a wave & its title", **(controls or {"k": [1, 2, 5], "size": (-1.0, 2.0, 0.5)}))


def pixels(data):
    return np.asarray(Image.open(io.BytesIO(bytes(data))).convert("RGB"))


def reset_button(explorer):
    return next(w for w in explorer.children[0].children if isinstance(w, widgets.Button))


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


@pytest.mark.parametrize("triple, values", [
    ((1, 9, 2), [1, 3, 5, 7, 9]), ((1, 8, 2), [1, 3, 5, 7]), ((0.0, 0.3, 0.1), [0, 0.1, 0.2, 0.3]),
    ((-1.0, 1.0, 0.5), [-1, -0.5, 0, 0.5, 1]), ((4, 4, 1), [4]),
])
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
    assert explore(lambda fig: lambda v: None, alt="nothing", v=[7, 8]).values == {"v": 7}


def test_a_default_that_the_slider_cannot_reach_is_said_under_the_picture():
    assert "the start value of k must be a value of its slider; got 2" in panel(k=[1, 5]).error.value


def test_alt_text_and_a_control_are_required():
    for alt, controls in [("", {"k": [1]}), ("  ", {"k": [1]}), ("a wave", {})]:
        with pytest.raises(ValueError, match="alt text and at least one control"):
            explore(wave, alt=alt, **controls)


# ---- the picture ----------------------------------------------------------------
def test_one_figure_persists_and_pyplot_keeps_none():
    stages = []
    before = plt.get_fignums()
    explorer = explore(lambda fig: stages.append(fig) or wave(fig), alt="a wave", k=[1, 2, 5])
    for k in (5, 1, 2):
        explorer.sliders["k"].value = k
    assert len(stages) == 1, "the stage is set once"
    assert plt.get_fignums() == before


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
    assert explorer.children.index(explorer.error) > explorer.children.index(explorer.image)
    explorer.sliders["size"].value = 1.0
    assert explorer.error.value == "" and explorer.image.value == good


def test_a_stage_that_raises_is_said_under_the_picture():
    def broken(fig):
        raise KeyError("no stage")

    explorer = explore(broken, alt="nothing", k=[1, 2])
    assert "KeyError" in explorer.error.value
    explorer.sliders["k"].value = 2
    assert "KeyError" in explorer.error.value
    data, _ = explorer._repr_mimebundle_()
    assert "text/plain" in data


# What an update may do to the stage. Each entry takes the figure and gives a function of v = 0, 1, 2.
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
    picture = ax.imshow(np.zeros((4, 4)), vmin=-1, vmax=1, extent=(0, 10, -1, 1), aspect="auto")
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


CHANGES = [_limits, _words, _legend, _visibility, _suptitle, _ticks, _scale, _spine_and_grid, _new_artist,
           _second_axes, _heatmap, _background, _axes_visibility, _axis_off, _tick_colour, _label_colour]


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
        explorer._frame = None
        return explorer.render({"v": v, "height": 1})

    moved = explore(draw, alt="a stage", v=[0, 1, 2], height=[1, 2])
    expected = [fresh(v) for v in range(3)]
    assert not moved.error.value and len(set(expected)) > 1
    for v in (1, 2, 0, 2, 1):
        moved.sliders["v"].value = v
        assert np.array_equal(pixels(moved.image.value), pixels(expected[v])), f"v = {v}"
        moved.sliders["height"].value = 2
        moved.sliders["height"].value = 1
        assert moved.image.value == expected[v], f"v = {v}, back again"


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__[1:])
def test_the_picture_is_what_matplotlib_draws(change):
    """Up to what lies under: frames and ticks are painted first."""
    def draw(fig):
        fig.set_size_inches(3, 2)
        ax = fig.add_subplot()
        return change(fig, ax, *ax.plot([0, 10], [0, 1]))

    explorer = explore(draw, alt="a stage", v=[0, 1, 2])
    explorer.sliders["v"].value = 1
    for artist in explorer._canvas.figure.findobj():
        artist.set_animated(False)
    explorer._canvas.draw()
    ordinary = np.asarray(explorer._canvas.buffer_rgba())[..., :3].astype(int)
    differs = np.abs(ordinary - pixels(explorer.image.value)).max(axis=-1) > 60
    assert differs.mean() < 0.01


# ---- what a saved notebook keeps ------------------------------------------------
def test_the_saved_output_holds_the_first_picture_its_words_and_the_live_view():
    explorer = panel()
    first = explorer.image.value
    explorer.sliders["k"].value = 5
    data, metadata = explorer._repr_mimebundle_()
    assert set(data) == {"image/png", "text/plain", "application/vnd.jupyter.widget-view+json"}
    assert metadata["image/png"]["alt"] == "a wave & its title"
    assert data["text/plain"] == "[picture] a wave & its title"
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == explorer.model_id
    png = pixels(base64.b64decode(data["image/png"])).astype(int)
    assert np.abs(png - pixels(first)).max() <= 16, "equal up to the palette"


def test_displaying_does_not_disturb_the_live_picture():
    explorer = panel()
    explorer.sliders["k"].value = 5
    shown = explorer.image.value
    explorer._repr_mimebundle_()
    assert explorer.image.value == shown and explorer.render() == shown


def test_ipywidgets_7_shows_the_same_bundle():
    assert panel()._ipython_display_ is None


def test_the_live_picture_has_words_for_a_screen_reader():
    spoken = " ".join(w.value for w in panel().children if isinstance(w, widgets.HTML))
    assert "a wave &amp; its title" in spoken


# ---- exercises and questions ----------------------------------------------------
CLAIMS = {"it is even": lambda n: n % 2 == 0, "it is above 2": lambda n: n > 2}


def untouched():
    raise NotImplementedError


@pytest.mark.parametrize("answer, said", [
    (..., "Your turn. Hint: try 4\n"),
    (4, "Correct: it is even; it is above 2.\n"),
    (3, "Not yet. This should hold: it is even.\n"),
    (2, "Not yet. This should hold: it is above 2.\n"),
])
def test_check_answers_in_one_line(answer, said, capsys):
    check(answer, CLAIMS, "try 4")
    assert capsys.readouterr().out == said


def test_check_never_raises(capsys):
    check("four", {"it is even": lambda n: n / 2 == 2}, "try 4")
    assert "Not yet. Your answer raised TypeError" in capsys.readouterr().out
    check(untouched, {"it gives 4": lambda f: f() == 4}, "return 4")
    assert capsys.readouterr().out == "Your turn. Hint: return 4\n"


@pytest.fixture
def shown(monkeypatch):
    bundles = []
    monkeypatch.setattr("utils.display", lambda data, **kwargs: bundles.append(data))
    return bundles


def test_a_question_unfolds_its_replies(shown):
    predict("Is `a < b`?", {"yes & no": "Since <i> is text.", "no": "Since `b` is smaller."}, "no")
    page = shown[0]["text/html"]
    assert "<code>a &lt; b</code>" in page and "yes &amp; no" in page and "&lt;i&gt;" in page
    assert page.count("<details") == 2 and "open" not in page
    replies = page.split("<details")[1:]
    assert "Not this one." in replies[0] and "Yes." in replies[1] and "<code>b</code>" in replies[1]


def test_the_plain_text_of_a_question_does_not_give_the_answer_away(shown):
    for answer in ("left", "right"):
        predict("Which way?", {"left": "reply one", "right": "reply two"}, answer)
    assert shown[0]["text/plain"] == shown[1]["text/plain"] == "Predict: Which way?\n( ) left\n( ) right"


def test_the_right_answer_must_be_an_option(shown):
    with pytest.raises(ValueError, match="answer must be one of .*'left'.*; got 'up'"):
        predict("Which way?", {"left": "", "right": ""}, "up")
    assert not shown
