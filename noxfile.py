"""Tests with other versions of Python and of packages.

The newest Python and packages are those of `make test` in CI.
`nox` runs all sessions but prerelease, `nox -s colab -- -k 01_` one; what follows --
is pytest's. A Python that is not on this machine is fetched by uv.
"""

import os
import sys
from pathlib import Path

import nox

nox.options.default_venv_backend = "uv"
nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = True  # no session is left out in silence
os.environ.pop("PIP_CONSTRAINT", None)  # each session has versions of its own
for folder in Path.home().glob(".pyenv/versions/3.1?.*/bin"):  # pyenv shows one alone
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"

PYTEST = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
CHAPTERS = ["tests/run/test_notebooks.py"]
MODULES = [
    f"tests/quick/test_{name}.py"
    for name in (
        *("mathematics", "bad_input", "helpers", "examples"),
        *("draw", "explorer", "configs"),
    )
]
TOOLS = ["-c", "requirements-dev.txt", "pytest", "pytest-xdist", "hypothesis"]
OLD = ["pyparsing>=3.2,<3.3"]  # 3.3 deprecates what matplotlib 3.10 calls
# What old packages say to each other is theirs; with the newest it fails a test.
QUIET = ["-W", "ignore::DeprecationWarning", "-W", "ignore::PendingDeprecationWarning"]


def run_suite(session, packages):
    """Install packages and run chapters and modules with them, in no browser."""
    session.install("--upgrade", "--exact", "--no-build", *packages, *TOOLS)
    parallel = ["-n", "auto", "--maxprocesses=4", "--dist", "loadgroup"]
    tests = [*QUIET, "-m", "not browser", *CHAPTERS, *MODULES]
    session.run("python", *PYTEST, *parallel, *tests, *session.posargs)


def run_in_browser(session, *tests):
    """Run tests in our own Chromium, with the server of this session."""
    env = {"LAB_PYTHON": f"{session.virtualenv.bin}/python"}
    session.run(sys.executable, *PYTEST, *tests, external=True, env=env)


@nox.session(python="3.11")
def lowest(session):
    """The lowest versions that requirements.txt allows, and their JupyterLab."""
    run_suite(session, ["--resolution=lowest-direct", "-r", "requirements.txt", *OLD])
    run_in_browser(session, *CHAPTERS, "-k", "jupyterlab and 11_")


@nox.session(python="3.13")
def colab(session):
    """The versions that Colab has, and the classic notebook that shares its widgets."""
    run_suite(session, ["-r", "tests/platforms/colab.txt", *OLD])
    run_in_browser(session, "tests/platforms/test_classic.py")


@nox.session(python="3.14", default=False)
def prerelease(session):
    """What is about to be released, with the names of matplotlib that are its own."""
    run_suite(session, ["--prerelease=allow", "-r", "requirements.txt"])


# With pip: it takes a build for the CPU where one lies, uv one for graphics cards.
@nox.session(python="3.11", venv_backend="venv")
def torch(session):
    """Ask PyTorch whether what chapter 11 says is true; train a little of 9 and 10.

    Ask Transformers whether chapter 8 and the reader of config.json agree with it.
    """
    session.install("-q", "-r", "experiments/requirements.txt")
    session.install("-q", "transformers>=5.24,<6")
    session.install("-q", "-r", "requirements.txt", *TOOLS)
    tests = ["tests/platforms/test_torch.py", "tests/platforms/test_chapter_08.py"]
    tests += ["tests/platforms/test_configs.py", "tests/experiments"]
    env = {"OMP_NUM_THREADS": "1"}  # small models: threads would wait for each other
    session.run("python", *PYTEST, *tests, *session.posargs, env=env)
