"""Turn chapters into decks, one self-contained file each.

    python slides/export.py [--folder DIR] [CHAPTER …]

A chapter runs in a clean kernel, every explorer of its deck is drawn over its grid, and
the stock nbconvert exporter puts all of it into slides/templates/course. A CHAPTER is
its number or its notebook.
"""

import argparse
import base64
import json
import os
import re
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from importlib.metadata import distribution
from io import BytesIO
from math import prod
from pathlib import Path

import matplotlib
import nbformat
from nbconvert import SlidesExporter
from nbconvert.preprocessors import Preprocessor
from PIL import Image
from traitlets.config import Config

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "tools"))
from execute import WIDGET_VIEW, execute  # noqa: E402

FRAMES_EXPLORER = 150
FRAMES_DECK = 250
MEGABYTES_DECK = 12
DPI = 150  # a slide shows 100 pixels an inch: sharp up to 1.5 times its 1280 x 720
BEFORE = f"""
__import__("sys").path.append({str(HERE)!r})
__import__("utils").plt.rcParams["figure.dpi"] = {DPI}
"""


class OverBudget(RuntimeError):
    """A deck would be larger than a lecturer can use."""


# ---- nbconvert ------------------------------------------------------------------
def kind(cell):
    return cell.metadata.get("slideshow", {}).get("slide_type", "-")


class Compose(Preprocessor):
    """A slide without a heading repeats the last; notes stand on top; links lead on."""

    def preprocess(self, nb, resources):
        cells = []
        heading = ""  # the last one
        top = 0  # where the notes of the present slide go
        for cell in nb.cells:
            own = None
            if cell.cell_type == "markdown":
                own = re.search(r"(?m)^#+ .*", cell.source)
            if own and kind(cell) not in ("skip", "notes"):
                heading = "## " + own[0].lstrip("# ")
            if cell.cell_type == "markdown":
                cell.source = re.sub(
                    r"\]\((\d\d_\w+)\.ipynb\)", r"](\1.html)", cell.source
                )
            if kind(cell) == "notes":  # inside a fragment they would wait for it
                cells.insert(top, cell)
                top += 1
                continue
            if kind(cell) in ("slide", "subslide"):
                if not own:
                    own_place = {"slideshow": cell.metadata.pop("slideshow")}
                    cells.append(
                        nbformat.v4.new_markdown_cell(heading, metadata=own_place)
                    )
                top = len(cells) + bool(own)
            cells.append(cell)
        nb.cells = cells
        return nb, resources


def exporter():
    """The stock exporter for slides with nbconvert.json and our template."""
    carriers = (
        distribution("sphinx-revealjs").locate_file("sphinx_revealjs/_static/revealjs"),
        distribution("sphinx-mathjax-offline").locate_file(
            "sphinx-mathjax-offline/static/mathjax"
        ),
        ROOT / "notebooks" / "fonts",
        Path(matplotlib.get_data_path(), "fonts", "ttf"),
    )
    config = Config(json.loads((HERE / "nbconvert.json").read_text("utf-8")))
    config.SlidesExporter.template_name = "course"
    config.SlidesExporter.extra_template_basedirs = [str(HERE / "templates")]
    config.SlidesExporter.extra_template_paths = [str(path) for path in carriers]
    config.SlidesExporter.preprocessors = [Compose]
    return SlidesExporter(config=config)


# ---- pictures -------------------------------------------------------------------
IMAGE = re.compile(r'<img alt="([^"]*)" src="data:image/png;base64,([^"]+)">')


def outputs(nb):
    """What the cells of the deck put out."""
    cells = (cell for cell in nb.cells if kind(cell) not in ("skip", "notes"))
    return [output for cell in cells for output in cell.get("outputs", [])]


def on_slide(file, room=None):
    """Width and height of a picture on a slide, a fifth larger where there is room."""
    width, height = (pixels * 100 / DPI for pixels in Image.open(BytesIO(file)).size)
    scale = max(1, min(1.2, room / height)) if room else 1
    return {"width": round(scale * width), "height": round(scale * height)}


def place_figures(nb):
    """Give the template what it needs of each figure: its pixels, alt text and size."""
    for output in outputs(nb):
        if image := IMAGE.match(output.get("data", {}).get("text/html", "")):
            alt, source = image.groups()
            size = on_slide(base64.b64decode(source), room=470)
            output.metadata["picture"] = {"alt": alt, "source": source, **size}


def survey(nb, kernel):
    """What each explorer of the deck needs, in order, with its output and a name."""
    needs = kernel.call("frames", "survey")
    found = [output for output in outputs(nb) if WIDGET_VIEW in output.get("data", {})]
    for number, output in enumerate(found, 1):
        need = needs[output.data[WIDGET_VIEW]["model_id"]]
        sliders = " × ".join(
            f"{name} {len(labels)}" for name, labels in need["labels"].items()
        )
        need["name"] = f"explorer {number} of {len(found)} ({sliders})"
        need["output"] = output
        need["frames"] = prod(map(len, need["labels"].values()))
        need["megabytes"] = need["frames"] * need["bytes"] * 4 / 3 / 1e6
        yield need


