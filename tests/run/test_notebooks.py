"""Chapters run without a warning, and what is saved in them is what they compute.

Each chapter runs in a real JupyterLab where there is a browser, else in a kernel. nbval
and nbmake know no JupyterLab, and nbval wants pictures to agree in every byte, which
two machines never do.
"""

import base64
import io
import os
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from PIL import Image

from tests.support.pictures import change_of_blocks
from tools.chapters import CHAPTERS, WARN, copy_of_notebooks, named, texts_of
from tools.execute import cleaned, running, save_executed


# ---- a chapter, as committed and as it runs -----------------------------------------
def code_cells(nb):
    return [cell for cell in nb.cells if cell.cell_type == "code"]


@pytest.fixture(scope="module", params=CHAPTERS, ids=lambda path: path.stem)
def chapter(request, tmp_path_factory):
    """A chapter as committed and as it has run; in a browser it stays open."""
    path = request.param
    committed = nbformat.read(path, as_version=4)
    # Other sets of versions have no Playwright.
    if os.environ["CHROMIUM"] and request.config.pluginmanager.hasplugin("playwright"):
        from tools.web import lab

        page = lab.empty(request.getfixturevalue("window"))
        fresh = lab.run_in_lab(page, path.name, committed)
    else:
        page = None
        folder = copy_of_notebooks(tmp_path_factory.mktemp("chapter"))
        with running(committed, folder, WARN) as (fresh, _):
            pass
    return SimpleNamespace(committed=committed, fresh=cleaned(fresh), page=page)


@pytest.mark.browser
def test_every_slider_answers_to_keys_and_mouse_in_jupyterlab(
    chapter, browser_type_launch_args
):
    from tests.support.sliders import use_every_slider

    use_every_slider(chapter.page, chapter.committed)
    assert chapter.page.faults == []


def test_runs_without_a_warning(chapter):
    noise = [
        (cell.source, output)
        for cell in code_cells(chapter.fresh)
        for output in cell.outputs
        if output.output_type == "error" or output.get("name") == "stderr"
    ]
    assert noise == []


# ---- what is saved is what runs -----------------------------------------------------
def texts(cell):
    """What a cell puts out but for the pixels of its pictures."""
    return [out.get("text") or texts_of(out.get("data", {})) for out in cell.outputs]


def pictures(cell):
    """The pictures of a cell."""
    bundles = [output.get("data", {}) for output in cell.outputs]
    files = [data["image/png"] for data in bundles if "image/png" in data]
    return [Image.open(io.BytesIO(base64.b64decode(file))) for file in files]


def differ(old, new):
    """Whether two pictures differ by more than how letters are smoothed.

    Two labels that change places change some blocks by 63 at least.
    """
    if any(abs(a - b) > 0.02 * b for a, b in zip(old.size, new.size, strict=True)):
        return True
    change = change_of_blocks(old, new)
    return change.mean() > 0.3 or change.max() > 50


def test_shows_what_it_computes(chapter):
    old, new = chapter.committed, chapter.fresh
    same_matplotlib = old.metadata.matplotlib == new.metadata.matplotlib
    for before, now in zip(code_cells(old), code_cells(new), strict=True):
        assert texts(before) == texts(now), before.source
        drawn, again = pictures(before), pictures(now)
        assert len(drawn) == len(again), before.source
        if same_matplotlib:
            assert not any(map(differ, drawn, again)), before.source
    if not same_matplotlib:
        missing = pytest.fail if "PIP_CONSTRAINT" in os.environ else pytest.skip
        missing("pictures: another matplotlib than that of the saved ones")


# ---- what a reader's machine has set ------------------------------------------------
MATPLOTLIBRC = """
image.origin: lower
text.usetex: True
figure.dpi: 200
figure.autolayout: True
font.family: monospace
lines.linewidth: 9
axes.unicode_minus: False
savefig.bbox: tight
"""
START_UP = """
import warnings
import matplotlib.pyplot as plt
import numpy as np

plt.style.use("dark_background")
np.seterr(all="raise")
for kind in (UserWarning, RuntimeWarning):  # an old ipykernel causes others itself
    warnings.simplefilter("error", kind)
"""


@pytest.mark.parametrize(
    "chapter", [CHAPTERS[1], CHAPTERS[5]], ids=lambda path: path.stem, indirect=True
)
def test_settings_of_a_reader_change_no_picture_and_stay_hers(chapter, tmp_path):
    folder = copy_of_notebooks(tmp_path / "我的 course")
    (tmp_path / "matplotlibrc").write_text(MATPLOTLIBRC)
    settings = {"MATPLOTLIBRC": str(tmp_path)}
    with running(chapter.committed, folder, settings, START_UP) as (nb, kernel):
        hers = 'plt.rcParams["image.origin"], plt.rcParams["axes.facecolor"]'
        assert kernel.run(f"print(*({hers}))") == "lower black\n"
    for before, now in zip(code_cells(chapter.fresh), code_cells(cleaned(nb))):
        assert texts(before) == texts(now), before.source
        assert pictures(before) == pictures(now), before.id


# ---- make notebooks -----------------------------------------------------------------
def test_a_notebook_that_fails_is_left_as_it_was(tmp_path):
    path = tmp_path / "broken.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("1 / 0")]), path)
    before = path.read_bytes()
    with pytest.raises(RuntimeError, match=r"cell \w+ failed:\n1 / 0"):
        save_executed(path)
    assert path.read_bytes() == before


def test_chapter_1_is_chapter_1_and_4_is_04():
    assert [path.stem[:2] for path in named(["1"])] == ["01"]
    assert named(["4"]) == named(["04"]) and len(named([])) == len(CHAPTERS)
    assert named(["appendix"])[0].stem == "appendix_algorithm"
    with pytest.raises(SystemExit, match="no chapter 99. There are: 1, 2, 3"):
        named(["99"])
