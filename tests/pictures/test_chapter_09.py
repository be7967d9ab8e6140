"""Chapter 9: rotations in a trained head; the clocks of a published model, its head."""

import re
from math import degrees, radians, tau

import numpy as np
import pytest
from matplotlib.patches import StepPatch

from course import draw
from course.draw import number
from tests.support import oracle, reading
from tests.support.oracle import causal_head, shares_of, tip
from tests.support.reading import line_in, named, same, says, set_to, text_at, tip_of

TURNS = (5.99, 17.81, 53.3, 160.6)  # places for one turn of each hand
ON = (55.8, 20.7, 7.4)  # degrees that head 2 turns the first hands on


def rotations_of(M):
    """The rotations, each with a size, that are nearest to the diagonal blocks of M."""
    kept = np.zeros_like(M)
    for i in range(0, len(M), 2):
        (a, b), (c, d) = M[i : i + 2, i : i + 2]
        turn = ((a + d) + 1j * (b - c)) / 2  # as a complex number
        kept[i : i + 2, i : i + 2] = [[turn.real, turn.imag], [-turn.imag, turn.real]]
    return kept


def weights_of(chapter, step=300, head=0):
    """W_Q, W_K and W_V of one of the five heads; the first is that of the pictures."""
    return chapter.heads[head][1][step]


def part_of(chapter, **which):
    """M, which scores two places."""
    W_Q, W_K, _ = weights_of(chapter, **which)
    return (W_Q @ W_K.T)[16:, 16:] / 48**0.5


def looks_and_right(chapter, part, **which):
    """With `part` as M: the looks of each place at those before, the share of right."""
    W_Q, W_K, W_V = weights_of(chapter, **which)
    H = W_Q @ W_K.T / 48**0.5
    H[16:, 16:] = part
    codes = [oracle.code(n, 32) for n in range(128)]
    looks, right = causal_head(chapter.texts, codes, H, W_V)
    return looks, right.mean(axis=0)


def tip_in(ax, colour):
    """The tip of the only hand of a colour; a longer line is a ring of dots."""
    hands = [x for x in reading.lines_in(ax, colour) if len(x.get_xdata()) == 2]
    assert len(hands) == 1, f"{len(hands)} hands have the colour {colour}, not one"
    return tip_of(hands[0])


def ring(ax, colour):
    """The dots of a colour, place after place, as complex numbers clockwise from 12."""
    line = max(reading.lines_in(ax, colour), key=lambda x: len(x.get_xdata()))
    right, up = np.transpose(line.get_xydata())
    return up + 1j * right


# ---- the small head ------------------------------------------------------------------
def test_each_answer_stood_three_places_back(chapter):
    (ax,) = chapter.cell["three-places-back"].axes
    for tail, end in reading.arrow_ends(ax):
        assert tail[0] - end[0] == 3 and text_at(ax, tail) == text_at(ax, end)
    rows = [text_at(ax, (-1.4, y), ("text", "wanted")) for y in (2.9, 0)]
    assert rows == ["text", "wanted"]


@pytest.mark.parametrize("step", [0, 300])
def test_the_stripe_and_the_golden_blocks_at_a_step(chapter, step):
    said, (left, right) = set_to(chapter.cell["training-step-by-step"], step=step)
    M = part_of(chapter, step=step)
    sizes = np.linalg.norm(M.reshape(16, 2, 16, 2), axis=(1, 3))
    others, own = (np.ma.filled(x.get_array(), 0) for x in left.images)
    same(others, sizes / sizes.max())
    same(own, others * np.eye(16))
    looks, share = looks_and_right(chapter, M, step=step)
    weights = [np.pad(x.mean(axis=0), (0, 31 - m)) for m, x in enumerate(looks[:32])]
    same(reading.matrix(right), weights)
    says(right.get_title(), 100 * share[:29].mean())
    labels = right.get_xlabel(), right.get_ylabel()
    assert labels == ("place of the key", "place of the query")
    says(said, 100 * np.diagonal(weights, -3).mean())


