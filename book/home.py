"""What the book adds to Sphinx for its home page: the chain of chapters.

```{chain}
1: What this chapter leaves open.
```

shows for each line a chapter's picture, its name, its question, as README has it, and
what stands behind the colon.
"""

import re
from io import BytesIO

from docutils import nodes
from PIL import Image, ImageOps
from sphinx.util.docutils import SphinxDirective

from tools.chapters import ROOT, outputs_of, picture_of

# Which part of a chapter's first picture is its sign on the home page: where it begins
# and ends, across and down, as shares of the picture without its white margins.
DETAILS = {
    "01": (0, 0, 0.64, 1),
    "02": (0, 0.64, 0.35, 1),
    "03": (0, 0, 0.26, 1),
    "04": (0.49, 0.14, 0.875, 0.56),
    "05": (0, 0.28, 0.55, 0.72),
    "06": (0, 0.13, 0.385, 0.41),
    "07": (0.095, 0.08, 0.44, 0.51),
    "08": (0, 0.2, 0.44, 0.7),
    "09": (0.2, 0.2, 1, 1),
    "10": (0.28, 0.5, 0.6, 0.876),
    "11": (0.665, 0.45, 1, 1),
    "appendix": (0.637, 0.122, 1, 0.8),
}
SIDE, RIM = 240, 24  # pixels: a sign, and the white around what it shows

ROW = re.compile(r"(?m)^\| (\w+) \| \[(.*?)\]\(notebooks/(\w+)\.ipynb\) \| (.*?) \|$")


def questions():
    """Of each chapter, by its number: its title, the name of its file, its question.

    They stand in README's table of chapters, and nowhere else.
    """
    rows = ROW.findall((ROOT / "README.md").read_text("utf-8"))
    return {number: about for number, *about in rows}


def put_picture(nb, folder):
    """Write a detail of a chapter's first picture into its folder of the site."""
    _, file = next(filter(None, map(picture_of, outputs_of(nb.cells))))
    small = Image.open(BytesIO(file)).convert("RGB")
    small = small.crop(ImageOps.invert(small).getbbox())  # without its white margins
    shares = DETAILS[folder.name.partition("_")[0]]
    small = small.crop([s * length for s, length in zip(shares, small.size * 2)])
    small = ImageOps.pad(small, (SIDE - 2 * RIM,) * 2, color="white")
    small = ImageOps.expand(small, RIM, "white")
    folder.mkdir(exist_ok=True)
    small.save(folder / "small.webp", quality=80)


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
        picture = (  # its link is the title's, so it is not read out
            f'<a href="{name}.html" tabindex="-1" aria-hidden="true"><img alt="" '
            f'src="figures/{name}/small.webp" width="120" height="120" loading="lazy">'
            "</a>"
        )
        words = nodes.container()
        lines = [f"[**{number} · {title}**]({name}.ipynb) {question}", "", after]
        self.state.nested_parse(lines, self.content_offset, words)
        return nodes.list_item("", nodes.raw("", picture, format="html"), words)


def setup(app):
    app.add_directive("chain", Chain)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
