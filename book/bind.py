"""Bind the chapters into a web book: build/book/site.

    python -m book.bind

The chapters run and their explorers are drawn by render/prerender.py, once for decks
and book. Here their notebooks are made ready for Sphinx: pictures become files with
their alt text, explorers become sliders over frames that are fetched when needed.
What a reader downloads is the notebook as it stands in notebooks/.
"""

import json
import os
import re
import shutil
from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy
from itertools import repeat
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import jinja2
import nbformat
from mdit_py_plugins.anchors.index import slugify
from sphinx.cmd.build import build_main

from book.assets import lighten
from book.extensions import lecture_plans
from book.extensions.glossary_lines import plain
from book.site_decks import copy_parts, linked_deck
from book.site_pictures import in_site, put_sign, shown_width
from render.prerender import draw_chapter, read_drawn
from tools.chapters import (
    CHAPTERS,
    DECKS,
    NOTEBOOKS,
    ROOT,
    explorer_of,
    files_of,
    heading_of,
    in_deck,
    is_call,
    outputs_of,
    question_of,
    still_of,
    tags,
)
from tools.repo import current, is_named

HERE = Path(__file__).resolve().parent
SOURCE = ROOT / "build" / "book" / "source"
SITE = ROOT / "build" / "book" / "site"
LONG = 12  # lines: as much as a slide may have
LONG_ON_TELEPHONES = 7
ROWS = "<details><summary>", '<details class="unfold"><summary>'  # as answers are

TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader([HERE / "templates", ROOT / "render" / "page"]),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render(template, **values):
    return TEMPLATES.get_template(template).render(values)


# ---- pictures and explorers ---------------------------------------------------------
def show_on_page(cell, heading, drawing, name, site):
    """Put what a cell shows into the site, and change its output into the tags."""
    for output, values, files in in_site(cell, name, drawing):
        values["shown"] = shown_width(values["width"], values["letters"])
        if explorer_of(output):
            shutil.copytree(files, site / values["folder"])
            page = render("explorer.html.j2", label=f"Explorer: {heading}", **values)
        else:
            (site / values["source"]).write_bytes(files["wide"])
            (site / values["narrow"]["source"]).write_bytes(files["narrow"])
            page = render("picture.html.j2", **values)
        output.data = {"text/html": page}
    for output in cell.outputs:
        page = output.get("data", {}).get("text/html", "")
        if question := question_of(output):
            answered = page if still_of(output) else ""
            asked = {"question": question, "answered": answered}
            page = render("question.html.j2", name=cell.id, **asked)
        if page:  # an empty line would end it in markdown
            page = re.sub(r"\n\s*\n", "\n", page).replace(*ROWS)
            output.data = {"text/html": page}


# ---- chapters -----------------------------------------------------------------------
def with_place(title, number):
    """The first cell of a chapter: a line for strangers instead of all chapters."""
    part = f"Chapter {int(number)} of {len(DECKS)}" if number.isdigit() else "Appendix"
    course = '<a href="index.html">a course</a> on how Transformers encode position'
    line = f'<p class="place">{part} of {course}</p>'
    return re.sub(r"(?m)^.* → .*$", lambda strip: line, title, count=1)


def links_of(nb, name):
    """Where a reader can run the chapter or see its deck."""
    [cell] = [cell for cell in nb.cells if "open" in tags(cell)]
    colab, binder = re.findall(r"\]\((https://(?:colab|mybinder)[^)]*)\)", cell.source)
    named = is_named(current()[0])
    deck = name[0].isdigit()
    return dict(named=named, colab=colab, binder=binder, name=name, deck=deck)


def pack(path, site):
    """Put a zip into the site: the chapter, and what it would fetch."""
    with ZipFile(site / "downloads" / f"{path.stem}.zip", "w", ZIP_DEFLATED) as file:
        for name in [path.name, *files_of(path)]:
            file.write(NOTEBOOKS / name, f"{path.stem}/{name}")
        for name in ("LICENSE", "requirements.txt"):
            file.write(ROOT / name, f"{path.stem}/{name}")


def fold(cell):
    """Tell Sphinx which code is folded on a page, and what is left out."""
    marks = set(tags(cell)) - {"hide-input"}  # of decks, which leave more code out
    if is_call(cell) or "check" in marks:
        marks.add("remove-input")
    hidden = cell.metadata.get("jupyter", {}).get("source_hidden")
    is_long = cell.source.count("\n") >= LONG
    aside = not shows_code(cell) and (is_long or "hide-input" in tags(cell))
    if hidden or aside or cell.source.startswith(("import ", "from ")):
        marks.add("hide-input")
    if cell.source.count("\n") >= LONG_ON_TELEPHONES:
        marks.add("long")  # there, it is cut
    cell.metadata["tags"] = sorted(marks)


