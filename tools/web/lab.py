"""A JupyterLab in a browser, for tests and bench."""

import json
import os
import sys

import nbformat

from tools.execute import ONE_THREAD, TRANSPORT
from tools.web.served import served

# In the page: `cells()` tells what the notebook holds, `todo()` what has not run.
SCRIPT = """
window.panel = () => window.jupyterapp?.shell.currentWidget;
window.models = () => [...panel()?.content?.model?.cells ?? []];
window.state = () =>
  panel()?.context?.isReady && panel().sessionContext.session?.kernel?.status;
window.cells = () => models().map(cell => cell.outputs?.toJSON() ?? []);
window.todo = () => models().filter(
  cell => cell.type === 'code' && cell.executionCount === null);
window.failed = () => models().some(cell =>
  cell.outputs?.length && cell.outputs.get(cell.outputs.length - 1).type === 'error');
window.closeAll = () => {
  for (const widget of [...jupyterapp.shell.widgets('main')]) widget.dispose();
};
"""
OPEN = """async path => {
  await jupyterapp.restored;
  const notebook = await jupyterapp.commands.execute('docmanager:open', {path});
  jupyterapp.shell.activateById(notebook.id);
}"""
SHUTDOWN = "window.jupyterapp?.serviceManager.sessions.shutdownAll()"
# Asked in the page: all outputs of a chapter are megabytes.
COMPLAINTS = """() => cells().flat().filter(
  output => output.output_type === 'error' || output.name === 'stderr')"""
# JupyterLab draws a cell only where it can be seen.
SCROLL = """async i => {
  await panel().content.scrollToItem(i);
  panel().content.widgets[i].node.dataset.seen = i;
}"""


def jupyter_lab(folder, env=None):
    """A JupyterLab that asks nothing of its user; `env` reaches its kernels."""
    settings = folder / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    news = settings / "notification.jupyterlab-settings"
    news.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}))
    # JupyterLab in other versions: noxfile.py
    python = os.environ.get("LAB_PYTHON", sys.executable)
    return served(
        folder,
        python,
        "-m",
        "jupyterlab",
        "--IdentityProvider.token=course",
        "--LabApp.extension_manager=readonly",
        f"--KernelManager.transport={TRANSPORT}",
        "--LabApp.expose_app_in_browser=True",
        env={**ONE_THREAD, **(env or {})},
    )


def empty(page):
    """JupyterLab with no notebook open and nothing complained about."""
    page.set_viewport_size({"width": 1400, "height": 1000})
    page.evaluate("closeAll()")
    page.evaluate(SHUTDOWN)
    page.faults.clear()
    return page


def open_notebook(page, name):
    page.evaluate(OPEN, name)
    page.wait_for_function("state() === 'idle'", timeout=120_000)


def run_all_cells(page):
    """Run the notebook that is open from the menu."""
    page.click(".lm-MenuBar >> text=Run")
    page.click(".lm-Menu >> text=Run All Cells >> visible=true")
    page.wait_for_function("todo().length > 0", polling=50)
    done = "state() === 'idle' && (todo().length === 0 || failed())"
    page.wait_for_function(done, polling=200, timeout=240_000)


def run_all(page, name):
    """Open a notebook and run all its cells; none may complain."""
    open_notebook(page, name)
    run_all_cells(page)
    assert page.evaluate(COMPLAINTS) == []


def run_in_lab(page, name, committed):
    """A notebook as it has run from the menu of JupyterLab, where it stays open."""
    open_notebook(page, name)
    run_all_cells(page)
    nb = nbformat.from_dict(committed)
    for cell, outputs in zip(nb.cells, page.evaluate("cells()"), strict=True):
        if cell.cell_type == "code":
            cell.outputs = nbformat.from_dict(outputs)
    return nb


def scroll_to(page, index):
    """A cell, once JupyterLab has drawn it."""
    page.evaluate(SCROLL, index)
    return page.locator(f'[data-seen="{index}"]')


def show_cell(page, index):
    """The cell of an explorer, with its output at the top of the page."""
    cell = scroll_to(page, index)
    cell.locator(".noUi-handle, .widget-toggle-button").first.wait_for()
    cell.locator(".jp-OutputArea").first.evaluate("area => area.scrollIntoView(true)")
    return cell
