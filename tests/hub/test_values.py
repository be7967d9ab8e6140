"""hub/values.yaml: what can be checked without a cluster."""

import json
import os
import subprocess

import yaml
from jsonschema import Draft7Validator

from tools.chapters import ROOT

OURS = yaml.safe_load((ROOT / "hub/values.yaml").read_text("utf-8"))
# Of the chart "Zero to JupyterHub"; its first words have the source. It is kept here
# because helm, which would check values with it, is not on every machine.
SCHEMA = json.loads((ROOT / "tests/hub/z2jh/values.schema.json").read_text("utf-8"))


def test_the_chart_takes_our_values():
    faults = [
        f"{fault.json_path}: {fault.message}"
        for fault in Draft7Validator(SCHEMA).iter_errors(OURS)
        if fault.validator != "required"  # what we do not set, the chart does
    ]
    assert faults == []


def test_a_home_gets_the_course_and_keeps_what_was_changed(tmp_path):
    course, home, bin = (tmp_path / name for name in ("course", "home", "bin"))
    for folder in (course / "notebooks", home, bin):
        folder.mkdir(parents=True)
    (course / "LICENSE").touch()
    (course / "notebooks/one.ipynb").write_text("new")
    (bin / "jupyterhub-singleuser").write_text('#!/bin/sh\necho "$PWD $*"\n')
    (bin / "jupyterhub-singleuser").chmod(0o755)
    command = OURS["singleuser"]["cmd"] + ["--port=1"]
    command = [part.replace("/srv/course", str(course)) for part in command]
    env = {"HOME": str(home), "PATH": f"{bin}:{os.environ['PATH']}"}
    notebook = home / "positional-encoding/notebooks/one.ipynb"
    for text in ("new", "changed by a student"):
        server = subprocess.check_output(command, env=env, text=True)
        assert server == f"{home} --port=1\n"
        assert notebook.read_text() == text
        notebook.write_text("changed by a student")
