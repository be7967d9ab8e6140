"""Runs in a chapter's kernel, after its last cell: does every slider answer?"""

import random
import warnings
from itertools import product
from math import prod

import numpy as np
from matplotlib.text import Text

import explorer

EVERY = 800  # points of the grid at which `update` runs
PAINTED = 5  # corners, and other points, that are painted
letters = set()  # sizes of the letters in every picture, in points


def notice(figure):
    texts = (text for text in figure.findobj(Text) if text.get_text())
    letters.update(text.get_fontsize() for text in texts if text.get_visible())


def watch():
    """From now on `show` notices the letters of what it shows."""
    show = explorer.show

    def watched(fig, alt):
        show(fig, alt)  # only now have the ticks their labels
        notice(fig)

    explorer.show = watched


def smallest_letter():
    return min(letters)


def probe():
    """Move every explorer of this kernel over its grid; a report for each."""
    warnings.simplefilter("error", UserWarning)  # what would be printed into the page
    return [Probe(panel).report() for panel in explorer.Explorer.alive().values()]


class Probe:
    """An explorer under examination, and what is wrong with it."""

    def __init__(self, panel):
        self.panel = panel
        self.grid = panel.grid()
        self.faults = []
        random.seed(0)
        if prod(map(len, self.grid.values())) <= EVERY:
            points = product(*self.grid.values())
        else:
            points = (
                [random.choice(v) for v in self.grid.values()] for _ in range(EVERY)
            )
        self.points = [dict(zip(self.grid, point)) for point in points]

    def report(self):
        self.says_something_everywhere()
        self.every_slider_changes_the_picture()
        self.paints_the_same_on_every_way()
        return {
            "alt": self.panel.alt,
            "points": len(self.points),
            "faults": list(dict.fromkeys(self.faults)),
        }

    def says_something_everywhere(self):
        """`update` runs on the whole grid, and its sentence changes with the values."""
        sentences = set()
        for point in self.points:
            try:
                sentences.add(self.panel.sentence_at(point))
            except Exception as error:
                self.faults.append(f"{type(error).__name__} at {point}: {error}")
        if "" in sentences:
            self.faults.append("update returns no sentence")
        if len(sentences) < 2:
            self.faults.append(f"the sentence never changes: {sentences}")

    def picture(self, panel, point):
        """The picture at a point, or None and a fault."""
        try:
            data = panel.render(point)
        except Exception as error:
            self.faults.append(f"{type(error).__name__} at {point}: {error}")
            return None
        if not np.ptp(panel.canvas.buffer_rgba()) or data[1:4] != b"PNG":
            self.faults.append(f"nothing is drawn at {point}")
        return data

    def every_slider_changes_the_picture(self):
        for name, values in self.grid.items():
            seen = set()
            for value in values:
                seen.add(self.picture(self.panel, self.panel.start | {name: value}))
                if len(seen - {None}) == 2:
                    break
            else:
                self.faults.append(f"slider {name} does nothing")

    def paints_the_same_on_every_way(self):
        """Another explorer with the same stage, moved in another order, agrees."""
        ends = [(values[0], values[-1]) for values in self.grid.values()]
        corners = [dict(zip(self.grid, point)) for point in product(*ends)]
        points = [
            *random.sample(corners, min(PAINTED, len(corners))),
            *random.sample(self.points, min(PAINTED, len(self.points))),
        ]
        shown = []
        for point in points:
            shown.append(self.picture(self.panel, point))
            self.stays_within(point)
        fresh = explorer.explore(self.panel.draw, alt=self.panel.alt, **self.grid)
        for point, data in random.sample(list(zip(points, shown)), len(points)):
            if self.picture(fresh, point) != data:
                self.faults.append(
                    f"at {point} the picture depends on where the sliders were"
                )
        notice(fresh.canvas.figure)
        fresh.close()

    def stays_within(self, point):
        figure = self.panel.canvas.figure
        drawn = figure.get_tightbbox().transformed(figure.dpi_scale_trans)
        if min(*drawn.min, *(figure.bbox.max - drawn.max)) < -2:  # pixels
            self.faults.append(f"at {point} something lies outside the picture")
