"""How long a slider waits for its picture: in JupyterLab, in decks, in the book.

    python bench/sliders.py [--quick] [--events N] [--only PART …] [--json FILE]

A part is wave, ipympl, interact, plotly, drags, decks, book, or a chapter: by its
number, or by its number and the id of a cell, as in 04/dc045aa6.
"""

import argparse
import contextlib
import json
import os
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
for folder in ("tests", "tools", "notebooks"):
    sys.path.insert(0, str(ROOT / folder))

import nbformat  # noqa: E402
import pages  # noqa: E402
from chapters import CHAPTERS, calls  # noqa: E402
from events import (  # noqa: E402
    TIMING,
    asked,
    by_drag,
    by_keys,
    by_mouse,
    chromium,
    figures,
)
from execute import METADATA  # noqa: E402
from lab import (  # noqa: E402
    SCRIPT,
    SHUTDOWN,
    empty,
    jupyter_lab,
    run_all,
    show_cell,
)
from nbformat.v4 import new_code_cell, new_notebook  # noqa: E402
from served import watched_page  # noqa: E402

LAB_PYTHON = ROOT / "bench" / ".venv" / "bin" / "python"
PACKAGES = ("jupyterlab", "ipywidgets", "matplotlib", "ipympl", "plotly", "pillow")

EVENTS = 200  # of an explorer, over all its sliders
EVENTS_QUICK = 40
BY_MOUSE = 0.2  # this share of them by a mouse, the others by keys
FLOOR = 20  # events of the blank picture, after each explorer
PROOFS = 5
SLOWEST = 3  # explorers that are dragged
QUICK = ("02/one-position-four-views", "04/a-shift-turns-every-hand")

# What an explorer may need above the blank picture, in ms: a frame at 60 Hz, and more.
ABOVE_P50 = 17
ABOVE_P95 = 50
AFTER_RELEASE = 200
FRAME_P95 = 50

# ---- what is measured ---------------------------------------------------------------
BLANK = """
import io
import ipywidgets
from IPython.display import display
from PIL import Image

def blank():
    slider = ipywidgets.SelectionSlider(options=range(100))
    image = ipywidgets.Image()

    def answer(change=None):
        file = io.BytesIO()
        Image.new("L", (60, 60), slider.value).save(file, "png")
        image.value = file.getvalue()

    slider.observe(answer, "value")
    answer()
    display(ipywidgets.VBox([slider, image]))

blank()
"""
WAVE = """
import explorer  # the same letters, sizes and colours for all
import ipywidgets
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display

x = np.linspace(0, 20, 500)

def wave(k):
    return np.sin(x + k / 10)

def slider():
    return ipywidgets.SelectionSlider(options=range(100))
"""
OURS = """
def draw(fig):
    ax = fig.subplots()
    (curve,) = ax.plot(x, wave(0))
    ax.set_ylim(-1.1, 1.1)

    def update(k=0):
        curve.set_ydata(wave(k))
        return f"The wave is {k} tenths ahead."

    return update

explorer.explore(draw, alt="A wave.", k=(0, 99, 1))
"""
IPYMPL = """
%matplotlib widget

def live():
    fig, ax = plt.subplots()
    (curve,) = ax.plot(x, wave(0))
    ax.set_ylim(-1.1, 1.1)

    def update(k):
        curve.set_ydata(wave(k))
        fig.canvas.draw_idle()

    ipywidgets.interact(update, k=slider())

live()
"""
INTERACT = """
%matplotlib inline
# the picture as large as the others
%config InlineBackend.print_figure_kwargs = {"bbox_inches": None}

def draw_anew(k):
    fig, ax = plt.subplots()
    ax.plot(x, wave(k))
    ax.set_ylim(-1.1, 1.1)
    plt.show()

ipywidgets.interact(draw_anew, k=slider());
"""
PLOTLY = """
import plotly.graph_objects as go

def vector():
    inches, dpi = plt.rcParams["figure.figsize"], plt.rcParams["figure.dpi"]
    width, height = dpi * np.array(inches)
    fig = go.FigureWidget(go.Scatter(x=x, y=wave(0)))
    fig.update_layout(width=width, height=height, yaxis_range=[-1.1, 1.1])
    control = slider()

    def update(change):
        fig.data[0].y = wave(control.value)

    control.observe(update, "value")
    display(ipywidgets.VBox([control, fig]))

vector()
"""
# The same wave by each of them: the cell, and the kind of picture that it shows. The
# inline backend closes the figures of ipympl, which therefore has its own notebook.
WAVES = {
    "wave": (OURS, "image"),
    "ipympl": (IPYMPL, "canvas"),
    "interact": (INTERACT, "image"),
    "plotly": (PLOTLY, "plotly"),
}
RIVALS = ("ipympl", "interact", "plotly")


