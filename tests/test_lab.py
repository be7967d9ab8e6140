"""A student relies on this: in JupyterLab every slider of every chapter answers."""

import json
import os
import sys
import time
import urllib.request

import nbformat
import psutil
import pytest
from chapters import CHAPTERS, EACH_CHAPTER, calls
from execute import METADATA, WIDGET_VIEW
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from served import (
    drag,
    picture,
    screenshot,
    served,
    settled,
    wait_for_change,
    wait_for_picture,
    watched_page,
)

pytestmark = pytest.mark.browser

# In the page: `cells()` tells what the notebook's model holds.
SCRIPT = """
window.panel = () => window.jupyterapp?.shell.currentWidget;
window.state = () =>
  panel()?.context?.isReady && panel().sessionContext.session?.kernel?.status;
window.cells = () => [...panel()?.content?.model?.cells ?? []].map(cell => ({
  code: cell.type === 'code',
  count: cell.executionCount,
  outputs: cell.outputs?.toJSON() ?? [],
}));
"""
SHUTDOWN = "window.jupyterapp?.serviceManager.sessions.shutdownAll()"
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
BENCH = [
    """
import io
import ipywidgets
import numpy as np
from IPython.display import display
from PIL import Image
from explorer import explore
""",
    """
slider, image = ipywidgets.SelectionSlider(options=range(100)), ipywidgets.Image()
image.add_class("widget-image")
def answer(change=None):
    file = io.BytesIO()
    Image.new("L", (60, 60), slider.value).save(file, "png")
    image.value = file.getvalue()
slider.observe(answer, "value")
answer()
display(ipywidgets.VBox([slider, image]))
""",
    """
def wave(fig):
    x = np.linspace(0, 20, 500)
    curve, = fig.subplots().plot(x, np.sin(x))
    def update(k=0):
        curve.set_ydata(np.sin(x + k / 10))
        return f"The wave is {k} tenths ahead."
    return update
explore(wave, alt="A wave", k=(0, 99, 1))
""",
    """
def brittle(fig):
    bar, = fig.subplots().bar([0], [1])
    def update(k=1):
        bar.set_height(1 / (k - 2) if k < 3 else 1 / k)
    return update
explore(brittle, alt="A bar", k=[1, 2, 3])
""",
]


def jupyter_lab(folder):
    """A JupyterLab that asks nothing of its user."""
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
    )


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with jupyter_lab(tmp_path_factory.mktemp("lab")) as server:
        yield server


@pytest.fixture
def page(chromium):
    with watched_page(chromium, SHUTDOWN, SCRIPT, quiet=True) as page:
        yield page


def run_all(page, lab, name):
    """Open a notebook and run all its cells from the menu."""
    page.goto(f"{lab.url}lab/tree/{name}?reset&token=course")
    page.wait_for_function("state() === 'idle'", timeout=60_000)
    page.click("text=Run >> visible=true")
    page.click("text=Run All Cells >> visible=true")
    page.wait_for_function("cells().some(cell => cell.code && cell.count === null)")
    page.wait_for_function(
        "state() === 'idle' && cells().every(cell => !cell.code || cell.count !== null)"
        " || cells().some(cell => cell.outputs.some(o => o.output_type === 'error'))",
        timeout=120_000,
    )
    assert complaints(page) == []


def complaints(page):
    """Outputs that are an error or a warning."""
    return [
        output
        for cell in page.evaluate("cells()")
        for output in cell["outputs"]
        if output["output_type"] == "error" or output.get("name") == "stderr"
    ]


