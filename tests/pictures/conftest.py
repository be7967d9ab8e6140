"""Chapters run in this process: what their cells show stays at hand for tests."""

import contextlib
import functools
import io
import time
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import explorer
from tools.chapters import CHAPTERS, NOTEBOOKS, cells, words_of


@functools.cache
def run_chapter(path):
    """All cells of a chapter, run in one namespace as a kernel runs them.

    Returns
    -------
    namespace
        `names`: what the cells define; `cell`: the figure or the explorer that a cell
        shows, by its id; `said`: the words that it puts out; `seconds` of computing.
    """
    names, shown = {"__name__": "__main__"}, {}
    show, explore = explorer.show, explorer.explore

    def show_and_keep(fig, alt):
        show(fig, alt)  # only now have the ticks their labels
        FigureCanvasAgg(fig)  # pyplot has taken its own away
        shown.setdefault(cell.id, fig)

    def explore_and_keep(*arguments, **controls):
        panel = explore(*arguments, **controls)
        panel.canvas = panel.live.canvas  # tests of pictures ask for these two often
        panel.sentence_at = panel.live.sentence_at
        shown.setdefault(cell.id, panel)
        return panel

    began = time.process_time()
    with (
        contextlib.chdir(NOTEBOOKS),
        contextlib.redirect_stdout(io.StringIO()),
        patch.object(explorer, "show", show_and_keep),
        patch.object(explorer, "explore", explore_and_keep),
    ):
        for cell in cells(path, "code"):
            exec(compile(cell.source, f"{path.stem}, {cell.id}", "exec"), names)
    return SimpleNamespace(
        names=names,
        cell=shown,
        said={cell.id: words_of(cell) for cell in cells(path, "code")},
        seconds=time.process_time() - began,
    )


@pytest.fixture(scope="module")
def chapter(request):
    """The chapter of a file such as test_chapter_04.py: what it defines and shows."""
    number = request.path.stem.rpartition("_")[2]
    (path,) = (path for path in CHAPTERS if path.stem.startswith(number))
    ran = run_chapter(path)
    return SimpleNamespace(**ran.names, cell=ran.cell, said=ran.said)
