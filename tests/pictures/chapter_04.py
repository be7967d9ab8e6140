"""Chapter 4: one turn wherever a hand stands, its matrix, and five candidates."""

import re
from itertools import product
from math import cos, degrees, hypot, isclose, pi, radians, sin, sqrt

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex

import draw
from tests.pictures.reading import alt, beside, cells, look, named, replies
from tools.chapters import NOTEBOOKS
from tools.chapters import cells as cells_of

HALF = 0.5  # radians a place of pair 1, in base 16
BOTH_WAYS = [(4, 3), (0, 1), (7, -3), (11, 6), (20, -6), (1, 0)]  # pos, k


def hand(angle, length=1):
    """The tip of a hand, clockwise from 12 o'clock."""
    return np.array([length * sin(angle), length * cos(angle)])


def code(pos, width=8, base=16.0):
    return np.array(
        [
            wave(pos * base ** (-2 * i / width))
            for i in range(width // 2)
            for wave in (sin, cos)
        ]
    )


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


def cell_of(x, digits):
    text = written(x, digits)
    return text if text.strip("0.") else "0"


def tip(line):
    return np.array(line.get_xydata()[-1])


def runs(line, start, end):
    """Whether a line leads straight from one point to another."""
    return np.allclose(line.get_xydata(), [start, end], atol=1e-9)


def sweeps(ax):
    """The arcs of axes with the angles of their ends, and where their heads point."""
    arcs = [x for x in ax.lines if len(x.get_xdata()) > 2]
    heads = [x for x in ax.lines if len(x.get_xdata()) == 1 and x.get_visible()]
    for arc in arcs:
        x, y = np.transpose(arc.get_xydata())
        angles = np.unwrap(np.arctan2(x, y))
        near = [h for h in heads if hypot(*(tip(h) - (x[-1], y[-1]))) < 0.13]
        for head in near:
            pointed = radians(head.get_marker()[2])
            ahead = np.sign(angles[-1] - angles[0]) * np.array([y[-1], -x[-1]])
            assert np.array([-sin(pointed), cos(pointed)]) @ ahead > 0.9 * hypot(*ahead)
        yield angles[0], angles[-1], hypot(x[0], y[0]), len(near)


def same_angle(a, b):
    return isclose(cos(a - b), 1, abs_tol=1e-9)


def is_before(line):
    return look(line)[:3] == (draw.GREY.lower(), True, "")


def is_after(line):
    return look(line) == (draw.INK.lower(), False, "o", True)


def has(words, *phrases):
    for phrase in phrases:
        assert phrase in words, f"{phrase!r} is not in {words!r}"


# ---- a shift turns every hand -------------------------------------------------------
def test_one_turn_at_three_places(chapter):
    name = "one-turn-at-three-places"
    (ax,) = chapter.cell[name].axes
    names = named(ax)
    assert set(names) == {"0", "2", "4", "6", "8", "10", "kω"}
    for place in (0, 2, 4, 6, 8, 10):
        line = names[str(place)]
        assert runs(line, (0, 0), hand(place * HALF))
        assert is_before(line) if place % 4 == 0 else is_after(line)
        (text,) = (t for t in ax.texts if t.get_text() == str(place))
        assert text.get_color() == (draw.GREY_TEXT if place % 4 == 0 else draw.INK)
    found = sorted(
        (start % (2 * pi), end - start, n) for start, end, r, n in sweeps(ax)
    )
    assert np.allclose(found, [(0, 1, 1), (2, 1, 1), (4, 1, 1)])
    arcs = [line for words, line in beside(ax) if words == "kω"]
    assert len({id(line) for line in arcs}) == 3
    assert {look(line)[0] for line in arcs} == {draw.MARK.lower()}
    assert ax.get_title() == "one clock, k = 2:   0 → 2,   4 → 6,   8 → 10"
    has(
        alt(chapter.said[name]),
        "One clock with six hands. Dashed hands at the positions 0, 4 and 8; solid"
        " hands at 2, 6 and"
        " 10. Three equal arcs, each marked kω, lead clockwise from a dashed hand to"
        " the solid hand two positions further on",
    )


def test_the_second_step_to_the_right(chapter):
    offered = replies(chapter.said["is-every-step-the-same"])
    step = sin(2) - sin(1)
    assert [right for right, _ in offered.values()] == [False, True, False]
    assert list(offered)[0].startswith(f"By {sin(1):.2f} again")
    assert list(offered)[1] == f"By {step:.2f}."
    has(list(offered.values())[0][1], "goes less and less far to the right")
    has(list(offered.values())[1][1], "turns by the same angle")
    has(
        list(offered.values())[1][1], f"sin 2 − sin 1 is {step:.2f}", "goes down rather"
    )
    has(chapter.said["is-every-step-the-same"], f"grows by {sin(1):.2f}")
    assert step < sin(1) / 10 and list(offered)[2] == "By about half of that."
    has(list(offered.values())[2][1], "less than a tenth", "near 3 o'clock")


def test_four_clocks_turn_by_k_omega(chapter):
    panel = chapter.cell["a-shift-turns-every-hand"]
    for pos, k in BOTH_WAYS:
        said = panel.sentence_at({"pos": pos, "k": k})
        angles = []
        for i, ax in enumerate(panel.canvas.figure.axes):
            rate = 16 ** (-i / 4)
            (grey,) = (line for line in ax.lines if is_before(line))
            (black,) = (line for line in ax.lines if is_after(line))
            assert runs(grey, (0, 0), hand(pos * rate))
            assert runs(black, (0, 0), hand((pos + k) * rate))
            ((start, end, radius, heads),) = sweeps(ax)
            assert same_angle(start, pos * rate) and isclose(radius, 0.75)
            assert isclose(end - start, k * rate, abs_tol=1e-9) and heads == (k != 0)
            numbers = {words: line for words, line in beside(ax)}
            if k:
                assert numbers[written(pos + k, 0)] is black
                assert numbers[str(pos)] is grey
                shades = {t.get_text(): t.get_color() for t in ax.texts}
                assert shades[str(pos)] == draw.GREY_TEXT
                assert shades[written(pos + k, 0)] == draw.INK
            assert len(numbers) == (2 if k else 1)
            angles.append(f"{written(degrees(k * rate), 0)}°")
            assert ax.get_title() == f"pair {i}:  kω = {angles[i]}"
        headline = panel.canvas.figure.get_suptitle()
        assert headline == f"pos = {pos},  k = {written(k, 0)}"
        assert said == (
            f"From {pos} to {written(pos + k, 0)}, the hands turn by"
            f" {', '.join(angles)}; the sine of pair 0 changes by"
            f" {written(sin(pos + k) - sin(pos))}."
        )
    first, second, third, last = (round(degrees(3 * 2.0**-i)) for i in range(4))
    has(
        panel.alt,
        "Four clocks, each with a dashed hand at position 4 and a solid hand at 7",
        f"The arcs from one to the other are {first}, {second}, {third} and {last}"
        " degrees, clockwise: each half of the one before.",
    )
    assert panel.grid() == {"pos": [*range(21)], "k": [*range(-6, 7)]}


# ---- sine and cosine of a sum -------------------------------------------------------
def test_two_triangles_lead_to_the_tip_of_a_hand(chapter):
    panel = chapter.cell["two-ways-add-up-to-one-sine"]
    orange, blue, ink = (x.lower() for x in (draw.COS, draw.SIN, draw.INK))
    for alpha, beta in product((20, 30, 40, 45), (20, 30, 45)):
        said = panel.sentence_at({"alpha": alpha, "beta": beta})
        a, b = radians(alpha), radians(beta)
        (ax,) = panel.canvas.figure.axes
        x, y = sin(a) * cos(b), cos(a) * cos(b)
        right, up = sin(a + b), cos(a + b)
        wanted = {
            "sin α cos β": ((0, y), (x, y), orange, False, x),
            "cos α sin β": ((x, y), (right, y), blue, False, cos(a) * sin(b)),
            "cos α cos β": ((0, 0), (0, y), orange, True, y),
            "sin α sin β": ((right, y), (right, up), blue, True, sin(a) * sin(b)),
            "sin (α + β)": ((0, -0.05), (right, -0.05), ink, False, right),
            "cos (α + β)": ((right, up), (right, 0), ink, True, up),
            "cos β": ((0, 0), (x, y), orange, False, cos(b)),
            "sin β": ((x, y), (right, up), blue, False, sin(b)),
            "1": ((0, 0), (right, up), ink, False, 1),
        }
        lines = {id(line): line for line in ax.lines}
        for name, (start, end, colour, dashes, long) in wanted.items():
            (text,) = (text for text in ax.texts if text.get_text() == name)
            (line,) = (line for line in lines.values() if ends_at(line, start, end))
            assert look(line)[:2] == (colour, dashes), name
            assert isclose(hypot(*np.subtract(end, start)), long, abs_tol=1e-9)
            share = 0.75 if name in ("cos β", "1") else 0.5
            at = np.add(start, share * np.subtract(end, start))
            assert hypot(*np.subtract(text.get_position(), at)) < 0.08, name
            if name in ("cos β", "sin β"):
                words = {orange: draw.COS_TEXT, blue: draw.SIN}[colour]
                assert text.get_color() == words
        if (alpha, beta) == (40, 30):
            names = named(ax)
            for name, (start, end, *_) in wanted.items():
                assert ends_at(names[name], start, end), name
            for letter, start, end in (("α", 0, a), ("β", a, a + b)):
                x, y = names[letter].get_data()
                assert np.allclose(np.arctan2(x, y)[[0, -1]], (start, end))
                assert look(names[letter])[0] == draw.MARK.lower()
        assert said == (
            f"sin {alpha + beta}° ≈ {sin(a) * cos(b):.3f} + {cos(a) * sin(b):.3f} ≈"
            f" {sin(a + b):.3f}; cos {alpha + beta}° ≈ {cos(a) * cos(b):.3f} −"
            f" {sin(a) * sin(b):.3f} ≈ {abs(cos(a + b)):.3f}."
        )
    values = [20, 25, 30, 35, 40, 45]
    assert panel.grid() == {"alpha": values, "beta": values}
    has(
        panel.alt,
        "A black hand of length 1 at 70 degrees, that is 40 and then 30",
        "an orange one with the long side cos β and a blue one with sin β",
        "to the right, solid, by sin α cos β and cos α sin β; dashed, up by cos α cos β"
        " and down again by sin α sin β",
    )


def ends_at(line, start, end):
    points = line.get_xydata()
    return len(points) == 2 and np.allclose(points, [start, end], atol=1e-9)


def test_the_right_angles_of_the_triangles(chapter):
    panel = chapter.cell["two-ways-add-up-to-one-sine"]
    panel.sentence_at({"alpha": 20, "beta": 45})
    a, b = radians(20), radians(45)
    foot, end = hand(a, cos(b)), hand(a + b)
    (ax,) = panel.canvas.figure.axes
    grey = [x.get_xydata() for x in ax.lines if look(x)[0] == draw.GREY.lower()]
    wanted = [
        ((0, foot[1]), (1, 0), (0, -1)),
        ((end[0], foot[1]), (-1, 0), (0, -1)),
        (foot, -foot / cos(b), (end - foot) / sin(b)),
    ]
    for points, (corner, u, v) in zip(grey, wanted, strict=True):
        u, v = 0.045 * np.array(u), 0.045 * np.array(v)
        assert np.allclose(points - corner, [u, u + v, v])


def test_the_identities_that_are_proved(chapter):
    said = chapter.said["sine-and-cosine-of-a-sum"]
    sp, alpha, beta = chapter.sp, chapter.alpha, chapter.beta
    a_sine, a_cosine = sp.sin(alpha), sp.cos(alpha)
    b_sine, b_cosine = sp.sin(beta), sp.cos(beta)
    has(said, f" = {sp.latex(a_sine * b_cosine + a_cosine * b_sine)}")
    has(said, f" = {sp.latex(a_cosine * b_cosine - a_sine * b_sine)}")
    assert said.count(r"\text{residual }0") == 2 and r"\neq" not in said
    has(chapter.said["both-identities-by-exponentials-alone"], "both identities hold")


def test_new_sine_and_new_cosine_from_the_old_two(chapter):
    name = "new-sine-from-the-old-two"
    dial, sums = chapter.cell[name].axes
    (x, y), (right, up) = hand(0.5), hand(1)
    orange, blue = draw.COS.lower(), draw.SIN.lower()
    names = named(dial)
    for words, start, end, colour, dashes in (
        ("old sine", (0, y), (x, y), blue, False),
        ("old cosine", (0, 0), (0, y), orange, True),
        ("new sine", (0, 0), (right, 0), blue, False),
        ("new cosine", (right, 0), (right, up), orange, True),
    ):
        assert ends_at(names[words], start, end), words
        assert look(names[words])[:2] == (colour, dashes)
        (text,) = (text for text in dial.texts if text.get_text() == words)
        assert text.get_color() == {orange: draw.COS_TEXT, blue: draw.SIN}[colour]
    assert set(names) == {"old sine", "old cosine", "new sine", "new cosine", "kω"}
    ((start, end, *_),) = sweeps(dial)
    assert np.allclose((start, end), (0.5, 1))
    assert len(names["kω"].get_xdata()) > 2
    (before,), (after,) = (filter(f, dial.lines) for f in (is_before, is_after))
    assert runs(before, (0, 0), (x, y)) and runs(after, (0, 0), (right, up))

    value = {"cos kω": cos(0.5), "sin kω": sin(0.5), "−sin kω": -sin(0.5)}
    old = {"· old sine": x, "· old cosine": y}
    heads = {t.get_position()[0]: t for t in sums.texts if t.get_text() in old}
    (box,) = sums.patches
    for result, wanted in (("new sine =", right), ("new cosine =", up)):
        (start,) = (t for t in sums.texts if t.get_text() == result)
        row = start.get_position()[1]
        total = 0
        for column, head in heads.items():
            (entry,) = (t for t in sums.texts if t.get_position() == (column, row))
            total += value[entry.get_text()] * old[head.get_text()]
            is_cosine = entry.get_text().startswith("cos")
            assert entry.get_color() == (draw.COS_TEXT if is_cosine else draw.SIN)
            assert box.get_bbox().contains(column, row)
        assert isclose(total, wanted)
        assert start.get_position()[0] < min(heads) and start.get_ha() == "right"
    has(
        alt(chapter.said[name]),
        "Left two hands of a clock: a dashed hand with its old sine to the right and"
        " its old cosine up, and a"
        " solid hand, turned on by kω, with its new sine and new cosine",
        "Right, four framed numbers",
        "the new sine is cos kω times the old sine plus sin kω times the old cosine",
        "the new cosine is −sin kω times the old sine plus cos kω times the old cosine",
    )


def test_one_box_takes_the_clock_at_two_places(chapter):
    name = "one-box-for-two-places"
    axes = chapter.cell[name].axes
    (box,) = (ax for ax in axes if ax.get_title() == "k = 2")
    letters = sorted(box.texts, key=lambda t: (-t.get_position()[1], t.get_position()))
    assert "".join(text.get_text() for text in letters) == "abcd"  # as it is read
    arrows = [text for text in box.texts if not text.get_text()]
    assert len(arrows) == 4 and all(a.xy[0] > a.xyann[0] for a in arrows)
    assert {arrow.arrow_patch.get_arrowstyle().arrow for arrow in arrows} == {"-|>"}
    clocks = {ax.get_title(): ax for ax in axes if ax is not box}
    for pos in (0, 1):
        into, out = clocks[f"pos = {pos}"], clocks[f"{pos} + k = {pos + 2}"]
        assert into.get_position().x1 < box.get_position().x0
        assert out.get_position().x0 > box.get_position().x1
        assert into.get_position().y0 == out.get_position().y0
        for ax, place, colour in ((into, pos, draw.GREY), (out, pos + 2, draw.INK)):
            (line,) = ax.lines
            assert runs(line, (0, 0), hand(place * HALF))
            assert look(line)[0] == colour.lower()
    has(
        alt(chapter.said[name]),
        "the unknown numbers a, b, c, d. A clock at position 0 goes in at the left, and"
        " the clock at 0 + k = 2 comes out at the right",
        "takes the clock at position 1 to the clock at 1 + k = 3",
    )


# ---- the matrix ---------------------------------------------------------------------
def test_the_matrix_of_sympy_is_a_rotation(chapter):
    sp, k, omega = chapter.sp, chapter.k, chapter.omega
    beta = k * omega
    wanted = sp.Matrix([[sp.cos(beta), sp.sin(beta)], [-sp.sin(beta), sp.cos(beta)]])
    assert wanted == chapter.M
    unknown = sp.latex(sp.Matrix([list(sp.symbols("a b")), list(sp.symbols("c d"))]))
    shown = f"M = {unknown} = {sp.latex(wanted)}"
    has(chapter.said["the-one-solution-of-sympy"], shown)
    for name in ("the-matrix-fits-every-place", "when-it-is-the-only-matrix"):
        assert r"\neq" not in chapter.said[name]
        has(chapter.said[name], r"\text{residual }")
    det = r"\det\,[\,p(0)\;\;p(1)\,] = - \sin{\left(\omega \right)}"
    has(chapter.said["when-it-is-the-only-matrix"], det)
    w0, w1 = (sp.Symbol(f"omega_{i}", positive=True) for i in (0, 1))
    both = sp.diag(wanted.subs(omega, w0), wanted.subs(omega, w1))
    has(chapter.said["two-pairs-two-blocks"], f"R_k = {sp.latex(both)}")
    # the two rows of the small print on "even" and "odd"
    for place, shift, rate in ((10, 3, 0.3), (-2.5, 7, 1)):
        new = block(shift * rate) @ hand(place * rate)
        assert np.allclose(new, hand((place + shift) * rate))
        assert np.allclose(chapter.M_k(shift, rate), block(shift * rate))


def text_of(name):
    (path,) = NOTEBOOKS.glob("04*.ipynb")
    return next(cell.source for cell in cells_of(path) if cell.id == name)


def test_the_formulas_of_the_theorem(chapter):
    waves, turn = {"sin": sin, "cos": cos}, 0.7
    for name in ("identities-sorted-by-the-old-waves", "the-theorem"):
        tex = text_of(name)
        entry = r"\\textcolor\{(#\w+)\}\{(-?)\\(sin|cos) k\\omega\}"
        entries = re.findall(entry, tex)
        shown = [float(sign + "1") * waves[wave](turn) for _, sign, wave in entries]
        assert np.allclose(shown, block(turn).ravel())
        for colour, _, wave in entries:
            assert colour == {"sin": draw.SIN, "cos": draw.COS_TEXT}[wave]
        old = re.findall(r"\\(sin|cos)\(\\mathit\{pos\}\\[,;]\\omega\)", tex)
        new = re.findall(r"\\(sin|cos)\(\(?\\mathit\{pos\}[^)]*\+ ?k", tex)
        assert new == ["sin", "cos"] and old == new * (len(old) // 2) != []
    rows = re.findall(
        r"\| \$(-?)\\(\w+)\\beta\$", text_of("small-print-two-rows-two-answers")
    )
    shown = [float(sign + "1") * waves[wave](turn) for sign, wave in rows]
    assert np.allclose(shown, block(turn).ravel())
    has(text_of("one-value-for-each-diagonal"), r"\sum_i \cos k\omega_i")
    has(
        text_of("what-rotations-do-for-free"),
        r"R_j R_k = R_{j+k} \qquad R_0 = I \qquad R_{-k} = R_k^\top = R_k^{-1}",
        r"\det R_k = 1",
    )


def test_the_figures_that_a_lecturer_speaks(chapter):
    has(
        text_of("notes-places-share-a-turn"),
        f"shrinks from {sin(1):.2f} to {sin(2) - sin(1):.2f}",
        "the frequencies 1, ½, ¼ and ⅛ of base 16",
    )
    has(
        text_of("notes-the-dot-product-is-no-ruler"),
        "for the first five places only",
        f"28 places apart give {dot(28):.1f}, and 32 places apart give more,"
        f" {dot(32):.1f}",
    )
    falls = [dot(n + 1) < dot(n) for n in range(6)]
    assert falls == [True] * 5 + [False]


def test_each_column_is_a_hand(chapter):
    panel = chapter.cell["each-column-is-a-hand"]
    for k in panel.grid()["k"]:
        said = panel.sentence_at({"k": k})
        dial, table = panel.canvas.figure.axes
        c, s = cos(k * HALF), sin(k * HALF)
        tips = {"s": (c, -s), "o": (s, c)}
        for marker, column in (("s", 0), ("o", 1)):
            (line,) = (x for x in dial.lines if x.get_marker() == marker)
            assert runs(line, (0, 0), tips[marker]) and len(line.get_xdata()) == 2
            assert np.allclose(table.images[0].get_array()[:, column], tips[marker])
            wanted = [cell_of(part, 2) for part in tips[marker]]
            assert list(cells(table)[:, column]) == wanted
        sines = [x for x in dial.lines if look(x)[:2] == (draw.SIN.lower(), False)]
        cosines = [x for x in dial.lines if look(x)[:2] == (draw.COS.lower(), True)]
        assert len(sines) == len(cosines) == 2
        for bend, end in (((c, 0), (c, -s)), ((0, c), (s, c))):
            assert any(runs(x, (0, 0), bend) for x in cosines)
            assert any(runs(x, bend, end) for x in sines)
        assert dial.get_title() == (
            f"k = {k}: turned by kω = {degrees(k * HALF):.0f}°\n"
            "solid: ±sin kω, dashed: cos kω"
        )
        assert said == (
            f"k = {k}, ω = 0.5: the hand from 3 o'clock lands at ({written(c)},"
            f" {written(-s)}), the first column; the hand from 12 at ({written(s)},"
            f" {written(c)}), the second."
        )
    assert panel.grid() == {"k": [*range(13)]}
    starts = [x for x in dial.lines if x.get_color() == draw.GREY]
    assert {tuple(tip(x).round(9)) for x in starts} == {(1, 0), (0, 1)}
    assert labels(table.xaxis) == {0: "■ from\n3 o'clock", 1: "● from\n12 o'clock"}
    assert labels(table.yaxis) == {0: "right", 1: "up"}
    assert table.get_title() == "a, b, c, d"
    has(
        panel.alt,
        "Left a clock with two hands at a right angle",
        f"both turned clockwise by {degrees(1):.0f} degrees, one from 3 o'clock and one"
        " from 12, with their parts to the right and up",
        "Right the matrix of sympy",
        f"the numbers {cos(1):.2f}, {sin(1):.2f}, −{sin(1):.2f}, {cos(1):.2f}: its"
        " columns are where",
    )


def labels(axis):
    return dict(zip(axis.get_ticklocs(), (t.get_text() for t in axis.get_ticklabels())))


def test_one_block_moves_three_hands(chapter):
    name = "one-block-moves-three-hands"
    before, box, after = chapter.cell[name].axes
    for ax, shift, colour in ((before, 0, draw.GREY), (after, 2, draw.INK)):
        names = named(ax)
        assert set(names) == {str(place + shift) for place in (0, 4, 8)}
        for place, marker in zip((0, 4, 8), "osD"):
            line = names[str(place + shift)]
            assert runs(line, (0, 0), hand((place + shift) * HALF))
            assert look(line) == (colour.lower(), False, marker, True)
    assert before.get_title() == "from 0, 4, 8" and after.get_title() == "to 2, 6, 10"
    assert before.get_position().x0 < box.get_position().x0 < after.get_position().x0
    assert np.allclose(box.images[0].get_array(), block(1))
    wanted = [[written(x) for x in row] for row in block(1)]
    assert cells(box)[:2, :2].tolist() == wanted
    assert box.get_title() == "the block of $R_2$\nω = 0.5"
    assert [text.get_text() for text in box.texts].count("→") == 2
    has(
        alt(chapter.said[name]),
        "Left a clock with three hands, at the positions 0, 4 and 8",
        ", ".join(f"{x:.2f}".replace("-", "−") for x in block(1).ravel()),
        "Right the three hands that it makes of them,",
        "at the positions 2, 6 and 10: each is turned by two places",
    )


def test_from_place_10_to_13(chapter):
    at_13 = code(13, 512, 10_000.0)[20:22]
    one = " ".join(f"{x:.6f}" for x in at_13)
    said = chapter.said["from-place-10-to-13-in-pair-10"]
    assert said.strip() == f"computed: {one}  actual: {one}  error: < 1e-14"
    moved = block(3 * 10_000.0 ** (-20 / 512)) @ code(10, 512, 10_000.0)[20:22]
    assert np.abs(moved - at_13).max() < 1e-14


def test_one_matrix_for_all_pairs(chapter):
    panel = chapter.cell["one-matrix-for-all-pairs"]
    for base, pos, k in ((16, 4, 3), (100, 20, -20), (10_000, 1, 0), (16, 40, -7)):
        said = panel.sentence_at({"base": base, "pos": pos, "k": k})
        axes = panel.canvas.figure.axes
        turns = [k * base ** (-i / 4) for i in range(4)]
        codes = [
            np.transpose([code(place, 8, base) for place in places])
            for places in ((0, pos), (k, pos + k))
        ]
        for ax, wanted in zip(axes, (blocks(turns), *codes)):
            assert np.allclose(ax.images[0].get_array(), wanted)
            rows, columns = wanted.shape
            texts = [[cell_of(x, 1) for x in row] for row in wanted]
            found = {t.get_position(): t.get_text() for t in ax.texts}
            assert [[found[c, r] for c in range(columns)] for r in range(rows)] == texts
        for ax, places in zip(axes[1:], ((0, pos), (k, pos + k))):
            above = {
                t.get_position()[0]: t.get_text()
                for t in ax.texts
                if "p(" in t.get_text()
            }
            assert above == {i: f"p({written(n, 0)})" for i, n in enumerate(places)}
        by = written(k, 0)
        assert axes[0].get_title() == f"one R_k for both:  k = {by}, base {base}"
        angles = ", ".join(f"{written(degrees(turn), 1)}°" for turn in turns)
        assert said == (
            f"Base {base}, k = {by}: one matrix takes p(0) to p({by}) and p({pos}) to"
            f" p({written(pos + k, 0)}); its blocks turn by {angles}."
        )
    frames = [patch.get_bbox().extents.tolist() for patch in axes[0].patches]
    assert frames == [[n - 0.5, n - 0.5, n + 1.5, n + 1.5] for n in (0, 2, 4, 6)]
    assert labels(axes[0].yaxis) == {0.5: "0", 2.5: "1", 4.5: "2", 6.5: "3"}
    assert axes[0].get_ylabel() == "pair"
    signs = [[t.get_text() for t in ax.texts if t.get_text() in "×="] for ax in axes]
    assert signs == [[], ["×"], ["="]]
    assert panel.grid() == {
        "base": [16, 100, 10_000],
        "pos": [*range(1, 41)],
        "k": [*range(-20, 21)],
    }
    has(
        panel.alt,
        "The shift matrix for k = 3, with numbers: four framed 2 by 2 blocks on its"
        " diagonal, zeros",
        "the codes of the positions 0 and 4, as columns of 8 numbers, and the codes of"
        " 3 and 7",
    )


def test_what_is_printed_of_errors_holds(chapter):
    rates = 10_000.0 ** (-np.arange(32) / 32)
    places = np.arange(400)[:, None] * rates
    codes = np.stack([np.sin(places), np.cos(places)], axis=-1).reshape(400, 64)
    worst = max(
        np.abs(codes[:200] @ blocks(k * rates).T - codes[k : 200 + k]).max()
        for k in range(0, 200, 7)
    )
    said = chapter.said["codes-as-rows"]
    assert said.strip() == "R_k p(pos) - p(pos + k), all pos and k below 200: < 1e-12"
    assert worst < 1e-12 and np.allclose(chapter.table, codes)
    dots = codes[:60] @ codes[:60].T
    sums = np.cos(np.subtract.outer(np.arange(60), np.arange(60))[..., None] * rates)
    assert np.abs(dots - sums.sum(axis=-1)).max() < 1e-12
    has(
        chapter.said["dot-products-from-the-offset-alone"],
        "dot products against the formula, all pairs below 60: < 1e-12\n",
        f"28 places apart: {np.cos(28 * rates).sum():.1f};"
        f" 32 places apart: {np.cos(32 * rates).sum():.1f}\n",
    )
    has(chapter.said["what-a-group-of-shifts-keeps"], r"\det R_k = 1")
    has(chapter.said["what-a-group-of-shifts-keeps"], "each of 1000 codes: 256\n")
    has(
        chapter.said["twelve-codes-span-the-space"],
        "the best linear map for twelve codes, d_model = 6, is R_3, up to rounding",
    )


# ---- five candidates ----------------------------------------------------------------
def put_by(candidate, pos, k):
    """Where a candidate puts the four hands of `pos`, from what is said of it."""
    here, rates = code(pos), [1, 1 / 2, 1 / 4, 1 / 8]
    if candidate == "R_k":
        return code(pos + k)
    if candidate == "one angle":
        return np.concatenate([hand(pos * rate + k) for rate in rates])
    if candidate == "add a vector":
        return here + code(4 + k) - code(4)
    if candidate == "mirrored at 4":  # left and right exchanged, then 8 + k on
        return np.concatenate([hand(-pos * rate + (8 + k) * rate) for rate in rates])
    return np.concatenate(  # the part along the hand at 4, along the hand at 4 + k
        [cos((pos - 4) * rate) * hand((4 + k) * rate) for rate in rates]
    )


CANDIDATES = ["R_k", "add a vector", "fitted at 4", "mirrored at 4", "one angle"]


def test_five_candidates(chapter):
    panel = chapter.cell["one-of-five-hits-everywhere"]
    for candidate, (pos, k) in product(CANDIDATES, [*BOTH_WAYS, (4, -5), (5, 1)]):
        case = candidate, pos, k
        said = panel.sentence_at({"candidate": candidate, "pos": pos, "k": k})
        ax, *dials = panel.canvas.figure.axes
        adds = candidate == "add a vector"
        put, goal, by = put_by(*case), code(pos + k), written(k, 0)
        misses = np.hypot(*(put - goal).reshape(4, 2).T)
        passes = candidate == "R_k"
        passes |= pos == 4 and candidate != "one angle"
        passes |= k == 0 and candidate in ("one angle", "add a vector")
        for i, dial in enumerate(dials):
            own = slice(2 * i, 2 * i + 2)
            names = legend_of(panel, dial)
            assert runs(names["at pos"], (0, 0), code(pos)[own]), case
            assert np.allclose(tip(names["goal"]), goal[own]), case
            assert np.allclose(tip(names["moved"]), put[own]), case
            assert dial.get_xlim()[1] >= max(1.2, 1.1 * abs(put).max())
            hit = "✓" if misses[i] < 1e-9 else f"✗ by {misses[i]:.2f}"
            assert dial.get_title() == f"pair {i} {hit}", case
            assert dial.title.get_color() == (draw.INK if "✓" in hit else draw.MARK)
        assert passes == (misses.max() < 1e-9), case

        shown = np.ma.filled(ax.images[0].get_array(), np.nan)
        vector = code(4 + k) - code(4) if adds else np.full(8, np.nan)
        assert np.allclose(shown[:, 8], vector, equal_nan=True), case
        assert np.allclose(shown[:, :8] @ code(pos) + (vector if adds else 0), put), (
            case
        )
        outside = np.kron(np.eye(4), np.ones((2, 2))) == 0
        assert not shown[:, :8][outside].any(), case
        texts = {t.get_position(): t.get_text() for t in ax.texts}
        for (row, column), value in np.ndenumerate(shown):
            wanted = "" if np.isnan(value) else cell_of(value, 1)
            assert texts[column, row] == wanted, case
        (plus,) = (t for t in ax.texts if t.get_text() == "+")
        assert plus.get_visible() == adds and plus.get_position()[0] > 7.5
        there = f"p({written(pos + k, 0)})"
        step = f"add p({written(4 + k, 0)}) − p(4)" if adds else candidate
        assert ax.get_title() == f"{step}, k = {by}: p({pos}) → {there}"

        lengths = ", ".join(f"{x:.2f}" for x in np.hypot(*put.reshape(4, 2).T))
        angles = [f"{written(degrees(k * 2.0**-i), 0)}°" for i in range(4)]
        flipped = sum(cos((pos - 4) * 2.0**-i) < 0 for i in range(4)) or "none"
        told = {
            "R_k": f"its hands have turned by {', '.join(angles)}",
            "one angle": f"all its hands have turned by {angles[0]}",
            "add a vector": f"one step for all; its hands are {lengths} long",
            "fitted at 4": f"its hands are {lengths} long, {flipped} of them flipped"
            " over",
            "mirrored at 4": f"its hands stand as at {written(8 + k - pos, 0)} and turn"
            " back as pos goes on",
        }[candidate]
        name = f"R with k = {by}" if candidate == "R_k" else f"'{candidate}'"
        did = "hits" if passes else "misses"
        off = "" if passes else f" by {sqrt((misses**2).sum()):.2f}"
        assert said == f"From p({pos}), {name} {did} {there}{off}: {told}."
    assert panel.grid() == {
        "candidate": CANDIDATES,
        "pos": [*range(21)],
        "k": [*range(-6, 7)],
    }
    has(
        panel.alt,
        "Left a matrix of 8 by 8 numbers, fitted at place 4 and used at place 4",
        "beside it an empty column, for a vector that would be added.",
        "Right four clocks: a dashed hand at place 4, a ring where it should be at"
        " place 7, and a solid black hand where the matrix puts it. All four hit.",
    )


def legend_of(panel, dial):
    """The legend of the four clocks: entry → the line of one clock that looks so."""
    (legend,) = (box for part in panel.canvas.figure.subfigs for box in part.legends)
    found = named(dial, legend)
    assert is_before(found["at pos"]) and found["goal"].get_linestyle() == "None"
    assert is_after(found["moved"])
    return found


def test_one_of_four_is_right_at_5_too(chapter):
    said = chapter.said["is-right-at-4-right-at-5"]
    offered = replies(said)
    four = [name for name in CANDIDATES if np.allclose(put_by(name, 4, 3), code(7))]
    right = [name for name in four if np.allclose(put_by(name, 5, 3), code(8))]
    assert len(four) == 4 and right == ["R_k"]
    assert {answer for answer, (right, _) in offered.items() if right} == {"One."}
    has(said, "Three matrices, and one vector to add,")
    has(said, "all take p(4) to p(7)", "of the four take p(5) to p(8)")
    wrong, matrices, one = (reply for _, reply in offered.values())
    has(wrong, "p(7) − p(4)", "p(8) − p(5)")
    has(matrices, "eight equations", "64 entries")
    has(one, "Only R_3", "three such candidates")


def test_the_candidates_are_what_is_said_of_them(chapter):
    for k in range(-6, 7):
        ways = chapter.candidates(k)
        for name, pos in product(CANDIDATES, range(21)):
            matrix, vector = ways[name]
            assert np.allclose(matrix @ code(pos) + vector, put_by(name, pos, k))
        fitted, mirror = ways["fitted at 4"][0], ways["mirrored at 4"][0]
        for i in range(0, 8, 2):  # least squares finds the smallest block that fits
            old, new = code(4)[None, i : i + 2], code(4 + k)[None, i : i + 2]
            smallest = np.linalg.lstsq(old, new, rcond=None)[0].T
            assert np.allclose(fitted[i : i + 2, i : i + 2], smallest)
        assert isclose(np.linalg.det(mirror[:2, :2]), -1)  # no rotation


# ---- a linear map, no linear combination --------------------------------------------
def test_the_best_multiple_of_p10(chapter):
    p10, p13 = code(10, 512, 10_000.0), code(13, 512, 10_000.0)
    angle = np.arccos(p10 @ p13 / 256)
    best, share = f"{cos(angle):.3f}", f"{100 * sin(angle):.1f} %"
    name = "the-best-multiple-in-the-plane-of-two-codes"
    (ax,) = chapter.cell[name].axes
    arrows = [text for text in ax.texts if getattr(text, "arrow_patch", None)]
    names = dict(beside(ax))
    tips = {"p(10)": (16, 0), "p(13)": (16 * cos(angle), 16 * sin(angle))}
    foot = 16 * cos(angle)
    for words, end in tips.items():
        (text,) = (t for t in ax.texts if t.get_text() == words)
        arrow = min(
            arrows, key=lambda a: hypot(*np.subtract(a.xy, text.get_position()))
        )
        assert np.allclose(arrow.xy, end) and np.allclose(arrow.xyann, 0)
        assert arrow.arrow_patch.get_arrowstyle().arrow == "-|>"
    assert len(arrows) == 2
    (dot,) = (x for x in ax.lines if x.get_marker() == "o")
    (gap,) = (x for x in ax.lines if x.is_dashed())
    assert np.allclose(tip(dot), (foot, 0))
    (square,) = (x for x in ax.lines if len(x.get_xdata()) == 3)
    corner = [(foot - 0.8, 0), (foot - 0.8, 0.8), (foot, 0.8)]
    assert np.allclose(square.get_xydata(), corner)
    assert runs(gap, (foot, 0), tips["p(13)"])
    assert names[f"{best} · p(10)"] in (dot, *arrows, *ax.lines)
    (multiple,) = (t for t in ax.texts if "·" in t.get_text())
    assert multiple.get_text() == f"{best} · p(10)"
    assert isclose(multiple.get_position()[0], foot)
    assert names[f"left over: {share}\nof the length of p(13)"] is gap
    assert ax.get_title() == "two codes in their plane, d_model = 512"
    has(
        alt(chapter.said[name]),
        "Two arrows of equal length from one point, p(10) and p(13)",
        f"The best multiple of p(10) is {best} times it",
        "from there a dashed line at a right angle leads",
        f"up to p(13), {share} as long as the code",
    )
    printed = chapter.said["a-multiple-leaves-over-half"]
    assert printed.strip().splitlines() == [
        f"{best} times p(10) leaves over {share}",
        "the map R_3 leaves over less than 1e-12",
    ]
    offered = replies(chapter.said["how-well-by-a-multiple"])
    assert isclose(chapter.over, sin(angle)) and isclose(chapter.left_over, sin(angle))
    assert [right for right, _ in offered.values()] == [False, True, False]
    assert list(offered)[1] == "Poorly: over half its length remains."
    assert list(offered)[2] == "Almost exactly: within 1 %."
    has(
        list(offered.values())[1][1], f"{best} times p(10)", f"{100 * sin(angle):.0f} %"
    )
    has(
        chapter.said["how-well-by-a-multiple"],
        "d_model = 512",
        "can p(13) be",
        "p(10)?",
    )


# ---- rotations ----------------------------------------------------------------------
def test_one_shift_in_two_orders(chapter):
    name = "one-shift-drawn-in-two-orders"
    colours = {"sin": draw.SIN, "cos": draw.COS_TEXT}
    wave = {"sin": np.sin, "cos": np.cos}
    axes = chapter.cell[name].axes
    orders = [("sin", "cos"), ("cos", "sin")]
    for ax, (across, up) in zip(axes, orders, strict=True):
        names = named(ax)
        grey, black = names["pos"], names["pos + k"]
        assert is_before(grey) and is_after(black)
        for line, angle in ((grey, 0.35), (black, 1.35)):
            assert runs(line, (0, 0), (wave[across](angle), wave[up](angle)))
        (arrow,) = (t for t in ax.texts if getattr(t, "arrow_patch", None))
        (x, y), (u, v) = arrow.xyann, arrow.xy  # from tail to head
        turned = x * v - y * u  # positive if counter-clockwise
        assert (turned < 0) == ((across, up) == ("sin", "cos"))
        assert np.allclose(np.divide(arrow.xy, 0.55), tip(black))
        (path,) = (x for x in ax.lines if len(x.get_xdata()) > 2)
        assert np.allclose(path.get_xydata()[0], 0.55 * tip(grey))
        said = {t.get_text(): t for t in ax.texts}
        assert said[f"{across} →"].get_position()[0] > 1
        assert said[f"{up} ↑"].get_position()[1] > 1
        assert said[f"{across} →"].get_color() == colours[across]
        assert said[f"{up} ↑"].get_color() == colours[up]
        assert ax.get_title() == f"order ({across}, {up})"
    assert axes[0].get_position().x0 < axes[1].get_position().x0
    has(
        alt(chapter.said[name]),
        "Two unit circles with a hand at pos and a hand at pos + k.",
        "Drawn in the order (sin, cos) the hand turns clockwise, in the order (cos,"
        " sin) counter-clockwise",
    )


def test_three_on_four_on_and_back(chapter):
    name = "three-on-four-on-and-back"
    (ax,) = chapter.cell[name].axes
    texts = {t.get_text(): t.get_position() for t in ax.texts}
    for place in (0, 3, 7):
        line = named(ax)[str(place)]
        assert is_after(line) and runs(line, (0, 0), hand(place * HALF))
    arcs = {(round(r, 2), round(a, 9)): (a, b, n) for a, b, r, n in sweeps(ax)}
    wanted = [
        ("3", 0, 3, 0.37),
        ("4", 3, 7, 0.37),
        ("7", 0, 7, 0.64),
        ("-7", 7, 0, 0.91),
    ]
    for offset, start, end, radius in wanted:
        x, y = texts[f"$R_{{{offset}}}$"]
        lead = [
            (a, b, n)
            for a, b, r, n in sweeps(ax)
            if isclose(r, radius) and same_angle(a, start * HALF)
        ]
        ((a, b, heads),) = lead
        assert isclose(b - a, (end - start) * HALF) and heads == 1
        assert isclose(hypot(x, y), radius - 0.135)  # within its own arc
        between = np.arctan2(x, y) % (2 * pi) / HALF
        assert min(start, end) < between < max(start, end)
    assert len(arcs) == len(wanted) and len(texts) == 7
    assert ax.get_title() == "3 on, then 4 on: 7 on, and back"
    has(
        alt(chapter.said[name]),
        "hands at 0, 3 and 7. An inner arc, the shift by 3, leads from 0 to 3, and"
        " another, the shift by 4, from 3 to 7; further out an arc from 0 to 7 is the"
        " shift by 7, and one back from 7 to 0 the shift by −7",
    )


# ---- dot products -------------------------------------------------------------------
def dot(offset):
    return sum(cos(offset * 10_000 ** (-i / 32)) for i in range(32))


def test_dot_products_are_no_ruler(chapter):
    name = "the-dot-product-is-no-ruler"
    left, right, bar = chapter.cell[name].axes
    (image,) = left.images
    wanted = [[dot(m - n) for n in range(60)] for m in range(60)]
    assert np.allclose(image.get_array(), wanted)
    assert image.get_clim() == (0, 32) and image.get_cmap().name == draw.SIGNED
    assert image.origin == "upper" and image.colorbar.ax is bar
    assert bar.get_ylim() == (0, 32)
    low, high = (image.to_rgba([x])[0, :3].sum() for x in (0, 32))
    assert low < high and bar.get_yticks()[0] < bar.get_yticks()[-1]
    line, *dots = right.lines
    assert np.allclose(line.get_xdata(), range(-59, 60))
    assert np.allclose(line.get_ydata(), [dot(n) for n in range(-59, 60)])
    assert len(dots) == 2
    for text in right.texts:
        n = int(text.get_text())
        spot = min(dots, key=lambda d: hypot(*np.subtract(tip(d), text.get_position())))
        assert np.allclose(tip(spot), (n, dot(n)))
    assert sorted(t.get_text() for t in right.texts) == ["28", "32"]
    assert (left.get_xlabel(), left.get_ylabel()) == ("n (tokens)", "m (tokens)")
    assert right.get_xlabel() == "offset m − n (tokens)" and right.get_ylim() == (0, 34)
    assert left.get_title() == (
        "p(m) · p(n), d_model = 64:\none colour along each diagonal"
    )
    assert right.get_title() == "p(m) · p(n) by the offset:\na peak, then ups and downs"
    has(
        alt(chapter.said[name]),
        "Left the table of dot products of 60 codes: constant along every diagonal,",
        "bright on the main one. Right the dot product against the offset: a peak",
        "a steep fall and then ups and downs well below the peak",
        f"a peak of {dot(0):.0f} at offset 0; on both sides, mirrored",
        "The offsets 28 and 32 are marked: 32 stands higher",
    )
    assert dot(32) > dot(28)


def test_28_or_32_places_away(chapter):
    said = chapter.said["is-28-or-32-places-more-alike"]
    offered = replies(said)
    assert [right for right, _ in offered.values()] == [False, True, False]
    assert list(offered)[0].startswith("p(28)") and list(offered)[1] == "p(32)."
    near, far = f"{dot(28):.1f}", f"{dot(32):.1f}"
    has(list(offered.values())[1][1], f"It is {far} against {near}", "after 32 places")
    has(list(offered.values())[0][1], "goes up and down")
    has(
        list(offered.values())[2][1],
        f"far from equal: {near} and {far}. Some hands have come round again",
    )
    has(said, "d_model = 64", "larger dot product with p(0): p(28) or p(32)?")


def test_three_before_equals_three_after(chapter):
    name = "three-before-equals-three-after"
    (ax,) = chapter.cell[name].axes
    assert len(ax.patches) == 21
    for n, column in enumerate(ax.patches):
        assert isclose(column.get_x() + column.get_width() / 2, n, abs_tol=1e-9)
        assert isclose(column.get_height(), dot(n - 10))
        marked = to_hex(column.get_facecolor()) == draw.MARK.lower()
        assert marked == (n in (7, 13)) == bool(column.get_hatch())
    (level,) = ax.lines
    assert runs(level, (0, dot(3)), (20, dot(3)))
    texts = {t.get_text(): t for t in ax.texts}
    assert set(texts) == {"3 before", "3 after"}
    assert texts["3 before"].get_position()[0] == 7
    assert texts["3 after"].get_position()[0] == 13
    assert texts["3 before"].get_ha() == "right" and texts["3 after"].get_ha() == "left"
    assert labels(ax.xaxis) == {n: str(n) for n in (0, 5, 7, 10, 13, 15, 20)}
    assert ax.get_xlabel() == "place n (tokens)" and ax.get_ylabel() == "p(10) · p(n)"
    assert ax.get_title() == "d_model = 64" and ax.get_ylim() == (0, 36)
    has(
        alt(chapter.said[name]),
        "of the code of place 10 with the codes of the places 0 to 20. The highest"
        " stands at 10. The bars at 7, three before, and at 13, three after, are marked"
        " and equally high",
    )


# ---- the scoreboard -----------------------------------------------------------------
BOUNDED, ONE_EACH, LENGTH, EVEN = (
    "bounded",
    "one code a place",
    "independent of the text's length",
    "even steps",
)
NORM, NEAR, ONE_MAP = (
    "survives LayerNorm",
    "near places look alike",
    "one map moves every place",
)
FAILS = {
    "integers": {BOUNDED, NORM, ONE_MAP},
    "divided by length": {LENGTH, NORM, ONE_MAP},
    "binary": {EVEN, NEAR, ONE_MAP},
    "one sine": {EVEN, NEAR, ONE_MAP},
    "one clock": {NEAR},
    "sines and cosines": set(),
}


def test_only_sines_and_cosines_have_all_seven_ticks(chapter):
    name = "the-first-code-that-fulfils-all-seven"
    (ax,) = chapter.cell[name].axes
    wishes = (BOUNDED, ONE_EACH, LENGTH, EVEN, NORM, NEAR, ONE_MAP)
    wanted = {
        scheme: {wish: wish not in failed for wish in wishes}
        for scheme, failed in FAILS.items()
    }
    assert draw.read_board(ax) == wanted == chapter.board
    assert list(chapter.board) == list(FAILS)
    (frame,) = (patch for patch in ax.patches if not patch.get_fill())
    x0, y0, x1, y1 = frame.get_bbox().extents
    marks = [t for t in ax.texts if t.get_text() in ("✓", "✗")]
    framed = [t for t in marks if x0 < t.get_position()[0] < x1]
    assert len(framed) == 6 and {t.get_position()[0] for t in framed} == {6.5}
    assert all(y0 < t.get_position()[1] < y1 for t in framed)
    verdicts = [t.get_text() for t in sorted(framed, key=lambda t: t.get_position()[1])]
    assert verdicts == ["✗"] * 4 + ["✓"] * 2
    has(
        alt(chapter.said[name]),
        "six codes and seven wishes. Integers, divided by length, binary and one sine"
        " fail at the last wish, framed: one map moves every place. One clock passes it"
        " and fails only at near places look alike. Sines and cosines are the first to"
        " have a tick in every column",
    )


def test_the_codes_of_the_scoreboard_and_their_small_print(chapter):
    def failed(scheme):
        return {wish for wish, fine in chapter.wishes_of(scheme).items() if not fine}

    def in_columns(width):
        return lambda n: np.array([code(pos, width, 10_000.0) for pos in range(n)])

    chain, n = chapter.chain, 9
    count = np.arange(n)
    assert np.allclose(chain["integers"](n), np.repeat(count[:, None] + 1, 8, axis=1))
    shares = np.repeat(count[:, None] / 8, 8, axis=1)
    assert np.allclose(chain["divided by length"](n), shares)
    assert chain["binary"](n)[6].tolist() == [0, 1, 1] + 9 * [0]
    zeros = np.zeros((n, 6))
    clock = np.column_stack([np.sin(count), np.cos(count), zeros])
    assert np.allclose(chain["one clock"](n), clock)
    assert np.allclose(chain["one sine"](n), clock * ([1] + 7 * [0]))
    assert np.allclose(chain["sines and cosines"](n)[5], code(5, 64, 10_000.0))
    assert failed(in_columns(8)) == {NEAR}
    assert failed(in_columns(2)) == {NORM, NEAR}
    ones = failed(lambda n: np.column_stack([chain["integers"](n), np.ones(n)]))
    assert ones == {BOUNDED}  # a column of ones mends the last wish, and not the first


# ---- going further ------------------------------------------------------------------
def test_the_eigenvalues_of_a_shift_by_three(chapter):
    name = "eigenvalues-of-a-shift-by-three"
    (ax,) = chapter.cell[name].axes
    FigureCanvasAgg(ax.figure).draw()
    dots = [x for x in ax.lines if len(x.get_xdata()) == 1]
    found = [tip(x)[1] + 1j * tip(x)[0] for x in dots]
    truth = np.linalg.eigvals(blocks([3 * 2.0**-i for i in range(4)]))
    assert np.allclose(np.sort_complex(found), np.sort_complex(truth))
    for i, marker in enumerate("osD^"):
        pair = [x for x in dots if x.get_marker() == marker]
        (filled,) = (x for x in pair if x.get_markerfacecolor() == draw.INK)
        (hollow,) = (x for x in pair if x.get_markerfacecolor() == "white")
        assert np.allclose(tip(filled), hand(3 * 2.0**-i))
        assert np.allclose(tip(hollow), hand(-3 * 2.0**-i))
        for spot, dashes in ((filled, False), (hollow, True)):
            (leg,) = (x for x in ax.lines if runs_to(x, tip(spot)))
            assert leg.is_dashed() == dashes
            words = [
                t
                for t in ax.texts
                if hypot(*np.subtract(t.get_position(), tip(spot))) < 0.15
            ]
            assert [t.get_text() for t in words] == [f"pair {i}"]
    assert ax.get_title() == "$R_3$: filled $e^{ik\\omega}$, hollow its mirror image"
    said = {t.get_text(): t.get_position() for t in ax.texts}
    assert said["real part ↑"][1] > 1 and said["imaginary\npart →"][0] > 1
    has(
        alt(chapter.said[name]),
        "eight points: filled ones at the angles of the hands of four pairs after three"
        " places, clockwise from the top, and hollow ones mirrored at the left",
    )


def runs_to(line, end):
    return len(line.get_xdata()) == 2 and runs(line, (0, 0), end)


def test_many_small_turns(chapter):
    said = chapter.said["many-small-turns"]
    sp = chapter.sp
    has(said, f"J = {sp.latex(sp.Matrix([[0, 1], [-1, 0]]))}", "J^2 = ")
    has(said, sp.latex(sp.Matrix([[-1, 0], [0, -1]])))
    has(said, rf"e^{{k\omega J}} = {sp.latex(chapter.M)}")
    assert said.count(r"\text{residual }") == 2 and r"\neq" not in said
