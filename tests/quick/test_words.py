"""The words of a chapter change only when its author records the change.

test_words/ records what its cells put out: alt texts, sentences, questions with their
replies, printed lines and formulas. After a change, call `make words` and read the
diff.
"""

import html
import re
import textwrap

import pytest

from tools.chapters import CHAPTERS, answers_of, cells, tags


def said(cell):
    """What a cell puts out, in words."""
    for output in cell.outputs:
        data = output.get("data", {})
        text = data.get("text/latex") or data.get("text/plain") or output.get("text")
        yield from text.splitlines()
        for letter, _, verdict, reply in answers_of(cell):
            if text.startswith("Predict: "):
                reply = html.unescape(re.sub("<.*?>", "", reply))
                yield f"{letter}: {verdict}. {reply}"


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_what_a_chapter_says_is_what_is_recorded(path, file_regression):
    page = []
    for cell in cells(path, "code"):
        if "check" not in tags(cell) and cell.outputs:
            lines = [textwrap.fill(line, 88) for line in said(cell)]
            page.append("\n".join([f"# {cell.id}", *lines, ""]))
    file_regression.check("\n".join(page), basename=path.stem, encoding="utf-8")
