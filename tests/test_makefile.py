"""`make lab` on machines that this one is not: a stand-in plays the part of Python."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
STAND_IN = r"""#!/bin/sh
echo "$@" >> calls
case "$*" in
    *ensurepip*) [ -z "$NO_VENV" ] ;;
    *'[:2]'*) echo "${VERSION:-3.12}" ;;
    *'sys.exit('*) [ "${VERSION:-3.12}" != 3.9 ] ;;
    '-m venv'*) rm -rf .venv && mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
    *'pip install'*) [ -z "$OFFLINE" ] ;;
esac
"""


@pytest.fixture
def house(tmp_path):
    """A folder with a space in its name that holds what `make lab` reads."""
    folder = tmp_path / "my course"
    folder.mkdir()
    for name in ("Makefile", "requirements.txt", "requirements-dev.txt"):
        shutil.copy(ROOT / name, folder)
    stand_in = folder / "a-python"
    stand_in.write_text(STAND_IN)
    stand_in.chmod(0o755)
    return folder


def make(folder, *arguments, **environment):
    """Run make; its exit code, what it said without its own lines, Python's calls."""
    (folder / "calls").write_text("")
    env = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("MAKE", "MFLAGS", "DISPLAY", "WAYLAND"))
    }
    done = subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env=env | environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    said = [line for line in done.stdout.splitlines() if not line.startswith("make:")]
    return done.returncode, said, (folder / "calls").read_text()


def test_make_alone_lists_every_target_on_a_line(house):
    code, said, calls = make(house)
    phony = re.search(r"^\.PHONY: (.*)$", (house / "Makefile").read_text(), re.M)[
        1
    ].split()
    assert code == 0
    assert [line.split()[1] for line in said] == [
        name for name in phony if name not in ("help", "broken")
    ]
    assert all(len(line.split()) > 4 and len(line) < 90 for line in said), (
        "a few words on each"
    )


def test_make_lab_installs_once_and_then_starts_at_once(house):
    code, said, calls = make(house, "lab", "PYTHON=./a-python")
    assert code == 0 and len(said) == 1 and "minute" in said[0]
    assert "pip install" in calls
    start = calls.splitlines()[-1]
    assert (
        "jupyterlab" in start
        and "/lab/tree/notebooks/01_integer_encoding.ipynb" in start
    )
    code, said, calls = make(house, "lab")
    assert (
        code == 0
        and said == []
        and "pip install" not in calls
        and "-m venv" not in calls
    )
    os.utime(house / "requirements.txt")
    (house / ".venv/installed").touch()
    os.utime(house / ".venv/installed", (0, 0))
    assert "pip install" in make(house, "lab", "PYTHON=./a-python")[2], (
        "new requirements are installed"
    )


def test_make_slides_installs_the_carriers_alone_and_takes_a_chapter(house):
    (house / "slides").mkdir()
    shutil.copy(ROOT / "slides" / "requirements.txt", house / "slides")
    code, said, calls = make(house, "slides", "PYTHON=./a-python", "CHAPTER=04")
    assert code == 0 and "--no-deps -r slides/requirements.txt" in calls
    assert calls.splitlines()[-1] == "slides/export.py 04"
    assert make(house, "slides")[2].splitlines()[-1].strip() == "slides/export.py"


def test_an_interrupted_installation_is_taken_up_again(house):
    code, said, calls = make(house, "lab", "PYTHON=./a-python", OFFLINE="1")
    assert code != 0 and "jupyterlab " not in calls
    code, said, calls = make(house, "lab", "PYTHON=./a-python")
    assert code == 0 and "pip install" in calls and "jupyterlab" in calls


def test_an_environment_whose_python_is_gone_is_made_anew(house):
    make(house, "lab", "PYTHON=./a-python")
    (house / ".venv/bin/python").unlink()
    (house / ".venv/bin/python").symlink_to("nowhere")
    code, said, calls = make(house, "lab", "PYTHON=./a-python")
    assert code == 0 and "-m venv --clear" in calls and "jupyterlab" in calls


def test_no_display_means_no_browser_and_root_is_allowed(house):
    start = make(house, "lab", "PYTHON=./a-python")[2].splitlines()[-1]
    assert ("--allow-root" in start) == (os.getuid() == 0)
    if os.uname().sysname != "Darwin":
        assert "--no-browser" in start
    assert "--no-browser" not in make(house, "lab", DISPLAY=":0")[2].splitlines()[-1]


@pytest.mark.parametrize(
    "python, environment, words",
    [
        (
            "./nowhere",
            {},
            ["Python 3.11 or newer is missing", "found: none", "python.org", "PYTHON="],
        ),
        (
            "./a-python",
            {"VERSION": "3.9"},
            ["Python 3.11 or newer is missing", "found: 3.9"],
        ),
        (
            "./a-python",
            {"NO_VENV": "1"},
            ["3.12", "venv", "apt install python3.12-venv"],
        ),
    ],
    ids=["none", "old", "no venv"],
)
def test_one_line_says_what_is_missing(house, python, environment, words):
    code, said, calls = make(house, "lab", f"PYTHON={python}", **environment)
    assert code != 0 and len(said) == 1
    assert all(word in said[0] for word in words)
    assert not (house / ".venv").exists()
