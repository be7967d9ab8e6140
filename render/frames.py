"""Runs in a chapter's kernel: sharp pictures, and then all that sliders can show."""

import io
import warnings
from collections import Counter
from itertools import product
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from IPython import get_ipython
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image

from course.explorer import PANELS, Live, are_names, label_of
from course.pictures import as_image, listeners
from render.narrow import WITH_SLIDERS, narrow

NAMES = 24  # points: smaller letters are left out of a chapter's sign
LAYOUTS = {}  # of each still picture in both shapes, by the name of its file


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


def layout_of(figure):
    """Where the parts of a drawn figure lie: boxes of its "panels" and its "maps".

    Among the maps are boxes and bars in a picture with a colour bar: their colours are
    values, too. A box is [left, top, width, height], in shares of the picture, from its
    upper left corner.
    """
    parts = maps_of(figure)
    if any(ax.get_label() == "<colorbar>" for ax in figure.axes):
        parts += [patch for ax in figure.axes for patch in ax.patches]
    maps = [
        Bbox.intersection(part.get_window_extent(), part.axes.bbox) for part in parts
    ]
    return {
        "panels": [share_of(figure, ax.bbox) for ax in figure.axes],
        "maps": [share_of(figure, box) for box in filter(None, maps)],
    }


def share_of(figure, box):
    """A box of pixels as [left, top, width, height], in shares of the picture."""
    wide, high = figure.bbox.size
    shares = box.x0 / wide, 1 - box.y1 / high, box.width / wide, box.height / high
    return [round(float(share), 4) for share in shares]


def without_words(figure):
    """A figure in the shape for a telephone as WebP, with its largest words alone."""
    for text in figure.findobj(lambda part: isinstance(part, Text)):
        if text.get_fontsize() < NAMES:
            text.set_alpha(0)  # its room stays
    figure.canvas.draw()
    return as_webp(figure.canvas)


def layouts_of_stills():
    """What `prepare` has kept of all pictures without sliders: `layout_of`, by file."""
    return LAYOUTS


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
    plt.rcParams["figure.dpi"] = dpi
    shown = Counter()

    def keep(fig):
        fig.set_dpi(dpi_still)
        fig.canvas.draw()
        cell = this_cell()
        name = f"{cell}-{shown[cell]}.webp"
        shown[cell] += 1
        Path(folder, "wide", name).write_bytes(as_webp(fig.canvas))
        layouts = {"wide": layout_of(fig)}
        narrow(fig)
        canvas = FigureCanvasAgg(fig)
        with warnings.catch_warnings(action="ignore"):  # they would stand on the slide
            canvas.draw()
        Path(folder, "narrow", name).write_bytes(as_webp(canvas))
        if not LAYOUTS:  # the first one is the chapter's sign
            Path(folder, "sign.webp").write_bytes(without_words(fig))
        LAYOUTS[name] = {**layouts, "narrow": layout_of(fig)}

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

    Those for telephones go into its folder narrow. Returns the sentence of each frame,
    and in both shapes `layout_of` the first one.
    """
    explorer = PANELS[model]
    values = exported_values(explorer, fewer)
    slim = Live(for_telephone(explorer.live.draw, explorer.start))
    slim.paint(explorer.start)  # the layout of the start is that of all frames
    explorer.live.paint(explorer.start)
    lives = {"wide": explorer.live, "narrow": slim}
    layouts = {shape: layout_of(live.canvas.figure) for shape, live in lives.items()}
    Path(folder, "narrow").mkdir()
    sentences = []
    for index, point in enumerate(points(values)):
        Path(folder, f"{index}.webp").write_bytes(frame(explorer.live, point))
        Path(folder, "narrow", f"{index}.webp").write_bytes(frame(slim, point))
        sentences.append(explorer.live.sentence.replace(" %", "\N{NO-BREAK SPACE}%"))
    return {"sentences": sentences, "layouts": layouts}


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
