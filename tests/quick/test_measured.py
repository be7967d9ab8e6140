"""What README and the book say of `make bench` is what it has measured."""

import json

import pytest

from bench import report
from tools.chapters import CHAPTERS, calls, cells

RESULTS = json.loads(report.RESULTS.read_text("utf-8"))


@pytest.mark.parametrize(
    "path", [report.README, report.PAGE], ids=lambda path: path.name
)
def test_the_figures_of_a_page_are_those_that_were_measured(path):
    assert report.with_results(path, RESULTS) == path.read_text("utf-8")


def test_every_explorer_was_measured_and_no_other():
    explorers = [
        f"{path.stem.partition('_')[0]}/{cell['id']}"
        for path in CHAPTERS
        for cell in cells(path, "code")
        if calls("explore", cell)
    ]
    assert [row["name"] for row in RESULTS["explorers"]] == explorers
