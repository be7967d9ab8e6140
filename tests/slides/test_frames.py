"""Who moves a slider without a kernel relies on this: a frame is what it claims."""

import base64
import io

import drawing
import frames
import numpy as np
import pytest
from chapters import EACH_CHAPTER
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from explorer import explore


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


def pixels(file):
    return np.asarray(Image.open(file).convert("RGB"), dtype=int)


def test_a_frame_is_what_matplotlib_draws_at_these_values(tmp_path):
    values = {"turn": [0, 1, 2], "length": [1, 0.5]}
    explorer = explore(hand, alt="A hand", **values)
    sentences = frames.draw(explorer.model_id, tmp_path)
    for number, point in enumerate(frames.points(values)):
        canvas = FigureCanvasAgg(Figure())
        canvas.figure.set_layout_engine(explorer.canvas.figure.get_layout_engine())
        assert hand(canvas.figure)(**point) == sentences[number]
        canvas.draw()
        drawn = np.asarray(canvas.buffer_rgba(), dtype=int)[..., :3]
        found = pixels(tmp_path / f"{number}.webp")
        assert np.abs(found - drawn).max() <= 1, point
    assert len(sentences) == len(list(tmp_path.glob("*.webp"))) == 6


@pytest.mark.kernel
@pytest.mark.parametrize("notebook", EACH_CHAPTER)
def test_the_frame_of_the_start_is_the_first_picture(notebook):
    """It was drawn on the way through all values: what they left behind is seen."""
    folder = drawing.drawn(notebook)
    nb = drawing.chapter(notebook, folder)
    outputs = [output for cell in nb.cells for output in cell.get("outputs", [])]
    explorers = [output for output in outputs if drawing.explorer_of(output)]
    assert explorers
    for output in explorers:
        explorer = drawing.explorer_of(output)
        picture = drawing.IMAGE.match(output.data["text/html"])[2]
        first = pixels(io.BytesIO(base64.b64decode(picture)))
        frame = folder / explorer["folder"] / f"{explorer['start']}.webp"
        difference = np.abs(pixels(frame) - first)
        print(explorer["folder"], difference.max(), difference.mean())
        assert difference.mean() < 0.5
        assert explorer["sentences"][explorer["start"]]
