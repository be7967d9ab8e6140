"""Measure the course beside its rivals: make bench.

    python -m bench.measure [--quick] [--keep | --write] [CHAPTER]

It times the sliders of all chapters (sliders.py) and ways to make the table of codes
(table.py), and writes all figures to build/bench/results.json. With --keep they go to
bench/results.json, and from there into README.md, the book's page "Measured" and
figures/measured.png; --write measures nothing and makes only these three anew. With a
CHAPTER, such as 04, it times the sliders of this one and of the rivals.
"""

import argparse
import datetime
import json
import os
import re
import time
from functools import partial
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from statistics import median

from tools.chapters import CHAPTERS

ROOT = Path(__file__).resolve().parent.parent

RESULTS = ROOT / "bench" / "results.json"
TRIAL = ROOT / "build" / "bench" / "results.json"
PICTURE = ROOT / "figures" / "measured.png"
README = ROOT / "README.md"
PAGE = ROOT / "book" / "pages" / "measured.md"
PAGES = (README, PAGE)
BEGIN, END = "<!-- measured -->", "<!-- /measured -->"
QUICK = "08"  # the chapter with the heaviest pictures
PACKAGES = ("jupyterlab", "ipywidgets", "numpy", "matplotlib")
RIVALS = ("ipympl", "plotly", "torch", "positional-encodings")
WAVES = {
    "explore": "`explore`",
    "blit": "an `ipywidgets.Image` and a textbook blit",
    "redraw": "an `ipywidgets.Image` and matplotlib's full redraw",
    "interact": "`ipywidgets.interact` with `plt.show()`",
    "ipympl": "ipympl",
    "plotly": "Plotly's `FigureWidget`",
}


def measure(quick, chapter, say):
    """All figures, and where they were taken."""
    from bench import sliders, table

    begun = time.monotonic()
    number = chapter or (QUICK if quick else "")
    chapters = [path for path in CHAPTERS if path.stem.startswith(number)]
    if not chapters:
        raise SystemExit(f"no chapter begins with {number}")
    found = {"where": {}, **sliders.measure(chapters, quick, say)}
    found["table"] = [] if chapter else table.measure(quick)
    for row in found["table"]:
        say(row)
    found["where"] = {
        "date": str(datetime.date.today()),
        "cores": os.cpu_count(),
        "minutes": round((time.monotonic() - begun) / 60),
        "sample": bool(quick),
        "Python": python_version(),
        "Chromium": found.pop("chromium"),
        **{name: version(name) for name in (*PACKAGES, *RIVALS)},
    }
    return found


