"""Run chapters and draw all that their sliders can show, once for decks and book.

What a chapter puts out is kept in `build/drawn`, and drawn again only when the chapter,
a file that it imports or reads, or a version has changed. (jupyter-cache, which comes
with the book, looks at the cells alone, and there is nobody to draw the frames.)
"""

import hashlib
import json
import platform
import re
import shutil
import tempfile
import time
from importlib.metadata import version
from io import BytesIO
from math import prod
from pathlib import Path

import nbformat
from PIL import Image

from tools.execute import WIDGET_VIEW, execute

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CACHE = ROOT / "build" / "drawn"

FRAMES_EXPLORER = 150
FRAMES_DECK = 250
MEGABYTES_DECK = 12
DPI = 150  # a slide shows 100 pixels an inch: sharp up to 1.5 times its 1280 x 720
BEFORE = f"""
__import__("sys").path.append({str(HERE)!r})
__import__("utils").plt.rcParams["figure.dpi"] = {DPI}
"""
IMAGE = re.compile(r'<img alt="([^"]*)" src="data:image/png;base64,([^"]+)">')
SLIDES = ("slide", "subslide")
PACKAGES = ("numpy", "matplotlib", "pillow", "ipywidgets", "sympy")


class OverBudget(RuntimeError):
    """A deck would be larger than a lecturer can use."""


def kind(cell):
    return cell.metadata.get("slideshow", {}).get("slide_type", "-")


def in_deck(cell):
    return kind(cell) not in ("skip", "notes")


def explorer_of(output):
    """What `draw` has kept of an explorer, if the output is one."""
    return output.get("metadata", {}).get("explorer")


def answers(cell):
    """What `predict` offers in a cell: each answer, its verdict and its reply."""
    found = [o.get("data", {}).get("text/html", "") for o in cell.get("outputs", [])]
    answer = r"<summary>(.*?)</summary><p [^>]*><b>(Yes|Not this one)\.</b> (.*?)</p>"
    return re.findall(answer, "".join(found))


def on_slide(file, room=None):
    """Width and height of a picture on a slide, a fifth larger where there is room."""
    width, height = (pixels * 100 / DPI for pixels in Image.open(BytesIO(file)).size)
    scale = max(1, min(1.2, room / height)) if room else 1
    return {"width": round(scale * width), "height": round(scale * height)}


# ---- what a drawing depends on ------------------------------------------------------
def fingerprint(notebook):
    """A name for all that decides what a chapter puts out; its text does not."""
    cells = []
    for cell in nbformat.read(notebook, as_version=4).cells:
        if cell.cell_type == "code":
            marks = {**cell.metadata, "transient": None}
            cells.append([cell.id, cell.source, marks])
    found = hashlib.sha256(json.dumps(cells, sort_keys=True).encode())
    beside = sorted(
        path
        for path in notebook.resolve().parent.rglob("*")
        if path.is_file() and path.suffix in (".py", ".otf", ".jsonl")
    )
    tools = [HERE / name for name in ("drawing.py", "execute.py", "frames.py")]
    for path in [*beside, *tools]:
        found.update(path.name.encode() + b"\0" + path.read_bytes())
    versions = [platform.python_version(), *map(version, PACKAGES)]
    found.update(" ".join(versions).encode())
    return found.hexdigest()[:12]


# ---- explorers ----------------------------------------------------------------------
def survey(nb, kernel):
    """What each explorer of the notebook needs, in order, with its cell and a name."""
    needs = kernel.call("frames", "survey")
    found = [
        (cell, output)
        for cell in nb.cells
        for output in cell.get("outputs", [])
        if WIDGET_VIEW in output.get("data", {})
    ]
    for number, (cell, output) in enumerate(found, 1):
        need = needs[output.data[WIDGET_VIEW]["model_id"]]
        sliders = " × ".join(
            f"{name} {len(labels)}" for name, labels in need["labels"].items()
        )
        need["name"] = f"explorer {number} of {len(found)} ({sliders})"
        need["cell"] = cell
        need["output"] = output
        need["frames"] = prod(map(len, need["labels"].values()))
        need["megabytes"] = need["frames"] * need["bytes"] * 4 / 3 / 1e6
        yield need


