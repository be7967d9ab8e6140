"""A lecturer relies on this: `make slides` refuses what is too large, and says so."""

import os
import re
import signal
import subprocess
import sys
import time

import drawing
import export
import nbformat
import pytest
from chapters import DECKS, ROOT, calls
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

pytestmark = pytest.mark.kernel
EXPORT = [sys.executable, str(ROOT / "slides" / "export.py")]
QUIET = {"say": lambda line: None}
BAR = """
from explorer import explore

def bar(fig):
    bars = fig.subplots().bar([0], [1])
    def update(k=1, a=1):
        bars[0].set_height(k * a)
        return f"The bar is {k * a} high."
    return update
"""


def cell(source, kind="-", make=new_code_cell, **metadata):
    return make(source, metadata={"slideshow": {"slide_type": kind}, **metadata})


def text(source, kind="-"):
    return cell(source, kind, new_markdown_cell)


@pytest.fixture
def desk(tmp_path):
    """A folder with what a chapter imports."""
    for name in ("utils.py", "explorer.py", "fonts"):
        (tmp_path / name).symlink_to(ROOT / "notebooks" / name)
    return tmp_path


def chapter(desk, *cells, name="21_one"):
    path = desk / f"{name}.ipynb"
    nbformat.write(
        new_notebook(cells=[text("# 21 · One", "slide"), cell(BAR, "skip"), *cells]),
        path,
    )
    return path


def run(desk, *notebooks):
    command = [*EXPORT, "--folder", str(desk), "--drawn", str(desk)]
    command += map(str, notebooks)
    return subprocess.run(command, capture_output=True, text=True)


# ---- what goes wrong ------------------------------------------------------------
def test_a_chapter_that_fails_says_which_cell_and_leaves_other_decks_alone(desk):
    good = chapter(desk, name="21_good")
    bad = chapter(desk, cell("1 / 0"), name="22_bad")
    (desk / "22_bad.html").write_text("the deck of yesterday")
    done = run(desk, bad, good)
    assert done.returncode == 1
    assert "<section" in (desk / "21_good.html").read_text("utf-8")
    assert "chapter 22: no deck. cell 2 failed:\n1 / 0" in done.stderr
    assert "ZeroDivisionError" in done.stderr
    assert (desk / "22_bad.html").read_text() == "the deck of yesterday"
    assert not list(desk.glob("*.part"))


CALL = "explore(bar, alt='A bar of height k times a', {})"


def refused(notebook, folder):
    """What `make slides` says of a deck that it refuses before it draws anything."""
    said = []
    with pytest.raises(RuntimeError) as refusal:
        export.deck(notebook, folder, say=said.append, cache=folder)
    assert not [line for line in said if "drawn" in line]
    assert not list(folder.glob("*.html")) and not list(folder.glob("*.part"))
    return str(refusal.value)


def test_an_explorer_that_cannot_be_drawn_in_advance_is_named(desk):
    words = refused(chapter(desk, cell(CALL.format("k=range(151), a=[1]"))), desk)
    assert "explorer 1 of 1 (k 151 × a 1) needs 151 frames, at most 150" in words
    assert "export" in words, "what to do"


def test_fewer_values_that_leave_the_start_out_stop_the_chapter(desk):
    controls = "k=[1, 2], a=[1], export={'k': [2]}"
    words = refused(chapter(desk, cell(CALL.format(controls))), desk)
    assert words.startswith("cell 2 failed:\nexplore(bar")
    assert (
        "export must give k some values of its slider, 1 among them; got [2]" in words
    )


def test_the_frames_of_a_deck_are_counted_together(desk):
    explorers = [cell(CALL.format(f"k=range({n}), a=[1]")) for n in (100, 140, 20)]
    words = refused(chapter(desk, *explorers), desk)
    assert "need 260 frames, at most 250" in words
    assert "the largest is explorer 2 of 3 (k 140 × a 1)" in words


