"""A lecturer relies on this: `make slides` refuses what is too large, and says so."""

import re

import pytest
from nbconvert import SlidesExporter

from render.formulas import placeholder, with_formulas
from slides import export
from tests.support.decks import quiet_deck
from tests.support.small_chapter import chapter_of, code_cell, wave_cell
from tools.chapters import (
    DECKS,
    cells,
    explorer_metadata,
    outputs_of,
    slide_type,
    still_metadata,
)


# ---- what goes wrong ----------------------------------------------------------------
def test_a_chapter_that_fails_says_which_cell_and_leaves_other_decks_alone(tmp_path):
    good = chapter_of(tmp_path, name="21_good")
    bad = chapter_of(tmp_path, code_cell("1 / 0", id="ratio"), name="22_bad")
    (tmp_path / "22_bad.html").write_text("the deck of yesterday")
    with pytest.raises(SystemExit, match="22: no deck. cell ratio failed:\n1 / 0"):
        export.export([bad, good], tmp_path, cache=tmp_path)
    assert "<section" in (tmp_path / "21_good.html").read_text("utf-8")
    assert (tmp_path / "22_bad.html").read_text() == "the deck of yesterday"


def test_what_is_too_large_is_named(tmp_path, monkeypatch):
    path = chapter_of(tmp_path, wave_cell("k=range(1, 152), a=[0]", id="too-many"))
    many = r"cell too-many \(k 151 × a 1\) needs 151 frames, at most 150 .* `export`"
    with pytest.raises(export.OverBudget, match=many):
        quiet_deck(path)
    monkeypatch.setattr(export, "MEGABYTES", 1)
    path = chapter_of(tmp_path, wave_cell("k=[1, 2], a=[0]"))
    with pytest.raises(export.OverBudget, match=r"the deck has 1\.\d MB, at most 1"):
        quiet_deck(path)


# ---- Jupyter's own exporter ---------------------------------------------------------
def test_the_stock_exporter_gives_a_deck_with_first_pictures():
    shown = [cell for cell in cells(DECKS[3]) if slide_type(cell) != "skip"]
    pictures = sum(
        bool(still_metadata(o) or explorer_metadata(o)) for o in outputs_of(shown)
    )
    page, _ = SlidesExporter().from_filename(DECKS[3])
    assert page.count('src="data:image/png;base64,') == pictures > 0
    assert page.count('<aside class="notes">') > 0
    words = re.sub("<[^>]+>", "", page)
    assert not re.search(r"explore\(|\[picture\]|Loading|Exercises", words)


def test_a_formula_that_cannot_be_read_is_named():
    with pytest.raises(ValueError, match=r"\\frac a is no formula: Missing argument"):
        with_formulas(placeholder(r"\frac a"))
    page = with_formulas(placeholder("x < 2") + placeholder("x < 2", display=True))
    assert page.count("<svg") == page.count("<math") == 2
    assert page.count('display="true"') == 1
