"""Virtual environments in .platforms/, one for each set of versions that the course promises to run with.

`python tests/platforms/environments.py` makes those that are missing or out of date; the tests only use them.
"""
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / ".platforms"
BINDER = ["jupyter-repo2docker==2026.4.0"]


def requirements(name):
    """The lines of a requirements file; its name is relative to the repository."""
    lines = (ROOT / name).read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


OWN, COLAB = requirements("requirements.txt"), requirements("tests/platforms/colab.txt")
DEV = requirements("requirements-dev.txt")
TOOLS = [line for line in DEV if re.match("pytest|hypothesis|fonttools", line)]
OLD = [*TOOLS, "pyparsing<3.3"]  # which deprecates what matplotlib 3.10 calls


def pythons():
    """The Pythons of this machine that the course supports: version -> path."""
    known = [*map("python3.{}".format, range(11, 15)),
             *sorted(Path.home().glob(".pyenv/versions/3.1[1-4].*/bin/python"))]
    question = "import sys, venv, ensurepip; print(*sys.version_info[:2], sys.executable)"
    found = {}
    for python in map(str, known):
        try:
            told = subprocess.run([python, "-c", question], capture_output=True, text=True)
        except FileNotFoundError:
            continue
        if told.returncode == 0:
            major, minor, path = told.stdout.split(maxsplit=2)
            found.setdefault((int(major), int(minor)), path.strip())
    return dict(sorted(found.items()))


@cache
def wanted():
    """Name -> (Python, packages) for every environment."""
    found = pythons()
    lowest = [re.sub(">=(.+),<.+", r"==\1", line) for line in OWN]
    oldest, newest = found[min(found)], found[max(found)]
    sets = {f"colab-{major}.{minor}": (python, COLAB + OLD)
            for (major, minor), python in found.items() if minor <= 13}
    return sets | {"lowest": (oldest, lowest + OLD), "newest": (newest, OWN + TOOLS),
                   "binder": (oldest, BINDER)}


def python_of(name):
    return FOLDER / name / "bin" / "python"


def make(name, python, packages):
    stamp, text = FOLDER / name / "installed", "\n".join([python, *packages])
    fresh = stamp.is_file() and stamp.read_text("utf-8") == text
    if not fresh:
        subprocess.run([python, "-m", "venv", "--clear", FOLDER / name], check=True)
    if not fresh or name == "newest":
        subprocess.run([python_of(name), "-m", "pip", "install", "-qq", "--disable-pip-version-check",
                        "--upgrade", *packages], check=True)
    stamp.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    environments = wanted()
    print(f"In .platforms: {', '.join(environments)}; the first time this takes some minutes …", flush=True)
    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(make, name, *rest) for name, rest in environments.items()]:
            future.result()
