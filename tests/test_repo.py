"""A teacher with a copy relies on this: one command leads all links to the copy."""

import re
import shutil
import subprocess
import sys

import pytest
from chapters import CHAPTERS, ROOT
from repo import current, files, places, renamed, site_of

HOSTS = re.compile(
    r"colab\.research\.google\.com/github|mybinder\.org/v2|git clone|REPO, REF"
    r" =|repository ="
)


def strangers(path, repository):
    """What a file says of where the course lives, if it is not `repository`."""
    text = path.read_text("utf-8")
    found = [(match["name"], match["ref"]) for match in places(text)]
    wrong = [pair for pair in found if pair != repository]
    if path.name != "pyproject.toml" and site_of(repository[0]) not in text:
        wrong.append("another book")
    return wrong + ["not understood"] * (len(HOSTS.findall(text)) - len(found))


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_every_file_names_the_same_repository(path):
    assert strangers(path, current()) == []
    least = {"pyproject.toml": 1}.get(path.name, 3)
    assert len(places(path.read_text("utf-8"))) >= least


@pytest.fixture
def copy(tmp_path):
    for path in files():
        target = tmp_path / path.relative_to(ROOT)
        target.parent.mkdir(exist_ok=True)
        shutil.copy(path, target)
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    return tmp_path


def call(folder, *words):
    command = [sys.executable, folder / "tools" / "repo.py", *words]
    return subprocess.run(command, capture_output=True, text=True)


def test_one_command_names_another_everywhere_and_back(copy):
    before = {path: path.read_bytes() for path in files(copy)}
    done = call(copy, "some-one/a.course", "v1.2")
    assert done.returncode == 0 and "some-one/a.course" in done.stdout
    assert current(copy) == ("some-one/a.course", "v1.2")
    assert [strangers(path, current(copy)) for path in files(copy)] == [[]] * len(
        before
    )
    assert call(copy, *current(ROOT)).returncode == 0
    assert {path: path.read_bytes() for path in files(copy)} == before


def test_another_branch_may_be_named_alone(copy):
    call(copy, "some-one/course", "autumn")
    assert call(copy, "", "spring").returncode == 0 and current(copy) == (
        "some-one/course",
        "spring",
    )


@pytest.mark.parametrize(
    "words",
    [
        [],
        [""],
        ["", ""],
        ["course"],
        ["some one/course"],
        ["a/b/c"],
        ["a/b course"],
        ["a/b.git"],
        ["../.."],
        ["https://github.com/a/b"],
        ["github.com/a"],
        ["a/für"],
        ["a/b", "two words"],
        ["a/b", "c/d"],
        ["a/b", "c", "d"],
    ],
)
def test_a_name_that_cannot_be_is_refused_in_one_line(copy, words):
    before = (copy / "README.md").read_bytes()
    done = call(copy, *words)
    assert (
        done.returncode != 0
        and len(done.stderr.splitlines()) == 1
        and "REPO=owner/name" in done.stderr
    )
    assert (copy / "README.md").read_bytes() == before


def test_a_place_that_disagrees_is_noticed(copy):
    path = copy / "notebooks" / CHAPTERS[0].name
    text = path.read_text("utf-8")
    path.write_text(renamed(text, "an/other", "main"), "utf-8")
    found = strangers(path, ("a/course", "main"))
    assert found == [("an/other", "main")] * 3 + ["another book"]
    path.write_text(text.replace("mybinder.org/v2/gh/", "mybinder.org/v2/gl/"), "utf-8")
    assert strangers(path, current()) == ["not understood"]