def judge(needs):
    """Raise OverBudget where the explorers of a deck need too much."""
    faults = [
        f"{need['name']} needs {need['frames']} frames, at most {FRAMES_EXPLORER} are "
        "allowed: give `explore` fewer values in `export`"
        for need in needs
        if need["frames"] > FRAMES_EXPLORER
    ]
    for what, limit in (("frames", FRAMES_DECK), ("megabytes", MEGABYTES_DECK)):
        total = sum(need[what] for need in needs)
        if total > limit:
            largest = max(needs, key=lambda need: need[what])["name"]
            faults.append(
                f"all explorers need {total:.0f} {what}, at most {limit} are allowed "
                f"for a deck; the largest is {largest}"
            )
    if faults:
        raise OverBudget("; ".join(faults))


def draw(need, kernel):
    """Put the frames and sentences of an explorer into the metadata of its output."""
    output = need["output"]
    with tempfile.TemporaryDirectory() as folder:
        model = output.data[WIDGET_VIEW]["model_id"]
        sentences = kernel.call("frames", "draw", model, folder)
        files = [
            Path(folder, f"{index}.webp").read_bytes()
            for index in range(need["frames"])
        ]
    start = 0
    for name, labels in need["labels"].items():
        start = start * len(labels) + need["start"][name]
    output.metadata["explorer"] = {
        "alt": IMAGE.match(output.data["text/html"])[1],
        "sliders": [
            {"name": name, "labels": labels, "start": need["start"][name]}
            for name, labels in need["labels"].items()
        ],
        "frames": [base64.b64encode(file).decode() for file in files],
        "sentences": sentences,
        "start": start,
        **on_slide(files[0]),
    }


# ---- decks ----------------------------------------------------------------------
@dataclass
class Deck:
    """A deck that has been written."""

    path: Path
    megabytes: float
    seconds: float
    frames: list  # how many pictures each explorer needs


def deck(notebook, folder, say=print, also=None):
    """Write one chapter's deck, whole or not at all.

    Parameters
    ----------
    notebook : path
    folder : path
        Where NN_name.html is written.
    say : callable
        Gets a line about each step.
    also : callable, optional
        `also(nb, kernel)` is called when the chapter has run and its frames are drawn.

    Returns
    -------
    Deck

    Raises
    ------
    RuntimeError
        If a cell fails, with its index and source.
    OverBudget
        If the deck needs too many frames or bytes, with the explorer that does.
    """
    notebook, folder = Path(notebook), Path(folder)
    begun = time.perf_counter()
    needs = []

    def after(nb, kernel):
        say(f"ran in {time.perf_counter() - begun:.1f} s")
        needs.extend(survey(nb, kernel))
        for need in needs:
            say(
                f"{need['name']}: {need['frames']} frames, about "
                f"{need['megabytes']:.1f} MB"
            )
        judge(needs)
        for need in needs:
            draw(need, kernel)
            say(f"{need['name']}: drawn after {time.perf_counter() - begun:.1f} s")
        if also:
            also(nb, kernel)

    nb = execute(notebook, before=BEFORE, after=after)
    nb.metadata["title"] = re.search(r"(?m)^# (.*)", nb.cells[0].source)[1]
    place_figures(nb)
    page, _ = exporter().from_notebook_node(nb)
    megabytes = len(page.encode()) / 1e6
    if megabytes > MEGABYTES_DECK:
        raise OverBudget(
            f"the deck has {megabytes:.1f} MB, at most {MEGABYTES_DECK} are allowed"
        )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{notebook.stem}.html"
    draft = path.with_suffix(".part")
    draft.write_text(page, encoding="utf-8", newline="\n")
    draft.replace(path)
    seconds = time.perf_counter() - begun
    say(f"{os.path.relpath(path)}: {megabytes:.1f} MB in {seconds:.0f} s")
    return Deck(path, megabytes, seconds, [need["frames"] for need in needs])


def attempt(notebook, folder):
    """Make a deck, or return the reason why there is none."""
    chapter = notebook.stem[:2]
    try:
        deck(
            notebook,
            folder,
            lambda line: print(f"chapter {chapter}: {line}", flush=True),
        )
    except Exception as error:
        known = "" if isinstance(error, RuntimeError) else f"{type(error).__name__}: "
        return f"chapter {chapter}: no deck. {known}{error}"


def chosen(chapters):
    """The notebooks of some chapters, given as numbers or paths; of all if none is."""
    every = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
    by_number = {path.stem.split("_")[0]: path for path in every}
    found = [by_number.get(name.zfill(2), Path(name)) for name in chapters]
    if unknown := [path for path in found if not path.is_file()]:
        sys.exit(
            f"There is no chapter {unknown[0]}. There are: {', '.join(by_number)}."
        )
    return found or every


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER")
    parser.add_argument("--folder", type=Path, default=HERE / "build")
    arguments = parser.parse_args()
    notebooks = chosen(arguments.chapters)
    with ProcessPoolExecutor(min(os.cpu_count(), len(notebooks))) as pool:
        jobs = [
            pool.submit(attempt, notebook, arguments.folder) for notebook in notebooks
        ]
        faults = [fault for job in as_completed(jobs) if (fault := job.result())]
    sys.exit("\n".join(faults) or 0)


if __name__ == "__main__":
    main()
