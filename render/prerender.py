"""Run chapters and draw every state that decks show, once for decks and book.

The drawing of a chapter is a folder in `build/drawn`: the notebook with its outputs,
and a frame for every state. It is made anew only when the chapter, a file that it
imports or reads, or a version has changed. (jupyter-cache, which comes with the book,
looks at the cells alone, and there is nobody to draw the frames.)
"""

import hashlib
import json
import platform
import shutil
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from PIL import Image, ImageOps

from tools.chapters import ROOT, explorer_metadata, outputs_of, still_metadata
from tools.execute import WIDGET_VIEW, cleaned, running

CACHE = ROOT / "build" / "drawn"
MODULES = (  # that have a say in what is drawn
    *("render/prerender.py", "render/frames.py", "render/narrow.py"),
    *("tools/chapters.py", "tools/execute.py"),
)

FRAMES_EXPLORER = 150
# A slide of 1280 x 720 shows 100 pixels an inch. A picture with sliders is sharp up to
# 1.5 times that; a still one, magnified by as much (deck.css), on 1920 pixels, too.
DPI, DPI_STILL = 150, 225
RIM = 4  # CSS pixels: the white that most pictures have at their left
SHAPES = ("wide", "narrow")  # of a picture: for a page, for a telephone
BEFORE = f"""
__import__("course.draw")  # its look comes first
__import__("render.frames").frames.prepare({DPI}, {DPI_STILL}, {{!r}})
"""
PACKAGES = ("numpy", "matplotlib", "pillow", "ipywidgets", "sympy")


class OverBudget(RuntimeError):
    """Pictures would be more, or larger, than a page should carry."""


def explorers_of(cells):
    """What the metadata say of all explorers in these cells, in order."""
    return list(filter(None, map(explorer_metadata, outputs_of(cells))))


def size_on_page(file, dpi=DPI):
    """Width and height of a picture before it is magnified, in CSS pixels."""
    width, height = (pixels * 100 / dpi for pixels in Image.open(BytesIO(file)).size)
    return {"width": round(width), "height": round(height)}


def ink_of(image):
    """What is not white in a picture: left, top, right, bottom, in pixels."""
    dark = ImageOps.invert(image.convert("L"))
    return dark.point(lambda value: 255 * (value > 8)).getbbox()


def left_margin_of(files, dpi=DPI):
    """How much is white at the left of all these pictures, in CSS pixels, but a rim."""
    return max(
        0, int(min(ink_of(Image.open(file))[0] for file in files) * 100 / dpi) - RIM
    )


def fingerprint(notebook):
    """A name for all that decides what a chapter puts out; its text does not."""
    code = [
        [cell.id, cell.source, {**cell.metadata, "transient": None}]
        for cell in nbformat.read(notebook, as_version=4).cells
        if cell.cell_type == "code"
    ]
    versions = [platform.python_version(), *map(version, PACKAGES)]
    digest = hashlib.sha256(json.dumps([code, versions], sort_keys=True).encode())
    folder = notebook.resolve().parent
    beside = [folder / "utils.py", *sorted(folder.glob("course/**/*.*"))]
    for path in [*beside, *(ROOT / name for name in MODULES)]:
        if path.is_file() and path.suffix != ".pyc":
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def check_budget(explorers):
    """Raise OverBudget where one of them needs too many frames."""
    for explorer in explorers:
        if explorer["frames"] > FRAMES_EXPLORER:
            counts = [f"{s['name']} {len(s['labels'])}" for s in explorer["sliders"]]
            cell = explorer["folder"].rpartition("/")[2]
            raise OverBudget(
                f"the explorer of cell {cell} ({' × '.join(counts)}) needs "
                f"{explorer['frames']} frames, at most {FRAMES_EXPLORER} are allowed: "
                "name fewer values in `export`, in the metadata of the cell"
            )


def crop_white(file):
    """Leave out the white above and below a picture, but a rim."""
    image = Image.open(file)
    _, top, _, bottom = ink_of(image)
    rim = 2 * RIM
    rows = max(0, top - rim), min(image.height, bottom + rim)
    image.crop((0, rows[0], image.width, rows[1])).save(file, lossless=True)


def name_pictures(nb, folder):
    """Write into what is told of still pictures where the files of both shapes are.

    And how much is white at the left of the wide one. A page of a telephone is long
    enough without the white above and below the narrow one.
    """
    for cell in nb.cells:
        stills = filter(None, map(still_metadata, cell.get("outputs", [])))
        for number, still in enumerate(stills):
            name = f"{cell.execution_count}-{number}.webp"
            still["files"] = {shape: f"{shape}/{name}" for shape in SHAPES}
            file = folder / still["files"]["wide"]
            still["left_margin"] = left_margin_of([file], DPI_STILL)
            crop_white(folder / still["files"]["narrow"])


def draw_explorers(nb, kernel, folder):
    """Draw the explorers of a notebook that has run, and write into it what they show.

    What the metadata of an output say of it is completed by its sliders, how many
    frames it has, the number of the first one, a sentence for each, how much is white
    at the left of all, and the folder below this one where they are 0.webp, 1.webp, …,
    the last slider fastest.
    """
    shown = [
        (cell, output, output.data[WIDGET_VIEW]["model_id"])
        for cell in nb.cells
        for output in cell.get("outputs", [])
        if explorer_metadata(output)  # another widget lives in JupyterLab alone
    ]
    fewer = {model: dict(cell.metadata.get("export", {})) for cell, _, model in shown}
    states = kernel.call("render.frames", "states", fewer)
    for cell, output, model in shown:
        place = {"folder": f"frames/{cell.id}"}
        explorer_metadata(output).update(states[model], **place)
    check_budget(explorers_of(nb.cells))
    for _, output, model in shown:
        explorer = explorer_metadata(output)
        place = folder / explorer["folder"]
        place.mkdir(parents=True)
        drawn = kernel.call("render.frames", "draw", model, fewer[model], str(place))
        explorer.update(drawn, left_margin=left_margin_of(place.glob("*.webp")))


def draw_chapter(notebook, cache=CACHE):
    """Run a chapter and draw its explorers, unless that has been done.

    Returns the folder of the drawing, for `read_drawn`; its name below `cache` holds
    the fingerprint. Raises RuntimeError where a cell fails, with its id and source,
    and OverBudget where an explorer needs too many frames.
    """
    folder = cache / f"{notebook.stem}-{fingerprint(notebook)}"
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    beside = {"prefix": f".{notebook.stem}-", "dir": cache}
    with TemporaryDirectory(**beside, ignore_cleanup_errors=True) as draft:
        draft = Path(draft)
        for shape in SHAPES:
            (draft / shape).mkdir()
        before = BEFORE.format(str(draft))
        nb, place = nbformat.read(notebook, as_version=4), notebook.resolve().parent
        with running(nb, place, before=before) as (nb, kernel):
            name_pictures(nb, draft)
            draw_explorers(nb, kernel, draft)
        nbformat.write(cleaned(nb), draft / "chapter.ipynb")
        replace_drawing(draft, folder)
    return folder


def read_drawn(notebook, folder):
    """A chapter with its present text and what its code has put out in a drawing."""
    nb = nbformat.read(notebook, as_version=4)
    drawn = nbformat.read(folder / "chapter.ipynb", as_version=4)
    code = {cell.id: cell for cell in drawn.cells if cell.cell_type == "code"}
    nb.cells = [code.get(cell.id, cell) for cell in nb.cells]
    return nb


def replace_drawing(draft, folder):
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
