"""Turn chapters into decks, one self-contained file each: python slides/export.py [--folder DIR] [CHAPTER …]

A chapter runs in a clean kernel, every explorer of its deck is drawn over its grid, and the
stock nbconvert exporter puts all of it into slides/templates/course. A CHAPTER is its number or its notebook.
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

FRAMES_EXPLORER, FRAMES_DECK, MEGABYTES_DECK = 150, 250, 12
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
    """A slide without a heading repeats the last one, notes stand at the top, links lead to decks."""

    def preprocess(self, nb, resources):
        cells, heading, top = [], "", 0
        for cell in nb.cells:
            own = re.search(r"(?m)^#+ .*", cell.source) if cell.cell_type == "markdown" else None
            if own and kind(cell) not in ("skip", "notes"):
                heading = "## " + own[0].lstrip("# ")
            if cell.cell_type == "markdown":
                cell.source = re.sub(r"\]\((\d\d_\w+)\.ipynb\)", r"](\1.html)", cell.source)
            if kind(cell) == "notes":  # inside a fragment they would wait for it
                cells.insert(top, cell)
                top += 1
                continue
            if kind(cell) in ("slide", "subslide"):
                if not own:
                    own_place = {"slideshow": cell.metadata.pop("slideshow")}
                    cells.append(nbformat.v4.new_markdown_cell(heading, metadata=own_place))
                top = len(cells) + bool(own)
            cells.append(cell)
        nb.cells = cells
        return nb, resources


def exporter():
    """The stock exporter for slides with nbconvert.json and our template."""
    carriers = (distribution("sphinx-revealjs").locate_file("sphinx_revealjs/_static/revealjs"),
                distribution("sphinx-mathjax-offline").locate_file("sphinx-mathjax-offline/static/mathjax"),
                ROOT / "notebooks" / "fonts", Path(matplotlib.get_data_path(), "fonts", "ttf"))
    config = Config(json.loads((HERE / "nbconvert.json").read_text("utf-8")))
    config.SlidesExporter.template_name = "course"
    config.SlidesExporter.extra_template_basedirs = [str(HERE / "templates")]
    config.SlidesExporter.extra_template_paths = [str(path) for path in carriers]
    config.SlidesExporter.preprocessors = [Compose]
    return SlidesExporter(config=config)


# ---- pictures -------------------------------------------------------------------
def outputs(nb):
    """What the cells of the deck put out."""
    cells = (cell for cell in nb.cells if kind(cell) not in ("skip", "notes"))
    return [output for cell in cells for output in cell.get("outputs", [])]


def on_slide(picture, room=None):
    """Width and height of a picture on a slide; enlarged by up to a fifth where there is room."""
    width, height = (pixels * 100 / DPI for pixels in picture.size)
    scale = max(1, min(1.2, room / height)) if room else 1
    return {"width": round(scale * width), "height": round(scale * height)}


def size_figures(nb):
    for output in outputs(nb):
        if png := output.get("data", {}).get("image/png"):
            picture = Image.open(BytesIO(base64.b64decode(png)))
            output.metadata["image/png"].update(on_slide(picture, room=470))


def plan(nb, kernel, say):
    """What to draw, as a list of (name, output, need); OverBudget where it is too much."""
    needs = kernel.call("frames", "survey")
    found = [output for output in outputs(nb) if WIDGET_VIEW in output.get("data", {})]
    plans, faults = [], []
    for number, output in enumerate(found, 1):
        need = needs[output.data[WIDGET_VIEW]["model_id"]]
        name = f"explorer {number} of {len(found)}"
        if "error" in need:
            faults.append(f"{name}: {need['error']}")
            continue
        name += f" ({' × '.join(f'{slider} {len(labels)}' for slider, labels in need['labels'].items())})"
        need["count"] = prod(map(len, need["labels"].values()))
        need["megabytes"] = need["count"] * need["bytes"] * 4 / 3 / 1e6
        plans.append((name, output, need))
        say("{}: {} frames, about {:.1f} MB and {:.0f} s".format(
            name, need["count"], need["megabytes"], need["count"] * need["seconds"]))
        if need["count"] > FRAMES_EXPLORER:
            faults.append(f"{name} needs {need['count']} frames, at most {FRAMES_EXPLORER} are allowed: "
                          "give `explore` fewer values in `export`")
    for key, limit, unit in (("count", FRAMES_DECK, "frames"), ("megabytes", MEGABYTES_DECK, "MB")):
        total = sum(need[key] for _, _, need in plans)
        if total > limit:
            largest = max(plans, key=lambda plan: plan[2][key])[0]
            faults.append(f"all explorers need {total:.0f} {unit}, at most {limit} are allowed for a deck; "
                          f"the largest is {largest}")
    if faults:
        raise OverBudget("; ".join(faults))
    return plans


def draw(plans, kernel, say):
    """Put the frames of every explorer into the metadata of its output."""
    for name, output, need in plans:
        begun, model, start = time.perf_counter(), output.data[WIDGET_VIEW]["model_id"], 0
        with tempfile.TemporaryDirectory() as folder:
            kernel.call("frames", "draw", model, folder)
            files = [(Path(folder) / f"{index}.webp").read_bytes() for index in range(need["count"])]
        for slider, labels in need["labels"].items():
            start = start * len(labels) + need["start"][slider]
        output.metadata["explorer"] = {
            "sliders": [{"name": slider, "labels": labels, "start": need["start"][slider]}
                        for slider, labels in need["labels"].items()],
            "frames": [base64.b64encode(file).decode() for file in files], "start": start,
            **on_slide(Image.open(BytesIO(files[0])))}
        say(f"{name}: drawn in {time.perf_counter() - begun:.1f} s")


# ---- decks ----------------------------------------------------------------------
def deck(notebook, folder, say=print):
    """Write one chapter's deck, whole or not at all.

    Parameters
    ----------
    notebook : path
    folder : path
        Where NN_name.html is written.
    say : callable
        Gets a line about each step.

    Returns
    -------
    path of the deck.

    Raises
    ------
    RuntimeError
        If a cell fails, with its index and source.
    OverBudget
        If the deck needs too many frames or bytes, with the explorer that does.
    """
    notebook, folder, begun = Path(notebook), Path(folder), time.perf_counter()

    def after(nb, kernel):
        say(f"ran in {time.perf_counter() - begun:.1f} s")
        draw(plan(nb, kernel, say), kernel, say)

    nb = execute(notebook, before=BEFORE, after=after)
    nb.metadata["title"] = re.search(r"(?m)^# (.*)", nb.cells[0].source)[1]
    size_figures(nb)
    page, _ = exporter().from_notebook_node(nb)
    megabytes = len(page.encode()) / 1e6
    if megabytes > MEGABYTES_DECK:
        raise OverBudget(f"the deck has {megabytes:.1f} MB, at most {MEGABYTES_DECK} are allowed")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{notebook.stem}.html"
    draft = path.with_suffix(".part")
    draft.write_text(page, encoding="utf-8", newline="\n")
    draft.replace(path)
    say(f"{os.path.relpath(path)}: {megabytes:.1f} MB in {time.perf_counter() - begun:.0f} s")
    return path


def attempt(notebook, folder):
    """Make a deck, or return the reason why there is none."""
    chapter = notebook.stem[:2]
    try:
        deck(notebook, folder, lambda line: print(f"chapter {chapter}: {line}", flush=True))
    except Exception as error:
        known = "" if isinstance(error, RuntimeError) else f"{type(error).__name__}: "
        return f"chapter {chapter}: no deck. {known}{error}"


def chosen(chapters):
    """The notebooks of some chapters, given as numbers or paths; of all if none is given."""
    every = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
    by_number = {path.stem.split("_")[0]: path for path in every}
    found = [by_number.get(name.zfill(2), Path(name)) for name in chapters]
    if unknown := [path for path in found if not path.is_file()]:
        sys.exit(f"There is no chapter {unknown[0]}. There are: {', '.join(by_number)}.")
    return found or every


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER")
    parser.add_argument("--folder", type=Path, default=HERE / "build")
    arguments = parser.parse_args()
    notebooks = chosen(arguments.chapters)
    with ProcessPoolExecutor(min(os.cpu_count(), len(notebooks))) as pool:
        jobs = [pool.submit(attempt, notebook, arguments.folder) for notebook in notebooks]
        faults = [fault for job in as_completed(jobs) if (fault := job.result())]
    sys.exit("\n".join(faults) or 0)


if __name__ == "__main__":
    main()
