"""What the book adds to Sphinx for its home page: the chain of chapters.

```{chain}
1: What this chapter leaves open.
```

shows for each line a chapter's picture, its name, its question, as README has it, and
what stands behind the colon.
"""

import numpy as np
from docutils import nodes
from PIL import Image, ImageOps
from sphinx.util.docutils import SphinxDirective

from book.excerpts import chapters_of
from book.pictures import in_site
from render.prerender import ink_of
from tools.chapters import ROOT, explorer_of, questions

SIDE, RIM = 240, 16  # pixels: a sign, and the white around what is no map


def put_sign(nb, name, drawing, site):
    """Write a chapter's sign, the first panel of its first picture, into the site.

    Where that is a strip, the whole picture, both without small words. Returns whether
    the sign is a map.
    """
    pictures = (
        picture for cell in nb.cells for picture in in_site(cell, name, drawing)
    )
    output, values, files = next(pictures)
    if explorer_of(output):
        shape, file = "wide", files / f"{values['start']}.webp"
    else:
        shape, file = "narrow", drawing / "sign.webp"
    layout = values["layouts"][shape]
    sign = Image.open(file).convert("RGB")
    left, top, width, height = np.multiply(layout["panels"][0], sign.size * 2)
    if width < 2 * height:
        sign = sign.crop((left, top, left + width, top + height))
    is_map = layout["panels"][0] in layout["maps"] and bool(values["maps"][shape])
    if is_map:
        sign = ImageOps.fit(sign, (SIDE, SIDE), centering=(0, 0))
    else:
        sign = ImageOps.pad(
            sign.crop(ink_of(sign)), (SIDE - 2 * RIM,) * 2, color="white"
        )
        sign = ImageOps.expand(sign, RIM, "white")
    (site / "figures" / name).mkdir()
    sign.save(site / "figures" / name / "small.webp", quality=80)
    return is_map


class Chain(SphinxDirective):
    has_content = True

    def run(self):
        self.env.note_dependency(str(ROOT / "README.md"))
        chapters = questions()
        chain = nodes.enumerated_list(classes=["chain"])
        for line in self.content:
            number, colon, after = line.partition(":")
            if number not in chapters or not colon:
                raise self.error(f"{line!r} must begin with one of {list(chapters)}:")
            chain += self.link(number, *chapters[number], after.strip())
        return [chain]

    def link(self, number, title, name, question, after):
        """A chapter of the chain; `after` is what it leaves open, or ""."""
        chapter = chapters_of(self.env).get(name.split("_")[0], {})
        is_map = chapter.get("is_map")
        picture = (  # its link is the title's, so it is not read out
            f'<a href="{name}.html" tabindex="-1" aria-hidden="true">'
            f'<img class="{"map" if is_map else ""}" alt="" width="120" height="120" '
            f'src="figures/{name}/small.webp" loading="lazy"></a>'
        )
        words = nodes.container()
        lines = [f"[**{number} · {title}**]({name}.ipynb) {question}", "", after]
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
