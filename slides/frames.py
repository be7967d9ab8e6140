"""Runs in a chapter's kernel, after its last cell: every picture that the sliders of a deck can show."""
import gc
import io
import random
import time
from itertools import product
from pathlib import Path

import numpy as np
import utils
from PIL import Image


def explorers():
    """The explorers of this kernel by the id of their widget."""
    return {thing.model_id: thing for thing in gc.get_objects() if issubclass(type(thing), utils.Explorer)}


def grid(explorer):
    """The values of every slider in the deck, by name: those of `export`, else all that the slider has."""
    values = {}
    for name, slider in explorer.sliders.items():
        options = getattr(slider, "options", ())
        allowed = [option[1] if isinstance(option, tuple) else option for option in options]
        values[name], start = list(explorer.export.get(name, allowed)), explorer.start[name]
        if start not in values[name] or (allowed and not set(values[name]) <= set(allowed)):
            raise ValueError(f"export must give {name} some values of its slider, {start!r} among them; "
                             f"got {values[name]}")
    if strangers := explorer.export.keys() - values.keys():
        raise ValueError(f"export names {', '.join(strangers)}, which no slider is called")
    return values


def frame(explorer, values):
    """The picture at these values as lossless WebP, smaller than the live one: nobody waits for it."""
    explorer.render(values)
    file = io.BytesIO()
    Image.fromarray(np.asarray(explorer._canvas.buffer_rgba())).convert("RGB").save(
        file, "webp", lossless=True, quality=50, method=2)
    return file.getvalue()


def points(values):
    """All combinations of the values, the last slider fastest."""
    return [dict(zip(values, point)) for point in product(*values.values())]


def survey():
    """What each explorer will need: values, labels, frames, and bytes and seconds a frame."""
    report = {}
    for name, explorer in explorers().items():
        try:
            values = grid(explorer)
        except ValueError as error:
            report[name] = {"error": str(error)}
            continue
        some = random.Random(0).choices(points(values), k=3)
        frame(explorer, some[0])  # the first one also sets the stage
        begun = time.perf_counter()
        sizes = [len(frame(explorer, point)) for point in some]
        report[name] = {
            "labels": {key: [f"{v:.6g}" if isinstance(v, float) else str(v) for v in list_]
                       for key, list_ in values.items()},
            "start": {key: list_.index(explorer.start[key]) for key, list_ in values.items()},
            "bytes": sum(sizes) / 3, "seconds": (time.perf_counter() - begun) / 3,
        }
    return report


def draw(name, folder):
    """Write all frames of an explorer to 0.webp, 1.webp, … in a folder."""
    explorer = explorers()[name]
    for index, point in enumerate(points(grid(explorer))):
        (Path(folder) / f"{index}.webp").write_bytes(frame(explorer, point))
