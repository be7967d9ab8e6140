"""The Pythons of this machine, and which of them a session of noxfile.py takes."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
OLDEST = (3, 11)  # that the course supports
COLAB = (3, 13)  # that Colab has, read in August 2026


def requirements(name):
    """The lines of a requirements file; its name is relative to the repository."""
    lines = (ROOT / name).read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def choose(versions):
    """Session -> version: the one that it takes of all those on a machine.

    Where Colab's own is absent, the nearest is the last one before it: old packages
    run there. Only where there is none, it is the first one after it.
    """
    supported = sorted(version for version in versions if version >= OLDEST)
    oldest = supported[0]
    newest = supported[-1]
    colab = max([v for v in supported if v <= COLAB], default=oldest)
    return {
        "colab": colab,
        "lowest": oldest,
        "newest": newest,
        "torch": oldest,
        "binder": oldest,
    }


def understand(listed):
    """Version -> path, of what uv lists; the first of equal ones, no unusual builds."""
    found = {}
    for python in listed:
        usual = python["implementation"] == "cpython" and python["variant"] == "default"
        final = python["version"].replace(".", "").isdigit()
        version = (python["version_parts"]["major"], python["version_parts"]["minor"])
        if usual and final:
            found.setdefault(version, python["path"])
    return found


def installed():
    """Version -> path, of the Pythons on this machine; this one always counts."""
    pyenv = [str(folder) for folder in Path.home().glob(".pyenv/versions/*/bin")]
    path = os.pathsep.join([*pyenv, os.environ["PATH"]])
    command = [sys.executable, "-m", "uv", "python", "list", "--only-installed"]
    done = subprocess.run(
        [*command, "--output-format", "json"],
        check=True,
        text=True,
        env=os.environ | {"PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )  # which tells of each broken one
    return understand(json.loads(done.stdout)) | {sys.version_info[:2]: sys.executable}
