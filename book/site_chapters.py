"""The chapters as pages: notebooks ready for Sphinx, their pictures in the site."""

import re
import shutil
from copy import deepcopy
from pathlib import Path

import jinja2
import nbformat
from mdit_py_plugins.anchors.index import slugify

from book.extensions.glossary_lines import plain
from book.folds import fold, has_picture, with_few_folds
from book.site_pictures import in_site
from lite.pyodide import FOLDER as KERNEL
from render.prerender import read_drawn
from tools.chapters import (
    DECKS,
    ROOT,
    explorer_metadata,
    heading_of,
    question_metadata,
    still_metadata,
    tagged,
    tags,
)
from tools.repo import addresses, current, is_named

HERE = Path(__file__).resolve().parent
ROWS = "<details><summary>", '<details class="unfold"><summary>'  # as answers are

TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader([HERE / "templates", ROOT / "render" / "page"]),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render(template, **values):
    return TEMPLATES.get_template(template).render(values)


def show_on_page(cell, heading, drawing, name, site):
    """Put what a cell shows into the site, and change its output into the tags."""
    for output, values, files in in_site(cell, name, drawing):
        for address, path in files.items():
            copy = shutil.copytree if path.is_dir() else shutil.copy
            copy(path, site / address)
        template = (
            "explorer.html.j2" if explorer_metadata(output) else "picture.html.j2"
        )
        page = render(template, heading=heading, **values)
        output.data = {"text/html": page}
    for output in cell.outputs:
        page = output.get("data", {}).get("text/html", "")
        if question := question_metadata(output):
            answered = page if still_metadata(output) else ""
            asked = {"question": question, "answered": answered}
            page = render("question.html.j2", name=cell.id, **asked)
        if page:  # an empty line would end it in markdown
            page = re.sub(r"\n\s*\n", "\n", page).replace(*ROWS)
            output.data = {"text/html": page}


def place_of(number):
    """A line for strangers: of what the page is a part."""
    part = f"Chapter {int(number)} of {len(DECKS)}" if number.isdigit() else "Appendix"
    course = '<a href="index.html">a course</a> on how Transformers encode position'
    return f'<p class="place">{part} of {course}</p>'


def links_of(name):
    """Where a reader can run the chapter or see its deck."""
    public = addresses(name)
    where = {"named": is_named(current()[0]), "name": name, "deck": name[0].isdigit()}
    where["runs"] = KERNEL.exists()
    return {**where, "colab": public["Colab"], "binder": public["Binder"]}


def with_links(source):
    """Markdown whose links to the glossary have Sphinx's anchors: in small letters.

    And with a link at each title whose number at arXiv stands behind it.
    """
    source = re.sub(
        r"(\*[^*]+\*)(, \d{4} \(arXiv (\d{4}\.\d{5})\))",
        r"[\1](https://arxiv.org/abs/\3)\2",
        source,
    )
    return re.sub(
        r"\]\(glossary\.ipynb#([^)]*)\)",
        lambda link: f"](glossary.ipynb#{slugify(link[1])})",
        source,
    )


def with_picture_at_head(cells):
    """A chapter's cells: its head, a panel of what it needs, the others.

    In the head, the question and the first lines of the aims can stand beside the
    first picture; what else the aims say is for the panel.
    """
    title, place, question = (tagged(cells, t) for t in ("title", "map", "question"))
    aims, links = tagged(cells, "aims"), tagged(cells, "open")
    drawn_by = next(filter(has_picture, cells))
    head = nbformat.v4.new_code_cell("...", outputs=drawn_by.outputs)
    head.metadata["tags"] = ["remove-input", "opening"]  # no larger than its title
    drawn_by.outputs = []
    aims.source, _, needs = aims.source.partition("\n\n")
    links.source = boxed("needs", needs, links.source)
    question.source = f'<div class="opener">\n\n{question.source}'
    aims.source += "\n\n</div>"
    top = [title, place, question, head, aims, links]
    placed = {cell.id for cell in top}
    return [*top, *(cell for cell in cells if cell.id not in placed)]


def boxed(name, *parts):
    """Markdown that a page shows as one box, of a class of this name."""
    return "\n\n".join([f'<div class="{name}">', *parts, "</div>"])


def with_box(source):
    """A heading, and what it states in a box; a misreading stands below."""
    heading, gap, stated = source.partition("\n\n")
    stated, quote, misreading = stated.partition("\n\n> ")
    box = boxed("statement", stated) if gap else ""
    return heading + gap + box + quote + misreading


def on_page(cell, links):
    """The markdown of a cell as a page has it."""
    if "open" in tags(cell):
        return render("open.md.j2", **links)
    if "map" in tags(cell):
        return place_of(links["name"].split("_")[0])
    source = with_links(cell.source).replace(*ROWS)
    return with_box(source) if "statement" in tags(cell) else source


def make_ready(path, drawing, site):
    """A chapter's notebook as Sphinx is to read it, and what other pages show of it."""
    name = path.stem
    nb = read_drawn(path, drawing)
    if not any(map(has_picture, nb.cells)):
        raise SystemExit(f"{path.name}: no cell shows a picture for the page's head")
    links = links_of(name)
    heading = ""
    excerpts = {}
    cells = []
    for cell in nb.cells:
        if "bootstrap" in tags(cell):
            continue
        heading = heading_of(cell) or heading
        if cell.cell_type == "code":
            cell.source = re.sub(r"\n{3,}", "\n\n", cell.source)
            fold(cell)
            if "check" in tags(cell):  # nothing runs on a page
                cell.outputs = [
                    o for o in cell.outputs if "hint" in o.get("metadata", {})
                ]
            show_on_page(cell, plain(heading), drawing, name, site)
        else:
            cell.source = on_page(cell, links)
        excerpts[cell.id] = {"heading": heading, "cell": deepcopy(cell)}
        cells.append(cell)
        if "exercise-text" in tags(cell):
            task = cell.id
        if "solution" in tags(cell):
            line = render("try.md.j2", task=task, **links)
            cells.append(nbformat.v4.new_markdown_cell(line))
    try:
        cells = with_picture_at_head(cells)
    except RuntimeError as error:
        raise SystemExit(f"{path.name}: {error}") from None
    nb.cells = with_few_folds(cells)
    return nb, {"name": name, "cells": excerpts}
