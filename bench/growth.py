"""What grows with what, and where it stops being linear; what each start waits for.

    python bench/growth.py [--quick]

Run time and frame time as tables, points and pictures grow; decks and pages as the
grid of the sliders grows. Then what a reader or a lecturer waits for: JupyterLab's
start, a run of the whole course, decks and book, each taken apart.
"""

import argparse
import contextlib
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
for folder in ("notebooks", "tools", "slides", "book", "tests"):
    sys.path.append(str(ROOT / folder))
sys.path.insert(0, str(HERE))
os.environ.setdefault("MPLBACKEND", "Agg")
import drawing  # noqa: E402
import nbformat  # noqa: E402
import numpy as np  # noqa: E402
from chapters import CHAPTERS, copy_of_notebooks  # noqa: E402
from execute import METADATA, execute  # noqa: E402
from table import BLOCKS, FRESH, WAYS, in_rounds  # noqa: E402

from explorer import explore  # noqa: E402
from utils import draw_signed, positional_encoding  # noqa: E402

TOLERANCE = 0.25  # of a slope in a log-log plot; 1 is linear


# ---- slopes -------------------------------------------------------------------------
def slopes(xs, ys):
    """The slopes between neighbours in a log-log plot: 1 where y grows as x does."""
    return [
        math.log(ys[i + 1] / ys[i]) / math.log(xs[i + 1] / xs[i])
        for i in range(len(xs) - 1)
    ]


def linear_part(xs, ys):
    """First and last x of the longest stretch where y grows as x does, or None."""
    best = (0, 0)
    begin = 0
    for end, slope in enumerate([*slopes(xs, ys), math.inf]):
        if abs(slope - 1) > TOLERANCE:
            best = max(best, (end - begin, -begin))
            begin = end + 1
    length, begin = best[0], -best[1]
    return [xs[begin], xs[begin + length]] if length else None


def cache_bytes():
    """The processor's caches, by level, where the system tells."""
    found = {}
    for index in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        kind, level, size = (
            (index / name).read_text().strip() for name in ("type", "level", "size")
        )
        if kind != "Instruction":
            unit = {"K": 2**10, "M": 2**20}.get(size[-1], 1)
            found[f"L{level}"] = int(size.rstrip("KM")) * unit
    return dict(sorted(found.items()))


def series(what, x, xs, ys, unit="s", sizes=None):
    """How y grows with x, and why it is not linear where it is not."""
    found = slopes(xs, ys)
    part = linear_part(xs, ys)
    why = []
    for i, slope in enumerate(found):
        place = f"{xs[i]} to {xs[i + 1]}: slope {slope:.2f}"
        if slope < 1 - TOLERANCE:
            why.append(f"{place}, what does not grow still counts")
        elif slope > 1 + TOLERANCE:
            room = f" ({sizes[i + 1] / 1e6:.3g} MB)" if sizes else ""
            why.append(f"{place}, more a piece than before{room}")
    return {
        "what": what,
        "x": x,
        "xs": xs,
        "ys": ys,
        "unit": unit,
        "slopes": [round(slope, 2) for slope in found],
        "linear": part,
        "not_linear": why,
    }


# ---- run time -----------------------------------------------------------------------
LENGTHS = [64, 256, 1024, 4096, 16384, 65536]
WIDTHS = [8, 32, 128, 512, 2048]


def run_times(quick):
    """The seconds of the course's function and of the blocks, the fewest of some.

    How they grow is asked, and what else the machine does can only add to them.
    """
    found = []
    for x, sizes in (
        ("n, with d_model = 512", [(n, 512) for n in LENGTHS[: 4 if quick else None]]),
        ("d_model, with n = 4096", [(4096, d) for d in WIDTHS[: 4 if quick else None]]),
    ):
        times = {name: [] for name in ("positional_encoding", BLOCKS)}
        for n, d_model in sizes:
            rounds = 21 if n * d_model < 4e6 else 5
            builds = {name: WAYS[name].setup(n, d_model, "float64") for name in times}
            taken = in_rounds(builds, rounds)
            for name in times:
                times[name].append(min(t[name] for t in taken))
        for name, ys in times.items():
            bytes_ = [8 * n * d_model for n, d_model in sizes]
            xs = [size[x.startswith("d_model")] for size in sizes]
            found.append(series(name, x, xs, ys, sizes=bytes_))
    return found


