"""Whoever writes a page of the book relies on this: what it points at is there."""

import html
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


# ---- what a page says of them -------------------------------------------------------
def slide(number, heading, **sliders):
    known = {"place": f"#/{number}", "kind": "words", "cells": [f"cell-{number}"]}
    return {"number": number, "heading": heading, "sliders": sliders, **known}


SLIDES = [slide(1, "One"), slide(2, "Move `k`", k=["−1", "0"]), slide(3, "Move on")]
DECKS_OF = {"04": {"name": "04_deck", "slides": SLIDES}}


def test_a_page_names_slides_with_their_numbers_and_what_to_set():
    plan = "```{deck} 04\n:short: Move k\n\nAll in one.\n```\n"
    drag = "```{drag} 04 Move k\nFrom `k = -1` to `k = 0`.\n```\n"
    see = "See {slide}`04 Move on` and {slide}`04 cell-2`."
    page = lecture.with_decks(plan + drag + see, DECKS_OF)
    assert 'href="slides/04_deck.html#/3">Move on (slide 3)</a>' in page
    assert page.count("Move k (slide 2)</a>") == 2 and "All in one." in page
    assert page.count("\n| ") == 1 + len(SLIDES) and "{slide}" not in page


@pytest.mark.parametrize(
    "text, said",
    [
        ("See {slide}`04 Nowhere`.", "04_deck has 0 slides 'Nowhere'"),
        ("See {slide}`04 Move`.", "04_deck has 2 slides 'Move'"),
        ("```{deck} 04\n:short: Nowhere\n\n.\n```", "04_deck has 0 slides 'Nowhere'"),
        ("```{drag} 04 Move k\nSet `k = 9`.\n```", "`k = 9` is no setting"),
    ],
)
def test_what_a_page_points_at_and_is_not_there_is_told(text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        lecture.with_decks(text, DECKS_OF)


def test_a_cell_that_is_not_there_stops_the_build(tmp_path, capfd):
    (tmp_path / "cells.json").write_text('{"04": {"cells": {}}}')
    (tmp_path / "index.md").write_text("# A page\n\n```{from} 04 cell-9\n```\n")
    options = ["-q", "-W", "-C", "-D", "extensions=myst_parser,book.excerpts"]
    assert build_main([*options, str(tmp_path), str(tmp_path / "site")])
    assert "chapter 04 has no cell cell-9" in capfd.readouterr().err
