"""Runs in a chapter's kernel, after its last cell: does every slider of every explorer answer?"""
import gc
import random
import warnings
from itertools import product
from math import prod

import numpy as np
import utils

EVERY, PAINTED = 1000, 20  # points at which `update` runs; points that are painted, corners apart


def probe():
    """Move every explorer of this kernel over its grid; a report for each."""
    warnings.simplefilter("error", UserWarning)  # what a slider would print into the page
    return [examine(thing) for thing in gc.get_objects() if issubclass(type(thing), utils.Explorer)]


def allowed(slider):
    if hasattr(slider, "options"):
        return [o[1] if isinstance(o, tuple) else o for o in slider.options]
    if hasattr(slider, "max"):
        count = round((slider.max - slider.min) / slider.step)
        return [slider.min + i * slider.step for i in range(count + 1)]
    return [False, True]


def examine(panel):
    """Whether `update` runs on the whole grid, and what it paints at the corners and some points."""
    random.seed(0)
    names, values = list(panel.sliders), [allowed(slider) for slider in panel.sliders.values()]
    faults = [panel.error.value] if panel.error.value else []
    corners = set(product(*[(v[0], v[-1]) for v in values]))
    every = list(product(*values)) if prod(map(len, values)) <= EVERY else [
        tuple(map(random.choice, values)) for _ in range(EVERY)]
    painted = [*corners, *random.sample(every, min(PAINTED, len(every)))]
    start = tuple(panel.start.values())

    def picture(explorer, point):
        setting = dict(zip(names, point))
        try:
            data = explorer.render(setting)
            if not np.ptp(explorer._canvas.buffer_rgba()) or data[:4] != b"RIFF":
                faults.append(f"nothing is drawn at {setting}")
            return data
        except Exception as error:
            faults.append(f"{type(error).__name__} at {setting}: {error}")

    for point in every:
        setting = dict(zip(names, point))
        try:
            panel._update(**setting)
        except Exception as error:
            faults.append(f"{type(error).__name__} at {setting}: {error}")
    for i, name in enumerate(names):
        seen = set()
        for value in values[i]:
            seen.add(picture(panel, (*start[:i], value, *start[i + 1:])))
            if len(seen - {None}) == 2:
                break
        else:
            faults.append(f"slider {name} does nothing")
    fresh = utils.Explorer(panel._draw, panel.alt, dict(zip(names, values)))
    for point in random.sample(painted, len(painted)):
        if picture(panel, point) != picture(fresh, point):
            faults.append(f"at {dict(zip(names, point))} the picture depends on where the sliders were")
        figure = panel._canvas.figure
        drawn = figure.get_tightbbox().transformed(figure.dpi_scale_trans)
        if min(*drawn.min, *(figure.bbox.max - drawn.max)) < -2:  # pixels
            faults.append(f"at {dict(zip(names, point))} something lies outside the picture")
        picture(panel, random.choice(every))
    return {"alt": panel.alt, "points": len(every), "faults": list(dict.fromkeys(faults))}
