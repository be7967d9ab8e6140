"""The chapters, and how they are read."""

import re
import shutil
import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
DECKS = sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))
CHAPTERS = [*DECKS, NOTEBOOKS / "appendix_algorithm.ipynb"]
FILES = sorted(path.relative_to(NOTEBOOKS) for path in NOTEBOOKS.rglob("*.py"))
# utils, course, course.draw, …
MODULES = [
    ".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in FILES
]
# Warnings that the course's own code causes; others are not the reader's business.
OURS = ["__main__", *MODULES]
WARN = {"PYTHONWARNINGS": ",".join(f"default:::{name}" for name in OURS)}

TEXTS = ("text/plain", "text/latex", "text/markdown")
NEW_SLIDE = ("slide", "subslide")


def named(numbers, among=CHAPTERS):
    """The notebooks with these numbers, as 4, 04 or appendix; all if none is named."""
    known = {path.stem.partition("_")[0].lstrip("0"): path for path in among}
    wanted = [number.lstrip("0") for number in numbers] or known
    if unknown := [number for number in wanted if number not in known]:
        sys.exit(f"There is no chapter {unknown[0]}. There are: {', '.join(known)}.")
    return [known[number] for number in wanted]


def copy_of_notebooks(folder):
    """A copy of notebooks/ in `folder`, so that nobody touches the tree."""
    return Path(
        shutil.copytree(
            NOTEBOOKS,
            folder / "notebooks",
            ignore=shutil.ignore_patterns(".*", "__pycache__"),
        )
    )


def cells(path, kind=None):
    """The cells of a notebook, or those of one kind: "markdown" or "code"."""
    notebook = nbformat.read(path, as_version=4)
    return [cell for cell in notebook.cells if kind in (None, cell.cell_type)]


def tags(cell):
    return cell.metadata.get("tags", [])


def tagged(cells, tag):
    """The one cell with a tag; a RuntimeError says what mends a chapter without it."""
    found = [cell for cell in cells if tag in tags(cell)]
    if len(found) != 1:
        many = f"{len(found)} cells have" if found else "no cell has"
        raise RuntimeError(
            f"{many} the tag `{tag}`, one should have it: notebooks/README.md#tags"
        )
    return found[0]


def title(path):
    """A chapter's number and name, without what stands behind a colon."""
    return (heading_of(tagged(cells(path), "title")) or "").partition(":")[0]


def question_asked(path):
    """A chapter's question for other pages: without bold words that lead to it."""
    found = [cell.source for cell in cells(path) if "question" in tags(cell)]
    return re.sub(r"^\*\*.*?\*\*\s+", "", "\n\n".join(found))


def fetching(path):
    """The code that fetches what should stand beside a chapter: in each the same."""
    return tagged(cells(path), "bootstrap").source


def fetched_files():
    """What a chapter fetches if it was opened alone."""
    return ["course/files.txt", *(NOTEBOOKS / "course/files.txt").read_text().split()]


def slide_type(cell):
    return cell.metadata.get("slideshow", {}).get("slide_type", "-")


def in_deck(cell):
    return slide_type(cell) not in ("skip", "notes")


def heading_of(cell):
    """The first heading in a cell of markdown, without its marks, or None."""
    prose = re.sub(r"(?ms)^```.*?^```", "", cell.source)
    found = re.search(r"(?m)^#+ (.*)", prose)
    return found[1] if found and cell.cell_type == "markdown" else None


def outputs_of(cells):
    return [output for cell in cells for output in cell.get("outputs", [])]


def explorer_metadata(output):
    """What an output's metadata say of an explorer; None if it is none."""
    return output.get("metadata", {}).get("explorer")


def question_metadata(output):
    """What an output's metadata say of a question; None if it is none."""
    return output.get("metadata", {}).get("question")


def still_metadata(output):
    """The same of a picture without sliders, also of one that answers a question."""
    about = question_metadata(output) or output.get("metadata", {})
    return about.get("picture")


def is_call(cell):
    """Whether a page leaves out the code of a cell: it asks, or shows an explorer."""
    outputs = outputs_of([cell])
    return any(map(question_metadata, outputs)) or any(map(explorer_metadata, outputs))


def explorers_in(cells):
    """Which cells show an explorer, by their numbers."""
    outputs = [outputs_of([cell]) for cell in cells]
    return [
        at for at, shown in enumerate(outputs) if any(map(explorer_metadata, shown))
    ]


def texts_of(data):
    """The texts of an output, kind by kind; of a picture, all but its pixels."""
    page = re.sub('base64,[^"]+', "", data.get("text/html", ""))
    return [page, *(data.get(kind, "") for kind in TEXTS)]
