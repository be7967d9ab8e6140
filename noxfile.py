"""The course with other versions, each set in an environment of its own in .nox.

`nox` runs all sessions, `nox -s colab -- -k 01_` one; what follows -- is pytest's.
"""

import os
import sys
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tests" / "platforms"))
from pythons import COLAB, choose, installed, requirements  # noqa: E402

os.environ.setdefault("UV_PYTHON_DOWNLOADS", "never")
nox.options.default_venv_backend = "uv"
nox.options.reuse_venv = "yes"
os.environ["NOX_ENABLE_STALENESS_CHECK"] = "1"  # not with another Python than before

PYTHONS = installed()
CHOSEN = choose(PYTHONS)
DEV = requirements("requirements-dev.txt")
TOOLS = [line for line in DEV if line.startswith(("pytest", "hypothesis", "fonttools"))]
OLD = ["pyparsing>=3.2,<3.3"]  # 3.3 deprecates what matplotlib 3.10 calls
# What old packages say to each other is theirs; with the newest it fails a test.
QUIET = ["-W", "ignore::DeprecationWarning", "-W", "ignore::PendingDeprecationWarning"]
PYTEST = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
PARALLEL = ["-n", "auto", "--maxprocesses=4"]
NAMES = [
    "mathematics",
    "bad_input",
    "explorer",
    "helpers",
    "notebooks",
    "glyphs",
    "alone",
]
SUITE = [f"tests/test_{name}.py" for name in NAMES]
SUITE.append("tests/platforms/test_versions.py")


def install(session, *packages):
    session.install("--upgrade", "--exact", "--no-build", *packages, *TOOLS)


def run_suite(session, *options):
    session.run("python", *PYTEST, *PARALLEL, *SUITE, *options, *session.posargs)


def run_in_browser(session, name, program, variable, *tests):
    """Run tests in our own Chromium, with the server of another session."""
    programs = ROOT / ".nox" / name / "bin"
    if not (programs / program).exists():
        session.skip(f"first `nox -s {name}`, which installs {program}")
    session.run(
        sys.executable,
        *PYTEST,
        *tests,
        *session.posargs,
        external=True,
        env={variable: str(programs / "python")},
    )


@nox.session(python=PYTHONS[CHOSEN["colab"]])
def colab(session):
    """Run the suite with the versions that Colab has."""
    if CHOSEN["colab"] != COLAB:
        session.warn(
            "Colab has Python {}.{}; the nearest here is {}.{}".format(
                *COLAB, *CHOSEN["colab"]
            )
        )
    if CHOSEN["colab"] > COLAB:
        session.skip("Colab's packages are too old for this Python")
    install(session, "-r", "tests/platforms/colab.txt", *OLD)
    run_suite(session, *QUIET)


@nox.session(python=PYTHONS[CHOSEN["lowest"]])
def lowest(session):
    """Run the suite with the lowest versions that requirements.txt allows."""
    install(session, "--resolution=lowest-direct", "-r", "requirements.txt", *OLD)
    run_suite(session, *QUIET)


@nox.session(python=PYTHONS[CHOSEN["newest"]])
def newest(session):
    """Run the suite with the newest versions that requirements.txt allows."""
    install(session, "-r", "requirements.txt")
    run_suite(session)


# With pip: it takes a build for the CPU where one lies, uv one for graphics cards.
@nox.session(python=PYTHONS[CHOSEN["torch"]], venv_backend="venv")
def torch(session):
    """Ask PyTorch whether what chapter 10 says is true; train a little of chapter 9."""
    session.install("-q", "-r", "experiments/requirements.txt")
    session.install("-q", "-r", "requirements.txt", *TOOLS)
    tests = ["tests/test_torch.py", "tests/test_experiments.py"]
    session.run("python", *PYTEST, *tests, *session.posargs)


@nox.session(venv_backend="none")
def classic(session):
    """Move the sliders in the classic notebook of Colab's versions."""
    run_in_browser(
        session,
        "colab",
        "jupyter-notebook",
        "COLAB_PYTHON",
        "tests/platforms/test_classic.py",
    )


@nox.session(venv_backend="none")
@nox.parametrize("end", ["lowest", "newest"])
def lab(session, end):
    """Move the sliders of chapter 2 in the lowest and in the newest JupyterLab."""
    run_in_browser(
        session,
        end,
        "jupyter-lab",
        "LAB_PYTHON",
        "tests/test_notebooks.py",
        "-k",
        "jupyterlab and 02_",
    )


@nox.session(python=PYTHONS[CHOSEN["binder"]])
def binder(session):
    """Ask Binder's builder what it would build."""
    install(session, "jupyter-repo2docker==2026.4.0")
    session.run(
        "python",
        *PYTEST,
        "--noconftest",
        "tests/platforms/test_binder.py",
        *session.posargs,
    )
