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
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy
from pathlib import Path

import matplotlib
from nbconvert import SlidesExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import Preprocessor
from nbformat.v4 import new_code_cell, new_markdown_cell
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from traitlets.config import Config

from render.formulas import placeholder, with_formulas
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
from tools.chapters import (
    DECKS,
    NEW_SLIDE,
    ROOT,
    heading_of,
    in_deck,
    outputs_of,
    question_of,
    questions,
    slide_type,
    still_of,
    tags,
)
from tools.execute import write_whole
from tools.repo import is_named

HERE = Path(__file__).resolve().parent
MEGABYTES = 9  # of a deck; more is slow to open, and too large for a mail
CODE_LINE = 79  # letters
BESIDE = 650  # CSS pixels: a picture so wide leaves room for words at its left


# ---- nbconvert ------------------------------------------------------------------
def with_deck_links(source):
    """Markdown whose links lead to other decks; words of the glossary stay words."""
    source = re.sub(r"\[([^]]*)\]\(glossary\.ipynb#[^)]*\)", r"\1", source)
    return re.sub(r"\]\((\d\d_\w+)\.ipynb\)", r"](\1.html)", source)


def chapter_links(nb):
    """A line for the title slide: where the chapter can be read, run and fetched."""
    sources = [cell.source for cell in nb.cells if "open" in tags(cell)]
    places = re.findall(r"\[([^]]+)\]\((https://[^)\s]+)\)", "".join(sources))
    if not places or not all(is_named(address) for _, address in places):
        return ""
    places.reverse()  # the book first
    folder, _, page = dict(places)["web book"].rpartition("/")
    file = f"{folder}/downloads/{page.removesuffix('.html')}.zip"
    places.append(("notebook", file))
    links = [f'<a href="{address}">{name}</a>' for name, address in places]
    return f'\n\n<p class="where">This chapter: {" · ".join(links)}</p>'


def clock(number):
    """A clock that stands at the number of a chapter."""
    turns = [f"rotate({30 * hour})" for hour in range(12)]
    ticks = "".join(f'<path d="M0-86V-78" transform="{turn}"/>' for turn in turns)
    return (
        '<svg viewBox="-100 -100 200 200" fill="none" stroke="#8C8C8C"'
        f' stroke-width="5" aria-hidden="true"><circle r="97" fill="#F4F4F4"/>{ticks}'
        f'<g transform="{turns[number]}" stroke="#22303C" stroke-width="12">'
        '<path d="M0 0V-62"/><circle cy="-62" r="8" fill="#22303C"/></g></svg>'
    )


def with_sign(source):
    """The title with its sign, and the strip of chapters as a row, without arrows."""
    number, words = re.match(r"# (\d+) · (.*)", source).groups()
    words = re.sub(r"\w+-\w+", r"<span>\g<0></span>", words)  # on one line
    sign = f'<span class="sign">{clock(int(number))}{number}<i> · </i></span>'
    source = re.sub("^# .*", f"# {sign}{words}", source)

    def row(found):
        names = re.sub(r"(\[|\*\*)(\d+) ", r"\1<span>\2</span> ", found[0])
        return f'<p class="map">{as_html(names.replace(" → ", " "))[3:]}'

    return re.sub(r"^.* → .*$", row, source, count=1, flags=re.M)


def with_next(source):
    """The link to the next chapter as a card: a clock, the title, the question."""

    def card(found):
        number, name, address = found.groups()
        *_, question = questions()[number]
        words = f"<span><b>Next: {number} · {name}</b><br>{question}</span>"
        return f'<a class="next" href="{address}">{clock(int(number))}{words}</a>'

    return re.sub(r"(?m)^Next: \[(\d+) · (.*)\]\((.*)\)$", card, source)


def slide_cell(source, slide_type):
    return new_markdown_cell(source, metadata={"slideshow": {"slide_type": slide_type}})


def right_answers(cell):
    """Notes on a question for the lecturer; a page to scroll keeps them hidden."""
    for question in filter(None, map(question_of, outputs_of([cell]))):
        [right] = [option for option in question["options"] if option["right"]]
        words = "<b>Right: {letter}.</b> <i>{words}</i> {reply}".format(**right)
        yield slide_cell(f'<div class="answer"><p>{words}</p></div>', "notes")


class Compose(Preprocessor):
    """A slide without a heading repeats the last; notes stand on top; links lead on.

    A question brings notes along: its right answer.
    """

    def preprocess(self, nb, resources):
        cells = []
        last_heading = ""
        top = 0  # where the notes of the present slide go
        for cell in nb.cells:
            heading = heading_of(cell) if in_deck(cell) else None
            last_heading = heading or last_heading
            notes = right_answers(cell) if in_deck(cell) else ()
            if cell.cell_type == "markdown":
                cell.source = with_next(with_deck_links(cell.source))
            if slide_type(cell) == "notes":  # inside a fragment they would wait for it
                notes = (cell,)
            else:
                if slide_type(cell) in NEW_SLIDE:
                    if not heading:
                        cells.append(slide_cell(f"## {last_heading}", slide_type(cell)))
                        cell.metadata.pop("slideshow")
                    top = len(cells) + bool(heading)
                cells.append(cell)
            for note in notes:
                cells.insert(top, note)
                top += 1
        nb.cells = cells
        return nb, resources


