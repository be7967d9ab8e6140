"""Chapter 5: one rigid motion, its rotations, and one plane in complex numbers."""

import itertools
from math import cos, dist, isclose, pi, sin

import numpy as np
from matplotlib.colors import to_hex

import draw
from draw import number
from tests.pictures import reading
from tests.pictures.reading import alt, named, right_answer, runs, tip, tip_of


def points(line):
    """The points of a line, its gaps left out, as numbers with their real part up."""
    found = np.array(line.get_xydata(), float) @ [1j, 1]
    return found[~np.isnan(found)]


def arc_of(ax):
    """The two angles of the one arc on a dial, clockwise from 12 o'clock."""
    lines = [x for x in ax.lines if len(x.get_xdata()) == 40]
    ((start, end, *_),) = reading.sweeps(ax, lines)
    return start, end


def frames(ax):
    """Left, top and width of the frames in a matrix."""
    boxes = [p for p in ax.patches if to_hex(p.get_edgecolor()) == draw.MARK.lower()]
    return sorted((p.get_x() + 0.5, p.get_y() + 0.5, p.get_width()) for p in boxes)


def test_which_table_fulfils_the_wish(chapter):
    name = "which-table-fulfils-the-wish"
    steady = [[cos(0.7 * (m - n)) for n in range(5)] for m in range(5)]
    wave = [[sin(0.7 * m) * sin(0.7 * n) for n in range(5)] for m in range(5)]
    for ax, table in zip(chapter.cell[name].axes, (steady, wave)):
        assert np.allclose(ax.images[0].get_array(), table)
        assert ("sine alone" in ax.get_title()) == (table is wave)
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("n", "m")
        assert np.allclose(frames(ax), [(n + 0.1, n + 2.1, 0.8) for n in range(3)])
        first, second, third = (reading.cells(ax)[n + 2, n] for n in range(3))
        words = first if table is steady else f"{first}, {second} and {third}"
        assert f"are {words}" in alt(chapter.said[name])


def test_equal_offsets_are_equally_far_apart(chapter):
    name = "the-same-triangle-four-places-on"
    left, right = chapter.cell[name].axes
    for ax, places in ((left, (0, 2, 5)), (right, (4, 6, 9))):
        texts, names = reading.texts_of(ax), named(ax)
        for m, n in itertools.combinations(places, 2):
            side = names[f"offset {n - m}"]
            assert side.is_dashed() == (ax is left)
            assert isclose(dist(*side.get_xydata()), 2 * sin(0.7 * (n - m) / 2))
            for place, end in zip((m, n), side.get_xydata()):
                assert dist(texts[f"$p_{place}$"].get_position(), end) < 0.3
        assert "p{}, p{} and p{}".format(*places) in alt(chapter.said[name])


def test_three_questions(chapter):
    assert "are equal" in right_answer(chapter, "must-the-lengths-be-equal")
    assert right_answer(chapter, "must-the-hand-turn-on") == "Yes, all of them."
    assert right_answer(chapter, "can-a-random-matrix-spoil-it").startswith("Yes")


def best_motion(here, there):
    """Where the best rotation or mirror image puts points, its angle, is it a turn."""
    turn, mirror = (here.conj() * there).sum(), (here * there).sum()
    if abs(turn) > abs(mirror):
        return here * turn / abs(turn), np.angle(turn), True
    return here.conj() * mirror / abs(mirror), np.angle(mirror), False


