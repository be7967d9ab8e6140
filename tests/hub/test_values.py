"""hub/values.yaml: what Kubernetes would be told, as far as it shows without a cluster.

z2jh/ holds the chart's own values and their schema; their first line names the source.
"""

import copy
import json
import os
import re
import stat
import subprocess

import pytest
import yaml
from chapters import ROOT
from jsonschema import Draft7Validator

Z2JH = ROOT / "tests/hub/z2jh"
PYTHON = ROOT / "hub/.venv/bin/python"
UNITS = {"M": 2**20, "G": 2**30}


def load(path):
    return yaml.safe_load(path.read_text("utf-8"))


def merged(below, above):
    """As helm merges values: key by key, lists and numbers as a whole."""
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    keys = {**below, **above}
    return {
        key: merged(below.get(key), above[key]) if key in above else below[key]
        for key in keys
    }


OURS = load(ROOT / "hub/values.yaml")
VALUES = merged(load(Z2JH / "values.yaml"), OURS)


def faults(values):
    """What the schema of the chart says against these values."""
    found = Draft7Validator(load(Z2JH / "values.schema.yaml")).iter_errors(values)
    return [f"{fault.json_path}: {fault.message}" for fault in found]


def leaves(values, path=""):
    """All values with their paths."""
    if isinstance(values, dict):
        for key, value in values.items():
            yield from leaves(value, f"{path}.{key}")
    elif isinstance(values, list):
        for value in values:
            yield from leaves(value, path)
    else:
        yield path, values


def test_the_chart_takes_our_values():
    assert faults(VALUES) == []
    wrong = copy.deepcopy(VALUES)
    wrong["singleuser"]["memroy"] = {"limit": "1G"}
    assert "memroy" in faults(wrong)[0], "the schema notices a slip"


def test_no_secret_stands_in_the_file():
    for path, value in leaves(OURS):
        name = path.rpartition(".")[2].lower()
        assert not re.search("secret|token|cookiesecret|client_id|api_?key", name), path
        assert name != "password", path
        assert not re.search(r"[0-9a-f]{16}", str(value)), path
    assert VALUES["proxy"]["secretToken"] is VALUES["hub"]["cookieSecret"] is None


def test_the_chart_does_not_let_everybody_in():
    config = VALUES["hub"]["config"]
    assert "dummy" not in config["JupyterHub"]["authenticator_class"]
    assert config["JupyterHub"]["admin_access"] is False
    assert config["Authenticator"]["allowed_users"] == ["<NAME>"]
    assert config["FirstUseAuthenticator"]["create_users"] is False
    assert VALUES["proxy"]["https"]["enabled"]


def test_what_a_teacher_fills_in_is_told():
    found = {
        word for _, value in leaves(OURS) for word in re.findall("<[^>]*>", str(value))
    }
    readme = (ROOT / "hub/README.md").read_text("utf-8")
    assert found and all(f"`{word}`" in readme for word in found), found


def test_the_first_page_is_a_chapter():
    _, _, path = VALUES["singleuser"]["defaultUrl"].partition("positional-encoding/")
    assert (ROOT / path).is_file()


def test_a_home_gets_the_course_and_keeps_its_changes(tmp_path):
    home, course, bin = (tmp_path / name for name in ("home", "course", "bin"))
    (course / "notebooks/trained").mkdir(parents=True)
    (course / "LICENSE").write_text("licence")
    (course / "notebooks/one.ipynb").write_text("new")
    (course / "notebooks/trained/rows").write_text("rows")
    home.mkdir()
    bin.mkdir()
    server = bin / "jupyterhub-singleuser"
    server.write_text('#!/bin/sh\necho "$PWD $*"\n')
    server.chmod(server.stat().st_mode | stat.S_IXUSR)
    command = [
        part.replace("/srv/course", str(course)) for part in OURS["singleuser"]["cmd"]
    ]
    env = {"HOME": str(home), "PATH": f"{bin}:{os.environ['PATH']}"}
    kept = home / "positional-encoding/notebooks/one.ipynb"
    for text in ("new", "mine"):
        done = subprocess.run(
            [*command, "--ip=0.0.0.0"],
            env=env,
            cwd=course,
            capture_output=True,
            text=True,
        )
        assert done.stdout == f"{home} --ip=0.0.0.0\n", done.stderr
        assert kept.read_text() == text
        assert (kept.parent / "trained/rows").exists()
        kept.write_text("mine")


def number(text):
    """Bytes of 512M or 1.5G."""
    return float(text[:-1]) * UNITS[text[-1]]


def test_the_pod_of_a_student_has_limits_and_no_rights():
    run = [PYTHON, ROOT / "tests/hub/pod.py"]
    ready = [PYTHON, "-c", "import kubespawner"]
    if not PYTHON.exists() or subprocess.run(ready, capture_output=True).returncode:
        reason = "KubeSpawner is missing: make test-hub installs it into hub/.venv"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
    done = subprocess.run(
        run, input=json.dumps(VALUES), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    pod = json.loads(done.stdout)["spec"]
    (container,) = pod["containers"]
    memory = OURS["singleuser"]["memory"]
    asked = container["resources"]
    assert asked["requests"]["memory"] == number(memory["guarantee"])
    assert asked["limits"]["memory"] == number(memory["limit"])
    assert asked["requests"]["memory"] < asked["limits"]["memory"]
    assert 0 < asked["requests"]["cpu"] < asked["limits"]["cpu"]
    assert pod["automountServiceAccountToken"] is False
    rights = container["securityContext"]
    assert rights["runAsUser"] == 1000 and rights["runAsNonRoot"]
    assert not rights["allowPrivilegeEscalation"]
    assert rights["capabilities"]["drop"] == ["ALL"]
    environment = {one["name"]: one.get("value") for one in container["env"]}
    assert environment["JUPYTERHUB_DEFAULT_URL"] == OURS["singleuser"]["defaultUrl"]
    assert environment["JUPYTERHUB_DISABLE_USER_CONFIG"] == "1"
    assert environment["OMP_NUM_THREADS"] == "1"
    assert container["args"] == OURS["singleuser"]["cmd"]
    assert container["volumeMounts"][0]["mountPath"] == "/home/jovyan"
