"""Saved pictures, and a long drag, in a real JupyterLab."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.support.pages import barriers
from tests.support.sliders import drag, picture, settled, wait_for_change
from tests.support.small_chapter import SETUP
from tools.chapters import CHAPTERS
from tools.execute import METADATA
from tools.web.lab import empty, open_notebook, run_all, run_all_cells, show_cell

pytestmark = pytest.mark.browser


@pytest.fixture
def page(window):
    """An empty JupyterLab; what it complains about fails the test."""
    yield empty(window)
    assert window.faults == []


def test_a_saved_notebook_shows_its_pictures_with_their_alt_texts(page):
    """Opened from disk and not run: JupyterLab does not trust what it shows then."""
    open_notebook(page, CHAPTERS[0].name)
    saved = page.locator(".jp-RenderedHTML img")
    saved.first.wait_for()
    assert all(image.get_attribute("alt").strip() for image in saved.all())


def test_cells_that_run_again_keep_one_panel_each(page, lab):
    call = "explore(wave, a=[0, 1])"
    count = "from course.explorer import PANELS\nprint(len(PANELS), 'panels')"
    cells = map(new_code_cell, (SETUP, call, call, count))
    nb = new_notebook(cells=[*cells], metadata=METADATA)
    nbformat.write(nb, lab.root / "again.ipynb")
    run_all(page, "again.ipynb")
    run_all_cells(page)
    assert page.evaluate("cells()[3][0].text") == "2 panels\n"


@pytest.fixture
def cell(page, lab):
    """The cell of an explorer in a small notebook, as it has run."""
    call = "explore(wave, a=range(100))"
    cells = [new_code_cell(SETUP), new_code_cell(call)]
    nb = new_notebook(cells=cells, metadata=METADATA)
    nbformat.write(nb, lab.root / "explorer.ipynb")
    run_all(page, "explorer.ipynb")
    return show_cell(page, 1)


def test_sliders_that_have_lost_their_kernel_say_so(page, cell):
    page.evaluate("panel().sessionContext.session.kernel.restart()")
    words = "getComputedStyle(document.querySelector('.explorer'), '::before').content"
    page.wait_for_function(f"{words}.includes('Run the cells again')")


def test_a_long_drag_ends_on_its_last_picture(page, cell):
    handle = cell.locator(".noUi-handle")
    track = cell.locator(".noUi-base").bounding_box()["width"]
    drag(page, handle, 60 / 99 * track, steps=60, seconds=2)
    assert barriers(page, ".explorer") == []
    last = settled(cell)
    handle.press("ArrowLeft")
    wait_for_change(cell, last, "the key changes nothing")
    handle.press("ArrowRight")
    picture(cell, last.__eq__, "the drag did not end on the last value's picture")
