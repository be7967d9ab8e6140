"""Turn chapters into decks, one self-contained file each.

    python -m slides.export [NUMBER …]

A chapter runs in a clean kernel and its explorers are drawn over their grids, once for
decks and book (render/prerender.py); the stock nbconvert exporter puts all of it
into slides/templates/course. The web book's decks link to its pictures in place of
carrying them (book/site_decks.py).
"""

import base64
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import matplotlib
from nbconvert import SlidesExporter
from traitlets.config import Config

from render.formulas import with_formulas
from render.prerender import (
    CACHE,
    DPI_STILL,
    OverBudget,
    draw_chapter,
    explorers_of,
    read_drawn,
    size_on_page,
)
from render.vendored import REVEAL
from slides.compose import chapter_links, compose, still_pictures
from slides.markup import as_html, code_as_html, latex_as_html
from tools.chapters import DECKS, ROOT, in_deck, named, still_metadata
from tools.execute import write_whole

HERE = Path(__file__).resolve().parent
MEGABYTES = 9  # of a deck; more is slow to open, and too large for a mail


# ---- nbconvert ------------------------------------------------------------------
def exporter(template="course", folder=HERE / "templates"):
    """The stock exporter for slides with nbconvert.json and our template.

    Another one, of another folder, may extend ours.
    """
    carriers = (
        HERE / "templates",
        REVEAL,
        ROOT / "render" / "page",
        ROOT / "notebooks" / "course" / "fonts",
        Path(matplotlib.get_data_path(), "fonts", "ttf"),
    )
    config = Config(json.loads((HERE / "nbconvert.json").read_text("utf-8")))
    config.SlidesExporter.template_name = template
    folders = [str(HERE / "templates"), str(folder)]
    config.SlidesExporter.extra_template_basedirs = folders
    config.SlidesExporter.extra_template_paths = [str(path) for path in carriers]
    config.SlidesExporter.filters = {
        "markdown2html": as_html,
        "latex2html": latex_as_html,
        "highlight_code": code_as_html,
    }
    return SlidesExporter(config=config)


# ---- what the template needs of pictures and explorers --------------------------
def as_text(file):
    return base64.b64encode(file).decode()


def place_picture(still, folder):
    """Give the template the pixels and the size of a still picture."""
    file = (folder / still["files"]["wide"]).read_bytes()
    source = f"data:image/webp;base64,{as_text(file)}"
    still.update(source=source, **size_on_page(file, DPI_STILL))


def place_explorer(explorer, folder):
    """Give the template the frames of an explorer, and their size."""
    numbers = range(explorer["frames"])
    places = [folder / explorer["folder"] / f"{number}.webp" for number in numbers]
    files = [place.read_bytes() for place in places]
    texts = [as_text(file) for file in files]
    source = f"data:image/webp;base64,{texts[explorer['start']]}"
    size = size_on_page(files[0])
    explorer.update(folder=None, files=texts, source=source, **size)


# ---- decks ----------------------------------------------------------------------
def as_page(nb, exporter):
    """The page of a chapter of which `compose` has made slides."""
    page, _ = exporter.from_notebook_node(nb)
    return with_formulas(page)


def deck(notebook, folder, cache=CACHE):
    """Write a chapter's deck into a folder, whole or not at all; returns its path.

    Raises RuntimeError where a cell fails, with its id and source, or a tag is missing;
    OverBudget where an explorer needs too many frames, or the deck too many bytes; and
    ValueError where a formula cannot be read.
    """
    drawing = draw_chapter(notebook, cache)
    nb = read_drawn(notebook, drawing)
    for output in still_pictures(nb.cells):
        place_picture(still_metadata(output), drawing)
    for explorer in explorers_of(filter(in_deck, nb.cells)):
        place_explorer(explorer, drawing)
    compose(nb, chapter_links(notebook.stem))
    page = as_page(nb, exporter())
    megabytes = len(page.encode()) / 1e6
    if megabytes > MEGABYTES:
        raise OverBudget(
            f"the deck has {megabytes:.1f} MB, at most {MEGABYTES} are allowed"
        )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{notebook.stem}.html"
    write_whole(path, page)
    return path


def export(notebooks, folder=ROOT / "build" / "slides", cache=CACHE):
    """Write decks side by side; at the end, say which could not be written, and why."""
    faults = []
    with ProcessPoolExecutor(min(os.cpu_count(), len(notebooks))) as pool:
        jobs = [pool.submit(deck, notebook, folder, cache) for notebook in notebooks]
        for notebook, job in zip(notebooks, jobs):
            try:
                print(os.path.relpath(job.result()), flush=True)
            except (RuntimeError, ValueError) as error:
                faults.append(f"chapter {notebook.stem[:2]}: no deck. {error}")
    sys.exit("\n".join(faults) or 0)


if __name__ == "__main__":
    export(named(sys.argv[1:], among=DECKS))