def judge(needs):
    """Raise OverBudget where the explorers of a chapter, or of its deck, need too much.

    Whatever is refused here is refused before it is drawn.
    """
    faults = [
        f"{need['name']} needs {need['frames']} frames, at most {FRAMES_EXPLORER} are "
        "allowed: give `explore` fewer values in `export`"
        for need in needs
        if need["frames"] > FRAMES_EXPLORER
    ]
    core = [need for need in needs if in_deck(need["cell"])]
    for what, limit in (("frames", FRAMES_DECK), ("megabytes", MEGABYTES_DECK)):
        total = sum(need[what] for need in core)
        if total > limit:
            largest = max(core, key=lambda need: need[what])["name"]
            faults.append(
                f"all explorers need {total:.0f} {what}, at most {limit} are allowed "
                f"for a deck; the largest is {largest}"
            )
    if faults:
        raise OverBudget("; ".join(faults))


def draw(need, kernel, folder):
    """Write the frames of an explorer into a folder; what belongs to them is kept."""
    output, name = need["output"], need["cell"].id
    place = folder / "frames" / name
    place.mkdir(parents=True)
    model = output.data[WIDGET_VIEW]["model_id"]
    sentences = kernel.call("frames", "draw", model, str(place))
    start = 0
    for slider, labels in need["labels"].items():
        start = start * len(labels) + need["start"][slider]
    output.metadata["explorer"] = {
        "alt": IMAGE.match(output.data["text/html"])[1],
        "sliders": [
            {"name": slider, "labels": labels, "start": need["start"][slider]}
            for slider, labels in need["labels"].items()
        ],
        "folder": f"frames/{name}",
        "frames": need["frames"],
        "sentences": sentences,
        "start": start,
    }


# ---- chapters -----------------------------------------------------------------------
def drawn(notebook, cache=CACHE, say=print):
    """Run a chapter and draw its explorers, unless that has been done.

    Parameters
    ----------
    notebook : path
    cache : path
        Where the drawings of chapters are. A folder there is named by its chapter and
        by what it has been drawn from, and is whole.
    say : callable
        Gets a line about each step.

    Returns
    -------
    folder : path
        For `chapter`. Outputs are at DPI. The output of an explorer has metadata
        `explorer`: its sliders, its sentences, and the folder below this one where its
        frames are 0.webp, 1.webp, …, the last slider fastest.

    Raises
    ------
    RuntimeError
        If a cell fails, with its index and source.
    OverBudget
        If an explorer, or a deck, needs too many frames or bytes.
    """
    notebook, cache = Path(notebook), Path(cache)
    folder = cache / f"{notebook.stem}-{fingerprint(notebook)}"
    if folder.is_dir():
        return folder
    begun = time.perf_counter()
    cache.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{notebook.stem}-", dir=cache))

    def after(nb, kernel):
        say(f"ran in {time.perf_counter() - begun:.1f} s")
        needs = list(survey(nb, kernel))
        for need in needs:
            say(
                f"{need['name']}: {need['frames']} frames, about "
                f"{need['megabytes']:.1f} MB"
            )
        judge(needs)
        for need in needs:
            draw(need, kernel, draft)
            say(f"{need['name']}: drawn after {time.perf_counter() - begun:.1f} s")

    try:
        nb = execute(notebook, before=BEFORE, after=after)
        nbformat.write(nb, draft / "chapter.ipynb")
        put(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return folder


def chapter(notebook, folder):
    """A chapter with its present text and what its code has put out in a drawing."""
    nb = nbformat.read(notebook, as_version=4)
    done = nbformat.read(folder / "chapter.ipynb", as_version=4)
    code = {cell.id: cell for cell in done.cells if cell.cell_type == "code"}
    nb.cells = [code.get(cell.id, cell) for cell in nb.cells]
    return nb


def put(draft, folder):
    """Give a drawing its name, if no other process has; then drop those before it."""
    try:
        draft.rename(folder)
    except OSError:
        if not folder.is_dir():  # then no other process has been quicker
            raise
    name = folder.name.rpartition("-")[0]
    for other in folder.parent.glob(f"{name}-*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
