"""Turn chapters into decks, one self-contained file each.

    python -m slides.export [--folder DIR] [--drawn DIR] [CHAPTER …]

A chapter runs in a clean kernel and its explorers are drawn over their grids (by
tools/drawing.py, once for decks and book); the stock nbconvert exporter puts all of it
into slides/templates/course. A CHAPTER is its number or its notebook.
"""

import argparse
import base64
import json
import os
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.metadata import distribution
from pathlib import Path

import matplotlib
import nbformat
from nbconvert import SlidesExporter
from nbconvert.preprocessors import Preprocessor
from traitlets.config import Config

from tools import drawing
from tools.chapters import DECKS
from tools.drawing import (
    CACHE,
    IMAGE,
    SLIDES,
    OverBudget,
    answers,
    explorer_of,
    in_deck,
    kind,
    on_slide,
)

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


# ---- nbconvert ------------------------------------------------------------------
def linked(source):
    """Markdown whose links lead to other decks; words of the glossary stay words."""
    source = re.sub(r"\[([^]]*)\]\(glossary\.ipynb#[^)]*\)", r"\1", source)
    return re.sub(r"\]\((\d\d_\w+)\.ipynb\)", r"](\1.html)", source)


def where_else(nb):
    """A line for the title slide: where the chapter can be read, run and fetched."""
    cells = [cell for cell in nb.cells if "open" in cell.metadata.get("tags", [])]
    if not cells:
        return ""
    places = re.findall(r"\[([^]]+)\]\((https://[^)\s]+)\)", cells[0].source)
    places.reverse()  # the book first
    folder, _, page = dict(places)["web book"].rpartition("/")
    file = f"{folder}/_sources/{page.removesuffix('.html')}.ipynb"
    links = " · ".join(
        f'<a href="{address}">{name}</a>'
        for name, address in [*places, ("notebook", file)]
    )
    return f'\n\n<p class="where">This chapter: {links}</p>'


def right_answer(cell):
    """Notes on a question for the lecturer; a page to scroll keeps them hidden."""
    for number, (answer, verdict, reply) in enumerate(answers(cell), 1):
        if verdict == "Yes":
            words = f"<b>Right: answer {number}.</b> <i>{answer}</i> {reply}"
            note = f'<div class="answer"><p>{words}</p></div>'
            place = {"slideshow": {"slide_type": "notes"}}
            return nbformat.v4.new_markdown_cell(note, metadata=place)


class Compose(Preprocessor):
    """A slide without a heading repeats the last; notes stand on top; links lead on.

    A question brings notes along: its right answer.
    """

    def preprocess(self, nb, resources):
        nb.cells[0].source += where_else(nb)
        cells = []
        heading = ""  # the last one
        top = 0  # where the notes of the present slide go
        for cell in nb.cells:
            own = None
            if cell.cell_type == "markdown":
                own = re.search(r"(?m)^#+ .*", cell.source)
            if own and in_deck(cell):
                heading = "## " + own[0].lstrip("# ")
            if cell.cell_type == "markdown":
                cell.source = linked(cell.source)
            if kind(cell) == "notes":  # inside a fragment they would wait for it
                cells.insert(top, cell)
                top += 1
                continue
            if kind(cell) in SLIDES:
                if not own:
                    own_place = {"slideshow": cell.metadata.pop("slideshow")}
                    cells.append(
                        nbformat.v4.new_markdown_cell(heading, metadata=own_place)
                    )
                top = len(cells) + bool(own)
            cells.append(cell)
            if in_deck(cell) and answers(cell):
                cells.insert(top, right_answer(cell))
                top += 1
        nb.cells = cells
        return nb, resources


