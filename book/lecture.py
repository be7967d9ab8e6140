"""What the page for lecturers says of the decks: plans, links to slides, settings.

In a page, a block ```{deck} 04``` becomes the plan of chapter 4: its slides, what is on
each and when to begin with it; `:short:` names those of the short lecture, and below
stands the peak. {slide}`04 The theorem` becomes a link to a slide, named by the first
words of its heading or by the id of one of its cells. A block ```{drag} 04 Move pos```
stands above what to set on a slide with sliders.
"""

import re
from itertools import accumulate

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
from tools.prerender import explorers_of

# How long a slide takes beside the others: a rule of thumb, told on the page.
MINUTES = {"words": 1, "picture": 1.5, "code": 1.5, "vote": 2, "sliders": 3}
LECTURE, SHORT = 45, 20
BLOCK = re.compile(r"(?ms)^```\{(deck|drag)\} (\w+) ?(.*?)\n(.*?)^```$")
SLIDE = re.compile(r"\{slide\}`(\w+) ([^`]+)`")
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


def with_decks(page, decks):
    """The markdown of a page with all that it says of `decks` written out.

    Each deck has a "name" and its "slides". A ValueError tells of what it lacks.
    """

    def block(found):
        kind, number, words, text = found.groups()
        write = plan if kind == "deck" else setting
        return f"```{{container}} {kind}\n{write(decks[number], words, text)}\n```"

    page = BLOCK.sub(block, page)
    return SLIDE.sub(lambda found: link(decks[found[1]], found[2]), page)


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


def link(deck, words):
    slide = find_slide(deck, words)
    text = f"{plain(slide['heading'])} (slide {slide['number']})"
    return f'<a href="slides/{deck["name"]}.html{slide["place"]}">{text}</a>'


def plan(deck, _, text):
    """Where the deck is, its peak, and a table of its slides."""
    slides, address = deck["slides"], f"slides/{deck['name']}.html"
    short, _, peak = text.removeprefix(":short: ").partition("\n")
    named = [find_slide(deck, words) for words in short.split("; ")]
    kept = [s for s in slides if s in named or s in (slides[0], slides[-1])]
    minutes = dict(zip([slide["number"] for slide in kept], begins(kept, SHORT)))
    lines = [
        f'**{slides[0]["heading"]}.** <a href="{address}">The deck</a>'
        f" · [the chapter]({deck['name']}.ipynb)",
        f"\n**The peak.** {peak.strip()}\n",
        f"| slide | heading | shows | of {LECTURE} | of {SHORT} |",
        "|--:|---|---|--:|--:|",
    ]
    for slide, minute in zip(slides, begins(slides, LECTURE)):
        number = f'<a href="{address}{slide["place"]}">{slide["number"]}</a>'
        heading = slide["heading"].replace("|", r"\|")
        shown = " ".join([slide["kind"], *(f"`{name}`" for name in slide["sliders"])])
        of_short = minutes.get(slide["number"], "")
        lines.append(f"| {number} | {heading} | {shown} | {minute} | {of_short} |")
    return "\n".join(lines)


def setting(deck, words, text):
    """A link to a slide and what to set there, if its sliders have these values."""
    sliders = find_slide(deck, words)["sliders"]
    for name, value in SETTING.findall(text):
        labels = [label.replace("−", "-") for label in sliders.get(name, [])]
        if value.replace("−", "-") not in labels:
            raise ValueError(f"`{name} = {value}` is no setting; there are {labels}")
    return f"{link(deck, words)}: {text.strip()}"