# ---- frames -------------------------------------------------------------------------
def wave_of(count):
    """A wave of so many points."""

    def wave(fig):
        pos = np.linspace(0, 100, count)
        (line,) = fig.subplots().plot(pos, np.sin(pos))

        def update(k=0):
            line.set_ydata(np.sin(pos + k / 10))
            return f"{k} tenths ahead."

        return update

    return wave


def matrix_of(d_model):
    """A table as a picture, so many columns wide."""

    def matrix(fig):
        table = positional_encoding(150, d_model)
        image = fig.subplots().imshow(table[:100], aspect="auto", vmin=-1, vmax=1)

        def update(k=0):
            image.set_data(table[k : k + 100])
            return f"From position {k} on."

        return update

    return matrix


def larger(factor):
    """A wave in a picture whose sides are `factor` times as long."""

    def wave(fig):
        fig.set_dpi(100 * factor)
        return wave_of(200)(fig)

    return wave


def numbers(rows):
    """So many rows of eight numbers in coloured cells."""

    def cells(fig):
        fig.set_size_inches(9, 7)
        table = positional_encoding(rows + 50, 8)
        move = draw_signed(fig.subplots(), table[:rows])

        def update(k=0):
            move(table[k : k + rows])
            return f"From position {k} on."

        return update

    return cells


STAGES = (
    ("a curve", "points", wave_of, [100, 1000, 10_000, 100_000, 1_000_000]),
    ("a table as a picture", "d_model", matrix_of, [8, 32, 128, 512, 2048, 8192]),
    ("a curve of 200 points", "pixels", larger, [0.5, 1, 2, 4]),
    ("cells with numbers", "cells", numbers, [1, 2, 4, 8, 16, 32]),
)


def frame_seconds(draw, rounds):
    """The seconds of a new picture, the fewest of some, and its size in pixels."""
    explorer = explore(draw, alt="for the clock", k=list(range(50)))
    explorer.render({"k": 1})
    taken = []
    for k in range(2, 2 + rounds):
        start = time.perf_counter()
        explorer.render({"k": k})
        taken.append(time.perf_counter() - start)
    return min(taken), math.prod(explorer.canvas.get_width_height())


def frame_times(quick):
    """The seconds of a frame as what is drawn grows."""
    found = []
    for what, x, stage, sizes in STAGES:
        xs, ys = [], []
        for size in sizes[: 4 if quick else None]:
            seconds, pixels = frame_seconds(stage(size), 7 if quick else 15)
            xs.append({"pixels": pixels, "cells": 8 * size}.get(x, size))
            ys.append(seconds)
        found.append(series(f"a frame: {what}", x, xs, ys))
    return found


# ---- decks and pages ----------------------------------------------------------------
SYNTHETIC = """
import numpy as np
from explorer import explore
from utils import frequencies

def draw_wave(fig):
    ax = fig.subplots()
    pos = np.arange(200)
    (line,) = ax.plot(pos, np.sin(pos))
    def update(a=0, b=0):
        line.set_ydata(np.sin((1 + a) * pos / 20 + b / 4))
        return f"The wave {a} is {b} quarters ahead."
    return update

explore(draw_wave, alt="A wave.", a=list(range(SIDE)), b=list(range(SIDE)))
"""


def synthetic(side, folder):
    """A notebook with one explorer of two sliders, each with `side` values."""
    cells = [
        nbformat.v4.new_markdown_cell("# A wave"),
        nbformat.v4.new_code_cell(SYNTHETIC.strip().replace("SIDE", str(side))),
    ]
    for cell in cells:
        cell.metadata["slideshow"] = {"slide_type": "slide"}
    path = folder / f"wave{side}.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=METADATA), path)
    return path


