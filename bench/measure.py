"""Measure the course beside its rivals: make bench.

    python bench/measure.py [--quick] [--keep]

It prints all figures and writes them to build/bench/results.json. With --keep they go
into bench/results.json, and from there into README.md, into the book's page
"Measured" and into figures/measured.png; with --write only these three are made anew.
"""

import argparse
import json
import os
import sys
import time
from functools import partial
from importlib.metadata import version
from pathlib import Path
from platform import python_version

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results.json"
PICTURE = ROOT / "figures" / "measured.png"
PAGES = [ROOT / "README.md", ROOT / "book" / "pages" / "measured.md"]
BEGIN, END = "<!-- measured -->", "<!-- /measured -->"
PACKAGES = ("numpy", "matplotlib", "ipywidgets", "jupyterlab")
RIVALS = {
    "interact": "`ipywidgets.interact` with `plt.show()`, the same wave",
    "ipympl": "`ipympl`, the same wave",
    "plotly": "Plotly `FigureWidget`, the same wave",
}
SIZES = [(5000, 512), (20000, 1024)]  # README shows the first


# ---- measuring ----------------------------------------------------------------------
def measure(quick, say):
    """All figures, and where they were taken."""
    sys.path.insert(0, str(ROOT / "bench"))
    import growth
    import sliders
    import table

    found, seconds = {}, {}
    for name, part in {
        "table": lambda: table.measure(quick),
        "sliders": lambda: sliders.measure(quick, say=say),
        "growth": lambda: growth.measure(quick),
    }.items():
        begun = time.perf_counter()
        found[name] = part()
        seconds[name] = round(time.perf_counter() - begun)
        if name == "table":
            say("\n".join(table.lines(found[name])))
        if name == "growth":
            say("\n".join(growth.lines(found[name])))
    found["goals of the table"] = table.goals(found["table"])
    found["where"] = {
        "cores": os.cpu_count(),
        "python": python_version(),
        **{name: version(name) for name in PACKAGES},
        **table.conditions(),
        **found["sliders"].pop("versions"),
        "seconds": seconds,
        "quick": quick,
    }
    return found


# ---- reporting ----------------------------------------------------------------------
def row_of(found, name):
    return next(row for row in found["sliders"]["rows"] if row["name"] == name)


def explorers(found):
    """The rows of the course's explorers, the fastest first."""
    others = {"wave", *RIVALS}
    rows = [row for row in found["sliders"]["rows"] if row["name"] not in others]
    return sorted(rows, key=lambda row: row["p50"])


