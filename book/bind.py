"""Bind the chapters into a web book: build/book/site.

    python -m book.bind [--folder DIR]

The chapters run and their explorers are drawn by tools/drawing.py, once for decks and
book. Here their notebooks are made ready for Sphinx: pictures become files with their
alt text, explorers become sliders over frames that are fetched when they are needed.
What a reader downloads is the notebook as it stands in notebooks/.
"""

import argparse
import base64
import html
import json
import os
import re
import shutil
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import jinja2
import nbformat
from mdit_py_plugins.anchors.index import slugify
from sphinx.cmd.build import build_main

from book import lecture
from book.assets import carry
from book.glossary import plain
from slides import export
from tools.chapters import CHAPTERS, DECKS, NOTEBOOKS
from tools.drawing import IMAGE, chapter, drawn, explorer_of, on_slide

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(HERE / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)


def tags(cell):
    return cell.metadata.setdefault("tags", [])


# ---- pictures and explorers ---------------------------------------------------------
def figure(cell, data, number, site, name):
    """Put the pixels of a `show` into a file; the tag that shows it."""
    alt, source = IMAGE.match(data["text/html"]).groups()
    file = base64.b64decode(source)
    address = f"figures/{name}/{cell.id}-{number}.png"
    place = site / address
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(file)
    picture = {"address": address, "alt": html.unescape(alt), **on_slide(file)}
    return TEMPLATES.get_template("figure.html.j2").render(picture)


def explorer(need, label, site, drawing, name):
    """Put the frames of an explorer beside the pages; the tags that show it."""
    folder = f"{name}/{Path(need['folder']).name}"
    place = site / "frames" / folder
    shutil.copytree(drawing / need["folder"], place, dirs_exist_ok=True)
    first = (place / f"{need['start']}.webp").read_bytes()
    panel = {
        **need,
        "alt": html.unescape(need["alt"]),
        "folder": f"frames/{folder}/",
        "name": folder.replace("/", "-"),
        "label": f"Explorer: {label}",
        **on_slide(first),
    }
    page = TEMPLATES.get_template("explorer.html.j2").render(panel)
    return re.sub(r"\n\s*\n", "\n", page)  # an empty line would end it in markdown


def shown(cell, heading, site, drawing, name):
    """Change what a cell puts out into what a page shows."""
    for number, output in enumerate(cell.get("outputs", [])):
        data = output.get("data", {})
        if need := explorer_of(output):
            output.data = {"text/html": explorer(need, heading, site, drawing, name)}
        elif IMAGE.match(data.get("text/html", "")):
            output.data = {"text/html": figure(cell, data, number, site, name)}


# ---- chapters -----------------------------------------------------------------------
def way_in(nb, name):
    """Where a reader can run the chapter or see its deck."""
    [cell] = [cell for cell in nb.cells if "open" in tags(cell)]
    colab, binder = re.findall(r"\]\((https://(?:colab|mybinder)[^)]*)\)", cell.source)
    ways = {"colab": colab, "binder": binder, "name": name, "deck": name[0].isdigit()}
    return ways


def mark(cell):
    """Tell Sphinx which code is folded on a page, and which is left out."""
    marks = tags(cell)
    folded = cell.metadata.get("jupyter", {}).get("source_hidden")
    if folded or cell.source.startswith(("import ", "from ")):
        marks.append("hide-input")
    elif "hide-input" in marks:  # a deck leaves this code out, a page does not
        marks.remove("hide-input")
    if cell.metadata.get("transient", {}).get("remove_source"):
        marks.append("remove-input")


def ready(path, drawing, site):
    """A chapter's notebook as Sphinx is to read it, and what other pages show of it."""
    name = path.stem
    nb = chapter(path, drawing)
    slides = lecture.slides(nb) if name[0].isdigit() else []
    ways = way_in(nb, name)
    heading = ""
    shelf = {}
    cells = []
    for cell in nb.cells:
        marks = tags(cell)
        if "bootstrap" in marks:
            continue
        mark(cell)
        if cell.cell_type == "markdown":
            for found in re.findall(r"(?m)^#+ (.*)", cell.source):
                heading = found
            cell.source = with_anchors(cell.source)
        if "open" in marks:
            cell.source = TEMPLATES.get_template("open.md.j2").render(ways)
        shown(cell, plain(heading), site, drawing, name)
        shelf[cell.id] = {"heading": heading, "cell": cell}
        cells.append(cell)
        if "check" in marks:
            source = TEMPLATES.get_template("try.md.j2").render(ways)
            cells.append(nbformat.v4.new_markdown_cell(source))
    nb.cells = cells
    return nb, {"name": name, "cells": shelf, "slides": slides}


