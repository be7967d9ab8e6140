"""Chapter 9: rotations in a trained head; the clocks of a published model, its head."""

from math import atan2, cos, degrees, isclose, pi, radians, sin

import numpy as np

import draw
from draw import number
from tests.pictures.reading import (
    arrows,
    look,
    named,
    right_answer,
    texts_of,
    tip,
    tip_of,
)

YELLOW, INK, GREY = (c.lower() for c in (draw.POSITION, draw.INK, draw.GREY))
TURNS = (5.99, 17.81, 53.3, 160.6, 562.6)  # places for one turn
BACK = (55.8, 20.7, 7.4, 5.1, 1.1)  # degrees that head 2 turns them back
TITLES = ("6.0 places", "17.8 places", "53 places", "161 places", "a slow arc")


def rotations(M):
    """What is left of M in blocks αI + βJ, one by one."""
    kept = np.zeros_like(M)
    for i in range(0, len(M), 2):
        block, J = M[i : i + 2, i : i + 2], np.array([[0, 1], [-1, 0]])
        kept[i : i + 2, i : i + 2] = (block - J @ block @ J) / 2
    return kept


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def points(line):
    """Where a hand points, in degrees clockwise."""
    return degrees(atan2(*tip_of(line)))


def of_colour(ax, colour):
    return [x for x in ax.lines if look(x)[0] == colour and len(x.get_xdata()) == 2]


def column_heights(ax):
    return [column.get_height() for column in ax.patches]


def dots(ax, colour):
    """The dots on a dial, place after place, as complex numbers clockwise from 12."""
    (line,) = (x for x in ax.lines if look(x)[0] == colour and len(x.get_xdata()) > 2)
    right, up = np.transpose(line.get_xydata())
    return up + 1j * right


# ---- a head trained here ------------------------------------------------------------
def test_each_row_of_attention_looks_one_word_back(chapter):
    (ax,) = chapter.cell["each-word-looks-one-back"].axes
    shown = np.asarray(ax.images[0].get_array())
    assert np.allclose(shown.sum(axis=1), 1)
    assert (shown.argmax(axis=1)[1:] == np.arange(16)).all()
    words = list(chapter.published["sentence"])
    for labels in (ax.get_xticklabels(), ax.get_yticklabels()):
        assert [label.get_text() for label in labels] == words
    assert "looks" in ax.get_ylabel() and "at" in ax.get_title()


def test_each_answer_stood_three_places_back(chapter):
    (ax,) = chapter.cell["three-places-back"].axes
    placed = {text.get_position(): text.get_text() for text in ax.texts}
    assert len(arrows(ax)) == 7
    for arrow in arrows(ax):
        (start, _), (end, _) = arrow.xyann, arrow.xy
        assert start - end == 3 and placed[start, -0.1] == placed[end, 1.7]
    assert texts_of(ax)["text"].get_position()[1] == 1.7


def test_training_shows_m_and_its_attention(chapter):
    panel = chapter.cell["training-step-by-step"]
    left, right = panel.canvas.figure.axes
    for step in (0, 150, 600):
        said = panel.sentence_at({"step": step})
        W_Q, W_K, _ = chapter.seen[step]
        M = (W_Q @ W_K.T)[16:, 16:] / 48**0.5
        assert np.allclose(left.images[0].get_array(), M)
        weights = np.asarray(right.images[0].get_array())
        assert np.allclose(np.triu(weights, 1), 0)  # nobody looks ahead
        stripe = np.mean([weights[m, m - 3] for m in range(3, 32)])
        answered = right.get_title().split(": ")[1].removesuffix(" right")
        assert f"After {step} steps {answered} of the answers are right" in said
        assert f" {100 * stripe:.0f} % of the attention" in said
    assert "query" in right.get_ylabel() and "key" in right.get_xlabel()


def test_hands_of_the_trained_head(chapter):
    axes = chapter.cell["hands-of-the-trained-head"].axes
    kept = rotations(chapter.M)
    sizes = [np.hypot(*kept[2 * i, 2 * i : 2 * i + 2]) for i in range(16)]
    for i, ax in enumerate(axes):
        (learned,), (due,) = of_colour(ax, YELLOW), of_colour(ax, INK)
        assert due.is_dashed() and np.allclose(tip_of(due), tip(3 * 10 ** (-i / 4)))
        a, b = kept[2 * i, 2 * i : 2 * i + 2] / max(sizes)
        assert np.allclose(tip_of(learned), (b, a)) and ax.get_title() == f"pair {i}"


