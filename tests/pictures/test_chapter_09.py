"""Chapter 9: rotations in a trained head; the clocks of a published model, its head."""

from math import degrees, isclose, radians, tau

import numpy as np
from matplotlib.patches import StepPatch

from course import draw
from course.draw import number
from tests.support import oracle, reading
from tests.support.oracle import block, causal_head, shares_of, tip
from tests.support.reading import same, says, set_to, text_at, tip_of

YELLOW, INK, GREY = (c.lower() for c in (draw.POSITION, draw.INK, draw.GREY))
GOLD = draw.POSITION_EDGE.lower()
TURNS = (5.99, 17.81, 53.3, 160.6, 562.6)  # places for one turn
ON = (55.8, 20.7, 7.4)  # degrees that head 2 turns them on
TITLES = ("6.0 places", "17.8 places", "53 places", "161 places", "a slow arc")


def rotations_of(M):
    """The rotations, each with a size, that are nearest to the diagonal blocks of M."""
    kept = np.zeros_like(M)
    for i in range(0, len(M), 2):
        (a, b), (c, d) = M[i : i + 2, i : i + 2]
        turn = ((a + d) + 1j * (b - c)) / 2  # as a complex number
        kept[i : i + 2, i : i + 2] = [[turn.real, turn.imag], [-turn.imag, turn.real]]
    return kept


def of_colour(ax, colour):
    return [x for x in reading.lines_in(ax, colour) if len(x.get_xdata()) == 2]


def dots(ax, colour):
    """The dots on a dial, place after place, as complex numbers clockwise from 12."""
    (line,) = (x for x in reading.lines_in(ax, colour) if len(x.get_xdata()) > 2)
    right, up = np.transpose(line.get_xydata())
    return up + 1j * right


# ---- the small head and the published one, from their weights ------------------------
def part_of(chapter, step=600):
    """M, which scores two places."""
    W_Q, W_K, _ = chapter.seen[step]
    return (W_Q @ W_K.T)[16:, 16:] / 48**0.5


def looks_and_right(chapter, part, step=600):
    """With `part` as M: the looks of each place at those before, the share of right."""
    x, (W_Q, W_K, W_V) = chapter.texts, chapter.seen[step]
    H = W_Q @ W_K.T / 48**0.5
    H[16:, 16:] = part
    codes = [oracle.code(n, 32) for n in range(128)]
    looks, right = causal_head(x, codes, H, W_V)
    return looks, right.mean(axis=0)


def right_with(chapter, part):
    return looks_and_right(chapter, part)[1]


def sizes_of_blocks(M):
    pairs = np.kron(np.eye(16), [1, 1])
    sizes = (pairs @ M**2 @ pairs.T) ** 0.5
    return sizes / sizes.max()


def ten_numbers(rows):
    """Of each row, along the ten directions of the largest spread; and these."""
    rows = rows - rows.mean(axis=0)
    directions = np.linalg.eigh(rows.T @ rows)[1][:, :-11:-1]
    return rows @ directions, directions


def hands_of(C):
    """Ten numbers of each row as five hands, the first at 12; how far they turn on."""
    step = C[:-1].T @ C[1:]
    squares, axes = np.linalg.eigh(step.T @ step)
    turns, planes = np.linalg.eig(step @ axes / np.sqrt(squares) @ axes.T)
    fast_first = np.argsort(-np.angle(turns))[:5]
    hands = 2**0.5 * C @ planes[:, fast_first]
    return hands * abs(hands[0]) / hands[0], np.angle(turns[fast_first])


def places_and_head(chapter, head=2):
    """c, the places hand by hand, and M of a head: two places score c_m · M c_n."""
    published = chapter.published
    C, directions = ten_numbers(chapter.table[130:510])
    hands, _ = hands_of(C)
    c = np.stack([hands.imag, hands.real], axis=2).reshape(-1, 10)
    rows, inverse = C @ (published["directions"] @ directions).T, np.linalg.pinv(c)
    scores = rows @ published["heads"][0, head] @ rows.T
    return c, inverse @ scores @ inverse.T


def attention_of(c, part):
    """By offset from −170 to 170: the mean of the queries 60 to 319 with such a key."""
    weights = np.array([shares_of(row) for row in c @ part @ c.T])
    return [
        np.mean([weights[m, m - k] for m in range(60, 320) if 0 <= m - k < 380])
        for k in range(-170, 171)
    ]


# ---- the pictures --------------------------------------------------------------------
def test_each_row_of_attention_looks_one_word_back(chapter):
    (ax,) = chapter.cell["each-word-looks-one-back"].axes
    shown = ax.images[0].get_array()
    assert shown.argmax(axis=1)[1:].tolist() == list(range(16))


