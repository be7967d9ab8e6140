"""Chapter 6: a head that looks back: its blocks, a drawn curve, a verb with tokens."""

from itertools import product
from math import pi

import numpy as np
from matplotlib.colors import to_hex

from course import draw
from tests.support import oracle, reading
from tests.support.oracle import block, code, shares_of, tip
from tests.support.reading import line_in, named, place, same, says, text_at

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


def check_share(ax, weights):
    """What is written above the highest bar."""
    shares = [words for words in reading.texts_in(ax) if "%" in words]
    top = weights.argmax(), weights.max()
    says(text_at(ax, top, shares), 100 * max(weights))


def check_sentence(ax, start, weights, colour):
    """Words, their places and bars; arcs from the verb to the winner and the noun."""
    winner = weights.argmax()
    same(reading.heights(ax, colour), [*weights, 0])
    check_share(ax, weights)
    words = [f"{word}\n{start + n}" for n, word in enumerate(KEYS)]
    assert [text_at(ax, (n, 0), words) for n in range(8)] == words
    aim, arc = line_in(ax, draw.GREY, marker="v"), line_in(ax, draw.MARK, marker="")
    for line, end in (arc, winner), (aim, NOUN):
        same(line.get_xdata()[[0, -1]].round(), [VERB, end])
    same(line_in(ax, draw.MARK, marker="v").get_xydata(), arc.get_xydata()[-1:])
    names, told = named(ax), "itself" if winner == VERB else f"{VERB - winner} back"
    same(names[told].get_xdata()[-1].round(), winner)
    assert names.get("wanted") is (aim if winner != NOUN else None)
    assert round(place(ax, "masked")[0]) == VERB + 1  # the verb sees itself


def test_the_same_look_at_0_and_at_1000(chapter):
    name = "the-same-look-at-0-and-at-1000"
    for ax, start in zip(chapter.cell[name].axes, (0, 1000), strict=True):
        weights = weights_of(codes(range(start, start + 7)), 8 * rotation(5))
        check_sentence(ax, start, weights, draw.POSITION)
    told = [0, 1000, 100 * weights[NOUN], VERB - NOUN]
    says(reading.alt(chapter, name), told)


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


def test_two_of_four_terms_keep_their_value_and_their_lines_stay_whole(chapter):
    x, y = np.random.default_rng(seed=4).normal(size=(2, 64))
    whole = {}
    for n, m in ((1, 6), (101, 106)):
        keys = ("$y$", y, y), (f"$p_{{{n}}}$", code(n), code(n + 9))
        queries = ("$x$", x, x), (f"$p_{{{m}}}$", code(m), code(m + 9))
        for (key, k, later_k), (query, q, later_q) in product(keys, queries):
            whole[key, query] = bool(np.isclose(k @ q, later_k @ later_q))
    for cell in ("two-words-100-places-on", "which-terms-keep-their-value"):
        (ax,) = chapter.cell[cell].axes
        lines = [x for x in reading.arrows(ax) if x.arrowprops["arrowstyle"] == "-"]
        ends = [(text_at(ax, line.xyann), text_at(ax, line.xy)) for line in lines]
        shown = ["linestyle" not in line.arrowprops for line in lines]
        is_asked = cell == "two-words-100-places-on"
        assert dict(zip(ends, shown)) == {x: whole[x] or is_asked for x in whole}


def test_the_verb_passes_a_square_and_meets_the_words_before_it(chapter):
    (ax,) = chapter.cell["two-matrices-are-one"].axes
    same(reading.heights(ax), [*weights_of(codes(range(7)), 8 * rotation(5)), 0])
    arrows = sorted(reading.arrows(ax), key=lambda x: x.arrowprops["arrowstyle"])
    line, *arrows, up = arrows  # a line from the square, and then down to each word
    assert text_at(ax, line.xyann) == text_at(ax, up.xy) == "$H$"
    assert [text_at(ax, x.xy, KEYS) for x in arrows] == KEYS[:VERB]


def test_three_ways_out(chapter):
    """The last turns the dashed hand to the black one."""
    axes = chapter.cell["apart-learned-or-turned"].axes
    ((start, end, _, _),) = reading.sweeps(axes[2])
    same(tip(start), reading.tip_of(line_in(axes[2], dashed=True)))
    same(tip(end), reading.tip_of(line_in(axes[2], draw.INK)))


def test_the_block_of_a_pair_is_made_of_two(chapter):
    """With a cosine for α and a sine for β it is a block of the rotation."""
    (ax,) = chapter.cell["h-in-one-pair"].axes
    columns = 1, 2, 4.4, 5.4, 7.9, 8.9
    rows = [[text_at(ax, (x, y)) for x in columns] for y in (0, 1)]
    c, s = block(0.5)[0]
    letters = {r"$\alpha_i$": c, r"$\beta_i$": s, r"$-\beta_i$": -s}
    letters |= {"0": 0, "1": 1, "−1": -1}
    found = np.vectorize(letters.get, otypes=[float])(rows)
    same(found[:, :2], block(0.5))
    same(found[:, :2], c * found[:, 2:4] + s * found[:, 4:])


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
    assert ax.get_xlabel().endswith(": ahead < 0 < back")
    same(lines[r"$\alpha\,\cos j\omega$"].get_data(), [j, 0.6 * np.cos(0.25 * j)])
    same(lines[r"$\beta\,\sin j\omega$"].get_data(), [j, 0.8 * np.sin(0.25 * j)])
    same(total, [tip(0.25 * at) @ H @ tip(0) for at in j])
    *_, top = reading.in_alt(chapter, "even-part-and-odd-part")
    same(top, j[total.argmax()], atol=0.5)