def test_eight_points_and_what_the_best_motion_misses(chapter):
    panel = chapter.cell["one-motion-or-a-glowing-rest"]
    assert "in steps of 45 and 15" in panel.alt and "turns by 32 degrees" in panel.alt
    for step, factor in ((15, 1.0), (45, 1.0), (-45, 1.0), (-30, 0.95), (45, 0.9)):
        said = panel.sentence_at({"second_step": step, "factor": factor})
        left, right = panel.canvas.figure.axes
        angles = np.radians(np.cumsum([0, 45, step, 45, step, 45, step, 45]))
        placed = factor ** np.arange(8) * np.exp(1j * angles)
        moved, angle, turns = best_motion(placed[:-1], placed[1:])
        round_ones = [points(x) for x in left.lines if x.get_marker() == "o"]
        rings, dots = sorted(round_ones, key=len)
        assert np.allclose(dots, placed) and np.allclose(rings, moved)
        for m, dot in enumerate(dots):
            (name,) = (text for text in left.texts if str(m) in text.get_text())
            assert dist(name.get_position(), (dot.imag, dot.real)) < 0.5
        (mirror,) = (x for x in left.lines if len(x.get_xdata()) == 2)
        assert mirror.get_visible() != turns
        drawn = arc_of(left)[1] if turns else 2 * np.angle(points(mirror)[1])
        assert isclose(drawn, angle, abs_tol=1e-9)
        does = f"turns by {number(np.degrees(angle), 0)}°" if turns else "mirrors"
        assert left.get_title() == f"the best U {does}"
        assert said.startswith(f"Steps of 45° and {number(step, 0)}° in turn: ")
        table = (placed[:, None] * placed.conj()).real
        pairs = [(m - n, table[m, n]) for m in range(8) for n in range(m + 1)]
        (cloud,) = (x for x in right.lines if len(x.get_xdata()) == len(pairs))
        assert np.allclose(cloud.get_xydata(), pairs)
        missed = abs(moved - placed[1:]).max()
        spread = max(np.ptp(np.diagonal(table, k)) for k in range(8))
        assert (spread < 1e-9) == (missed < 1e-9) == ("fits every step" in said)
        if missed > 1e-9:
            (rest,) = (x for x in left.lines if len(x.get_xdata()) == 21)
            assert np.allclose(points(rest), np.stack([moved, placed[1:]], 1).ravel())
            ends = (number(f(np.diagonal(table, 1))) for f in (np.min, np.max))
            assert f"misses a point by up to {missed:.2f}. At offset 1" in said
            assert said.endswith(f"from {' to '.join(ends)}.")


def test_one_factor_takes_every_code_to_the_next(chapter):
    name = "one-motion-takes-every-code-on"
    assert "in even steps clockwise" in alt(chapter.said[name])
    (ax,) = chapter.cell[name].axes
    names = named(ax)
    codes = np.array([points(names[f"$p_{m}$"])[0] for m in range(8)])
    factor = codes[1] / codes[0]
    assert 0 < np.angle(factor) < pi  # clockwise
    assert np.allclose(codes, codes[0] * factor ** np.arange(8))
    steps = np.array([[x.xyann, x.xy] for x in reading.arrows(ax)]) @ [1j, 1]
    assert np.allclose(steps, np.stack([codes[:-1], codes[1:]], 1))
    texts = reading.texts_of(ax)
    assert sum(text.get_text() == r"$e^{i\theta}$" for text in ax.texts) == 7
    assert texts["1"].get_position()[1] > 1 < texts["$i$"].get_position()[0]


def assert_blocks(ax, *blocks):
    """A matrix has these blocks, each in a frame, and blanks elsewhere."""
    shown = np.nan_to_num(ax.images[0].get_array().filled(0))
    starts = np.cumsum([0, *map(len, blocks)])
    for start, end, block in zip(starts, starts[1:], blocks):
        assert np.allclose(shown[start:end, start:end], block)
        assert (start, start, end - start) in frames(ax)
        shown[start:end, start:end] = 0
    assert not shown.any() and len(frames(ax)) == len(blocks)


def test_the_motion_of_the_papers_codes(chapter):
    name = "the-blocks-that-were-found"
    angles = [16 ** (-i / 3) for i in range(3)]
    assert_blocks(chapter.cell[name].axes[0], *map(reading.block, angles))
    for f in (cos, sin):
        first, second, third = (number(f(angle)) for angle in angles)
        assert f"{first}, {second} and {third}" in alt(chapter.said[name])


def test_a_random_motion_in_its_own_axes(chapter):
    left, right = chapter.cell["one-motion-in-two-sets-of-axes"].axes
    assert (left.get_title(), right.get_title()) == ("a random U", "in its own axes")
    angles = np.angle(np.linalg.eigvals(left.images[0].get_array()))
    turns = sorted(a for a in angles if 1e-9 < a < pi - 1e-9)
    assert_blocks(right, *map(reading.block, turns), [[1]], [[-1]])


