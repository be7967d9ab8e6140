"""A student on Colab relies on this: sliders live with its ipywidgets 7, in its classic notebook."""
import contextlib
import json
import os
import socket
import subprocess
import time
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
import pytest
from chapters import CHAPTERS, calls, copy_of_notebooks
from environments import python_of, wanted
from playwright.sync_api import TimeoutError

NAME = [name for name in wanted() if name.startswith("colab")][-1]
# The widgets' extension comes some time after the notebook.
READY = """() => window.Jupyter?.notebook?._fully_loaded && Jupyter.notebook.kernel?.is_connected()
  && Jupyter.notebook.get_cells().some(cell =>
       cell.output_area?.mime_types().includes('application/vnd.jupyter.widget-view+json'))"""
RUN = "() => { Jupyter.notebook.clear_all_output(); Jupyter.notebook.execute_all_cells(); }"
DONE = """() => Jupyter.notebook.get_cells().every(cell =>
               cell.cell_type !== 'code' || typeof cell.input_prompt_number === 'number')"""
SHOWN = "n => document.querySelectorAll('.widget-image').length === n"
LOADED = "image => image.complete && image.naturalWidth > 0 ? image.src : null"


@pytest.fixture(scope="module")
def classic(tmp_path_factory):
    """The address of a classic notebook server in Colab's set of versions."""
    folder = tmp_path_factory.mktemp("classic")
    root = copy_of_notebooks(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    names = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime",
             "IPYTHONDIR": "ipython"}
    command = [python_of(NAME), "-m", "notebook", "--no-browser", "--allow-root", f"--port={port}",
               "--ip=127.0.0.1", f"--notebook-dir={root}", "--NotebookApp.token=course"]
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder,
                                  env={**os.environ, **{k: str(folder / v) for k, v in names.items()}})
    try:
        deadline = time.monotonic() + 60
        while not (found := list((folder / "runtime").glob("nbserver-*.json"))) or not found[0].read_text():
            assert server.poll() is None and time.monotonic() < deadline, (folder / "log").read_text()
            time.sleep(0.1)
        yield json.loads(found[0].read_text())["url"]
    finally:
        server.terminate()  # it stops its kernels, then itself
        server.wait(20)


@pytest.fixture
def page(chromium):
    context = chromium.new_context(viewport={"width": 1300, "height": 1000})
    page, faults = context.new_page(), []
    page.on("request", lambda request: faults.append(f"asks {request.url}")
            if urlsplit(request.url).hostname not in ("127.0.0.1", None) else None)
    page.on("pageerror", lambda error: faults.append(f"JavaScript: {error}"))
    yield page
    page.evaluate("Jupyter.notebook.session.delete()")
    context.close()
    assert faults == []


def picture(image):
    for _ in range(250):
        if source := image.evaluate(LOADED):
            return source
        time.sleep(0.02)
    raise AssertionError("no picture")


def changed(image, old):
    for _ in range(1000):
        if (now := picture(image)) != old:
            return now
        time.sleep(0.02)
    raise AssertionError("the picture stays")


def run_all(page, explorers):
    """Run all cells until all explorers stay: early on, the extension may drop what it has shown."""
    for _ in range(4):
        page.evaluate(RUN)
        page.wait_for_function(DONE, timeout=120_000)
        with contextlib.suppress(TimeoutError):
            page.wait_for_function(SHOWN, arg=explorers, timeout=10_000)
            page.wait_for_timeout(2000)
            page.wait_for_function(SHOWN, arg=explorers, timeout=100)
            return
    raise AssertionError("an explorer is not shown")


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_slider_answers_to_mouse_and_keys(classic, page, path):
    page.goto(f"{classic}notebooks/{path.name}?token=course")
    page.wait_for_function(READY, timeout=60_000)
    explorers = sum(calls("explore", cell) for cell in nbformat.read(path, as_version=4).cells)
    run_all(page, explorers)
    assert page.locator(".output_error, .output_stderr").count() == 0
    for number in range(explorers):
        image = page.locator(".widget-image").nth(number)
        image.scroll_into_view_if_needed()
        now = picture(image)
        panel = image.locator("xpath=ancestor::div[contains(@class, 'widget-vbox')][1]")
        for handle in panel.locator(".ui-slider-handle").all():
            handle.scroll_into_view_if_needed()
            at, track = handle.bounding_box(), handle.locator("xpath=..").bounding_box()
            x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
            way = 0.6 * track["width"] * (1 if x < track["x"] + track["width"] / 2 else -1)
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(x + way, y, steps=6)
            page.mouse.up()
            now = changed(image, now)
            page.wait_for_timeout(200)
            now = picture(image)
            handle.press("ArrowLeft" if way > 0 else "ArrowRight")
            now = changed(image, now)
        if folder := os.environ.get("SCREENSHOTS"):
            image.scroll_into_view_if_needed()
            page.screenshot(path=Path(folder) / f"classic-{path.stem}-{number}.png")
    assert page.locator(".output_area [role=alert]").count() == 0
