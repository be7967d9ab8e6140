"""Bind the chapters into a web book: book/build/site.

    python book/bind.py [--folder DIR] [--without-decks]

The chapters run and their explorers are drawn by tools/drawing.py, once for decks and
book. Here their notebooks are made ready for Sphinx: pictures become files with their
alt text, explorers become sliders over frames that are fetched when they are needed.
What a reader downloads is the notebook as it stands in notebooks/.
"""

import argparse
import base64
import html
import json
import logging
import os
import re
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

import jinja2
import nbformat
from fontTools import subset
from fontTools.ttLib import TTFont
from matplotlib import get_data_path
from mdit_py_plugins.anchors.index import slugify
from sphinx.cmd.build import build_main

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "slides")]
import export  # noqa: E402
from drawing import IMAGE, chapter, drawn, explorer_of  # noqa: E402

logging.getLogger("fontTools").setLevel(logging.WARNING)  # not each table of a font
NOTEBOOKS = ROOT / "notebooks"
CHAPTERS = [*export.chosen([]), NOTEBOOKS / "appendix_algorithm.ipynb"]
GLOSSARY = NOTEBOOKS / "glossary.ipynb"
TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(HERE / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)


def tags(cell):
    return cell.metadata.setdefault("tags", [])


# ---- the glossary -------------------------------------------------------------------
@cache
def glossary():
    """The terms of the glossary, each with its first paragraph."""
    cells = nbformat.read(GLOSSARY, as_version=4).cells
    text = "\n\n".join(cell.source for cell in cells)
    return re.findall(r"(?m)^### (.+)\n+(.+)", text)


def definitions():
    """What the glossary says of each term: its first paragraph, by its anchor."""
    return {slugify(term): plain(line) for term, line in glossary()}