def test_training_shows_m_and_its_attention(chapter):
    panel = chapter.cell["training-step-by-step"]
    for step in (0, 600):
        said, (left, right) = set_to(panel, step=step)
        M = part_of(chapter, step)
        blocks = sizes_of_blocks(M)
        others, own = (np.ma.filled(x.get_array(), 0) for x in left.images)
        same(others, blocks)
        same(own, blocks * np.eye(16))
        looks, share = looks_and_right(chapter, M, step)
        means = [some.mean(axis=0) for some in looks[:32]]
        weights = np.array([np.pad(row, (0, 32 - len(row))) for row in means])
        same(reading.matrix(right), weights)
        stripe, share = np.diagonal(weights, -3).mean(), share[:29].mean()
        says(right.get_title(), 100 * share)
        says(said, 100 * stripe)
    assert np.argmax(blocks) == 0  # most at the upper left, as the docstring says


def test_hands_of_the_trained_head(chapter):
    kept = rotations_of(part_of(chapter))
    sizes = [np.hypot(*kept[2 * i, 2 * i : 2 * i + 2]) for i in range(16)]
    for i, ax in enumerate(chapter.cell["hands-of-the-trained-head"].axes):
        (learned,), (due,) = of_colour(ax, YELLOW), of_colour(ax, INK)
        same(tip_of(due), tip(3 * 10 ** (-i / 4)))
        a, b = kept[2 * i, 2 * i : 2 * i + 2] / sizes[i]
        same(tip_of(learned), (b, a))


def test_right_answers_when_parts_are_cut(chapter):
    above, below = chapter.cell["right-answers-by-place"].axes
    M, kept = part_of(chapter), rotations_of(part_of(chapter))
    without = reading.named(above)["without them"]
    for line, part in ((without, M - kept), (below.lines[0], M)):
        same(line.get_ydata(), right_with(chapter, part))
    yellow = reading.line_in(above, YELLOW)
    same(yellow.get_data(), [range(3, 128), right_with(chapter, kept)])
    (ax,) = chapter.cell["five-ways-to-cut"].axes
    kinds = {"all": M, "64 largest": np.where(abs(M) >= sorted(abs(M).flat)[-64], M, 0)}
    blocks = M * np.kron(np.eye(16), np.ones((2, 2)))
    kinds |= {"blocks": blocks, "rotations": kept, "reflections": blocks - kept}
    for bar in ax.patches:
        names = [words for words in reading.texts_in(ax) if "%" not in words]
        name = text_at(ax, (None, bar.get_center()[1]), names)
        (part,) = (kinds.pop(kind) for kind in [*kinds] if kind in name)
        assert isclose(bar.get_width(), right_with(chapter, part)[29:].mean())
    assert not kinds


def test_lines_before_and_after_the_svd_have_their_names(chapter):
    above, below = chapter.cell["before-and-after-the-svd"].axes
    rows = chapter.table[130:510] - chapter.table[130:510].mean(axis=0)
    for ax, count, columns in ((above, 1, rows), (below, 2, ten_numbers(rows)[0])):
        names = reading.named(ax)
        assert len(names) == count
        for name, line in names.items():
            wanted = columns[:91, int(name.split()[1])]
            if ax is below:  # a direction may point either way
                wanted = wanted * np.sign(wanted @ line.get_ydata())
            same(line.get_data(), [range(130, 221), wanted], atol=1e-6)
    held = 100 * np.sum(ten_numbers(rows)[0] ** 2) / np.sum(rows**2)
    told = f"laces 130 to 509: ten directions hold {held:.0f} %"
    alt = reading.alt(chapter, "before-and-after-the-svd")
    written = reading.markdown("09", "a-table-that-was-learned").replace("*", "")
    assert told in alt and told in written


def test_five_hands_turn_with_the_place(chapter):
    panel = chapter.cell["clocks-in-a-learned-table"]
    _, (*dials, _) = set_to(panel)
    for j, (ax, turn) in enumerate(zip(dials, TURNS, strict=True)):
        rings = {colour: dots(ax, colour) for colour in (GREY, GOLD)}
        assert [len(ring) for ring in rings.values()] == [125, 380]
        steps = np.angle(rings[GOLD][1:] / rings[GOLD][:-1]).mean()  # clockwise
        assert j == 4 or isclose(steps, tau / turn, rel_tol=0.03)
        assert ax.get_title().startswith(TITLES[j])
        for pos, ring, first in ((2, GREY, 2), (131, GOLD, 130), (200, GOLD, 130)):
            said, _ = set_to(panel, pos=pos)
            assert ("(gold)" in said) == (ring == GOLD)
            (hand,), z = of_colour(ax, INK), rings[ring][pos - first]
            same(tip_of(hand), (z.imag, z.real))
            angle = number(degrees(np.angle(z)), 0)
            assert j or f"the first hand stands at {angle}°" in said