def test_the_bump_walks(chapter):
    panel = chapter.cell["the-bump-walks"]
    settings = ((-3, 16, 100), (0, 128, 1000), (12, 32, 100_000), (5, 64, 10_000))
    for k, d_model, base in settings:
        said, (left, right) = reading.set_to(panel, k=k, d_model=d_model, base=base)
        rates, pairs = oracle.rates(d_model, base), d_model // 2
        tips = line_in(left, draw.POSITION_EDGE).get_xydata()
        same(tips[1::2], [tip(k * rate) for rate in rates])
        reading.check_hand(line_in(left, draw.POSITION), k)
        curve = line_in(right, draw.POSITION)
        query = code(100 + k, d_model, base)
        keys = [code(100 + n, d_model, base) for n in curve.get_xdata()]
        means = [query @ key / pairs for key in keys]  # a key, turned on by k
        same(curve.get_ydata(), means)
        same(line_in(right, draw.MARK).get_xydata(), [(k, 1)])
        inner = zip(means, means[1:], means[2:])
        *_, rival, _ = sorted(b for a, b, c in inner if a < b > c)
        same(line_in(right, dashed=True).get_ydata(), rival)
        at = [abs(k)] if k else []
        says(said, at, 100 * rival)
        assert ("ahead" in said, "back" in said) == (k < 0, k > 0)
        assert right.get_xlabel().endswith(": ahead < 0 < back")


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


def test_each_curve_has_the_letter_and_the_miss_of_its_answer(chapter):
    wishes = wish_of(0, 12, 0), wish_of(12, 0, 12), [12, 0] * 8 + [12]
    axes = chapter.cell["three-curves-to-follow"].axes
    answered = chapter.cell["which-curve-is-hard"].axes
    offered = reading.replies(chapter, "which-curve-is-hard").items()
    for ax, after, wish, (answer, (_, reply)) in zip(
        axes, answered, wishes, offered, strict=True
    ):
        same(line_in(ax, dashed=True).get_ydata(), wish)
        same(line_in(after, dashed=True).get_ydata(), wish)
        same(line_in(after, draw.POSITION_EDGE).get_ydata(), nearest(wish), atol=1e-6)
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
        same(line_in(above, draw.MARK).get_data(), [(3, 8), (a, b)])  # dragged
        same(reading.heights(below), weights, atol=1e-6)
        says(said, m, best, got[best])
    for ax in chapter.cell["one-curve-at-three-places"].axes:  # the last one, again
        same(line_in(ax, dashed=False).get_ydata(), got, atol=1e-6)
    says(panel.alt, a, 3, b, 8, 4, 13, 3, 8, m, 17, 100 * weights.max(), best)


def test_one_line_darkens(chapter):
    axes, shares = chapter.cell["one-line-darkens"].axes, []
    for ax, gain in zip(axes, (1, 8, 32), strict=True):
        table = np.array(ax.images[0].get_array())
        for m in (3, 11, 29):
            weights = weights_of(codes(range(m + 1)), gain * rotation(5))
            same(table[m], np.pad(weights, (0, 29 - m)))
        shares.append(100 * weights[24])
    same(reading.in_alt(chapter, "one-line-darkens")[-4:], [*shares, 5], atol=0.5)


def test_the_verb_looks_at_itself(chapter):
    panel = chapter.cell["a-verb-with-its-token"]
    shown = {"apart": (0 * TOKENS, draw.POSITION), "added": (TOKENS, draw.SUM)}
    for gain in (1, 32, 8):
        for name, (added, colour) in shown.items():
            said, (ax,) = reading.set_to(panel, gain=gain, tokens=name)
            weights = weights_of(codes(range(100, 107)) + added, gain * rotation(5))
            assert weights.argmax() == {"apart": NOUN, "added": VERB}[name]
            check_sentence(ax, 100, weights, colour)
            to_noun, to_itself = 100 * weights[[NOUN, VERB]]
            says(said, gain, to_noun, to_itself)
    says(panel.alt, to_itself, 5)


def shares_above(ax, words):
    """The percentages above these words, and the words with a coloured one."""
    above = [x for x in ax.texts if "%" in x.get_text()]
    assert [text_at(ax, x.get_position(), words) for x in above] == words
    coloured = [x.get_color() == draw.MARK for x in above]
    shares = reading.numbers(*(x.get_text() for x in above))
    return shares, [word for word, x in zip(words, coloured, strict=True) if x]


def test_each_answer_has_its_letter_above_its_words(chapter):
    (ax,) = chapter.cell["three-answers-above-the-words"].axes
    words, letters = KEYS[: VERB + 1], ""
    for bracket in ax.lines:  # from left to right
        x, y = bracket.get_data()
        letter = text_at(ax, (x.mean(), y.max()), "ABC")
        letters += letter * sum(x[0] < place(ax, word)[0] < x[-1] for word in words)
    assert letters == "CACCCCB"
    weights = weights_of(codes(range(100, 107)) + TOKENS, 8 * rotation(5))
    (ax,) = chapter.cell["where-does-are-look"].axes
    shares, winner = shares_above(ax, words)
    same(shares, 100 * weights, atol=0.5)
    assert winner == [words[weights.argmax()]]


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
    (before,) = chapter.cell["the-verb-may-not-look-at-itself"].axes
    assert text_at(before, place(before, "×"), KEYS) == "are"
    (ax,) = chapter.cell["where-does-a-word-look-then"].axes
    shares, winner = shares_above(ax, KEYS[:VERB])
    same(shares, [100 * np.mean(back == VERB - n) for n in range(VERB)], atol=0.5)
    assert winner == ["keys"]
