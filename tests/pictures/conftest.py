from types import SimpleNamespace

import pytest

from tests.support.chapter import run_chapter
from tests.support.reading import Found, only
from tools.chapters import CHAPTERS


@pytest.fixture(params=CHAPTERS, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture
def ran(path):
    return run_chapter(path)


@pytest.fixture(scope="module")
def chapter(request):
    """The chapter of a file such as test_chapter_04.py: what it defines and shows."""
    number = request.path.stem.rpartition("_")[2]
    ran = run_chapter(
        only("chapter", (x for x in CHAPTERS if x.stem.startswith(number)))
    )
    return SimpleNamespace(
        **ran.names,
        cell=Found("cell with a picture", ran.cell),
        displayed=Found("cell of code", ran.displayed),
        said=Found("cell of code", ran.said),
    )