@pytest.mark.parametrize(
    "limit, words",
    [
        (3, r"the deck has 3\.\d MB, at most 3"),  # reveal.js, MathJax, fonts are more
        (0.001, r"at most 0.001 .* largest is explorer 1 of 1 \(k 2 × a 1\)"),
    ],
)
def test_a_deck_of_too_many_bytes_is_refused(desk, monkeypatch, limit, words):
    path = chapter(desk, cell(CALL.format("k=[1, 2], a=[1]")))
    monkeypatch.setattr(drawing, "MEGABYTES_DECK", limit)
    with pytest.raises(export.OverBudget, match=words):
        export.deck(path, desk, cache=desk, **QUIET)
    assert not list(desk.glob("*.html")) and not list(desk.glob("*.part"))


def test_an_interrupted_build_leaves_the_deck_of_yesterday(desk):
    path = chapter(
        desk, cell("explore(bar, alt='A bar of height k times a', k=range(150), a=[1])")
    )
    (desk / "21_one.html").write_text("the deck of yesterday")
    with subprocess.Popen(
        [*EXPORT, "--folder", str(desk), "--drawn", str(desk), str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as build:
        while "150 frames" not in build.stdout.readline():
            assert build.poll() is None
        time.sleep(0.3)  # now it draws
        os.killpg(build.pid, signal.SIGINT)  # Ctrl + C
        assert build.wait(30) != 0
    assert (desk / "21_one.html").read_text() == "the deck of yesterday" and not list(
        desk.glob("*.part")
    )


def test_a_chapter_that_is_not_there(desk):
    done = run(desk, "99")
    assert (
        done.returncode == 1
        and "There is no chapter 99. There are: 01, 02" in done.stderr
    )


# ---- what a deck is made of -----------------------------------------------------
def page(desk, *cells):
    made = export.deck(chapter(desk, *cells), desk, cache=desk, **QUIET)
    return made.path.read_text("utf-8")


def test_notes_stand_at_the_top_of_their_slide_in_their_order(desk):
    whole = page(
        desk,
        text("## Words", "slide"),
        cell("'the result'", "fragment"),
        text("First say this.", "notes"),
        text("Then say that.", "notes"),
        text("## More", "subslide"),
    )
    parts = ">Words<", "First say this.", "Then say that.", "the result", ">More<"
    order = [whole.index(part) for part in parts]
    assert order == sorted(order)
    assert whole.count('<aside class="notes">') == 2


def test_a_slide_without_a_heading_repeats_the_last_one(desk):
    whole = page(
        desk,
        text("### Words", "slide"),
        cell("'a result'", "subslide", tags=["hide-input"]),
        text("## Not in the deck", "skip"),
        text("plain", "subslide"),
    )
    assert (
        len(re.findall("<h[23][^>]*>Words<", whole)) == 3
        and "Not in the deck" not in whole
    )


def test_code_is_hidden_where_it_is_tagged_and_links_lead_to_decks(desk):
    whole = page(
        desk,
        cell("shown = 1", "slide"),
        cell("hidden = 1\nprint('kept')", tags=["hide-input"]),
        text("[on](02_sine_cosine_waves.ipynb)"),
    )
    assert (
        "shown" in whole
        and "hidden = 1" not in re.sub("<[^>]+>", "", whole)
        and "kept" in whole
    )
    assert 'href="02_sine_cosine_waves.html"' in whole


# ---- the stock exporter ---------------------------------------------------------
@pytest.mark.parametrize("notebook", DECKS, ids=lambda path: path.stem[:2])
def test_the_stock_command_gives_a_deck_with_first_pictures(notebook, tmp_path):
    command = [
        sys.executable,
        "-m",
        "jupyter",
        "nbconvert",
        "--to",
        "slides",
        "--output-dir",
        str(tmp_path),
        str(notebook.relative_to(ROOT)),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    whole = (tmp_path / f"{notebook.stem}.slides.html").read_text("utf-8")
    cells = [
        cell for cell in nbformat.read(notebook, 4).cells if export.kind(cell) != "skip"
    ]
    pictures = sum(calls("explore", cell) + calls("show", cell) for cell in cells)
    assert whole.count('src="data:image/png;base64,') == pictures > 0
    slides = len(re.findall("<section", whole)) - len(
        re.findall(r"<section[^>]*>\s*<section", whole)
    )
    assert 15 <= slides <= 30
    assert whole.count('<aside class="notes">') >= 12
    words = re.sub("<[^>]+>", "", whole)
    assert (
        "def draw" not in words and "explore(" not in words and "[picture]" not in words
    )
    assert "Loading widget" not in whole and "Exercises" not in words
