"""A student on Colab relies on this: a notebook alone fetches what it needs."""

import functools
import http.server
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from chapters import CHAPTERS, NOTEBOOKS
from execute import execute
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from repo import current

FILES = ("utils.py", "explorer.py", "fonts/noto-sans-cjk-sc-subset.otf")
TRAINED = tuple(f"trained/{name}.jsonl" for name in ("head", "moved", "lengths"))
pytestmark = pytest.mark.kernel
HOST = "https://raw.githubusercontent.com"


def tagged(path, tag):
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source for cell in cells if tag in cell.metadata.get("tags", [])]


def place(folder, names=FILES):
    """Put the files that a notebook needs into `folder`."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(NOTEBOOKS / name, folder / name)


@pytest.fixture
def web(tmp_path):
    """A server with the files where GitHub has them, and half of those in `broken`."""
    site = SimpleNamespace(
        asked=[], broken=(), folder=tmp_path.joinpath("web", *current(), "notebooks")
    )
    place(site.folder, FILES + TRAINED)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            site.asked.append(self.path)
            if not self.path.endswith(site.broken):
                return super().do_GET()
            content = Path(self.translate_path(self.path)).read_bytes()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2])

        def log_message(self, *words):
            pass

    handler = functools.partial(Handler, directory=tmp_path / "web")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        site.url = f"http://127.0.0.1:{server.server_port}"
        yield site
        server.shutdown()


@pytest.fixture
def alone(tmp_path):
    folder = tmp_path / "content"
    folder.mkdir()
    return folder


def opened(folder, url):
    """The last line of a chapter's first cell in `folder`; `url` plays GitHub."""
    fetch = tagged(CHAPTERS[0], "bootstrap")[0].replace(HOST, url)
    where = "from importlib.util import find_spec\nprint(find_spec('utils').origin)"
    source = f"{fetch}\n{where}"
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=folder, capture_output=True, text=True
    )
    return (
        done.stderr.strip().splitlines()[-1] if done.returncode else done.stdout.strip()
    )


def names_out(cell):
    """The first cell without the list of files, which is longer in chapter 9."""
    return re.sub(r"(?m)^FILES .*\n", "", cell)


def test_every_chapter_starts_with_the_same_cell():
    first = tagged(CHAPTERS[0], "bootstrap")
    assert len(first) == 1 and HOST in first[0]
    for path in CHAPTERS:
        (cell,) = tagged(path, "bootstrap")
        assert names_out(cell) == names_out(first[0]), path.name
        code = [
            cell
            for cell in nbformat.read(path, as_version=4).cells
            if cell.cell_type == "code"
        ]
        assert code[0].source == cell, path.name
        (link,) = tagged(path, "open")
        assert link.count(path.name) == 2


def beyond_colab(nb):
    """What a notebook asks for that Colab has not: other widgets, packages, files."""
    words = re.compile(
        r"ipympl|anywidget|%matplotlib|pip"
        r" install|Javascript\(|!\[[^]]*\]\((?!data:)|<img"
    )
    return [word for cell in nb.cells for word in words.findall(cell.source)]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem[:2])
def test_a_chapter_uses_nothing_that_colab_lacks(path):
    assert beyond_colab(nbformat.read(path, as_version=4)) == []


def test_what_colab_lacks_is_noticed():
    cells = [
        new_code_cell("%matplotlib widget\n!pip install x"),
        new_markdown_cell("![a](../a.png)"),
    ]
    assert len(beyond_colab(new_notebook(cells=cells))) == 3


def test_what_is_missing_is_fetched_once(web, alone):
    assert opened(alone, web.url) == str(alone / "utils.py")
    assert all(
        (alone / name).read_bytes() == (NOTEBOOKS / name).read_bytes() for name in FILES
    )
    assert len(web.asked) == len(FILES)
    assert opened(alone, web.url) == str(alone / "utils.py") and len(web.asked) == len(
        FILES
    )


def test_beside_its_files_a_notebook_asks_for_nothing(web, alone):
    place(alone)
    mine = "is_number = True\n"  # what explorer.py asks of it
    (alone / "utils.py").write_text(mine)
    assert opened(alone, web.url) == str(alone / "utils.py") and web.asked == []
    assert (alone / "utils.py").read_text() == mine


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_not_there_is_named_in_one_line(web, alone, name):
    (web.folder / name).unlink()
    line = opened(alone, web.url)
    assert line.startswith(f"RuntimeError: {name} could not be fetched from {web.url}/")
    assert "404" in line and "REPO" in line
    assert not (alone / name).exists()


def test_without_a_network_one_line_says_so(alone):
    line = opened(alone, "http://127.0.0.1:9")  # nobody listens there
    assert (
        "could not be fetched" in line
        and "refused" in line
        and "Run this cell again" in line
    )


@pytest.mark.parametrize("name", FILES)
def test_half_a_download_is_no_file(web, alone, name):
    web.broken = (name,)
    line = opened(alone, web.url)
    assert name in line and "IncompleteRead" in line and not (alone / name).exists()
    web.broken = ()
    assert opened(alone, web.url) == str(alone / "utils.py")  # the next try mends it


@pytest.mark.parametrize("number", [1, 9])
def test_a_whole_chapter_runs_alone(web, alone, number):
    path = CHAPTERS[number - 1]
    text = path.read_text("utf-8").replace(HOST, web.url)
    (alone / path.name).write_text(text, encoding="utf-8")
    execute(alone / path.name)
    more = TRAINED if number == 9 else ()
    there = {
        file.relative_to(alone).as_posix()
        for file in alone.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert there == {path.name, *FILES, *more}
    assert len(web.asked) == len(FILES + more)
