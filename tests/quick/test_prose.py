"""In the prose, figures are computed by a cell, and references lead somewhere."""

import ast
import re

import pytest

from tools.chapters import CHAPTERS, DECKS, NOTEBOOKS, ROOT, cells, tags, title

GLOSSARY = NOTEBOOKS / "glossary.ipynb"
PAGES = [*CHAPTERS, GLOSSARY, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


def name(path):
    return path.stem[:2]


def whole_text(path):
    if path.suffix == ".md":
        return path.read_text("utf-8")
    return "\n\n".join(cell["source"] for cell in cells(path))


# ---- figures in the text are computed by a cell --------------------------------------
NUMBER = re.compile(r"(?<![\w.])\d(?:[\d,]*\d)?(?:\.\d+)?(?:e-?\d+)?(?![\w/])")


def value(text):
    return float(text.replace(",", ""))


def is_key_figure(text):
    """Three digits or more that carry meaning: 14.90, 0.0444; not 0.5, 64 or a year."""
    digits = re.sub(r"e.*|[^\d]", "", text).lstrip("0")
    return len(digits) >= 3 and not re.fullmatch(r"20\d\d", text)


def asked(source):
    """The texts of questions."""
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "predict":
            for node in ast.walk(call):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


def prose(chapter):
    """Markdown without code, exercise numbers and sources; and questions."""
    for cell in chapter:
        source = cell["source"]
        if cell["cell_type"] == "code":
            yield from asked(source)
        elif not source.startswith("## Sources"):
            other = r"```.*?```|\]\(.*?\)|`[^`]*`|#[0-9A-F]{6}\b|[Ee]xercise \d+\.\d"
            yield re.sub(other, " ", source, flags=re.DOTALL)


def draws(cell):
    """Whether the code is folded and a picture's: its numbers are places and sizes."""
    is_folded = cell["metadata"].get("jupyter", {}).get("source_hidden", False)
    return is_folded and "check" not in tags(cell)


def computed(chapter):
    """What cells print or assert; whole numbers of open code, such as 512 columns.

    Alt texts have a test of their own, beside those of the pictures.
    """
    for cell in chapter:
        if cell["cell_type"] == "code" and "predict(" not in cell["source"]:
            source = "" if draws(cell) else cell["source"].replace("_", "")
            whole = [n for n in NUMBER.findall(source) if "." not in n]
            claims = re.findall(r"(?m)^\s*assert .*", source)
            texts = [*whole, *claims]
            for output in cell["outputs"]:
                texts.append("".join(output.get("text", "")))
                words = "".join(output.get("data", {}).get("text/plain", ""))
                texts.append(re.sub(r"(?m)^\[picture\] .*", "", words))
            yield from map(value, NUMBER.findall("\n".join(texts)))


def unsupported(chapter):
    """Key figures of the prose that no cell computes to the digits written."""
    pool = list(computed(chapter))
    for figure in NUMBER.findall("\n".join(prose(chapter))):
        decimals = len(figure.partition(".")[2].partition("e")[0])
        near = 0.5000001 * 10.0**-decimals
        if is_key_figure(figure) and not any(
            abs(value(figure) - number) <= near for number in pool
        ):
            yield figure


@pytest.mark.parametrize("path", CHAPTERS, ids=name)
def test_key_figures_in_the_text_are_computed_by_a_cell(path):
    assert list(unsupported(cells(path))) == []


FROM = re.compile(r"^```\{from\} (\w+) (\S+)$", re.MULTILINE)  # ```{from} 04 cell-id


def test_each_question_of_the_book_is_answered_by_a_cell_and_with_its_figures():
    page = (ROOT / "book" / "pages" / "questions.md").read_text("utf-8")
    chapters = {name(path): cells(path) for path in DECKS}
    for part in page.split("\n## ")[1:]:
        [(chapter, cell_id)] = FROM.findall(part)
        assert [c for c in chapters[chapter] if c["id"] == cell_id and c["outputs"]]
        text = re.sub(r"\]\([^)]*\)", "", FROM.split(part)[0])
        figures = filter(is_key_figure, NUMBER.findall(text))
        assert set(map(value, figures)) <= set(computed(chapters[chapter]))


# ---- "chapter 7", "exercise 3.2" and names in links ----------------------------------
MENTION = re.compile(r"\b[Cc]hapters?\s+(\d+(?:(?:,\s*|\s+(?:and|to|or)\s+|–)\d+\b)*)")
EXERCISE = re.compile(r"\b[Ee]xercises?\s+((?:\d+|A)\.\d+)")
NAMED_LINK = re.compile(r"\[((?:\d+|Appendix) · [^\]]+)\]\(([^)#]+)[^)]*\)")
HEADINGS = {path.name: title(path) for path in CHAPTERS}
EXERCISES = set(
    re.findall(r"### Exercise (\S+\.\d+)", "\n".join(map(whole_text, CHAPTERS)))
)


def lost(text):
    """References in a text to a chapter or an exercise that does not exist."""
    numbers = {str(int(path.stem[:2])) for path in DECKS}
    mentioned = re.findall(r"\d+", " ".join(MENTION.findall(text)))
    faults = [f"chapter {number}" for number in mentioned if number not in numbers]
    faults += [f"exercise {n}" for n in EXERCISE.findall(text) if n not in EXERCISES]
    for name, path in NAMED_LINK.findall(text):
        if HEADINGS.get(path.rpartition("/")[2]) != name:
            faults.append(f"[{name}]({path})")
    return faults


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_chapters_and_exercises_that_are_mentioned_exist(path):
    assert lost(whole_text(path)) == []


# ---- the glossary explains each word and each symbol in one place --------------------
TO_AN_ENTRY = re.compile(r"\]\(glossary\.ipynb#([^)]+)\)")
FIRST_IN = re.compile(r"\*First in\* \[[^\]]+\]\(([\w.]+)\)\.$")
# Where a link would disturb, or would not be one.
NOT_PROSE = re.compile(
    r"```.*?```|`[^`]*`|\$\$.*?\$\$|^#.*?$|<summary>.*?</summary>", re.DOTALL | re.M
)


def entries():
    """Term → the paragraphs below its heading."""
    words = whole_text(GLOSSARY).partition("\n## Words\n")[2]
    parts = re.split(r"(?m)^### (.+)\n", words)[1:]
    return {
        term: re.split(r"\n\n+", text.strip())
        for term, text in zip(parts[::2], parts[1::2])
    }


def links_in_prose(path):
    """Entries to which the prose of a notebook links, below its title."""
    text = "\n\n".join(cell["source"] for cell in cells(path, "markdown")[1:])
    return TO_AN_ENTRY.findall(NOT_PROSE.sub("", text))


@pytest.mark.parametrize("term, paragraphs", entries().items(), ids=entries())
def test_each_word_is_explained_in_plain_text_and_linked_where_it_comes_first(
    term, paragraphs
):
    """The book shows the first sentence to a mouse that rests on a link."""
    definition, origin = paragraphs
    assert not re.search(r"\$|\]\(", re.split(r"\.\s", definition)[0])
    chapter = NOTEBOOKS / FIRST_IN.search(origin)[1]
    assert links_in_prose(chapter).count(term.replace(" ", "-")) == 1


# ---- Chinese ------------------------------------------------------------------------
# With its pinyin behind it: there a voice should say both.
GLOSSED = re.compile(
    r"[\u4e00-\u9fff](</span>)?\*?,? \(?\*?(?:LLM )?\w*[āáǎàēéěèīíǐìōóǒòūúǔù]"
)


@pytest.mark.parametrize("path", CHAPTERS, ids=name)
def test_chinese_is_marked_for_a_voice_where_it_is_explained(path):
    prose = "\n".join(cell["source"] for cell in cells(path, "markdown"))
    assert [word[0] for word in GLOSSED.finditer(prose) if not word[1]] == []
