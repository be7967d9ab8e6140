"""The mathematics of the course.

- the formulas: frequencies, positional_encoding, shift_matrix, rotations_of, layer_norm
- checks of input, which the other modules use, too

What a function cannot take it refuses: the ValueError says what is allowed and what was
given.
"""

import sys

import numpy as np

WIDEST = 2**15  # of a d_model: a shift_matrix of this width has 8 GiB
LONGEST = 2**24  # of a text, in tokens
LARGEST = 2**30  # of a table, in numbers: 8 GiB


# ---- the formulas -------------------------------------------------------------------
def frequencies(d_model, base=10_000.0):
    """Angular frequencies omega_i = base**(-2i/d_model), one for each (sin, cos) pair.

    Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.5.

    Parameters
    ----------
    d_model : int
        Width of the encoding, even, from 2 to 2**15.
    base : float
        Finite and larger than 1; 10000 in the paper.

    Returns
    -------
    ndarray, shape (d_model/2,)
        In radians per position; omega_0 = 1 is the largest.

    Raises
    ------
    ValueError
        If `d_model` is odd, too small or too large, or `base` is not such a number.

    Examples
    --------
    >>> frequencies(8, base=16).tolist()
    [1.0, 0.5, 0.25, 0.125]
    """
    if not is_integer(d_model) or d_model % 2 or not 2 <= d_model <= WIDEST:
        raise ValueError(
            f"d_model must be an even integer >= 2 and <= {WIDEST};"
            f" got {given(d_model)}"
        )
    if not is_number(base) or base <= 1:
        raise ValueError(f"base must be a finite number > 1; got {given(base)}")
    return float(base) ** (-np.arange(0, d_model, 2) / d_model)


def positional_encoding(positions, d_model, base=10_000.0):
    """Sinusoidal positional encoding: sin(pos omega_i) in column 2i, cos in 2i + 1.

    Source: Vaswani et al., 2017, section 3.5.

    Parameters
    ----------
    positions : int or 1-D array of real numbers
        An integer n, 0 to 2**24, means 0 … n − 1; an array may hold any positions.
    d_model, base : see `frequencies`

    Returns
    -------
    ndarray, shape (number of positions, d_model)
        Within 2**-52 (2 + ln base) max(1, abs(pos)) of the formula.

    Raises
    ------
    ValueError
        If `positions` is nothing of the kind, the table would hold more than 2**30
        numbers (8 GiB), or `d_model` or `base` is refused by `frequencies`.

    Examples
    --------
    >>> positional_encoding(2, d_model=4).round(2).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.84, 0.54, 0.01, 1.0]]
    """
    omega = frequencies(d_model, base)
    if is_integer(positions) and 0 <= positions <= LONGEST:
        positions = np.arange(positions)
    pos = real_array(positions, ndim=1)
    if pos is None:
        raise ValueError(
            f"positions must be an integer n >= 0 and <= {LONGEST}, or a 1-D array of"
            f" finite real numbers; got {given(positions)}"
        )
    if len(pos) * int(d_model) > LARGEST:
        raise ValueError(
            f"positions and d_model must make a table of at most {LARGEST} numbers;"
            f" got {len(pos)} x {d_model}"
        )
    angle = pos[:, None] * omega
    table = np.empty((len(pos), d_model))
    np.sin(angle, out=table[:, 0::2])
    np.cos(angle, out=table[:, 1::2])
    return table


def shift_matrix(k, d_model, base=10_000.0):
    """Block-diagonal R_k: R_k p(pos) = p(pos + k) at every position, up to rounding.

    Source: Vaswani et al., 2017, section 3.5: "a linear function of PE_pos".

    Parameters
    ----------
    k : float
        Offset in positions, any finite real number.
    d_model, base : see `frequencies`

    Returns
    -------
    ndarray, shape (d_model, d_model)
        Blocks [[cos, sin], [−sin, cos]] of the angles k omega_i.

    Raises
    ------
    ValueError
        If `k` is no such number, or `frequencies` refuses `d_model` or `base`.

    Examples
    --------
    >>> here, there = positional_encoding([10, 13], d_model=64)
    >>> bool(np.allclose(shift_matrix(3, d_model=64) @ here, there))
    True
    """
    omega = frequencies(d_model, base)
    if not is_number(k):
        raise ValueError(f"k must be a finite real number; got {given(k)}")
    angle = float(k) * omega
    even = 2 * np.arange(len(omega))
    odd = even + 1
    R = np.zeros((d_model, d_model))
    R[even, even] = np.cos(angle)
    R[even, odd] = np.sin(angle)
    R[odd, even] = -np.sin(angle)
    R[odd, odd] = np.cos(angle)
    return R


