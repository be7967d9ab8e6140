"""The palette, seen with three deficiencies of colour vision and in grey."""

import ast
import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import utils

NOTEBOOKS = sorted(Path(utils.__file__).parent.glob("*.ipynb"))

# Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color
# Vision Deficiency", 2009, severity 1.0; they act on linear RGB.
VISIONS = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
    "grey": np.tile([0.2126, 0.7152, 0.0722], (3, 1)),
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)

# Colours that some picture tells apart by nothing else: no dash, no mark, no label,
# no other thickness. All are areas or thick hands. A difference of 2.3 in CIE Lab can
# just be noticed; six times that is seen at a glance, in small areas, too.
ALONE = [
    *itertools.combinations(("TOKEN", "POSITION", "SUM"), 2),  # token + position = sum
    ("TOKEN", "MARK"),  # bars that stay and bars that move
    ("FAINT", "MARK"),  # one bar among others
    ("PALE", "MARK"),  # what passes and what fails, on a board
    ("POSITION", "INK"),  # hands that are computed and hands that are products
    ("INK", "FAINT"),  # a line and its background
    ("PALE", "FAINT"),  # the face of a clock and its ring
]
APART = 14
WORDS, LINES = 4.5, 3.0  # contrast with white, by WCAG 2.2, 1.4.3 and 1.4.11


def linear(colour):
    """A colour "#rrggbb" as linear RGB."""
    light = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(light > 0.04045, ((light + 0.055) / 1.055) ** 2.4, light / 12.92)


def contrast(colour):
    """The contrast of a colour "#rrggbb" with white."""
    return 1.05 / (linear(colour) @ VISIONS["grey"][0] + 0.05)


def lab(rgb):
    """Linear RGB in CIE Lab."""
    t = TO_XYZ @ rgb / TO_XYZ.sum(axis=1)
    x, y, z = np.where(t > 216 / 24389, np.cbrt(t), (24389 / 27 * t + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(one, other, vision):
    """How far apart two colours "#rrggbb" look: Delta E of 1976."""
    seen = (np.clip(VISIONS[vision] @ linear(colour), 0, 1) for colour in (one, other))
    return np.linalg.norm(np.subtract(*map(lab, seen)))


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("pair", ALONE, ids="-".join)
def test_colours_that_stand_alone_are_told_apart(pair, vision):
    assert distance(*(getattr(utils, name) for name in pair), vision) >= APART


def test_colours_that_merge_are_found():
    assert distance(utils.COS, utils.POSITION_EDGE, "normal") > 2 * APART
    assert distance(utils.COS, utils.POSITION_EDGE, "protanopia") < APART
    assert distance(utils.SUM, utils.MARK, "grey") < APART  # never alone: ✓ and ✗
    assert distance("#000000", "#FFFFFF", "grey") == pytest.approx(100, abs=0.01)
    assert distance("#FF0000", "#FF0000", "tritanopia") == 0


# ---- words and lines ------------------------------------------------------------
SAY = ("text", "annotate", "set_title", "set_xlabel", "set_ylabel", "suptitle")
DRAW = ("plot", "axhline", "axvline", "step", "semilogx", "semilogy", "loglog")
MARKS = set("osDXv^")
BACKGROUND = {utils.FAINT, utils.PALE, "#E5E5E5"}  # rings, grids, a line at 0


def named(node, names):
    """The colour "#rrggbb" that an argument names, or None."""
    value = names.get(node.id) if isinstance(node, ast.Name) else None
    value = node.value if isinstance(node, ast.Constant) else value
    return value.upper() if isinstance(value, str) and value[:1] == "#" else None


def weak(source, names):
    """Words and lines of a cell in a colour that is too light on white."""
    tree = ast.parse(source)
    is_edged = any(
        isinstance(node, ast.Call) and getattr(node.func, "id", "") == "edge"
        for node in ast.walk(tree)
    )
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        told = {word.arg: word.value for word in call.keywords}
        colour = named(told["color"], names) if "color" in told else None
        if colour is None:
            continue
        is_marks = "mec" in told or any(
            isinstance(mark, ast.Constant) and mark.value in MARKS for mark in call.args
        )
        needs = WORDS if call.func.attr in SAY else LINES
        if call.func.attr not in SAY + DRAW or contrast(colour) >= needs:
            continue
        if needs == LINES and (colour in BACKGROUND or is_marks):
            continue
        if needs == LINES and colour == utils.POSITION and is_edged:
            continue
        yield ast.get_source_segment(source, call)


def cells(path):
    """The Python cells of a notebook."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and source.lstrip()[:1] not in ("%", "!"):
            yield source


PALETTE = {name: value for name, value in vars(utils).items() if name.isupper()}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_words_and_lines_are_dark_enough_on_white(path):
    names = dict(PALETTE)
    for source in cells(path):
        for node in ast.parse(source).body:  # a chapter's own colours
            if isinstance(node, ast.Assign) and named(node.value, {}):
                names[node.targets[0].id] = node.value.value
        assert list(weak(source, names)) == []


@pytest.mark.parametrize(
    "line, is_weak",
    [
        ('ax.text(0, 0, "cos", color=COS)', True),
        ('ax.text(0, 0, "cos", color="#B34700")', False),
        ('ax.set_title("far", color=FAINT)', True),
        ("ax.plot(x, y, color=COS)", False),
        ("ax.plot(x, y, color=TOKEN)", True),
        ('ax.plot(x, y, "s", color=TOKEN, mec=INK)', False),
        ("ax.axhline(0, color=FAINT)", False),
        ("(hand,) = ax.plot(x, y, color=POSITION)", True),
        ("(hand,) = ax.plot(x, y, color=POSITION)\nedge(hand)", False),
        ('ax.plot(x, y, color="#999999")', True),
    ],
)
def test_light_words_and_lines_are_found(line, is_weak):
    assert bool(list(weak(line, PALETTE))) == is_weak
