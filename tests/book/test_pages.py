"""Whoever writes a page of the book relies on this: what it points at is there."""

import html
import json
import re

import pytest
from bs4 import BeautifulSoup
from PIL import Image
from sphinx.cmd.build import build_main

from book import site_chapters
from book.extensions import lecture_plans
from render.narrow import DPI, WIDTH
from render.prerender import draw_chapter, read_drawn
from slides import export
from slides.compose import with_notes_and_headings
from tests.support.small_chapter import chapter_of, code_cell
from tools.chapters import CHAPTERS, DECKS, ROOT

# Sphinx deprecates what MyST still uses.
pytestmark = pytest.mark.filterwarnings("ignore:.*myst_parser")


VOTE = """
import matplotlib.pyplot as plt
fig, ax = plt.subplots()
ax.plot([0, 1])
predict("Up?", {"yes": "It rises.", "no": "Look."}, "yes", answered=fig)
"""


def test_the_picture_in_an_answer_is_a_file_in_both_shapes(tmp_path):
    chapter = chapter_of(tmp_path, code_cell(VOTE))
    drawing = draw_chapter(chapter, tmp_path / "drawn")
    *_, drawn = read_drawn(chapter, drawing).cells
    (tmp_path / "figures" / chapter.stem).mkdir(parents=True)
    site_chapters.show_on_page(drawn, "A heading", drawing, chapter.stem, tmp_path)
    page = BeautifulSoup(drawn.outputs[0].data["text/html"], "html.parser")
    right, wrong = page.select("details.right, details.wrong")
    assert right.summary.text == "A yes" and not wrong.select("img")
    narrow, wide = right.source["srcset"], right.img["src"]
    with Image.open(tmp_path / narrow) as slim, Image.open(tmp_path / wide) as file:
        assert slim.width == WIDTH * DPI < file.width
    assert right.img["alt"].startswith("The picture of the question, with its answer")


# ---- the plans of the lectures ------------------------------------------------------
def slides_of(page):
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
    nb = read_drawn(path, draw_chapter(path))
    planned = [(s["place"], bare(s["heading"])) for s in lecture_plans.slides(nb)]
    nb.metadata["title"] = path.stem
    nb.cells = with_notes_and_headings(nb.cells)
    page, _ = export.exporter().from_notebook_node(nb)
    assert planned == [(place, bare(heading)) for place, heading in slides_of(page)]


# ---- what a page says of them -------------------------------------------------------
def slide(number, heading, **sliders):
    known = {"place": f"#/{number}", "kind": "words", "cells": [f"cell-{number}"]}
    return {"number": number, "heading": heading, "sliders": sliders, **known}


SLIDES = [slide(1, "One"), slide(2, "Move `k`", k=["−1", "0"]), slide(3, "Move on")]
OURS = [
    f"book.extensions.{name}"
    for name in ("chapter_excerpts", "chapter_chain", "lecture_plans")
]
DECKS_OF = {"04": {"name": "04_deck", "slides": SLIDES}}
PLAN = "```{deck} 04\n:short: Move k\n\nAll in one.\n```\n"
DRAG = "```{drag} 04 Move k\nFrom `k = -1` to `k = 0`.\n```\n"
SEE = "See {slide}`04 Move on` and {slide}`04 cell-2`."


def page_of(folder, text):
    """The page that Sphinx makes of a text, or None; a warning is a fault."""
    (folder / "cells.json").write_text('{"04": {"cells": {}}}')
    (folder / "decks.json").write_text(json.dumps(DECKS_OF))
    (folder / "index.md").write_text(f"# A page\n\n{text}\n")
    settings = {
        "extensions": ",".join(["myst_parser", *OURS]),
        "suppress_warnings": "myst.xref_missing",  # a plan leads to its chapter
    }
    options = [f"-D{name}={value}" for name, value in settings.items()]
    if build_main(["-q", "-W", "-C", *options, str(folder), str(folder / "site")]):
        return None
    return (folder / "site" / "index.html").read_text("utf-8")


def test_a_page_names_slides_with_their_numbers_and_what_to_set(tmp_path):
    page = BeautifulSoup(page_of(tmp_path, PLAN + DRAG + SEE), "html.parser")
    links = [(a.text, a["href"]) for a in page.select("a[href*='04_deck']")]
    assert ("Move on (slide 3)", "slides/04_deck.html#/3") in links
    assert links.count(("Move k (slide 2)", "slides/04_deck.html#/2")) == 2
    assert "All in one." in page.select_one(".deck").text
    assert len(page.select(".deck tbody tr")) == len(SLIDES)
    assert "From k = -1 to k = 0." in page.select_one(".drag").text


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("See {slide}`04 Nowhere`.", "04_deck has 0 slides 'Nowhere'"),
        (DRAG.replace("k = 0", "k = 9"), "`k = 9` is no setting"),
        ("```{chain}\n12: There is none.\n```", "must begin with one of ['1', '2'"),
        ("```{from} 04 cell-9\n```", "chapter 04 has no cell cell-9"),
    ],
)
def test_what_a_page_points_at_and_is_not_there_stops_the_build(
    text, complaint, tmp_path, capfd
):
    assert page_of(tmp_path, text) is None
    assert complaint in capfd.readouterr().err


def test_the_home_page_has_every_chapter_with_the_question_of_the_readme(tmp_path):
    index = (ROOT / "book" / "pages" / "index.md").read_text("utf-8")
    page = page_of(tmp_path, "\n".join(re.findall(r"(?s)```{chain}.*?```", index)))
    chain = BeautifulSoup(page, "html.parser").select(".chain li")
    pages = [f"{path.stem}.html" for path in CHAPTERS]
    assert [chapter.a["href"] for chapter in chain] == pages
    readme = (ROOT / "README.md").read_text("utf-8")
    for chapter, path in zip(chain, CHAPTERS):
        (question,) = re.findall(rf"\(notebooks/{path.name}\) \| (.*) \|", readme)
        words = re.sub("[“”]", '"', chapter.p.text)
        assert words.endswith(f" {bare(question)}")