def test_right_answers_when_parts_are_cut(chapter):
    (ax,) = chapter.cell["right-answers-by-place"].axes
    kept, M = rotations(chapter.M), chapter.M
    for name, part in {"whole": M, "without them": M - kept}.items():
        line = named(ax)[name]
        assert np.allclose(line.get_ydata(), chapter.right_with(part))
    (yellow,) = (line for line in ax.lines if look(line)[0] == YELLOW)
    assert np.allclose(yellow.get_ydata(), 1, atol=0.01)
    assert np.allclose(yellow.get_xdata(), range(3, 128))
    assert texts_of(ax)["rotations only"].get_position()[1] > 1
    assert ax.patches[0].get_x() == 31.5  # training had the places 0 to 31
    assert right_answer(chapter, "what-do-rotations-do-far-away") == "Always."
    (ax,) = chapter.cell["five-ways-to-cut"].axes
    kinds = {"all": M, "64 largest": np.where(abs(M) >= sorted(abs(M).flat)[-64], M, 0)}
    kinds |= {"blocks": M * np.kron(np.eye(16), np.ones((2, 2))), "rotations": kept}
    columns = {round(column.get_y() + 0.4): column for column in ax.patches}
    for kind, part in kinds.items():
        (words,) = (text for text in ax.texts if kind in text.get_text())
        width = columns[words.get_position()[1]].get_width()
        assert isclose(width, chapter.right_with(part)[29:].mean())


# ---- the table ----------------------------------------------------------------------
def test_five_hands_turn_with_the_place(chapter):
    panel = chapter.cell["clocks-in-a-learned-table"]
    *dials, line = panel.canvas.figure.axes
    for j, (ax, turn) in enumerate(zip(dials, TURNS, strict=True)):
        rings = {colour: dots(ax, colour) for colour in (GREY, YELLOW)}
        assert [len(ring) for ring in rings.values()] == [125, 380]
        steps = np.angle(rings[YELLOW][1:] / rings[YELLOW][:-1])  # clockwise
        assert j == 4 or isclose(np.mean(steps), 2 * pi / turn, rel_tol=0.03)
        assert ax.get_title().startswith(TITLES[j])
        assert isclose(abs(rings[YELLOW]).mean(), 1, rel_tol=1e-6)
        for pos, ring, first in ((2, GREY, 2), (131, YELLOW, 130), (200, YELLOW, 130)):
            said = panel.sentence_at({"pos": pos})
            (hand,) = of_colour(ax, INK)
            z = rings[ring][pos - first]
            assert np.allclose(tip_of(hand), (z.imag, z.real))
            assert f"{number(degrees(np.angle(z)), 0)}°" in said
            assert line.lines[-1].get_xdata()[0] == pos
    grey, yellow = line.patches
    assert (grey.get_x(), grey.get_width(), yellow.get_x()) == (2, 124, 130)
    assert "seam" in panel.sentence_at({"pos": 127})
    lengths = np.linalg.norm(chapter.table, axis=1)
    assert lengths[127] > 1.4 * max(lengths[126], lengths[128])


def test_gears_and_wavelengths(chapter):
    one, two, *_ = chapter.cell["clocks-in-a-learned-table"].canvas.figure.axes
    phi, slow = (np.unwrap(np.angle(dots(ax, YELLOW))) for ax in (one, two))
    (ax,) = chapter.cell["hand-1-minus-three-times-hand-2"].axes
    wanted = np.degrees(phi - 3 * slow)
    names, x = named(ax), np.arange(130, 510)
    gear, drift = names["hand 1 − 3 × hand 2"], names["hand 1 − a steady clock"]
    assert look(gear)[0] == YELLOW and look(drift)[:2] == (GREY, True)
    assert np.allclose(gear.get_ydata(), wanted - wanted.mean(), atol=0.01)
    level = np.degrees(phi - np.polyval(np.polyfit(x, phi, 1), x))
    assert np.allclose(drift.get_ydata(), level, atol=0.01) and 140 < level.std() < 160
    assert ax.get_title() == f"{(phi[-1] - phi[0]) / 2 / pi:.0f} turns of hand 1"
    (ax,) = chapter.cell["learned-wavelengths-on-a-log-line"].axes
    formula, *rows = ax.lines
    assert np.allclose(
        formula.get_xdata()[[0, -1]], [2 * pi, 2 * pi * 10000 ** (191 / 192)]
    )
    assert set(formula.get_ydata()) == {0} and len(formula.get_xdata()) == 192
    learned = next(x for x in rows if look(x)[0] == YELLOW)
    assert np.allclose(learned.get_xdata(), TURNS[:4], rtol=0.001)
    assert texts_of(ax)["learned"].get_position()[1] == learned.get_ydata()[0] == 2
    for turn in TURNS[:4]:
        assert isclose(
            texts_of(ax)[f"{turn:.3g}"].get_position()[0], turn, rel_tol=0.001
        )


