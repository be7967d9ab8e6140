"""A student relies on this: JupyterLab shows what we think it shows."""

import urllib.request

import nbformat
import psutil
import pytest
from chapters import CHAPTERS
from execute import METADATA
from lab import (
    WITHOUT_ALT,
    empty,
    formulas_that_do_not_fit,
    jupyter_lab,
    open_notebook,
    run_all,
    show_cell,
)
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from served import drag, picture, settled, wait_for_change, wait_for_picture

pytestmark = pytest.mark.browser


@pytest.fixture
def page(window):
    """An empty JupyterLab; what it complains about fails the test."""
    yield empty(window)
    assert window.faults == []


def test_a_saved_notebook_shows_its_pictures_with_their_alt_texts(page):
    """Opened from disk and not run: JupyterLab does not trust what it shows then."""
    path = CHAPTERS[0]
    open_notebook(page, path.name)
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
    run_all(page, "wide.ipynb")
    wide, raw = formulas_that_do_not_fit(page)
    assert wide.startswith("cell 0") and raw == "cell 2 has no typeset formula"


SOURCES = [
    """
import numpy as np
from explorer import explore
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


@pytest.fixture
def explorers(page, lab):
    """A page with a wave and with an explorer that cannot draw k = 2."""
    cells = [new_code_cell(source.strip()) for source in SOURCES]
    nbformat.write(
        new_notebook(cells=cells, metadata=METADATA), lab.root / "explorers.ipynb"
    )
    run_all(page, "explorers.ipynb")
    return page


def test_a_long_drag_ends_on_its_last_picture(explorers):
    cell = show_cell(explorers, 1)
    handle, track = (
        cell.locator(".noUi-handle"),
        cell.locator(".noUi-base").bounding_box()["width"],
    )
    drag(explorers, handle, 60 / 99 * track, steps=60, seconds=2)
    last = settled(cell)
    handle.focus()
    explorers.keyboard.press("ArrowLeft")
    wait_for_change(cell, last, "the key changes nothing")
    explorers.keyboard.press("ArrowRight")
    wait_for_picture(
        cell, last, "the drag did not end on the picture of its last value"
    )


def test_what_cannot_be_drawn_is_said_and_the_next_value_clears_it(explorers):
    cell = show_cell(explorers, 2)
    first, alert = picture(cell), cell.locator("[role=alert]")
    cell.locator(".noUi-handle").focus()
    explorers.keyboard.press("ArrowRight")
    alert.wait_for()
    assert alert.inner_text() == "ZeroDivisionError: division by zero"
    assert picture(cell) == first
    explorers.keyboard.press("ArrowRight")
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
