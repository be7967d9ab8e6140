"""What the pages carry, and how they stay light: they ask no other host for anything.

Fonts hold the characters of the book alone (96 kB in place of 690), icons those that
are used (5 in place of 243), and the text of a page does not wait for scripts.
"""

import logging
import re
from pathlib import Path

import jinja2
from fontTools import subset
from matplotlib import get_data_path

from render.formulas import with_formulas
from render.vendored import REVEAL
from tools.chapters import NOTEBOOKS

logging.getLogger("fontTools").setLevel(logging.WARNING)  # not each table of a font

TEMPLATES = Path(__file__).with_name("templates")
DARK = jinja2.Template((TEMPLATES / "dark.svg.j2").read_text("utf-8"))

# What Sphinx and its theme write → what is better, where no setting says it.
BETTER_PAGES = [
    # its icons come twice, as fonts and as a script of 1.6 MB, more than all the rest
    (r"\s*<script[^>]*/fontawesome\.js[^>]*></script>", ""),
    # a page waits for the scripts in its head
    (r"<script src=", "<script defer src="),
    (r"<script>(?=DOCUMENTATION_OPTIONS)", '<script type="module">'),
    # what can be seen has this name: Code, Search
    (r'(<summary) aria-label="Toggle hidden content"', r"\1"),
    (r'(class="btn search-button-field[^>]*) aria-label="Search"', r"\1"),
    # a line would break between a formula and the comma after it
    (
        r"[(“]?<tex-inline>[^<]*</tex-inline>[.,;:!?)”]+",
        r'<span class="held">\g<0></span>',
    ),
    # in the dark, pictures without maps are seen through this filter (lesson.css)
    (
        r"<main\b",
        DARK.render(filters={"dark": []}) + "<main",
    ),
    # where "Skip to main content" leads (book.js), past the buttons
    (r'(<article class="bd-article")', r'\1 id="text" tabindex="-1"'),
]


def improve(files, changes):
    """Change files in these ways; returns all that stands in them."""
    sources = {path: path.read_text("utf-8") for path in files}
    for old, new in changes:
        if not any(re.search(old, source) for source in sources.values()):
            raise ValueError(f"nothing has what is to be made better: {old}")
        sources = {path: re.sub(old, new, each) for path, each in sources.items()}
    for path, source in sources.items():
        path.write_text(source, "utf-8")
    return "".join(sources.values())


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
    fonts["chinese"] = NOTEBOOKS / "fonts" / "noto-sans-cjk-sc-subset.otf"
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
    (static / "scripts" / "fontawesome.js").unlink(missing_ok=True)


def draw_formulas(site):
    """Draw the formulas of all pages, at once."""
    pages = {path: path.read_text("utf-8") for path in site.glob("*.html")}
    drawn = with_formulas("\0".join(pages.values())).split("\0")
    for path, page in zip(pages, drawn):
        path.write_text(with_one_of_each(page), "utf-8")


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
    text = improve(site.glob("*.html"), BETTER_PAGES)
    for path in site.rglob("*.map"):  # of use to the theme's makers alone
        path.unlink()
    subset_icons(site, text)
    copy_fonts(site, text + "".join(map(chr, range(32, 127))))
    draw_formulas(site)
