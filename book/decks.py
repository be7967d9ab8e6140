"""The decks of the web book: its own pictures, fonts and scripts, in place of copies.

A deck is on screen as soon as its words are there; whoever wants it as one file, as
`make slides` writes it, presses a button on its first slide (static/save.js).
"""

import shutil
from pathlib import Path

from slides.export import HERE as SLIDES
from slides.export import as_page
from tools.chapters import ROOT, picture_of
from tools.execute import write_whole
from tools.offline import REVEAL
from tools.prerender import (
    DPI_STILL,
    draw_chapter,
    explorer_of,
    read_drawn,
    size_on_slide,
    size_on_telephone,
)

PARTS = [
    REVEAL / "dist" / "reset.css",
    REVEAL / "dist" / "reveal.css",
    REVEAL / "dist" / "reveal.js",
    REVEAL / "plugin" / "notes" / "notes.js",
    *sorted((SLIDES / "templates" / "course").glob("*.[cj]s*")),
    *sorted((ROOT / "tools" / "page").glob("*.[cj]s*")),
]


def copy_parts(folder):
    """Put beside the decks what all of them share."""
    folder.mkdir(parents=True)
    for part in PARTS:
        shutil.copy(part, folder)


def narrow_of(file, source):
    return {"source": source, **size_on_telephone(file.read_bytes())}


def link_picture(output, address, drawing):
    alt, file = picture_of(output)
    narrow = narrow_of(drawing / output.metadata["narrow"], f"{address}.webp")
    picture = {"alt": alt, "source": f"{address}.png", "narrow": narrow}
    output.metadata["picture"] = {**picture, **size_on_slide(file, DPI_STILL)}


def link_explorer(explorer, name, drawing):
    frames = drawing / explorer["folder"]
    start = f"{explorer['start']}.webp"
    folder = f"../frames/{name}/{frames.name}/"
    narrow = narrow_of(frames / "narrow" / start, f"{folder}narrow/{start}")
    size = size_on_slide((frames / start).read_bytes())
    explorer.update(folder=folder, source=folder + start, narrow=narrow, **size)


def linked_deck(notebook, folder):
    """Write the deck of a chapter whose pictures stand in the book's site."""
    name = notebook.stem
    drawing = draw_chapter(notebook)
    nb = read_drawn(notebook, drawing)
    nb.metadata["linked"] = name
    for cell in nb.cells:
        for number, output in enumerate(cell.get("outputs", [])):
            if explorer := explorer_of(output):
                link_explorer(explorer, name, drawing)
            elif picture_of(output):
                address = f"../figures/{name}/{cell.id}-{number}"
                link_picture(output, address, drawing)
    write_whole(Path(folder) / f"{name}.html", as_page(nb))
