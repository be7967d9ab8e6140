"""Who moves a slider without a kernel relies on this: a frame is what it claims."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from course.explorer import Live, explore
from course.pictures import as_image
from render import frames
from render.narrow import DPI, SMALLEST, WIDTH, narrow
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
        assert np.abs(frame - pixels(drawn)).max() <= 4  # of 255
        assert sentences[number] == f"The hand of {length} is turned by {turn}."


def test_the_colours_of_a_map_are_true_in_stills_and_nearly_so_in_frames():
    def shades(fig):
        """All colours of a map"""
        fig.subplots().imshow(np.arange(256)[None], aspect="auto")
        return lambda size=1: fig.set_alpha(size)

    live = Live(shades)
    few = frames.frame(live, {"size": 1})
    drawn = np.asarray(as_image(live.canvas), dtype=int)
    assert (pixels(frames.as_webp(live.canvas)) == drawn).all()
    assert 0 < np.abs(pixels(few) - drawn).max() <= 2


# ---- on a telephone -----------------------------------------------------------------
def test_panels_stand_below_each_other_in_letters_that_a_telephone_shows():
    fig = Figure(figsize=(9, 4), layout="constrained")
    for number, ax in enumerate(fig.subplots(1, 3)):
        ax.plot([0, number])
        ax.set(title=f"panel {number}, with a title that is longer than a panel")
    narrow(fig)
    FigureCanvasAgg(fig).draw()
    assert fig.bbox.width == WIDTH * DPI
    tops = [ax.get_window_extent().y1 for ax in fig.axes]
    assert tops == sorted(tops, reverse=True) and len(set(tops)) == 3
    texts = [text for text in fig.findobj(Text) if text.get_text()]
    assert min(text.get_fontsize() for text in texts) >= SMALLEST
    assert max(ax.title.get_window_extent().width for ax in fig.axes) <= fig.bbox.width
