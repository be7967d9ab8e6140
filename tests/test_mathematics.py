"""The mathematics agrees with independent references and obeys its laws."""

from math import log

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from utils import frequencies, positional_encoding, shift_matrix

settings.register_profile(
    "course", deadline=None, max_examples=60, derandomize=True, database=None
)
settings.load_profile("course")

POSITIONS = [
    0.0,
    1.0,
    -1.0,
    0.1,
    -0.7,
    1e-9,
    3.25,
    710.0,
    -999.9,
    12345.678,
    999_999.0,
    1e6,
    -1e6,
]
WIDTHS = [2, 4, 6, 10, 64, 128, 512]
BASES = [1.0001, 2, 10.5, 100, 10_000.0, 500_000, 1e9]

widths = st.integers(1, 24).map(lambda half: 2 * half)
bases = st.floats(1.01, 1e6)
reals = st.floats(-1e4, 1e4)


def bound(base, *positions):
    """What rounding omega and pos * omega allows, summed over the positions used."""
    return sum(2**-52 * (2 + log(base)) * max(1, abs(pos)) for pos in positions)


def exact_frequency(column, d_model, base):
    """omega of a column, to the working precision of mpmath."""
    return mpmath.power(mpmath.mpf(base), -mpmath.mpf(2 * (column // 2)) / d_model)


def some_columns(d_model):
    return sorted(
        {0, 1, 2 % d_model, 3 % d_model, d_model // 2, d_model - 2, d_model - 1}
    )


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("d_model", WIDTHS)
def test_frequencies_agree_with_forty_digits(d_model, base):
    omega = frequencies(d_model, base)
    assert omega.shape == (d_model // 2,) and omega.dtype == np.float64
    with mpmath.workdps(40):
        for column in some_columns(d_model):
            error = mpmath.mpf(float(omega[column // 2])) - exact_frequency(
                column, d_model, base
            )
            assert abs(error) <= bound(base, 1)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("d_model", WIDTHS)
def test_every_entry_is_as_exact_as_float64_angles_allow(d_model, base):
    table = positional_encoding(POSITIONS, d_model, base)
    with mpmath.workdps(40):
        for column in some_columns(d_model):
            omega, wave = (
                exact_frequency(column, d_model, base),
                (mpmath.sin, mpmath.cos)[column % 2],
            )
            for row, pos in enumerate(POSITIONS):
                error = mpmath.mpf(float(table[row, column])) - wave(
                    mpmath.mpf(pos) * omega
                )
                assert abs(error) <= bound(base, pos), (pos, column)


@pytest.mark.parametrize("k", POSITIONS)
@pytest.mark.parametrize("d_model", [2, 6, 64])
def test_shift_matrix_agrees_with_forty_digits(d_model, k, base=10_000.0):
    R = shift_matrix(k, d_model, base)
    with mpmath.workdps(40):
        expected = np.zeros((d_model, d_model), dtype=object)
        for even in range(0, d_model, 2):
            angle = mpmath.mpf(k) * exact_frequency(even, d_model, base)
            c, s = mpmath.cos(angle), mpmath.sin(angle)
            expected[even : even + 2, even : even + 2] = [[c, s], [-s, c]]
        assert R.dtype == np.float64
        assert np.abs(R - expected).max() <= bound(base, k)


@given(st.lists(reals, max_size=8), widths, bases)
def test_columns_are_the_parts_of_complex_exponentials(positions, d_model, base):
    i = np.arange(d_model // 2)
    z = np.exp(1j * np.outer(positions, np.exp(-2 * i / d_model * np.log(base))))
    table = positional_encoding(positions, d_model, base)
    for row, pos in enumerate(positions):
        assert np.abs(table[row, 0::2] - z[row].imag).max() <= 4 * bound(base, pos)
        assert np.abs(table[row, 1::2] - z[row].real).max() <= 4 * bound(base, pos)


@given(reals, reals, widths, bases)
def test_shift_matrix_moves_a_code_by_any_real_offset(pos, k, d_model, base):
    p, moved = positional_encoding([pos, pos + k], d_model, base)
    error = np.abs(shift_matrix(k, d_model, base) @ p - moved).max()
    assert error <= 2 * bound(base, pos, k, pos + k)


@given(reals, reals, widths, bases)
def test_shifts_compose_by_adding_their_offsets(a, b, d_model, base):
    Ra, Rb, Rab = (shift_matrix(k, d_model, base) for k in (a, b, a + b))
    assert np.abs(Ra @ Rb - Rab).max() <= 2 * bound(base, a, b, a + b)


@given(reals, widths, bases)
def test_a_shift_back_is_the_transpose(k, d_model, base):
    R = shift_matrix(k, d_model, base)
    assert np.array_equal(shift_matrix(-k, d_model, base), R.T)
    assert np.abs(R @ R.T - np.eye(d_model)).max() <= 1e-15
    assert np.array_equal(shift_matrix(0, d_model, base), np.eye(d_model))


@given(reals, widths, bases)
def test_a_shift_is_a_rotation_with_determinant_one(k, d_model, base):
    assert abs(np.linalg.det(shift_matrix(k, d_model, base)) - 1) <= d_model * 2**-50


@given(st.integers(-5000, 5000), st.floats(0.01, 3), widths, bases)
def test_dot_products_depend_on_the_distance_alone(start, step, d_model, base):
    positions = start + step * np.arange(7)
    table = positional_encoding(positions, d_model, base)
    gram, tolerance = (
        table @ table.T,
        2 * d_model * bound(base, *np.abs(positions[[0, -1]])),
    )
    for distance in range(7):
        assert np.ptp(np.diagonal(gram, distance)) <= tolerance
        kernel = np.cos(distance * step * frequencies(d_model, base)).sum()
        assert np.abs(np.diagonal(gram, distance) - kernel).max() <= tolerance


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), widths, bases)
def test_codes_stay_within_one_and_have_one_length(positions, d_model, base):
    table = positional_encoding(positions, d_model, base)
    assert np.abs(table).max() <= 1
    np.testing.assert_allclose((table**2).sum(axis=1), d_model / 2, rtol=1e-14)


@pytest.mark.parametrize("nothing", [0, [], (), np.array([]), np.int64(0)])
def test_no_positions_give_an_empty_table(nothing):
    assert positional_encoding(nothing, 6).shape == (0, 6)


@pytest.mark.parametrize(
    "positions",
    [
        5,
        np.int32(5),
        np.uint8(5),
        range(5),
        [0, 1, 2, 3, 4],
        np.arange(5, dtype=np.float32),
        (0, 1.0, np.int8(2), 3, np.float64(4)),
    ],
)
@pytest.mark.parametrize("d_model", [6, np.int64(6), np.uint8(6)])
def test_an_integer_n_means_the_positions_from_0_to_n_minus_1(positions, d_model):
    table = positional_encoding(positions, d_model)
    assert table.dtype == np.float64
    assert np.array_equal(table, positional_encoding(np.arange(5.0), 6, base=10_000))


def test_numpy_numbers_serve_as_base_and_offset():
    assert np.array_equal(frequencies(8, np.float64(100)), frequencies(8, 100))
    assert np.array_equal(frequencies(8, np.int32(100)), frequencies(8, 100))
    for d_model in (np.uint8(8), np.uint64(8), np.int16(8)):
        assert np.array_equal(shift_matrix(3, d_model), shift_matrix(3, 8))
    assert np.array_equal(shift_matrix(np.int8(-128), 8), shift_matrix(-128, 8))
    for k in (np.int8(3), np.uint8(3), np.float32(3), 3.0):
        assert np.array_equal(shift_matrix(k, 8), shift_matrix(3, 8))


def test_the_arguments_are_left_as_they_were():
    positions = np.array([3.0, -1.5, 7.0])
    table = positional_encoding(positions, 4)
    table[:] = 9
    assert positions.tolist() == [3.0, -1.5, 7.0]
    assert np.array_equal(positional_encoding([0, 1], 4)[0], [0, 1, 0, 1])
