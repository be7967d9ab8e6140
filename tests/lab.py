"""A JupyterLab in a browser: what its tests and a chapter's run in it share."""

import json
import os
import sys
import time

import nbformat
from chapters import calls
from execute import ONE_THREAD, WIDGET_VIEW, Kernel, cleaned
from jupyter_client import BlockingKernelClient
from served import (
    drag,
    picture,
    screenshot,
    served,
    settled,
    wait_for_change,
    wait_for_picture,
)

# In the page: `cells()` tells what the notebook holds, `todo()` what has not run.
SCRIPT = """
window.panel = () => window.jupyterapp?.shell.currentWidget;
window.state = () =>
  panel()?.context?.isReady && panel().sessionContext.session?.kernel?.status;
window.cells = () => [...panel()?.content?.model?.cells ?? []].map(cell => ({
  code: cell.type === 'code',
  count: cell.executionCount,
  outputs: cell.outputs?.toJSON() ?? [],
}));
window.todo = () => [...panel().content.model.cells].filter(
  cell => cell.type === 'code' && cell.executionCount === null);
window.failed = () => [...panel().content.model.cells].some(cell =>
  cell.outputs?.length && cell.outputs.get(cell.outputs.length - 1).type === 'error');
"""
OPEN = """async path => {
  await jupyterapp.restored;
  const notebook = await jupyterapp.commands.execute('docmanager:open', {path});
  jupyterapp.shell.activateById(notebook.id);
}"""
CLOSE = """() => {
  for (const widget of [...jupyterapp.shell.widgets('main')]) widget.dispose();
}"""
CLOSE_ALL = """async () => {
  for (const widget of [...jupyterapp.shell.widgets('main')]) widget.dispose();
  await jupyterapp.serviceManager.sessions.shutdownAll();
}"""
SHUTDOWN = "window.jupyterapp?.serviceManager.sessions.shutdownAll()"
# Asked in the page: all outputs of a chapter are megabytes.
COMPLAINTS = """() => cells().flatMap(cell => cell.outputs)
  .filter(output => output.output_type === 'error' || output.name === 'stderr')"""