@dataclass
class Target:
    """A cell with sliders, in a notebook that JupyterLab will open."""

    name: str
    notebook: str
    cell: int
    id: str = ""
    kind: str = "image"


def notebook_of_waves(root, names):
    """A notebook with the same wave in several ways, and the floor."""
    sources = [WAVE, *(WAVES[name][0] for name in names), BLANK]
    cells = [new_code_cell(source.strip()) for source in sources]
    path = root / f"{names[0]}.ipynb"
    nbformat.write(new_notebook(cells=cells, metadata=METADATA), path)
    return [
        Target(name, path.name, cell, kind=WAVES[name][1])
        for cell, name in enumerate(names, 1)
    ]


def notebook_of(chapter, root, ids):
    """The copy of a chapter, with the floor below it; the cells to measure."""
    path = root / chapter.name
    nb = nbformat.read(path, as_version=4)
    found = [
        Target(path.stem, path.name, index, cell.id)
        for index, cell in enumerate(nb.cells)
        if calls("explore", cell) and (not ids or cell.id in ids)
    ]
    nb.cells.append(new_code_cell(BLANK.strip()))
    nbformat.write(nb, path)
    return found


def wanted_chapters(parts):
    """The chapters among some parts, each with the ids of its cells; none means all."""
    found = {}
    for part in parts:
        number, _, cell = part.partition("/")
        for path in CHAPTERS:
            if number and path.stem.startswith(number):
                found.setdefault(path, []).extend([cell] if cell else [])
    return found


# ---- JupyterLab ---------------------------------------------------------------------
@contextlib.contextmanager
def laboratory(window, folder):
    """A page with a JupyterLab that has the rivals' extensions, and its notebooks."""
    if LAB_PYTHON.exists():
        os.environ.setdefault("LAB_PYTHON", str(LAB_PYTHON))
    with (
        jupyter_lab(folder) as server,
        watched_page(window, SHUTDOWN, SCRIPT + TIMING) as page,
    ):
        page.goto(f"{server.url}lab?reset&token=course")
        page.wait_for_function("window.jupyterapp?.restored", timeout=120_000)
        yield page, server.root


def panel_of(page, index):
    """What a cell has put out, once it can be seen."""
    return show_cell(page, index).locator(".jp-Cell-outputArea").first


def moved(panel, events, kind):
    """What became of events on a panel; they are spread over its sliders."""
    sliders = panel.locator(".noUi-handle").count()
    found = []
    for number in range(sliders):
        each = events // sliders + (number < events % sliders)
        mouse = round(BY_MOUSE * each)
        some = by_keys(panel, number, each - mouse, kind=kind)
        if mouse:
            some += by_mouse(panel, number, mouse, kind=kind)
        found += [{**event, "slider": number} for event in some]
    return found


def reset(panel):
    """Every slider of an explorer back to where it began."""
    button = panel.get_by_role("button", name="Reset")
    if button.count():
        button.click()
        panel.page.wait_for_timeout(300)


def measure_target(page, target, events):
    """A row: all events of a cell, and of each of its sliders."""
    panel = panel_of(page, target.cell)
    names = asked(panel, "names")
    whole = None
    if target.name in WAVES:
        whole = asked(panel, "proof", number=0, count=PROOFS, kind=target.kind)
    begun = time.perf_counter()
    moved(panel, len(names), target.kind)  # to warm up
    found = moved(panel, events, target.kind)
    row = {
        "name": target.name,
        "cell": target.cell,
        "id": target.id,
        "kind": target.kind,
        **figures(found),
        "whole": whole,
        "sliders": [
            {"name": name, **figures([e for e in found if e["slider"] == number])}
            for number, name in enumerate(names)
        ],
        "seconds": round(time.perf_counter() - begun, 1),
    }
    reset(panel)
    return row