# ---- the head -----------------------------------------------------------------------
def test_blocks_turn_back_by_one_place(chapter):
    axes = chapter.cell["the-angles-of-head-2"].axes
    for j, (ax, turn, back) in enumerate(zip(axes, TURNS, BACK, strict=True)):
        (learned,), (due,) = of_colour(ax, YELLOW), of_colour(ax, INK)
        assert due.is_dashed() and isclose(points(due), -360 / turn, abs_tol=0.1)
        assert isclose(points(learned), -back, abs_tol=0.1)
        assert (
            f"−{back:.0f}°" in ax.get_title()
            and f"−{360 / turn:.0f}°" in ax.get_title()
        )
        block = chapter.found[2 * j : 2 * j + 2, 2 * j : 2 * j + 2]
        keys = [(cos(radians(d / 10)), sin(radians(d / 10))) for d in range(-900, 900)]
        best = np.argmax(
            [np.trace(block @ np.array([k, (-k[1], k[0])]).T) for k in keys]
        )
        assert isclose(best / 10 - 90, -back, abs_tol=0.2)  # the key is behind
    (ax,) = chapter.cell["ninety-nine-percent-against-eleven"].axes
    middles = [p.get_x() + p.get_width() / 2 for p in ax.patches]
    assert sum(column_heights(ax)) == 1000
    assert isclose(np.average(middles, weights=column_heights(ax)), 0.11, abs_tol=0.01)
    assert isclose(ax.lines[0].get_xdata()[0], 0.993, abs_tol=0.001)


def test_attention_with_fewer_clocks(chapter):
    panel = chapter.cell["attention-with-fewer-clocks"]
    (ax,) = panel.canvas.figure.axes
    kept = rotations(chapter.found)
    for clocks, part, share in ((1, 0, 0.06), (3, 0, 0.33), (5, 0, 1.0), (5, 1, 0.0)):
        which = ("rotations", "without them")[part]
        said = panel.sentence_at({"clocks": clocks, "part": which})
        R = np.where(np.arange(10)[:, None] < 2 * clocks, kept, 0)
        weights = softmax(chapter.c @ (chapter.found - R if part else R) @ chapter.c.T)
        wanted = [
            np.mean([weights[m, m + o] for m in range(60, 320)]) for o in range(-60, 61)
        ]
        assert np.allclose(column_heights(ax), wanted) and isclose(
            wanted[59], share, abs_tol=0.01
        )
        assert f"{wanted[59]:.2f}" in said and f"{wanted[59]:.2f}" in ax.get_title()
    ticks = dict(zip(ax.get_xticks(), (t.get_text() for t in ax.get_xticklabels())))
    assert ticks[59] == "−1" and ticks[0] == "−60"
    assert right_answer(chapter, "only-the-fastest-clock") == "About 0.06."


def test_heads_on_real_texts_and_at_far_places(chapter):
    for ax, (layer, head, top) in zip(
        chapter.cell["attention-by-offset-on-real-texts"].axes,
        ((0, 2, -1), (0, 5, -1), (1, 8, 1)),
        strict=True,
    ):
        heights, names = (
            column_heights(ax),
            [t.get_text() for t in ax.get_xticklabels()],
        )
        assert np.argmax(heights) - 4 == top and names[4] == "0" and names[0] == "−4"
        assert np.allclose(heights[::-1], chapter.published["looks"][layer, head])
        assert ax.get_title().startswith(f"layer {layer}, head {head}\n")
    (ax,) = chapter.cell["one-back-at-any-place"].axes
    heights = column_heights(ax)[:8]
    assert np.allclose(heights[:6], chapter.published["one_back"].mean(axis=1))
    assert np.allclose(heights[6:], [0.05, 0.06], atol=0.01)
    assert "Nearly all" in right_answer(chapter, "what-happens-beyond-the-table")