def slider_lines(found):
    """A Markdown table: how long a slider waits for its picture."""
    ours = explorers(found)
    middle = ours[len(ours) // 2]
    yield "| from a slider's event to the new picture, decoded | p50 | p95 |"
    yield "|---|---|---|"
    floor = found["sliders"]["floor"]
    rows = {
        "a blank picture of 60 × 60 pixels, the floor": floor,
        f"the {len(ours)} explorers of the course: the fastest": ours[0],
        "… the one in the middle": middle,
        "… the slowest": ours[-1],
        "`explore`, a wave": row_of(found, "wave"),
        **{words: row_of(found, name) for name, words in RIVALS.items()},
    }
    for words, row in rows.items():
        yield f"| {words} | {row['p50']:.0f} ms | {row['p95']:.0f} ms |"
    places = {
        "in a deck, no kernel": found["sliders"]["decks"],
        "in the book, the first move": found["sliders"]["book"]["first"],
        "in the book, later moves": found["sliders"]["book"]["later"],
    }
    for words, row in places.items():
        yield f"| {words} | {row['p50']:.0f} ms | {row['p95']:.0f} ms |"


def drag_line(found):
    """What a drag over 60 values in two seconds shows."""
    told = [
        f"{drag['pictures']} pictures, the last {drag['last']:.0f} ms after release"
        for drag in found["sliders"]["drags"]
    ]
    return (
        "A drag over 60 values in two seconds shows, for the wave and the slowest"
        f" explorers: {'; '.join(told)}."
    )


def table_lines(found, sizes):
    """A Markdown table: ways to make the table of codes."""
    yield (
        "| way to make the table | rows × columns | type | time | × blocks"
        " | memory / table | largest error |"
    )
    yield "|---|---|---|---|---|---|---|"
    for row in found["table"]:
        if (row["n"], row["d_model"]) not in sizes:
            continue
        peak = row["peak_bytes"]
        memory = f"{peak / row['table_bytes']:.1f}" if peak else "–"
        yield (
            f"| {row['contender']} | {row['n']} × {row['d_model']} | {row['dtype']}"
            f" | {row['seconds']['median'] * 1e3:.1f} ms"
            f" | {row['ratio_to_blocks']:.1f} | {memory} | {row['error']:.0e} |"
        )


def goal_lines(found):
    """What was missed of the goals."""
    for goal in found["goals of the table"]:
        if not goal["holds"]:
            yield (
                f"- {goal['goal']}, {goal['n']} × {goal['d_model']}, {goal['dtype']}:"
                f" {goal['value']:.1f} ({goal['note']})"
            )


def growth_lines(found):
    """Starts and builds, in seconds."""
    lab = found["growth"]["start of JupyterLab"]
    parts = {"cold start of JupyterLab": lab}
    if "whole course" in found["growth"]:
        parts["all chapters run"] = found["growth"]["whole course"]["total"]
        for name, build in found["growth"]["builds"].items():
            if name != "decks":
                parts[name] = build
    for name, steps in parts.items():
        told = ", ".join(
            f"{step} {value:.1f}"
            for step, value in steps.items()
            if isinstance(value, float)
        )
        yield f"- {name}, in seconds: {told}."


def where_line(found):
    where = dict(found["where"])
    where.pop("seconds")
    where.pop("quick")
    cores = where.pop("cores")
    told = ", ".join(f"{name} {value}" for name, value in where.items())
    return f"Measured by `make bench` on {cores} cores, in one run: {told}."


def picture_line(found, page):
    """The picture, as a page shows it, with what it shows in words."""
    ours = explorers(found)
    waves = [f"{name} {row_of(found, name)['p50']:.0f}" for name in RIVALS]
    alt = (
        f"A dot for each of {len(ours)} explorers, from {ours[0]['p50']:.0f} to"
        f" {ours[-1]['p50']:.0f} ms, over a dashed line, the floor, at"
        f" {found['sliders']['floor']['p50']:.0f} ms. At the right one wave, drawn in"
        f" four ways: explore {row_of(found, 'wave')['p50']:.0f} ms,"
        f" {', '.join(waves)} ms."
    )
    if page.name == "README.md":
        return f'<img src="figures/measured.png" width="790" alt="{alt}">'
    image = f'<img src="_static/measured.png" width="1290" height="660" alt="{alt}">'
    return f'<div class="figure">{image}</div>'


def report(found, page):
    """What stands on a page between the two marks."""
    parts = [
        picture_line(found, page),
        "\n".join(slider_lines(found)),
        drag_line(found),
    ]
    if page.name != "README.md":
        parts.append("\n".join(table_lines(found, SIZES)))
        missed = list(goal_lines(found))
        if missed:
            parts.append("Missed goals of this table:\n\n" + "\n".join(missed))
        parts.append("\n".join(growth_lines(found)))
    else:
        parts.append("\n".join(table_lines(found, SIZES[:1])))
    return "\n\n".join([*parts, where_line(found)])


def put(found, page):
    """The text of a page with the report in it."""
    text = page.read_text("utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise ValueError(f"{page.name} needs one {BEGIN} … {END}")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n\n{report(found, page)}\n\n{END}{after}"


def draw(found, path):
    """Every explorer's p50 and p95, the floor and the rivals."""
    sys.path.insert(0, str(ROOT / "notebooks"))
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from utils import FAINT, INK, MARK, POSITION

    ours = explorers(found)
    others = ["wave", *RIVALS]
    fig, ax = plt.subplots(figsize=(8.6, 4.4))
    floor = found["sliders"]["floor"]["p50"]
    ax.axhline(floor, color=INK, ls="--", lw=1.5)
    ax.axhspan(floor, floor + 17, color=FAINT, alpha=0.5, lw=0)
    for place, row in enumerate(ours):
        ax.plot([place, place], [row["p50"], row["p95"]], color=FAINT, lw=3)
        ax.plot(place, row["p50"], "o", color=POSITION, mec=INK)
    first = len(ours) + 3
    for place, name in enumerate(others):
        row = row_of(found, name)
        x = first + 5 * place
        ax.plot([x, x], [row["p50"], row["p95"]], color=FAINT, lw=3)
        is_ours = name == "wave"
        ax.plot(
            x,
            row["p50"],
            "o" if is_ours else "s",
            color=POSITION if is_ours else MARK,
            mec=INK,
            ms=8,
        )
        ax.text(
            x,
            row["p95"] * 1.06,
            "explore" if is_ours else name,
            ha="center",
            va="bottom",
            rotation=35,
        )
    ax.text(0, floor * 0.9, "the floor, and one frame above it", va="top")
    ax.set_yscale("log")
    ax.set(xticks=[], ylabel="event to picture (ms): dot p50, bar up to p95")
    ax.set_xlabel(f"the {len(ours)} explorers of the course; a wave in four ways")
    highest = max(row["p95"] for row in found["sliders"]["rows"])
    ticks = [t for t in (10, 20, 30, 50, 100, 200, 300, 500, 1000) if t < 2 * highest]
    ax.set_yticks(ticks, [str(tick) for tick in ticks])
    ax.minorticks_off()
    ax.set_ylim(floor * 0.6, highest * 1.9)
    fig.savefig(path, dpi=150)
    plt.close(fig)


def write(found):
    """README, the book's page and the picture."""
    for page in PAGES:
        page.write_text(put(found, page), "utf-8")
    draw(found, PICTURE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a sample: 3 minutes")
    parser.add_argument("--keep", action="store_true", help="put them into the pages")
    parser.add_argument("--write", action="store_true", help="measure nothing")
    given = parser.parse_args()
    if given.write:
        write(json.loads(RESULTS.read_text("utf-8")))
        return
    say = partial(print, flush=True)
    found = measure(given.quick, say)
    path = RESULTS if given.keep else ROOT / "build" / "bench" / "results.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    say("\n".join([*slider_lines(found), drag_line(found), *goal_lines(found)]))
    say(f"{len(found['sliders']['missed'])} goals of sliders are missed:")
    say("\n".join(found["sliders"]["missed"]))
    say(where_line(found))
    if given.keep:
        write(found)


if __name__ == "__main__":
    main()
