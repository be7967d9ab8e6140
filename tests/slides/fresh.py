"""Runs in a chapter's kernel: pictures drawn afresh, to compare a deck's with."""

import hashlib
import io
from itertools import product

from PIL import Image

from explorer import Explorer, explore


def pixels(file):
    return hashlib.sha1(
        Image.open(io.BytesIO(file)).convert("RGB").tobytes()
    ).hexdigest()


def explorers(models):
    """What each of these explorers should show and say at every point."""
    return [afresh(Explorer.alive()[model]) for model in models]


def afresh(panel):
    """An explorer drawn anew, from the last point of its grid to the first."""
    grid = panel.grid(export=True)
    fresh = explore(panel.draw, alt=panel.alt, **panel.grid())
    hashes, sentences = {}, {}
    for point in reversed(list(product(*(range(len(v)) for v in grid.values())))):
        setting = {name: grid[name][index] for name, index in zip(grid, point)}
        key = ",".join(map(str, point))
        hashes[key] = pixels(fresh.render(setting))
        sentences[key] = fresh.sentence
    fresh.close()
    return {
        "names": list(grid),
        "hashes": hashes,
        "sentences": sentences,
        "start": [values.index(panel.start[name]) for name, values in grid.items()],
        "labels": [
            [panel.label(name, value) for value in values]
            for name, values in grid.items()
        ],
    }
