"""What README and the book say of `make bench` is what it has measured."""

import json

import pytest

from bench import report


@pytest.mark.parametrize(
    "path", [report.README, report.PAGE], ids=lambda path: path.name
)
def test_the_figures_of_a_page_are_those_that_were_measured(path):
    results = json.loads(report.RESULTS.read_text("utf-8"))
    assert report.with_results(path, results) == path.read_text("utf-8")
