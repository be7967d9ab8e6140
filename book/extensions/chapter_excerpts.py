"""What the book adds to Sphinx: cells of a chapter on another page, and addresses."""

import json
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from mdit_py_plugins.anchors.index import slugify
from sphinx.util.docutils import SphinxDirective

from tools.chapters import NOTEBOOKS


def chapters_of(env):
    """What bind.py has prepared of each chapter, by its number."""
    path = Path(env.srcdir, "cells.json")
    env.note_dependency(str(path))
    return json.loads(path.read_text("utf-8"))


class From(SphinxDirective):
    """```{from} 04 cell-id``` shows what a chapter's cell puts out, and leads there."""

    required_arguments = 2
    option_spec = {"code": directives.flag}

    def run(self):
        number, cell_id = self.arguments
        chapter = chapters_of(self.env).get(number, {"cells": {}})
        if cell_id not in chapter["cells"]:
            raise self.error(f"chapter {number} has no cell {cell_id}")
        excerpt = chapter["cells"][cell_id]
        box = nodes.container(classes=["from-chapter"])
        if "code" in self.options:
            source = excerpt["cell"]["source"]
            box += nodes.literal_block(source, source, language="python")
        box += [shown(output) for output in excerpt["cell"].get("outputs", [])]
        box += self.origin(chapter["name"], number, excerpt["heading"])
        return [box]

    def origin(self, name, number, heading):
        """The line that leads to the place in the chapter."""
        chapter = f"chapter {int(number)}" if number.isdigit() else "the appendix"
        link = f"{name}.ipynb#{slugify(heading)}"
        text = f"From {chapter}, [{heading}]({link})"
        line = nodes.container(classes=["origin"])
        self.state.nested_parse([text], self.content_offset, line)
        return line


def shown(output):
    """What stands on a page for an output of a cell."""
    data = output.get("data", {})
    if "text/html" in data:
        return nodes.raw("", data["text/html"], format="html")
    text = output.get("text") or data.get("text/plain", "")
    return nodes.literal_block(text, text, language="none")


def name_pages(app, pagename, templatename, context, doctree):
    """Other pages stand in another folder; the home page has a title of its own."""
    if not (NOTEBOOKS / f"{pagename}.ipynb").exists():
        context["doc_path"] = context["theme_path_to_docs"] = "book/pages"
    if pagename == app.config.root_doc:  # behind it stands the name of the book
        context["title"] = "A course you can take apart"
    # Only here, as a search would find these words on each page with sliders.
    words = "Without JavaScript no slider moves: the picture shows the first values."
    body = context.get("body", "")
    body = body.replace("<noscript>", f"<noscript>{words}")
    # A fold is named by the word that one sees, "Code".
    context["body"] = body.replace(' aria-label="Toggle hidden content"', "")


def setup(app):
    app.add_directive("from", From)
    app.connect("html-page-context", name_pages, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
