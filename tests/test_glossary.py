"""A reader relies on this: each word and each symbol is explained in one place."""

import copy
import re
from collections import Counter

import nbformat
import pytest
from chapters import NOTEBOOKS

GLOSSARY = NOTEBOOKS / "glossary.ipynb"
OTHERS = sorted(path for path in NOTEBOOKS.glob("*.ipynb") if path != GLOSSARY)
LINK = re.compile(r"\]\(glossary\.ipynb#([^)]+)\)")
FIRST = re.compile(r"\*First in\* \[[^\]]+\]\(([\w.]+)\)\.$")


def read(path):
    return nbformat.read(path, as_version=4)


@pytest.fixture(scope="module")
def glossary():
    return read(GLOSSARY)


@pytest.fixture(scope="module")
def others():
    return {path.name: read(path) for path in OTHERS}


def prose(nb):
    return [cell for cell in nb.cells if cell.cell_type == "markdown"]


def anchor(term):
    return term.replace(" ", "-")


# ---- checks: each returns the faults that it sees --------------------------------
def entries(nb):
    """Term → the paragraphs below its heading."""
    words = "\n\n".join(cell.source for cell in prose(nb)).partition("\n## Words\n")[2]
    parts = re.split(r"(?m)^### (.+)\n", words)[1:]
    return [
        (term, [line.strip() for line in text.strip().split("\n\n")])
        for term, text in zip(parts[::2], parts[1::2])
    ]


def out_of_order(nb):
    terms = [term.casefold() for term, _ in entries(nb)]
    return [later for term, later in zip(terms, terms[1:]) if not term < later]


def ill_defined(nb, files):
    """Entries that a reader who hovers over a word would not understand."""
    faults = []
    for term, paragraphs in entries(nb):
        if not re.fullmatch(r"[A-Za-z0-9]+([ -][A-Za-z0-9]+)*", term):
            faults.append(f"{term}: no heading for an anchor")
        if len(paragraphs) != 2:
            faults.append(f"{term}: {len(paragraphs)} paragraphs")
            continue
        definition, origin = paragraphs
        if not 5 <= len(definition.split()) <= 45:
            faults.append(f"{term}: {len(definition.split())} words")
        if re.search(r"\$|\]\(", re.split(r"\.\s", definition)[0]):
            faults.append(f"{term}: its first sentence does not stand alone")
        first = FIRST.search(origin)
        if not first or first[1] not in files:
            faults.append(f"{term}: {origin!r} names no chapter")
    return faults


def links(nb):
    return [name for cell in nb.cells for name in LINK.findall(cell.source)]


def unlinked(nb, others):
    """Entries to which the chapter that they name has not exactly one link."""
    found = {name: links(other) for name, other in others.items()}
    return [
        (term, name)
        for term, paragraphs in entries(nb)
        for name in FIRST.findall(paragraphs[-1])
        if found[name].count(anchor(term)) != 1
    ]


def lost(nb, others):
    """Links to entries that do not exist."""
    known = {anchor(term) for term, _ in entries(nb)}
    return [
        (name, link)
        for name, other in others.items()
        for link in links(other)
        if link not in known
    ]


def misplaced(nb):
    """Links to the glossary where they disturb: all but the body of the prose."""
    body = [cell for cell in nb.cells[1:] if cell.cell_type == "markdown"]
    kept = [cell for cell in body if "open" not in cell.metadata.get("tags", [])]
    other = r"```.*?```|`[^`]*`|\$\$.*?\$\$|^#.*?$|<summary>.*?</summary>"
    text = "\n\n".join(cell.source for cell in kept)
    seen = LINK.findall(re.sub(other, "", text, flags=re.DOTALL | re.MULTILINE))
    return sorted((Counter(links(nb)) - Counter(seen)).elements())


def rows(nb):
    """The lines of the table of symbols, each as a list of its cells."""
    (text,) = (c.source for c in prose(nb) if c.source.startswith("## Notation"))
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[part.strip() for part in line[1:-1].split("|")] for line in lines[2:]]


def homeless(nb, files):
    """Symbols without a meaning, a shape, a range or an existing chapter."""
    faults = []
    for row in rows(nb):
        chapter = re.fullmatch(r"\[[^\]]+\]\(([\w.]+)\)", row[-1])
        if len(row) != 5 or not all(row) or not chapter or chapter[1] not in files:
            faults.append(row[0])
    return faults


