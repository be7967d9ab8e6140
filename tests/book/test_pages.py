"""Whoever writes a page of the book relies on this: what it points at is there."""

import html
import json
import re

import nbformat
import pytest
from bs4 import BeautifulSoup
from sphinx.cmd.build import build_main

from book import lecture
from slides import export
from tools.chapters import DECKS

# Sphinx deprecates what MyST still uses.
pytestmark = pytest.mark.filterwarnings("ignore:.*myst_parser")


# ---- the plans of the lectures ------------------------------------------------------
def shown(page):
    """The slides of a deck as reveal.js counts them: address and heading."""
    deck = BeautifulSoup(page, "html.parser").find(class_="slides")
    for across, column in enumerate(deck.find_all("section", recursive=False)):
        for down, slide in enumerate(column.find_all("section", recursive=False)):
            place = f"#/{across}/{down}" if down else f"#/{across}"
            yield place, slide.find(["h1", "h2", "h3"]).text


def bare(heading):
    """A heading without the marks of code and formulas."""
    return re.sub(r"[`$]", "", html.unescape(heading))


@pytest.mark.parametrize("path", DECKS, ids=lambda path: path.stem)
def test_a_plan_has_the_slides_of_the_deck_and_leads_to_them(path):
    nb = nbformat.read(path, as_version=4)
    planned = [(s["place"], bare(s["heading"])) for s in lecture.slides(nb)]
    nb.metadata["title"] = path.stem
    page, _ = export.exporter().from_notebook_node(nb)
    assert planned == [(place, bare(heading)) for place, heading in shown(page)]


def test_a_lecture_takes_its_minutes_and_sliders_take_the_longest():
    slides = [{"kind": kind} for kind in ("words", "sliders", "vote", "words")]
    assert lecture.begins(slides, 45) == [0, 6, 26, 39]


# ---- what stops the build -----------------------------------------------------------
def slide(number, heading, **sliders):
    known = {"place": f"#/{number}", "kind": "words", "cells": [f"cell-{number}"]}
    return {"number": number, "heading": heading, "sliders": sliders, **known}


SLIDES = [slide(1, "One"), slide(2, "Move `k`", k=["−1", "0"]), slide(3, "Move on")]
OUTPUT = {"output_type": "stream", "name": "stdout", "text": "nine"}
CELL = {"heading": "One", "cell": {"source": "", "outputs": [OUTPUT]}}
CELLS = {"04": {"name": "04_deck", "slides": SLIDES, "cells": {"cell-1": CELL}}}
GOOD = """
# For lecturers

See {slide}`04 Move on` and {slide}`04 cell-2`.

```{deck} 04
:short: Move k

All in one.
```

```{drag} 04 Move k
From `k = -1` to `k = 0`.
```
"""


def build(folder, page):
    """Whether Sphinx makes a page of this."""
    (folder / "cells.json").write_text(json.dumps(CELLS), "utf-8")
    (folder / "index.md").write_text(page, "utf-8")
    (folder / "04_deck.md").write_text("---\norphan: true\n---\n# One\n", "utf-8")
    options = ["-q", "-W", "-C"]
    options += ["-D", "extensions=myst_parser,book.excerpts,book.lecture"]
    options += ["-D", "suppress_warnings=myst.xref_missing"]
    return build_main([*options, str(folder), str(folder / "site")]) == 0


def test_a_page_names_slides_with_their_numbers_and_what_to_set(tmp_path):
    assert build(tmp_path, GOOD)
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert 'href="slides/04_deck.html#/3">Move on (slide 3)</a>' in page
    assert page.count("Move k (slide 2)</a>") == 2
    assert page.count("<tr") == 1 + len(SLIDES)


@pytest.mark.parametrize(
    "text, said",
    [
        ("See {slide}`04 Nowhere`.", "04_deck has 0 slides 'Nowhere'"),
        ("See {slide}`04 Move`.", "04_deck has 2 slides 'Move'"),
        ("```{deck} 12\n```", "there is no deck '12'"),
        ("```{deck} 04\n:short: Nowhere\n```", "04_deck has 0 slides 'Nowhere'"),
        ("```{drag} 04 Move k\nSet `k = 9`.\n```", "`k = 9` is no setting"),
        ("```{from} 04 cell-9\n```", "chapter 04 has no cell cell-9"),
    ],
)
def test_what_a_page_points_at_and_is_not_there_stops_the_build(
    tmp_path, capfd, text, said
):
    assert not build(tmp_path, f"# A page\n\n{text}\n")
    assert said in capfd.readouterr().err
