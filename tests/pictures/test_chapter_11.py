"""Chapter 11: which positions tokens get, and what a shift of all of them changes."""

import itertools
from math import cos, dist, exp

import numpy as np
import pytest
from matplotlib.colors import to_hex

from course import draw
from tests.support import reading
from tests.support.oracle import block, code, rates, shares_of, tip
from tests.support.reading import named, same, says, set_to, text_at, tip_of, words_in

EDGES = {draw.POSITION: "from 0", draw.MARK: "offsets lost"}
EDGES |= {draw.POSITION_EDGE: "shifted", draw.FAINT: "padding"}


def filled(ax, columns=6):
    """What stands in the cells: row → [(token, position, look)]."""
    cells = []
    for box in sorted(ax.patches, key=lambda box: (box.get_y(), box.get_x())):
        token, position = [*words_in(ax, box), "", ""][:2]
        cells.append((token, position, EDGES[to_hex(box.get_edgecolor()).upper()]))
    return [cells[n : n + columns] for n in range(0, len(cells), columns)]


def told(text, first, look, step=1):
    return [(token, str(first + n * step), look) for n, token in enumerate(text)]


PAD = [("pad", "", "padding")] * 3


def test_positions_and_verdicts_of_five_batches(chapter):
    panel = chapter.cell["which-position-does-a-token-get"]
    whole, other = told("LLM张老师", 0, "from 0"), told("我爱你张老师", 0, "from 0")
    behind = told("张老师", 3, "shifted")
    zero = [told(text, 0, "offsets lost", 0) for text in ("LLM张老师", "我爱你张老师")]
    wanted = {
        "equal lengths": [whole, other],
        "padded right": [whole, told("我爱你", 0, "from 0") + PAD],
        "padded left": [whole, PAD + told("我爱你", 3, "shifted")],
        "packed": [whole[:3] + behind, other[:3] + behind],
        "one token a call": zero,
    }
    for batch, rows in wanted.items():
        said, axes = set_to(panel, batch=batch)
        assert [filled(ax) for ax in axes] == [[row] for row in rows]
        looks = {look for row in rows for *_, look in row if look != "padding"}
        assert said.startswith(batch) and all(look in said for look in looks)


def test_bfloat16_counts_as_far_as_its_eight_digits(chapter):
    last = next(n for n in itertools.count() if len(f"{n + 1:b}".rstrip("0")) > 8)
    answer = reading.right_answer(chapter, "where-do-numbers-stop-counting")
    says(answer, last)


def turned(row, pos):
    """A row whose neighbours are hands, each of them turned on to its position."""
    angles = pos * rates(len(row))
    hands = zip(angles, np.reshape(row, (-1, 2)), strict=True)
    return np.concatenate([block(angle) @ hand for angle, hand in hands])


def outputs(chapter, pos, has_rope):
    """What two layers put out at 我爱你, query after query."""
    rows = np.array([chapter.vocabulary[token] for token in "我爱你"])
    if not has_rope:
        rows = rows + [code(n, 16) for n in pos]
    for W_Q, W_K, W_V in chapter.layers:
        Q, K = rows @ W_Q, rows @ W_K
        if has_rope:
            Q, K = (np.array(list(map(turned, some, pos))) for some in (Q, K))
        shares = [shares_of(K[: m + 1] @ Q[m] / 4) for m in range(3)]
        rows = rows + [share @ rows[: len(share)] @ W_V for share in shares]
        rows = np.array([(x - np.mean(x)) / np.std(x) for x in rows])
    return rows


def test_dots_lie_in_their_rings_with_rope_alone(chapter):
    for ax in chapter.cell["rings-and-dots"].axes:
        has_rope = "RoPE" in ax.get_title()
        rings = reading.line_in(ax, marker="o", filled=False).get_ydata()
        dots = reading.line_in(ax, marker="o", filled=True).get_ydata()
        for shown, start in ((rings, 0), (dots, 10_000)):
            same(shown, outputs(chapter, start + np.arange(3), has_rope)[-1])  # at 你
        assert np.allclose(rings, dots) == has_rope


CONTENTS = dict(zip("我爱你", (-0.6, 0.9, 2.2), strict=True))


def raised_scores(ax, pos):
    """Of keys and query as hands, each of which has turned on to its position."""
    tips = [tip_of(hand) for hand in reading.lines_in(ax, marker="o")]
    looks, raised = 1 + 0.4 * pos[2], []
    query = tip_of(reading.line_in(ax, draw.ROPE))
    same(query / np.hypot(*query), tip(looks))
    for content, n in zip(CONTENTS.values(), pos, strict=True):
        angle = content + 0.4 * n
        same(min(tips, key=lambda at: dist(at, tip(angle))), tip(angle))
        raised.append(exp(2 * cos(looks - angle)))
    return np.array(raised)


def test_all_hands_turn_together(chapter):
    panel = chapter.cell["all-hands-turn-together"]
    for start, newest in itertools.product((0, 3, 12), ("counts on", "starts at 0")):
        said, (clock, ax) = set_to(panel, start=start, newest=newest)
        pos = [start, start + 1, start + 2 if newest == "counts on" else 0]
        shares = raised_scores(clock, pos) / sum(raised_scores(clock, pos))
        together = newest == "counts on"
        solid = [bar.get_height() for bar in ax.patches if bar.get_fill()]
        outline = [bar.get_height() for bar in ax.patches if not bar.get_fill()]
        same(solid, shares)
        assert np.allclose(outline, shares) == together
        assert ("all turn together" in said) == together
        says(said, *[start] * together, shares[1])


