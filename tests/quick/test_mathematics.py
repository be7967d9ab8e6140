"""The mathematics agrees with forty digits of mpmath and obeys its laws."""

from math import log

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.chapters import NOTEBOOKS, cells
from utils import (
    frequencies,
    layer_norm,
    positional_encoding,
    rotations_of,
    shift_matrix,
)

settings.register_profile(
    "course", deadline=None, max_examples=30, derandomize=True, database=None
)
settings.load_profile("course")

POSITIONS = [0.0, 1.0, -0.7, 1e-9, 3.25, -999.9, 12345.678, 1e6, -1e6]
EACH_WIDTH = pytest.mark.parametrize("d_model", [2, 6, 64, 512])
EACH_BASE = pytest.mark.parametrize("base", [1.0001, 2, 10_000.0, 1e9])

widths = st.integers(1, 24).map(lambda half: 2 * half)
bases = st.floats(1.01, 1e6)
reals = st.floats(-1e4, 1e4)


def bound(base, *positions):
    """What rounding omega and pos * omega allows, summed over the positions used."""
    return sum(2**-52 * (2 + log(base)) * max(1, abs(pos)) for pos in positions)


def exact_frequency(pair, d_model, base):
    """omega of a pair, to the working precision of mpmath."""
    return mpmath.power(mpmath.mpf(base), -mpmath.mpf(2 * pair) / d_model)


def some_pairs(d_model):
    """The first, the second, the middle one and the last."""
    return sorted({0, 1 % (d_model // 2), d_model // 4, d_model // 2 - 1})


@EACH_BASE
@EACH_WIDTH
def test_frequencies_agree_with_forty_digits(d_model, base):
    omega = frequencies(d_model, base)
    assert omega.shape == (d_model // 2,) and omega.dtype == np.float64
    with mpmath.workdps(40):
        for pair in some_pairs(d_model):
            error = float(omega[pair]) - exact_frequency(pair, d_model, base)
            assert abs(error) <= bound(base, 1)


@EACH_BASE
@EACH_WIDTH
def test_every_entry_is_as_exact_as_float64_angles_allow(d_model, base):
    table = positional_encoding(POSITIONS, d_model, base)
    with mpmath.workdps(40):
        for pair in some_pairs(d_model):
            omega = exact_frequency(pair, d_model, base)
            for row, pos in zip(table, POSITIONS):
                exact = mpmath.sin(pos * omega), mpmath.cos(pos * omega)
                for entry, wave in zip(row[2 * pair : 2 * pair + 2], exact):
                    assert abs(float(entry) - wave) <= bound(base, pos), (pos, pair)


@pytest.mark.parametrize("k", POSITIONS)
def test_shift_matrix_agrees_with_forty_digits(k, d_model=64, base=10_000.0):
    with mpmath.workdps(40):
        expected = np.zeros((d_model, d_model), dtype=object)
        for pair in range(d_model // 2):
            angle = k * exact_frequency(pair, d_model, base)
            c, s = mpmath.cos(angle), mpmath.sin(angle)
            block = slice(2 * pair, 2 * pair + 2)
            expected[block, block] = [[c, s], [-s, c]]
        R = shift_matrix(k, d_model, base)
        assert R.dtype == np.float64
        assert np.abs(R - expected).max() <= bound(base, k)


@given(reals, reals, widths, bases)
def test_shift_matrix_moves_a_code_by_any_real_offset(pos, k, d_model, base):
    p, moved = positional_encoding([pos, pos + k], d_model, base)
    error = np.abs(shift_matrix(k, d_model, base) @ p - moved).max()
    assert error <= 2 * bound(base, pos, k, pos + k)


@given(reals, reals, widths, bases)
def test_offsets_add_up_and_a_shift_back_is_the_transpose(a, b, d_model, base):
    Ra, Rb, Rab = (shift_matrix(k, d_model, base) for k in (a, b, a + b))
    assert np.abs(Ra @ Rb - Rab).max() <= 2 * bound(base, a, b, a + b)
    assert np.array_equal(shift_matrix(-a, d_model, base), Ra.T)
    assert np.abs(Ra @ Ra.T - np.eye(d_model)).max() <= 1e-15


@pytest.mark.parametrize(
    "row",
    [[3, -1.5, 7], [1e6, 1e6 + 2], [1e20, -1e20, 0], [1e-20, 0], [0.1, 0.2, 0.3, 0.4]],
)
def test_layer_norm_agrees_with_forty_digits(row):
    with mpmath.workdps(40):
        off = [mpmath.mpf(x) - mpmath.fsum(row) / len(row) for x in row]
        deviation = mpmath.sqrt(mpmath.fsum(x**2 for x in off) / len(row))
        [normed] = layer_norm([row])
        errors = [abs(float(x) - y / deviation) for x, y in zip(normed, off)]
    assert max(errors) <= 1e-15


def test_what_turns_nothing_is_printed_without_a_minus():
    assert "-" not in f"{shift_matrix(0, 4)} {shift_matrix(-0.0, 4)}"
    assert "-" not in str(rotations_of(np.eye(4)))


@pytest.mark.parametrize("d_model", [np.int8(6), np.uint64(6)])
def test_a_width_may_be_any_integer_of_numpy(d_model):
    assert np.array_equal(shift_matrix(3, d_model), shift_matrix(3, 6))


@pytest.mark.parametrize("nothing", [0, [], np.array([]), np.int64(0)])
def test_no_positions_give_an_empty_table(nothing):
    assert positional_encoding(nothing, 6).shape == (0, 6)


@pytest.mark.parametrize(
    "positions", [5, np.uint8(5), range(5), np.arange(5, dtype=np.float32), (0, 1.0, 2)]
)
def test_an_integer_n_means_the_positions_from_0_to_n_minus_1(positions):
    table = positional_encoding(positions, np.uint8(6))
    expected = positional_encoding(np.arange(5.0), 6, base=10_000)
    assert table.dtype == np.float64
    assert np.array_equal(table, expected[: len(table)]) and len(table) in (3, 5)


def test_the_arguments_are_left_as_they_were():
    positions = np.array([3.0, -1.5, 7.0])
    positional_encoding(positions, 4)[:] = 9
    assert positions.tolist() == [3.0, -1.5, 7.0]
    assert np.array_equal(positional_encoding([0, 1], 4)[0], [0, 1, 0, 1])


def test_rope_of_chapter_8_is_that_of_libraries():
    """1 … 8 at place 3, base 10,000, as Transformers 5.24 turns a query of Llama."""
    shipped = [-1.69559, 0.13755, 2.78868, 3.97598, -4.80884, 6.32306, 7.08684, 8.01196]
    (path,) = NOTEBOOKS.glob("08_*.ipynb")
    source = next(x["source"] for x in cells(path) if x["id"] == "rope-in-the-head")
    names = {"np": np, "frequencies": frequencies}
    exec(source.partition("\n\n")[0], names)  # the function alone
    turned = names["rotate_halves"](np.arange(1.0, 9)[None], [3])
    assert np.abs(turned[0] - shipped).max() < 1e-5
