from types import SimpleNamespace

import pytest

from tests.support.chapter import run_chapter
from tools.chapters import CHAPTERS


@pytest.fixture(params=CHAPTERS, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture
def ran(path):
    return run_chapter(path)


class Asked(dict):
    """Pictures by the ids of their cells; it keeps which of them were asked for."""

    def __init__(self, pictures):
        super().__init__(pictures)
        self.names = set()

    def __getitem__(self, name):
        self.names.add(name)
        return super().__getitem__(name)


@pytest.fixture(scope="module")
def chapter(request):
    """The chapter of a file such as test_chapter_04.py: what it defines and shows.

    Where all tests of the file have passed, a picture that none asked for is a fault.
    """
    number = request.path.stem.rpartition("_")[2]
    (path,) = (path for path in CHAPTERS if path.stem.startswith(number))
    ran = run_chapter(path)
    pictures = Asked(ran.cell)
    shown = {"cell": pictures, "displayed": ran.displayed, "said": ran.said}
    yield SimpleNamespace(**ran.names, **shown)
    tests = {name for name in vars(request.module) if name.startswith("test_")}
    items = (item for item in request.session.items if item.path == request.path)
    called = {item.originalname for item in items}
    if called == tests and not request.session.testsfailed:
        assert set(pictures) == pictures.names, "no test looks at a picture"