def measure_notebook(page, targets, events, say):
    """A row for each cell of a notebook, and all events on the floor between them."""
    empty(page)
    run_all(page, targets[0].notebook)
    blank = page.evaluate("cells().length") - 1
    each = max(FLOOR, events // 2 // len(targets))
    on_floor = []
    rows = []
    moved(panel_of(page, blank), 10, "image")  # to warm up
    for target in targets:
        on_floor += moved(panel_of(page, blank), each, "image")
        rows.append(measure_target(page, target, events))
    on_floor += moved(panel_of(page, blank), each, "image")
    floor = figures(on_floor)
    for row in rows:
        row["floor"] = {key: floor[key] for key in ("events", "p50", "p95", "loaded")}
        row["above"] = above(row, floor)
        for slider in row["sliders"]:
            slider["above"] = above(slider, floor)
        say(line(row))
    return rows, on_floor


def above(row, floor):
    """Milliseconds above the floor of the same page."""
    keys = ("p50", "p95", "loaded")
    if None in (row["p50"], floor["p50"]):
        return dict.fromkeys(keys)
    return {key: round(row[key] - floor[key], 1) for key in keys}


def measure_drags(page, targets, say):
    """A row for each of some cells: what a drag over 60 values in two seconds shows."""
    rows = []
    for target in targets:
        empty(page)
        run_all(page, target.notebook)
        panel = panel_of(page, target.cell)
        # the slider with most values: the fewest turns
        spans = panel.locator(".noUi-handle").evaluate_all(
            "all => all.map(one => one.getAttribute('aria-valuemax') - 0)"
        )
        longest = spans.index(max(spans))
        found = by_drag(panel, longest, kind=target.kind)
        rows.append({"name": target.name, "cell": target.cell, **found})
        say(drag_line(rows[-1]))
    return rows


def slowest(rows):
    """The slowest explorers, after the wave."""
    ours = [row for row in rows if row["name"] not in WAVES and row["p50"]]
    ours.sort(key=lambda row: row["p50"], reverse=True)
    return [row for row in rows if row["name"] == "wave"] + ours[:SLOWEST]


def measure_lab(window, parts, quick, events, say):
    """The waves, the explorers and the floor, and then the drags."""
    chapters = wanted_chapters(parts)
    rows, floor, drags, seconds = [], [], [], {}
    say(HEAD)
    with (
        tempfile.TemporaryDirectory() as folder,
        laboratory(window, Path(folder)) as (page, root),
    ):
        tasks = [notebook_of(chapter, root, ids) for chapter, ids in chapters.items()]
        alone = [["ipympl"], [name for name in WAVES if name != "ipympl"]]
        for names in alone:
            if some := [name for name in names if name in parts]:
                tasks.insert(0, notebook_of_waves(root, some))
        for targets in tasks:
            begun = time.perf_counter()
            some, blank = measure_notebook(page, targets, events, say)
            rows += some
            floor += blank
            seconds[targets[0].notebook] = round(time.perf_counter() - begun, 1)
        if "drags" in parts:
            chosen = slowest(rows)[: 1 if quick else None]
            places = [(row["name"], row["cell"]) for row in chosen]
            every = [target for targets in tasks for target in targets]
            drags = measure_drags(
                page,
                [next(t for t in every if (t.name, t.cell) == at) for at in places],
                say,
            )
    return {"rows": rows, "floor": figures(floor), "drags": drags, "seconds": seconds}


# ---- all of it ----------------------------------------------------------------------
def measure(quick=False, only=(), events=None, say=print):
    """What a slider's event costs, everywhere.

    Parameters
    ----------
    quick : bool
        The floor, the waves, two explorers, one deck and one page; 40 events each.
    only : sequence of str
        Some parts of it, as at the top of this file.
    events : int, optional
        Of each explorer; else 200, or 40 where it is quick.
    say : callable
        Gets a line about each step.

    Returns
    -------
    dict
        For JSON. Times are in ms, from an event to the decoded picture; in decks and
        book, to the painted frame. `rows`: the waves and the explorers, each with its
        sliders, with the floor of its page and how far it is above it. `floor`: all
        events on the blank picture. `drags`, `decks`, `book`. `missed`: the goals that
        are missed, and by how much.
    """
    begun = time.perf_counter()
    chapters = QUICK if quick else [path.stem for path in CHAPTERS]
    parts = tuple(only) or (*WAVES, *chapters, "drags", "decks", "book")
    events = events or (EVENTS_QUICK if quick else EVENTS)
    result = {"rows": [], "floor": None, "drags": [], "decks": None, "book": None}
    with chromium() as window:
        if set(parts) - {"drags", "decks", "book"}:
            result |= measure_lab(window, parts, quick, events, say)
        if "decks" in parts:
            result["decks"] = pages.measure_decks(window, quick, say)
        if "book" in parts:
            result["book"] = pages.measure_book(window, quick, say)
        result["versions"] = versions() | {"chromium": window.version}
    result["missed"] = missed(result)
    result["total_seconds"] = round(time.perf_counter() - begun, 1)
    return result


def versions():
    found = {}
    for name in PACKAGES:
        with contextlib.suppress(ModuleNotFoundError):
            found[name] = version(name)
    return found


def missed(result):
    """A line for each goal that is missed."""
    faults = []
    rivals = {row["name"]: row for row in result["rows"] if row["name"] in RIVALS}
    for name, rival in rivals.items():
        if rival["p50"] is None:
            faults.append(f"{name}: no picture")
    rivals = {name: rival for name, rival in rivals.items() if rival["p50"]}
    for row in result["rows"]:
        if row["name"] not in RIVALS:
            faults += too_slow(row, rivals)
    for drag in result["drags"]:
        faults += ends_late_or_wrong(drag)
    book = result["book"] or {}
    places = {
        "decks": result["decks"],
        "book, first moves": book.get("first"),
        "book, later moves": book.get("later"),
    }
    for where, row in places.items():
        if row and row["p95"] > FRAME_P95:
            faults.append(f"{where}: p95 {row['p95']:.0f} ms, goal {FRAME_P95}")
    return faults


def ends_late_or_wrong(drag):
    """What a drag misses."""
    where = f"drag, {drag['name']}, cell {drag['cell']}"
    if not drag["pictures"]:
        return [f"{where}: no picture"]
    faults = []
    if drag["last"] > AFTER_RELEASE:
        faults.append(
            f"{where}: the last picture {drag['last']:.0f} ms after release, "
            f"goal {AFTER_RELEASE}"
        )
    if not drag["right"]:
        faults.append(f"{where}: the last picture is not that of the last value")
    return faults


def too_slow(row, rivals):
    """What an explorer, or our wave, misses."""
    faults = []
    for slider in row["sliders"]:
        where = f"{row['name']}, cell {row['cell']}, {slider['name']}"
        if slider["p50"] is None:
            faults.append(f"{where}: no picture")
            continue
        for key, most in (("p50", ABOVE_P50), ("p95", ABOVE_P95)):
            if slider["above"][key] > most:
                faults.append(
                    f"{where}: {key} {slider['above'][key]:.0f} ms above the floor, "
                    f"goal {most}"
                )
        for name, rival in rivals.items():
            if slider["p50"] >= rival["p50"]:
                faults.append(
                    f"{where}: p50 {slider['p50']:.0f} ms, {name} {rival['p50']:.0f}"
                )
        if slider["timeout"]:
            faults.append(f"{where}: {slider['timeout']} pictures never came")
    return faults


# ---- a table to read ----------------------------------------------------------------
COLUMNS = ("p25", "p50", "p75", "p95", "floor", "p95", "+p50", "+p95", "key", "mouse")
HEAD = (
    f"{'':27}{'cell':>4}{'events':>7}"
    + "".join(f"{name:>6}" for name in (*COLUMNS, "load", "+load"))
    + f"{'same':>5}{'none':>5}{'late':>5}{'whole':>6}{'s':>6}"
)


def line(row):
    """An explorer or a wave in a line."""
    floor, over = row["floor"], row["above"]
    times = [row[key] for key in ("p25", "p50", "p75", "p95")]
    times += [floor["p50"], floor["p95"], over["p50"], over["p95"]]
    times += [row["key"], row["mouse"], row["loaded"], over["loaded"]]
    text = "".join(f"{'–' if x is None else format(x, '.0f'):>6}" for x in times)
    whole = "" if row["whole"] is None else f"{row['whole']}/{PROOFS}"
    return (
        f"{row['name'][:26]:27}{row['cell']:>4}{row['events']:>7}{text}"
        f"{row['same']:>5}{row['timeout']:>5}{row['late']:>5}{whole:>6}"
        f"{row['seconds']:>6}"
    )


def drag_line(drag):
    """A drag in a line."""
    text = (
        f"drag   {drag['name']}, cell {drag['cell']}: {drag['values']} values in "
        f"{drag['seconds']} s, {drag['pictures']} pictures"
    )
    if drag["last"] is None:
        return text
    right = "right" if drag["right"] else "WRONG"
    return f"{text}, the last {drag['last']:.0f} ms after release, {right}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="40 events of a sample")
    parser.add_argument("--events", type=int, help="of each explorer")
    parser.add_argument("--only", nargs="+", default=[], metavar="PART")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the figures")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and leave nothing running
    say = partial(print, flush=True)
    result = measure(given.quick, given.only, given.events, say)
    if floor := result["floor"]:
        print(
            f"\nthe floor: {floor['events']} events, p50 {floor['p50']} ms, "
            f"p95 {floor['p95']} ms"
        )
    print(f"{len(result['missed'])} goals missed", *result["missed"], sep="\n  ")
    print(f"{result['total_seconds']:.0f} s")
    if given.json:
        given.json.write_text(json.dumps(result, indent=1), "utf-8")


if __name__ == "__main__":
    main()
