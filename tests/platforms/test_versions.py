"""The course runs in Colab's set of versions, at the lowest and the newest that requirements.txt allows."""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from environments import COLAB, OWN, ROOT, python_of, wanted

SUITE = [f"tests/test_{name}.py"
         for name in ("mathematics", "bad_input", "explorer", "notebooks", "glyphs", "alone")]
# What old packages say to each other is theirs; at the newest end a word of deprecation fails a test.
OLD = ["-W", "ignore::DeprecationWarning", "-W", "ignore::PendingDeprecationWarning"]
NAMES = [name for name in wanted() if name != "binder"]


def versions(name):
    """The packages of an environment: name in small letters -> version."""
    command = [python_of(name), "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {re.sub("[-_.]+", "-", package).lower(): version for package, version in
            (line.split("==") for line in listed.split() if "==" in line)}


@pytest.fixture(scope="module")
def runs():
    """The suite in all environments, as many at a time as there are cores: name -> (exit code, its words)."""
    def run(name):
        command = [python_of(name), "-m", "pytest", "-q", "-p", "no:cacheprovider", *SUITE]
        command += OLD if name != "newest" else []
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {name: pool.submit(run, name) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_the_suite_passes(runs, name):
    code, said = runs[name].result()
    print(said[-6000:])
    passed = re.search(r"(\d+) passed in", said)
    assert code == 0 and int(passed[1]) > 200


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("colab")])
def test_colab_s_set_is_exactly_colab_s(name):
    found = versions(name)
    for line in COLAB:
        package, version = line.lower().replace("_", "-").split("==")
        assert found[package] == version
    assert "jupyterlab" not in found and "ipympl" not in found


def test_the_lowest_versions_are_those_of_the_requirements():
    found = versions("lowest")
    for line in OWN:
        package, low = re.match(r"([\w-]+)>=([\d.]+),<\d+$", line).groups()
        assert (found[package] + ".0.0").startswith(low)


@pytest.mark.parametrize("name", ["lowest", "newest"])
def test_sliders_live_in_its_jupyterlab(name):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_lab.py",
               "-k", "chapter and 02_"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, "LAB_PYTHON": str(python_of(name))})
    print(done.stdout[-6000:])
    assert done.returncode == 0 and "1 passed" in done.stdout
