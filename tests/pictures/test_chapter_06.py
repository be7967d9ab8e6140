"""Chapter 6: a head that looks back: its blocks, a drawn curve, a verb with tokens."""

from itertools import product
from math import pi

import numpy as np
from matplotlib.colors import to_hex

from course import draw
from tests.support import oracle, reading
from tests.support.oracle import block, code, shares_of, tip
from tests.support.reading import line_in, named, same, says, text_at

KEYS = ["The", "keys", "to", "the", "old", "cabinet", "are", "lost"]
NOUN, VERB = 1, 6
DIFFERENT = sorted({word.lower() for word in KEYS})  # the same word, the same token
ROWS = [DIFFERENT.index(word.lower()) for word in KEYS[: VERB + 1]]
TOKENS = np.random.default_rng(seed=1).normal(size=(7, 64))[ROWS]
RATES = oracle.rates()
codes = np.vectorize(code, signature="()->(d)")


def rotation(k, d_model=64):
    """R_k, block by block."""
    R = np.zeros((d_model, d_model))
    for i, rate in enumerate(oracle.rates(d_model)):
        R[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block(k * rate)
    return R


def weights_of(X, H):
    """What the last row gives to each row, in 64 dimensions."""
    return shares_of(X @ H.T @ X[-1] / 8)


def wish_of(at_3, at_8, at_13=4):
    """Straight lines between these scores, 0 at both ends."""
    return np.interp(range(17), [0, 3, 8, 13, 16], [0, at_3, at_8, at_13, 0])


def nearest(wish):
    """The scores of the head whose 64 numbers follow 17 wishes."""
    angles = np.outer(range(17), RATES)
    waves = np.hstack([np.cos(angles), np.sin(angles)])
    return waves @ np.linalg.lstsq(waves, wish, rcond=0.01)[0]


def test_two_terms_are_flat_and_two_wander(chapter):
    above, below = chapter.cell["two-flat-two-wandering"].axes
    x, y = np.random.default_rng(seed=4).normal(size=(2, 64))
    terms = {
        "content · content": lambda m: x @ y,
        "position · position": lambda m: code(m) @ code(m - 5),
        "content · position": lambda m: x @ code(m - 5),
        "position · content": lambda m: code(m) @ y,
    }
    lines = named(above) | named(below)
    for name, term in terms.items():
        m, values = lines[name].get_data()
        same(values, [term(at) for at in m], err_msg=name)
        assert (np.ptp(values) < 1e-9) == (lines[name].axes is above), name


def test_blocks_of_alpha_and_beta(chapter):
    (ax,) = chapter.cell["blocks-of-alpha-and-beta"].axes
    R, letters = rotation(0.5, 8), {"0": 0}  # there, α is a cosine and β is a sine
    for i, (c, s) in enumerate(zip(np.diag(R)[::2], np.diag(R, 1)[::2], strict=True)):
        letters |= {rf"$\alpha_{i}$": c, rf"$\beta_{i}$": s, rf"$-\beta_{i}$": -s}
    written = reading.texts_in_cells(ax)
    same(np.vectorize(letters.get, otypes=[float])(written), R)


def test_even_part_and_odd_part(chapter):
    (ax,) = chapter.cell["even-part-and-odd-part"].axes
    lines, H = named(ax), 0.6 * np.eye(2) + 0.8 * block(pi / 2)
    j, total = lines["their sum"].get_data()
    same(lines[r"$\alpha\,\cos j\omega$"].get_data(), [j, 0.6 * np.cos(0.25 * j)])
    same(lines[r"$\beta\,\sin j\omega$"].get_data(), [j, 0.8 * np.sin(0.25 * j)])
    same(total, [tip(0.25 * at) @ H @ tip(0) for at in j])


def test_the_bump_walks(chapter):
    panel = chapter.cell["the-bump-walks"]
    settings = ((-3, 16, 100), (0, 128, 1000), (12, 32, 100_000), (5, 64, 10_000))
    for k, d_model, base in settings:
        said, (left, right) = reading.set_to(panel, k=k, d_model=d_model, base=base)
        rates, pairs = oracle.rates(d_model, base), d_model // 2
        tips = line_in(left, draw.POSITION_EDGE).get_xydata()
        same(tips[1::2], [tip(k * rate) for rate in rates])
        curve = line_in(right, draw.POSITION)
        query = code(100 + k, d_model, base)
        keys = [code(100 + n, d_model, base) for n in curve.get_xdata()]
        means = [query @ key / pairs for key in keys]  # a key, turned on by k
        same(curve.get_ydata(), means)
        inner = zip(means, means[1:], means[2:])
        *_, rival, _ = sorted(b for a, b, c in inner if a < b > c)
        same(line_in(right, dashed=True).get_ydata(), rival)
        at = [abs(k)] if k else []
        says(said, at, 100 * rival)
        assert ("ahead" in said, "back" in said) == (k < 0, k > 0)


def test_more_pairs_and_a_smaller_base_lower_the_second_peak(chapter):
    panel = chapter.cell["the-bump-walks"]
    sizes, bases = panel.allowed["d_model"], panel.allowed["base"]
    beside, second = np.zeros((2, len(sizes), len(bases)))
    for (i, d_model), (j, base) in product(enumerate(sizes), enumerate(bases)):
        _, (_, ax) = reading.set_to(panel, k=0, d_model=d_model, base=base)
        second[i, j] = line_in(ax, dashed=True).get_ydata()[0]
        beside[i, j] = dict(line_in(ax, draw.POSITION).get_xydata())[1]
    assert (np.diff(second, axis=0) < 0).all() and (np.diff(second) > 0).all()
    assert (np.diff(beside, axis=0) > 0).all()  # no sharper
    assert (np.diff(beside) > 0).all()  # flatter


def test_each_curve_has_the_miss_of_its_answer(chapter):
    wishes = wish_of(0, 12, 0), wish_of(12, 0, 12), [12, 0] * 8 + [12]
    axes = chapter.cell["which-curve-is-hard"].axes
    offered = reading.replies(chapter, "which-curve-is-hard").items()
    for ax, wish, (answer, (_, reply)) in zip(axes, wishes, offered, strict=True):
        same(line_in(ax, dashed=True).get_ydata(), wish)
        same(line_in(ax, draw.POSITION_EDGE).get_ydata(), nearest(wish), atol=1e-6)
        says(reply, 12, max(abs(nearest(wish) - wish)))
        assert answer.lower().startswith(ax.get_title().split(": ")[1])


def test_the_head_obeys_at_every_place(chapter):
    panel = chapter.cell["draw-a-curve-the-head-obeys"]
    for (a, b), m in product(((12, 0), (4, 8), (0, 12)), (1_000, 100_000, 16)):
        wish, got = wish_of(a, b), nearest(wish_of(a, b))
        weights = shares_of(got)
        best = weights.argmax()
        said, (above, below) = reading.set_to(panel, back_3=a, back_8=b, place=m)
        lines = named(above)
        same(lines["your curve"].get_ydata(), wish)
        same(lines[f"the head at {m:,}"].get_ydata(), got, atol=1e-6)
        same(reading.heights(below), weights, atol=1e-6)
        says(said, m, best, got[best])


def test_one_line_darkens(chapter):
    axes = chapter.cell["one-line-darkens"].axes
    for ax, gain in zip(axes, (1, 8, 32), strict=True):
        table = np.array(ax.images[0].get_array())
        for m in (3, 11, 29):
            weights = weights_of(codes(range(m + 1)), gain * rotation(5))
            same(table[m], np.pad(weights, (0, 29 - m)))


def test_the_verb_looks_at_itself(chapter):
    panel = chapter.cell["a-verb-with-its-token"]
    shown = {"apart": (0 * TOKENS, draw.POSITION), "added": (TOKENS, draw.SUM)}
    for gain in (1, 32, 8):
        for name, (added, colour) in shown.items():
            said, (ax,) = reading.set_to(panel, gain=gain, tokens=name)
            weights = weights_of(codes(range(100, 107)) + added, gain * rotation(5))
            assert weights.argmax() == {"apart": NOUN, "added": VERB}[name]
            same(reading.heights(ax, colour), [*weights, 0])
            to_noun, to_itself = 100 * weights[[NOUN, VERB]]
            says(said, gain, to_noun, to_itself)


def test_positions_and_tokens_in_a_score(chapter):
    (ax,) = chapter.cell["positions-and-tokens-in-a-score"].axes
    own = np.cos(5 * RATES).sum()
    parts = {  # row and colour → where this part of a bar starts, how long it is
        ("five back", draw.POSITION): (0, 32),
        ("itself", draw.POSITION): (0, own),
        ("itself", draw.TOKEN): (own, 2 * own),
    }
    for bar in ax.patches:
        row = text_at(ax, (None, bar.get_center()[1]), ["five back", "itself"])
        start, length = parts.pop((row, to_hex(bar.get_facecolor()).upper()))
        same(bar.get_x(), start)
        same(bar.get_width(), length, atol=0.03 * length)  # a mean of random tokens
    assert not parts


def test_positions_are_read_after_six_layers_if_they_are_added_again(chapter):
    (ax,) = chapter.cell["position-in-upper-layers"].axes
    lines = {name: line.get_ydata() for name, line in named(ax).items()}
    kept, lost = lines["with residual connection"], lines["without"]
    never = lines["without, and no code added"]
    assert kept[-1] > 0.9 and kept[0] == lost[0] > 0.9
    same(lost[-1], never[-1], atol=0.05)


def test_without_itself_a_word_seldom_looks_five_back(chapter):
    tokens = np.random.default_rng(seed=5).normal(size=(2000, 64))[:200]
    rows = tokens + codes(range(200))
    scores = rows @ rotation(5) @ rows.T
    back = np.array([m - scores[m, :m].argmax() for m in range(5, 200)])
    share = np.mean(back == 5)
    assert share < 1 / 5
    answer = reading.right_answer(chapter, "where-does-a-word-look-then")
    assert answer == "fewer than one in five"
