"""Draw the moving picture of the README, from an explorer of chapter 2.

    python -m render.animate

It writes four_views.webp, and its first frame as four_views_still.png for those who ask
for less motion.
"""

import tempfile
from pathlib import Path

import nbformat
from PIL import Image

from tools.chapters import NOTEBOOKS, ROOT
from tools.execute import running

FIGURES = ROOT / "figures"
CHAPTER = NOTEBOOKS / "02_sine_cosine_waves.ipynb"
EXPLORER = "draw_linked"
SECONDS = 0.25  # a frame


def animate():
    """Write both pictures into figures/."""
    notebook = nbformat.read(CHAPTER, as_version=4)
    with (
        tempfile.TemporaryDirectory() as folder,
        running(notebook, NOTEBOOKS) as (_, kernel),
    ):
        count = kernel.call("render.frames", "positions", EXPLORER, folder)
        save([Image.open(Path(folder, f"{i}.webp")) for i in range(count)])


def save(frames):
    """One palette for all frames: what stands still then takes no room."""
    palette = frames[0].convert("RGB").quantize(128)
    still, *others = [
        frame.convert("RGB").quantize(palette=palette, dither=Image.Dither.NONE)
        for frame in frames
    ]
    pace = {"append_images": others, "duration": int(1000 * SECONDS), "loop": 0}
    small = {"lossless": True, "quality": 100, "method": 6}
    place = FIGURES / "four_views.webp"
    still.save(place, save_all=True, **small, **pace)
    still.save(FIGURES / "four_views_still.png", optimize=True)


if __name__ == "__main__":
    animate()
