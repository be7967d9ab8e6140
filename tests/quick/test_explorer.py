"""`show` and `explore`: sliders, errors, what is saved, what is read out."""

import base64
import gc
import re
import weakref
from types import SimpleNamespace

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter

from draw import SIGNED
from explorer import explore, show
from live import Live
from panels import open_panels
from png import as_png, as_quick_png
from tests.support.pictures import pixels


def wave(fig):
    """A wave & its title."""
    fig.set_size_inches(3, 2)
    ax = fig.add_subplot()
    x = np.linspace(0, 10, 60)
    (line,) = ax.plot(x, 0 * x, label="wave")
    ax.set(ylim=(-3, 3), xlabel="x", xticks=[0, 10], yticks=[-3, 3])

    def update(k=2, size=1.0):
        if size < 0:
            raise RuntimeError("size <b>below</b>\nzero" + 300 * "!")
        line.set_ydata(size * np.sin(k * x))
        ax.set_title(f"k = {k}")
        return f"It swings\n  <{k}> times by {size}."

    return update


def blank(fig):
    """Nothing."""
    fig.set_size_inches(1, 1)
    fig.text(0, 0, "")
    return lambda v, near=0.1 + 0.2, **more: None


def stage_of(update):
    def draw_words(fig):
        """Words."""
        fig.text(0, 0, "")
        return update

    return draw_words


def panel(k=[1, 2, 5], size=(-1.0, 2.0, 0.5)):  # noqa: B006
    return explore(wave, k=k, size=size)


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
        ((0, 5, 2), [0, 2, 4]),
        ((0.0, 0.3, 0.1), [0.0, 0.1, 0.2, 0.3]),  # 0.3, not 3 * 0.1
        ((-3.14, -3.14 + 5, 5), [-3.14, -3.14 + 5]),
        ((0.2, 0.3, 0.1), [0.2, 0.3]),  # 0.3 - 0.2 is a little less than 0.1
        ((-0.9, 0.3, 0.3), [-0.9, -0.6, -0.3, 0.0, 0.3]),  # and its label is 0
        ((0, 1, 0.3333334), [0.0, 0.3333334, 0.6666668]),
        ((0, np.pi, np.pi / 8), [i * np.pi / 8 for i in range(9)]),
        ((-1e-12, 1, 0.5), [-1e-12, 0.499999999999, 1.0]),
        (np.linspace(0, 1, 5), [0.0, 0.25, 0.5, 0.75, 1.0]),
        (np.arange(1, 4), [1, 2, 3]),
        ([np.int64(1), np.int64(2)], [1, 2]),
        ([np.float32(0.1), np.float32(0.2)], [0.1, 0.2]),
        ([1e-16, 1 / 3, 0.1 * 3], [1e-16, 1 / 3, 0.1 * 3]),  # as they are given
        (np.array(["a", "b"], dtype=object), ["a", "b"]),
        (np.linspace(0, 2 * np.pi, 9), [i * np.pi / 4 for i in range(9)]),
        ((0, 1, 1 / 3), [0.0, 1 / 3, 2 / 3, 1.0]),
        ((0, 0.9999999999, 0.1), [*np.arange(10) / 10, 0.9999999999]),
        ((-1, 1.5, 1 / 3), [-1.0, -2 / 3, -1 / 3, 0.0, 1 / 3, 2 / 3, 1.0, 4 / 3]),
    ],
)
def test_a_slider_reaches_the_values_of_its_control_and_no_others(control, values):
    slider = explore(blank, v=control).sliders["v"]
    assert reachable(slider) == values
    assert {type(value) for value in reachable(slider)} == {type(values[-1])}
    assert slider.description == "v"
    with pytest.raises(Exception, match="Invalid selection"):
        slider.value = 6


def test_steps_from_below_to_above_0_reach_0():
    for n in (2, 3, 7, 12):
        for high in (1, np.pi):
            values = explore(blank, v=(-high, high, high / n)).allowed["v"]
            assert len(values) == 2 * n + 1
            assert values[n] == 0 and values[-1] == high


def test_draw_may_have_an_argument_of_the_same_name():
    def draw_stage(fig, v=1):
        """A stage."""
        return blank(fig)

    assert explore(draw_stage, v=[1, 2]).values == {"v": 1}


def test_names_stand_on_buttons():
    explorer = explore(blank, v=["sine", "cosine"], w=[6, 7])
    buttons, slider = explorer.sliders.values()
    assert isinstance(buttons, widgets.ToggleButtons)
    assert reachable(buttons) == ["sine", "cosine"] and buttons.description == "v"
    assert isinstance(slider, widgets.SelectionSlider)
    assert explorer.allowed["v"] == ["sine", "cosine"]


