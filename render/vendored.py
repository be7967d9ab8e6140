"""Where reveal.js and MathJax lie: packages of slides/requirements.txt carry both."""

from importlib.metadata import distribution


def folder(package, inside):
    return distribution(package).locate_file(inside)


REVEAL = folder("sphinx-revealjs", "sphinx_revealjs/_static/revealjs")
MATHJAX = folder("sphinx-mathjax-offline", "sphinx-mathjax-offline/static/mathjax")
