"""A JupyterLab in a browser, for tests and bench."""

import contextlib
import json
import os
import sys

import nbformat
from chapters import calls
from execute import ONE_THREAD, WIDGET_VIEW, Kernel
from served import (
    drag,
    picture,
    served,
    settled,
    wait_for_change,
    wait_for_picture,
)

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
HEARD = """cell => {
  const all = selector => [...cell.querySelectorAll(selector)];
  return {
    seen: all('.widget-hslider').map(slider =>
      ['.widget-label', '.widget-readout'].map(
        part => slider.querySelector(part).innerText)),
    told: all('.noUi-handle').map(handle =>
      ['aria-label', 'aria-valuetext'].map(name => handle.getAttribute(name))),
    sentence: cell.querySelector('.explorer-words [aria-live=polite]').textContent,
    alt: cell.querySelector('.widget-image').alt,
  };
}"""
WIDER = """node => [...node.querySelectorAll('mjx-math')]
  .filter(formula => formula.getBoundingClientRect().right
    > node.getBoundingClientRect().right)
  .map(formula => formula.textContent)"""


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
    page.click("text=Run >> visible=true")
    page.click("text=Run All Cells >> visible=true")
    page.wait_for_function("todo().length > 0", polling=50)
    done = "state() === 'idle' && (todo().length === 0 || failed())"
    page.wait_for_function(done, polling=200, timeout=240_000)


def run_all(page, name):
    """Open a notebook and run all its cells; none may complain."""
    open_notebook(page, name)
    run_all_cells(page)
    assert page.evaluate(COMPLAINTS) == []


@contextlib.contextmanager
def running_in_lab(page, folder, name, committed, before):
    """As `running`, but by the menu of JupyterLab, where the notebook stays open."""
    open_notebook(page, name)
    session = page.evaluate("panel().sessionContext.session.kernel.id")
    connection = folder / f"runtime/kernel-{session}.json"
    with contextlib.closing(Kernel(connection)) as kernel:
        kernel.run(before)
        run_all_cells(page)
        if page.evaluate("failed()"):
            raise RuntimeError(f"{name} stopped: {page.evaluate(COMPLAINTS)}")
        nb = nbformat.from_dict(committed)
        for cell, outputs in zip(nb.cells, page.evaluate("cells()"), strict=True):
            if cell.cell_type == "code":
                cell.outputs = nbformat.from_dict(outputs)
        yield nb, kernel


def scroll_to(page, index):
    """A cell, once JupyterLab has drawn it."""
    page.evaluate(SCROLL, index)
    return page.locator(f'[data-seen="{index}"]')


def show_cell(page, index):
    """The cell of an explorer, with its output at the top of the page."""
    cell = scroll_to(page, index)
    cell.locator(".noUi-handle").first.wait_for()
    cell.locator(".jp-OutputArea").first.evaluate("area => area.scrollIntoView(true)")
    return cell


def heard(cell):
    """What a screen reader says of the explorer in a cell: sentence and alt text."""
    heard = cell.evaluate(HEARD)
    assert heard["told"] == heard["seen"], "a slider is announced as another"
    assert heard["sentence"] and heard["alt"].strip()
    return heard["sentence"], heard["alt"]


def move_every_slider(page, cell, index):
    """By a key, and one by mouse; the picture follows, and what is said of it.

    With handles: Playwright looks through the whole page for each use of a locator.
    """
    cell = cell.element_handle()
    first = now = picture(cell)
    start, alt = heard(cell)
    said = set()

    def follows(why, quiet):
        nonlocal now
        wait_for_change(cell, now, f"{why} of cell {index} changes nothing")
        now = settled(cell, quiet)
        sentence, picture_of = heard(cell)
        assert picture_of == f"{sentence} At the start: {alt}"
        said.add(sentence)

    handles = cell.query_selector_all(".noUi-handle")
    for handle in handles:
        handle.press("ArrowRight" if position(handle) < 1 else "ArrowLeft")
        follows(f"a key on {handle.get_attribute('aria-label')}", quiet=0.1)
    track = cell.query_selector(".noUi-base").bounding_box()["width"]
    way = 0.6 if position(handles[0]) < 0.5 else -0.6
    drag(page, handles[0], way * track)
    follows("a drag", quiet=0.4)
    assert said - {start}, "the sentence stays what it was"
    cell.query_selector("button:has-text('Reset')").click()
    wait_for_picture(cell, first, f"cell {index}: Reset leads elsewhere")


def position(handle):
    """Where a handle stands on its track, from 0 to 1."""
    names = "aria-valuemin", "aria-valuenow", "aria-valuemax"
    low, now, high = (float(handle.get_attribute(name)) for name in names)
    return (now - low) / (high - low)


def formulas_that_do_not_fit(page, nb, width=1280):
    """Formulas that are wider than a page of this width; each must be typeset."""
    page.set_viewport_size({"width": width, "height": 1000})
    wide = []
    for i, cell in enumerate(nb.cells):
        prose = cell.source if cell.cell_type == "markdown" else ""
        is_latex = any(
            "text/latex" in o.get("data", {}) for o in cell.get("outputs", ())
        )
        if is_latex or "$" in prose.partition("<details>")[0]:  # folded ones are unseen
            shown = scroll_to(page, i)
            shown.locator("mjx-math").first.wait_for(state="attached")
            wide += [f"cell {i}: {text}" for text in shown.evaluate(WIDER)]
    return wide


def use_every_slider(page, nb):
    """Move all sliders of a chapter that has run; look at formulas and complaints."""
    explorers = [i for i, cell in enumerate(nb.cells) if calls("explore", cell)]
    views = [
        (i, len(cell.outputs))
        for i, cell in enumerate(nb.cells)
        for output in cell.get("outputs", ())
        if WIDGET_VIEW in output.get("data", {})
    ]
    assert views == [(i, 1) for i in explorers], "an explorer is not all that is shown"
    for index in explorers:
        cell = show_cell(page, index)
        move_every_slider(page, cell, index)
        assert cell.locator("[role=alert]").count() == 0
    assert page.get_by_text("Loading widget").count() == 0
    assert formulas_that_do_not_fit(page, nb) == []
    assert page.evaluate(COMPLAINTS) == []
