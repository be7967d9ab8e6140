"""What README and book say of `make bench` is what it has measured."""

import json
import sys

import pytest
from chapters import ROOT

sys.path.append(str(ROOT / "bench"))
import measure

RESULTS = json.loads(measure.RESULTS.read_text("utf-8"))


@pytest.mark.parametrize("page", measure.PAGES, ids=lambda page: page.name)
def test_the_figures_of_a_page_are_those_that_were_measured(page):
    assert measure.put(RESULTS, page) == page.read_text("utf-8")


def test_a_whole_run_was_kept_and_not_a_sample():
    assert not RESULTS["where"]["quick"]
    assert min(row["events"] for row in RESULTS["sliders"]["rows"]) >= 200


def test_the_picture_is_there():
    assert measure.PICTURE.read_bytes().startswith(b"\x89PNG")