# ---- the glossary ---------------------------------------------------------------
def test_it_is_a_page_to_read(glossary):
    assert glossary.cells[0].source.startswith("# Glossary and notation\n")
    assert {cell.cell_type for cell in glossary.cells} == {"markdown"}
    assert {cell.metadata.slideshow.slide_type for cell in glossary.cells} == {"skip"}
    assert glossary.metadata.kernelspec.name == "python3"


def test_words_stand_in_alphabetical_order_each_once(glossary):
    assert len(entries(glossary)) >= 45 and out_of_order(glossary) == []


def test_each_word_is_defined_in_a_short_paragraph(glossary, others):
    assert ill_defined(glossary, others) == []


def test_the_chapter_where_a_word_first_stands_links_to_it_once(glossary, others):
    assert unlinked(glossary, others) == []


def test_links_to_the_glossary_lead_to_an_entry(glossary, others):
    assert lost(glossary, {**others, GLOSSARY.name: glossary}) == []


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem[:2])
def test_links_to_the_glossary_stand_in_the_prose(path, others):
    assert misplaced(others[path.name]) == []


def test_each_symbol_has_a_meaning_and_a_chapter(glossary, others):
    assert len(rows(glossary)) >= 30 and homeless(glossary, others) == []
    symbols = [row[0] for row in rows(glossary)]
    assert len(set(symbols)) == len(symbols)


# ---- the checks themselves, shown what they should see ---------------------------
def changed(nb, old, new):
    """A copy in which a text that stands once is another."""
    nb = copy.deepcopy(nb)
    (cell,) = (cell for cell in nb.cells if old in cell.source)
    cell.source = cell.source.replace(old, new, 1)
    return nb


def test_a_word_at_the_wrong_place_is_noticed(glossary):
    early = changed(glossary, "### token\n", "### a token\n")
    twice = changed(glossary, "### key-value cache\n", "### key\n")
    assert out_of_order(early) == ["a token"] and out_of_order(twice) == ["key"]


@pytest.mark.parametrize(
    "old, new",
    [
        ("### hand\n", "### hand (clock)\n"),
        ("### hand\n\n", "### hand\n\n" + 45 * "and " + "\n"),
        ("### hand\n\n", "### hand\n\n$x$ "),
        ("### hand\n\n", "### hand\n\n[A](b.ipynb) "),
        ("### hand\n\n", "### hand\n\nMore.\n\n"),
    ],
)
def test_a_poor_entry_is_noticed(glossary, others, old, new):
    assert len(ill_defined(changed(glossary, old, new), others)) == 1


def test_a_chapter_that_does_not_exist_is_noticed(glossary, others):
    files = others.keys() - {"10_in_practice.ipynb"}
    assert len(ill_defined(glossary, files)) == len(
        [1 for _, (_, origin) in entries(glossary) if "10_in_practice" in origin]
    )
    files = others.keys() - {"09_a_trained_model.ipynb"}
    assert homeless(glossary, files) == ["$L$"]


def test_links_too_few_too_many_and_astray_are_noticed(glossary, others):
    name, link = "05_complex_derivation.ipynb", "(glossary.ipynb#conjugate)"
    none = {**others, name: changed(others[name], link, "(glossary.ipynb#conjugates)")}
    assert unlinked(glossary, none) == [("conjugate", name)]
    assert lost(glossary, none) == [(name, "conjugates")]
    twice = copy.deepcopy(others[name])
    twice.cells[-1].source += f"\n\nThe [conjugate]{link}"
    assert unlinked(glossary, {**others, name: twice}) == [("conjugate", name)]


@pytest.mark.parametrize(
    "text",
    [
        "### The {}",
        "```text\n{}\n```",
        "<details><summary>{}</summary></details>",
        "$$\n{}\n$$",
    ],
)
def test_a_link_that_disturbs_is_noticed(text):
    link = "[hand](glossary.ipynb#hand)"
    first, cell = (nbformat.v4.new_markdown_cell(t) for t in ("# 1", text.format(link)))
    assert misplaced(nbformat.v4.new_notebook(cells=[first, cell])) == ["hand"]
    assert misplaced(nbformat.v4.new_notebook(cells=[cell, first])) == ["hand"]
    cell.source = f"The {link} turns."
    assert misplaced(nbformat.v4.new_notebook(cells=[first, cell])) == []
    cell.metadata["tags"] = ["open"]
    assert misplaced(nbformat.v4.new_notebook(cells=[first, cell])) == ["hand"]


def test_a_symbol_without_a_chapter_is_noticed(glossary, others):
    broken = changed(glossary, "| [Appendix](appendix_algorithm.ipynb) |", "| later |")
    assert homeless(broken, others) == ["$B$, $q$, $r$"]
