"""`show` and `explore`: sliders, errors, what is saved, what is read out."""

import base64
import re
from types import SimpleNamespace

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

import course.explorer
from course import explore, show
from course.explorer import PANELS
from tests.support.pictures import pixels


def wave(fig):
    """A wave & its title.

    More of it.
    """
    fig.set_size_inches(3, 2)
    ax = fig.add_subplot()
    x = np.linspace(0, 10, 60)
    (line,) = ax.plot(x, 0 * x)
    ax.set(ylim=(-3, 3), xlabel="x", xticks=[0, 10], yticks=[-3, 3])

    def update(k=2, size=1.0):
        if size < 0:
            raise RuntimeError("size <b>below</b>\nzero")
        line.set_ydata(size * np.sin(k * x))
        ax.set_title(f"k = {k}")
        return f"It swings <{k}> times by {size}."

    return update


def blank(fig):
    """Nothing."""
    fig.set_size_inches(1, 1)
    fig.text(0, 0, "")
    return lambda v, near=0.1 + 0.2: None


def panel():
    return explore(wave, k=[1, 2, 5], size=(-1.0, 2.0, 0.5))


# ---- sliders -------------------------------------------------------------------------
@pytest.mark.parametrize(
    "control, values",
    [
        ([1, 2, 5], [1, 2, 5]),
        ((1, 9, 2), [1, 3, 5, 7, 9]),
        ((0, 5, 2), [0, 2, 4]),
        ((0.0, 0.3, 0.1), [0.0, 0.1, 0.2, 0.3]),  # 0.3, not 3 * 0.1
        ((-0.9, 0.3, 0.3), [-0.9, -0.6, -0.3, 0.0, 0.3]),
        ((0, 1, 1 / 3), [0.0, 1 / 3, 2 / 3, 1.0]),
        ((0, np.pi, np.pi / 2), [0.0, np.pi / 2, np.pi]),
        (np.arange(1, 4), [1, 2, 3]),
        (["sine", "cosine"], ["sine", "cosine"]),
    ],
)
def test_a_slider_reaches_the_values_of_its_control(control, values):
    slider = explore(blank, v=control).sliders["v"]
    reached = [value for _, value in slider.options]
    assert reached == pytest.approx(values, abs=1e-11)
    assert {type(value) for value in reached} == {type(values[0])}


def test_names_stand_on_buttons():
    explorer = explore(blank, v=["sine", "cosine"], near=[0.1, 0.3])
    buttons, slider = explorer.sliders.values()
    assert isinstance(buttons, widgets.ToggleButtons) and buttons.description == "v"
    assert isinstance(slider, widgets.SelectionSlider)


def test_sliders_start_where_update_has_its_defaults():
    assert panel().values == {"k": 2, "size": 1.0}
    assert explore(blank, v=[7, 8], near=[0.2, 0.3]).values == {"v": 7, "near": 0.3}


def test_moving_a_slider_changes_picture_and_sentence_and_reset_brings_them_back():
    explorer = panel()
    first = explorer.image.value
    assert "It swings &lt;2&gt; times by 1.0." in explorer.words.value
    explorer.sliders["k"].value = 5
    explorer.sliders["size"].value = 2.0
    assert not np.array_equal(pixels(explorer.image.value), pixels(first))
    assert "It swings &lt;5&gt; times by 2.0." in explorer.words.value
    explorer.children[0].children[-1].click()  # Reset
    assert explorer.values == explorer.start and explorer.image.value == first


def test_an_error_is_one_line_below_the_last_good_picture_until_a_good_value():
    explorer = panel()
    good = explorer.image.value
    explorer.sliders["size"].value = -1.0
    said = explorer.error.value
    assert "RuntimeError: size &lt;b&gt;below&lt;/b&gt; zero" in said
    line = explorer.live.update.__code__.co_firstlineno + 2
    assert f"(line {line} of its cell)" in said
    assert said.endswith("raise explore.raised")
    with pytest.raises(RuntimeError, match="below"):
        raise explore.raised
    assert explorer.image.value == good and "by 1.0." in explorer.words.value
    explorer.sliders["size"].value = 1.0
    assert explorer.error.value == "" and explorer.image.value == good


def test_an_error_at_the_start_leaves_no_panel_behind():
    def broken(fig):
        """Nothing."""
        fig.text(0, 0, "")
        return lambda k=1: 1 / 0

    before = {*PANELS}
    with pytest.raises(ZeroDivisionError):
        explore(broken, k=[1, 2])
    assert {*PANELS} == before


