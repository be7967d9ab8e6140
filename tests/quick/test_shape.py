"""A chapter has the shape that decks and book look for; a failure says what mends it.

notebooks/README.md tells of the cells, their tags and their metadata.
"""

import json
import re
from collections import Counter
from itertools import pairwise

import pytest

from tools.chapters import CHAPTERS, DECKS, NOTEBOOKS
from tools.repo import addresses

ONCE = ["title", "map", "question", "open", "aims", "bootstrap", "imports", "recap"]
PARTS = ["exercise-text", "exercise", "check", "solution"]
KNOWN = {*ONCE, *PARTS, "next", "no-code-on-slide", "statement"}
KINDS = {"slide", "subslide", "fragment", "-", "skip", "notes"}
FOLDED = "`source_hidden` and `cellView`, both or none of them"
TAGS, METADATA, ORDER = (
    f"notebooks/README.md#{name}"
    for name in ("tags", "metadata", "the-cells-of-a-chapter-in-order")
)


def tags(cell):
    return cell["metadata"].get("tags", [])


def source(cell):
    return "".join(cell["source"])


def faults_of_cells(cells):
    """What is wrong with single cells: (id, what mends it)."""
    for name, count in Counter(cell["id"] for cell in cells).items():
        if count > 1:
            yield name, f"{count} cells have this id, give each its own"
    for cell in cells:
        name, about = cell["id"], cell["metadata"]
        if about.get("slideshow", {}).get("slide_type") not in KINDS:
            yield name, f"give it a slide type, one of {sorted(KINDS)}, {METADATA}"
        for tag in sorted({*tags(cell)} - KNOWN):
            yield name, f"`{tag}` is no tag of a chapter, {TAGS}"
        folded = about.get("jupyter", {}).get("source_hidden", False)
        if folded != (about.get("cellView") == "form"):
            yield name, f"folded code has two marks, {FOLDED}, {METADATA}"
        if re.search(r"\bplt\.(figure|subplots)\(", source(cell)):
            yield name, "plt has any look: draw below `with draw.subplots() as …`"


def faults_of_order(cells, path):
    """Parts that a chapter has once, and in this order."""
    wanted = [*ONCE, "next"] if path in DECKS[:-1] else ONCE
    found = [(tag, cell["id"]) for cell in cells for tag in tags(cell) if tag in wanted]
    counts = Counter(tag for tag, _ in found)
    for tag in wanted:
        if counts[tag] != 1:
            yield None, f"{counts[tag]} cells have the tag `{tag}`, one should, {TAGS}"
    for (before, _), (tag, name) in pairwise(found):
        if wanted.index(tag) < wanted.index(before):
            yield name, f"`{tag}` stands below `{before}`, it should above, {ORDER}"


def faults_of_outputs(cells):
    """What decks and book can show: pictures with an alt text, and no other widget."""
    for cell in cells:
        kind = cell["metadata"].get("slideshow", {}).get("slide_type")
        if kind in ("skip", "notes"):
            continue
        for output in cell.get("outputs", []):
            data, about = output.get("data", {}), output.get("metadata")
            if "image/png" in data and not about:
                yield (
                    cell["id"],
                    "show a picture by `show(fig, alt=…)`, with words",
                )
            if re.match(r"\w+\(.*children=", "".join(data.get("text/plain", ""))):
                yield cell["id"], "no deck shows this widget: use `explore`, or `skip`"


def faults_of_text(cells, path):
    """What a heading or a link must be in these parts."""
    for cell in cells:
        needs = []
        if "title" in tags(cell) and not source(cell).startswith("# "):
            yield cell["id"], "begin the title with `# `"
        if "open" in tags(cell):
            needs = [*addresses(path.stem).values()][:3]
        if "next" in tags(cell):
            needs = [path.name for path in DECKS[DECKS.index(path) + 1 :][:1]]
        for address in needs:
            if f"]({address})" not in source(cell):
                yield cell["id"], f"put a link to ({address}) into it"


def faults_of_exercises(cells):
    """An exercise is four cells, one below the other."""
    above, below = [None, *cells], [*cells[1:], None]
    for one, cell, other in zip(above, cells, below):
        for tag in {*tags(cell)} & {*PARTS}:
            before, _, after = [None, *PARTS, None][PARTS.index(tag) :][:3]
            for where, wanted, found in ("above", before, one), ("below", after, other):
                if wanted and not (found and wanted in tags(found)):
                    mend = f"the cell {where} it should have the tag `{wanted}`"
                    yield cell["id"], f"{mend}, {TAGS}"
        wrong = cell["metadata"].get("wrong")
        if "exercise" in tags(cell) and not (wrong and isinstance(wrong, list)):
            yield cell["id"], f"add `wrong`, a list of answers, to it, {METADATA}"
        calls_check = re.search(r"^check\(", source(cell), re.M)
        if cell["cell_type"] == "code" and calls_check and "check" not in tags(cell):
            yield cell["id"], f"it calls check, give it the tag `check`, {TAGS}"
        if "solution" in tags(cell) and source(cell).count("```python\n") != 1:
            yield cell["id"], f"give it one block of Python that passes, {TAGS}"


@pytest.mark.parametrize(
    "path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda p: p.stem
)
def test_a_notebook_has_the_shape_that_decks_and_book_look_for(path):
    cells = json.loads(path.read_text("utf-8"))["cells"]
    faults = [*faults_of_cells(cells)]
    if path in CHAPTERS:
        faults += [*faults_of_order(cells, path), *faults_of_text(cells, path)]
        faults += [*faults_of_exercises(cells), *faults_of_outputs(cells)]
    chapter = path.stem.partition("_")[0]
    told = [f"{chapter}, cell {name}" if name else chapter for name, _ in faults]
    assert not faults, "".join(
        f"\n{where}: {mend}" for where, (_, mend) in zip(told, faults)
    )