def with_anchors(source):
    """Markdown whose links to the glossary have Sphinx's anchors: in small letters."""
    return re.sub(
        r"\]\(glossary\.ipynb#([^)]*)\)",
        lambda link: f"](glossary.ipynb#{slugify(link[1])})",
        source,
    )


def purpose(cell):
    """What folded code is for, in a few words."""
    names = re.findall(r"(?m)^def (\w+)", cell.source)
    if cell.source.startswith("# Checked more widely"):
        return "Code: checked more widely"
    if "check" in tags(cell):
        return "Code of the check"
    if names:
        return f"Code: {', '.join(names[:3])}{', …' * (len(names) > 3)}"
    if cell.source.startswith(("import ", "from ")):
        return "Code: what is imported"
    return "Code of this picture" if pictures(cell) else "Code"


def folds(cells):
    """The cells, neighbours of folded code in one fold, each fold with a name."""
    kept = []
    for cell in cells:
        folded = "hide-input" in tags(cell) and "remove-input" not in tags(cell)
        before = kept[-1] if kept else None
        if folded and before and before.metadata.get("joins") and not before.outputs:
            before.source += f"\n\n\n{cell.source}"
            before.outputs = cell.outputs
        else:
            cell.metadata["joins"] = folded
            kept.append(cell)
        if folded:
            label = purpose(kept[-1])
            prompts = {"code_prompt_show": label, "code_prompt_hide": label}
            kept[-1].metadata["mystnb"] = prompts
    return kept


def headed(nb):
    """The chapter with its picture at its head."""
    at = next(i for i, cell in enumerate(nb.cells) if pictures(cell))
    title, signature = nb.cells[0], nb.cells[at]
    lead = nbformat.v4.new_code_cell("...", outputs=signature.outputs)
    lead.metadata["tags"] = ["remove-input", "signature"]
    signature.outputs = []
    nb.cells = [title, lead, *folds(nb.cells[1:])]
    return nb


def pictures(cell):
    return [o for o in cell.get("outputs", []) if "text/html" in o.get("data", {})]


def prepare(drawings, source, site):
    """Write all that Sphinx reads into a folder, all pictures into the site."""
    shelves = {}
    for path, drawing in drawings.items():
        nb, shelf = ready(path, drawing, site)
        shelves[path.stem.split("_")[0]] = shelf
        nbformat.write(headed(nb), source / path.name)
    (source / "cells.json").write_text(json.dumps(shelves), "utf-8")
    for page in (HERE / "pages").glob("*.md"):  # a sitemap has what is new
        shutil.copy(page, source)
    shutil.copy(NOTEBOOKS / "glossary.ipynb", source)


# ---- the book -----------------------------------------------------------------------
def silent(line):
    """What is said of each step is of no use here."""


def each(task, paths, *arguments):
    """Do a task for each chapter, side by side; what comes of each."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(task, path, *arguments) for path in paths]
        return [job.result() for job in jobs]


def bind(folder):
    """Draw, prepare, run Sphinx, and put beside the pages what they carry."""
    source, site = folder / "source", folder / "site"
    for place in (source, site / "frames", site / "figures"):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
    drawings = dict(zip(CHAPTERS, each(drawn, CHAPTERS)))
    prepare(drawings, source, site)
    options = ["-q", "-W", "--keep-going", "-j", "auto", "-c", str(HERE)]
    options += ["-d", str(folder / "doctrees")]
    if build_main([*options, str(source), str(site)]):
        raise SystemExit("The book has faults; they stand above.")
    carry(site)
    each(export.deck, DECKS, site / "slides", silent)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "book")
    arguments = parser.parse_args()
    bind(arguments.folder)
    print(f"Open {os.path.relpath(arguments.folder / 'site' / 'index.html')}")


if __name__ == "__main__":
    main()