def test_yellow_hands_are_the_blocks_and_dashed_ones_turn_by_three_places(chapter):
    kept = rotations_of(part_of(chapter))
    for pair, ax in enumerate(chapter.cell["hands-of-the-trained-head"].axes):
        same(tip_in(ax, draw.INK), tip(3 * 10 ** (-pair / 4)), err_msg=f"pair {pair}")
        a, b = kept[2 * pair, 2 * pair : 2 * pair + 2]
        same(tip_in(ax, draw.POSITION), (b, a) / np.hypot(a, b), err_msg=f"pair {pair}")


def test_rotations_alone_are_right_and_the_rest_bears_its_name(chapter):
    above, *_ = chapter.cell["right-answers-by-place"].axes
    M, kept = part_of(chapter), rotations_of(part_of(chapter))
    alone, rest = line_in(above, draw.POSITION), named(above)["without them"]
    for line, part in ((alone, kept), (rest, M - kept)):
        same(line.get_ydata(), looks_and_right(chapter, part)[1])


def test_a_dot_stands_for_each_of_five_heads(chapter):
    _, above, _, below = chapter.cell["right-answers-by-place"].axes
    for head in (1, 4):  # the heights of the others are made by the same lines
        M = part_of(chapter, head=head)
        kept = rotations_of(M)
        marks = (above, draw.POSITION, kept), (above, draw.MARK, M - kept)
        for ax, colour, part in (*marks, (below, draw.INK, M)):
            _, right = looks_and_right(chapter, part, head=head)
            dots = line_in(ax, colour)
            assert dots.get_xdata()[head] == head + 1
            same(dots.get_ydata()[head], right[29:].mean())


def test_bars_to_choose_from_are_as_high_as_the_answers_say(chapter):
    _, ax = chapter.cell["three-levels-to-choose-from"].axes
    whole, guess, _ = reading.replies(chapter, "what-do-rotations-do-far-away")
    told = [*reading.numbers(whole, guess), 100]
    same(np.multiply(reading.heights(ax), 100), told, atol=0.5)


# ---- the published table and head ----------------------------------------------------
@pytest.mark.parametrize("pos, zone, first", [(2, "grey", 2), (200, "gold", 130)])
def test_a_hand_stands_at_the_dot_of_its_place(chapter, pos, zone, first):
    said, (*dials, _) = set_to(chapter.cell["clocks-in-a-learned-table"], pos=pos)
    colour = {"grey": draw.GREY, "gold": draw.POSITION_EDGE}[zone]
    dots = [ring(ax, colour)[pos - first] for ax in dials]
    for ax, z in zip(dials, dots, strict=True):
        same(tip_in(ax, draw.INK), (z.imag, z.real))
    angle = number(degrees(np.angle(dots[0])), 0)
    assert said == f"Place {pos} ({zone}): the first hand stands at {angle}°."


SEAM = {126: "grey", 127: "the seam", 129: "the seam", 130: "gold"}


@pytest.mark.parametrize("pos", SEAM)
def test_the_seam_lies_between_grey_and_gold(chapter, pos):
    said, _ = set_to(chapter.cell["clocks-in-a-learned-table"], pos=pos)
    assert f"Place {pos} ({SEAM[pos]})" in said


def test_golden_rings_turn_clockwise_once_in_as_many_places_as_they_say(chapter):
    *dials, _ = chapter.cell["clocks-in-a-learned-table"].live.canvas.figure.axes
    for ax, turn in zip(dials, TURNS, strict=False):
        z = ring(ax, draw.POSITION_EDGE)
        same(np.angle(z[1:] / z[:-1]).mean(), tau / turn, rtol=0.03)
        says(ax.get_title(), turn)


def test_the_gear_is_flat_and_the_steady_clock_is_not(chapter):
    (ax,) = chapter.cell["hand-1-minus-three-times-hand-2"].axes
    assert np.std(named(ax)["hand 1 − 3 × hand 2"].get_ydata()) < 6
    assert np.std(named(ax)["hand 1 − a steady clock"].get_ydata()) > 150


