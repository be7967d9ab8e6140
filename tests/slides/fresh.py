"""Runs in a chapter's kernel: pictures drawn afresh, to hold the frames of its deck against."""
import gc
import hashlib
import io
import json
from itertools import product

import utils
from matplotlib.text import Text
from PIL import Image

letters = set()  # sizes of the letters in every figure shown, in points


def notice(figure):
    texts = (text for text in figure.findobj(Text) if text.get_text() and text.get_visible())
    letters.update(text.get_fontsize() for text in texts)


def watch():
    """From now on `show` notices the letters of what it shows."""
    show = utils.show

    def watched(fig, alt):
        fig.draw_without_rendering()  # ticks get their labels
        notice(fig)
        show(fig, alt)

    utils.show = watched


def pixels(file):
    return hashlib.sha1(Image.open(io.BytesIO(file)).convert("RGB").tobytes()).hexdigest()


def explorers(models):
    """Print, for the explorers with these ids, their sliders and a hash of the picture at every point."""
    found = {thing.model_id: thing for thing in gc.get_objects() if issubclass(type(thing), utils.Explorer)}
    report = []
    for panel in map(found.get, models):
        controls = {name: [value for _, value in slider.options] for name, slider in panel.sliders.items()}
        values = {**controls, **panel.export}
        fresh = utils.Explorer(panel._draw, panel.alt, controls)
        hashes = {}
        for point in reversed(list(product(*(range(len(list_)) for list_ in values.values())))):
            setting = {name: values[name][index] for name, index in zip(controls, point)}
            hashes[",".join(map(str, point))] = pixels(fresh.render(setting))
        notice(fresh._canvas.figure)
        report.append({"names": list(controls), "hashes": hashes,
                       "start": [values[name].index(panel.start[name]) for name in controls],
                       "labels": [[f"{v:.6g}" if isinstance(v, float) else str(v) for v in values[name]]
                                  for name in controls]})
    print(json.dumps({"explorers": report, "letters": sorted(letters)}))
