"""The palette, seen with three deficiencies of colour vision and in grey."""

import itertools
import re

import matplotlib as mpl
import numpy as np
import pytest
from colorspacious import cspace_convert, deltaE
from matplotlib.colors import to_rgb

from course import draw
from tests.support.colours import CONTRAST, brightness, contrast
from tools.chapters import NOTEBOOKS, cells

# Colours that some picture tells apart by nothing else: no dash, no mark, no label,
# no other thickness. All are areas or thick hands.
ALONE = [
    *itertools.combinations(("TOKEN", "POSITION", "SUM"), 2),  # token + position = sum
    ("TOKEN", "MARK"),  # bars that stay and bars that move
    ("FAINT", "MARK"),  # one bar among others
    ("POSITION", "INK"),  # hands that are computed and hands that are products
    ("INK", "FAINT"),  # a line and its background
    ("PALE", "FAINT"),  # the face of a clock and its ring
]
VISIONS = ["normal", "grey", "protanomaly", "deuteranomaly", "tritanomaly"]
APART = 14  # in CIE Lab: six times what can just be noticed, seen at a glance
# The colours of words and formulas
WORDS = {draw.SIN, draw.COS_TEXT, draw.TOKEN_TEXT, draw.POSITION_TEXT, draw.SUM}
WORDS |= {draw.MARK}


def seen(colour, vision):
    """A colour in sRGB as somebody sees it."""
    if vision == "grey":
        white = cspace_convert((1, 1, 1), "sRGB1", "XYZ1")
        return cspace_convert(brightness(colour) * white, "XYZ1", "sRGB1")
    if vision == "normal":
        return to_rgb(colour)
    space = {"name": "sRGB1+CVD", "cvd_type": vision, "severity": 100}
    return cspace_convert(to_rgb(colour), space, "sRGB1").clip(0, 1)


def distance(one, other, vision):
    """How far apart two colours look: Delta E of 1976."""
    colours = seen(one, vision), seen(other, vision)
    return deltaE(*colours, input_space="sRGB1", uniform_space="CIELab")


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("pair", ALONE, ids="-".join)
def test_colours_that_stand_alone_are_told_apart(pair, vision):
    assert distance(*(getattr(draw, name) for name in pair), vision) >= APART


def test_signed_values_get_lighter_from_minus_one_to_one_in_grey_print():
    colours = mpl.colormaps[draw.SIGNED](np.linspace(0, 1, 65))[:, :3]
    shades = [brightness(colour) for colour in colours]
    assert (np.diff(shades) > 0).all() and shades[0] < 0.05 and shades[-1] > 0.5


# ---- words ----------------------------------------------------------------------
@pytest.mark.parametrize(
    "path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem
)
def test_words_and_formulas_wear_the_colours_of_the_pictures(path):
    text = "\n\n".join(cell["source"] for cell in cells(path, "markdown"))
    assert {*re.findall(r"#[0-9A-Fa-f]{6}\b", text)} <= WORDS
    # \color would colour all that follows, and not its argument alone.
    assert not re.search(r"\\color\b|color:\s*[a-z]", text)


@pytest.mark.parametrize("colour", sorted(WORDS))
def test_coloured_words_can_be_read_on_white(colour):
    assert contrast(colour) >= CONTRAST


@pytest.mark.parametrize("ground, words", [("PALE", "SUM"), ("FAILED", "MARK")])
def test_verdicts_can_be_read_on_their_cells(ground, words):
    assert contrast(getattr(draw, words), getattr(draw, ground)) >= CONTRAST
