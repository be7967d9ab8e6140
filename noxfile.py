"""The course with other versions, each set in an environment of its own in .nox.

The newest Python and packages are those of `make test` in CI.
`nox` runs all sessions but prerelease, `nox -s colab -- -k 01_` one; what follows --
is pytest's.
"""

import os
import shutil
import sys
from pathlib import Path

import nox

nox.options.default_venv_backend = "uv"
nox.options.reuse_venv = "yes"
os.environ["NOX_ENABLE_STALENESS_CHECK"] = "1"  # not with another Python than before

OLDEST, COLAB, NEWEST = 11, 13, 14  # the minor versions of Python 3
PYTEST = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
CHAPTERS = ["tests/run/test_notebooks.py"]
MODULES = [
    f"tests/quick/test_{name}.py"
    for name in ("mathematics", "bad_input", "explorer", "painter")
]
TOOLS = ["-c", "requirements-dev.txt", "pytest", "pytest-xdist", "hypothesis"]
OLD = ["pyparsing>=3.2,<3.3"]  # 3.3 deprecates what matplotlib 3.10 calls
# What old packages say to each other is theirs; with the newest it fails a test.
QUIET = ["-W", "ignore::DeprecationWarning", "-W", "ignore::PendingDeprecationWarning"]


def python(wanted):
    """The wanted Python 3, or the nearest older one here, or the one that runs nox."""
    pyenv = map(str, Path.home().glob(".pyenv/versions/*/bin"))
    path = os.pathsep.join([*pyenv, os.environ["PATH"]])
    for minor in range(wanted, OLDEST - 1, -1):
        if found := shutil.which(f"python3.{minor}", path=path):
            return found
    return sys.executable


def run_suite(session, packages, wanted, *tests):
    """Install packages, say which Python takes them, and run tests in no browser."""
    session.install("--upgrade", "--exact", "--no-build", *packages, *TOOLS)
    session.log(f"Python 3.{wanted} is wanted; taken is {python(wanted)}")
    parallel = ["-n", "auto", "--maxprocesses=4", "--dist", "loadgroup"]
    chosen = ["-m", "not browser and not once"]
    session.run("python", *PYTEST, *parallel, *chosen, *tests, *session.posargs)


def run_in_browser(session, *tests):
    """Run tests in our own Chromium, with the server of this session."""
    env = {"LAB_PYTHON": f"{session.virtualenv.bin}/python"}
    session.run(sys.executable, *PYTEST, *tests, external=True, env=env)


@nox.session(python=python(OLDEST))
def lowest(session):
    """The lowest versions that requirements.txt allows, and their JupyterLab."""
    versions = ["--resolution=lowest-direct", "-r", "requirements.txt", *OLD]
    run_suite(session, versions, OLDEST, *QUIET, *CHAPTERS, *MODULES)
    run_in_browser(session, *CHAPTERS, "-k", "jupyterlab and 11_")


@nox.session(python=python(COLAB))
def colab(session):
    """The versions that Colab has, and the classic notebook that shares its widgets."""
    versions = ["-r", "tests/platforms/colab.txt", *OLD]
    run_suite(session, versions, COLAB, *QUIET, *CHAPTERS, *MODULES)
    run_in_browser(session, "tests/platforms/test_classic.py")


@nox.session(python=python(NEWEST), default=False)
def prerelease(session):
    """What is about to be released, with the names of matplotlib that are its own."""
    packages = ["--prerelease=allow", "-r", "requirements.txt"]
    run_suite(session, packages, NEWEST, *QUIET, *CHAPTERS, *MODULES)


# With pip: it takes a build for the CPU where one lies, uv one for graphics cards.
@nox.session(python=python(OLDEST), venv_backend="venv")
def torch(session):
    """Ask PyTorch whether what chapter 11 says is true; train a little of 9 and 10."""
    session.install("-q", "-r", "experiments/requirements.txt")
    session.install("-q", "-r", "requirements.txt", *TOOLS)
    tests = ["tests/platforms/test_torch.py", "tests/experiments"]
    env = {"OMP_NUM_THREADS": "1"}  # small models: threads would wait for each other
    session.run("python", *PYTEST, *tests, *session.posargs, env=env)


@nox.session
def binder(session):
    """Ask Binder's builder what it would build."""
    session.install("--no-build", "jupyter-repo2docker==2026.4.0", "nbformat", *TOOLS)
    tests = ["--noconftest", "tests/platforms/test_binder.py"]
    session.run("python", *PYTEST, *tests, *session.posargs)
