from types import SimpleNamespace

import pytest

from tests.support.chapter import run_chapter
from tools.chapters import CHAPTERS


@pytest.fixture(scope="module")
def chapter(request):
    """The chapter of a file such as test_chapter_04.py: what it defines and shows."""
    number = request.path.stem.rpartition("_")[2]
    (path,) = (path for path in CHAPTERS if path.stem.startswith(number))
    ran = run_chapter(path)
    return SimpleNamespace(**ran.names, cell=ran.cell, said=ran.said)
