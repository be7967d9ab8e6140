"""What the book adds to Sphinx for its home page: the chain of chapters.

```{chain}
1: What this chapter leaves open.
```

shows for each line a chapter's picture, its title, its question in short, as README has
it, and what stands behind the colon.
"""

import re

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from book.extensions.chapter_excerpts import chapters_of
from tools.chapters import ROOT, by_number, question_asked, title

README = ROOT / "README.md"


def short_question(path):
    """A chapter's question from its row in README; without one, the chapter's own."""
    row = rf"\(notebooks/{path.name}\) *\|(.*)\|"
    found = re.search(row, README.read_text("utf-8"))
    return found[1].strip() if found else question_asked(path)


class Chain(SphinxDirective):
    has_content = True

    def run(self):
        self.env.note_dependency(str(README))
        chapters = by_number()
        chain = nodes.enumerated_list(classes=["chain"])
        for line in self.content:
            number, colon, after = line.partition(":")
            if number not in chapters or not colon:
                raise self.error(f"{line!r} must begin with one of {list(chapters)}:")
            chain += self.link(chapters[number], after.strip())
        return [chain]

    def link(self, path, after):
        """A chapter of the chain; `after` is what it leaves open, or ""."""
        name = path.stem
        chapter = chapters_of(self.env).get(name.split("_")[0], {})
        is_map = chapter.get("is_map")
        picture = (  # its link is the title's, so it is not read out
            f'<a href="{name}.html" tabindex="-1" aria-hidden="true">'
            f'<img class="{"map" if is_map else ""}" alt="" width="120" height="120" '
            f'src="figures/{name}/small.webp" loading="lazy"></a>'
        )
        words = nodes.container()
        link = f"[**{title(path)}**]({name}.ipynb)"
        lines = [f"{link} {short_question(path)}", "", after]
        self.state.nested_parse(lines, self.content_offset, words)
        return nodes.list_item("", nodes.raw("", picture, format="html"), words)


def name_once(app, pagename, templatename, context, doctree):
    """The home page has the book's name, which stands behind each page's title."""
    if pagename == app.config.root_doc:
        context["title"] = "A course you can take apart"


def setup(app):
    app.add_directive("chain", Chain)
    app.connect("html-page-context", name_once)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
