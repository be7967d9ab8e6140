"""Chinese text is drawn where the computer has no Chinese font."""

import json
import re
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from fontTools.ttLib import TTFont
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg

import utils  # noqa: F401 (sets the font)

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
FONT = ROOT / "notebooks" / "fonts" / "noto-sans-cjk-sc-subset.otf"
CHINESE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


@pytest.fixture
def only_our_fonts(monkeypatch):
    manager = font_manager.fontManager
    kept = [
        font
        for font in manager.ttflist
        if "DejaVu" in font.name or Path(font.fname) == FONT
    ]
    monkeypatch.setattr(manager, "ttflist", kept)
    manager._findfont_cached.cache_clear()
    yield
    manager._findfont_cached.cache_clear()


def missing_glyphs(text, **style):
    """The warnings that drawing `text` gives."""
    fig = plt.Figure(figsize=(4, 1))
    fig.text(0, 0.5, text, **style)
    canvas = FigureCanvasAgg(fig)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        canvas.draw()
    return [str(w.message) for w in caught]


@pytest.mark.parametrize(
    "style", [{}, {"fontweight": "bold"}, {"fontsize": 24}], ids=str
)
def test_the_course_s_sentences_need_no_font_of_the_system(only_our_fonts, style):
    assert missing_glyphs("我爱你 LLM张老师", **style) == []
    assert (
        missing_glyphs((FONT.parent / "characters.txt").read_text("utf-8"), **style)
        == []
    )


def test_a_character_outside_the_font_is_noticed(only_our_fonts):
    assert any("Glyph" in warning for warning in missing_glyphs("龘"))


def test_the_font_holds_the_characters_it_was_made_from():
    asked = set((FONT.parent / "characters.txt").read_text("utf-8")) - {"\n"}
    assert asked == {chr(code) for code in TTFont(FONT).getBestCmap()} - {"\n"}
    assert FONT.stat().st_size < 100_000 and (FONT.parent / "OFL.txt").is_file()


def lacking(code):
    """The Chinese characters of `code` that the font does not hold."""
    held = TTFont(FONT).getBestCmap()
    return sorted({c for c in CHINESE.findall(code) if ord(c) not in held})


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem[:2])
def test_every_chinese_character_in_a_chapter_s_code_is_in_the_font(notebook):
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    code = "\n".join(
        "".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"
    )
    assert not lacking(code)


def test_lacking_characters_are_found():
    assert lacking("text('我龘爱，a')") == ["龘"]


@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_no_font_of_the_system_takes_the_place_of_ours(weight, caplog):
    family = plt.rcParams["font.family"][-1]
    properties = font_manager.FontProperties(family=family, weight=weight)
    assert Path(font_manager.findfont(properties)) == FONT and not caplog.records
    assert {
        font.fname for font in font_manager.fontManager.ttflist if font.name == family
    } == {str(FONT)}
