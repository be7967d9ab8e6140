"""Binder takes the file that we think it takes, and opens chapter 1."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from pythons import ROOT, requirements

pytest.importorskip("repo2docker", reason="for `nox -s binder`")
PYTHON = re.search(r"- python=(3\.\d+)$", (ROOT / "environment.yml").read_text(), re.M)[
    1
]


def dockerfile(folder):
    """What repo2docker would build of a folder, without building it."""
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", folder]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_binder_reads_environment_yml_with_its_python(tmp_path):
    said = dockerfile(ROOT)
    assert f"conda environment for python={PYTHON}" in said
    assert 'env update -p ${NB_PYTHON_PREFIX} --file "environment.yml"' in said
    assert "requirements.txt" not in said
    (tmp_path / "requirements.txt").write_text("numpy\n")
    assert "requirements.txt" in dockerfile(
        tmp_path
    )  # what it would say of such a file


def test_no_folder_hides_our_file_from_binder():
    names = (
        "binder",
        ".binder",
        "runtime.txt",
        "apt.txt",
        "postBuild",
        "start",
        "setup.py",
    )
    assert not [name for name in names if (ROOT / name).exists()]


def test_the_badge_opens_the_whole_lab_at_chapter_1():
    readme = (ROOT / "README.md").read_text("utf-8")
    (link,) = re.findall(r"https://mybinder\.org/v2/gh/[^)\s]+", readme)
    assert link.endswith("?urlpath=lab/tree/notebooks/01_integer_encoding.ipynb")


def test_what_binder_brings_along_may_stay():
    (lock,) = Path(sys.prefix).rglob(f"environment.py-{PYTHON}-linux-64.lock")
    brought = dict(re.findall(r"/([\w-]+)-([\d.]+)-\w+\.conda", lock.read_text()))
    own = map(Requirement, requirements("requirements.txt"))
    kept = [needed for needed in own if needed.name in brought]
    assert {needed.name for needed in kept} >= {"jupyterlab", "ipywidgets"}
    assert [
        needed for needed in kept if brought[needed.name] not in needed.specifier
    ] == []
