"""Chapters run in this process: what their cells show stays at hand for tests."""

import contextlib
import functools
import time
from types import SimpleNamespace
from unittest.mock import patch

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from matplotlib.backends.backend_agg import FigureCanvasAgg

import explorer
from tools.chapters import NOTEBOOKS, cells, texts_of


@functools.cache
def run_chapter(path):
    """All cells of a chapter, run as a kernel runs them.

    Returns
    -------
    namespace
        `names`: what the cells define; `cell`: the figure or the explorer that a cell
        shows, by its id; `said`: the words that it puts out; `seconds` of computing.
    """
    InteractiveShell.clear_instance()  # what ran before keeps its own names
    shell = InteractiveShell.instance()
    shown, said = {}, {}
    show, explore = explorer.show, explorer.explore

    def show_and_keep(fig, alt):
        show(fig, alt)  # only now have the ticks their labels
        FigureCanvasAgg(fig)  # pyplot has taken its own away
        shown.setdefault(cell.id, fig)

    def explore_and_keep(*arguments, **controls):
        panel = explore(*arguments, **controls)
        shown.setdefault(cell.id, panel)
        return panel

    began = time.process_time()
    with (
        contextlib.chdir(NOTEBOOKS),
        shell.display_trap,
        patch.object(explorer, "show", show_and_keep),
        patch.object(explorer, "explore", explore_and_keep),
    ):
        for cell in cells(path, "code"):
            with capture_output() as output:
                ran = shell.run_cell(cell.source)
            ran.raise_error()
            texts = sum((texts_of(out.data) for out in output.outputs), [output.stdout])
            said[cell.id] = "\n".join(filter(None, texts))
    return SimpleNamespace(
        names=dict(shell.user_ns),
        cell=shown,
        said=said,
        seconds=time.process_time() - began,
    )