def test_four_planes_at_position_5(chapter):
    name = "four-planes-at-position-5"
    planes = zip((1, 0.6, 0.8, 0.4), (1, 0.5, 0.25, 0.125))
    for ax, (length, step) in zip(chapter.cell[name].axes, planes, strict=True):
        assert ax.get_title() == f"$r_{{i}}$ = {length:g}, $\\theta_{{i}}$ = {step:g}"
        (line,) = (x for x in ax.lines if len(x.get_xdata()) == 2)
        assert runs(line, (0, 0), tip(5 * step, length))
        dots = [tip_of(x) for x in ax.lines if len(x.get_xdata()) == 1]
        assert np.allclose(dots, [tip(m * step, length) for m in range(5)])
    assert f"made {5 / (2 * pi):.1f} turns" in alt(chapter.said[name])


def test_a_hand_and_its_conjugate(chapter):
    name = "a-hand-and-its-conjugate"
    assert "conjugate, the same hand mirrored left" in alt(chapter.said[name])
    (ax,) = chapter.cell[name].axes
    names = named(ax)
    assert runs(names[r"$p = e^{i\varphi}$"], (0, 0), tip(1))
    mirrored = names[r"$p^* = e^{-i\varphi}$"]
    assert runs(mirrored, (0, 0), tip(-1)) and mirrored.is_dashed()
    assert runs(names[r"sin $\varphi$"], (0, cos(1)), tip(1))
    assert runs(names[r"cos $\varphi$"], (0, 0), (0, cos(1)))
    assert np.allclose(arc_of(ax), (0, 1))


def test_only_the_offset_is_left(chapter):
    panel = chapter.cell["only-the-offset-is-left"]
    assert "positions 7 and 5, " in panel.alt
    assert f"its height, {cos(1.2):.2f}, is the dot" in panel.alt
    for m, k in itertools.product((7, 4, 14), (-3, -2, 1, 4)):
        said = panel.sentence_at({"m": m, "k": k})
        left, right = panel.canvas.figure.axes
        for place in (m, m - k):
            assert runs(named(left)[f"$p_{{{place}}}$"], (0, 0), tip(0.6 * place))
        for ax, start in ((left, 0.6 * (m - k)), (right, 0)):
            a, b = arc_of(ax)
            assert np.allclose(tip(a), tip(start)) and isclose(b - a, 0.6 * k)
        (product,) = (x for x in right.lines if x.get_marker() == "o")
        assert runs(product, (0, 0), tip(0.6 * k))
        height = cos(0.6 * k)  # the dot product
        assert any(runs(x, (0, 0), (0, height)) for x in right.lines)
        assert number(height) in reading.texts_of(right)
        assert f"m = {m}, n = {m - k}: the product stands {number(0.6 * k, 1)} " in said
        assert said.endswith(f"its height, the dot product, is {number(height)}.")


def test_similarity_against_its_limit(chapter):
    panel = chapter.cell["long-term-decay-against-its-limit"]
    assert "up to the offset 44" in panel.alt
    for d, base in ((128, 10_000), (64, 100), (2048, 100_000)):
        said = panel.sentence_at({"d_model": d, "base": base})
        (ax,) = panel.canvas.figure.axes
        k, g = named(ax)["g(k) / g(0)"].get_data()
        rates = base ** (-np.arange(0, d, 2) / d)
        assert np.allclose(g, np.cos(np.multiply.outer(k, rates)).mean(axis=1))
        limits = named(ax)["limit: ever more dimensions"].get_xydata()
        s = (np.arange(200_000) + 0.5) / 200_000  # the integral, as a sum
        for k_, limit in limits[:300:60]:
            assert isclose(limit, np.cos(k_ * base**-s).mean(), abs_tol=1e-4)
        (border,) = (x for x in ax.lines if x.is_dashed())
        end = border.get_xdata()[0]
        assert 0.85 < end * (rates[0] - rates[1]) / (2 * pi) < 1  # about a full turn
        assert f"follow the limit up to the dashed line, at offset {end:.0f}." in said
        far = number(g[k > 1e5].max())
        assert said.endswith(f"Beyond 100000, they still reach {far}.")
