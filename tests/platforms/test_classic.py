"""Sliders answer with ipywidgets 7, as on Colab.

Colab itself cannot be asked. The classic notebook of the same versions has the same
widgets; one chapter shows that they answer.
"""

import os

import nbformat
import pytest

from tests.support.sliders import HASH, drag, picture, settled, wait_for_change
from tools.chapters import DECKS, explorers_in
from tools.web.served import served, watched_page

# The widgets' extension comes some time after the notebook.
READY = """() => window.Jupyter?.notebook?._fully_loaded
  && Jupyter.notebook.kernel?.is_connected()
  && Jupyter.notebook.get_cells().some(cell =>
       cell.output_area?.mime_types().includes('application/vnd.jupyter.widget-view+json'))"""
# The extension asks the kernel for widgets, and then draws all outputs anew, with
# none in those that came meanwhile. Its questions lie between three of ours.
ANSWERED = """async () => {
  for (let n = 0; n < 3; n++)
    await new Promise(go => Jupyter.notebook.kernel.comm_info('jupyter.widget', go));
}"""
RUN = """() => {
  Jupyter.notebook.clear_all_output();
  Jupyter.notebook.execute_all_cells();
}"""
DONE = """() => Jupyter.notebook.get_cells().every(cell =>
  cell.cell_type !== 'code' || typeof cell.input_prompt_number === 'number')"""
SHOWN = "n => document.querySelectorAll('.widget-image').length === n"


@pytest.fixture
def page(browser, tmp_path):
    """A page on a classic notebook server in Colab's set of versions."""
    if not (python := os.environ.get("LAB_PYTHON")):
        pytest.skip("for `nox -s colab`")
    command = python, "-m", "notebook", "--NotebookApp.token=course"
    goodbye = "Jupyter.notebook.session.delete()"
    # Not with strict_console: its style sheet asks for a font at about:blank.
    with (
        served(tmp_path, *command) as server,
        watched_page(browser, goodbye, HASH) as page,
    ):
        page.server = server.url
        yield page


def test_sliders_and_buttons_of_chapter_1_answer_to_mouse_and_keys(page):
    path = DECKS[0]
    nb = nbformat.read(path, as_version=4)
    explorers = len(explorers_in(nb.cells))
    page.goto(f"{page.server}notebooks/{path.name}?token=course")
    page.wait_for_function(READY, timeout=120_000)
    page.evaluate(ANSWERED)
    page.evaluate(RUN)
    page.wait_for_function(DONE, timeout=240_000)
    page.wait_for_function(SHOWN, arg=explorers, timeout=60_000)
    assert page.locator(".output_error, .output_stderr").count() == 0
    for image in page.locator(".widget-image").all():
        panel = image.locator("xpath=ancestor::div[contains(@class, 'widget-vbox')][1]")
        for handle in panel.locator(".ui-slider-handle").all():
            handle.scroll_into_view_if_needed()
            at, track = handle.bounding_box(), handle.locator("xpath=..").bounding_box()
            forth = at["x"] < track["x"] + track["width"] / 2
            now = picture(panel)
            drag(page, handle, (0.6 if forth else -0.6) * track["width"])
            wait_for_change(panel, now, "a drag changes nothing")
            now = settled(panel)
            handle.press("ArrowLeft" if forth else "ArrowRight")
            wait_for_change(panel, now, "a key changes nothing")
        for choice in panel.locator(".widget-toggle-buttons").all():
            now = picture(panel)
            choice.locator("button:not(.mod-active)").last.click()
            wait_for_change(panel, now, "a button changes nothing")
            now = settled(panel)
            choice.locator("button:not(.mod-active)").last.press("Enter")
            wait_for_change(panel, now, "a key on a button changes nothing")
    assert page.locator(".output_area [role=alert]").count() == 0
