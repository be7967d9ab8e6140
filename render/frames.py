"""Draw a chapter's stills and slider frames, in its kernel."""

import io
import warnings
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
from IPython import get_ipython
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from PIL import Image

from course.explorer import PANELS, Live, are_names, label_of
from course.pictures import LOOK, as_image, listeners
from render.narrow import WITH_SLIDERS, narrow


def points(values):
    """All combinations of the values, the last slider fastest."""
    return [dict(zip(values, point)) for point in product(*values.values())]


def exported_values(explorer, fewer):
    """The values of every slider that a deck shows, by name.

    `fewer` gives for some sliders some of their values, the start among them; what it
    gives in another way is a ValueError.
    """
    values = dict(explorer.allowed)
    for name, some in fewer.items():
        if name not in values:
            raise ValueError(f"export names {name}, which no slider is called")
        if explorer.start[name] not in some or not set(some) <= set(values[name]):
            raise ValueError(
                f"export must give {name} some values of its slider, "
                f"{explorer.start[name]!r} among them; got {list(some)}"
            )
        values[name] = list(some)
    return values


def for_telephone(stage, start):
    """A stage for `explore`, in the shape for a telephone at the start values."""

    def narrow_stage(fig):
        update = stage(fig)
        update(**start)
        narrow(fig, highest=WITH_SLIDERS)
        for text in fig.findobj(Text):
            text.set_wrap(False)  # where a line ends is not kept from step to step
        return update

    return narrow_stage


def as_webp(canvas, steps=256):
    """What stands on a canvas as WebP, in so many steps from dark to light."""
    step = 255 / (steps - 1)
    nearest = np.rint(np.rint(np.arange(256) / step) * step).astype("uint8")
    picture = Image.fromarray(nearest[np.asarray(as_image(canvas))])
    file = io.BytesIO()
    picture.save(file, "webp", lossless=True, quality=50, method=1)
    return file.getvalue()


def frame(live, values):
    """The picture at these values in fewer steps: three fifths of the bytes.

    A map has more of them, as its colours are compared. A palette would save as much
    in twice the time.
    """
    live.paint(values)
    has_map = bool(maps_of(live.canvas.figure))
    return as_webp(live.canvas, steps=64 if has_map else 32)


def maps_of(figure):
    """The images and coloured cells in a figure: their colours are values."""
    parts = [part for ax in figure.axes for part in (*ax.images, *ax.collections)]
    return [part for part in parts if part.get_array() is not None]


def this_cell():
    """The number of the cell that runs; afterwards, that of the last one."""
    # Some versions raise execution_count before the cell runs, others after it.
    return len(get_ipython().user_ns["In"]) - 1


def prepare(dpi, dpi_still, folder):
    """From now on, draw with so many pixels an inch, pictures without sliders, too.

    What `show` and `predict` show is also written to a folder's folders, wide as it is
    and narrow for a telephone: each file is named by the number of its cell, and its
    own in the cell.
    """
    LOOK["figure.dpi"] = dpi
    shown = Counter()

    def keep(fig):
        fig.set_dpi(dpi_still)
        fig.canvas.draw()
        cell = this_cell()
        name = f"{cell}-{shown[cell]}.webp"
        shown[cell] += 1
        Path(folder, "wide", name).write_bytes(as_webp(fig.canvas))
        narrow(fig)
        canvas = FigureCanvasAgg(fig)
        with warnings.catch_warnings(action="ignore"):  # they would stand on the slide
            canvas.draw()
        Path(folder, "narrow", name).write_bytes(as_webp(canvas))

    listeners.append(keep)


def states(fewer):
    """The sliders, the number of frames and the first frame of explorers, by their ids.

    `fewer` gives for each id the values that decks show, for some sliders.
    """
    report = {}
    for model, some in fewer.items():
        explorer = PANELS[model]
        values = exported_values(explorer, some)
        sliders = [
            {
                "name": name,
                "labels": [label_of(value) for value in choices],
                "names": are_names(choices),
                "start": choices.index(explorer.start[name]),
            }
            for name, choices in values.items()
        ]
        frames = points(values)
        report[model] = {
            "sliders": sliders,
            "frames": len(frames),
            "start": frames.index(explorer.start),
        }
    return report


def draw(model, fewer, folder):
    """Write an explorer's frames to 0.webp, 1.webp, … in a folder.

    Those for telephones go into its folder narrow. Returns the sentence of each frame.
    """
    explorer = PANELS[model]
    values = exported_values(explorer, fewer)
    slim = Live(for_telephone(explorer.live.draw, explorer.start))
    slim.paint(explorer.start)  # the layout of the start is that of all frames
    Path(folder, "narrow").mkdir()
    sentences = []
    for index, point in enumerate(points(values)):
        Path(folder, f"{index}.webp").write_bytes(frame(explorer.live, point))
        Path(folder, "narrow", f"{index}.webp").write_bytes(frame(slim, point))
        sentences.append(explorer.live.sentence.replace(" %", "\N{NO-BREAK SPACE}%"))
    return {"sentences": sentences}


def positions(name, folder):
    """Write a picture at every position of the explorer that `name` draws; how many."""
    [explorer] = [
        explorer
        for explorer in PANELS.values()
        if getattr(explorer.live.draw, "__name__", None) == name
    ]
    places = explorer.allowed["pos"]
    for index, pos in enumerate(places):
        values = {**explorer.start, "pos": pos}
        Path(folder, f"{index}.webp").write_bytes(frame(explorer.live, values))
    return len(places)
