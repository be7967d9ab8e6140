"""notebooks/course can be imported in any order, and loads what is used."""

import subprocess
import sys

import pytest

from tools.chapters import CHAPTERS, NOTEBOOKS, WARN, cells, fetched_files, fetching


def run(code, *flags):
    """What a fresh Python prints that stands in notebooks/."""
    command = [sys.executable, *flags, "-c", code]
    done = subprocess.run(command, cwd=NOTEBOOKS, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("first", ["utils", "course.wishes", "course.draw"])
def test_any_module_can_be_the_first_that_is_imported(first):
    run(f"import {first}; from course import wishes_of, explore; import utils")


def test_sympy_is_loaded_only_where_something_is_proved():
    loaded = "import sys; print('sympy' in sys.modules)"
    uses = "from course import draw, explore, show, check, predict, wishes_of"
    assert run(f"{uses}; {loaded}") == "False"
    assert run(f"from course import prove; {loaded}") == "True"


def test_a_misspelled_name_is_named():
    with pytest.raises(ImportError, match="'explor'"):
        from course import explor  # noqa: F401


def test_python_that_leaves_assertions_or_docstrings_out_is_named():
    first_cell = fetching(CHAPTERS[0])
    assert run(first_cell) == ""
    assert run(first_cell, "-O").startswith("Nothing is checked here: Python runs with")
    explored = """
from course import explore
def draw(fig): "A wave."
try: explore(draw, k=[1])
except ValueError as error: print(error)
"""
    assert "docstring of its own" in (told := run(explored, "-OO"))
    assert "python -OO takes it away" in told


def test_warnings_of_our_own_modules_are_shown():
    told = WARN["PYTHONWARNINGS"].split(",")
    assert {
        f"default:::{name}" for name in ("__main__", "utils", "course", "course.draw")
    } <= {*told}


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem[:2])
def test_a_chapter_names_none_of_the_files_that_it_fetches(path):
    """So that a new module changes no chapter."""
    code = "\n".join(cell.source for cell in cells(path, "code"))
    files = [name for name in fetched_files() if name.endswith((".py", ".js", ".otf"))]
    assert [name for name in files if name in code] == []