def test_gears_and_wavelengths(chapter):
    panel = chapter.cell["clocks-in-a-learned-table"]
    _, (one, two, *_) = set_to(panel)
    phi, slow = (np.unwrap(np.angle(dots(ax, GOLD))) for ax in (one, two))
    (ax,) = chapter.cell["hand-1-minus-three-times-hand-2"].axes
    wanted = np.degrees(phi - 3 * slow)
    names = reading.named(ax)
    gear, drift = names["hand 1 − 3 × hand 2"], names["hand 1 − a steady clock"]
    same(gear.get_ydata(), wanted - wanted.mean(), atol=0.01)
    level = np.degrees(phi - np.polyval(np.polyfit(np.arange(380), phi, 1), range(380)))
    same(drift.get_ydata(), level, atol=0.01)
    assert ax.get_title() == f"{(phi[-1] - phi[0]) / tau:.0f} turns of hand 1"


def test_wavelengths_of_all_places_and_of_either_half(chapter):
    (ax,) = chapter.cell["learned-wavelengths-on-a-log-line"].axes
    *rows, formula = sorted(ax.lines, key=lambda line: -line.get_ydata()[0])
    same(formula.get_xdata()[[0, -1]], [tau, tau * 1e4 ** (191 / 192)])
    fitted = reading.ticks(ax.yaxis)
    tables = ["learned"] * 3 + ["waves moved at random"] * 3  # from the top
    for line, name in zip(rows, tables, strict=True):
        first, last = map(int, fitted[line.get_ydata()[0]].split("–"))
        table = chapter.table[130:510] if name == "learned" else chapter.scattered
        _, speeds = hands_of(ten_numbers(table[first - 130 : last - 129])[0])
        same(line.get_xdata(), tau / speeds[: len(line.get_xdata())], rtol=1e-4)
    same(rows[0].get_xdata(), TURNS[:4], rtol=0.001)


def test_blocks_turn_on_by_one_place(chapter):
    axes = chapter.cell["the-angles-of-head-2"].axes
    _, head = places_and_head(chapter)
    for j, (ax, turn, on) in enumerate(zip(axes, TURNS[:3], ON, strict=True)):
        (key,), (learned,), (due,) = (of_colour(ax, x) for x in (GREY, YELLOW, INK))
        same(tip_of(key), (0, 1))
        same(tip_of(due), tip(tau / turn), atol=0.01)
        same(tip_of(learned), tip(radians(on)), atol=0.01)
        told = reading.numbers(*reading.texts_in(ax))  # R_1: …°, head: …°
        same(told[1:], [360 / turn, on], atol=0.51)
        M = head[2 * j : 2 * j + 2, 2 * j : 2 * j + 2]
        fit = [np.sum(M * block(radians(d / 10))) for d in range(-900, 900)]
        assert isclose(np.argmax(fit) / 10 - 90, on, abs_tol=0.2)


def test_the_layers_heads_against_chance(chapter):
    (ax,) = chapter.cell["twelve-heads-in-the-same-planes"].axes
    same(reading.line_in(ax, dashed=True).get_xdata(), 1 / 9, atol=0.01)
    wanted = {}
    for head in range(12):
        _, M = places_and_head(chapter, head)
        odd = M - M.T
        share = (rotations_of(odd) ** 2).sum() / (odd**2).sum()
        wanted[f"head {head}"] = share, (M**2).sum() ** 0.5
    names = [words for words in reading.texts_in(ax) if words in wanted]
    assert [text_at(ax, wanted[name], names) for name in names] == names
    dots = [tuple(line.get_xydata()[0]) for line in reading.lines_in(ax, marker="o")]
    same(sorted(dots), sorted(wanted.values()), rtol=1e-4)


def test_attention_with_fewer_hands(chapter):
    panel = chapter.cell["attention-with-fewer-hands"]
    c, head = places_and_head(chapter)
    only, without = "rotations", "without them"
    cuts = [(1, only, 0.06), (3, only, 0.33), (5, only, 1)]
    cuts += [(2, without, 0.126), (5, without, 0)]
    for hands, part, share in cuts:
        said, axes = set_to(panel, hands=hands, part=part)
        R = rotations_of(head) * (np.arange(10) < 2 * hands)[:, None]
        wanted = attention_of(c, R if part == only else head - R)
        (stairs,) = (x for x in axes[-1].patches if isinstance(x, StepPatch))
        same(stairs.get_data().values, wanted, atol=1e-6)
        same(wanted[171], share, atol=0.01)
        says(said, wanted[171], np.argmax(wanted) - 170)


def test_how_often_the_word_before_wins_before_and_after_the_seam(chapter):
    (ax,) = chapter.cell["attention-across-the-seam"].axes
    rows, best = chapter.published["at_place_10"], chapter.published["best_10"]
    shares = [words for words in reading.texts_in(ax) if words.startswith("0.")]
    for first, end in (5, 127), (130, len(rows)):
        count = (best[:, first:end] >= 0).sum(axis=0)  # texts that have this place
        mean = np.average(rows[first : first + len(count)], weights=count)
        says(text_at(ax, ((first + end) / 2, None), shares), mean)
    (ax,) = chapter.cell["one-back-at-any-place"].axes
    wanted = chapter.published["one_back"].mean(axis=1)
    same(reading.heights(ax)[: len(wanted)], wanted, atol=0.005)
