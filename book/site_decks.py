"""The decks of the web book: its own pictures, fonts and scripts, in place of copies.

A deck is on screen as soon as its words are there; whoever wants it as one file, as
`make slides` writes it, presses a button on its first slide (static/save.js).
"""

import shutil
from pathlib import Path

from matplotlib import get_data_path

from book.site_pictures import in_site
from render.prerender import draw_chapter, read_drawn
from render.vendored import REVEAL
from slides.compose import compose
from slides.export import HERE as SLIDES
from slides.export import as_page, exporter
from tools.chapters import explorer_metadata, still_metadata
from tools.execute import write_whole

HERE = Path(__file__).resolve().parent
COURSE = SLIDES / "templates" / "course"
PARTS = [
    REVEAL / "dist" / "reset.css",
    REVEAL / "dist" / "reveal.css",
    REVEAL / "dist" / "reveal.js",
    REVEAL / "plugin" / "notes" / "notes.js",
    COURSE / "deck.css",
    COURSE / "deck.js",
    COURSE / "aloud.js",
    Path(get_data_path(), "fonts", "ttf", "DejaVuSansMono.ttf"),
]


def copy_parts(folder):
    """Put among the scripts of the pages what decks need beside them."""
    for part in PARTS:
        shutil.copy(part, folder)


def links(name):
    """A line for the title slide: the page about the chapter, and what can be saved."""
    return (
        f'\n\n<p class="where site">This chapter: <a href="../{name}.html">web book'
        f'</a> · <a href="../downloads/{name}.zip" download>notebook</a> · '
        '<button type="button" class="save">this deck as one file</button></p>'
    )


def linked_deck(notebook, folder):
    """Write the deck of a chapter whose pictures stand in the book's site."""
    name = notebook.stem
    drawing = draw_chapter(notebook)
    nb = read_drawn(notebook, drawing)
    for cell in nb.cells:
        for output, values, _ in in_site(cell, name, drawing, site="../"):
            (explorer_metadata(output) or still_metadata(output)).update(values)
    compose(nb, links(name))
    page = as_page(nb, exporter("linked", HERE / "templates"))
    write_whole(Path(folder) / f"{name}.html", page)