def plain(markdown):
    """A line of markdown as it is read aloud, without links and marks."""
    return re.sub(r"[*`$]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown))


def with_definitions(source, words):
    """Markdown whose links to the glossary tell the definition to a mouse."""

    def link(match):
        name = slugify(match[1])
        line = html.escape(words.get(name, ""))
        return f'](glossary.ipynb#{name} "{line}")'

    return re.sub(r"\]\(glossary\.ipynb#([^)]*)\)", link, source)


# What is no running text: code, formulas, links, tags, headings.
NO_TEXT = re.compile(
    r"(```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$|!?\[[^]]*\]\([^)]*\)|<summary>.*?</summary>"
    r"|<[^>]*>|^#.*?$)",
    re.DOTALL | re.MULTILINE,
)


EVERYDAY = {"classmate", "scoreboard", "small print", "the paper"}


def trade_terms():
    """The words of the glossary that are no everyday words, longest first."""
    chosen = [
        term
        for term, _ in glossary()
        if term not in EVERYDAY and (len(term) > 8 or re.search(r"[A-Z -]", term))
    ]
    return sorted(chosen, key=len, reverse=True)


def with_links(source, terms):
    """Markdown whose first mention of each term leads to the glossary; what is left."""
    left = []
    for term in terms:
        parts = NO_TEXT.split(source)
        for at in range(0, len(parts), 2):
            word = rf"\b{re.escape(term)}s?\b"
            link = rf"[\g<0>](glossary.ipynb#{term.replace(' ', '-')})"
            parts[at], found = re.subn(word, link, parts[at], count=1)
            if found:
                break
        else:
            left.append(term)
        source = "".join(parts)
    return source, left


# ---- pictures and explorers ---------------------------------------------------------
def figure(cell, data, number, site, name):
    """Put the pixels of a `show` into a file; the tag that shows it."""
    alt, source = IMAGE.match(data["text/html"]).groups()
    file = base64.b64decode(source)
    address = f"figures/{name}/{cell.id}-{number}.png"
    place = site / address
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(file)
    picture = {"address": address, "alt": html.unescape(alt), **export.on_slide(file)}
    return TEMPLATES.get_template("figure.html.j2").render(picture)


def explorer(need, label, site, drawing, name):
    """Put the frames of an explorer beside the pages; the tags that show it."""
    folder = f"{name}/{Path(need['folder']).name}"
    place = site / "frames" / folder
    shutil.copytree(drawing / need["folder"], place, dirs_exist_ok=True)
    first = (place / f"{need['start']}.webp").read_bytes()
    panel = {
        **need,
        "alt": html.unescape(need["alt"]),
        "folder": f"frames/{folder}/",
        "name": folder.replace("/", "-"),
        "label": f"Explorer: {label}",
        **export.on_slide(first),
    }
    page = TEMPLATES.get_template("explorer.html.j2").render(panel)
    return re.sub(r"\n\s*\n", "\n", page)  # an empty line would end it in markdown


def shown(cell, heading, site, drawing, name):
    """Change what a cell puts out into what a page shows."""
    for number, output in enumerate(cell.get("outputs", [])):
        data = output.get("data", {})
        if need := explorer_of(output):
            output.data = {"text/html": explorer(need, heading, site, drawing, name)}
        elif IMAGE.match(data.get("text/html", "")):
            output.data = {"text/html": figure(cell, data, number, site, name)}


# ---- chapters -----------------------------------------------------------------------
def way_in(nb, name):
    """Where a reader can run the chapter or see its deck."""
    [cell] = [cell for cell in nb.cells if "open" in tags(cell)]
    colab, binder = re.findall(r"\]\((https://(?:colab|mybinder)[^)]*)\)", cell.source)
    ways = {"colab": colab, "binder": binder, "name": name, "deck": name[0].isdigit()}
    return ways


def mark(cell):
    """Tell Sphinx which code is folded on a page, and which is left out."""
    marks = tags(cell)
    folded = cell.metadata.get("jupyter", {}).get("source_hidden")
    if folded or cell.source.startswith(("import ", "from ")):
        marks.append("hide-input")
    elif "hide-input" in marks:  # a deck leaves this code out, a page does not
        marks.remove("hide-input")
    if cell.metadata.get("transient", {}).get("remove_source"):
        marks.append("remove-input")


def ready(path, drawing, site, words):
    """A chapter's notebook as Sphinx is to read it, and its cells for other pages."""
    name = path.stem
    nb = chapter(path, drawing)
    ways = way_in(nb, name)
    heading = ""
    shelf = {}
    cells = []
    text = "".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")
    linked = re.findall(r"\]\(glossary\.ipynb#([^)]*)\)", text)
    terms = [term for term in trade_terms() if term.replace(" ", "-") not in linked]
    for cell in nb.cells:
        marks = tags(cell)
        if "bootstrap" in marks:
            continue
        mark(cell)
        if cell.cell_type == "markdown":
            for found in re.findall(r"(?m)^#+ (.*)", cell.source):
                heading = found
            if not {"open", "solution"} & set(marks) and cell is not nb.cells[0]:
                cell.source, terms = with_links(cell.source, terms)
            cell.source = with_definitions(cell.source, words)
        if "open" in marks:
            cell.source = TEMPLATES.get_template("open.md.j2").render(ways)
        shown(cell, plain(heading), site, drawing, name)
        shelf[cell.id] = {"heading": heading, "cell": cell}
        cells.append(cell)
        if "check" in marks:
            source = TEMPLATES.get_template("try.md.j2").render(ways)
            cells.append(nbformat.v4.new_markdown_cell(source))
    nb.cells = cells
    return nb, shelf


def purpose(cell):
    """What folded code is for, in a few words."""
    names = re.findall(r"(?m)^def (\w+)", cell.source)
    if cell.source.startswith("# Checked more widely"):
        return "Code: checked more widely"
    if "check" in tags(cell):
        return "Code of the check"
    if names:
        return f"Code: {', '.join(names[:3])}{', …' * (len(names) > 3)}"
    if cell.source.startswith(("import ", "from ")):
        return "Code: what is imported"
    return "Code of this picture" if pictures(cell) else "Code"


def folds(cells):
    """The cells, neighbours of folded code in one fold, each fold with a name."""
    kept = []
    for cell in cells:
        folded = "hide-input" in tags(cell) and "remove-input" not in tags(cell)
        before = kept[-1] if kept else None
        if folded and before and before.metadata.get("joins") and not before.outputs:
            before.source += f"\n\n\n{cell.source}"
            before.outputs = cell.outputs
        else:
            cell.metadata["joins"] = folded
            kept.append(cell)
        if folded:
            label = purpose(kept[-1])
            prompts = {"code_prompt_show": label, "code_prompt_hide": label}
            kept[-1].metadata["mystnb"] = prompts
    return kept


def headed(nb):
    """The chapter with its picture at its head."""
    at = next(i for i, cell in enumerate(nb.cells) if pictures(cell))
    title, signature = nb.cells[0], nb.cells[at]
    lead = nbformat.v4.new_code_cell("...", outputs=signature.outputs)
    lead.metadata["tags"] = ["remove-input", "signature"]
    signature.outputs = []
    nb.cells = [title, lead, *folds(nb.cells[1:])]
    return nb


def pictures(cell):
    return [o for o in cell.get("outputs", []) if "text/html" in o.get("data", {})]


def prepare(drawings, source, site):
    """Write all that Sphinx reads into a folder, all pictures into the site."""
    words = definitions()
    shelf = {}
    for path, drawing in drawings.items():
        nb, cells = ready(path, drawing, site, words)
        shelf[path.stem.split("_")[0]] = {"name": path.stem, "cells": cells}
        nbformat.write(headed(nb), source / path.name)
    (source / "cells.json").write_text(json.dumps(shelf), "utf-8")
    shutil.copy(GLOSSARY, source)
    for page in (HERE / "pages").glob("*.md"):
        text = with_definitions(page.read_text("utf-8"), words)
        (source / page.name).write_text(text, "utf-8")


# ---- what pages carry ---------------------------------------------------------------
def characters(site):
    """All characters of the book, for fonts that hold these alone."""
    return {c for page in site.glob("*.html") for c in page.read_text("utf-8")}


def smaller(font, place, text):
    """Write a font with some characters alone."""
    options = subset.Options(layout_features=["*"], notdef_outline=True)
    options.drop_tables += ["FFTM", "webf"]  # of no use, and unknown to fontTools
    holds = TTFont(font)
    worker = subset.Subsetter(options)
    worker.populate(text="".join(text))
    worker.subset(holds)
    holds.flavor = "woff2"
    holds.save(place)


def carry_fonts(site):
    """The fonts of the decks, with the characters of the book."""
    text = characters(site) | {chr(code) for code in range(32, 127)}
    reveal = distribution("sphinx-revealjs").locate_file(
        "sphinx_revealjs/_static/revealjs/dist/theme/fonts/source-sans-pro"
    )
    fonts = {
        f"source-sans-pro-{style}": Path(reveal, f"source-sans-pro-{style}.ttf")
        for style in ("regular", "italic", "semibold")
    }
    fonts["mono"] = Path(get_data_path(), "fonts", "ttf", "DejaVuSansMono.ttf")
    fonts["chinese"] = NOTEBOOKS / "fonts" / "noto-sans-cjk-sc-subset.otf"
    place = site / "_static" / "fonts"
    place.mkdir(exist_ok=True)
    for name, font in fonts.items():
        smaller(font, place / f"{name}.woff2", text)


def carry_formulas(site):
    """MathJax with the fonts that it fetches."""
    mathjax = distribution("sphinx-mathjax-offline").locate_file(
        "sphinx-mathjax-offline/static/mathjax"
    )
    place = site / "_static" / "mathjax"
    place.mkdir(exist_ok=True)
    shutil.copy(Path(mathjax, "tex-chtml.js"), place)
    for folder in ("output/chtml/fonts", "input/tex/extensions"):
        shutil.copytree(Path(mathjax, folder), place / folder, dirs_exist_ok=True)


# A page waits for what stands in its head, and the theme's icons come twice, as fonts
# and as a script of 1.6 MB, more than all the rest. On a telephone that counts.
LIGHTER = [
    (r"\s*<script[^>]*/fontawesome\.js[^>]*></script>", ""),
    (r"_static/styles/theme\.css[^\"]*", "_static/basic.css"),  # which is all it has
    (r"<script src=", "<script defer src="),
    (r"<script>(?=DOCUMENTATION_OPTIONS)", '<script type="module">'),
    (r'(<summary) aria-label="Toggle hidden content"', r"\1"),  # it has a name: Code
    (r'(class="btn search-button-field[^>]*) aria-label="Search"', r"\1"),
    (r'(<article class="bd-article")', r'\1 id="text" tabindex="-1"'),
]


def lighten(site):
    """Let the text of a page come first; the names of the icons that stand on pages."""
    names = set()
    for page in site.glob("*.html"):
        source = page.read_text("utf-8")
        for heavy, light in LIGHTER:
            source = re.sub(heavy, light, source)
        page.write_text(source, "utf-8")
        names |= set(re.findall(r"\bfa-([a-z-]+)", source))
    return names


def carry_icons(site, names):
    """The theme's fonts of icons, with these alone."""
    static = site / "_static"
    style = (static / "styles" / "pydata-sphinx-theme.css").read_text("utf-8")
    codes = re.findall(r'--pst-icon[\w-]*:"\\([0-9a-f]+)"', style)
    for selectors, code in re.findall(r'([^{}]+)\{--fa:"\\([0-9a-f]+)"\}', style):
        if names & set(re.findall(r"\.fa-([a-z-]+)", selectors)):
            codes.append(code)
    text = {chr(int(code, 16)) for code in codes}
    for font in (static / "vendor" / "fontawesome" / "webfonts").glob("*.woff2"):
        smaller(font, font, text)
    (static / "scripts" / "fontawesome.js").unlink(missing_ok=True)


# ---- the book -----------------------------------------------------------------------
def stale(drawings, folder):
    """The chapters whose deck is older than what it is made of."""
    parts = [path for path in (ROOT / "slides").rglob("*") if path.is_file()]
    newest = max(path.stat().st_mtime for path in parts if "build" not in path.parts)
    for path in export.chosen([]):
        deck = folder / f"{path.stem}.html"
        age = max(drawings[path].stat().st_mtime, path.stat().st_mtime)
        if not deck.exists() or deck.stat().st_mtime < max(age, newest):
            yield path


def silent(line):
    """What is said of each step is of no use here."""


def each(task, paths, *arguments):
    """Do a task for each chapter, side by side; what comes of each."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(task, path, *arguments) for path in paths]
        return [job.result() for job in jobs]


def bind(folder, with_decks=True):
    """Draw, prepare, run Sphinx, and put beside the pages what they carry."""
    source, site = folder / "source", folder / "site"
    for place in (source, site / "frames", site / "figures"):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
    drawings = dict(zip(CHAPTERS, each(drawn, CHAPTERS)))
    prepare(drawings, source, site)
    options = ["-q", "-W", "--keep-going", "-j", "auto", "-c", str(HERE)]
    options += ["-d", str(folder / "doctrees")]
    if build_main([*options, str(source), str(site)]):
        raise SystemExit("The book has faults; they stand above.")
    carry_icons(site, lighten(site))
    carry_fonts(site)
    carry_formulas(site)
    if with_decks:
        each(export.deck, stale(drawings, site / "slides"), site / "slides", silent)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=HERE / "build")
    parser.add_argument("--without-decks", action="store_true")
    arguments = parser.parse_args()
    bind(arguments.folder, not arguments.without_decks)
    print(f"Open {os.path.relpath(arguments.folder / 'site' / 'index.html')}")


if __name__ == "__main__":
    main()