def exporter():
    """The stock exporter for slides with nbconvert.json and our template."""
    carriers = (
        distribution("sphinx-revealjs").locate_file("sphinx_revealjs/_static/revealjs"),
        distribution("sphinx-mathjax-offline").locate_file(
            "sphinx-mathjax-offline/static/mathjax"
        ),
        ROOT / "tools" / "page",
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
def outputs(nb):
    """What the cells of the deck put out."""
    cells = filter(in_deck, nb.cells)
    return [output for cell in cells for output in cell.get("outputs", [])]


def place_figures(nb):
    """Give the template what it needs of each figure: its pixels, alt text and size."""
    for output in outputs(nb):
        if image := IMAGE.match(output.get("data", {}).get("text/html", "")):
            alt, source = image.groups()
            size = on_slide(base64.b64decode(source), room=470)
            output.metadata["picture"] = {"alt": alt, "source": source, **size}


def figures(nb, part):
    """The figures on a part of the cells; what an explorer shows is none."""
    found = outputs(nbformat.v4.new_notebook(cells=nb.cells[part]))
    return [
        output
        for output in found
        if "picture" in output.get("metadata", {}) and not explorer_of(output)
    ]


def repeat_title_picture(nb):
    """Show the title's picture beside the last slide's words, if no other is there."""
    starts = [at for at, cell in enumerate(nb.cells) if kind(cell) in SLIDES]
    last = starts[-1]
    if figures(nb, slice(last, None)):
        return
    for title in figures(nb, slice(starts[:2][-1]))[:1]:
        picture = title.metadata["picture"]
        size = on_slide(base64.b64decode(picture["source"]))
        alt = "The picture of the title slide, once more."
        again = nbformat.from_dict(title)
        again.metadata["picture"] = {**picture, **size, "alt": alt, "again": True}
        place = {"slideshow": {"slide_type": "-"}, "tags": ["hide-input"]}
        cell = nbformat.v4.new_code_cell(outputs=[again], metadata=place)
        nb.cells.insert(last + 1, cell)


def place_explorers(nb, folder):
    """Give the template the frames of each explorer, and their size."""
    for output in outputs(nb):
        if explorer := explorer_of(output):
            place = folder / explorer["folder"]
            files = [
                (place / f"{index}.webp").read_bytes()
                for index in range(explorer["frames"])
            ]
            explorer["frames"] = [base64.b64encode(file).decode() for file in files]
            explorer.update(on_slide(files[0]))


# ---- decks ----------------------------------------------------------------------
def deck(notebook, folder, say=print, cache=CACHE):
    """Write one chapter's deck, whole or not at all.

    Parameters
    ----------
    notebook : path
    folder : path
        Where NN_name.html is written.
    say : callable
        Gets a line about each step.
    cache : path
        Where the chapter has been drawn, or is drawn now.

    Returns
    -------
    path of the deck

    Raises
    ------
    RuntimeError
        If a cell fails, with its index and source.
    OverBudget
        If the deck needs too many frames or bytes, with the explorer that does.
    """
    notebook, folder = Path(notebook), Path(folder)
    begun = time.perf_counter()
    drawn = drawing.drawn(notebook, cache, say)
    nb = drawing.chapter(notebook, drawn)
    place_explorers(nb, drawn)
    nb.metadata["title"] = re.search(r"(?m)^# (.*)", nb.cells[0].source)[1]
    place_figures(nb)
    repeat_title_picture(nb)
    page, _ = exporter().from_notebook_node(nb)
    megabytes = len(page.encode()) / 1e6
    if megabytes > drawing.MEGABYTES_DECK:
        raise OverBudget(
            f"the deck has {megabytes:.1f} MB, at most {drawing.MEGABYTES_DECK} are "
            "allowed"
        )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{notebook.stem}.html"
    draft = path.with_suffix(".part")
    draft.write_text(page, encoding="utf-8", newline="\n")
    draft.replace(path)
    seconds = time.perf_counter() - begun
    say(f"{os.path.relpath(path)}: {megabytes:.1f} MB in {seconds:.0f} s")
    return path


def attempt(notebook, folder, cache):
    """Make a deck, or return the reason why there is none."""
    chapter = notebook.stem[:2]
    try:
        deck(
            notebook,
            folder,
            lambda line: print(f"chapter {chapter}: {line}", flush=True),
            cache,
        )
    except Exception as error:
        known = "" if isinstance(error, RuntimeError) else f"{type(error).__name__}: "
        return f"chapter {chapter}: no deck. {known}{error}"


def chosen(chapters):
    """The notebooks of some chapters, given as numbers or paths; of all if none is."""
    by_number = {path.stem.split("_")[0]: path for path in DECKS}
    found = [by_number.get(name.zfill(2), Path(name)) for name in chapters]
    if unknown := [path for path in found if not path.is_file()]:
        sys.exit(
            f"There is no chapter {unknown[0]}. There are: {', '.join(by_number)}."
        )
    return found or DECKS


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "slides")
    parser.add_argument("--drawn", type=Path, default=CACHE)
    arguments = parser.parse_args()
    notebooks = chosen(arguments.chapters)
    with ProcessPoolExecutor(min(os.cpu_count(), len(notebooks))) as pool:
        jobs = [
            pool.submit(attempt, notebook, arguments.folder, arguments.drawn)
            for notebook in notebooks
        ]
        faults = [fault for job in as_completed(jobs) if (fault := job.result())]
    sys.exit("\n".join(faults) or 0)


if __name__ == "__main__":
    main()