def test_wavelengths_stand_in_the_rows_of_the_places_they_are_fitted_on(chapter):
    (ax,) = chapter.cell["learned-wavelengths-on-a-log-line"].axes
    rows = reading.ticks(ax.yaxis)
    lines = {line.get_ydata()[0]: line.get_xdata() for line in ax.lines}
    fourth = {rows[y]: turns[3] for y, turns in lines.items() if y > 3}  # learned
    wanted = {"130–509": 160.6, "130–319": 162, "320–509": 122}
    assert fourth == pytest.approx(wanted, rel=0.01)
    same(lines[6], TURNS, rtol=0.001)
    same(lines[0][[0, -1]], [tau, tau * 1e4 ** (191 / 192)])  # the formula's


def test_head_2_turns_three_hands_on_by_nearly_one_place(chapter):
    for ax, turn, on in zip(chapter.cell["the-angles-of-head-2"].axes, TURNS, ON):
        same(tip_in(ax, draw.GREY), (0, 1))  # the key's
        same(tip_in(ax, draw.INK), tip(tau / turn), atol=0.01)
        same(tip_in(ax, draw.POSITION), tip(radians(on)), atol=0.01)
        told = reading.numbers(*reading.texts_in(ax))  # R_1: …°, head: …°
        same(told[1:], [360 / turn, on], atol=0.51)
    alt = chapter.said["the-angles-of-head-2"]
    dashed, yellow, *_ = re.findall(r"(\d+), (\d+) and (\d+) degrees", alt)
    says(dashed, np.divide(360, TURNS[:3]))
    says(yellow, ON)


def test_turns_to_choose_from_are_named_as_the_answers(chapter):
    before, name = "three-turns-to-choose-from", "how-does-r1-turn-hand-2"
    turns = {"on by 20": 17.81, "back by 20": -17.81, "on by 60": 5.99}
    offered = zip(reading.replies(chapter, name), turns, chapter.cell[before].axes)
    for answer, words, ax in offered:
        assert words in answer
        wanted = tip(tau / turns[words])
        same(tip_in(ax, draw.INK), wanted, atol=0.01, err_msg=answer)
    reading.check_frames(chapter, before, name)


def attention_of(c, part):
    """By offset from −170 to 170: the mean of the queries 60 to 319 with such a key."""
    weights = np.array([shares_of(row) for row in c @ part @ c.T])
    return [
        np.mean([weights[m, m - k] for m in range(60, 320) if 0 <= m - k < 380])
        for k in range(-170, 171)
    ]


@pytest.mark.parametrize(
    "hands, part, share",
    [(1, "rotations", 0.06), (3, "rotations", 0.33), (2, "without them", 0.126)],
)
def test_attention_with_fewer_hands(chapter, hands, part, share):
    panel = chapter.cell["attention-with-fewer-hands"]
    said, (*dials, ax) = set_to(panel, hands=hands, part=part)
    kept = rotations_of(chapter.found) * (np.arange(10) < 2 * hands)[:, None]
    is_kept = part == "rotations"
    wanted = attention_of(chapter.c, kept if is_kept else chapter.found - kept)
    (stairs,) = ax.findobj(StepPatch)
    heights, edges, _ = stairs.get_data()
    same(heights, wanted)
    same(edges[:-1] + 0.5, range(-170, 171))
    same(wanted[171], share, atol=0.005)
    says(said, wanted[171], np.argmax(wanted) - 170)
    lines = {i: line_in(dial, draw.INK) for i, dial in enumerate(dials, 1)}
    dark = [i for i in lines if lines[i].get_visible()]
    assert dark == [i for i in lines if (i <= hands) == is_kept]


def test_stretches_to_choose_from_are_named_as_the_answers(chapter):
    missed = {"before 127": (0, 127), "beyond 127": (127, 442), "nowhere": None}
    (ax,) = chapter.cell["where-does-it-fail"].axes
    boxes = {x.get_y(): x for x in reading.patches_in(ax, draw.FAILED)}
    (ground,) = reading.patches_in(ax, draw.RIGHT)
    offered = reading.replies(chapter, "where-does-it-fail")
    for row, (answer, words) in enumerate(zip(offered, missed), 1):
        box = boxes.get(row)
        assert words in answer
        assert (box and tuple(box.get_bbox().intervalx)) == missed[words]
        assert offered[answer][0] == (round(ground.get_y()) == row)


