"""Runs a chapter in this process and keeps what its cells show, for tests."""

import contextlib
import functools
import time
from types import SimpleNamespace

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from course.explorer import PANELS
from course.pictures import listeners
from tools.chapters import NOTEBOOKS, cells, texts_of


@functools.cache
def run_chapter(path):
    """All cells of a chapter, run as a kernel runs them.

    Returns
    -------
    namespace
        `names`: what the cells define; `cell`: the figure or the explorer that a cell
        shows, or a question when it is answered, by its id; `displayed`: what it puts
        out; `said`: the words in them; `seconds` of computing.
    """
    InteractiveShell.clear_instance()  # what ran before keeps its own names
    shell = InteractiveShell.instance()
    shown, displayed, said = {}, {}, {}

    def keep(fig):
        shown.setdefault(cell.id, fig)

    began = time.process_time()
    with contextlib.chdir(NOTEBOOKS), shell.display_trap, contextlib.ExitStack() as end:
        listeners.append(keep)
        end.callback(listeners.remove, keep)
        for cell in cells(path, "code"):
            before = {*PANELS}
            with capture_output() as put_out:
                ran = shell.run_cell(cell.source)
            ran.raise_error()
            for model, panel in PANELS.items():
                if model not in before:
                    shown.setdefault(cell.id, panel)
            displayed[cell.id] = [vars(output) for output in put_out.outputs]
            texts = [texts_of(output["data"]) for output in displayed[cell.id]]
            said[cell.id] = "\n".join(filter(None, sum(texts, [put_out.stdout])))
    return SimpleNamespace(
        names=dict(shell.user_ns),
        cell=shown,
        displayed=displayed,
        said=said,
        seconds=time.process_time() - began,
    )