def rotations_of(M):
    """The nearest matrix to M whose scores p(m) · M p(n) depend on m − n alone.

    Nearest: the sum of the squared differences of all entries is the least. Each
    pair must have a frequency of its own, as in `frequencies`; then such scores leave
    only these blocks, and the nearest is the mean of R_kᵀ M R_k over all k.

    Source: chapters 6 and 9.

    Parameters
    ----------
    M : table of real numbers, shape (d_model, d_model)

    Returns
    -------
    ndarray, shape (d_model, d_model)
        Blocks [[a, b], [−b, a]] on the diagonal: rotations, each with a size. Of a
        block B of M, a = (B[0, 0] + B[1, 1]) / 2 and b = (B[0, 1] − B[1, 0]) / 2.

    Raises
    ------
    ValueError
        If `M` is no such table, or has an odd number of rows.

    Examples
    --------
    >>> rotations_of(np.array([[1.0, 2.0], [4.0, 3.0]])).tolist()
    [[2.0, -1.0], [1.0, 2.0]]
    """
    M = table_of("M", M)
    if M.shape[0] != M.shape[1] or len(M) % 2:
        raise ValueError(
            f"M must be square, with an even number of rows; got the shape {M.shape}"
        )
    even = np.arange(0, len(M), 2)
    odd = even + 1
    kept = np.zeros_like(M)
    half = M / 2  # the sum of two large numbers may be infinite
    kept[even, even] = kept[odd, odd] = half[even, even] + half[odd, odd]
    kept[even, odd] = half[even, odd] - half[odd, even]
    kept[odd, even] = -kept[even, odd]
    return kept


def layer_norm(X):
    """LayerNorm of each row of a table: (x - mean(x)) / std(x).

    The trained scale and shift are left out, and so is epsilon.
    Source: Ba, Kiros, Hinton, "Layer Normalization", 2016, equation (3).

    Parameters
    ----------
    X : table of real numbers, shape (n, d_model)

    Returns
    -------
    ndarray, shape (n, d_model)

    Raises
    ------
    ValueError
        If `X` is no such table, or a row holds one number throughout.

    Examples
    --------
    >>> layer_norm([[1, 3], [5, 1]]).tolist()
    [[-1.0, 1.0], [1.0, -1.0]]
    """
    X = table_of("X", X)
    (alike,) = np.nonzero((X[:, :1] == X).all(axis=1))  # the deviation would be 0
    if alike.size:
        raise ValueError(
            "each row needs two different numbers;"
            f" got {X[alike[0], 0]} throughout row {alike[0]}"
        )
    X = X - X[:, :1]  # nearly equal numbers would lose their difference in the mean
    return (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, keepdims=True)


# ---- checks of input ----------------------------------------------------------------
def is_number(value):
    """Whether `value` is one finite real number: no truth value, no text.

    Examples
    --------
    >>> is_number(2.5), is_number(np.float32(1)), is_number(True), is_number(np.nan)
    (True, True, False, False)
    """
    if isinstance(value, np.floating):
        value = float(value)
    elif isinstance(value, np.integer) and not isinstance(value, np.timedelta64):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) <= sys.float_info.max  # and not nan, of which no comparison holds


def is_integer(value):
    """Whether `value` is of an integer type, and within the range of floats.

    Examples
    --------
    >>> is_integer(4), is_integer(np.int8(4)), is_integer(4.0)
    (True, True, False)
    """
    return is_number(value) and isinstance(value, (int, np.integer))


def given(value):
    """A value as an error names it: its beginning, on one line.

    If it is of another package, its type is named: the 3 of sympy looks like Python's.

    Examples
    --------
    >>> from fractions import Fraction
    >>> given("3"), given(Fraction(3))
    ("'3'", 'Fraction(3, 1), of type Fraction')
    """
    try:
        words = " ".join(repr(value).split())
        words = words if len(words) <= 200 else words[:200] + " …"
    except ValueError:  # Python does not write an integer of 5000 digits
        words = "what is too long to write"
    kind = type(value)
    is_usual = kind.__module__ in ("builtins", "numpy")
    return words if is_usual else f"{words}, of type {kind.__name__}"


def real_array(values, ndim):
    """`values` as an array of finite floats with `ndim` axes; None if it is none.

    Examples
    --------
    >>> real_array([[1, 2]], ndim=2)
    array([[1., 2.]])
    >>> real_array([1, np.nan], ndim=1) is None, real_array([True, 2], ndim=1) is None
    (True, True)
    """
    is_array = isinstance(values, np.ndarray)
    try:
        array = np.asarray(values, dtype=None if is_array else object)  # True stays
        if array.dtype == object and all(map(is_number, array.flat)):
            array = array.astype(float)
    except (TypeError, ValueError):  # rows of different lengths
        return None
    is_real = array.dtype.kind in "iuf"  # signed, unsigned and floating numbers
    is_real = is_real and not np.ma.is_masked(values)  # what is hidden is no number
    if not is_real or array.ndim != ndim:
        return None
    with np.errstate(over="ignore"):  # of wider floats, some become infinite
        array = array.astype(float)
    return array if np.isfinite(array).all() else None


def table_of(name, values):
    """`values` as a 2-D array of floats, not empty; `name` stands in the error.

    Examples
    --------
    >>> table_of("X", [[1, 2]])
    array([[1., 2.]])
    """
    table = real_array(values, ndim=2)
    if table is None or not table.size:
        raise ValueError(
            f"{name} must be a table of finite real numbers; got {given(values)}"
        )
    return table