def test_each_head_has_its_own_strength(chapter):
    (ax,) = chapter.cell["twelve-heads-in-the-same-planes"].axes
    dots = {name: dot for name, dot in named(ax).items() if name.startswith("head ")}
    assert len(dots) == 5
    for name, dot in dots.items():
        head = int(name[5:])
        same(dot.get_xydata()[0], (chapter.share[head], chapter.strength_of[head]))
    alt = chapter.said["twelve-heads-in-the-same-planes"]
    told = re.search(r"heads (\d), (\d) and (\d) at (.*?), near", alt).groups()
    says(told[3], [chapter.share[int(head)] for head in told[:3]])
    text = reading.markdown("09", "one-direction-in-nine")
    assert rf"blocks $\beta J$ hold {100 * chapter.share[2]:.0f} %" in text


def test_words_before_the_seam_miss_and_those_beyond_do_not(chapter):
    (ax,) = chapter.cell["attention-across-the-seam"].axes
    says(text_at(ax, (63, 452)), chapter.before)
    says(text_at(ax, (285, 452)), chapter.beyond_seam)
    at, to = line_in(ax, draw.MARK).get_data()
    assert (at < 127).mean() > 0.9 and (to > 127).mean() > 0.9


def test_controls_stand_above_their_names(chapter):
    (ax,) = chapter.cell["one-back-at-any-place"].axes
    names, heights = reading.ticks(ax.xaxis), reading.heights(ax)
    for name, control in (("repeated", "last_row"), ("shuffled", "shuffled")):
        (at,) = (x for x, words in names.items() if words.endswith(name))
        same(heights[round(at)], chapter.published[control].mean(), err_msg=name)


def test_the_lower_line_is_the_whole_of_m(chapter):
    _, _, below, _ = chapter.cell["right-answers-by-place"].axes
    assert below.get_title() == "the whole of $M$"
    right = looks_and_right(chapter, part_of(chapter))[1]
    same(line_in(below, draw.INK).get_ydata(), right)


def test_prints_and_notes_tell_what_is_computed(chapter):
    assert chapter.by_head[:, 1].min() > 0.97
    whole = r"p_m^\top M\,p_n$"
    for cell in ("a-head-to-train", "notes-a-head-to-train"):
        assert whole in reading.markdown("09", cell)
    gears = chapter.said["smooth-curves-make-circles"]
    (least,) = re.findall(r"at least (\d+°)", gears)
    assert f"by {least} or more" in reading.markdown("09", "four-clocks-and-not-192")
    *_, size, gap, ratio = reading.numbers(chapter.said["the-null-of-least-squares"])
    same([size, size / gap], [np.linalg.norm(part_of(chapter)), ratio], atol=0.05)
    names = ("whole M", "rotations", "without")
    lines = chapter.said["five-heads-cut"].splitlines()
    for name, shares in zip(names, chapter.beyond_by_head.T, strict=True):
        (line,) = (line for line in lines if name in line)
        says(line, 32, 127, 100 * shares)
    cut, cosines = (chapter.published[x].mean(axis=1) for x in ("cut", "cosines"))
    names = ("as it is", "rotations only", "R_1 exactly", "without them")
    lines = chapter.said["surgery-on-head-2"].splitlines()
    for name, line, *told in zip(names, lines, cut, cosines, strict=True):
        assert line.startswith(name)
        says(line.removeprefix(name), *told)
    notes = reading.markdown("09", "notes-five-hands")
    assert f"misses by {100 * chapter.error:.0f} %" in notes
    assert f"would miss by {100 * chapter.staying:.0f} %" in notes
    slide = reading.markdown("09", "what-surgery-shows")
    assert f"without them, **{cut[3]:.2f}**" in slide
