"""Who moves a slider without a kernel relies on this: a frame is what it claims."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

import explorer as course
from explorer import Live, explore
from png import as_image
from render import frames
from render.narrow import DPI, SMALLEST, WIDTH, narrow
from render.prerender import RIM, white_at_left
from tests.support.pictures import pixels


def hand(fig):
    """A hand over the words that tell where it points."""
    ax = fig.subplots()
    (line,) = ax.plot([0, 1], [0, 0])
    words = ax.text(0, 1.1, "")
    ax.set(xlim=(-1, 1), ylim=(-1.2, 1.2))

    def update(turn=1, length=1):
        line.set_data([0, length * np.cos(turn)], [0, length * np.sin(turn)])
        words.set_text(f"turned by {turn}")
        return f"The hand of {length} is turned by {turn}."

    return update


LOST = {"drawing": 4, "image": 2}  # of 255: what fewer steps change of a colour


def test_a_frame_and_its_sentence_are_those_of_their_values(tmp_path):
    values = {"turn": [0, 1, 2], "length": [1, 0.5]}
    explorer = explore(hand, **values)
    drawn = frames.draw(explorer.model_id, {"turn": [1, 2]}, tmp_path)
    sentences = drawn["sentences"]
    narrow = list((tmp_path / "narrow").glob("*.webp"))
    assert len(sentences) == len(list(tmp_path.glob("*.webp"))) == len(narrow) == 4
    fresh = explore(hand, **values)
    points = [(turn, length) for turn in (1, 2) for length in (1, 0.5)]
    for number, (turn, length) in reversed(list(enumerate(points))):
        drawn = fresh.live.render({"turn": turn, "length": length})
        frame = pixels((tmp_path / f"{number}.webp").read_bytes())
        assert np.abs(frame - pixels(drawn)).max() <= LOST["drawing"]
        assert sentences[number] == f"The hand of {length} is turned by {turn}."


@pytest.mark.parametrize("kind", LOST)
def test_colours_are_true_in_stills_and_nearly_so_in_frames(kind):
    def shades(fig):
        """All colours of a map"""
        ax, values = fig.subplots(), np.arange(256)
        if kind == "image":
            ax.imshow(values[None], aspect="auto")
        else:
            ax.scatter(values, values, c=values)
        return lambda size=1: fig.set_alpha(size)

    live = Live(shades)
    few = frames.frame(live, {"size": 1})
    drawn = np.asarray(as_image(live.canvas), dtype=int)
    assert (pixels(frames.as_webp(live.canvas)) == drawn).all()
    assert 0 < np.abs(pixels(few) - drawn).max() <= LOST[kind]


def test_a_still_picture_is_as_sharp_as_it_should_be(tmp_path, monkeypatch):
    heard = []
    for module in (course, frames):
        monkeypatch.setattr(module, "listeners", heard)
    monkeypatch.setattr(frames, "this_cell", lambda: 1)
    for shape in ("wide", "narrow"):
        (tmp_path / shape).mkdir()
    with plt.rc_context():
        frames.prepare(100, 225, str(tmp_path))
        fig, ax = plt.subplots(figsize=(4, 2))
        ax.plot([0, 1])
        course.show(fig, alt="A line.")
    assert pixels((tmp_path / "wide" / "1-0.webp").read_bytes()).shape == (450, 900, 3)


def test_white_is_what_all_states_of_a_picture_have_at_their_left(tmp_path):
    files = [tmp_path / "0.webp", tmp_path / "1.webp"]
    for file, left in zip(files, (90, 60)):
        picture = Image.new("RGB", (300, 150), "white")
        picture.paste("black", (left, 20, 200, 30))
        picture.save(file, lossless=True)
    assert white_at_left(files, dpi=150) == 40 - RIM
    assert white_at_left(files, dpi=3000) == 0, "most pictures have a rim"


def test_maps_are_where_colours_are_values():
    fig = Figure(figsize=(8, 4), layout="none")
    left, right = fig.subplots(1, 2, gridspec_kw={"wspace": 0})
    left.imshow(np.eye(4), aspect="auto", extent=(0, 1, 0, 1))
    left.set(xlim=(0, 2), ylim=(0.5, 1))  # it fills a half, and is cut below
    right.set_title("larger", size=20)
    fig.subplots_adjust(left=0.25, right=0.75, bottom=0.25, top=1)
    FigureCanvasAgg(fig).draw()
    panels = [[0.25, 0, 0.25, 0.75], [0.5, 0, 0.25, 0.75]]
    maps, size = [[0.25, 0, 0.125, 0.75]], plt.rcParams["font.size"]
    assert frames.layout_of(fig) == {"panels": panels, "maps": maps, "letters": size}
    fig.colorbar(left.images[0], ax=right)
    FigureCanvasAgg(fig).draw()
    assert len(frames.layout_of(fig)["maps"]) == 2


# ---- on a telephone -----------------------------------------------------------------
def test_panels_stand_below_each_other_in_letters_that_a_telephone_shows():
    fig = Figure(figsize=(9, 4), layout="constrained")
    for number, ax in enumerate(fig.subplots(1, 3)):
        ax.plot([0, number], label=f"a longer name {number}")
        ax.set(title=f"panel {number}, with a title that is longer than a panel")
    ax.bar([0], [1], label="bars")
    legend = fig.legend(loc="outside lower center", ncols=4)
    narrow(fig)
    FigureCanvasAgg(fig).draw()
    assert fig.bbox.width == WIDTH * DPI
    tops = [ax.get_window_extent().y1 for ax in fig.axes]
    assert tops == sorted(tops, reverse=True) and len(set(tops)) == 3
    texts = [text for text in fig.findobj(Text) if text.get_text()]
    assert min(text.get_fontsize() for text in texts) >= SMALLEST
    for part in [legend, *(ax.title for ax in fig.axes)]:
        assert part.get_window_extent().width <= fig.bbox.width


def test_three_panels_to_compare_stay_side_by_side():
    fig = Figure(figsize=(9, 3), layout="constrained")
    for ax in fig.subplots(1, 3, sharey=True):
        ax.plot([0, 1])
    narrow(fig)
    FigureCanvasAgg(fig).draw()
    assert fig.bbox.width == WIDTH * DPI
    assert len({ax.get_window_extent().y1 for ax in fig.axes}) == 1