def size_of_grids(quick):
    """Bytes of a deck and of a page, and the seconds to make them, as a grid grows."""
    if not (find_spec("sphinx") and find_spec("sphinx_revealjs")):
        return {"skipped": "what decks and book are made with is not installed"}
    import bind
    import export

    rows = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        notebooks = copy_of_notebooks(folder)
        for side in (1, 6) if quick else (1, 3, 6, 10):
            path = synthetic(side, notebooks)
            start = time.perf_counter()
            deck = export.deck(path, folder / "decks", bind.silent, folder / "drawn")
            seconds = time.perf_counter() - start
            drawn = drawing.drawn(path, folder / "drawn", bind.silent)
            [output] = drawing.chapter(path, drawn).cells[-1].outputs
            need = drawing.explorer_of(output)
            page = bind.explorer(need, "A wave", folder / "site", drawn, path.stem)
            files = (drawn / need["folder"]).glob("*.webp")
            rows.append(
                {
                    "frames": side**2,
                    "frame_bytes": sum(file.stat().st_size for file in files),
                    "deck_bytes": deck.path.stat().st_size,
                    "page_bytes": len(page.encode()),
                    "seconds": seconds,
                }
            )
    weight = [row["frame_bytes"] for row in rows]
    each, empty = np.polyfit(weight, [row["deck_bytes"] for row in rows], 1).tolist()
    return {
        "rows": rows,
        "series": grid_series(rows),
        "deck without frames": empty,
        "deck bytes for a byte of frames": each,
    }


def grid_series(rows):
    """How files and seconds grow with the number of frames."""
    xs = [row["frames"] for row in rows]
    what = {
        "frame_bytes": "all frames of a grid",
        "deck_bytes": "a deck",
        "page_bytes": "a panel on a page, its frames beside it",
        "seconds": "to run, draw and write a deck",
    }
    return [
        series(
            words,
            "frames",
            xs,
            [row[name] for row in rows],
            "s" if name == "seconds" else "bytes",
        )
        for name, words in what.items()
    ]


# ---- JupyterLab's start -------------------------------------------------------------
def seconds_of(*command):
    """How long a program runs."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def one_start(chromium):
    """The seconds from `make lab` to a server, a page, and a kernel that waits."""
    from lab import SCRIPT, jupyter_lab

    with tempfile.TemporaryDirectory() as place, contextlib.ExitStack() as stack:
        start = time.perf_counter()
        server = stack.enter_context(jupyter_lab(Path(place)))
        steps = {"the server answers": time.perf_counter() - start}
        window = chromium.new_context()
        for which in ("first page", "page again"):
            start = time.perf_counter()
            page = window.new_page()
            page.add_init_script(SCRIPT)
            name = CHAPTERS[0].name
            page.goto(f"{server.url}lab/tree/{name}?reset&token=course")
            page.wait_for_function("window.jupyterapp?.restored", timeout=120_000)
            page.evaluate("jupyterapp.restored")
            steps[f"{which} restored"] = time.perf_counter() - start
            page.wait_for_function("state() === 'idle'", timeout=120_000, polling=20)
            steps[f"{which}, kernel ready"] = time.perf_counter() - start
            page.close()
        window.close()
    return steps


def start_of_lab(quick):
    """JupyterLab's cold start, the median of some, and what the server's is made of."""
    import browser
    from playwright.sync_api import sync_playwright

    path = browser.find()
    if path is None:
        return {"skipped": "no Chromium: python tests/browser.py"}
    with sync_playwright() as playwright:
        chromium = browser.launch(playwright, path)
        starts = [one_start(chromium) for _ in range(1 if quick else 3)]
        chromium.close()
    found = {
        step: statistics.median(start[step] for start in starts) for step in starts[0]
    }
    found["of it, Python alone"] = seconds_of(sys.executable, "-c", "")
    found["of it, importing JupyterLab"] = seconds_of(
        sys.executable, "-c", "import jupyterlab.labapp"
    )
    return found


# ---- the whole course ---------------------------------------------------------------
KINDS = {
    "imports": r"(?m)^(import|from) ",
    "sympy": r"\b(sp|sympy)\.",
    "pictures": r"(?m)^(\w+ = )?(explore|show)\(",
    "exercises": r"(?m)^check\(",
    "other cells": "",
}


def kind_of(source):
    """What a cell is mainly for."""
    return next(kind for kind, mark in KINDS.items() if re.search(mark, source))


def run_of(path):
    """The seconds of a chapter's run, by kinds of cells, and of the kernel around."""
    found = dict.fromkeys(KINDS, 0.0)
    slowest = []

    def after(nb, kernel):
        code = [c for c in nb.cells if c.cell_type == "code" and c.source.strip()]
        times = kernel.call("clock", "seconds")
        for cell, seconds in zip(code, times, strict=True):
            found[kind_of(cell.source)] += seconds
            slowest.append((seconds, cell.id))

    start = time.perf_counter()
    begin = f"__import__('sys').path.append({str(HERE)!r}); __import__('clock').begin()"
    execute(path, before=begin, after=after)
    total = time.perf_counter() - start
    around = total - sum(found.values())
    return {
        "chapter": path.stem,
        "seconds": total,
        **found,
        "kernel and messages": around,
        "slowest": max(slowest),
    }


