"""A chapter is drawn anew when what decides its pictures has changed."""

import shutil

import nbformat
import pytest

from render.prerender import fingerprint
from tools.chapters import NOTEBOOKS

CHAPTER = "01_integer_encoding.ipynb"


@pytest.fixture
def folder(tmp_path):
    """A folder with one chapter and what stands beside it."""
    for name in (CHAPTER, "utils.py"):
        shutil.copy(NOTEBOOKS / name, tmp_path)
    shutil.copytree(NOTEBOOKS / "course", tmp_path / "course")
    return tmp_path


def edit(folder, kind, **changes):
    """Change the last cell of a kind."""
    nb = nbformat.read(folder / CHAPTER, as_version=4)
    [cell for cell in nb.cells if cell.cell_type == kind][-1].update(changes)
    nbformat.write(nb, folder / CHAPTER)


def test_what_decides_a_picture_has_it_drawn_anew(folder):
    first = fingerprint(folder / CHAPTER)
    edit(folder, "code", source="1 + 1")
    second = fingerprint(folder / CHAPTER)
    edit(folder, "code", metadata={"export": {"k": [1, 2]}})
    third = fingerprint(folder / CHAPTER)
    seen = {first, second, third}
    for name in ("utils.py", "course/draw.py", "course/trained/configurations.json"):
        (folder / name).write_text("")
        seen.add(fingerprint(folder / CHAPTER))
    assert len(seen) == 6
