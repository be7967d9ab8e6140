"""How long a slider in JupyterLab waits for its picture.

Every explorer of the course is opened in a real JupyterLab in Chromium, and timing.js
presses arrow keys on its sliders. The floor is a blank picture by ipywidgets.Image at
the end of the same notebook: it is timed before each explorer and after the last one.
The rivals show the same wave by other means; see rivals.py, which each kernel imports.
"""

import contextlib
import json
import tempfile
from pathlib import Path
from statistics import quantiles

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import sync_playwright

from tools import browser
from tools.chapters import calls
from tools.execute import METADATA
from tools.lab import SCRIPT, SHUTDOWN, empty, jupyter_lab, run_all, show_cell
from tools.served import watched_page

ROOT = Path(__file__).resolve().parent.parent

TIMING = Path(__file__).with_name("timing.js").read_text("utf-8")
EVENTS = 60  # of an explorer, over all its sliders
EVENTS_QUICK = 20
FLOOR = 20  # events of the blank picture, before each explorer
WARM_UP = 2  # events of each slider

LAST_CELLS = ["import rivals\nrivals.print_steps()", "rivals.blank()"]
# The inline backend would cut off the margins of the picture: it is as large as others.
INLINE = """%matplotlib inline
%config InlineBackend.print_figure_kwargs = {"bbox_inches": None}
rivals.interact()"""
# The same wave: the code of a cell, and the kind of picture that it shows. The inline
# backend closes the figures of ipympl, which therefore has a notebook of its own.
WAVES = {
    "explore": ("rivals.explore()", "image"),
    "blit": ("rivals.painted('blit')", "image"),
    "redraw": ("rivals.painted('redraw')", "image"),
    "interact": (INLINE, "image"),
    "plotly": ("rivals.plotly()", "plotly"),
}
IPYMPL = {"ipympl": ("%matplotlib widget\nrivals.ipympl()", "canvas")}


# ---- notebooks: each as its name, and (name, cell, kind) of what is to be timed -----
def notebook_of_waves(folder, waves):
    sources = ["import rivals", *(source for source, _ in waves.values())]
    cells = [new_code_cell(source) for source in sources]
    targets = [
        (name, index, kind) for index, (name, (_, kind)) in enumerate(waves.items(), 1)
    ]
    return save(folder, f"wave_by_{min(waves)}", cells), targets


def notebook_of(chapter, folder):
    cells = nbformat.read(chapter, as_version=4).cells
    number = chapter.stem.partition("_")[0]
    targets = [
        (f"{number}/{cell.id}", index, "image")
        for index, cell in enumerate(cells)
        if calls("explore", cell)
    ]
    return save(folder, chapter.stem, cells), targets


def save(folder, name, cells):
    cells = [*cells, *map(new_code_cell, LAST_CELLS)]
    path = folder / f"{name}.ipynb"
    nbformat.write(new_notebook(cells=cells, metadata=METADATA), path)
    return path.name


# ---- JupyterLab ---------------------------------------------------------------------
@contextlib.contextmanager
def laboratory():
    """A page with JupyterLab, and the folder of its notebooks."""
    path = browser.find()
    if path is None:
        raise SystemExit("No Chromium: install one, or name it in CHROMIUM.")
    modules = {"PYTHONPATH": str(Path(__file__).parent)}
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=path, args=browser.FLAGS) as window,
        jupyter_lab(Path(folder), modules) as server,
        watched_page(window, SHUTDOWN, SCRIPT + TIMING) as page,
    ):
        page.goto(f"{server.url}lab?reset&token=course")
        page.wait_for_function("window.jupyterapp?.restored", timeout=120_000)
        yield page, server.root


def presses(page, index, kind, events):
    """The ms of key presses on the sliders of a cell, after some to warm up."""
    panel = show_cell(page, index).locator(".jp-Cell-outputArea").first
    sliders = panel.locator(".noUi-handle").count()
    found = []
    for number in range(sliders):
        count = events // sliders + (number < events % sliders)
        task = {"number": number, "count": WARM_UP + count, "kind": kind}
        times = panel.evaluate("(panel, task) => timing(panel, task)", task)
        found += times[WARM_UP:]
    pictures = [ms for ms in found if ms is not None]
    if len(pictures) < events / 2:
        raise RuntimeError(f"cell {index}: {events} key presses, {pictures} in ms")
    return pictures


def measure_notebook(page, name, targets, events, say):
    """A row for each target of a notebook, and the times of the floor."""
    empty(page)
    run_all(page, name)
    steps, blank = (len(page.evaluate("cells()")) + place for place in (-2, -1))
    printed = page.evaluate(f"cells()[{steps}][0].text")
    painted = iter(json.loads("".join(printed)))
    rows, floor = [], []
    for target, index, kind in targets:
        floor += presses(page, blank, "image", FLOOR)
        row = {"name": target, **figures(presses(page, index, kind, events))}
        if target == "explore" or "/" in target:
            row |= next(painted)
        rows.append(row)
        say(row)
    floor += presses(page, blank, "image", FLOOR)
    for row in rows:
        row["floor"] = figures(floor)["p50"]
    return rows, floor


def figures(times):
    """How many were timed, their median and 95th percentile."""
    cuts = quantiles(times, n=20, method="inclusive")
    return {"events": len(times), "p50": round(cuts[9], 1), "p95": round(cuts[18], 1)}


def measure(chapters, quick=False, say=print):
    """What a key press on a slider costs, in ms until its picture is decoded.

    `floor`: of all events on the blank picture. `explorers`, `waves`: a row for each,
    with the median of the floor in the same notebook, and for an explorer the ms of a
    step painted in three ways. `chromium`: its version. `say` gets each row.
    """
    events = EVENTS_QUICK if quick else EVENTS
    found = {"waves": [], "explorers": []}
    floor = []
    with laboratory() as (page, root):
        tasks = [("waves", notebook_of_waves(root, each)) for each in (WAVES, IPYMPL)]
        tasks += [("explorers", notebook_of(chapter, root)) for chapter in chapters]
        for part, (name, targets) in tasks:
            rows, blank = measure_notebook(page, name, targets, events, say)
            found[part] += rows
            floor += blank
        version = page.context.browser.version
    return {"floor": figures(floor), **found, "chromium": version}
