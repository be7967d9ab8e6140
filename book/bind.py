"""Bind the chapters into a web book: build/book/site.

    python -m book.bind

The chapters run and their explorers are drawn by render/prerender.py, once for decks
and book. Their notebooks are made ready for Sphinx (site_chapters.py): pictures become
files with their alt text, explorers sliders over frames that are fetched when needed.
What a reader downloads is the notebook as it stands in notebooks/.
"""

import json
import os
import re
import shutil
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import nbformat
from sphinx.cmd.build import build_main

from book.site_chapters import make_ready
from book.site_decks import copy_parts, linked_deck
from lite.build import build as build_lite
from lite.pyodide import FOLDER as KERNEL
from render.formulas import with_formulas
from render.prerender import draw_chapter
from tools.chapters import CHAPTERS, DECKS, NOTEBOOKS, ROOT, fetched_files

HERE = Path(__file__).resolve().parent
SOURCE = ROOT / "build" / "book" / "source"
SITE = ROOT / "build" / "book" / "site"


def pack(path, site):
    """Put a zip into the site: the chapter, and what stands beside it."""
    with ZipFile(site / "downloads" / f"{path.stem}.zip", "w", ZIP_DEFLATED) as file:
        for name in [path.name, *fetched_files()]:
            file.write(NOTEBOOKS / name, f"{path.stem}/{name}")
        for name in ("LICENSE", "requirements.txt"):
            file.write(ROOT / name, f"{path.stem}/{name}")


def prepare(drawings, site):
    """Write all that Sphinx reads into its folder, all pictures into the site."""
    excerpts = {}
    for path, drawing in zip(CHAPTERS, drawings):
        number = path.stem.split("_")[0]
        pack(path, site)
        (site / "figures" / path.stem).mkdir()
        nb, excerpts[number] = make_ready(path, drawing, site)
        nbformat.write(nb, SOURCE / path.name)
    (SOURCE / "cells.json").write_text(json.dumps(excerpts), "utf-8")
    for page in (HERE / "pages").glob("*.md"):  # a sitemap has what is new
        shutil.copy(page, SOURCE)
    if not KERNEL.exists():  # then no link leads to it
        for page in (SOURCE / "index.md", SOURCE / "run_here.md"):
            link = r'<a class="way" href="run/.*?</a> ?'
            page.write_text(re.sub(link, "", page.read_text("utf-8")), "utf-8")
    shutil.copy(NOTEBOOKS / "glossary.ipynb", SOURCE)


def drawing_of(path):
    """The drawing of a chapter; where it cannot be drawn, the error names it."""
    try:
        return draw_chapter(path)
    except RuntimeError as error:
        raise SystemExit(f"{path.name}: {error}") from None


def draw_formulas(pages):
    """Draw the formulas of all pages at once."""
    text = with_formulas("\0".join(page.read_text("utf-8") for page in pages))
    for page, source in zip(pages, text.split("\0")):
        page.write_text(source, "utf-8")


def bind():
    """Draw, prepare, run Sphinx, draw the formulas, and add the decks."""
    for place in (SOURCE, SITE):
        shutil.rmtree(place, ignore_errors=True)
    for folder in ("frames", "figures", "downloads"):
        (SITE / folder).mkdir(parents=True)
    SOURCE.mkdir(parents=True)
    with ProcessPoolExecutor() as pool:
        drawings = []
        for path, drawing in zip(CHAPTERS, pool.map(drawing_of, CHAPTERS)):
            drawings.append(drawing)
            print(f"{path.name}: drawn", flush=True)
    print("The pages …", flush=True)
    prepare(drawings, SITE)
    options = ["-q", "-W", "--keep-going", "-j", "auto", "-c", str(HERE)]
    options += ["-d", str(SOURCE.parent / "doctrees")]
    if build_main([*options, str(SOURCE), str(SITE)]):
        raise SystemExit("The book has faults; they stand above.")
    draw_formulas(sorted(SITE.glob("*.html")))
    copy_parts(SITE / "_static")
    print("The decks …", flush=True)
    (SITE / "slides").mkdir()
    with ProcessPoolExecutor() as pool:
        list(pool.map(linked_deck, DECKS, repeat(SITE / "slides")))
    if KERNEL.exists():
        print("The kernel in the page …", flush=True)
        build_lite(SOURCE.parent / "lite", SITE / "run")
    print(f"Open {os.path.relpath(SITE / 'index.html')}")


if __name__ == "__main__":
    bind()
