"""The book on a host of this machine, below a folder as on GitHub Pages."""

import pytest

from book.bind import SITE
from tests.support.pages import opened
from tests.support.web_host import hosted


@pytest.fixture(scope="session")
def host(tmp_path_factory):
    """The address of the book below a folder of a host, as on GitHub Pages."""
    assert (SITE / "index.html").is_file(), "make book"
    root = tmp_path_factory.mktemp("host")
    (root / "course").symlink_to(SITE)
    with hosted(root) as address:
        yield f"{address}/course/"


@pytest.fixture
def visit(browser, host):
    """Opens a page of the book on the host."""

    def visited(name, **options):
        return opened(browser, f"{host}{name}", home=host, **options)

    return visited
