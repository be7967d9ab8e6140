"""Runs in a chapter's kernel: sharp pictures, and then all that sliders can show."""

import io
from itertools import product
from pathlib import Path

import matplotlib.pyplot as plt

import explorer
from explorer import Explorer, are_names, as_image


def sharpen(dpi, dpi_still):
    """From now on, draw with so many pixels an inch, pictures without sliders, too."""
    plt.rcParams["figure.dpi"] = dpi
    show = explorer.show

    def show_sharply(fig, alt):
        fig.set_dpi(dpi_still)
        show(fig, alt)

    explorer.show = show_sharply


def points(values):
    """All combinations of the values, the last slider fastest."""
    return [dict(zip(values, point)) for point in product(*values.values())]


def frame(explorer, values):
    """The picture at these values as WebP, smaller than the live one and slower."""
    explorer.paint(values)
    file = io.BytesIO()
    picture = as_image(explorer.canvas)
    picture.save(file, "webp", lossless=True, quality=50, method=1)
    return file.getvalue()


def states(fewer):
    """The sliders, the number of frames and the first frame of some explorers.

    Parameters
    ----------
    fewer : dict of str to dict
        The id of an explorer's widget → the values that decks show, for some sliders.

    Returns
    -------
    dict of str to dict, by the same ids
    """
    report = {}
    for model, some in fewer.items():
        explorer = Explorer.alive()[model]
        values = explorer.grid(some)
        sliders = [
            {
                "name": name,
                "labels": [explorer.label(name, value) for value in choices],
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
    """Write an explorer's frames to 0.webp, 1.webp, … in a folder; their sentences."""
    explorer = Explorer.alive()[model]
    sentences = []
    for index, point in enumerate(points(explorer.grid(fewer))):
        Path(folder, f"{index}.webp").write_bytes(frame(explorer, point))
        sentences.append(explorer.sentence)
    return sentences


def positions(name, folder):
    """Write a picture at every position of the explorer that `name` draws; how many."""
    [explorer] = [
        explorer
        for explorer in Explorer.alive().values()
        if getattr(explorer.draw, "__name__", None) == name
    ]
    places = explorer.grid()["pos"]
    for index, pos in enumerate(places):
        values = {**explorer.start, "pos": pos}
        Path(folder, f"{index}.webp").write_bytes(frame(explorer, values))
    return len(places)
