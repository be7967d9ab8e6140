"""Who builds decks or book waits for drawings only when something has changed."""

import shutil

import nbformat
import pytest
from PIL import Image

from tools.chapters import NOTEBOOKS, ROOT
from tools.drawing import fingerprint, read_drawn, replace_drawing

CHAPTER = "01_integer_encoding.ipynb"


@pytest.fixture
def folder(tmp_path):
    """A folder with one chapter and what stands beside it."""
    for name in (CHAPTER, "utils.py", "explorer.py"):
        shutil.copy(NOTEBOOKS / name, tmp_path)
    return tmp_path


def edit(folder, kind, **changes):
    """Change the last cell of a kind."""
    nb = nbformat.read(folder / CHAPTER, as_version=4)
    [cell for cell in nb.cells if cell.cell_type == kind][-1].update(changes)
    nbformat.write(nb, folder / CHAPTER)


def test_a_changed_chapter_or_helper_is_drawn_anew(folder):
    first = fingerprint(folder / CHAPTER)
    edit(folder, "code", source="1 + 1")
    second = fingerprint(folder / CHAPTER)
    (folder / "utils.py").write_text("")
    assert len({first, second, fingerprint(folder / CHAPTER)}) == 3


def test_a_changed_text_is_taken_without_drawing_anew(folder):
    drawing = folder / "drawing"
    drawing.mkdir()
    shutil.copy(folder / CHAPTER, drawing / "chapter.ipynb")
    before = fingerprint(folder / CHAPTER)
    edit(folder, "markdown", source="New words.")
    edit(folder, "code", outputs=[])
    assert fingerprint(folder / CHAPTER) == before
    nb = read_drawn(folder / CHAPTER, drawing)
    assert "New words." in [cell.source for cell in nb.cells]
    assert [cell for cell in nb.cells if cell.cell_type == "code"][-1].outputs


def drawing(folder, name, text=""):
    (folder / name).mkdir()
    (folder / name / "chapter.ipynb").write_text(text)
    return folder / name


def test_a_drawing_replaces_the_one_before_it_and_no_other(tmp_path):
    drawing(tmp_path, "01_one-old")
    drawing(tmp_path, "02_two-old")
    replace_drawing(drawing(tmp_path, ".draft"), tmp_path / "01_one-new")
    assert {path.name for path in tmp_path.iterdir()} == {"01_one-new", "02_two-old"}


def test_of_two_that_draw_at_once_the_first_counts(tmp_path):
    first = drawing(tmp_path, "01_one-new", "first")
    replace_drawing(drawing(tmp_path, ".draft", "second"), first)
    assert (first / "chapter.ipynb").read_text() == "first"


def test_the_moving_picture_of_the_readme_is_small_and_moves():
    path = ROOT / "figures" / "four_views.gif"
    still = path.with_name("four_views_still.png")
    assert path.stat().st_size <= 2e6
    with Image.open(path) as moving, Image.open(still) as first:
        assert moving.convert("RGB").tobytes() == first.convert("RGB").tobytes()
        moving.seek(20)
        assert moving.convert("RGB").tobytes() != first.convert("RGB").tobytes()
