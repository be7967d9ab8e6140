"""Figures in the text are figures that a cell computes or checks."""

import ast
import re

import nbformat
import pytest
from chapters import CHAPTERS

NUMBER = re.compile(r"(?<![\w.])\d(?:[\d,]*\d)?(?:\.\d+)?(?:e-?\d+)?(?![\w/])")


def read(path):
    return nbformat.read(path, as_version=4)


def value(text):
    return float(text.replace(",", ""))


def is_key_figure(text):
    """Three digits or more that carry meaning: 14.90, 0.0444; not 0.5, 64 or a year."""
    digits = re.sub(r"e.*|[^\d]", "", text).lstrip("0")
    return len(digits) >= 3 and not re.fullmatch(r"20\d\d", text)


def prose(nb):
    """Markdown without code, colours, exercise numbers and sources; questions."""
    for cell in nb.cells:
        if cell.cell_type == "markdown" and not cell.source.startswith("## Sources"):
            other = r"```.*?```|\]\(.*?\)|`[^`]*`|#[0-9A-F]{6}\b|[Ee]xercise \d+\.\d"
            yield re.sub(other, " ", cell.source, flags=re.DOTALL)
        elif cell.cell_type == "code" and "predict(" in cell.source:
            for node in ast.walk(ast.parse(cell.source)):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


def computed(nb):
    """Every number that a code cell prints or has in its source."""
    for cell in nb.cells:
        if cell.cell_type == "code" and "predict(" not in cell.source:
            printed = [
                o.get("text", "") + o.get("data", {}).get("text/plain", "")
                for o in cell.outputs
            ]
            for text in re.findall(
                NUMBER, "\n".join([cell.source.replace("_", ""), *printed])
            ):
                yield value(text)


def unsupported(nb):
    """Key figures of the prose that no cell computes to the digits written."""
    pool = list(computed(nb))
    for text in prose(nb):
        for figure in filter(is_key_figure, re.findall(NUMBER, text)):
            decimals = len(figure.partition(".")[2].partition("e")[0])
            if not any(
                abs(value(figure) - number) <= 0.5000001 * 10.0**-decimals
                for number in pool
            ):
                yield figure


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem[:2])
def test_key_figures_in_the_text_are_computed_by_a_cell(chapter):
    assert list(unsupported(read(chapter))) == []


def test_a_figure_that_no_cell_computes_is_noticed():
    nb = read(CHAPTERS[0])
    nb.cells[0].source += "\n\n$\\textcolor{#004488}{d}$, the distance, is 0.98765."
    assert list(unsupported(nb)) == ["0.98765"]
