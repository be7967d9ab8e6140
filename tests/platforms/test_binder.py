"""Binder takes the file that we think it takes."""

import re
import subprocess
import sys

import pytest

from tools.chapters import ROOT

pytest.importorskip("repo2docker", reason="for `nox -s binder`")


def test_binder_reads_environment_yml_and_no_other_file():
    """What it would do is asked without building; other files would come before."""
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", ROOT]
    done = subprocess.run(command, capture_output=True, text=True)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    (python,) = re.findall(r"- python=(3\.\d+)", (ROOT / "environment.yml").read_text())
    assert f"conda environment for python={python}" in output
    assert 'env update -p ${NB_PYTHON_PREFIX} --file "environment.yml"' in output
    assert "requirements.txt" not in output