def test_a_cell_that_runs_again_closes_the_panel_of_its_last_run(monkeypatch):
    def run(cell, number):
        parent = {"header": {"msg_id": number}, "metadata": {"cellId": cell}}
        shell = SimpleNamespace(get_parent=lambda: parent)
        monkeypatch.setattr(course.explorer, "get_ipython", lambda: shell)
        return panel()

    first, twin = run("clocks", 1), run("clocks", 1)
    other, unnamed = run("waves", 2), run(None, 3)
    again = run("clocks", 4)
    run(None, 5)
    open_now = [*PANELS.values()]
    assert first not in open_now and twin not in open_now
    assert other in open_now and again in open_now and unnamed in open_now


def test_a_closed_panel_gives_its_parts_and_its_picture_back():
    explorer = panel()
    parts = [explorer, *explorer.children, *explorer.sliders.values()]
    explorer.close()
    assert explorer.live is None and explorer not in PANELS.values()
    assert [part for part in parts if part.comm] == []


# ---- those who hear a picture --------------------------------------------------------
def test_those_who_hear_it_are_told_what_the_picture_shows():
    explorer = panel()
    heard = explorer.children[-1]
    if isinstance(heard, widgets.HTML):  # ipywidgets 7
        assert "A wave &amp; its title." in heard.value
        assert 'role="status"' in explorer.words.value
    else:
        assert '"A wave & its title."' in str(heard.outputs)
        assert explorer.sliders["k"].tooltip == "k"


# ---- what a saved notebook keeps -----------------------------------------------------
def saved_pixels(page):
    source = re.search('src="data:image/png;base64,([^"]+)"', page)[1]
    return pixels(base64.b64decode(source))


def test_the_saved_output_holds_the_first_picture_its_words_and_the_live_view():
    explorer = panel()
    first = explorer.image.value
    explorer.sliders["k"].value = 5
    data, metadata = explorer._repr_mimebundle_()
    assert metadata == {"explorer": {"alt": "A wave & its title."}}
    view = "application/vnd.jupyter.widget-view+json"
    assert set(data) == {"text/html", "image/png", "text/plain", view}
    assert data[view]["model_id"] == explorer.model_id
    sentence = "It swings <2> times by 1.0."
    assert data["text/plain"] == f"[picture] A wave & its title.\n{sentence}"
    page = data["text/html"]
    assert page.startswith('<img alt="A wave &amp; its title." src="data:image/png')
    assert page.endswith("<p>It swings &lt;2&gt; times by 1.0.</p>")
    assert np.abs(saved_pixels(page) - pixels(first)).max() <= 16


def test_a_saved_picture_keeps_the_colours_of_the_course():
    fig, ax = plt.subplots()
    colours = [course.draw.SIN, course.draw.COS, course.draw.POSITION, "white"]
    ax.pie([1, 1, 1, 1], colors=colours)
    ramp = fig.add_axes((0, 0, 1, 0.2))
    ramp.imshow([np.linspace(-1, 1, 200)], cmap=course.draw.SIGNED, aspect="auto")
    fig.canvas.draw()
    drawn = np.asarray(fig.canvas.buffer_rgba())[..., :3].astype(int)
    page = course.pictures.picture(fig, "A pie.")[0]["text/html"]
    off = np.abs(saved_pixels(page) - drawn)
    assert off.max() <= 48 and off.mean() < 0.5, "of 255"
    for colour in colours:
        where = (drawn == np.rint(255 * np.array(to_rgb(colour)))).all(axis=2)
        assert where.sum() > 1000 and off[where].max() <= 3, colour


def test_a_picture_without_sliders_carries_its_alt_text_and_is_closed(monkeypatch):
    outputs, heard = [], []
    monkeypatch.setattr(
        course.pictures, "display", lambda *data, **how: outputs.append((*data, how))
    )
    monkeypatch.setattr(course.pictures, "listeners", [heard.append])
    fig, ax = plt.subplots()
    ax.plot([0, 1])
    show(fig, alt='A line,\n"rising"')
    assert not plt.fignum_exists(fig.number) and heard == [fig]
    [(data, how)] = outputs
    assert how["metadata"] == {"picture": {"alt": 'A line, "rising"'}} and how["raw"]
    assert data["text/html"].startswith('<img alt="A line, &quot;rising&quot;" src=')
    assert data["text/plain"] == '[picture] A line, "rising"'