def run_of_course():
    """All chapters, one after the other, and the sum."""
    rows = [run_of(path) for path in CHAPTERS]
    parts = [name for name in rows[0] if name not in ("chapter", "slowest")]
    total = {name: sum(row[name] for row in rows) for name in parts}
    return {"chapters": rows, "total": total}


# ---- decks and book -----------------------------------------------------------------
def copy_of_course(folder):
    """The course without anything that has been built."""
    ignored = shutil.ignore_patterns(".*", "build", "__pycache__", "bench")
    return Path(shutil.copytree(ROOT, folder / "course", ignore=ignored))


def build_of_decks(course):
    """The seconds of all decks; of it, summed over chapters, what each step took."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, course / "slides" / "export.py"],
        check=True,
        capture_output=True,
        text=True,
    )
    total = time.perf_counter() - start
    return {"seconds": total, **steps_of_decks(done.stdout)}


def steps_of_decks(said):
    """What each step took, summed over the chapters: from the lines of export.py."""
    steps = {"running cells": 0.0, "drawing frames": 0.0, "writing decks": 0.0}
    for chapter in set(re.findall(r"(?m)^chapter (\w+):", said)):
        text = "\n".join(re.findall(rf"(?m)^chapter {chapter}: (.*)", said))
        ran = max(map(float, re.findall(r"ran in ([\d.]+) s", text)), default=0)
        drew = max(map(float, re.findall(r"drawn after ([\d.]+) s", text)), default=ran)
        [wrote] = map(float, re.findall(r"MB in (\d+) s", text))
        steps["running cells"] += ran
        steps["drawing frames"] += drew - ran
        steps["writing decks"] += max(0, wrote - drew)
    return steps


# The steps of bind.bind that are measured: functions of bind, and the two tasks that it
# does for each chapter.
STEPS = {
    "drawing": "drawn",
    "writing decks": "deck",
    "preparing pages": "prepare",
    "Sphinx": "build_main",
    "lightening pages": "lighten",
    "icons": "carry_icons",
    "fonts": "carry_fonts",
    "formulas": "carry_formulas",
}


def build_of_book(course):
    """The seconds of the book in a copy of the course; runs in a process of its own."""
    sys.path[:0] = [str(Path(course) / name) for name in ("book", "tools", "slides")]
    for name in ("drawing", "execute", "export", "bind"):
        sys.modules.pop(name, None)
    import bind

    steps = dict.fromkeys(STEPS, 0.0)

    step_of = {name: step for step, name in STEPS.items()}

    def timed(function):
        def call(first, *others):
            is_task = function.__name__ == "each"
            step = step_of[(first if is_task else function).__name__]
            start = time.perf_counter()
            try:
                return function(first, *others)
            finally:
                steps[step] += time.perf_counter() - start

        return call

    for name in ["each", *(name for name in step_of if name not in ("drawn", "deck"))]:
        setattr(bind, name, timed(getattr(bind, name)))
    start = time.perf_counter()
    with contextlib.redirect_stdout(sys.stderr):
        bind.bind(Path(course) / "book" / "build")
    return {"seconds": time.perf_counter() - start, **steps}


def builds():
    """Decks and book from nothing, and once more with nothing changed."""
    with tempfile.TemporaryDirectory() as place:
        course = copy_of_course(Path(place))
        found = {
            "decks from nothing": build_of_decks(course),
            "decks, nothing changed": build_of_decks(course),
            "book, drawings there": in_child("book", str(course)),
            "book, nothing changed": in_child("book", str(course)),
        }
        found["decks"] = weights(course)
    return found


def weights(course):
    """Frames and bytes of each chapter: its frames, its deck, its page."""
    rows = []
    for path in CHAPTERS:
        [drawn] = (course / "build" / "drawn").glob(f"{path.stem}-*")
        frames = list(drawn.rglob("*.webp"))
        deck = course / "slides" / "build" / f"{path.stem}.html"
        page = course / "book" / "build" / "site" / f"{path.stem}.html"
        rows.append(
            {
                "chapter": path.stem,
                "frames": len(frames),
                "frame_bytes": sum(frame.stat().st_size for frame in frames),
                "deck_bytes": deck.stat().st_size if deck.exists() else None,
                "page_bytes": page.stat().st_size,
            }
        )
    return rows


# ---- processes ----------------------------------------------------------------------
def in_child(part, argument):
    """What a part gives in a fresh process, whose arrays get fresh memory."""
    done = subprocess.run(
        [sys.executable, __file__, "--child", json.dumps([part, argument])],
        env={**os.environ, **FRESH},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return json.loads(done.stdout)


CHILDREN = {"run times": run_times, "book": build_of_book}


def measure(quick=False):
    """All figures of growth.

    Parameters
    ----------
    quick : bool
        Smaller sizes, one start; no run of the course and no builds.

    Returns
    -------
    dict
        "caches", "run times", "frame times", "grids", "start of JupyterLab"; and,
        unless `quick`, "whole course" and "builds". A series has xs, ys, the slopes
        between neighbours, and the x between which it is linear.
    """
    found = {
        "caches": cache_bytes(),
        "run times": in_child("run times", quick),
        "frame times": frame_times(quick),
        "grids": size_of_grids(quick),
        "start of JupyterLab": start_of_lab(quick),
    }
    if not quick:
        found["whole course"] = run_of_course()
        found["builds"] = builds()
    return found


# ---- the command --------------------------------------------------------------------
def written(value, unit):
    """A number with its unit, as a reader wants it."""
    if unit == "bytes":
        return f"{value / 1e6:.3g} MB"
    return f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"


def series_lines(found):
    """A series for a terminal."""
    places = zip(found["xs"], found["ys"])
    points = ", ".join(f"{x:g}: {written(y, found['unit'])}" for x, y in places)
    yield f"{found['what']}, as {found['x']} grows: {points}"
    part = found["linear"]
    yield f"    linear from {part[0]:g} to {part[1]:g}" if part else "    never linear"
    for why in found["not_linear"]:
        yield f"    {why}"


def parts_line(name, parts):
    """One line: the parts of something that takes seconds."""
    told = [f"{k} {v:.1f}" for k, v in parts.items() if isinstance(v, float)]
    return f"{name}, in s: {', '.join(told)}"


def lines(found):
    """All figures for a terminal."""
    caches = found["caches"].items()
    yield "caches: " + ", ".join(f"{k} {v / 2**20:.3g} MiB" for k, v in caches)
    grids = found["grids"].get("series", [])
    for one in [*found["run times"], *found["frame times"], *grids]:
        yield from series_lines(one)
    if grids:
        empty = written(found["grids"]["deck without frames"], "bytes")
        each = found["grids"]["deck bytes for a byte of frames"]
        yield f"a deck: {empty}, and {each:.2f} bytes for each byte of its frames"
    yield parts_line("start of JupyterLab", found["start of JupyterLab"])
    if "whole course" in found:
        for row in found["whole course"]["chapters"]:
            yield parts_line(row["chapter"], row)
        yield parts_line("the whole course", found["whole course"]["total"])
        for name, parts in found["builds"].items():
            if name != "decks":
                yield parts_line(name, parts)
        for row in found["builds"]["decks"]:
            deck = row["deck_bytes"]
            told = f"deck {written(deck, 'bytes')}, " if deck else ""
            yield (
                f"{row['chapter']}: {row['frames']} frames of together"
                f" {written(row['frame_bytes'], 'bytes')}, {told}page"
                f" {written(row['page_bytes'], 'bytes')}"
            )


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="no course, no builds")
    parser.add_argument("--json", type=Path, help="write all figures there, too")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args(words)
    if given.child:
        part, argument = json.loads(given.child)
        print(json.dumps(CHILDREN[part](argument)))
        return
    found = measure(given.quick)
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print("\n".join(lines(found)))


if __name__ == "__main__":
    main()
