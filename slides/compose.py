"""What slides say beside the cells of a chapter: titles, ways on, lecturers' notes."""

import re
from copy import deepcopy

from nbformat.v4 import new_code_cell, new_markdown_cell

from slides.markup import as_html
from tools.chapters import (
    NEW_SLIDE,
    heading_of,
    in_deck,
    outputs_of,
    question_of,
    questions,
    slide_type,
    still_of,
    tags,
)
from tools.repo import is_named

BESIDE = 650  # CSS pixels: a picture so wide leaves room for words at its left


# ---- the first slide and the last -----------------------------------------------
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


def with_next(source):
    """The link to the next chapter as a card: a clock, the title, the question."""

    def card(found):
        number, name, address = found.groups()
        *_, question = questions()[number]
        words = f"<span><b>Next: {number} · {name}</b><br>{question}</span>"
        return f'<a class="next" href="{address}">{clock(int(number))}{words}</a>'

    return re.sub(r"(?m)^Next: \[(\d+) · (.*)\]\((.*)\)$", card, source)


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
        nb.cells.insert(
            after, new_code_cell(id="recap-picture", outputs=pictures, metadata=hidden)
        )
    for output in still_pictures(nb.cells[after:]):
        picture = still_of(output)
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
    for question in filter(None, map(question_of, outputs_of([cell]))):
        [right] = [option for option in question["options"] if option["right"]]
        words = "<b>Right: {letter}.</b> <i>{words}</i> {reply}".format(**right)
        yield slide_cell(f'<div class="answer"><p>{words}</p></div>', "notes")


def with_notes_and_headings(cells):
    """These cells; a slide without a heading repeats the last, notes stand on top.

    A question brings notes along: its right answer.
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
                top = len(placed) + bool(heading)
            placed.append(cell)
        for note in notes:
            placed.insert(top, note)
            top += 1
    return placed


def compose(nb, links):
    """Make slides of a chapter whose pictures and explorers have been placed.

    `links`, on its title slide, lead to where the chapter can be read, run and fetched.
    """
    title, *others = nb.cells
    nb.metadata["title"] = heading_of(title)
    title.source = with_sign(with_deck_links(title.source)) + links
    for cell in others:
        if cell.cell_type == "markdown":
            cell.source = with_next(with_deck_links(cell.source))
    place_recap_picture(nb)
    nb.cells = with_notes_and_headings(nb.cells)