def with_few_folds(cells):
    """These cells; code that is folded and shows nothing goes to the next picture.

    It draws that, mostly. Where open code or an exercise comes first, it stands there.
    """
    placed, waiting = [], []
    for cell in cells:
        if "hide-input" in tags(cell) and not cell.outputs:
            waiting.append(cell)
            continue
        if waiting and has_picture(cell):
            cell = as_fold([*waiting, cell])
            waiting = []
        elif waiting and (cell.cell_type == "code" or begins_exercise(cell)):
            placed.append(as_fold(waiting))
            waiting = []
        placed.append(cell)
    return [*placed, as_fold(waiting)] if waiting else placed


def as_fold(cells):
    """The last of these cells, folded, with the code of all."""
    last = cells[-1]
    last.source = "\n\n".join(cell.source.strip() for cell in cells)
    last.metadata["tags"] = ["hide-input"]
    return last


def has_picture(cell):
    """Whether a cell shows a picture, without asking."""
    shown = [output.get("metadata", {}) for output in outputs_of([cell])]
    return any("picture" in about or "explorer" in about for about in shown)


def begins_exercise(cell):
    return (heading_of(cell) or "").startswith("Exercise ")


def shows_code(cell):
    """Whether a slide shows the code of a cell, or a reader is to write in it."""
    return "exercise" in tags(cell) or in_deck(cell) and "hide-input" not in tags(cell)


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


def make_ready(path, drawing, site):
    """A chapter's notebook as Sphinx is to read it, and what other pages show of it."""
    name = path.stem
    nb = read_drawn(path, drawing)
    links = links_of(nb, name)
    is_map = put_sign(nb, name, drawing, site)
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
        elif "open" in tags(cell):
            cell.source = render("open.md.j2", **links)
        else:
            cell.source = with_links(cell.source).replace(*ROWS)
        excerpts[cell.id] = {"heading": heading, "cell": deepcopy(cell)}
        cells.append(cell)
        if "solution" in tags(cell):
            line = render("try.md.j2", **links)
            cells.append(nbformat.v4.new_markdown_cell(line))
    cells[0].source = with_place(cells[0].source, name.split("_")[0])
    nb.cells = with_few_folds(with_picture_at_head(cells))
    return nb, {"name": name, "cells": excerpts, "is_map": is_map}


def with_picture_at_head(cells):
    """A chapter's cells: title, picture, aims, a panel of what it needs, the others."""
    at = next(i for i, cell in enumerate(cells) if "open" in tags(cell))
    (title, *more), (links, aims, *others) = cells[:at], cells[at:]
    drawn_by = next(cell for cell in others if has_picture(cell))
    head = nbformat.v4.new_code_cell("...", outputs=drawn_by.outputs)
    head.metadata["tags"] = ["remove-input", "opening"]  # no larger than its title
    drawn_by.outputs = []
    aims.source, need, needs = aims.source.partition("**You need**")
    panel = ['<div class="needs">', need + needs, links.source, "</div>"]
    links.source = "\n\n".join(panel)
    return [title, head, *more, aims, links, *others]


def prepare(drawings, site):
    """Write all that Sphinx reads into its folder, all pictures into the site."""
    excerpts, decks = {}, {}
    for path, drawing in zip(CHAPTERS, drawings):
        number = path.stem.split("_")[0]
        if path in DECKS:
            slides = lecture_plans.slides(read_drawn(path, drawing))
            decks[number] = {"name": path.stem, "slides": slides}
        pack(path, site)
        nb, excerpts[number] = make_ready(path, drawing, site)
        nbformat.write(nb, SOURCE / path.name)
    (SOURCE / "cells.json").write_text(json.dumps(excerpts), "utf-8")
    (SOURCE / "decks.json").write_text(json.dumps(decks), "utf-8")
    for page in (HERE / "pages").glob("*.md"):  # a sitemap has what is new
        shutil.copy(page, SOURCE)
    shutil.copy(NOTEBOOKS / "glossary.ipynb", SOURCE)


def drawing_of(path):
    """The drawing of a chapter; where it cannot be drawn, the error names it."""
    try:
        return draw_chapter(path)
    except RuntimeError as error:
        raise SystemExit(f"{path.name}: {error}") from None


# ---- the book -----------------------------------------------------------------------
def bind():
    """Draw, prepare, run Sphinx, and put beside the pages what they carry."""
    for place in (SOURCE, SITE):
        shutil.rmtree(place, ignore_errors=True)
    for folder in ("frames", "figures", "downloads"):
        (SITE / folder).mkdir(parents=True)
    SOURCE.mkdir(parents=True)
    with ProcessPoolExecutor() as pool:
        drawings = list(pool.map(drawing_of, CHAPTERS))
    prepare(drawings, SITE)
    options = ["-q", "-W", "--keep-going", "-j", "auto", "-c", str(HERE)]
    options += ["-d", str(SOURCE.parent / "doctrees")]
    if build_main([*options, str(SOURCE), str(SITE)]):
        raise SystemExit("The book has faults; they stand above.")
    lighten(SITE)
    copy_parts(SITE / "_static")
    (SITE / "slides").mkdir()
    with ProcessPoolExecutor() as pool:
        list(pool.map(linked_deck, DECKS, repeat(SITE / "slides")))
    print(f"Open {os.path.relpath(SITE / 'index.html')}")


if __name__ == "__main__":
    bind()
