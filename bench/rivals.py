"""Runs in the kernel of a notebook: a wave by each rival, and steps of pictures.

In a step artists are moved, the picture is drawn, a PNG file is made.
"""

import io
import json
import time
from statistics import median

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display
from PIL import Image

from course.explorer import PANELS

STEPS = 16  # of each explorer, over all its sliders


def walk(panel):
    """The values of an explorer at each step: one slider after the other moves."""
    sliders = panel.allowed
    for name, values in sliders.items():
        at = values.index(panel.start[name])
        path = values[at + 1 :] + values[at::-1]  # up, and back
        for value in path[: STEPS // len(sliders)]:
            yield {**panel.start, name: value}


def print_steps():
    """Of each explorer here, the median ms of the processor for a step, as JSON."""
    rows = []
    for panel in PANELS.values():
        times = []
        for values in walk(panel):
            begun = time.process_time()
            panel.live.render(values)
            times.append(1000 * (time.process_time() - begun))
        rows.append({"step": round(median(times), 1)})
    print(json.dumps(rows))


# ---- the floor, and the wave by each rival ------------------------------------------
x = np.linspace(0, 20, 500)


def wave(k):
    return np.sin(x + k / 10)


def slider():
    return widgets.SelectionSlider(options=range(100))


def show(answer, picture):
    """A slider above a picture that `answer(value)` changes."""
    control = slider()
    control.observe(lambda change: answer(change.new), "value")
    answer(0)
    display(widgets.VBox([control, picture]))


def blank():
    """The floor: the least that an ipywidgets.Image can show."""
    image = widgets.Image()

    def answer(k):
        file = io.BytesIO()
        Image.new("L", (60, 60), k).save(file, "png")
        image.value = file.getvalue()

    show(answer, image)


def draw(fig):
    """A wave."""
    ax = fig.subplots()
    (curve,) = ax.plot(x, wave(0))
    ax.set_ylim(-1.1, 1.1)

    def update(k=0):
        curve.set_ydata(wave(k))
        return f"The wave is {k} tenths ahead."

    return update


def interact():
    def draw_anew(k):
        draw(plt.figure())(k)
        plt.show()

    widgets.interact(draw_anew, k=slider())


def ipympl():
    fig = plt.figure()
    update = draw(fig)

    def answer(k):
        update(k)
        fig.canvas.draw_idle()

    widgets.interact(answer, k=slider())


def plotly():
    import plotly.graph_objects as go

    inches, dpi = plt.rcParams["figure.figsize"], plt.rcParams["figure.dpi"]
    width, height = (dpi * side for side in inches)
    fig = go.FigureWidget(go.Scatter(x=x, y=wave(0)))
    fig.update_layout(width=width, height=height, yaxis_range=[-1.1, 1.1])

    def answer(k):
        fig.data[0].y = wave(k)

    show(answer, fig)
