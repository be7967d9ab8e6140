"""What the book adds to Sphinx for words: links to the glossary, and to its letters.

A link to the glossary shows its line; at the glossary's head stands a row of letters.
"""

import re

from docutils import nodes
from mdit_py_plugins.anchors.index import slugify

from tools.chapters import NOTEBOOKS, cells


def plain(markdown):
    """A line of markdown as it is read aloud, without links and marks."""
    return re.sub(r"[*`$]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown))


def definitions():
    """What the glossary says of each term, by the term's anchor."""
    text = "\n\n".join(cell.source for cell in cells(NOTEBOOKS / "glossary.ipynb"))
    entries = re.findall(r"(?m)^### (.+)\n+(.+)", text)
    return {slugify(term): plain(line) for term, line in entries}


def explain_links(app, doctree, docname):
    """Give each link to the glossary the line that a mouse brings up."""
    lines = definitions()
    for link in doctree.findall(nodes.reference):
        page, _, name = link.get("refuri", "").partition("#")
        if page == "glossary.html" and name in lines:
            link["reftitle"] = lines[name]


def add_letters(app, doctree):
    """Let each letter at the head of the glossary lead to its first word."""
    if app.env.docname != "glossary":
        return
    letters, row = set(), nodes.paragraph(classes=["letters"])
    *_, words = doctree[0].children
    for entry in words.children:
        letter = entry.astext()[0].upper()
        if isinstance(entry, nodes.section) and letter not in letters:
            letters.add(letter)
            row += nodes.reference("", letter, refid=entry["ids"][0], internal=True)
    doctree[0].insert(2, row)


def setup(app):
    app.connect("doctree-read", add_letters)
    app.connect("doctree-resolved", explain_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
