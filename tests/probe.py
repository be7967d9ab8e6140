"""Runs in a chapter's kernel, after its last cell: does every slider of every explorer answer?"""


def probe():
    """Move every explorer of this kernel over its grid; a report for each."""
    import gc
    import random
    import warnings
    from itertools import product
    from math import prod

    import numpy as np
    import utils

    def allowed(slider):
        if hasattr(slider, "options"):
            return [o[1] if isinstance(o, tuple) else o for o in slider.options]
        if hasattr(slider, "max"):
            count = round((slider.max - slider.min) / slider.step)
            return [slider.min + i * slider.step for i in range(count + 1)]
        return [False, True]

    def examine(panel):
        random.seed(0)
        names, values = list(panel.sliders), [allowed(slider) for slider in panel.sliders.values()]
        if prod(map(len, values)) <= 300:
            points = list(product(*values))
        else:
            points = list(product(*[(v[0], v[-1]) for v in values]))
            points += [tuple(map(random.choice, values)) for _ in range(100)]
            if panel.export:
                points += product(*[panel.export.get(name, v) for name, v in zip(names, values)])
        faults, start = [panel.error.value] if panel.error.value else [], tuple(panel.start.values())

        def picture(point, explorer=panel):
            setting = dict(zip(names, point))
            try:
                data = explorer.render(setting)
                if not np.ptp(explorer._canvas.buffer_rgba()) or data[:4] != b"RIFF":
                    faults.append(f"nothing is drawn at {setting}")
                return data
            except Exception as error:
                faults.append(f"{type(error).__name__} at {setting}: {error}")

        for point in points:
            picture(point)
        for i, name in enumerate(names):
            if len({picture((*start[:i], value, *start[i + 1:])) for value in values[i]} - {None}) < 2:
                faults.append(f"slider {name} does nothing")
        for point in [points[0], points[-1], *random.sample(points, min(5, len(points)))]:
            fresh = utils.Explorer(panel._draw, panel.alt, dict(zip(names, values)))
            if picture(point) != picture(point, fresh):
                faults.append(f"at {dict(zip(names, point))} the picture depends on where the sliders were")
            figure = panel._canvas.figure
            drawn = figure.get_tightbbox().transformed(figure.dpi_scale_trans)
            if min(*drawn.min, *(figure.bbox.max - drawn.max)) < -2:  # pixels
                faults.append(f"at {dict(zip(names, point))} something lies outside the picture")
        return {"alt": panel.alt, "points": len(points), "faults": list(dict.fromkeys(faults))}

    warnings.simplefilter("error", UserWarning)  # what a slider would print into the page
    panels = [thing for thing in gc.get_objects() if issubclass(type(thing), utils.Explorer)]
    return [examine(panel) for panel in panels]
