"""The chapters, and how they are read."""

import json
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
DECKS = sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))
CHAPTERS = [*DECKS, NOTEBOOKS / "appendix_algorithm.ipynb"]
# Warnings that the course's own code causes; others are not the reader's business.
WARN = {"PYTHONWARNINGS": "default:::__main__,default:::utils,default:::explorer"}


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
    found = json.loads(path.read_text("utf-8"))["cells"]
    for cell in found:
        cell["source"] = "".join(cell["source"])
    return [cell for cell in found if kind in (None, cell["cell_type"])]


def title(path):
    """A chapter's number and name, without what stands behind a colon."""
    first = cells(path)[0]["source"]
    return first.splitlines()[0].removeprefix("# ").partition(":")[0]


def calls(name, cell):
    """How often a code cell calls `name` as a statement of its own."""
    code = cell["source"] if cell["cell_type"] == "code" else ""
    return len(re.findall(rf"(?m)^(?:\w+ = )?{name}\(", code))
