"""Chapter 4: one turn wherever a hand stands, its matrix, and five candidates."""

import re
from itertools import product
from math import cos, degrees, hypot, isclose, pi, radians, sin

import numpy as np
from matplotlib.colors import to_hex

import draw
from tests.pictures.reading import (
    alt,
    beside,
    cells,
    look,
    named,
    read_board,
    replies,
    sweeps,
)
from tools.chapters import NOTEBOOKS
from tools.chapters import cells as cells_of

HALF = 0.5  # radians a place of pair 1, in base 16
BOTH_WAYS = [(4, 3), (0, 1), (7, -3), (11, 6), (20, -6), (1, 0)]  # pos, k
BLUE, ORANGE, INK, GREY, MARK = (
    colour.lower() for colour in (draw.SIN, draw.COS, draw.INK, draw.GREY, draw.MARK)
)


def hand(angle, length=1):
    """The tip of a hand, clockwise from 12 o'clock."""
    return np.array([length * sin(angle), length * cos(angle)])


def code(pos, width=8, base=16.0):
    rates = [base ** (-2 * i / width) for i in range(width // 2)]
    return np.concatenate([hand(pos * rate) for rate in rates])


def block(turn):
    return np.array([[cos(turn), sin(turn)], [-sin(turn), cos(turn)]])


def blocks(turns):
    matrix = np.zeros((2 * len(turns), 2 * len(turns)))
    for i, turn in enumerate(turns):
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block(turn)
    return matrix


def written(x, digits=2):
    text = f"{x:.{digits}f}".replace("-", "−")
    return text if text.strip("−0.") else text.strip("−")


def table_of(values, digits):
    """The numbers of a matrix as they are written; 0 has no decimals."""
    texts = [[written(x, digits) for x in row] for row in values]
    return [[text if text.strip("0.") else "0" for text in row] for row in texts]


def tip(line):
    return np.array(line.get_xydata()[-1])


def runs(line, start, end):
    """Whether a line leads straight from one point to another."""
    points = line.get_xydata()
    return len(points) == 2 and np.allclose(points, [start, end], atol=1e-9)


def is_before(line):
    return look(line)[:3] == (GREY, True, "")


def is_after(line):
    return look(line) == (INK, False, "o", True)


def texts_of(ax):
    return {text.get_text(): text for text in ax.texts if text.get_visible()}


def labels(axis):
    return dict(zip(axis.get_ticklocs(), (t.get_text() for t in axis.get_ticklabels())))


def nearest(things, text):
    """Which of some dots or arrows is nearest to a text."""
    at = [tip(x) if hasattr(x, "get_xydata") else np.array(x.xy) for x in things]
    return things[np.argmin([hypot(*(x - text.get_position())) for x in at])]


def turns(k):
    """By how much the four hands turn, in words."""
    return [f"{written(degrees(k * 2.0**-i), 0)}°" for i in range(4)]


def right_answers(chapter, name):
    return [a for a, (right, _) in replies(chapter.said[name]).items() if right]


def text_of(name):
    (path,) = NOTEBOOKS.glob("04*.ipynb")
    return next(cell.source for cell in cells_of(path) if cell.id == name)


# ---- a shift turns every hand -------------------------------------------------------
def test_one_turn_at_three_places(chapter):
    (ax,) = chapter.cell["one-turn-at-three-places"].axes
    names = named(ax)
    for place in (0, 2, 4, 6, 8, 10):
        line = names[str(place)]
        assert runs(line, (0, 0), hand(place * HALF))
        assert is_before(line) if place % 4 == 0 else is_after(line)
    found = sorted(
        (start % (2 * pi), end - start, n) for start, end, _, n in sweeps(ax)
    )
    assert np.allclose(found, [(0, 1, 1), (2, 1, 1), (4, 1, 1)])
    arcs = [line for words, line in beside(ax) if words == "kω"]
    assert len(set(arcs)) == 3 and {look(line)[0] for line in arcs} == {MARK}


def test_the_second_step_to_the_right(chapter):
    answer = f"By {sin(2) - sin(1):.2f}."
    assert right_answers(chapter, "is-every-step-the-same") == [answer]


def test_four_clocks_turn_by_k_omega(chapter):
    panel = chapter.cell["a-shift-turns-every-hand"]
    for pos, k in BOTH_WAYS:
        said = panel.sentence_at({"pos": pos, "k": k})
        for i, ax in enumerate(panel.canvas.figure.axes):
            start, turned = pos * 2.0**-i, k * 2.0**-i
            (grey,), (black,) = (filter(f, ax.lines) for f in (is_before, is_after))
            assert runs(grey, (0, 0), hand(start))
            assert runs(black, (0, 0), hand(start + turned))
            ((low, high, _, heads),) = sweeps(ax)
            assert isclose(cos(low - start), 1) and heads == (k != 0)
            assert isclose(high - low, turned, abs_tol=1e-9)
            numbers, there = dict(beside(ax)), written(pos + k, 0)
            assert numbers[there] is black if k else numbers[there] in (grey, black)
            assert k == 0 or numbers[str(pos)] is grey
            assert ax.get_title() == f"pair {i}:  kω = {turns(k)[i]}"
        headline = panel.canvas.figure.get_suptitle()
        assert headline == f"pos = {pos},  k = {written(k, 0)}"
        changed = written(sin(pos + k) - sin(pos))
        assert f"{pos} to {there}, the hands turn by {', '.join(turns(k))};" in said
        assert f"changes by {changed}." in said
    figures = " and ".join(", ".join(turns(3)).replace("°", "").rsplit(", ", 1))
    assert f"are {figures} degrees, clockwise" in panel.alt


# ---- sine and cosine of a sum -------------------------------------------------------
def test_two_triangles_lead_to_the_tip_of_a_hand(chapter):
    panel = chapter.cell["two-ways-add-up-to-one-sine"]
    for alpha, beta in product((20, 30, 40, 45), (20, 30, 45)):
        said = panel.sentence_at({"alpha": alpha, "beta": beta})
        (ax,) = panel.canvas.figure.axes
        a, b = radians(alpha), radians(beta)
        x, y = hand(a, cos(b))
        right, up = hand(a + b)
        wanted = {
            "sin α cos β": ((0, y), (x, y), ORANGE, False, x),
            "cos α sin β": ((x, y), (right, y), BLUE, False, cos(a) * sin(b)),
            "cos α cos β": ((0, 0), (0, y), ORANGE, True, y),
            "sin α sin β": ((right, y), (right, up), BLUE, True, sin(a) * sin(b)),
            "sin (α + β)": ((0, -0.05), (right, -0.05), INK, False, right),
            "cos (α + β)": ((right, up), (right, 0), INK, True, up),
            "cos β": ((0, 0), (x, y), ORANGE, False, cos(b)),
            "sin β": ((x, y), (right, up), BLUE, False, sin(b)),
            "1": ((0, 0), (right, up), INK, False, 1),
        }
        for name, (start, end, colour, dashes, long) in wanted.items():
            (line,) = (line for line in ax.lines if runs(line, start, end))
            assert look(line)[:2] == (colour, dashes), name
            assert isclose(hypot(*np.subtract(end, start)), long, abs_tol=1e-9)
            share = 0.75 if name in ("cos β", "1") else 0.5
            away = np.add(start, share * np.subtract(end, start))
            away -= texts_of(ax)[name].get_position()
            assert hypot(*away) < 0.08, name
        if (alpha, beta) == (40, 30):  # elsewhere, some names are nearer to other lines
            names = named(ax)
            assert all(runs(names[name], *wanted[name][:2]) for name in wanted)
            for letter, start, end in (("α", 0, a), ("β", a, a + b)):
                angles = np.arctan2(*names[letter].get_data())
                assert np.allclose(angles[[0, -1]], (start, end))
        long = {name: f"{abs(values[-1]):.3f}" for name, values in wanted.items()}
        assert said == (
            f"sin {alpha + beta}° ≈ {long['sin α cos β']} + {long['cos α sin β']}"
            f" ≈ {long['sin (α + β)']}; cos {alpha + beta}° ≈ {long['cos α cos β']}"
            f" − {long['sin α sin β']} ≈ {long['cos (α + β)']}."
        )


def test_new_sine_and_new_cosine_from_the_old_two(chapter):
    dial, sums = chapter.cell["new-sine-from-the-old-two"].axes
    (x, y), (right, up) = hand(0.5), hand(1)
    names = named(dial)
    for words, start, end, colour, dashes in (
        ("old sine", (0, y), (x, y), BLUE, False),
        ("old cosine", (0, 0), (0, y), ORANGE, True),
        ("new sine", (0, 0), (right, 0), BLUE, False),
        ("new cosine", (right, 0), (right, up), ORANGE, True),
    ):
        assert runs(names[words], start, end), words
        assert look(names[words])[:2] == (colour, dashes)
    ((start, end, *_),) = sweeps(dial)
    assert np.allclose((start, end), (0.5, 1)) and len(names["kω"].get_xdata()) > 2
    (before,), (after,) = (filter(f, dial.lines) for f in (is_before, is_after))
    assert runs(before, (0, 0), (x, y)) and runs(after, (0, 0), (right, up))

    value = {"cos kω": cos(0.5), "sin kω": sin(0.5), "−sin kω": -sin(0.5)}
    entries = {text.get_position(): text.get_text() for text in sums.texts}
    for result, wanted in (("new sine =", right), ("new cosine =", up)):
        row, total = texts_of(sums)[result].get_position()[1], 0
        for old, length in (("· old sine", x), ("· old cosine", y)):
            entry = entries[texts_of(sums)[old].get_position()[0], row]
            total += value[entry] * length
        assert isclose(total, wanted)


def test_one_box_takes_the_clock_at_two_places(chapter):
    axes = chapter.cell["one-box-for-two-places"].axes
    (box,) = (ax for ax in axes if ax.get_title() == "k = 2")
    letters = sorted(box.texts, key=lambda t: (-t.get_position()[1], t.get_position()))
    assert "".join(text.get_text() for text in letters) == "abcd"  # as it is read
    clocks = {ax.get_title(): ax for ax in axes}
    for pos in (0, 1):
        into, out = clocks[f"pos = {pos}"], clocks[f"{pos} + k = {pos + 2}"]
        assert into.get_position().x1 < box.get_position().x0 < out.get_position().x0
        assert into.get_position().y0 == out.get_position().y0
        for ax, place in ((into, pos), (out, pos + 2)):
            assert runs(ax.lines[0], (0, 0), hand(place * HALF))


# ---- the matrix ---------------------------------------------------------------------
def test_the_matrix_of_sympy_is_a_rotation(chapter):
    sp, turn = chapter.sp, chapter.k * chapter.omega
    wanted = sp.Matrix([[sp.cos(turn), sp.sin(turn)], [-sp.sin(turn), sp.cos(turn)]])
    assert wanted == chapter.M
    assert f" = {sp.latex(wanted)}" in chapter.said["the-one-solution-of-sympy"]
    assert np.allclose(chapter.M_k(7, 0.3), block(7 * 0.3))
    assert np.allclose(block(0.7) @ hand(0.5), hand(0.5 + 0.7))


def test_the_formulas_of_the_theorem(chapter):
    tex = r"\\textcolor\{#\w+\}\{(-?)\\(\w+) k\\omega\}"
    for name, pattern in (
        ("identities-sorted-by-the-old-waves", tex),
        ("the-theorem", tex),
        ("small-print-two-rows-two-answers", r"\| \$(-?)\\(\w+)\\beta\$"),
    ):
        shown = [
            float(sign + "1") * {"sin": sin, "cos": cos}[wave](0.7)
            for sign, wave in re.findall(pattern, text_of(name))
        ]
        assert np.allclose(shown, block(0.7).ravel())


def test_each_column_is_a_hand(chapter):
    panel = chapter.cell["each-column-is-a-hand"]
    for k in panel.grid()["k"]:
        said = panel.sentence_at({"k": k})
        dial, table = panel.canvas.figure.axes
        c, s = cos(k * HALF), sin(k * HALF)
        assert np.allclose(table.images[0].get_array(), block(k * HALF))
        assert cells(table).tolist() == table_of(block(k * HALF), 2)
        for marker, landed in (("s", (c, -s)), ("o", (s, c))):
            (line,) = (x for x in dial.lines if x.get_marker() == marker)
            assert runs(line, (0, 0), landed)
        parts = [(look(x)[:2], x) for x in dial.lines]
        for bend, end in (((c, 0), (c, -s)), ((0, c), (s, c))):
            dashed = [x for style, x in parts if style == (ORANGE, True)]
            solid = [x for style, x in parts if style == (BLUE, False)]
            assert any(runs(x, (0, 0), bend) for x in dashed)
            assert any(runs(x, bend, end) for x in solid)
        assert f"turned by kω = {degrees(k * HALF):.0f}°\n" in dial.get_title()
        assert f"from 3 o'clock lands at ({written(c)}, {written(-s)}), the fi" in said
        assert f"the hand from 12 at ({written(s)}, {written(c)}), the second" in said
    assert labels(table.xaxis) == {0: "■ from\n3 o'clock", 1: "● from\n12 o'clock"}
    assert labels(table.yaxis) == {0: "right", 1: "up"}
    assert f"by {degrees(1):.0f} degrees, one from 3 o'clock and one" in panel.alt
    assert ", ".join(np.ravel(table_of(block(1), 2))) in panel.alt


def test_one_block_moves_three_hands(chapter):
    name = "one-block-moves-three-hands"
    before, box, after = chapter.cell[name].axes
    for ax, shift, colour in ((before, 0, GREY), (after, 2, INK)):
        for place, marker in zip((0, 4, 8), "osD"):
            line = named(ax)[str(place + shift)]
            assert runs(line, (0, 0), hand((place + shift) * HALF))
            assert look(line) == (colour, False, marker, True)
    assert before.get_title() == "from 0, 4, 8" and after.get_title() == "to 2, 6, 10"
    assert before.get_position().x0 < box.get_position().x0 < after.get_position().x0
    assert np.allclose(box.images[0].get_array(), block(1))
    assert cells(box)[:2, :2].tolist() == table_of(block(1), 2)
    assert ", ".join(np.ravel(table_of(block(1), 2))) in alt(chapter.said[name])


def test_one_matrix_for_all_pairs(chapter):
    panel = chapter.cell["one-matrix-for-all-pairs"]
    for base, pos, k in ((16, 4, 3), (100, 20, -20), (10_000, 1, 0), (16, 40, -7)):
        said = panel.sentence_at({"base": base, "pos": pos, "k": k})
        matrix, *columns = panel.canvas.figure.axes
        turns = [k * base ** (-i / 4) for i in range(4)]
        assert np.allclose(matrix.images[0].get_array(), blocks(turns))
        assert cells(matrix).tolist() == table_of(blocks(turns), 1)
        for ax, places in zip(columns, ((0, pos), (k, pos + k))):
            codes = np.transpose([code(place, 8, base) for place in places])
            assert np.allclose(ax.images[0].get_array(), codes)
            assert cells(ax).tolist() == table_of(codes, 1)
            above = [t for t in ax.texts if "p(" in t.get_text()]
            above = {t.get_position()[0]: t.get_text() for t in above}
            assert above == {i: f"p({written(n, 0)})" for i, n in enumerate(places)}
        by, there = written(k, 0), written(pos + k, 0)
        assert matrix.get_title() == f"one R_k for both:  k = {by}, base {base}"
        angles = ", ".join(f"{written(degrees(turn), 1)}°" for turn in turns)
        assert f"p(0) to p({by}) and p({pos}) to p({there}); " in said
        assert f"Base {base}, k = {by}: " in said and f" by {angles}." in said


# ---- five candidates ----------------------------------------------------------------
CANDIDATES = ["R_k", "add a vector", "fitted at 4", "mirrored at 4", "one angle"]


def put_by(candidate, pos, k):
    """Where a candidate puts the four hands of `pos`, from what is said of it."""
    rates = [1, 1 / 2, 1 / 4, 1 / 8]
    if candidate == "R_k":
        return code(pos + k)
    if candidate == "one angle":
        return np.concatenate([hand(pos * rate + k) for rate in rates])
    if candidate == "add a vector":
        return code(pos) + code(4 + k) - code(4)
    if candidate == "mirrored at 4":  # left and right exchanged, then 8 + k on
        return np.concatenate([hand(-pos * rate + (8 + k) * rate) for rate in rates])
    return np.concatenate(  # the part along the hand at 4, along the hand at 4 + k
        [cos((pos - 4) * rate) * hand((4 + k) * rate) for rate in rates]
    )


def test_five_candidates(chapter):
    panel = chapter.cell["one-of-five-hits-everywhere"]
    for candidate, (pos, k) in product(CANDIDATES, [*BOTH_WAYS, (4, -5), (5, 1)]):
        case = candidate, pos, k
        said = panel.sentence_at({"candidate": candidate, "pos": pos, "k": k})
        ax, *dials = panel.canvas.figure.axes
        put, goal, by = put_by(*case), code(pos + k), written(k, 0)
        misses = np.hypot(*(put - goal).reshape(4, 2).T)
        for i, dial in enumerate(dials):
            own = slice(2 * i, 2 * i + 2)
            names = legend_of(panel, dial)
            assert runs(names["at pos"], (0, 0), code(pos)[own]), case
            assert np.allclose(tip(names["goal"]), goal[own]), case
            assert np.allclose(tip(names["moved"]), put[own]), case
            assert dial.get_xlim()[1] >= max(1.2, 1.1 * abs(put).max()), case
            hit = "✓" if misses[i] < 1e-9 else f"✗ by {misses[i]:.2f}"
            assert dial.get_title() == f"pair {i} {hit}", case
        passes = candidate == "R_k" or (pos == 4 and candidate != "one angle")
        passes |= k == 0 and candidate in ("one angle", "add a vector")
        assert passes == (misses.max() < 1e-9), case

        shown = np.ma.filled(ax.images[0].get_array(), np.nan)
        matrix, vector = shown[:, :8], shown[:, 8]
        adds = candidate == "add a vector"
        assert np.isnan(vector).all() != adds, case
        assert np.allclose(matrix @ code(pos) + np.nan_to_num(vector), put), case
        assert not matrix[np.kron(np.eye(4), np.ones((2, 2))) == 0].any(), case
        assert cells(ax)[:, :8].tolist() == table_of(matrix, 1), case
        assert not adds or [list(cells(ax)[:, 8])] == table_of([vector], 1), case
        assert ("+" in texts_of(ax)) == adds, case
        there = f"p({written(pos + k, 0)})"
        way = f"add p({written(4 + k, 0)}) − p(4)" if adds else candidate
        assert ax.get_title() == f"{way}, k = {by}: p({pos}) → {there}", case
        far = f"misses {there} by {hypot(*misses):.2f}"
        result = f"hits {there}" if passes else far
        sizes = ", ".join(f"{size:.2f}" for size in np.hypot(*put.reshape(4, 2).T))
        told = f"From p({pos}), '{candidate}' {result}; its hands are {sizes} long."
        assert said == told, case


def legend_of(panel, dial):
    """The legend of the four clocks: entry → the line of one clock that looks so."""
    (legend,) = (box for part in panel.canvas.figure.subfigs for box in part.legends)
    found = named(dial, legend)
    assert is_before(found["at pos"]) and found["goal"].get_linestyle() == "None"
    assert is_after(found["moved"])
    return found


def test_the_candidates_are_what_is_said_of_them(chapter):
    for k in range(-6, 7):
        ways = chapter.candidates(k)
        for name, pos in product(CANDIDATES, range(21)):
            matrix, vector = ways[name]
            assert np.allclose(matrix @ code(pos) + vector, put_by(name, pos, k))
    four = [name for name in CANDIDATES if np.allclose(put_by(name, 4, 3), code(7))]
    right = [name for name in four if np.allclose(put_by(name, 5, 3), code(8))]
    assert len(four) == 4 and right == ["R_k"]
    assert right_answers(chapter, "is-right-at-4-right-at-5") == ["One."]


# ---- a linear map, no linear combination --------------------------------------------
def test_the_best_multiple_of_p10(chapter):
    p10, p13 = code(10, 512, 10_000.0), code(13, 512, 10_000.0)
    angle = np.arccos(p10 @ p13 / 256)
    best, share = f"{cos(angle):.3f}", f"{100 * sin(angle):.1f} %"
    name = "the-best-multiple-in-the-plane-of-two-codes"
    (ax,) = chapter.cell[name].axes
    foot, gap = 16 * cos(angle), 16 * sin(angle)
    arrows = [text for text in ax.texts if getattr(text, "arrow_patch", None)]
    for words, end in (("p(10)", (16, 0)), ("p(13)", (foot, gap))):
        arrow = nearest(arrows, texts_of(ax)[words])
        assert np.allclose(arrow.xy, end) and np.allclose(arrow.xyann, 0)
    (dot,) = (x for x in ax.lines if x.get_marker() == "o")
    assert np.allclose(tip(dot), (foot, 0))
    assert isclose(texts_of(ax)[f"{best} · p(10)"].get_position()[0], foot)
    (left_over,) = (line for words, line in beside(ax) if share in words)
    assert runs(left_over, (foot, 0), (foot, gap)) and left_over.is_dashed()
    assert f"is {best} times it" in alt(chapter.said[name])
    assert f"{share} as long as the code" in alt(chapter.said[name])
    (answer,) = right_answers(chapter, "how-well-by-a-multiple")
    assert answer == "Poorly: over half its length remains." and sin(angle) > 0.5
    _, reply = replies(chapter.said["how-well-by-a-multiple"])[answer]
    assert f"{best} times p(10)" in reply and f"{100 * sin(angle):.0f} %" in reply


# ---- rotations ----------------------------------------------------------------------
def test_one_shift_in_two_orders(chapter):
    wave = {"sin": np.sin, "cos": np.cos}
    axes = chapter.cell["one-shift-drawn-in-two-orders"].axes
    for ax, (across, up) in zip(axes, (("sin", "cos"), ("cos", "sin")), strict=True):
        names, said = named(ax), texts_of(ax)
        for name, angle in (("pos", 0.35), ("pos + k", 1.35)):
            assert runs(names[name], (0, 0), (wave[across](angle), wave[up](angle)))
        assert is_before(names["pos"]) and is_after(names["pos + k"])
        ((start, end, _, heads),) = sweeps(ax)
        assert heads == 1 and (start < end) == (across == "sin")  # clockwise
        assert np.allclose(hand(end), tip(names["pos + k"]))
        assert said[f"{across} →"].get_position()[0] > 1
        assert said[f"{up} ↑"].get_position()[1] > 1
        assert ax.get_title() == f"order ({across}, {up})"


def test_three_on_four_on_and_back(chapter):
    (ax,) = chapter.cell["three-on-four-on-and-back"].axes
    for place in (0, 3, 7):
        line = named(ax)[str(place)]
        assert is_after(line) and runs(line, (0, 0), hand(place * HALF))
    arcs = {}
    for a, b, radius, heads in sweeps(ax):
        arcs[round((a + 0.1) % (2 * pi) / HALF), round((b - a) / HALF)] = radius
        assert heads == 1
    for offset, start, end in ((3, 0, 3), (4, 3, 7), (7, 0, 7), (-7, 7, 0)):
        x, y = texts_of(ax)[f"$R_{{{offset}}}$"].get_position()
        within = arcs.pop((start, offset)) - hypot(x, y)
        between = np.arctan2(x, y) % (2 * pi) / HALF
        assert 0 < within < 0.2 and min(start, end) < between < max(start, end)
    assert not arcs


# ---- dot products -------------------------------------------------------------------
def dot(offset):
    return sum(cos(offset * 10_000 ** (-i / 32)) for i in range(32))


def test_dot_products_are_no_ruler(chapter):
    name = "the-dot-product-is-no-ruler"
    left, right, _ = chapter.cell[name].axes
    (image,) = left.images
    wanted = [[dot(m - n) for n in range(60)] for m in range(60)]
    assert np.allclose(image.get_array(), wanted)
    assert image.get_clim() == (0, 32) and image.get_cmap().name == draw.SIGNED
    line, *dots = right.lines
    assert np.allclose(line.get_xdata(), range(-59, 60))
    assert np.allclose(line.get_ydata(), [dot(n) for n in range(-59, 60)])
    for n in (28, 32):
        assert np.allclose(tip(nearest(dots, texts_of(right)[str(n)])), (n, dot(n)))
    assert f"a peak of {dot(0):.0f} at offset 0" in alt(chapter.said[name])


def test_28_or_32_places_away(chapter):
    said = chapter.said["is-28-or-32-places-more-alike"]
    assert right_answers(chapter, "is-28-or-32-places-more-alike") == ["p(32)."]
    assert dot(32) > dot(28)
    assert f"{dot(32):.1f} against {dot(28):.1f}" in replies(said)["p(32)."][1]


def test_three_before_equals_three_after(chapter):
    (ax,) = chapter.cell["three-before-equals-three-after"].axes
    for n, column in enumerate(ax.patches):
        assert isclose(column.get_x() + column.get_width() / 2, n, abs_tol=1e-9)
        assert isclose(column.get_height(), dot(n - 10))
        assert (to_hex(column.get_facecolor()) == MARK) == (n in (7, 13))
    assert runs(ax.lines[0], (0, dot(3)), (20, dot(3)))
    assert texts_of(ax)["3 before"].get_position()[0] == 7
    assert texts_of(ax)["3 after"].get_position()[0] == 13
    assert labels(ax.xaxis) == {n: str(n) for n in (0, 5, 7, 10, 13, 15, 20)}


# ---- the scoreboard -----------------------------------------------------------------
NORM, NEAR, ONE_MAP = (
    "survives LayerNorm",
    "near places look alike",
    "one map moves every place",
)
FAILS = {
    "integers": {"bounded", NORM, ONE_MAP},
    "divided by length": {"independent of the text's length", NORM, ONE_MAP},
    "binary": {"even steps", NEAR, ONE_MAP},
    "one sine": {"even steps", NEAR, ONE_MAP},
    "one clock": {NEAR},
    "sines and cosines": set(),
}


def failed(verdicts):
    return {wish for wish, fine in verdicts.items() if not fine}


def test_only_sines_and_cosines_have_all_seven_ticks(chapter):
    (ax,) = chapter.cell["the-first-code-that-fulfils-all-seven"].axes
    board = read_board(ax)
    assert {name: failed(verdicts) for name, verdicts in board.items()} == FAILS
    assert all(len(verdicts) == 7 for verdicts in board.values())


def test_the_small_print_on_the_six_codes(chapter):
    def in_columns(width):
        return lambda n: np.array([code(pos, width, 10_000.0) for pos in range(n)])

    assert failed(chapter.wishes_of(in_columns(8))) == {NEAR}
    assert failed(chapter.wishes_of(in_columns(2))) == {NORM, NEAR}


# ---- going further ------------------------------------------------------------------
def test_the_eigenvalues_of_a_shift_by_three(chapter):
    (ax,) = chapter.cell["eigenvalues-of-a-shift-by-three"].axes
    dots = [x for x in ax.lines if len(x.get_xdata()) == 1]
    found = [tip(x)[1] + 1j * tip(x)[0] for x in dots]
    truth = np.linalg.eigvals(blocks([3 * 2.0**-i for i in range(4)]))
    assert np.allclose(np.sort_complex(found), np.sort_complex(truth))
    for spot in dots:
        i = "osD^".index(spot.get_marker())
        sign = 1 if spot.get_markerfacecolor() == draw.INK else -1  # filled or hollow
        assert np.allclose(tip(spot), hand(sign * 3 * 2.0**-i))
    for text in ax.texts:
        if text.get_text().startswith("pair"):
            spot = nearest(dots, text)
            assert text.get_text() == f"pair {'osD^'.index(spot.get_marker())}"
