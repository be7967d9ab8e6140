"""Execute notebooks in fresh kernels and save them with their outputs.

    python -m tools.execute [NUMBER …]

What differs from run to run or from machine to machine is left out, so that a diff
shows what a reader sees: no widget state, no times, no version of Python.
"""

import contextlib
import json
import os
import re
import sys
import tempfile
from pathlib import Path

import matplotlib
import nbformat
from jupyter_client import BlockingKernelClient
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from traitlets.config import Config

from tools.chapters import NOTEBOOKS, ROOT, is_call, named

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
METADATA = {
    # another version draws other pictures
    "matplotlib": ".".join(matplotlib.__version__.split(".")[:2]),
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {  # by which nbconvert makes a .py
        "name": "python",
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
    },
}
# On a busy machine the threads of a matrix product wait for each other, for minutes.
ONE_THREAD = {"OMP_NUM_THREADS": "1"}
# Kernels that start side by side may be given the same port; a socket file is theirs.
TRANSPORT = "tcp" if os.name == "nt" else "ipc"


class Kernel:
    """A second line to the kernel of a notebook, beside that of nbclient or JupyterLab.

    The kernel finds our own modules: render.frames.

    Parameters
    ----------
    connection_file : path

    Attributes
    ----------
    noise : list of str
        What the code that was run here wrote to stderr.
    """

    def __init__(self, connection_file):
        self.noise = []
        self._client = BlockingKernelClient()
        self._client.load_connection_file(str(connection_file))
        self._client.start_channels()
        self._client.wait_for_ready(timeout=60)
        self.run(f"__import__('sys').path.insert(0, {str(ROOT)!r})")

    def run(self, source):
        """Run code; returns what it prints, and leaves no trace in the notebook."""
        printed = {"stdout": "", "stderr": ""}

        def listen(message):
            if message["msg_type"] == "stream":
                printed[message["content"]["name"]] += message["content"]["text"]

        reply = self._client.execute_interactive(
            source, store_history=False, output_hook=listen, timeout=600
        )["content"]
        if reply["status"] == "error":
            raise RuntimeError(f"{reply['ename']}: {reply['evalue']}")
        if printed["stderr"]:
            self.noise.append(printed["stderr"])
        return printed["stdout"]

    def call(self, module, function, *arguments):
        """Call a function of a module here; returns its result, by way of JSON."""
        imported = f"__import__('importlib').import_module({module!r})"
        call = f"{imported}.{function}(*{arguments!r})"
        return json.loads(self.run(f"print(__import__('json').dumps({call}))"))

    def close(self):
        self._client.stop_channels()


@contextlib.contextmanager
def running(notebook, folder, env=None, before=""):
    """Run a copy of a notebook from top to bottom in a fresh kernel.

    Parameters
    ----------
    notebook : NotebookNode
    folder : path
        Where the kernel runs.
    env : dict, optional
        Environment variables that the kernel gets on top of the present ones.
    before : str
        Code that the kernel runs first; it leaves no trace in the notebook.

    Yields
    ------
    nb : NotebookNode
        With its outputs, for `cleaned`.
    kernel : Kernel
        While it lives.

    Raises
    ------
    RuntimeError
        At the first cell that fails, with its id and source.
    """
    nb = nbformat.from_dict(notebook)
    own = tempfile.TemporaryDirectory()
    manager = {"transport": TRANSPORT, "connection_file": f"{own.name}/kernel.json"}
    client = NotebookClient(
        nb,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
        # without it, the kernel warns that its line is not encrypted
        extra_arguments=["--log-level=ERROR"],
        config=Config({"KernelManager": manager}),
    )
    with (
        own,
        client.setup_kernel(env={**ONE_THREAD, **os.environ, **(env or {})}),
        contextlib.closing(Kernel(client.km.connection_file)) as kernel,
    ):
        kernel.run(before)
        for index, cell in enumerate(nb.cells):
            try:
                client.execute_cell(cell, index)
            except CellExecutionError as error:
                reason = re.sub(r"\x1b\[[\d;]*m", "", error.traceback)
                raise RuntimeError(
                    f"cell {cell.id} failed:\n{cell.source}\n\n{reason}"
                ) from None
        yield nb, kernel


def execute(path):
    """The notebook of a file with fresh outputs, ready to be saved."""
    notebook = nbformat.read(path, as_version=4)
    with running(notebook, Path(path).resolve().parent) as (nb, _):
        return cleaned(nb)


def save_executed(path):
    """Execute a notebook and save it; if a cell fails, its file stays as it was."""
    write_whole(path, nbformat.writes(execute(path)).rstrip("\n") + "\n")


def cleaned(nb):
    """The notebook without what differs from run to run."""
    nb.metadata = nbformat.from_dict({**nb.metadata, **METADATA})
    nb.metadata.pop("widgets", None)
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    for count, cell in enumerate(code, 1):
        cell.metadata.pop("execution", None)
        folded = cell.metadata.get("jupyter", {}).get("source_hidden")
        if is_call(cell) or (folded and cell.outputs):
            # nbconvert, as it comes, then leaves the source out of slides and pages
            cell.metadata["transient"] = {"remove_source": True}
        cell.execution_count = count
        for output in cell.outputs:
            output.get("data", {}).pop(WIDGET_VIEW, None)
            if output.output_type == "execute_result":
                output.execution_count = count
    return nb


def write_whole(path, text):
    """Write a file whole or not at all."""
    draft = Path(path).with_suffix(".part")
    draft.write_text(text, encoding="utf-8", newline="\n")
    draft.replace(path)


if __name__ == "__main__":
    for path in named(sys.argv[1:], among=sorted(NOTEBOOKS.glob("*.ipynb"))):
        try:
            save_executed(path)
        except RuntimeError as error:
            sys.exit(f"{path.name}, {error}")
        print(f"{path.name}: executed")
