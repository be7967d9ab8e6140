"""What README and the book say of `make bench` is what it has measured."""

import json

import pytest

from bench import measure

RESULTS = json.loads(measure.RESULTS.read_text("utf-8"))


@pytest.mark.parametrize("path", measure.PAGES, ids=lambda path: path.name)
def test_the_figures_of_a_page_are_those_that_were_measured(path):
    assert measure.put(RESULTS, path) == path.read_text("utf-8")
