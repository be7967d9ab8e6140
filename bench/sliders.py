"""How long a slider in JupyterLab waits for its picture.

Every explorer of the course is opened in a real JupyterLab in Chromium, and timing.js
presses arrow keys on its sliders, and its buttons. The floor is a blank picture by
ipywidgets.Image at the end of the same notebook: it is timed before each explorer. The
rivals show the same wave by other means: rivals.py, which each kernel imports.
"""

import contextlib
import json
import tempfile
from itertools import zip_longest
from pathlib import Path
from statistics import quantiles

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import sync_playwright

from tools.chapters import explorers_in
from tools.execute import METADATA
from tools.web import browser
from tools.web.lab import SCRIPT, SHUTDOWN, empty, jupyter_lab, run_all, show_cell
from tools.web.served import watched_page

TIMING = Path(__file__).with_name("timing.js").read_text("utf-8")
EVENTS, EVENTS_QUICK = 60, 20  # of an explorer, over all its sliders
FLOOR = 20  # events of the blank picture, before each explorer
WARM_UP = 2  # events of each slider

# At the end of every notebook: the steps, and the floor.
LAST_CELLS = ["import rivals\nrivals.print_steps()", "rivals.blank()"]
# The inline backend would cut off the margins of the picture: it is as large as others.
INLINE = """%matplotlib inline
%config InlineBackend.print_figure_kwargs = {"bbox_inches": None}
rivals.interact()"""
EXPLORE = """from course import draw, explore
import rivals
explore(rivals.draw, k=(0, 99, 1))"""
# The same wave: its name, the code of a cell, and the kind of picture that it shows.
WAVES = [
    ("explore", EXPLORE, "image"),
    ("interact", INLINE, "image"),
    ("plotly", "rivals.plotly()", "plotly"),
]
# The inline backend closes the figures of ipympl, which has a notebook of its own.
IPYMPL = [("ipympl", "%matplotlib widget\nimport rivals\nrivals.ipympl()", "canvas")]


@contextlib.contextmanager
def laboratory():
    """A page with JupyterLab, and the folder of its notebooks."""
    modules = {"PYTHONPATH": str(Path(__file__).parent)}
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
        playwright.chromium.launch(
            executable_path=browser.find(), args=browser.FLAGS
        ) as window,
        jupyter_lab(Path(folder), modules) as server,
        watched_page(window, SHUTDOWN, SCRIPT + TIMING) as page,
    ):
        page.goto(f"{server.url}lab?reset&token=course")
        page.wait_for_function("window.jupyterapp?.restored", timeout=120_000)
        yield page, server.root


def presses(page, index, kind, events):
    """The ms of presses on the sliders and choices of a cell, after some to warm up."""
    panel = show_cell(page, index).locator(".jp-Cell-outputArea").first
    sliders = panel.locator(".noUi-handle, .widget-toggle-buttons").count()
    times = []
    for number in range(sliders):
        count = WARM_UP + -(-events // sliders)  # rounded up
        task = {"number": number, "count": count, "kind": kind}
        times += panel.evaluate("(panel, task) => timing(panel, task)", task)[WARM_UP:]
        reset = panel.get_by_role("button", name="Reset")
        if reset.count():  # at the end of one slider, another may change nothing
            reset.click()
    return times


def summary(times):
    """How many were timed, their median and 95th percentile."""
    cuts = quantiles(times, n=20, method="inclusive")
    return {"events": len(times), "p50": round(cuts[9], 1), "p95": round(cuts[18], 1)}


def measure_notebook(page, root, cells, targets, events):
    """A row for each target, (name, index, kind), and the times of the floor."""
    cells = [*cells, *map(new_code_cell, LAST_CELLS)]
    nb = new_notebook(cells=cells, metadata=METADATA)
    nbformat.write(nb, root / "bench.ipynb")
    run_all(empty(page), "bench.ipynb")
    blank = len(cells) - 1
    rows, floor = [], []
    for name, index, kind in targets:
        floor += presses(page, blank, "image", FLOOR)
        rows.append({"name": name, **summary(presses(page, index, kind, events))})
        print(rows[-1], flush=True)
    steps = json.loads("".join(page.evaluate(f"cells()[{blank - 1}][0].text")))
    for row, step in zip_longest(rows, steps, fillvalue={}):  # a rival paints no steps
        row |= step
    return rows, floor


def notebooks(chapters):
    """Kinds of rows, with the cells of a notebook and those of them that are timed."""
    for ways in (WAVES, IPYMPL):
        cells = [new_code_cell(source) for _, source, _ in ways]
        timed = [(name, index, kind) for index, (name, _, kind) in enumerate(ways)]
        yield "waves", cells, timed
    for chapter in chapters:
        cells = nbformat.read(chapter, as_version=4).cells
        number = chapter.stem.partition("_")[0]
        made = explorers_in(cells)
        timed = [(f"{number}/{cells[index].id}", index, "image") for index in made]
        yield "explorers", cells, timed


def measure(chapters, quick=False):
    """The version of Chromium, and the ms of a press: "floor", "waves", "explorers"."""
    results = {"floor": [], "waves": [], "explorers": []}
    events = EVENTS_QUICK if quick else EVENTS
    with laboratory() as (page, root):
        for kind, cells, targets in notebooks(chapters):
            rows, floor = measure_notebook(page, root, cells, targets, events)
            results[kind] += rows
            results["floor"] += floor
        version = page.context.browser.version
    return version, {**results, "floor": summary(results["floor"])}
