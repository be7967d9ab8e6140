"""A reader relies on this: notebooks run, and what they show is what they compute.

Each chapter runs once, in a real JupyterLab where there is a browser, and in the same
kernel its sliders are then moved and its exercises tried. nbval and nbmake run it as
quickly, but in no JupyterLab, and they end its kernel: all the rest would take a second
run. And nbval wants pictures to agree in every byte, which two machines never do.
"""

import base64
import io
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from PIL import Image

from tools.chapters import CHAPTERS, ROOT, WARN, calls, copy_of_notebooks, tags
from tools.execute import cleaned, running

PROBE = "tests.support.probe"
PICTURES = ROOT / "tests" / "pictures"
BEFORE = f"__import__({PROBE!r}).support.probe.watch()"
TEXTS = ("text/plain", "text/latex", "text/markdown")
LETTERS = 22  # pixels on a slide, at least: there, an inch of a picture is 100 or more


# ---- a chapter, as committed and as it runs -----------------------------------------
def code(nb):
    return [cell for cell in nb.cells if cell.cell_type == "code"]


def exercises(nb):
    """What is to be tried, as (answer, check, first words of the reply)."""
    attempts = []
    for i, cell in enumerate(nb.cells):
        if "exercise" in tags(cell):
            below = {tag: c for c in nb.cells[i + 1 : i + 4] for tag in tags(c)}
            check, solution = below["check"].source, below["solution"].source
            (right,) = re.findall(r"```python\n(.*?)```", solution, re.DOTALL)
            attempts.append((cell.source, check, "Your turn."))
            for wrong in cell.metadata["wrong"]:
                attempts.append((wrong, check, "Not yet. "))
            attempts.append((right, check, "Correct: "))
    return attempts


@pytest.fixture(scope="module", params=CHAPTERS, ids=lambda path: path.stem)
def chapter(request, tmp_path_factory):
    """A chapter as committed and as it has run, and its kernel."""
    path = request.param
    committed = nbformat.read(path, as_version=4)
    # Other sets of versions have no Playwright.
    if os.environ["CHROMIUM"] and request.config.pluginmanager.hasplugin("playwright"):
        from tools.web import lab

        page = lab.empty(request.getfixturevalue("window"))
        folder = request.getfixturevalue("lab").folder
        run = lab.running_in_lab(page, folder, path.name, committed, BEFORE)
    else:
        page = None
        run = running(
            committed,
            copy_of_notebooks(tmp_path_factory.mktemp("chapter")),
            WARN,
            BEFORE,
        )
    with run as (nb, kernel):
        seconds = kernel.call("time", "process_time")
        yield SimpleNamespace(
            name=path.stem,
            committed=committed,
            fresh=cleaned(nb),
            kernel=kernel,
            seconds=seconds,
            page=page,
        )


@pytest.mark.browser
def test_every_slider_answers_to_keys_and_mouse_in_jupyterlab(
    chapter, browser_type_launch_args
):
    from tests.support.sliders import use_every_slider

    use_every_slider(chapter.page, chapter.committed)
    assert chapter.page.faults == []


def test_runs_without_a_warning_and_within_20_seconds_of_computing(chapter):
    noise = [
        (cell.source, output)
        for cell in code(chapter.fresh)
        for output in cell.outputs
        if output.output_type == "error" or output.get("name") == "stderr"
    ]
    assert noise == []
    assert chapter.seconds < 20  # the processor's: another program costs none


@pytest.mark.once
def test_exercises_hint_refuse_and_accept(chapter):
    for answer, check, wanted in exercises(chapter.committed):
        chapter.kernel.run(answer)
        said = chapter.kernel.run(check)
        assert said.startswith(wanted) and said.count("\n") == 1, answer
    assert chapter.kernel.noise == []


@pytest.mark.once
def test_every_slider_answers_at_every_value_in_letters_for_the_last_row(chapter):
    faults = chapter.kernel.call(PROBE, "probe")
    assert "".join(faults) == "" and chapter.kernel.noise == []
    assert len(faults) >= sum(calls("explore", c) for c in chapter.committed.cells)
    pixels = chapter.kernel.call(PROBE, "smallest_letter") * 100 / 72
    assert pixels >= LETTERS


@pytest.mark.once
def test_pictures_show_what_is_computed_in_another_way(chapter, subtests):
    tests = PICTURES / f"chapter_{chapter.name.partition('_')[0]}.py"
    ran = [(cell.id, words(cell)) for cell in code(chapter.fresh)]
    faults = chapter.kernel.call(PROBE, "complaints", str(tests), ran)
    assert faults, "no test was found"
    for name, fault in faults.items():
        with subtests.test(name):
            assert not fault, fault


# ---- what is saved is what runs -----------------------------------------------------
def html_of(output):
    return output.get("data", {}).get("text/html", "")


def texts(cell):
    """What a cell puts out but for the pixels of its pictures."""
    return [
        output.text
        if output.output_type == "stream"
        else [re.sub('base64,[^"]+', "", html_of(output))]
        + [output.get("data", {}).get(mime) for mime in TEXTS]
        for output in cell.outputs
    ]


def words(cell):
    """The same as one text."""
    parts = [[part] if isinstance(part, str) else part for part in texts(cell)]
    return "\n".join(filter(None, sum(parts, [])))


def pictures(cell):
    """The pictures of a cell."""
    files = re.findall(
        r'image/\w+;base64,([^"]+)"', "".join(map(html_of, cell.outputs))
    )
    return [Image.open(io.BytesIO(base64.b64decode(file))) for file in files]


def differ(old, new):
    """Whether two pictures differ by more than how letters are smoothed.

    Each is seen in blocks of 4 × 4 pixels, from 0 to 255. Another curve moves their
    mean; two labels that change places move some of them by 63 at least.
    """
    if any(abs(a - b) > 0.02 * b for a, b in zip(old.size, new.size)):
        return True
    blocks = new.width // 4, new.height // 4
    old, new = (
        np.asarray(picture.convert("L").resize(blocks, Image.Resampling.BOX), float)
        for picture in (old, new)
    )
    moved = np.abs(old - new)
    return moved.mean() > 0.3 or moved.max() > 50


def test_shows_what_it_computes(chapter):
    old, new = chapter.committed, chapter.fresh
    same_matplotlib = old.metadata.matplotlib == new.metadata.matplotlib
    for before, now in zip(code(old), code(new)):
        if "volatile" in tags(before):
            continue
        assert texts(before) == texts(now), before.source
        drawn, again = pictures(before), pictures(now)
        assert len(drawn) == len(again), before.source
        if same_matplotlib:
            assert not any(map(differ, drawn, again)), before.source


# ---- make notebooks -----------------------------------------------------------------
def test_a_notebook_that_fails_is_left_as_it_was(tmp_path):
    path = tmp_path / "broken.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("1 / 0")]), path)
    before = path.read_bytes()
    command = [sys.executable, "-m", "tools.execute", path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and path.read_bytes() == before
    assert "cell 0 failed:\n1 / 0" in done.stderr
