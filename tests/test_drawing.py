"""Who builds decks or book waits for drawings only when something has changed."""

import shutil

import nbformat
import pytest
from chapters import NOTEBOOKS, ROOT
from drawing import chapter, fingerprint, put
from PIL import Image

CHAPTER = "01_integer_encoding.ipynb"


@pytest.fixture
def copy(tmp_path):
    """A folder with one chapter and what stands beside it."""
    for name in (CHAPTER, "utils.py", "explorer.py"):
        shutil.copy(NOTEBOOKS / name, tmp_path)
    return tmp_path


def changed(folder, change):
    """Whether a change asks for new drawings."""
    before = fingerprint(folder / CHAPTER)
    change(folder)
    return fingerprint(folder / CHAPTER) != before


def edit(change):
    """A change of the notebook."""

    def edited(folder):
        nb = nbformat.read(folder / CHAPTER, as_version=4)
        change(nb)
        nbformat.write(nb, folder / CHAPTER)

    return edited


def another_source(nb):
    [cell for cell in nb.cells if cell.cell_type == "code"][-1].source += " "


def another_text(nb):
    nb.cells[0].source += " "


def no_outputs(nb):
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs = []


def another_helper(folder):
    with open(folder / "utils.py", "a") as file:
        file.write("\n")


def test_a_changed_chapter_or_helper_is_drawn_anew(copy):
    assert changed(copy, edit(another_source))
    assert changed(copy, another_helper)


def test_text_and_what_a_chapter_has_put_out_do_not_matter(copy):
    assert not changed(copy, edit(no_outputs))
    assert not changed(copy, edit(another_text))


def test_decks_and_book_have_the_text_as_it_is_now(copy):
    place = drawing(copy, "01_drawn", "")
    shutil.copy(copy / CHAPTER, place / "chapter.ipynb")
    before = fingerprint(copy / CHAPTER)
    edit(another_text)(copy)
    edit(no_outputs)(copy)
    nb = chapter(copy / CHAPTER, place)
    assert nb.cells[0].source.endswith(" ") and fingerprint(copy / CHAPTER) == before
    assert any(cell.get("outputs") for cell in nb.cells)


def drawing(folder, name, text):
    place = folder / name
    place.mkdir()
    (place / "chapter.ipynb").write_text(text)
    return place


def test_a_drawing_replaces_the_one_before_it_and_no_other(tmp_path):
    drawing(tmp_path, "01_one-old", "")
    other = drawing(tmp_path, "02_two-old", "")
    put(drawing(tmp_path, ".draft", "new"), tmp_path / "01_one-new")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"01_one-new", other.name}


def test_of_two_that_draw_at_once_the_first_counts(tmp_path):
    first = drawing(tmp_path, "01_one-new", "first")
    put(drawing(tmp_path, ".draft", "second"), first)
    assert (first / "chapter.ipynb").read_text() == "first"


# ---- the moving picture of the README -----------------------------------------------
def test_the_moving_picture_is_small_and_moves():
    path = ROOT / "figures" / "four_views.gif"
    assert path.stat().st_size <= 2e6
    with Image.open(path) as moving, Image.open(path.parent / STILL) as still:
        assert moving.n_frames == 40 and moving.info["loop"] == 0
        assert moving.size == still.size
        first = moving.convert("RGB").tobytes()
        assert first == still.convert("RGB").tobytes()
        moving.seek(20)
        assert moving.convert("RGB").tobytes() != first


STILL = "four_views_still.png"
README = (ROOT / "README.md").read_text("utf-8")


def test_the_readme_shows_it_and_the_still_one_to_those_who_ask():
    assert 'src="figures/four_views.gif"' in README
    reduced = '<source media="(prefers-reduced-motion: reduce)"'
    assert f'{reduced} srcset="figures/{STILL}">' in README
