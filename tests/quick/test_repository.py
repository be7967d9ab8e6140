"""Links, packages, what a chapter fetches, and `make repo`."""

import re
import shutil
import subprocess
import sys
from urllib.parse import unquote

import pytest

from tools.chapters import DECKS, NOTEBOOKS, ROOT, cells, fetched_files
from tools.repo import current, files, is_named, places, site_of

BOOKS = sorted(NOTEBOOKS.glob("*.ipynb"))
PAGES = ROOT / "book" / "pages"
DEPTHS = "", "*/", "*/*/"  # of folders that hold pages


def written():
    """The text of every page and of every notebook's prose, by file."""
    for path in sum((list(ROOT.glob(f"{depth}*.md")) for depth in DEPTHS), []):
        if path.relative_to(ROOT).parts[0] not in ("build", ".venv", ".nox"):
            yield path, path.read_text("utf-8")
    for path in BOOKS:
        yield path, "\n\n".join(cell["source"] for cell in cells(path, "markdown"))


# ---- what is written -----------------------------------------------------------------
def links(text):
    """Links to other files, outside code."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    found = re.findall(r"\]\(\s*<?([^)\s>]+)", text)
    found += re.findall(r"""(?:src|srcset|href)=["']([^"']+)""", text)
    return [link for link in found if not re.match(r"[a-z]+:|#|//", link)]


def leads_somewhere(path, link):
    """Whether a link in the file `path` leads to a file; for a page, in the book."""
    target = unquote(re.split("[#?]", link)[0])
    if path.parent != PAGES:
        return (path.parent / target).exists()
    if target == "run/notebooks/index.html":  # it opens a notebook
        return (NOTEBOOKS / link.partition("?path=")[2]).exists()
    folder, _, file = target.rpartition("/")
    stem = file.partition(".")[0]
    homes = {
        "": [PAGES / f"{stem}.md", NOTEBOOKS / f"{stem}.ipynb"],
        "slides": [deck for deck in DECKS if deck.stem == stem],
        "_static": [ROOT / "figures" / file],
    }
    return any(home.exists() for home in homes.get(folder, []))


def test_links_between_files_lead_to_files():
    for path, text in written():
        assert [link for link in links(text) if not leads_somewhere(path, link)] == []


def test_a_page_names_only_commands_of_make_that_exist():
    targets = re.findall(r"(?m)^([a-z-]+):.*## ", (ROOT / "Makefile").read_text())
    for path, text in written():
        named = re.findall(r"`make ([a-z-]+)|^make ([a-z-]+)", text, re.MULTILINE)
        assert {first or second for first, second in named} <= {*targets}, path.name


# ---- packages ------------------------------------------------------------------------
def ranges(lines):
    return dict(re.fullmatch(r"([\w-]+)([<>=].*)?", line).groups() for line in lines)


def test_conda_and_pip_install_the_same_five_packages():
    pip = ranges((ROOT / "requirements.txt").read_text().split())
    listed = (ROOT / "environment.yml").read_text().partition("dependencies:")[2]
    conda = ranges(re.findall(r"^  - (\S+)", listed, re.MULTILINE))
    assert re.fullmatch(r"=3\.1[1-9]", conda.pop("python"))
    conda["matplotlib"] = conda.pop("matplotlib-base")  # the same without Qt
    assert conda == pip
    assert set(pip) == {"jupyterlab", "numpy", "matplotlib", "ipywidgets", "sympy"}


# ---- a chapter that is opened alone fetches all that it needs ------------------------
def test_a_chapter_fetches_all_that_stands_beside_it():
    needed = [NOTEBOOKS / "utils.py", NOTEBOOKS / "course/files.txt"]
    for kind in ("py", "js", "otf", "npz", "json"):
        needed += NOTEBOOKS.glob(f"course/**/*.{kind}")
    needed += NOTEBOOKS.glob("course/trained/[a-z]*.txt")
    names = {path.relative_to(NOTEBOOKS).as_posix() for path in needed}
    listed = {*fetched_files()}
    assert listed == names, f"course/files.txt: {sorted(listed ^ names)}"


# ---- a teacher's copy: one command leads all links there -----------------------------
def leads_elsewhere(path, name, ref):
    """Whether a file says of where the course lives anything but this."""
    text = path.read_text("utf-8")
    found = {(match["name"], match["ref"]) for match in places(text)}
    old, _ = current()
    addresses = [site_of(old), f"github.com/{old}", f"github/{old}", f"gh/{old}"]
    forgotten = name != old and any(address in text for address in addresses)
    return found != {(name, ref)} or forgotten


@pytest.fixture
def copy(tmp_path):
    """A copy of all that names the repository, and of the command."""
    for path in [*files(), ROOT / "tools" / "repo.py"]:
        target = tmp_path / path.relative_to(ROOT)
        target.parent.mkdir(exist_ok=True)
        shutil.copy(path, target)
    return tmp_path


def make_repo(folder, *words):
    command = [sys.executable, folder / "tools" / "repo.py", *words]
    return subprocess.run(command, capture_output=True, text=True)


def links_in_sight(path):
    """Links, not comments, to where the course lives."""
    text = re.sub("<!--.*?-->", "", path.read_text("utf-8"), flags=re.DOTALL)
    return re.findall(r"\]\(https://[^)]*(?:colab|mybinder|github\.io)[^)]*", text)


def test_a_repository_with_the_name_of_a_site_is_shown_at_its_root():
    assert site_of("ana/course") == "https://ana.github.io/course/"
    assert site_of("ana/ana.github.io") == "https://ana.github.io/"


def test_one_command_names_another_repository_and_shows_links_and_back(copy):
    before = {path: path.read_bytes() for path in files(copy)}
    a_site_without_a_folder = "ana/ana.github.io", "main"
    for there in ("some-one/a.course", "v1.2"), a_site_without_a_folder, current():
        assert make_repo(copy, *there).returncode == 0 and current(copy) == there
        assert [path for path in before if leads_elsewhere(path, *there)] == []
        shown = [bool(links_in_sight(path)) for path in files(copy)[1:]]
        assert shown == [is_named(there[0])] * len(shown)
    assert {path: path.read_bytes() for path in files(copy)} == before


@pytest.mark.parametrize("words", [[], ["course"], ["https://x.y/a/b"]], ids=" ".join)
def test_an_invalid_repository_is_refused_in_one_line(copy, words):
    before = (copy / "README.md").read_bytes()
    done = make_repo(copy, *words)
    assert done.returncode != 0 and len(done.stderr.splitlines()) == 1
    assert "REPO=owner/name" in done.stderr
    assert (copy / "README.md").read_bytes() == before
