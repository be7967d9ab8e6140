"""What the book adds to Sphinx for the lecturers' page: plans of decks, ways into them.

A directive ```{deck} 04``` becomes the plan of chapter 4: its slides, what is on each
and when to begin with it; `:short:` names those of the short lecture, and below stands
the peak. A role {slide}`04 The theorem` becomes a link to a slide, named by the first
words of its heading or by the id of one of its cells. A directive
```{drag} 04 Move pos``` stands above what to set on a slide with sliders.
"""

import json
import re
from itertools import accumulate
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective, SphinxRole

from book.extensions.glossary_lines import plain
from render.prerender import explorers_of
from tools.chapters import (
    NEW_SLIDE,
    heading_of,
    in_deck,
    outputs_of,
    question_of,
    slide_type,
    still_of,
)

# How long a slide takes beside the others: a rule of thumb, told on the page.
MINUTES = {"words": 1, "picture": 1.5, "code": 1.5, "vote": 2, "sliders": 3}
LECTURE, SHORT = 45, 20
SETTING = re.compile(r"`(\w+) = ([^`]+)`")  # a slider's name and a value


def slides(nb):
    """The slides of a chapter, as `prerender.read_drawn` gives it: a dict for each."""
    deck, heading = [], ""
    across, down = -1, 0
    for cell in filter(in_deck, nb.cells):
        heading = heading_of(cell) or heading
        if slide_type(cell) in NEW_SLIDE:
            is_below = slide_type(cell) == "subslide"
            across, down = (across, down + 1) if is_below else (across + 1, 0)
            place = f"#/{across}/{down}" if down else f"#/{across}"
            slide = {"heading": heading, "place": place, "number": len(deck) + 1}
            deck.append({**slide, "kind": "words", "cells": [], "sliders": {}})
        slide = deck[-1]
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
    if any(map(question_of, outputs_of([cell]))):
        return "vote"
    if any(map(still_of, outputs_of([cell]))):
        return "picture"
    return "code" if cell.cell_type == "code" else "words"


def begins(slides, total):
    """The minute at which each of these slides begins, if all take `total` minutes."""
    shares = [MINUTES[slide["kind"]] for slide in slides]
    before = accumulate(shares, initial=0)
    return [round(total * part / sum(shares)) for part, _ in zip(before, shares)]


# ---- what a page says of them -------------------------------------------------------
def find_deck(env, number):
    """What bind.py has prepared of a deck: its "name" and its "slides"."""
    path = Path(env.srcdir, "decks.json")
    env.note_dependency(str(path))
    decks = json.loads(path.read_text("utf-8"))
    if number not in decks:
        raise ValueError(f"there is no deck {number}")
    return decks[number]


def find_slide(deck, words):
    """The only slide whose heading begins with these words, or that has this cell."""
    matches = [
        slide
        for slide in deck["slides"]
        if words in slide["cells"] or plain(slide["heading"]).startswith(words)
    ]
    if len(matches) != 1:
        raise ValueError(f"{deck['name']} has {len(matches)} slides {words!r}, not one")
    return matches[0]


class Slide(SphinxRole):
    """{slide}`04 The theorem` is a link to that slide."""

    def run(self):
        number, _, words = self.text.partition(" ")
        try:
            deck = find_deck(self.env, number)
            slide = find_slide(deck, words)
        except ValueError as fault:
            return [], [self.inliner.reporter.error(str(fault), line=self.lineno)]
        text = f"{plain(slide['heading'])} (slide {slide['number']})"
        address = f"slides/{deck['name']}.html{slide['place']}"
        return [nodes.reference("", text, refuri=address)], []


class Deck(SphinxDirective):
    """Where the deck is, its peak, and a table of its slides."""

    required_arguments = 1
    option_spec = {"short": directives.unchanged_required}
    has_content = True

    def run(self):
        try:
            deck = find_deck(self.env, self.arguments[0])
            short = [find_slide(deck, w) for w in self.options["short"].split("; ")]
        except ValueError as fault:
            raise self.error(str(fault)) from None
        box = nodes.container(classes=["deck"])
        lines = plan(deck, short, " ".join(self.content))
        self.state.nested_parse(lines, self.content_offset, box)
        return [box]


class Drag(SphinxDirective):
    """A link to a slide and what to set there, if its sliders have these values."""

    required_arguments = 2
    final_argument_whitespace = True
    has_content = True

    def run(self):
        number, words = self.arguments
        text = " ".join(self.content)
        try:
            sliders = find_slide(find_deck(self.env, number), words)["sliders"]
            check_settings(sliders, text)
        except ValueError as fault:
            raise self.error(str(fault)) from None
        box = nodes.container(classes=["drag"])
        line = [f"{{slide}}`{number} {words}`: {text}"]
        self.state.nested_parse(line, self.content_offset, box)
        return [box]


def plan(deck, short, peak):
    """The lines of a plan, in markdown; `short` are the slides of the short lecture."""
    slides, address = deck["slides"], f"slides/{deck['name']}.html"
    kept = [s for s in slides if s in short or s in (slides[0], slides[-1])]
    minutes = dict(zip([slide["number"] for slide in kept], begins(kept, SHORT)))
    lines = [
        f'<a href="{address}">The deck</a> · [the chapter]({deck["name"]}.ipynb)',
        "",
        f"**The peak.** {peak}",
        "",
        f"| slide | heading | shows | of {LECTURE} | of {SHORT} |",
        "|--:|---|---|--:|--:|",
    ]
    for slide, minute in zip(slides, begins(slides, LECTURE)):
        number = f'<a href="{address}{slide["place"]}">{slide["number"]}</a>'
        heading = slide["heading"].replace("|", r"\|")
        shown = " ".join([slide["kind"], *(f"`{name}`" for name in slide["sliders"])])
        of_short = minutes.get(slide["number"], "")
        lines.append(f"| {number} | {heading} | {shown} | {minute} | {of_short} |")
    return lines


def check_settings(sliders, text):
    """Raise ValueError where a text sets a slider to what it cannot show."""
    for name, value in SETTING.findall(text):
        labels = [label.replace("−", "-") for label in sliders.get(name, [])]
        if value.replace("−", "-") not in labels:
            raise ValueError(f"`{name} = {value}` is no setting; there are {labels}")


def setup(app):
    app.add_directive("deck", Deck)
    app.add_directive("drag", Drag)
    app.add_role("slide", Slide())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
