"""What the pages carry, and how they stay light: they ask no other host for anything.

Fonts hold the characters of the book alone (96 kB in place of 690), icons those that
are used (5 in place of 243), and the text of a page does not wait for scripts.
"""

import logging
import re
from pathlib import Path

from fontTools import subset
from matplotlib import get_data_path

from render.formulas import with_formulas
from render.vendored import REVEAL
from tools.chapters import NOTEBOOKS

logging.getLogger("fontTools").setLevel(logging.WARNING)  # not each table of a font

# What Sphinx and MyST write → what is better, where no setting or template says it.
BETTER_PAGES = [
    # a page waits for the scripts in its head
    ("<script src=", "<script defer src="),
    ("<script>DOCUMENTATION_OPTIONS", '<script type="module">DOCUMENTATION_OPTIONS'),
    # what can be seen has this name: Code
    ('<summary aria-label="Toggle hidden content"', "<summary"),
]


def finish(pages):
    """Make pages better, and draw their formulas at once; returns all that they say."""
    text = "\0".join(page.read_text("utf-8") for page in pages)
    for old, new in BETTER_PAGES:
        if old not in text:
            raise ValueError(f"no page has what is to be made better: {old}")
        text = text.replace(old, new)
    for page, source in zip(pages, with_formulas(text).split("\0")):
        page.write_text(with_one_of_each(source), "utf-8")
    return text


def subset_font(font, place, text):
    """Write a font with the characters of a text alone."""
    characters = ",".join(f"{ord(character):x}" for character in set(text))
    options = [f"--unicodes={characters}", "--layout-features=*", "--flavor=woff2"]
    # of no use, and unknown to fontTools
    options += ["--drop-tables+=FFTM,webf", "--notdef-outline"]
    subset.main([str(font), *options, f"--output-file={place}"])


def copy_fonts(site, text):
    """The fonts of the decks, with the characters of the book."""
    reveal = REVEAL / "dist" / "theme" / "fonts" / "source-sans-pro"
    fonts = {
        f"source-sans-pro-{style}": reveal / f"source-sans-pro-{style}.ttf"
        for style in ("regular", "italic", "semibold")
    }
    fonts["mono"] = Path(get_data_path(), "fonts", "ttf", "DejaVuSansMono.ttf")
    fonts["chinese"] = NOTEBOOKS / "course" / "fonts" / "noto-sans-cjk-sc-subset.otf"
    folder = site / "_static" / "fonts"
    folder.mkdir(exist_ok=True)
    for name, font in fonts.items():
        subset_font(font, folder / f"{name}.woff2", text)


def subset_icons(site, text):
    """The theme's fonts of icons, with those alone that stand on pages."""
    static = site / "_static"
    names = set(re.findall(r"\bfa-([a-z-]+)", text))
    style = (static / "styles" / "pydata-sphinx-theme.css").read_text("utf-8")
    codes = re.findall(r'--pst-icon[\w-]*:"\\([0-9a-f]+)"', style)
    for selectors, code in re.findall(r'([^{}]+)\{--fa:"\\([0-9a-f]+)"\}', style):
        if names & set(re.findall(r"\.fa-([a-z-]+)", selectors)):
            codes.append(code)
    icons = "".join(chr(int(code, 16)) for code in codes)
    for font in (static / "vendor" / "fontawesome" / "webfonts").glob("*.woff2"):
        subset_font(font, font, icons)
    # the same icons as a script of 1.6 MB
    (static / "scripts" / "fontawesome.js").write_text("")


def with_one_of_each(page):
    """A page on which each letter of formulas is drawn once, not in each formula."""
    page = re.sub(r"MJX-\d+-", "MJX-", page)
    letters = re.findall(r"<defs>(<path id=\"MJX-.*?)</defs>", page)
    page = re.sub(r"<defs><path id=\"MJX-.*?</defs>", "", page)
    each = sorted(set(re.findall(r"<path.*?</path>", "".join(letters))))
    drawn = f'<svg width="0" height="0" aria-hidden="true">{"".join(each)}</svg>'
    return page.replace("<main", f"{drawn}<main", 1) if each else page


def lighten(site):
    """Make the pages of Sphinx lighter, with fonts of their own and drawn formulas."""
    text = finish(sorted(site.glob("*.html")))
    for path in site.rglob("*.map"):  # of use to the theme's makers alone
        path.unlink()
    subset_icons(site, text)
    copy_fonts(site, text + "".join(map(chr, range(32, 127))))