TYPES = (
    "cells().map(cell => cell.outputs.map(output => Object.keys(output.data ?? {})))"
)
WHERE_MATH = """() => [...panel().content.model.cells].map(cell => ({
  text: cell.type === 'markdown' ? cell.sharedModel.source : '',
  latex: (cell.outputs?.toJSON() ?? []).some(o => 'text/latex' in (o.data ?? {})),
}))"""
# The formulas of a chapter that stick out of their cell, and those still in TeX.
FORMULAS = """async indices => {
  const faults = [];
  for (const i of indices) {
    await panel().content.scrollToItem(i);
    const node = panel().content.widgets[i].node;
    for (let tries = 0; tries < 50 && !node.querySelector('mjx-math'); tries++)
      await new Promise(resolve => setTimeout(resolve, 50));
    const right = node.getBoundingClientRect().right;
    const formulas = [...node.querySelectorAll('mjx-math')];
    if (!formulas.length) faults.push(`cell ${i} has no typeset formula`);
    for (const formula of formulas)
      if (formula.getBoundingClientRect().right > right)
        faults.push(`cell ${i}: ${formula.textContent}`);
  }
  return faults;
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
        "--LabApp.expose_app_in_browser=True",
        env={**ONE_THREAD, **(env or {})},
    )


class LabKernel(Kernel):
    """The kernel of the notebook that is open in JupyterLab."""

    def __init__(self, page, folder):
        self.noise = []
        name = page.evaluate("panel().sessionContext.session.kernel.id")
        self.client = BlockingKernelClient()
        self.client.load_connection_file(str(folder / f"runtime/kernel-{name}.json"))
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def run(self, source):
        streams = {"stdout": "", "stderr": ""}

        def listen(message):
            if message["msg_type"] == "stream":
                streams[message["content"]["name"]] += message["content"]["text"]

        reply = self.client.execute_interactive(
            source, store_history=False, output_hook=listen, timeout=600
        )["content"]
        if reply["status"] == "error":
            raise RuntimeError(f"{reply['ename']}: {reply['evalue']}")
        return self.heard(streams)

    def leave(self):
        self.client.stop_channels()


def saved(page, committed):
    """The notebook as it would be saved from JupyterLab now, with its widget views."""
    nb = nbformat.from_dict(committed)
    for cell, shown in zip(nb.cells, page.evaluate("cells()"), strict=True):
        if cell.cell_type == "code":
            cell.outputs = nbformat.from_dict(shown["outputs"])
    return nb


def execute_in_lab(page, folder, path, committed, before, after, sliders):
    """As `execute`, but by the menu of JupyterLab; then `sliders(page)` are moved."""
    open_notebook(page, path.name)
    kernel = LabKernel(page, folder)
    kernel.run(before)
    run_all_cells(page)
    if page.evaluate("failed()"):
        raise RuntimeError(f"{path.name} stopped: {complaints(page)}")
    nb = saved(page, committed)
    kernel.seconds = kernel.cpu_seconds()  # the sliders are not counted
    sliders(page)
    page.evaluate(CLOSE)
    after(nb, kernel)
    kernel.leave()
    return cleaned(nb)


def empty(page):
    """JupyterLab with no notebook open and nothing complained about."""
    page.set_viewport_size({"width": 1400, "height": 1000})
    page.evaluate(CLOSE_ALL)
    page.faults.clear()
    return page


def open_notebook(page, name):
    page.evaluate(OPEN, name)
    page.wait_for_function("state() === 'idle'", timeout=120_000)


def run_all(page, name):
    """Open a notebook and run all its cells from the menu."""
    open_notebook(page, name)
    run_all_cells(page)
    assert complaints(page) == []


def run_all_cells(page):
    page.click("text=Run >> visible=true")
    page.click("text=Run All Cells >> visible=true")
    page.wait_for_function("todo().length > 0", polling=50)
    done = "state() === 'idle' && (todo().length === 0 || failed())"
    page.wait_for_function(done, polling=200, timeout=240_000)


def complaints(page):
    """Outputs that are an error or a warning."""
    return page.evaluate(COMPLAINTS)


def formulas_that_do_not_fit(page, width=1280):
    """Formulas that are wider than a page of this width, or not typeset."""
    page.set_viewport_size({"width": width, "height": 1000})
    with_math = [
        i
        for i, cell in enumerate(page.evaluate(WHERE_MATH))
        if cell["latex"] or "$" in cell["text"].partition("<details>")[0]  # not folded
    ]
    return page.evaluate(FORMULAS, with_math)


def show_cell(page, index):
    """Scroll to a cell, which JupyterLab draws only where it can be seen."""
    page.evaluate(
        "async i => { await panel().content.scrollToItem(i); "
        "panel().content.widgets[i].node.dataset.seen = i; }",
        index,
    )
    cell = page.locator(f'[data-seen="{index}"]')
    cell.locator(".noUi-handle").first.wait_for(timeout=20_000)
    cell.locator(".jp-OutputArea").first.evaluate(
        "outputs => outputs.scrollIntoView({block: 'start'})"
    )
    assert "Loading widget" not in cell.inner_text()
    return cell


def at_end(handle):
    now, last = (
        float(handle.get_attribute(name)) for name in ("aria-valuenow", "aria-valuemax")
    )
    return now >= last


# What a screen reader is given of an explorer: sliders, picture, sentence.
HEARD = """panel => ({
  sliders: [...panel.querySelectorAll('.widget-hslider')].map(slider => {
    const handle = slider.querySelector('.noUi-handle');
    return {
      name: handle.getAttribute('aria-label'),
      value: handle.getAttribute('aria-valuetext'),
      label: slider.querySelector('.widget-label').textContent,
      tooltip: slider.querySelector('.widget-label').title,
      readout: slider.querySelector('.widget-readout').textContent,
    };
  }),
  alt: panel.querySelector('.widget-image').alt,
  sentence: panel.querySelector('.explorer-words [aria-live=polite]').textContent,
})"""
SPOKEN = "panel => panel.querySelector('.explorer-words [aria-live=polite]') !== null"
WITHOUT_ALT = """async () => {
  const faults = [], cells = panel().content.widgets;
  for (let i = 0; i < cells.length; i++) {
    const outputs = JSON.stringify(cells[i].model.outputs?.toJSON() ?? []);
    if (!outputs.includes('<img ') && !outputs.includes('"image/png"')) continue;
    await panel().content.scrollToItem(i);
    await new Promise(resolve => setTimeout(resolve, 30));
    for (const image of cells[i].node.querySelectorAll('img'))
      if (!image.alt.trim()) faults.push(`cell ${i}: ${image.src.slice(0, 40)}`);
  }
  return faults;
}"""


def heard(cell):
    """What a screen reader is given of the explorer in a cell, once it is there."""
    panel = cell.locator(".explorer")
    deadline = time.monotonic() + 30
    while not panel.evaluate(SPOKEN):
        assert time.monotonic() < deadline, "nothing is said"
        time.sleep(0.1)
    return panel.evaluate(HEARD)


def speechless(cell):
    """What those who cannot see the explorer in a cell would miss."""
    told = heard(cell)
    faults = []
    for slider in told["sliders"]:
        if not slider["name"] == slider["tooltip"] == slider["label"]:
            faults.append(f"the slider {slider['label']} is called {slider}")
        if slider["value"] != slider["readout"]:
            faults.append(f"{slider['readout']} is announced as {slider['value']}")
    if not told["sentence"] or not told["alt"].strip():
        faults.append(f"said: {told['sentence']!r}, alt {told['alt']!r}")
    return faults


def move_every_slider(page, cell, index):
    """By keys and by mouse; the picture follows, and so does what is said of it."""
    first = now = picture(cell)
    assert speechless(cell) == []
    start = heard(cell)
    said = set()
    handles = cell.locator(".noUi-handle")
    assert handles.count() > 0
    for i in range(handles.count()):
        handle = handles.nth(i)
        track = cell.locator(".noUi-base").nth(i).bounding_box()["width"]
        why = f"slider {i} of cell {index}: {{}} changes nothing"
        last = at_end(handle)
        handle.focus()
        for key in ["ArrowLeft", "ArrowRight"] if last else ["ArrowRight", "ArrowLeft"]:
            page.keyboard.press(key)
            now = wait_for_change(cell, now, why.format(key))
        drag(page, handle, -0.6 * track if last else 0.6 * track)
        wait_for_change(cell, now, why.format("a drag"))
        now = settled(cell)
        assert speechless(cell) == []
        said.add(heard(cell)["sentence"])
    assert said - {start["sentence"]}, "the sentence stays what it was"
    told = heard(cell)
    assert told["alt"] == f"{told['sentence']} At the start: {start['alt']}"
    cell.get_by_role("button", name="Reset").click()
    wait_for_picture(cell, first, f"cell {index}: Reset leads elsewhere")


def use_every_slider(page, path, nb):
    """Move all sliders of a chapter that has run; what it shows, it also says."""
    explorers = [i for i, cell in enumerate(nb.cells) if calls("explore", cell)]
    shown = page.evaluate(TYPES)
    live = [i for i, types in enumerate(shown) if any(WIDGET_VIEW in t for t in types)]
    assert live == explorers
    assert all(len(shown[i]) == 1 for i in explorers)
    for index in explorers:
        cell = show_cell(page, index)
        screenshot(page, f"{path.stem}-{index}-start")
        move_every_slider(page, cell, index)
        screenshot(page, f"{path.stem}-{index}-reset")
        assert cell.locator(".jp-OutputArea-child:not(.explorer *)").count() == 1
        assert cell.locator("[role=alert]").count() == 0
    assert page.get_by_text("Loading widget").count() == 0
    assert formulas_that_do_not_fit(page) == []
    assert page.evaluate(WITHOUT_ALT) == []
    assert complaints(page) == []