def test_sliders_start_where_update_has_its_defaults():
    assert panel().values == {"k": 2, "size": 1.0}
    assert explore(blank, v=[7, 8], near=[0.2, 0.3]).values == {"v": 7, "near": 0.3}

    draw_base = stage_of(lambda base=1_000_000: None)
    assert explore(draw_base, base=np.logspace(2, 6, 5)).values == {"base": 1e6}

    draw_shift = stage_of(lambda shift=0: None)
    shifted = explore(draw_shift, shift=np.arange(-2, 2.05, 0.1))  # has 1.8e-15
    assert shifted.sliders["shift"].index == 20

    small = np.float32(1e-12)
    draw_small = stage_of(lambda eps=small, many=2**32 - 1: None)
    small = explore(draw_small, eps=[0, 1e-12, 1e-5], many=[2**32 - 2, 2**32 - 1])
    assert small.values == {"eps": 1e-12, "many": 2**32 - 1}
    with pytest.raises(ValueError, match="must be one of"):
        explore(draw_small, eps=[0, 1e-5])


def test_moving_a_slider_changes_picture_and_sentence_and_reset_brings_them_back():
    explorer = panel()
    first = explorer.image.value
    assert "It swings &lt;2&gt; times by 1.0." in explorer.words.value
    explorer.sliders["k"].value = 5
    explorer.sliders["size"].value = 2.0
    assert not np.array_equal(pixels(explorer.image.value), pixels(first))
    assert "It swings &lt;5&gt; times by 2.0." in explorer.words.value
    row = explorer.children[0].children
    (reset,) = (widget for widget in row if isinstance(widget, widgets.Button))
    painted = []
    explorer.image.observe(painted.append, names="value")
    reset.click()
    assert len(painted) == 1
    assert explorer.values == {"k": 2, "size": 1.0} and explorer.image.value == first
    assert repr(explorer) == "<Explorer: k=2, size=1.0>"


def test_an_error_is_one_line_below_the_last_good_picture_until_a_good_value():
    explorer = panel()
    good = explorer.image.value
    explorer.sliders["size"].value = -1.0
    assert "RuntimeError: size &lt;b&gt;below&lt;/b&gt; zero!" in explorer.error.value
    assert "!! …" in explorer.error.value
    line = explorer.live.update.__code__.co_firstlineno + 2
    assert f"(line {line} of the cell or file of update)</span>" in explorer.error.value
    assert explorer.error.value.endswith("is the last good one.")  # it has no name
    assert isinstance(explorer.raised, RuntimeError)
    assert explorer.image.value == good and "by 1.0." in explorer.words.value
    order = explorer.children.index
    assert order(explorer.image) < order(explorer.words) < order(explorer.error)
    explorer.sliders["size"].value = 1.0
    assert explorer.error.value == "" and explorer.image.value == good
    assert explorer.raised is None


def test_an_error_names_what_a_reader_can_raise(monkeypatch):
    explorer = panel()
    for names, name in (
        ({"Out": {6: 0, 7: explorer}, "mine": explorer}, "Out[7]"),
        ({"Out": {7: 0}, "mine": explorer}, "mine"),
        ({"Out": [7], "_": explorer, "mine": explorer}, "mine"),
    ):
        shell = SimpleNamespace(user_ns=names)
        monkeypatch.setattr("panels.get_ipython", lambda shell=shell: shell)
        explorer.sliders["size"].value = 1.0
        explorer.sliders["size"].value = -1.0
        assert explorer.error.value.endswith(f"raise {name}.raised")


def test_an_error_that_cannot_be_told_is_named(monkeypatch):
    class Mute(Exception):
        def __str__(self):
            raise KeyError

    def stop(k=1):
        if k > 1:
            raise Mute

    explorer = explore(stage_of(stop), k=[1, 2])
    explorer.sliders["k"].value = 2
    assert ">Mute (line " in explorer.error.value


def test_what_cannot_be_drawn_leaves_the_sentence_of_the_picture():
    def draw_words(fig):
        """Words."""
        text = fig.text(0, 0, "")

        def update(k=1):
            text.set_text(r"$\mistake$" if k > 1 else "x")
            return f"It is {k}."

        return update

    live = Live(draw_words)
    live.paint({"k": 1})
    with pytest.raises(ValueError):
        live.paint({"k": 2})
    assert live.sentence == "It is 1."


def test_an_update_that_uses_pyplot_is_an_error_and_leaves_no_figure():
    draw_late = stage_of(lambda k=1: plt.figure() and None if k > 1 else None)
    before = plt.get_fignums()
    explorer = explore(draw_late, k=[1, 2])
    explorer.sliders["k"].value = 2
    assert "update must draw on fig" in explorer.error.value
    assert plt.get_fignums() == before


def test_what_cannot_be_drawn_at_the_start_stops_the_notebook():
    def broken(fig):
        """Nothing."""
        raise NameError

    def broken_later(fig):
        """Nothing."""
        fig.text(0, 0, "")
        return lambda k=1: broken(fig)

    for stage in (broken, broken_later):
        before = open_panels()
        with pytest.raises(NameError):
            explore(stage, k=[1, 2])
        assert open_panels() == before


