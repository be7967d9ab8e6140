"""A stranger relies on this: what the repository says of itself is so."""

import json
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
import yaml
from chapters import CHAPTERS, ROOT, title

from utils import frequencies, positional_encoding

GITHUB = ROOT / ".github"
WORKFLOWS = sorted(GITHUB.glob("workflows/*.yml"))
FORMS = sorted(GITHUB.glob("ISSUE_TEMPLATE/[0-9]*.yml"))


def text(name):
    return (ROOT / name).read_text("utf-8")


def parsed(path):
    return yaml.safe_load(path.read_text("utf-8"))


def targets():
    """The commands that `make` alone lists."""
    return set(re.findall(r"(?m)^([a-z-]+):.*## ", text("Makefile")))


# ---- workflows and hooks --------------------------------------------------------
def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def made(workflow):
    """The make targets that a workflow runs; any other line stays whole."""
    found = []
    for step in steps(workflow):
        for line in step.get("run", "").splitlines():
            found += line.split()[1:] if line.startswith("make ") else [line]
    return found


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_make_and_nothing_else(path):
    workflow = parsed(path)
    assert set(made(workflow)) <= targets()
    used = [step["uses"] for step in steps(workflow) if "uses" in step]
    assert [action for action in used if not re.search(r"@v\d+$", action)] == []


def test_a_step_that_is_not_make_is_noticed():
    step = {"run": "make quick test\npip install numpy"}
    workflow = {"jobs": {"a": {"steps": [step]}}}
    assert made(workflow) == ["quick", "test", "pip install numpy"]


def test_the_workflows_leave_out_nothing_that_ci_run_checks():
    everything = re.search(r"(?m)^make ([a-z -]+)", text(".ci/run"))[1].split()
    found = {name for path in WORKFLOWS for name in made(parsed(path))}
    assert set(everything) <= found


def test_a_hook_calls_a_tool_of_the_environment_or_make():
    hooks = parsed(ROOT / ".pre-commit-config.yaml")["repos"][0]["hooks"]
    for hook in hooks:
        tool, *words = hook["entry"].split()
        assert tool == ".venv/bin/python" or tool == "make" and set(words) <= targets()


# ---- issue forms ----------------------------------------------------------------
def fields(form):
    return {field["id"]: field["attributes"] for field in form["body"]}


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_has_a_name_and_a_label_for_every_field(path):
    form = parsed(path)
    assert form["name"] and form["description"]
    assert all(field["label"] for field in fields(form).values())
    assert len(fields(form)) == len(form["body"])


def test_the_form_lists_the_chapters():
    found = [
        fields(form)["chapter"]["options"]
        for form in map(parsed, FORMS)
        if "chapter" in fields(form)
    ]
    assert found == [[title(path) for path in CHAPTERS]]


def test_the_forms_name_the_same_platforms():
    found = [
        fields(form)["platform"]["options"]
        for form in map(parsed, FORMS)
        if "platform" in fields(form)
    ]
    assert len(found) == 2 and found[0] == found[1]


# ---- who, under which licence, which version -------------------------------------
def test_licence_and_citation_name_the_same_holder_and_licences():
    citation, licence = parsed(ROOT / "CITATION.cff"), text("LICENSE")
    (author,) = citation["authors"]
    holder = re.search(r"Copyright \(c\) \d+ (.+)", licence)[1]
    assert holder.casefold() == author["name"].casefold()
    assert author["name"].endswith(citation["title"])
    assert citation["license"] == ["MIT", "CC-BY-4.0"]
    assert "MIT License" in licence and "CC BY 4.0" in licence


def test_citation_and_changelog_speak_of_the_same_version():
    newest = re.search(r"(?m)^## (.+)", text("CHANGELOG.md"))[1]
    assert parsed(ROOT / "CITATION.cff")["version"] in newest


# ---- what CONTRIBUTING says ------------------------------------------------------
def words_of(cell):
    """What a contributor can meet in a cell's metadata: tags, keys, the slide type."""
    metadata = cell["metadata"]
    return {*metadata, *metadata.get("tags", []), metadata["slideshow"]["slide_type"]}


def unexplained(page, cells):
    """Words of these cells' metadata that the page does not name."""
    named = {
        part
        for code in re.findall(r"`([^`\n]+)`", page)
        for part in (code, *code.split("."))
    }
    return set().union(*map(words_of, cells)) - named - {"tags"}


def test_contributing_explains_what_stands_in_the_cells_metadata():
    cells = [
        cell
        for path in CHAPTERS
        for cell in json.loads(path.read_text("utf-8"))["cells"]
    ]
    assert unexplained(text("CONTRIBUTING.md"), cells) == set()
    page = text("CONTRIBUTING.md").replace("`volatile`", "")
    assert unexplained(page, cells) == {"volatile"}


def test_contributing_lists_the_commands_of_make():
    listed = re.findall(r"(?m)^\| `make ([a-z-]+)", text("CONTRIBUTING.md"))
    assert sorted(listed) == sorted(targets())


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        ".github/pull_request_template.md",
    ],
)
def test_a_page_names_only_commands_that_exist(name):
    assert set(re.findall(r"`make ([a-z-]+)", text(name))) <= targets()


def examples():
    """The two pieces of Python in CONTRIBUTING: the example and its counter-example."""
    return re.findall(r"```python\n(.*?)```", text("CONTRIBUTING.md"), re.DOTALL)


def drawn(source):
    """What the example says at each pair, if none of its assertions fails."""
    names = {
        "np": np,
        "frequencies": frequencies,
        "positional_encoding": positional_encoding,
    }
    exec(source, names)
    update = names["draw_wave"](plt.Figure())
    return [update(pair) for pair in range(4)]


def test_the_example_in_contributing_runs():
    example, counter_example = examples()
    assert drawn(example)[1] == "Pair 1 comes back after 62.8 positions."
    body = example.partition("        wavelength =")[0] + counter_example
    wrong = drawn(body + "    return update\n")
    assert wrong[1] == "Pair 1 comes back after 31.4 positions.", "as the page says"


@pytest.mark.parametrize(
    "right, wrong",
    [
        ("2 * np.pi", "np.pi"),
        ("pos, 8)[:, 2 * pair]", "pos, 8)[:, 2 * pair - 2]"),
        ("[wavelength, wavelength]", "[pair, pair]"),
    ],
)
def test_the_example_in_contributing_stops_where_its_picture_is_wrong(right, wrong):
    example, _ = examples()
    assert right in example
    with pytest.raises(AssertionError):
        drawn(example.replace(right, wrong))
