"""Chapter 6: a head that looks back: its blocks, a drawn curve, a verb with tokens."""

import re
from itertools import product

import numpy as np
import pytest

from course import draw
from tests.support import oracle, reading
from tests.support.oracle import block, code, shares_of, tip
from tests.support.reading import line_in, matrix, named, same, says, set_to, text_at

KEYS = ["The", "keys", "to", "the", "old", "cabinet", "are", "lost"]
NOUN, VERB = 1, 6
RATES = oracle.rates()


def rotation(k, d_model=64):
    """R_k, block by block."""
    R = np.zeros((d_model, d_model))
    for i, rate in enumerate(oracle.rates(d_model)):
        R[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block(k * rate)
    return R


def wish_of(at_3, at_8, at_13=4):
    """Straight lines between these scores, 0 at both ends."""
    return np.interp(range(17), [0, 3, 8, 13, 16], [0, at_3, at_8, at_13, 0])


def nearest(wish):
    """The scores of the head whose 64 numbers follow 17 wishes."""
    angles = np.outer(range(17), RATES)
    waves = np.hstack([np.cos(angles), np.sin(angles)])
    return waves @ np.linalg.lstsq(waves, wish, rcond=0.01)[0]


def test_two_of_four_terms_are_flat_and_two_wander(chapter):
    x, y = np.random.default_rng(seed=4).normal(size=(2, 64))
    terms = {
        "content · content": lambda m: x @ y,
        "position · position": lambda m: code(m) @ code(m - 5),
        "content · position": lambda m: x @ code(m - 5),
        "position · content": lambda m: code(m) @ y,
    }
    above, below = chapter.cell["two-flat-two-wandering"].axes
    assert "5 back" in below.get_xlabel()
    flat, wandering = named(above), named(below)
    for name, line in (flat | wandering).items():
        m, values = line.get_data()
        same(values, [terms[name](at) for at in m], err_msg=name)
        is_flat = np.ptp(values) < 1e-9
        assert is_flat == (name in flat), f"{name} is in the wrong panel"
    assert len(flat) == len(wandering) == 2


def test_the_lines_of_the_terms_that_keep_their_value_stay_whole(chapter):
    cell = "which-terms-keep-their-value"
    (ax,) = chapter.cell[cell].axes
    lines = [x for x in reading.arrows(ax) if x.arrowprops["arrowstyle"] == "-"]
    assert len(lines) == 8
    for line in lines:
        key, query = text_at(ax, line.xyann), text_at(ax, line.xy)
        keeps = ("p" in key) == ("p" in query)  # two tokens, or two codes
        look = line.arrowprops.get("linestyle", "whole")
        assert look == ("whole" if keeps else ":"), f"{key} to {query}: {look}"
    replies = [reply for _, reply in reading.replies(chapter, cell).values()]
    assert any("the other two, dotted" in reply for reply in replies)


def test_alpha_and_beta_make_blocks_of_a_rotation(chapter):
    (ax,) = chapter.cell["blocks-of-alpha-and-beta"].axes
    R, letters = rotation(0.5, 8), {"0": 0}  # there, α is a cosine and β is a sine
    for i in range(4):
        c, s = R[2 * i, 2 * i : 2 * i + 2]
        letters |= {rf"$\alpha_{i}$": c, rf"$\beta_{i}$": s, rf"$-\beta_{i}$": -s}
    written = reading.texts_in_cells(ax)
    found = [[letters.get(words, np.nan) for words in row] for row in written]
    same(found, R, err_msg="blocks, with a cosine for α and a sine for β")


def test_alpha_weighs_the_even_and_beta_the_odd_part(chapter):
    (ax,) = chapter.cell["even-part-and-odd-part"].axes
    lines, H = named(ax), 0.6 * np.eye(2) + 0.8 * block(np.pi / 2)
    j, total = lines["their sum"].get_data()
    assert ax.get_xlabel().endswith(": ahead < 0 < back")
    for name, wave in (
        (r"$\alpha\,\cos j\omega$", 0.6 * np.cos(0.25 * j)),
        (r"$\beta\,\sin j\omega$", 0.8 * np.sin(0.25 * j)),
    ):
        same(lines[name].get_ydata(), wave, err_msg=name)
    same(total, [tip(0.25 * at) @ H @ tip(0) for at in j], err_msg="their sum")


@pytest.mark.parametrize(
    "k, d_model, base", [(-3, 16, 100), (0, 128, 1000), (5, 64, 10_000)]
)
def test_the_bump_walks_to_k(chapter, k, d_model, base):
    panel, pairs = chapter.cell["the-bump-walks"], d_model // 2
    said, (dial, right) = set_to(panel, k=k, d_model=d_model, base=base)
    tips = line_in(dial, draw.POSITION_EDGE).get_xydata()[1::2]
    turned = [tip(k * rate) for rate in oracle.rates(d_model, base)]
    same(tips, turned, err_msg="tips of the hands")
    curve, query = line_in(right, draw.POSITION), code(100 + k, d_model, base)
    offsets, scores = curve.get_data()
    keys = [code(100 + n, d_model, base) for n in offsets]
    same(scores, [query @ key / pairs for key in keys], err_msg="scores")
    same(line_in(right, draw.MARK).get_xydata(), [(k, 1)], err_msg="the top")
    inner = zip(scores, scores[1:], scores[2:])
    *_, rival, _ = sorted(b for a, b, c in inner if a < b > c)
    says(said, [abs(k)] if k else [], 100 * rival)
    assert ("ahead" in said, "back" in said) == (k < 0, k > 0), said
    assert right.get_xlabel().endswith(": ahead < 0 < back")


def test_more_pairs_and_a_smaller_base_lower_the_second_peak(chapter):
    panel = chapter.cell["the-bump-walks"]
    sizes, bases = panel.allowed["d_model"], panel.allowed["base"]
    beside, second = np.zeros((2, len(sizes), len(bases)))
    for (i, d_model), (j, base) in product(enumerate(sizes), enumerate(bases)):
        _, (_, ax) = set_to(panel, k=0, d_model=d_model, base=base)
        second[i, j] = line_in(ax, dashed=True).get_ydata()[0]
        beside[i, j] = dict(line_in(ax, draw.POSITION).get_xydata())[1]
    assert (np.diff(second, axis=0) < 0).all() and (np.diff(second) > 0).all()
    assert (np.diff(beside, axis=0) > 0).all()  # the top is no sharper
    assert (np.diff(beside) > 0).all()  # and flatter with a larger base


def test_each_curve_is_missed_as_its_answer_says(chapter):
    wishes = wish_of(0, 12, 0), wish_of(12, 0, 12), [12, 0] * 8 + [12]
    axes = chapter.cell["which-curve-is-hard"].axes
    offered = reading.replies(chapter, "which-curve-is-hard").items()
    for ax, wish, (answer, (_, reply)) in zip(axes, wishes, offered, strict=True):
        same(line_in(ax, dashed=True).get_ydata(), wish, err_msg=f"curve {answer}")
        followed = line_in(ax, draw.POSITION_EDGE).get_ydata()
        same(followed, nearest(wish), atol=1e-6, err_msg=f"head for {answer}")
        says(reply, 12, max(abs(nearest(wish) - wish)))
        assert ax.get_xlabel() == "words back"
        title = ax.get_title()
        assert answer.startswith(title.split(": ")[1]), f"“{answer}” is under {title}"


@pytest.mark.parametrize("a, b, m", [(12, 0, 1_000), (4, 8, 100_000), (0, 12, 16)])
def test_the_head_obeys_at_every_place(chapter, a, b, m):
    panel, got = chapter.cell["draw-a-curve-the-head-obeys"], nearest(wish_of(a, b))
    said, (above, below) = set_to(panel, back_3=a, back_8=b, place=m)
    lines, best = named(above), got.argmax()
    same(lines["your curve"].get_ydata(), wish_of(a, b), err_msg="your curve")
    same(lines[f"the head at {m:,}"].get_ydata(), got, atol=1e-6, err_msg="the head")
    same(line_in(above, draw.MARK).get_xydata(), [(3, a), (8, b)], err_msg="large dots")
    same(reading.heights(below), shares_of(got), atol=1e-6, err_msg="weights")
    says(said, m, best, got[best])


@pytest.mark.parametrize("gain, tokens", [*product((1, 32), ("apart", "added"))])
def test_the_verb_looks_at_itself_once_tokens_are_added(chapter, gain, tokens):
    different = sorted({word.lower() for word in KEYS})  # one token for each
    rows = [different.index(word.lower()) for word in KEYS[: VERB + 1]]
    X = np.array([code(pos) for pos in range(100, 107)])
    if tokens == "added":
        X = X + np.random.default_rng(seed=1).normal(size=(7, 64))[rows]
    weights = shares_of(X @ (gain * rotation(5)).T @ X[-1] / 8)
    winner, told = {"apart": (NOUN, "5 back"), "added": (VERB, "itself")}[tokens]
    assert weights.argmax() == winner
    panel = chapter.cell["a-verb-with-its-token"]
    said, (ax,) = set_to(panel, gain=gain, tokens=tokens)
    colour = {"apart": draw.POSITION, "added": draw.SUM}[tokens]
    same(reading.heights(ax, colour), [*weights, 0], err_msg="weights")
    words = [f"{word}\n{100 + n}" for n, word in enumerate(KEYS)]
    assert [text_at(ax, (n, 0), words) for n in range(8)] == words
    end = named(ax)[told].get_xdata()[-1].round()
    assert end == winner, f"the arc “{told}” ends at {KEYS[int(end)]}"
    assert ("wanted" in reading.texts_in(ax)) == (tokens == "added")
    says(said, gain, 100 * weights[[NOUN, VERB]])
    assert re.search("to “keys”.*to itself", said), said


def test_each_answer_has_its_letter_above_its_words(chapter):
    (ax,) = chapter.cell["three-answers-above-the-words"].axes
    letters = [text_at(ax, (n, 1.55), "ABC") for n in (NOUN, VERB)]
    assert letters == ["A", "B"], f"above “keys” and “are” stand {letters}"
    offered = [*reading.replies(chapter, "where-does-are-look")]
    assert offered == ["“keys”, five back", "itself", "anywhere"]


def test_each_of_the_four_terms_is_what_it_is_called(chapter):
    x, y = np.random.default_rng(seed=4).normal(size=(2, 64))
    wanted = [x @ y, x @ code(1), code(6) @ y, code(6) @ code(1)]
    same(chapter.four_terms(x, y, np.eye(64), 6, 1), wanted)


def test_one_score_scatters_as_its_whisker_says(chapter):
    (ax,) = chapter.cell["positions-and-tokens-in-a-score"].axes
    (_, _, (bar,)) = ax.containers[0]
    (ends,) = bar.get_segments()
    (words,) = (words for words in reading.texts_in(ax) if "±" in words)
    says(words, np.ptp(ends[:, 0]) / 2)
    for name, colour in (("position", draw.POSITION), ("token", draw.TOKEN)):
        bars = reading.patches_in(ax, colour)
        inside = [words for bar in bars for words in reading.words_in(ax, bar)]
        assert any(words.startswith(name) for words in inside), f"{inside} in {name}"
    text = reading.markdown("06", "slow-pairs-hardly-turn")
    says(text, 5, (1 - np.cos(RATES)).sum(), chapter.SCATTER)


def test_both_words_move_on(chapter):
    (ax,) = chapter.cell["two-words-100-places-on"].axes
    (on,) = (x for x in reading.arrows(ax) if x.arrowprops["arrowstyle"] != "-")
    assert on.xy[0] > on.xyann[0] and "100 on" in reading.texts_in(ax)


def test_alt_texts_name_what_is_where(chapter):
    above, below = chapter.cell["the-same-look-at-0-and-at-1000"].axes
    assert "The\n0" in reading.texts_in(above)
    assert "The\n1000" in reading.texts_in(below)
    alt = chapter.said["the-same-look-at-0-and-at-1000"]
    assert "above from place 0, below from 1000" in alt
    alt = chapter.said["position-in-upper-layers"]
    told = re.findall(r"connection (\d+) % .* without it (\d+) %.* (\d+) %", alt)[0]
    ends = [shares[-1] for shares in chapter.READ.values()]
    says(told, np.multiply(ends, 100))
    turned = np.degrees(5 * RATES[[0, 31]])
    assert turned[0] > 90 > turned[1]
    assert "hand 0 has turned far" in chapter.said["the-bump-walks"]


def test_formulas_on_slides_are_those_that_cells_prove(chapter):
    for cell, formula in {
        "what-alpha-and-beta-do": r"\alpha\,\cos j\omega + \beta\,\sin j\omega",
        "a-score-as-a-formula": r"H = W_Q W_K^\top",
        "title-the-bump-walks": (
            r"\alpha_i = \cos k\omega_i,\;\beta_i = \sin k\omega_i"
        ),
        "notes-eight-numbers-of-64": r"J = \begin{bmatrix}0&1\\-1&0\end{bmatrix}",
        "one-block-for-each-pair": "here 8 of 64",
        "nearly-a-rule-for-offsets": r"(1 - e^{-1/2})\,e^{-j/2}",
    }.items():
        assert formula in reading.plain("06", cell), cell


def five_back(m, gain):
    """The weights of the word at m on the words 0 to m."""
    query = code(m) @ rotation(5)
    return shares_of(gain * np.array([query @ code(n) for n in range(m + 1)]) / 8)


def test_tables_of_weights_are_those_of_their_gains(chapter):
    panels = chapter.cell["one-line-darkens"].axes
    for ax, gain in zip(panels, (1, 8, 32), strict=True):
        rows = [np.pad(five_back(m, gain), (0, 29 - m)) for m in range(30)]
        same(matrix(ax), rows, atol=1e-6)
        assert [*chapter.tables[gain].argmax(axis=1)[5:]] == [*range(195)]
        assert ax.get_xlabel() == "looks at $n$"


def test_prints_tell_what_is_computed(chapter):
    given = [100 * five_back(29, gain)[24] for gain in (1, 8, 32)]
    told = np.transpose([(1, 8, 32), [29] * 3, given, [24] * 3])
    says(chapter.said["weights-for-three-gains"], *told)
    says(chapter.said["rank-of-a-head"], 32, 32, 1, 5)
    told = chapter.said["weights-from-content-and-position"]
    itself = [shares_of(np.sin(np.arange(m + 1) * RATES[-1]) / RATES[-1] / 2)[-1]
              for m in (50, 1000)]  # fmt: skip
    says(told, 50, itself[0], 1000, itself[1], np.pi / 2 / RATES[-1])
    told = chapter.said["two-heads-that-copy"].splitlines()
    assert all(line.endswith("right") for line in told)
    says(told, 1, 100, 2, 0)