DIGITS = {"bfloat16": 8, "float16": 11, "float32": 24}


@pytest.mark.parametrize("dtype, digits", DIGITS.items())
@pytest.mark.parametrize("start", [0, 256, 512, 2048, 16_777_216])
def test_stored_positions(chapter, dtype, digits, start):
    panel = chapter.cell["do-neighbours-share-a-hand"]
    said, (_, stairs) = set_to(panel, dtype=dtype, start=start)
    dots = named(stairs)["stored"].get_ydata()
    if dtype == "float16" and start > 65_504:  # no such number
        assert np.isnan(dots).all() and "infinity" in said
        return
    steps = [2 ** max(0, n.bit_length() - digits) for n in range(start, start + 16)]
    kept = [round((start + n) / step) * step for n, step in enumerate(steps)]
    same(dots, np.subtract(kept, start))
    same(reading.numbers(said.replace(",", ""))[0::3], [start, len(set(kept))])


def test_how_far_a_score_is_off(chapter):
    (ax,) = chapter.cell["how-far-a-score-is-off"].axes
    lines = {words.split()[-1]: line for words, line in named(ax).items()}
    far = {"float64": (0.006, 0.005), "float32": (0.006, 0.013)}
    for angles, wanted in (*far.items(), ("bfloat16", (0.09, 0.5))):
        at = np.interp([100, 1_000_000], *lines[angles].get_data())
        same(at, wanted, rtol=0.15)
    starts, off = lines["bfloat16"].get_data()
    assert off[starts < 10].max() < 0.01 < off[starts > 20].min()
    query, key = np.random.default_rng(seed=4).normal(size=(2, 128))
    apart = (query - turned(query, 3)) @ key  # the scores of offsets 0 and 3
    same(off[starts > 60_000], abs(apart) / 128**0.5, atol=0.01)  # one stored place


def test_the_lonely_column_lags_behind(chapter):
    fig = chapter.cell["an-odd-width"]
    (ax,) = fig.axes
    lines = named(ax, fig.legends[0])
    should, put = lines["where it should be"], lines["where the best matrix puts it"]
    rate, pos = 10_000 ** (-4 / 5), should.get_xdata()
    same(should.get_ydata(), np.sin((pos + 1000) * rate))
    found = put.get_ydata()
    same(found, cos(1000 * rate) * np.sin(pos * rate), atol=0.1)


def test_angles_and_mixing_join_other_columns(chapter):
    (ax,) = chapter.cell["which-columns-are-a-pair"].axes
    numbers = [words_in(ax, box)[0] for box in ax.patches]
    joined = {"share an angle": set(), "are mixed": set()}
    for words, pairs in joined.items():
        for line in reading.lines_in(ax, named(ax)[words].get_color()):
            ends = line.get_xydata()[[0, -1]]
            pairs.add(tuple(int(text_at(ax, end, numbers)) for end in ends))
    assert joined["share an angle"] == {(n, n + 1) for n in (0, 2, 4, 6)}
    assert joined["are mixed"] == {(n, n + 4) for n in range(4)}


def with_bug_2(x, pos):
    """The angles are those of neighbours; column i turns with column i + 4."""
    angles = pos * np.repeat(rates(8), 2)
    return np.cos(angles) * x + np.sin(angles) * [*-x[4:], *x[:4]]


def test_what_wanders_if_both_move_and_if_one_does(chapter):
    q, k = np.random.default_rng(seed=4).normal(size=(2, 8))
    halves = [0, 4, 1, 5, 2, 6, 3, 7]  # column i beside column i + 4
    scores = {
        "neighbours": lambda m, n: q @ turned(k, n - m),
        "halves": lambda m, n: q[halves] @ turned(k[halves], n - m),
        "bug 2": lambda m, n: np.dot(with_bug_2(q, m), with_bug_2(k, n)),
        "always at 0": lambda m, n: q @ k,
    }
    failed, axes = set(), chapter.cell["only-the-bug-wanders"].axes
    for both, one in zip(axes[0::2], axes[1::2], strict=True):
        name = both.get_ylabel()
        for ax in (both, one):
            (line,), (mark,) = ax.lines, reading.texts_in(ax)
            places, heights = line.get_data()
            keys = places - 3 if ax is both else 0 * places
            same(heights, list(map(scores[name], places, keys)))
            assert mark == ("✓" if (np.ptp(heights) > 1) == (ax is one) else "✗")
            failed |= {(name, ax is one)} if mark == "✗" else set()
    assert failed == {("bug 2", False), ("always at 0", True)}


def test_each_check_of_the_board_is_failed_by_some_layer(chapter):
    board = reading.read_board(chapter.cell["four-checks-on-a-board"].axes[0])
    fails = {n: [c for c, ok in row.items() if not ok] for n, row in board.items()}
    assert fails["the class"] == ["one by one = at once"]
    assert fails["adds nothing"] == ["row 0 = p(0)"]
