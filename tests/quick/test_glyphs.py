"""Chinese text is drawn alike on every machine, one without a Chinese font, too."""

import re
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from fontTools.ttLib import TTFont
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg

import draw  # noqa: F401 (sets the font)
from tools.chapters import NOTEBOOKS, cells

FONT = NOTEBOOKS / "fonts" / "noto-sans-cjk-sc-subset.otf"
HELD = {chr(code) for code in TTFont(FONT).getBestCmap()}
CHINESE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


@pytest.mark.parametrize(
    "path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda p: p.stem
)
def test_every_chinese_character_in_a_chapter_s_code_is_in_the_font(path):
    code = "\n".join(cell["source"] for cell in cells(path, "code"))
    assert set(CHINESE.findall(code)) <= HELD


@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_a_sentence_is_drawn_in_our_font_and_in_no_other(weight, caplog):
    family = plt.rcParams["font.family"][-1]
    properties = font_manager.FontProperties(family=family, weight=weight)
    assert Path(font_manager.findfont(properties)) == FONT and not caplog.records
    fonts = font_manager.fontManager.ttflist
    assert {font.fname for font in fonts if font.name == family} == {str(FONT)}
    figure = plt.Figure(figsize=(4, 1))
    figure.text(0, 0.5, "我爱你 LLM 张老师", weight=weight)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib warns of a glyph that it lacks
        FigureCanvasAgg(figure).draw()
