"""What the book adds to Sphinx for words: a link to the glossary shows its line."""

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


def setup(app):
    app.connect("doctree-resolved", explain_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
