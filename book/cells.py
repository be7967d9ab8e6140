"""What the book adds to Sphinx: cells of a chapter on another page, and addresses."""

import json
import shutil
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from mdit_py_plugins.anchors.index import slugify
from sphinx.util.docutils import SphinxDirective

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"


class From(SphinxDirective):
    """```{from} 04 cell-id``` shows what a chapter's cell puts out, and leads there."""

    required_arguments = 2
    option_spec = {"code": directives.flag}

    def run(self):
        number, identity = self.arguments
        shelf = json.loads(Path(self.env.srcdir, "cells.json").read_text("utf-8"))
        if identity not in shelf.get(number, {"cells": ()})["cells"]:
            raise self.error(f"chapter {number} has no cell {identity}")
        self.env.note_dependency(str(Path(self.env.srcdir, "cells.json")))
        place = shelf[number]["cells"][identity]
        found = nodes.container(classes=["from-chapter"])
        if "code" in self.options:
            source = place["cell"]["source"]
            found += nodes.literal_block(source, source, language="python")
        for output in place["cell"].get("outputs", []):
            found += list(shown(output))
        found += self.origin(shelf[number]["name"], number, place["heading"])
        return [found]

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
        yield nodes.raw("", data["text/html"], format="html")
    elif "text/latex" in data:
        formula = data["text/latex"].strip("$\n ").removeprefix("\\displaystyle ")
        yield nodes.math_block(formula, formula, nowrap=False, number=None, label=None)
    else:
        text = output.get("text") or data.get("text/plain", "")
        yield nodes.literal_block(text, text, language="none")


def source_of(app, pagename, templatename, context, doctree):
    """Pages that are not chapters stand in another folder of the repository."""
    if not (NOTEBOOKS / f"{pagename}.ipynb").exists():
        context["doc_path"] = context["theme_path_to_docs"] = "book/pages"


def committed(app, error):
    """A reader downloads the notebook as it stands in the repository."""
    if error:
        return
    for notebook in NOTEBOOKS.glob("*.ipynb"):
        shutil.copy(notebook, Path(app.outdir, "_sources"))


def setup(app):
    app.add_directive("from", From)
    app.connect("html-page-context", source_of, priority=400)
    app.connect("build-finished", committed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
