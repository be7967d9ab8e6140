"""Markdown, formulas and code of a chapter as the HTML of slides."""

from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from render.formulas import placeholder

CODE_LINE = 79  # letters


class Renderer(IPythonRenderer):
    """Markdown as nbconvert reads it; where formulas stand, they will be drawn."""

    def inline_math(self, body):
        return placeholder(body)

    def block_math(self, body):
        return placeholder(body, display=True)


def as_html(source):
    renderer = Renderer(escape=False, exclude_anchor_links=True)
    return MarkdownWithMath(renderer=renderer).render(source)


def latex_as_html(source):
    """What `prove` puts out: a formula between dollar signs."""
    return placeholder(source.strip("$ \n"), display=True)


def code_as_html(source, metadata):
    """Code in colours; the lines that carry the slide stand out.

    Where one is too long for letters of 24 px, a slide shows all in smaller ones.
    """
    is_long = max(map(len, source.splitlines()), default=0) > CODE_LINE
    name = "highlight long" if is_long else "highlight"
    marked = HtmlFormatter(cssclass=name, hl_lines=metadata.get("lines", ()))
    return highlight(source, PythonLexer(), marked)
