"""A reader relies on this: "chapter 7", "exercise 3.2" and links lead somewhere."""

import re

import nbformat
import pytest
from chapters import CHAPTERS, DECKS, ROOT, title

CHAPTER = re.compile(
    r"\b[Cc]hapters?\s+(\d+(?:(?:,\s*|\s+and\s+|\s+to\s+|\s+or\s+|–)\d+\b)*)"
)
EXERCISE = re.compile(r"\b[Ee]xercises?\s+((?:\d+|A)\.\d+)")
LINK = re.compile(r"\[(\d+|Appendix) · ([^\]]+)\]\(([^)]+)\)")


def read(path):
    return nbformat.read(path, as_version=4)


def strip(nb):
    """The line of all chapters, without links and without the bold of this one."""
    (line,) = (line for line in nb.cells[0].source.splitlines() if "→" in line)
    return re.sub(r"\[([^\]]+)\]\([^)]+\)|\*\*", lambda found: found[1] or "", line)


def lost(text, numbers, exercises, headings):
    """References in a text to what does not exist."""
    named = [n for found in CHAPTER.findall(text) for n in re.findall(r"\d+", found)]
    faults = [f"chapter {number}" for number in named if int(number) not in numbers]
    faults += [f"exercise {n}" for n in EXERCISE.findall(text) if n not in exercises]
    for number, name, path in LINK.findall(text):
        wanted = headings.get(path.rpartition("/")[2].partition("#")[0])
        if wanted != f"{number} · {name}":
            faults.append(f"[{number} · {name}]({path})")
    return faults


@pytest.fixture(scope="module")
def known():
    cells = "\n".join(cell.source for path in CHAPTERS for cell in read(path).cells)
    return (
        {int(path.stem[:2]) for path in DECKS},
        set(re.findall(r"### Exercise ((?:\d+|A)\.\d+)", cells)),
        {path.name: title(path) for path in CHAPTERS},
    )


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem[:2])
def test_a_chapter_refers_to_what_there_is(path, known):
    text = "\n\n".join(cell.source for cell in read(path).cells)
    assert lost(text, *known) == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_a_page_refers_to_what_there_is(name, known):
    assert lost((ROOT / name).read_text("utf-8"), *known) == []


def test_what_does_not_exist_is_noticed():
    headings = {"02_b.ipynb": "2 · Waves"}
    text = (
        "Chapter 1, chapters 2 to 4 and 11, chapters 1 and\n7; exercise 2.1, Exercise"
        " 2.9; [2 · Waves](02_b.ipynb) [2 · Sea](02_b.ipynb) [3 · C](03_c.ipynb)"
    )
    assert lost(text, {1, 2, 3, 4}, {"2.1"}, headings) == [
        "chapter 11",
        "chapter 7",
        "exercise 2.9",
        "[2 · Sea](02_b.ipynb)",
        "[3 · C](03_c.ipynb)",
    ]


def test_every_chapter_shows_the_same_strip_with_itself_in_bold():
    strips = {strip(read(path)) for path in CHAPTERS}
    assert len(strips) == 1
    numbers = [name.split()[0] for name in strips.pop().split(" → ")]
    assert numbers == [str(int(path.stem[:2])) for path in DECKS]
    for path in DECKS:
        bold = re.findall(r"\*\*(\d+) [^*]+\*\*", read(path).cells[0].source)
        assert bold == [str(int(path.stem[:2]))]
