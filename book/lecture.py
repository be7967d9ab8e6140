"""What the book adds to Sphinx for lecturers: the plan of a deck, links to its slides.

```{deck} 04``` writes the plan of a chapter: its slides, what is on each, and when to
begin with it. {slide}`04 The theorem` leads to a slide, named by the first words of its
heading or by the id of one of its cells. ```{drag} 04 Move pos``` stands above what to
set on a slide with sliders. What is not in the deck stops the build.
"""

import json
import re
from itertools import accumulate
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.util.logging import getLogger

from tools.drawing import IMAGE, SLIDES, answers, explorer_of, in_deck, kind

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
        A chapter as `drawing.chapter` gives it.

    Returns
    -------
    list of dict, ready for JSON. `sliders` maps a slider's name to its labels.
    """
    found = []
    across, down = -1, 0
    heading = ""
    for cell in filter(in_deck, nb.cells):
        if kind(cell) == "slide":
            across, down = across + 1, 0
        elif kind(cell) == "subslide":
            down += 1
        if cell.cell_type == "markdown":
            own = re.search(r"(?m)^#+ (.*)", cell.source)
            heading = own[1] if own else heading
        if kind(cell) in SLIDES:
            place = f"#/{across}/{down}" if down else f"#/{across}"
            new = {"heading": heading, "place": place, "number": len(found) + 1}
            found.append({**new, "kind": "words", "cells": [], "sliders": {}})
        slide = found[-1]
        slide["cells"].append(cell.id)
        slide["kind"] = max(slide["kind"], shows(cell), key=list(MINUTES).index)
        for need in filter(None, map(explorer_of, cell.get("outputs", []))):
            labels = {slider["name"]: slider["labels"] for slider in need["sliders"]}
            slide["sliders"].update(labels)
    return found


def shows(cell):
    """What a cell of the deck shows: one of the kinds of MINUTES."""
    outputs = cell.get("outputs", [])
    if any(map(explorer_of, outputs)):
        return "sliders"
    if answers(cell):
        return "vote"
    if any(IMAGE.match(o.get("data", {}).get("text/html", "")) for o in outputs):
        return "picture"
    return "code" if cell.cell_type == "code" else "words"


def begins(slides, total):
    """The minute at which each of these slides begins, if all take `total` minutes."""
    shares = [MINUTES[slide["kind"]] for slide in slides]
    before = accumulate(shares, initial=0)
    return [round(total * part / sum(shares)) for part, _ in zip(before, shares)]


def plain(heading):
    return re.sub(r"[`$]", "", heading)


def one(deck, words):
    """The only slide whose heading begins with these words, or that has this cell.

    Raises
    ------
    ValueError
        If there is no such slide, or more than one.
    """
    found = [
        slide
        for slide in deck["slides"]
        if words in slide["cells"] or plain(slide["heading"]).startswith(words)
    ]
    if not words or len(found) != 1:
        raise ValueError(f"{deck['name']} has {len(found)} slides {words!r}, not one")
    return found[0]


# ---- what a page shows of it --------------------------------------------------------
def deck_of(env, number):
    """The deck of a chapter, from what bind.py has prepared."""
    path = Path(env.srcdir, "cells.json")
    env.note_dependency(str(path))
    chapters = json.loads(path.read_text("utf-8"))
    if not chapters.get(number, {}).get("slides"):
        raise ValueError(f"there is no deck {number!r}")
    return chapters[number]


def link(deck, words):
    """A link to a slide: its heading, and its number behind it."""
    slide = one(deck, words)
    address = f"slides/{deck['name']}.html{slide['place']}"
    heading = plain(slide["heading"])
    text = f"{heading} (slide {slide['number']})"
    return nodes.reference("", text, refuri=address, internal=False)


class Slide(SphinxRole):
    """{slide}`04 The theorem`."""

    def run(self):
        number, _, words = self.text.partition(" ")
        try:
            return [link(deck_of(self.env, number), words)], []
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
            kept = [one(deck, words) for words in self.short()]
        except ValueError as fault:
            raise self.error(str(fault)) from None
        slides = deck["slides"]
        kept = [s for s in slides if s in kept or s in (slides[0], slides[-1])]
        ways = self.ways(deck["name"], slides[0]["heading"])
        peak = "**The peak.** " + " ".join(self.content)
        table = plan(deck["name"], slides, kept)
        box = nodes.container(classes=["plan"])
        lines = [ways, "", peak, "", *table]
        self.state.nested_parse(lines, self.content_offset, box)
        return [box]

    def short(self):
        words = self.options.get("short", "").split(";")
        return [part.strip() for part in words if part.strip()]

    def ways(self, name, title):
        deck = f"slides/{name}.html"
        return (
            f'**{title}.** <a href="{deck}">The deck</a> (<a href="{deck}" download>'
            f"download</a>) · [the chapter]({name}.ipynb)"
        )


def plan(name, slides, kept):
    """The table of a deck, as markdown."""
    short = dict(zip([s["number"] for s in kept], begins(kept, SHORT)))
    yield f"| slide | heading | shows | of {LECTURE} | of {SHORT} |"
    yield "|--:|---|---|--:|--:|"
    for slide, minute in zip(slides, begins(slides, LECTURE)):
        heading = slide["heading"].replace("|", r"\|")
        address = f"slides/{name}.html{slide['place']}"
        where = f'<a href="{address}">{slide["number"]}</a>'
        names = ", ".join(f"`{name}`" for name in slide["sliders"])
        row = [
            where,
            heading,
            f"{slide['kind']} {names}",
            minute,
            short.get(slide["number"], ""),
        ]
        yield f"| {' | '.join(map(str, row))} |"


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
            line = link(deck, words)
            must_exist(one(deck, words)["sliders"], text)
        except ValueError as fault:
            raise self.error(str(fault)) from None
        box = nodes.container(classes=["drag"])
        self.state.nested_parse(self.content, self.content_offset, box)
        box[0][:0] = [line, nodes.Text(": ")]
        return [box]


def must_exist(sliders, text):
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
