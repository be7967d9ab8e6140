"""A notebook that is opened alone, as on Colab, fetches what it needs."""

import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import nbformat
import pytest

from tests.support.web_host import Quiet, hosted
from tools.chapters import CHAPTERS, NOTEBOOKS, fetched_files, fetching
from tools.execute import execute, running
from tools.repo import current

HOST = "https://raw.githubusercontent.com"


CELL, FILES = fetching(CHAPTERS[0]), fetched_files()
LIST = FILES[0]


@pytest.fixture
def web(tmp_path):
    """A server with notebooks/ where GitHub has it; of `cut` it sends one half."""
    there = tmp_path.joinpath("web", *current(), "notebooks")
    shutil.copytree(NOTEBOOKS, there)
    site = SimpleNamespace(asked=[], cut="", there=there, alone=tmp_path / "content")
    site.alone.mkdir()

    class Handler(Quiet):
        def do_GET(self):
            site.asked.append(self.path.partition("/notebooks/")[2])
            super().do_GET()

        def copyfile(self, source, outputfile):
            content = source.read()
            is_cut = site.asked[-1] == site.cut
            outputfile.write(content[: len(content) // 2] if is_cut else content)

    with hosted(tmp_path / "web", Handler) as site.url:
        yield site


def last_line_of(folder, url):
    """What the first cell says in `folder`, in its last line; `url` plays GitHub."""
    source = f"{CELL}\nprint('ready')".replace(HOST, url)
    command = [sys.executable, "-c", source]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return (done.stderr + done.stdout).strip().splitlines()[-1]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_chapter_fetches_in_the_same_way_and_installs_nothing(path):
    assert fetching(path) == CELL and HOST in CELL
    nb = nbformat.read(path, as_version=4)
    first = next(cell for cell in nb.cells if cell.cell_type == "code")
    assert "bootstrap" in first.metadata.tags
    (links,) = [c.source for c in nb.cells if "open" in c.metadata.get("tags", [])]
    assert links.count(path.name) == 2
    foreign = r"ipympl|anywidget|%matplotlib|pip install|!\[[^]]*\]\((?!data:)|<img"
    assert [cell.source for cell in nb.cells if re.search(foreign, cell.source)] == []


def test_a_chapter_with_trained_data_runs_alone_and_asks_for_each_file_once(web):
    [path] = NOTEBOOKS.glob("10_*.ipynb")
    text = path.read_text("utf-8").replace(HOST, web.url)
    (web.alone / path.name).write_text(text, encoding="utf-8")
    execute(web.alone / path.name)
    assert web.asked[0] == LIST and sorted(web.asked) == sorted(FILES)
    for name in web.asked:
        assert (web.alone / name).read_bytes() == (NOTEBOOKS / name).read_bytes()


def test_a_file_that_is_there_stays_as_it_is(web):
    (web.alone / "utils.py").write_text("mine = True\n")
    assert last_line_of(web.alone, web.url) == "ready" and "utils.py" not in web.asked
    assert (web.alone / "utils.py").read_text() == "mine = True\n"


def test_what_cannot_be_fetched_is_named_in_one_line_and_can_be_tried_again(web):
    last = FILES[-1]
    line = last_line_of(web.alone, "http://127.0.0.1:9")  # nobody listens there
    where = f"is not in {web.alone}"  # the working directory
    assert line.startswith(f"RuntimeError: {LIST} {where}") and "refused" in line
    web.cut = LIST
    line = last_line_of(web.alone, web.url)
    assert line.startswith(f"RuntimeError: {LIST} {where}") and "IncompleteRead" in line
    assert list(web.alone.iterdir()) == []
    web.cut = ""
    (web.there / last).rename(web.there / "elsewhere")
    line = last_line_of(web.alone, web.url)
    assert line.startswith(f"RuntimeError: {last} {where}") and "404" in line
    assert "Run this cell again" in line and "REPO" in line
    (web.there / "elsewhere").rename(web.there / last)
    assert last_line_of(web.alone, web.url) == "ready"


def test_a_kernel_that_runs_in_the_folder_above_finds_the_files(web):
    """As papermill does, from the root of the repository."""
    assert last_line_of(NOTEBOOKS.parent, web.url) == "ready" and web.asked == []
    nb = nbformat.read(CHAPTERS[0], as_version=4)
    with running(nb, NOTEBOOKS.parent):
        pass
