"""The chapters, and how they are read."""

import base64
import html
import re
import shutil
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
DECKS = sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))
CHAPTERS = [*DECKS, NOTEBOOKS / "appendix_algorithm.ipynb"]
# Warnings that the course's own code causes; others are not the reader's business.
OURS = ["__main__", *(path.stem for path in NOTEBOOKS.glob("*.py"))]
WARN = {"PYTHONWARNINGS": ",".join(f"default:::{name}" for name in OURS)}

ROW = re.compile(r"(?m)^\| (\w+) \| \[(.*?)\]\(notebooks/(\w+)\.ipynb\) \| (.*?) \|$")
TEXTS = ("text/plain", "text/latex", "text/markdown")
NEW_SLIDE = ("slide", "subslide")
# As `explorer._saved_picture` and `exercises.predict` write them.
PICTURE = re.compile(r'<img alt="([^"]*)" src="data:image/png;base64,([^"]+)">')
ANSWER = re.compile(
    r"<summary><b>([A-Z])</b> (.*?)</summary>"
    r"<p [^>]*><b>(Yes|Not this one)\.</b> (.*?)</p>"
)


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


def title(path):
    """A chapter's number and name, without what stands behind a colon."""
    return heading_of(cells(path)[0]).partition(":")[0]


def questions():
    """Of each chapter, by its number: its title, the name of its file, its question.

    They stand in README's table of chapters, and nowhere else.
    """
    rows = ROW.findall((ROOT / "README.md").read_text("utf-8"))
    return {number: about for number, *about in rows}


def calls(name, cell):
    """How often a code cell calls `name` as a statement of its own."""
    code = cell["source"] if cell["cell_type"] == "code" else ""
    return len(re.findall(rf"(?m)^(?:\w+ = )?{name}\(", code))


def tags(cell):
    return cell.metadata.get("tags", [])


def slide_type(cell):
    return cell.metadata.get("slideshow", {}).get("slide_type", "-")


def in_deck(cell):
    return slide_type(cell) not in ("skip", "notes")


def heading_of(cell):
    """The first heading in a cell of markdown, without its marks, or None."""
    found = re.search(r"(?m)^#+ (.*)", cell.source)
    return found[1] if found and cell.cell_type == "markdown" else None


def outputs_of(cells):
    return [output for cell in cells for output in cell.get("outputs", [])]


def picture_of(output):
    """The alt text and the PNG file of a saved picture, or None for other outputs."""
    found = PICTURE.match(output.get("data", {}).get("text/html", ""))
    return found and (html.unescape(found[1]), base64.b64decode(found[2]))


def answered_of(output):
    """The tag and the PNG file of the picture that answers a question, or None."""
    page = output.get("data", {}).get("text/html", "")
    found = PICTURE.search(page) if ANSWER.search(page) else None
    return found and (found[0], base64.b64decode(found[2]))


def texts_of(data):
    """The texts of an output, kind by kind; of a picture, all but its pixels."""
    page = re.sub('base64,[^"]+', "", data.get("text/html", ""))
    return [page, *(data.get(kind, "") for kind in TEXTS)]


def answers_of(cell):
    """What `predict` offers in a cell: letter, answer, verdict and reply of each."""
    pages = [o.get("data", {}).get("text/html", "") for o in cell.get("outputs", [])]
    return ANSWER.findall("".join(pages))
