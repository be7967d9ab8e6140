"""Execute notebooks in fresh kernels and save them with outputs: python tools/execute.py NOTEBOOK…

What differs from run to run or from machine to machine is left out, so that a diff shows
what a reader sees: no widget state, no times, no version of Python.
"""
import os
import re
import sys
from pathlib import Path

import matplotlib
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
CALL = re.compile(r"(predict|explore|show)\(")  # what these show is for the reader, not the call
METADATA = {
    "matplotlib": ".".join(matplotlib.__version__.split(".")[:2]),  # another version draws other pictures
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def execute(notebook, cwd=None, env=None, before="", after=None):
    """Run a notebook top to bottom in a fresh kernel.

    Parameters
    ----------
    notebook : path or NotebookNode
        A node is left as it was.
    cwd : path, optional
        Where the kernel runs; a notebook's own folder unless given.
    env : dict, optional
        Environment variables that the kernel gets on top of the present ones.
    before : str
        Code that the kernel runs first; it leaves no trace in the notebook.
    after : callable, optional
        `after(nb, run)` sees the outputs before widget views are dropped, while the kernel lives:
        `run(code)` runs code there and returns what it prints.

    Returns
    -------
    NotebookNode with outputs, ready to be saved.

    Raises
    ------
    RuntimeError
        At the first cell that fails, with its index and source.
    """
    if isinstance(notebook, (str, Path)):
        cwd, notebook = cwd or Path(notebook).resolve().parent, nbformat.read(notebook, as_version=4)
    nb = nbformat.from_dict(notebook)
    client = NotebookClient(
        nb, timeout=600, kernel_name="python3", record_timing=False, store_widget_state=False,
        coalesce_streams=True, resources={"metadata": {"path": str(cwd or ".")}},
        extra_arguments=["--log-level=ERROR"],  # else a word on encryption, for a kernel on loopback
    )

    def run(source):
        nb.cells.append(nbformat.v4.new_code_cell(source))
        try:
            printed = client.execute_cell(nb.cells[-1], len(nb.cells) - 1).outputs
        except CellExecutionError as error:
            raise RuntimeError(f"{error.ename}: {error.evalue}") from None
        finally:
            nb.cells.pop()
        return "".join(output.text for output in printed if output.get("name") == "stdout")

    # One thread: on a busy machine the threads of a matrix product wait for each other, and it takes minutes.
    with client.setup_kernel(env={"OMP_NUM_THREADS": "1", **os.environ, **(env or {})}):
        run(before)
        for index, cell in enumerate(nb.cells):
            try:
                client.execute_cell(cell, index)
            except CellExecutionError as error:
                reason = re.sub(r"\x1b\[[\d;]*m", "", error.traceback)
                raise RuntimeError(f"cell {index} failed:\n{cell.source}\n\n{reason}") from None
        if after:
            after(nb, run)
    nb.metadata = nbformat.from_dict({**nb.metadata, **METADATA})
    nb.metadata.pop("widgets", None)
    for count, cell in enumerate((cell for cell in nb.cells if cell.cell_type == "code"), 1):
        cell.metadata.pop("execution", None)
        if CALL.match(cell.source):  # nbconvert, as it comes, then leaves the source out of slides and pages
            cell.metadata["transient"] = {"remove_source": True}
        cell.execution_count = count
        for output in cell.outputs:
            output.get("data", {}).pop(WIDGET_VIEW, None)
            if output.output_type == "execute_result":
                output.execution_count = count
    return nb


def save(nb, path):
    """Write a notebook whole or not at all."""
    draft = Path(path).with_suffix(".part")
    draft.write_text(nbformat.writes(nb).rstrip("\n") + "\n", encoding="utf-8", newline="\n")
    draft.replace(path)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        try:
            save(execute(name), name)
            print(f"{name}: executed")
        except RuntimeError as error:
            sys.exit(f"{name}, {error}")
