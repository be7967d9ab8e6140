"""Text is drawn alike on every machine, one without a Chinese font, too."""

import re
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from fontTools.ttLib import TTFont
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg

from course import draw
from tools.chapters import NOTEBOOKS, cells

FONT = NOTEBOOKS / "course" / "fonts" / "noto-sans-cjk-sc-subset.otf"
HELD = {chr(code) for code in TTFont(FONT).getBestCmap()}
CHINESE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


@pytest.mark.parametrize(
    "path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda p: p.stem
)
def test_every_chinese_character_in_a_chapter_s_code_is_in_the_font(path):
    code = "\n".join(cell["source"] for cell in cells(path, "code"))
    assert set(CHINESE.findall(code)) <= HELD


@pytest.mark.parametrize("look", draw.FONTS, ids=lambda look: "-".join(map(str, look)))
def test_letters_are_drawn_in_our_fonts_and_in_no_other(look, caplog):
    file, family, style, weight = look
    properties = font_manager.FontProperties(family=family, style=style, weight=weight)
    found = Path(font_manager.findfont(properties))
    assert found == FONT.with_name(file) and not caplog.records
    files = {f.fname for f in font_manager.fontManager.ttflist if f.name == family}
    assert {Path(file).parent for file in files} == {FONT.parent}


@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_a_sentence_finds_all_its_letters(weight):
    with draw.figure(figsize=(4, 1)) as figure, warnings.catch_warnings():
        assert plt.rcParams["font.family"][0] == "Course Sans"
        figure.text(0, 0.5, "我爱你 LLM 张老师, ω ≈ 0.1 − ½ → nǐ ✓ ✗", weight=weight)
        warnings.simplefilter("error")  # matplotlib warns of a glyph that it lacks
        FigureCanvasAgg(figure).draw()