def formulas_that_do_not_fit(page, width=1280):
    """Formulas that are wider than a page of this width, or not typeset."""
    page.set_viewport_size({"width": width, "height": 1000})
    cells = page.evaluate("panel().content.model.toJSON().cells")
    with_math = [
        i
        for i, cell in enumerate(cells)  # but for folded solutions
        if cell["cell_type"] == "markdown"
        and "$" in cell["source"].partition("<details>")[0]
        or any(
            "text/latex" in output.get("data", {}) for output in cell.get("outputs", [])
        )
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
    if (!cells[i].model.outputs?.length) continue;
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


@pytest.mark.parametrize("path", EACH_CHAPTER)
def test_every_slider_of_a_chapter_answers_to_keys_and_mouse(page, lab, path):
    nb = nbformat.read(path, as_version=4)
    explorers = [i for i, cell in enumerate(nb.cells) if calls("explore", cell)]
    run_all(page, lab, path.name)
    live = [
        i
        for i, cell in enumerate(page.evaluate("cells()"))
        if any(WIDGET_VIEW in output.get("data", {}) for output in cell["outputs"])
    ]
    assert live == explorers
    for index in explorers:
        cell = show_cell(page, index)
        screenshot(page, f"{path.stem}-{index}-start")
        move_every_slider(page, cell, index)
        screenshot(page, f"{path.stem}-{index}-reset")
        assert cell.locator(".jp-OutputArea-child:not(.explorer *)").count() == 1
        assert cell.locator("[role=alert]").count() == 0
        assert len(page.evaluate("cells()")[index]["outputs"]) == 1
    assert page.get_by_text("Loading widget").count() == 0
    assert formulas_that_do_not_fit(page) == []
    assert page.evaluate(WITHOUT_ALT) == []
    assert complaints(page) == []


def test_a_saved_notebook_shows_its_pictures_with_their_alt_texts(page, lab):
    """Opened from disk and not run: JupyterLab does not trust what it shows then."""
    path = CHAPTERS[0]
    page.goto(f"{lab.url}lab/tree/{path.name}?reset&token=course")
    page.wait_for_function("state() === 'idle'", timeout=60_000)
    assert page.evaluate(WITHOUT_ALT) == []
    pictures = "document.querySelectorAll('.jp-RenderedHTML img[alt]').length"
    assert page.evaluate(pictures) > 0


def test_a_formula_that_is_too_wide_or_not_typeset_is_noticed(page, lab):
    cells = [
        new_markdown_cell(
            "$$x = " + " + ".join(f"x_{{{i}}}" for i in range(80)) + "$$"
        ),
        new_markdown_cell("$x$"),
        new_markdown_cell("one $ alone"),
        new_code_cell("import time; time.sleep(1)"),
    ]
    nbformat.write(
        new_notebook(cells=cells, metadata=METADATA), lab.root / "wide.ipynb"
    )
    run_all(page, lab, "wide.ipynb")
    wide, raw = formulas_that_do_not_fit(page)
    assert wide.startswith("cell 0") and raw == "cell 2 has no typeset formula"


@pytest.fixture
def bench(page, lab):
    """A page with a blank picture, a wave and an explorer that cannot draw k = 2."""
    nb = new_notebook(
        cells=[new_code_cell(source.strip()) for source in BENCH], metadata=METADATA
    )
    nbformat.write(nb, lab.root / "bench.ipynb")
    run_all(page, lab, "bench.ipynb")
    return page


def test_a_long_drag_ends_on_its_last_picture(bench):
    cell = show_cell(bench, 2)
    handle, track = (
        cell.locator(".noUi-handle"),
        cell.locator(".noUi-base").bounding_box()["width"],
    )
    drag(bench, handle, 60 / 99 * track, steps=60, seconds=2)
    last = settled(cell)
    handle.focus()
    bench.keyboard.press("ArrowLeft")
    wait_for_change(cell, last, "the key changes nothing")
    bench.keyboard.press("ArrowRight")
    wait_for_picture(
        cell, last, "the drag did not end on the picture of its last value"
    )


def test_what_cannot_be_drawn_is_said_and_the_next_value_clears_it(bench):
    cell = show_cell(bench, 3)
    first, alert = picture(cell), cell.locator("[role=alert]")
    cell.locator(".noUi-handle").focus()
    bench.keyboard.press("ArrowRight")
    alert.wait_for()
    assert alert.inner_text() == "ZeroDivisionError: division by zero"
    assert picture(cell) == first
    bench.keyboard.press("ArrowRight")
    alert.wait_for(state="detached")
    wait_for_change(cell, first, "no new picture after an error")


def test_nothing_is_left_running(tmp_path):
    with jupyter_lab(tmp_path) as server:
        request = urllib.request.Request(
            f"{server.url}api/kernels",
            data=b"{}",
            method="POST",
            headers={"Authorization": "token course"},
        )
        with urllib.request.urlopen(request) as answer:
            assert answer.status == 201
        family = psutil.Process(server.process.pid).children(recursive=True)
        assert family
    assert server.process.poll() is not None
    assert psutil.wait_procs(family, timeout=5)[1] == []
