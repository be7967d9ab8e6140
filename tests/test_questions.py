"""A reader relies on this: a cell of the course shows every answer of the web book."""

import re

import nbformat
import pytest
from chapters import CHAPTERS, NOTEBOOKS, ROOT
from test_prose import NUMBER, computed, is_key_figure, value

PAGES = ROOT / "book" / "pages"
# ```{from} 04 the-cell-id
FROM = re.compile(r"^```\{from\}[ \t]*(.*)$", re.MULTILINE)
LINK = re.compile(r"\[[^\]]+\]\(([^)#]+\.ipynb)[^)]*\)")
BY_NUMBER = {path.stem.split("_")[0]: path for path in CHAPTERS}


def cells_of(page):
    """What the page's {from} name: pairs of a chapter and the id of a cell."""
    return [tuple((found.split() + ["", ""])[:2]) for found in FROM.findall(page)]


def lost(page):
    """Each {from} that shows nothing, or shows again what the page has shown."""
    faults = []
    named = cells_of(page)
    for chapter, name in named:
        if chapter not in BY_NUMBER:
            faults.append(f"no chapter {chapter}")
            continue
        cells = nbformat.read(BY_NUMBER[chapter], as_version=4).cells
        found = [cell for cell in cells if cell.id == name]
        if not found:
            faults.append(f"chapter {chapter} has no cell {name}")
        elif not found[0].get("outputs"):
            faults.append(f"{name} of chapter {chapter} puts nothing out")
    faults += [f"{name} twice" for name in {n for n in named if named.count(n) > 1}]
    links = LINK.findall(page)
    return faults + [link for link in links if not (NOTEBOOKS / link).is_file()]


def questions(page):
    """Question → the text of its answer, without the cell and the line "More"."""
    asked = re.split(r"^## (.+)$", page, flags=re.MULTILINE)[1:]
    answers = [re.split(r"^```", text, flags=re.MULTILINE)[0] for text in asked[1::2]]
    return dict(zip(asked[::2], (answer.strip() for answer in answers)))


def plain(text):
    """An answer without its formulas and code; each of them counts as one word."""
    return re.sub(r"\$[^$]+\$|`[^`]+`", "x", text)


def long_answers(page):
    """Answers that have not two or three sentences, or more than 60 words."""
    faults = []
    for question, answer in questions(page).items():
        sentences = re.findall(r"[.?!](?=\s|$)", plain(answer))
        words = plain(answer).split()
        if not 2 <= len(sentences) <= 3 or len(words) > 60:
            faults.append(f"{question} {len(sentences)} sentences, {len(words)} words")
    return faults


def without_a_cell(page):
    """Questions that do not have exactly one cell."""
    parts = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    return [part.splitlines()[0] for part in parts if len(cells_of(part)) != 1]


def unsupported(page):
    """Figures of three digits or more that the chapter of the cell does not compute."""
    faults = []
    for part in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        chapters = [BY_NUMBER[chapter] for chapter, _ in cells_of(part)]
        pool = {n for c in chapters for n in computed(nbformat.read(c, as_version=4))}
        text = LINK.sub("", "\n".join(FROM.split(part)[::2]))
        figures = filter(is_key_figure, re.findall(NUMBER, text))
        faults += [figure for figure in figures if value(figure) not in pool]
    return faults


@pytest.mark.parametrize("path", sorted(PAGES.glob("*.md")), ids=lambda path: path.stem)
def test_a_page_shows_cells_that_are_there(path):
    assert lost(path.read_text("utf-8")) == []


def test_sixteen_questions_are_answered_in_brief_and_each_by_one_cell():
    page = (PAGES / "questions.md").read_text("utf-8")
    assert len(questions(page)) == page.count("\n## ") == 16
    assert long_answers(page) == []
    assert without_a_cell(page) == []
    assert unsupported(page) == []


def test_a_page_that_shows_what_is_not_there_is_noticed():
    page = """
```{from} 12 a
```
```{from} 04 no-such-cell
```
```{from} 04
:code:
```
```{from} 02 cnb-84ec2c59
```
```{from} 02 why-10000
:code:
```
```{from} 02 why-10000
```
[chapter 2](02_waves.ipynb) and [chapter 4](04_sum_angle_derivation.ipynb)
"""
    assert lost(page) == [
        "no chapter 12",
        "chapter 04 has no cell no-such-cell",
        "chapter 04 has no cell ",
        "cnb-84ec2c59 of chapter 02 puts nothing out",
        "('02', 'why-10000') twice",
        "02_waves.ipynb",
    ]


def test_an_answer_that_is_too_long_or_has_no_cell_is_noticed():
    word = "word " * 61
    cell = "```{from} 02 why-10000\n```\n"
    page = (
        f"# Questions\n\n## One?\n\nA $x. y$ b. C d.\n\n{cell}\n"
        f"## Two?\n\nOnly this.\n\nMore: [chapter 5](05_complex_derivation.ipynb)\n\n"
        f"## Three?\n\n{word}. End.\n\n{cell}\n"
        f"## Four?\n\nA. B. C. D.\n\n{cell}{cell}\n"
        f"## Five?\n\nA 10000. Or 87.654.\n\n{cell}"
    )
    assert list(questions(page)) == ["One?", "Two?", "Three?", "Four?", "Five?"]
    assert [fault.split()[0] for fault in long_answers(page)] == [
        "Two?",
        "Three?",
        "Four?",
    ]
    assert without_a_cell(page) == ["Two?", "Four?"]
    assert unsupported(page) == ["87.654"]
