"""What slides say beside a chapter's cells: ways on, headings, lecturers' notes."""

import re
from copy import deepcopy

from nbformat.v4 import new_code_cell, new_markdown_cell

from tools.chapters import (
    NEW_SLIDE,
    NOTEBOOKS,
    heading_of,
    in_deck,
    outputs_of,
    question_asked,
    question_metadata,
    slide_type,
    still_metadata,
    tagged,
    tags,
)
from tools.repo import addresses, current, is_named

BESIDE = 650  # CSS pixels: a picture so wide leaves room for words at its left
NOTEBOOK = re.compile(r"\((\w+)\.ipynb\)")  # in a link


# ---- the first slide and the last -----------------------------------------------
def chapter_links(chapter):
    """A line for the title slide: where the chapter can be read, run and fetched."""
    if not is_named(current()[0]):
        return ""
    places = addresses(chapter).items()
    links = [f'<a href="{address}">{name}</a>' for name, address in places]
    return f'\n\n<p class="where">This chapter: {" · ".join(links)}</p>'


def with_next_question(source):
    """The way on, and below it what the next chapter asks."""
    link = NOTEBOOK.search(source)
    path = NOTEBOOKS / f"{link[1]}.ipynb" if link else None
    question = question_asked(path) if path and path.exists() else ""
    return f"{source}\n\n{question}"


def still_pictures(cells):
    """The outputs of the deck that are, or have, a picture without sliders."""
    return list(filter(still_metadata, outputs_of(filter(in_deck, cells))))


def place_recap_picture(cells):
    """Put the picture of the recap, if it is narrow, beside its words.

    A recap without one of its own shows the title's again.
    """
    starts = [at for at, cell in enumerate(cells) if slide_type(cell) in NEW_SLIDE]
    starts.append(len(cells))
    recap = next((at for at in starts[:-1] if "recap" in tags(cells[at])), None)
    if recap is None:
        return
    end = starts[starts.index(recap) + 1]
    pictures = still_pictures(cells[recap:end])
    if not pictures:
        pictures = deepcopy(still_pictures(cells[: starts[1]]))
        hidden = {"tags": ["no-code-on-slide"]}
        again = new_code_cell(id="recap-picture", outputs=pictures, metadata=hidden)
        cells.insert(recap + 1, again)
    for output in pictures:
        picture = still_metadata(output)
        picture["beside"] = picture["width"] <= BESIDE


# ---- all slides -----------------------------------------------------------------
def with_deck_links(source):
    """Markdown whose links lead to other decks; words of the glossary stay words."""
    source = re.sub(r"\[([^]]*)\]\(glossary\.ipynb#[^)]*\)", r"\1", source)
    return re.sub(r"\]\((\d\d_\w+)\.ipynb\)", r"](\1.html)", source)


def slide_cell(source, slide_type):
    return new_markdown_cell(source, metadata={"slideshow": {"slide_type": slide_type}})


def right_answers(cell):
    """Notes on a question for the lecturer; a page to scroll keeps them hidden."""
    for question in filter(None, map(question_metadata, outputs_of([cell]))):
        [right] = [option for option in question["options"] if option["right"]]
        words = "<b>Right: {letter}.</b> <i>{words}</i> {reply}".format(**right)
        yield slide_cell(f'<div class="answer"><p>{words}</p></div>', "notes")


def with_notes_and_headings(cells):
    """These cells; a slide without a heading repeats the last one.

    Notes follow the first words of their slide. A question brings notes along: its
    right answer.
    """
    placed = []
    last_heading = ""
    top = 0  # where the notes of the present slide go
    for cell in cells:
        heading = heading_of(cell) if in_deck(cell) else None
        last_heading = heading or last_heading
        notes = right_answers(cell) if in_deck(cell) else ()
        if slide_type(cell) == "notes":  # inside a fragment they would wait for it
            notes = (cell,)
        else:
            if slide_type(cell) in NEW_SLIDE:
                if not heading:
                    placed.append(slide_cell(f"## {last_heading}", slide_type(cell)))
                    cell.metadata.pop("slideshow")
                top = len(placed)
            begins = slide_type(cell) in (*NEW_SLIDE, "-") and top == len(placed)
            placed.append(cell)
            top += begins and cell.cell_type == "markdown"
        for note in notes:
            placed.insert(top, note)
            top += 1
    return placed


def compose(nb, links):
    """Make slides of a chapter whose pictures and explorers have been placed.

    `links`, on its title slide, lead to where the chapter can be read, run and fetched.
    """
    title = tagged(nb.cells, "title")
    nb.metadata["title"] = heading_of(title) or ""
    title.source += links
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            if "next" in tags(cell):
                cell.source = with_next_question(cell.source)
            cell.source = with_deck_links(cell.source)
    place_recap_picture(nb.cells)
    nb.cells = with_notes_and_headings(nb.cells)
