"""What the book adds to Sphinx for lecturers: the plan of a deck, links to its slides.

```{deck} 04``` writes the plan of a chapter: its slides, what is on each, and when to
begin with it. {slide}`04 The theorem` leads to a slide, named by the first words of its
heading or by the id of one of its cells. ```{drag} 04 Move pos``` stands above what to
set on a slide with sliders. What is not in the deck stops the build.
"""

import re
from itertools import accumulate

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.util.logging import getLogger

from book.excerpts import chapters_of
from book.glossary import plain
from tools.chapters import (
    NEW_SLIDE,
    answers_of,
    heading_of,
    in_deck,
    outputs_of,
    picture_of,
    slide_type,
)
from tools.drawing import explorers_of

# How long a slide takes beside the others: a rule of thumb, told on the page.
MINUTES = {"words": 1, "picture": 1.5, "code": 1.5, "vote": 2, "sliders": 3}
LECTURE, SHORT = 45, 20
SETTING = re.compile(r"`(\w+) = ([^`]+)`")  # a slider's name and a value


# ---- what a deck has ----------------------------------------------------------------
def slides(nb):
    """The slides of a chapter: heading, cells, kind, sliders and place in the deck.

    Parameters
    ----------
    nb : NotebookNode
        A chapter as `drawing.read_drawn` gives it.

    Returns
    -------
    list of dict, ready for JSON. `sliders` maps a slider's name to its labels.
    """
    deck = []
    across, down = -1, 0
    heading = ""
    for cell in filter(in_deck, nb.cells):
        heading = heading_of(cell) or heading
        if slide_type(cell) in NEW_SLIDE:
            is_below = slide_type(cell) == "subslide"
            across, down = (across, down + 1) if is_below else (across + 1, 0)
            slide = {
                "heading": heading,
                "place": f"#/{across}/{down}" if down else f"#/{across}",
                "number": len(deck) + 1,
                "kind": "words",
                "cells": [],
                "sliders": {},
            }
            deck.append(slide)
        slide["cells"].append(cell.id)
        slide["kind"] = max(slide["kind"], shows(cell), key=list(MINUTES).index)
        for explorer in explorers_of([cell]):
            for slider in explorer["sliders"]:
                slide["sliders"][slider["name"]] = slider["labels"]
    return deck


def shows(cell):
    """What a cell of the deck shows: one of the kinds of MINUTES."""
    if explorers_of([cell]):
        return "sliders"
    if answers_of(cell):
        return "vote"
    if any(map(picture_of, outputs_of([cell]))):
        return "picture"
    return "code" if cell.cell_type == "code" else "words"


def begins(slides, total):
    """The minute at which each of these slides begins, if all take `total` minutes."""
    shares = [MINUTES[slide["kind"]] for slide in slides]
    before = accumulate(shares, initial=0)
    return [round(total * part / sum(shares)) for part, _ in zip(before, shares)]


def find_slide(deck, words):
    """The only slide whose heading begins with these words, or that has this cell.

    Raises
    ------
    ValueError
        If there is no such slide, or more than one.
    """
    matches = [
        slide
        for slide in deck["slides"]
        if words in slide["cells"] or plain(slide["heading"]).startswith(words)
    ]
    if not words or len(matches) != 1:
        raise ValueError(f"{deck['name']} has {len(matches)} slides {words!r}, not one")
    return matches[0]


# ---- what a page shows of it --------------------------------------------------------
def deck_of(env, number):
    """The deck of a chapter, from what bind.py has prepared."""
    chapter = chapters_of(env).get(number, {"slides": []})
    if not chapter["slides"]:
        raise ValueError(f"there is no deck {number!r}")
    return chapter


def link(deck, slide):
    """A link to a slide: its heading, and its number behind it."""
    address = f"slides/{deck['name']}.html{slide['place']}"
    text = f"{plain(slide['heading'])} (slide {slide['number']})"
    return nodes.reference("", text, refuri=address, internal=False)


class Slide(SphinxRole):
    """{slide}`04 The theorem`."""

    def run(self):
        number, _, words = self.text.partition(" ")
        try:
            deck = deck_of(self.env, number)
            return [link(deck, find_slide(deck, words))], []
        except ValueError as fault:
            getLogger(__name__).warning(str(fault), location=self.get_location())
            return [nodes.Text(self.text)], []


class Deck(SphinxDirective):
    """```{deck} 04```, and below it the peak; `short` has the slides of 20 minutes."""

    required_arguments = 1
    has_content = True
    option_spec = {"short": directives.unchanged_required}

    def run(self):
        [number] = self.arguments
        try:
            deck = deck_of(self.env, number)
            kept = [find_slide(deck, words) for words in self.short()]
        except ValueError as fault:
            raise self.error(str(fault)) from None
        slides = deck["slides"]
        kept = [s for s in slides if s in kept or s in (slides[0], slides[-1])]
        address = f"slides/{deck['name']}.html"
        lines = [
            f'**{slides[0]["heading"]}.** <a href="{address}">The deck</a>'
            f' (<a href="{address}" download>download</a>)'
            f" · [the chapter]({deck['name']}.ipynb)",
            "",
            f"**The peak.** {' '.join(self.content)}",
            "",
            *plan(address, slides, kept),
        ]
        box = nodes.container(classes=["plan"])
        self.state.nested_parse(lines, self.content_offset, box)
        return [box]

    def short(self):
        words = self.options.get("short", "").split(";")
        return [part.strip() for part in words if part.strip()]


def plan(address, slides, kept):
    """The table of a deck, as markdown."""
    short = dict(zip([slide["number"] for slide in kept], begins(kept, SHORT)))
    yield f"| slide | heading | shows | of {LECTURE} | of {SHORT} |"
    yield "|--:|---|---|--:|--:|"
    for slide, minute in zip(slides, begins(slides, LECTURE)):
        number = slide["number"]
        where = f'<a href="{address}{slide["place"]}">{number}</a>'
        heading = slide["heading"].replace("|", r"\|")
        sliders = ", ".join(f"`{name}`" for name in slide["sliders"])
        shown = f"{slide['kind']} {sliders}"
        yield f"| {where} | {heading} | {shown} | {minute} | {short.get(number, '')} |"


class Drag(SphinxDirective):
    """```{drag} 04 Move pos```, and below it what to ask and what to set."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self):
        number, _, words = self.arguments[0].partition(" ")
        text = "\n".join(self.content)
        try:
            deck = deck_of(self.env, number)
            slide = find_slide(deck, words)
            check_settings(slide["sliders"], text)
        except ValueError as fault:
            raise self.error(str(fault)) from None
        box = nodes.container(classes=["drag"])
        self.state.nested_parse(self.content, self.content_offset, box)
        box[0][:0] = [link(deck, slide), nodes.Text(": ")]
        return [box]


def check_settings(sliders, text):
    """Raise ValueError where a text has settings that the sliders lack."""
    for name, value in SETTING.findall(text):
        labels = [label.replace("−", "-") for label in sliders.get(name, [])]
        if value.replace("−", "-") not in labels:
            raise ValueError(f"`{name} = {value}` is no setting; there are {labels}")


def setup(app):
    app.add_directive("deck", Deck)
    app.add_directive("drag", Drag)
    app.add_role("slide", Slide())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
