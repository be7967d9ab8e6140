"""Who moves a slider without a kernel relies on this: a frame is what it claims."""

import io

import numpy as np
import pytest
from PIL import Image

from explorer import explore
from tools import drawing, frames
from tools.chapters import CHAPTERS, picture_of


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


def test_a_frame_and_its_sentence_are_those_of_their_values(tmp_path):
    values = {"turn": [0, 1, 2], "length": [1, 0.5]}
    sentences = frames.draw(explore(hand, alt="A hand", **values).model_id, tmp_path)
    assert len(sentences) == len(list(tmp_path.glob("*.webp"))) == 6
    fresh = explore(hand, alt="A hand", **values)
    points = [(turn, length) for turn in (0, 1, 2) for length in (1, 0.5)]
    for number, (turn, length) in reversed(list(enumerate(points))):
        drawn = fresh.render({"turn": turn, "length": length})
        frame = pixels(tmp_path / f"{number}.webp")
        assert np.array_equal(frame, pixels(io.BytesIO(drawn)))
        assert sentences[number] == f"The hand of {length} is turned by {turn}."


@pytest.mark.parametrize("notebook", CHAPTERS, ids=lambda path: path.stem)
def test_the_frame_of_the_start_is_the_first_picture(notebook):
    """It was drawn on the way through all values: what they left behind is seen."""
    folder = drawing.draw_chapter(notebook)
    nb = drawing.read_drawn(notebook, folder)
    outputs = [output for cell in nb.cells for output in cell.get("outputs", [])]
    explorers = [output for output in outputs if drawing.explorer_of(output)]
    assert explorers
    for output in explorers:
        explorer = drawing.explorer_of(output)
        _, picture = picture_of(output)
        first = pixels(io.BytesIO(picture))  # in at most 256 colours
        frame = folder / explorer["folder"] / f"{explorer['start']}.webp"
        assert np.abs(pixels(frame) - first).max() < 32, explorer["folder"]