class Renderer(IPythonRenderer):
    """Markdown as nbconvert reads it; where formulas stand, they will be drawn."""

    def inline_math(self, body):
        return placeholder(body)

    def block_math(self, body):
        return placeholder(body, display=True)


def as_html(source):
    renderer = Renderer(escape=False, exclude_anchor_links=True)
    return MarkdownWithMath(renderer=renderer).render(source)


def latex_as_html(source):
    """What `prove` puts out: a formula between dollar signs."""
    return placeholder(source.strip("$ \n"), display=True)


def code_as_html(source, metadata):
    """Code in colours; the lines that carry the slide stand out.

    Where one is too long for letters of 24 px, a slide shows all in smaller ones.
    """
    is_long = max(map(len, source.splitlines())) > CODE_LINE
    name = "highlight long" if is_long else "highlight"
    marked = HtmlFormatter(cssclass=name, hl_lines=metadata.get("lines", ()))
    return highlight(source, PythonLexer(), marked)


def exporter(template="course", folder=HERE / "templates"):
    """The stock exporter for slides with nbconvert.json and our template.

    Another one, of another folder, may extend ours.
    """
    carriers = (
        HERE / "templates",
        REVEAL,
        ROOT / "render" / "page",
        ROOT / "notebooks" / "fonts",
        Path(matplotlib.get_data_path(), "fonts", "ttf"),
    )
    config = Config(json.loads((HERE / "nbconvert.json").read_text("utf-8")))
    config.SlidesExporter.template_name = template
    folders = [str(HERE / "templates"), str(folder)]
    config.SlidesExporter.extra_template_basedirs = folders
    config.SlidesExporter.extra_template_paths = [str(path) for path in carriers]
    config.SlidesExporter.preprocessors = [Compose]
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


def still_pictures(cells):
    """The outputs of the deck that are, or have, a picture without sliders."""
    return list(filter(still_of, outputs_of(filter(in_deck, cells))))


def place_recap_picture(nb):
    """Put the last slide's picture, if narrow, beside its words.

    A recap without one of its own shows the title's again.
    """
    starts = [at for at, cell in enumerate(nb.cells) if slide_type(cell) in NEW_SLIDE]
    after = starts[-1] + 1
    if starts[1:] and not still_pictures(nb.cells[after:]):
        pictures = deepcopy(still_pictures(nb.cells[: starts[1]]))
        hidden = {"tags": ["hide-input"]}
        nb.cells.insert(after, new_code_cell(outputs=pictures, metadata=hidden))
    for output in still_pictures(nb.cells[after:]):
        picture = still_of(output)
        picture["beside"] = picture["width"] <= BESIDE


# ---- decks ----------------------------------------------------------------------
def as_page(nb, links, exporter):
    """The page of a chapter whose pictures and explorers have been placed.

    `links`, on its title slide, lead to where the chapter can be read, run and fetched.
    """
    title = nb.cells[0]
    nb.metadata["title"] = heading_of(title)
    title.source = with_sign(with_deck_links(title.source)) + links
    place_recap_picture(nb)
    page, _ = exporter.from_notebook_node(nb)
    return with_formulas(page)


def deck(notebook, folder, cache=CACHE):
    """Write a chapter's deck into a folder, whole or not at all; returns its path.

    Raises RuntimeError where a cell fails, with its index and source, and OverBudget
    where an explorer needs too many frames, or the deck too many bytes.
    """
    drawing = draw_chapter(notebook, cache)
    nb = read_drawn(notebook, drawing)
    for output in still_pictures(nb.cells):
        place_picture(still_of(output), drawing)
    for explorer in explorers_of(filter(in_deck, nb.cells)):
        place_explorer(explorer, drawing)
    page = as_page(nb, chapter_links(nb), exporter())
    megabytes = len(page.encode()) / 1e6
    if megabytes > MEGABYTES:
        raise OverBudget(
            f"the deck has {megabytes:.1f} MB, at most {MEGABYTES} are allowed"
        )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{notebook.stem}.html"
    write_whole(path, page)
    return path


def notebooks_of(numbers):
    """The notebooks of the chapters with these numbers; of all if none is given."""
    decks = {path.stem[:2]: path for path in DECKS}
    numbers = [number.zfill(2) for number in numbers] or decks
    if unknown := [number for number in numbers if number not in decks]:
        sys.exit(f"There is no chapter {unknown[0]}. There are: {', '.join(decks)}.")
    return [decks[number] for number in numbers]


def export(notebooks, folder=ROOT / "build" / "slides", cache=CACHE):
    """Write decks side by side; at the end, say which could not be written, and why."""
    faults = []
    with ProcessPoolExecutor(min(os.cpu_count(), len(notebooks))) as pool:
        jobs = [pool.submit(deck, notebook, folder, cache) for notebook in notebooks]
        for notebook, job in zip(notebooks, jobs):
            try:
                print(os.path.relpath(job.result()), flush=True)
            except RuntimeError as error:
                faults.append(f"chapter {notebook.stem[:2]}: no deck. {error}")
    sys.exit("\n".join(faults) or 0)


if __name__ == "__main__":
    export(notebooks_of(sys.argv[1:]))
