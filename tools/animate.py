"""Draw the moving picture of the README from an explorer of chapter 2.

    python -m tools.animate [FOLDER]

It writes four_views.gif, and its first frame as four_views_still.png for those who ask
for less motion.
"""

import sys
import tempfile
from pathlib import Path

from PIL import Image

from tools.execute import execute

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CHAPTER = ROOT / "notebooks" / "02_sine_cosine_waves.ipynb"
EXPLORER = "draw_linked"
SECONDS = 0.25  # a frame


def animate(folder=ROOT / "figures"):
    """Write both pictures into a folder."""
    with tempfile.TemporaryDirectory() as place:

        def after(nb, kernel):
            kernel.run(f"__import__('sys').path.append({str(HERE)!r})")
            count = kernel.call("frames", "positions", EXPLORER, place)
            frames = [Image.open(Path(place, f"{i}.webp")) for i in range(count)]
            save(frames, Path(folder))

        execute(CHAPTER, after=after)


def save(frames, folder):
    """One palette for all frames: what stands still then takes no room."""
    palette = (
        frames[0]
        .convert("RGB")
        .quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    )
    pictures = [
        frame.convert("RGB").quantize(palette=palette, dither=Image.Dither.NONE)
        for frame in frames
    ]
    pictures[0].save(
        folder / "four_views.gif",
        save_all=True,
        append_images=pictures[1:],
        duration=int(1000 * SECONDS),
        loop=0,
        optimize=True,
    )
    pictures[0].save(folder / "four_views_still.png", optimize=True)


if __name__ == "__main__":
    animate(*map(Path, sys.argv[1:]))
