"""What README, the book's page and a picture show of the results."""

import json
from statistics import median

import matplotlib.pyplot as plt

from course.draw import FAINT, INK, MARK, POSITION
from course.pictures import look
from tools.chapters import ROOT

RESULTS = ROOT / "bench" / "results.json"
IN_THE_PAGE = ROOT / "bench" / "in_the_page.json"
PICTURE = ROOT / "figures" / "measured.png"
README = ROOT / "README.md"
PAGE = ROOT / "book" / "pages" / "measured.md"
BEGIN, END = "<!-- measured -->", "<!-- /measured -->"
HERE_BEGIN, HERE_END = "<!-- in the page -->", "<!-- /in the page -->"
BROWSERS = ["Chromium", "Firefox", "WebKitGTK"]
WAVES = {
    "explore": "`explore`",
    "interact": "`ipywidgets.interact` with `plt.show()`",
    "ipympl": "ipympl",
    "plotly": "Plotly's `FigureWidget`",
}


def by_speed(rows):
    """The rows, the fastest slider first."""
    return sorted(rows, key=lambda row: row["p50"])


def ms(time):
    return f"{time:.0f} ms"


def markdown(heads, rows):
    """A table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)


def sentence(results):
    """What README says."""
    times = [row["p50"] for row in results["explorers"]]
    return (
        f"A slider's picture is there {median(times):.0f} ms after a key press (the"
        f" median of {len(times)} explorers), in the slowest {max(times):.0f} ms. The"
        f" floor, a blank picture by ipywidgets, takes {results['floor']['p50']:.0f} ms"
        f" (in JupyterLab, {results['where']['date']})."
    )


def slider_table(results):
    rows = by_speed(results["explorers"])
    middle = {share: median(row[share] for row in rows) for share in ("p50", "p95")}
    waves = {row["name"]: row for row in results["waves"]}
    floor = "a blank picture of 60 × 60 pixels by `ipywidgets.Image`, the floor"
    lines = {
        floor: results["floor"],
        f"the {len(rows)} explorers of the course: the fastest": rows[0],
        "… the median": middle,
        "… the slowest": rows[-1],
        **{f"a wave by {words}": waves[name] for name, words in WAVES.items()},
    }
    return markdown(
        ["from a key press to the new picture, decoded", "p50", "p95"],
        [[name, ms(row["p50"]), ms(row["p95"])] for name, row in lines.items()],
    )


def step_sentence(results):
    steps = [row["step"] for row in results["explorers"]]
    wave = results["waves"][0]["step"]
    return (
        "One step in the kernel moves the artists, draws the picture and makes a PNG"
        f" file. It takes {wave:.0f} ms for the wave, {median(steps):.0f} ms for the"
        f" median of the explorers and {max(steps):.0f} ms for the slowest."
    )


def code_table(results):
    rows = [
        [row["way"], row["size"], row["dtype"], ms(row["ms"]), f"{row['error']:.0e}"]
        for row in results["table"]
    ]
    heads = ["way to make the table", "rows × columns", "type", "time", "largest error"]
    return markdown(heads, rows)


def origin(results):
    """When and where the figures were taken."""
    events = min(row["events"] for row in results["explorers"] + results["waves"])
    where = ", ".join(f"{name} {value}" for name, value in results["where"].items())
    return (
        f"Measured by `make bench`: {events} key presses or more for each row; {where}."
    )


def picture(results):
    rows = by_speed(results["explorers"])
    waves = [f"{row['name']} {row['p50']:.0f}" for row in results["waves"]]
    alt = (
        f"A dot for each of {len(rows)} explorers, from {rows[0]['p50']:.0f} to"
        f" {rows[-1]['p50']:.0f} ms, beside a dashed line, the floor, at"
        f" {results['floor']['p50']:.0f} ms; then a wave, in ms: {', '.join(waves)}."
    )
    image = f'<img src="_static/measured.png" width="1290" height="600" alt="{alt}">'
    return f'<div class="figure">{image}</div>'


def put(text, begin, end, words):
    """A text with other words between two marks."""
    before, _, rest = text.partition(begin)
    return before + begin + words + end + rest.partition(end)[2]


def with_results(path, results):
    """The text of README or page, with the results between its marks."""
    words = sentence(results)
    if path == PAGE:
        parts = (picture, sentence, slider_table, step_sentence, code_table, origin)
        words = "\n\n".join(["", *(part(results) for part in parts), ""])
    text = put(path.read_text("utf-8"), BEGIN, END, words)
    if path == PAGE:
        here = json.loads(IN_THE_PAGE.read_text("utf-8"))
        text = put(text, HERE_BEGIN, HERE_END, f"\n\n{in_the_page(here)}\n\n")
    return text


def seconds_of(one, chapter):
    """How long a browser took to run a chapter, if it was measured there."""
    rows = [row["run"] for row in one["chapters"] if row["chapter"] == chapter]
    return f"{rows[0]:.0f} s" if rows else "–"


def in_the_page(results):
    """The kernel in the page: a row for what was timed, a column for each browser."""
    made = [results[name] for name in BROWSERS]

    def row(words, of, native="–"):
        return [words, native, *map(of, made)]

    def seconds(name):
        return lambda one: f"{min(one[name]):.0f} to {max(one[name]):.0f} s"

    def middle(name):
        return lambda one: ms(median(chapter[name] for chapter in one["chapters"]))

    rows = [
        row("Python is ready, the first time", seconds("cold")),
        row("… the second time", seconds("warm")),
        row("chapter 4’s first slider answers, the first time", seconds("live")),
        row("MB that came until then", lambda one: f"{one['bytes'] / 1e6:.0f}"),
    ]
    for chapter, native in results["native"].items():
        times = [seconds_of(one, chapter) for one in made]
        rows.append([f"all cells of chapter {chapter}", f"{native:.0f} s", *times])
    rows.append(row("a step in the kernel, median of the chapters", middle("step")))
    rows.append(row("from a key press to the picture", middle("press")))
    versions = [f"{name} {results[name]['version']}" for name in BROWSERS]
    where = ", ".join(f"{name} {value}" for name, value in results["where"].items())
    starts = [len(one["cold"]) + len(one["warm"]) for one in made]
    tried = ", ".join(f"{name} {n}" for name, n in zip(BROWSERS, starts))
    table = markdown(["", "Python here", *versions], rows)
    return f"{table}\n\nStarts, none of which failed: {tried}. Measured: {where}."


def keep_page(results):
    """Save the figures of the kernel in the page, and write them into the book."""
    IN_THE_PAGE.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    rest = json.loads(RESULTS.read_text("utf-8"))
    PAGE.write_text(with_results(PAGE, rest), "utf-8")


def draw(results):
    """A dot for each explorer, then for the wave in each way, by their speed."""
    rows, waves = by_speed(results["explorers"]), by_speed(results["waves"])
    floor = results["floor"]["p50"]
    fig, ax = plt.subplots(figsize=(8.6, 4))
    gap = len(rows) / 4
    places = [len(rows) + gap * (1 + number) for number in range(len(waves))]
    for x, row in [*enumerate(rows), *zip(places, waves)]:
        rival = row["name"] in WAVES and row["name"] != "explore"
        colour, marker = (MARK, "s") if rival else (POSITION, "o")
        ax.plot([x, x], [row["p50"], row["p95"]], color=FAINT, lw=2)
        ax.plot(x, row["p50"], marker, color=colour, mec=INK, ms=5)
    for x, row in zip(places, waves):
        ax.text(x, row["p95"] + 5, row["name"], ha="center")
    ax.axhline(floor, color=INK, ls="--", lw=1.5)
    ax.text(places[-1], floor - 5, "floor", ha="right", va="top")
    ax.set(ylim=(0, 1.15 * max(row["p95"] for row in rows + waves)), xticks=[])
    ax.set_title("key press to picture: p50, up to p95 (ms)")
    ax.set_xlabel(f"{len(rows)} explorers; a wave in {len(waves)} ways")
    return fig


def write(results):
    """README, page and picture."""
    for path in (README, PAGE):
        path.write_text(with_results(path, results), "utf-8")
    with look():
        draw(results).savefig(PICTURE, dpi=150)
