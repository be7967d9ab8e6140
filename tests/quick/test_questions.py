"""A reader relies on this: a cell of the course shows every answer of the web book."""

import re

import pytest
from test_prose import NUMBER, computed, is_key_figure, value

from tools.chapters import CHAPTERS, ROOT, cells

PAGES = ROOT / "book" / "pages"
FROM = re.compile(r"^```\{from\} (\w+) (\S+)$", re.MULTILINE)  # ```{from} 04 cell-id
READ = {path.stem.split("_")[0]: cells(path) for path in CHAPTERS}


@pytest.mark.parametrize("path", sorted(PAGES.glob("*.md")), ids=lambda path: path.stem)
def test_a_page_shows_cells_that_put_something_out(path):
    """The build stops, too, but minutes later."""
    for chapter, name in FROM.findall(path.read_text("utf-8")):
        assert [c for c in READ[chapter] if c["id"] == name and c["outputs"]], name


def test_each_question_is_answered_by_a_cell_and_with_its_figures():
    page = (PAGES / "questions.md").read_text("utf-8")
    for part in page.split("\n## ")[1:]:
        [(chapter, _)] = FROM.findall(part)
        text = re.sub(r"\]\([^)]*\)", "", FROM.split(part)[0])
        figures = filter(is_key_figure, re.findall(NUMBER, text))
        assert {value(figure) for figure in figures} <= set(computed(READ[chapter]))