def test_pyplot_keeps_no_figure_and_nobody_what_is_closed():
    before = plt.get_fignums()
    explorer = panel()
    explorer.sliders["k"].value = 5
    assert plt.get_fignums() == before
    assert explorer in open_panels().values()
    explorer.sliders["size"].value = -1.0  # an error, which keeps what it met
    kept = weakref.ref(explorer.live.canvas.figure)
    explorer.close()
    gc.collect()
    assert kept() is None, "though IPython keeps the panel among its outputs"
    explorer.sliders["k"].value = 1  # which no one sees
    assert explorer.raised is None
    kept = weakref.ref(explorer)
    del explorer
    gc.collect()
    assert kept() is None


def test_a_closed_panel_leaves_no_part_behind():
    parts = [panel()]
    for part in parts:  # which grow as they are read
        values = (*part.trait_values().values(), *getattr(part, "children", ()))
        new = (value for value in values if isinstance(value, widgets.Widget))
        parts += [widget for widget in new if widget not in parts]
    assert len(parts) > 20
    parts[0].close()
    shown, _ = DisplayFormatter().format(parts[0])
    assert shown == {"text/plain": "<Explorer: closed>"}
    assert [part for part in parts if part.comm] == []


def test_a_cell_that_runs_again_closes_the_panel_of_its_last_run(monkeypatch):
    class Page:  # JupyterLab names the cell
        user_ns = {"Out": {}}

        def get_parent(self):
            cell, run = self.now
            return {"header": {"msg_id": run}, "metadata": {"cellId": cell}}

    page = Page()
    monkeypatch.setattr("panels.get_ipython", lambda: page)

    def run(*now):
        page.now = now
        return panel()

    first, twin = run("clocks", 1), run("clocks", 1)
    assert {first, twin} <= {*open_panels().values()}
    other = run("waves", 2)
    again = run("clocks", 3)
    alive = open_panels().values()
    assert first not in alive and twin not in alive
    assert other in alive and again in alive
    unnamed = [run(None, 4), run(None, 5)]  # elsewhere
    assert {*unnamed} <= {*open_panels().values()}


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
    shown = explorer.image.value
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
    palette = 16  # as the saved picture has 48 colours
    assert np.abs(saved_pixels(page) - pixels(first)).max() <= palette
    assert explorer.image.value == shown, "the live picture stays"


def test_a_picture_that_is_refused_stays_open():
    fig = plt.figure()
    for alt in (" ", "Nothing is on it.", "A formula with a mistake."):
        if "formula" in alt:
            fig.suptitle(r"$\mistake$")
        with pytest.raises(ValueError):
            show(fig, alt)
        assert plt.fignum_exists(fig.number) and fig.canvas.manager
    plt.close(fig)


def test_a_saved_picture_keeps_few_colours_as_they_are():
    fig = plt.figure(figsize=(2, 1))
    greys = np.linspace(0.02, 0.98, 48)
    fig.figimage(np.repeat(greys[:, None], 80, axis=1)[:, :80], cmap="gray")
    fig.canvas.draw()
    drawn, saved = pixels(as_quick_png(fig.canvas)), pixels(as_png(fig.canvas))
    plt.close(fig)
    assert len(np.unique(drawn.reshape(-1, 3), axis=0)) == 48
    assert np.array_equal(saved, drawn)


def test_a_saved_picture_keeps_the_colours_of_a_map_from_end_to_end():
    fig, ax = plt.subplots()
    corner = np.add.outer(np.linspace(0.2, 1, 80), np.linspace(0, 1, 80))
    fig.colorbar(ax.imshow(corner, cmap=SIGNED, vmin=-2, vmax=2))
    fig.canvas.draw()
    drawn = np.asarray(fig.canvas.buffer_rgba())[..., :3].astype(int)
    saved = pixels(as_png(fig.canvas))
    plt.close(fig)
    assert np.abs(saved - drawn).max() <= 20  # of 255


def test_what_is_transparent_lies_over_white():
    def stage(fig):
        """A black word on a pale ground."""
        fig.patch.set(facecolor="blue", alpha=0.2)
        fig.text(0.5, 0.5, "words")
        return lambda v=1: None

    shown = pixels(explore(stage, v=[1]).image.value)
    assert np.abs(shown[0, 0] - (204, 204, 255)).max() <= 1
    assert shown.sum(axis=2).min() < 200  # in the word; 663 beside it


def test_a_picture_without_sliders_carries_its_alt_text_and_is_closed(monkeypatch):
    outputs, heard = [], []
    monkeypatch.setattr(
        "pictures.display", lambda *data, **how: outputs.append((*data, how))
    )

    def listen(fig):
        heard.append((fig, fig.canvas.buffer_rgba().shape))

    monkeypatch.setattr("pictures.listeners", [listen])
    before = plt.get_fignums()
    fig, ax = plt.subplots()
    ax.plot([0, 1])
    show(fig, alt='A line,\n"rising"')
    assert plt.get_fignums() == before
    [(data, how)] = outputs
    page = data["text/html"]
    assert page.startswith('<img alt="A line, &quot;rising&quot;" src="data:image/png')
    assert data["text/plain"] == '[picture] A line, "rising"'
    assert how["metadata"] == {"picture": {"alt": 'A line, "rising"'}}
    assert heard == [(fig, (400, 900, 4))], "whoever exports it is told"
    assert saved_pixels(page).shape == (400, 900, 3)
