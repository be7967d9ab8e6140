"""A student on Colab relies on this: sliders live with ipywidgets 7."""

import contextlib
import os

import nbformat
import pytest
from chapters import CHAPTERS, calls
from playwright.sync_api import TimeoutError
from served import drag, picture, screenshot, served, wait_for_change, watched_page

PYTHON = os.environ.get("COLAB_PYTHON")
pytestmark = pytest.mark.skipif(PYTHON is None, reason="for `nox -s classic`")
# The widgets' extension comes some time after the notebook.
READY = """() => window.Jupyter?.notebook?._fully_loaded
  && Jupyter.notebook.kernel?.is_connected()
  && Jupyter.notebook.get_cells().some(cell =>
       cell.output_area?.mime_types().includes('application/vnd.jupyter.widget-view+json'))"""
RUN = (
    "() => { Jupyter.notebook.clear_all_output();"
    " Jupyter.notebook.execute_all_cells(); }"
)
DONE = """() => Jupyter.notebook.get_cells().every(cell =>
  cell.cell_type !== 'code' || typeof cell.input_prompt_number === 'number')"""
SHOWN = "n => document.querySelectorAll('.widget-image').length === n"


@pytest.fixture(scope="module")
def classic(tmp_path_factory):
    """A classic notebook server in Colab's set of versions."""
    with served(
        tmp_path_factory.mktemp("classic"),
        PYTHON,
        "-m",
        "notebook",
        "--NotebookApp.token=course",
    ) as server:
        yield server


@pytest.fixture
def page(browser):
    # Not quiet: its style sheet asks for a font at about:blank.
    with watched_page(browser, "Jupyter.notebook.session.delete()") as page:
        yield page


def run_all(page, explorers):
    """Run all cells until all explorers stay: early on, some may be dropped again."""
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
    page.goto(f"{classic.url}notebooks/{path.name}?token=course")
    page.wait_for_function(READY, timeout=60_000)
    explorers = sum(
        calls("explore", cell) for cell in nbformat.read(path, as_version=4).cells
    )
    run_all(page, explorers)
    assert page.locator(".output_error, .output_stderr").count() == 0
    for number in range(explorers):
        image = page.locator(".widget-image").nth(number)
        image.scroll_into_view_if_needed()
        panel = image.locator("xpath=ancestor::div[contains(@class, 'widget-vbox')][1]")
        now = picture(panel)
        for i, handle in enumerate(panel.locator(".ui-slider-handle").all()):
            why = f"slider {i} of explorer {number}: {{}} changes nothing"
            handle.scroll_into_view_if_needed()
            at, track = handle.bounding_box(), handle.locator("xpath=..").bounding_box()
            forth = at["x"] + at["width"] / 2 < track["x"] + track["width"] / 2
            drag(page, handle, (0.6 if forth else -0.6) * track["width"])
            wait_for_change(panel, now, why.format("a drag"))
            page.wait_for_timeout(200)  # for the last of the drag's pictures
            now = picture(panel)
            handle.press("ArrowLeft" if forth else "ArrowRight")
            now = wait_for_change(panel, now, why.format("a key"))
        image.scroll_into_view_if_needed()
        screenshot(page, f"classic-{path.stem}-{number}")
    assert page.locator(".output_area [role=alert]").count() == 0
