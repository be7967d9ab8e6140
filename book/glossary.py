"""What the book adds to Sphinx for words: they lead to the glossary and show its line.

Authors link what they think of. In each chapter the first mention of every other term
of the trade becomes a link as well.
"""

import re
from functools import cache
from pathlib import Path

import nbformat
from docutils import nodes
from mdit_py_plugins.anchors.index import slugify

GLOSSARY = Path(__file__).resolve().parent.parent / "notebooks" / "glossary.ipynb"
EVERYDAY = {"classmate", "scoreboard", "small print", "the paper"}


@cache
def entries():
    """Each term of the glossary and its first paragraph."""
    cells = nbformat.read(GLOSSARY, as_version=4).cells
    text = "\n\n".join(cell.source for cell in cells)
    return dict(re.findall(r"(?m)^### (.+)\n+(.+)", text))


def plain(markdown):
    """A line of markdown as it is read aloud, without links and marks."""
    return re.sub(r"[*`$]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown))


def definitions():
    """What the glossary says of each term, by the term's anchor."""
    return {slugify(term): plain(line) for term, line in entries().items()}


def trade_terms():
    """The words that are no everyday words, longest first."""
    chosen = [
        term
        for term in entries()
        if term not in EVERYDAY and (len(term) > 8 or re.search(r"[A-Z -]", term))
    ]
    return sorted(chosen, key=len, reverse=True)


def link_first(doctree, term):
    """Make a link of the first mention of a term in running text."""
    word = re.compile(rf"\b{re.escape(term)}s?\b")
    for text in doctree.findall(nodes.Text):
        found = word.search(text)
        if found and isinstance(text.parent, nodes.paragraph):
            link = nodes.reference(
                "",
                found[0],
                internal=True,
                refuri=f"glossary.html#{slugify(term)}",
                reftitle=plain(entries()[term]),
            )
            before, after = text[: found.start()], text[found.end() :]
            text.parent.replace(text, [nodes.Text(before), link, nodes.Text(after)])
            return


def link_terms(app, doctree, docname):
    """Give the links to the glossary their line; in a chapter, add those that lack."""
    linked = set()
    for link in doctree.findall(nodes.reference):
        page, _, name = link.get("refuri", "").partition("#")
        if page == "glossary.html" and name in definitions():
            link["reftitle"] = definitions()[name]
            linked.add(name)
    if (GLOSSARY.parent / f"{docname}.ipynb").exists() and docname != "glossary":
        for term in trade_terms():
            if slugify(term) not in linked:
                link_first(doctree, term)


def setup(app):
    app.connect("doctree-resolved", link_terms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