# ---- what stands on the page and in README ------------------------------------------
def markdown(heads, rows):
    """A table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)


def by_speed(found):
    """The rows of the explorers, the fastest first."""
    return sorted(found["explorers"], key=lambda row: row["p50"])


def above(row):
    """How many ms after the floor of the same notebook a picture is there."""
    return row["p50"] - row["floor"]


def sentence(found):
    """What README says."""
    rows = found["explorers"]
    middle = median(row["p50"] for row in rows)
    return (
        f"A slider's picture is there {middle:.0f} ms after a key press, within"
        f" {max(map(above, rows)):.0f} ms of the floor, a blank picture by ipywidgets"
        f" (medians of {len(rows)} explorers in JupyterLab)."
    )


def slider_table(found):
    rows = by_speed(found)
    waves = {row["name"]: row for row in found["waves"]}
    told = {
        "a blank picture of 60 × 60 pixels by `ipywidgets.Image`, the floor": found[
            "floor"
        ],
        f"the {len(rows)} explorers of the course: the fastest": rows[0],
        "… the one in the middle": rows[len(rows) // 2],
        "… the slowest": rows[-1],
        **{f"a wave by {words}": waves[name] for name, words in WAVES.items()},
    }
    return markdown(
        ["from a key press to the new picture, decoded", "p50", "p95"],
        [
            [name, f"{r['p50']:.0f} ms", f"{r['p95']:.0f} ms"]
            for name, r in told.items()
        ],
    )


def step_table(found):
    ways = ("redraw", "blit", "painter")
    rows = found["explorers"]
    told = {
        "the wave": found["waves"][0],
        "the explorers: the median of each way": {
            way: median(row[way] for row in rows) for way in ways
        },
    }
    for way, name in zip(ways, ("full redraw", "blit", "`Painter`")):
        told[f"… where the {name} takes longest"] = max(rows, key=lambda row: row[way])
    return markdown(
        ["one step in the kernel", "full redraw", "textbook blit", "`Painter`"],
        [[name, *(f"{row[way]:.0f} ms" for way in ways)] for name, row in told.items()],
    )


def code_table(found):
    heads = ["way to make the table", "rows × columns", "type", "time", "× blocks"]
    return markdown(
        [*heads, "largest error"],
        [
            [
                row["way"],
                f"{row['n']} × {row['d_model']}",
                row["dtype"],
                f"{row['ms']:.1f} ms",
                f"{row['to blocks']:.1f}",
                f"{row['error']:.0e}",
            ]
            for row in found["table"]
        ],
    )


def where(found):
    told = dict(found["where"])
    date, cores, minutes = (told.pop(key) for key in ("date", "cores", "minutes"))
    sample = "**Only a sample.** " if told.pop("sample") else ""
    events = min(row["events"] for row in found["explorers"] + found["waves"])
    versions = ", ".join(f"{name} {value}" for name, value in told.items())
    return (
        f"{sample}Measured by `make bench` on {date}, on {cores} cores, in {minutes}"
        f" minutes: {events} key presses or more for each row; {versions}."
    )


def picture(found):
    rows = by_speed(found)
    waves = [f"{row['name']} {row['p50']:.0f}" for row in found["waves"]]
    alt = (
        f"Left: a dot for each of {len(rows)} explorers, from {rows[0]['p50']:.0f} to"
        f" {rows[-1]['p50']:.0f} ms, beside a dashed line, the floor, at"
        f" {found['floor']['p50']:.0f} ms; then a wave, in ms: {', '.join(waves)}."
        " Right: a step of each explorer by full redraw, by blit and by Painter."
    )
    image = f'<img src="_static/measured.png" width="1290" height="660" alt="{alt}">'
    return f'<div class="figure">{image}</div>'


def report(found, path):
    """What stands between the two marks."""
    if path == README:
        return sentence(found)
    parts = (picture, sentence, slider_table, step_table, code_table, where)
    return "\n\n" + "\n\n".join(part(found) for part in parts) + "\n\n"


def around(path):
    """What stands on README or page before the first mark and after the second."""
    text = path.read_text("utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise SystemExit(f"{path.name} needs one {BEGIN} … {END}")
    return text.split(BEGIN)[0], text.split(END)[1]


def put(found, path):
    """The text of README or page with its report."""
    before, after = around(path)
    return before + BEGIN + report(found, path) + END + after


# ---- the picture --------------------------------------------------------------------
def draw(found, path):
    """Left the sliders, right the steps."""
    import matplotlib.pyplot as plt

    from utils import FAINT, INK, MARK, POSITION

    fig, (left, right) = plt.subplots(ncols=2, figsize=(8.6, 4.4))
    rows = by_speed(found)
    waves = sorted(found["waves"], key=lambda row: row["p50"])
    gap = len(rows) / 8
    places = [len(rows) + gap * (1 + number) for number in range(len(waves))]
    for x, row in [*enumerate(rows), *zip(places, waves)]:
        ours = row in rows or row["name"] == "explore"
        colour, marker = (POSITION, "o") if ours else (MARK, "s")
        left.plot([x, x], [row["p50"], row["p95"]], color=FAINT, lw=2)
        left.plot(x, row["p50"], marker, color=colour, mec=INK, ms=5)
    for x, row in zip(places, waves):
        left.text(x, 1.05 * row["p95"], row["name"], rotation=90, ha="center")
    floor = found["floor"]["p50"]
    left.axhline(floor, color=INK, ls="--", lw=1.5)
    left.text(places[-1], 0.95 * floor, "floor", ha="right", va="top")
    highest = max(row["p95"] for row in rows + waves)
    left.set(ylim=(0.6 * floor, 3 * highest))
    left.set_title("key press to picture: p50, up to p95 (ms)")
    left.set_xlabel(f"{len(rows)} explorers; a wave in {len(waves)} ways")

    rows = sorted(rows, key=lambda row: row["redraw"])
    for way, name, style in (
        ("redraw", "full redraw", {"marker": "s", "color": MARK}),
        ("blit", "textbook blit", {"marker": "D", "color": FAINT}),
        ("painter", "Painter", {"marker": "o", "color": POSITION}),
    ):
        times = [row[way] for row in rows]
        right.plot(times, **style, ls="", mec=INK, ms=5, label=name)
    right.set(ylim=(2, 6 * max(row["redraw"] for row in rows)))
    right.set_title("one step in the kernel (ms)")
    right.set_xlabel(f"{len(rows)} explorers")
    right.legend(loc="upper left")
    for ax in (left, right):
        low, high = ax.get_ylim()
        ticks = [t for t in (2, 5, 10, 20, 50, 100, 200, 500, 1000) if low <= t < high]
        ax.set(yscale="log", xticks=[])
        ax.set_yticks(ticks, map(str, ticks))
        ax.minorticks_off()
    fig.savefig(path, dpi=150)
    plt.close(fig)


# ---- the command --------------------------------------------------------------------
def write(found):
    """README, page and picture."""
    for path in PAGES:
        path.write_text(put(found, path), "utf-8")
    draw(found, PICTURE)


def save(found, path):
    """As JSON, each row in a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(found, indent=1, ensure_ascii=False)
    rows = re.sub(r"\{[^{}]*\}", lambda row: " ".join(row[0].split()), text)
    path.write_text(rows + "\n", "utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapter", nargs="?", metavar="CHAPTER", help="such as 04")
    parser.add_argument("--quick", action="store_true", help="a sample")
    parser.add_argument("--keep", action="store_true", help="put it into the pages")
    parser.add_argument("--write", action="store_true", help="measure nothing")
    given = parser.parse_args()
    if given.keep and (given.chapter or given.quick):
        parser.error("a sample is no whole run: nothing to keep")
    if given.keep:
        for path in PAGES:
            around(path)  # before the minutes of a run
    if not given.write:
        found = measure(given.quick, given.chapter, partial(print, flush=True))
        save(found, RESULTS if given.keep else TRIAL)
        print(found["floor"], found["where"], sep="\n")
    if given.keep or given.write:
        write(json.loads(RESULTS.read_text("utf-8")))


if __name__ == "__main__":
    main()
