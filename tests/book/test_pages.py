"""Whoever writes a page of the book relies on this: what it points at is there."""

import json
import re
from functools import cache

import pytest
from bs4 import BeautifulSoup
from PIL import Image
from sphinx.cmd.build import build_main

from book import site_chapters
from book.bind import SITE
from render.narrow import DPI, WIDTH
from render.prerender import draw_chapter, read_drawn
from tests.support.small_chapter import chapter_of, code_cell
from tools.chapters import DECKS

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


# ---- excerpts -----------------------------------------------------------------------
def page_of(folder, text):
    """The page that Sphinx makes of a text, or None; a warning is a fault."""
    (folder / "cells.json").write_text('{"04": {"cells": {}}}')
    (folder / "index.md").write_text(f"# A page\n\n{text}\n")
    options = ["-Dextensions=myst_parser,book.extensions.chapter_excerpts"]
    if build_main(["-q", "-W", "-C", *options, str(folder), str(folder / "site")]):
        return None
    return (folder / "site" / "index.html").read_text("utf-8")


def test_an_excerpt_of_a_cell_that_is_not_there_stops_the_build(tmp_path, capfd):
    assert page_of(tmp_path, "```{from} 04 cell-9\n```") is None
    assert "chapter 04 has no cell cell-9" in capfd.readouterr().err


# ---- the lecturers' page ------------------------------------------------------------
SETTING = re.compile(r"(\w+) = (.+)")  # a slider's name and a value


@cache
def deck_of(file):
    return BeautifulSoup((SITE / file).read_text("utf-8"), "html.parser")


def sliders_of(link):
    """The values of each slider on the slide that a link leads to, by their names."""
    file, _, name = link["href"].partition("#/")
    part = deck_of(file).find(id=name)
    assert part, f"no slide of {file} has the cell {name}"
    scripts = part.find_parent("section").select(".explorer script")
    sliders = (json.loads(script.text)["sliders"] for script in scripts)
    return {slider["name"]: slider["labels"] for some in sliders for slider in some}


def test_links_into_decks_lead_to_slides_where_what_is_said_can_be_set():
    page = BeautifulSoup((SITE / "lecturers.html").read_text("utf-8"), "html.parser")
    links = page.select("main a[href^='slides/']")
    assert {link["href"].partition("#")[0] for link in links} == {
        f"slides/{path.stem}.html" for path in DECKS
    }
    for link in links:
        if not link["href"].endswith("#/"):
            sliders_of(link)
    for row in page.select("tr:has(a[href^='slides/'])"):
        sliders = sliders_of(row.a)
        for name, value in filter(None, map(setting_in, row.select("code"))):
            labels = [label.replace("−", "-") for label in sliders.get(name, [])]
            assert value.replace("−", "-") in labels, f"{name} = {value}: {labels}"


def setting_in(code):
    found = SETTING.fullmatch(code.text)
    return found and found.groups()
