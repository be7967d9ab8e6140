"""Runs a chapter in this process and keeps what its cells show, for tests."""

import contextlib
import functools
import time
from types import SimpleNamespace
from unittest.mock import patch

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import exercises
import explorer
from tools.chapters import NOTEBOOKS, cells, texts_of


@functools.cache
def run_chapter(path):
    """All cells of a chapter, run as a kernel runs them.

    Returns
    -------
    namespace
        `names`: what the cells define; `cell`: the figure or the explorer that a cell
        shows, or a question when it is answered, by its id; `said`: the words that it
        puts out; `seconds` of computing.
    """
    InteractiveShell.clear_instance()  # what ran before keeps its own names
    shell = InteractiveShell.instance()
    shown, said = {}, {}
    picture, explore = explorer.picture, explorer.explore

    def picture_and_keep(fig, alt):
        data = picture(fig, alt)  # only now have the ticks their labels
        shown.setdefault(cell.id, fig)
        return data

    def explore_and_keep(*arguments, **controls):
        panel = explore(*arguments, **controls)
        shown.setdefault(cell.id, panel)
        return panel

    began = time.process_time()
    with (
        contextlib.chdir(NOTEBOOKS),
        shell.display_trap,
        patch.object(explorer, "picture", picture_and_keep),
        patch.object(exercises, "picture", picture_and_keep),
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
