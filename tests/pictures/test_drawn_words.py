"""The words in a picture change only when its author records the change.

test_drawn_words/ records what is written in the first picture of each cell, panel by
panel. Numbers without a letter, as in a matrix, and the places of words are left to the
tests of the chapter. After a change, call `make words` and read the diff.
"""

import re
import textwrap

from matplotlib.text import Text

import explorer

LETTER = re.compile(r"[^\W\d_]")


def parts_of(ax):
    """What is written in a panel: the name of a part, and its texts."""
    legend = ax.get_legend()
    words = [part for part in ax.get_children() if isinstance(part, Text)]
    yield "title", [text for text in words if text not in ax.texts]  # left ones, too
    if ax.axison:
        yield "x axis", [ax.xaxis.label]
        yield "y axis", [ax.yaxis.label]
        yield "x ticks", ax.get_xticklabels()
        yield "y ticks", ax.get_yticklabels()
    yield "legend", [legend.get_title(), *legend.get_texts()] if legend else []
    for table in ax.tables:
        yield "table", [cell.get_text() for cell in table.get_celld().values()]
    yield "texts", ax.texts


def words_of(texts):
    """Those that can be seen and have a letter; a power of ten has none."""
    for text in texts:
        words = text.get_text().replace("\n", " ↵ ")
        if text.get_visible() and LETTER.search(words.replace("mathdefault", "")):
            yield words


def record_of(figure):
    """A picture's record: a line for each part that has words."""
    parts = [("over all", figure.texts)]
    parts += [("legend", legend.get_texts()) for legend in figure.legends]
    for number, ax in enumerate(figure.axes, 1):
        parts += [(f"panel {number}, {part}", texts) for part, texts in parts_of(ax)]
    for part, texts in parts:
        words = " | ".join(words_of(texts))
        if words:
            yield textwrap.fill(f"{part}: {words}", 88, subsequent_indent="  ")


def test_what_stands_in_the_pictures_is_what_is_recorded(path, ran, file_regression):
    page = []
    for name, what in ran.cell.items():
        if isinstance(what, explorer.Explorer):
            what.live.paint(what.start)
        figure = getattr(what, "live", what).canvas.figure
        page.append("\n".join([f"# {name}", *record_of(figure), ""]))
    file_regression.check("\n".join(page), basename=path.stem, encoding="utf-8")
