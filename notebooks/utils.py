"""The formulas of the course, in numpy alone. Each says where it is from."""

import math
from numbers import Integral, Real

import numpy as np

LARGEST = 2**27  # numbers in a table: 1 GiB; more would stop a laptop


def frequencies(d_model, base=10_000.0):
    """Angular frequencies omega_i = base**(-2i/d_model), one for each (sin, cos) pair.

    Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.5.

    Parameters
    ----------
    d_model : int
        Width of the encoding, even, from 2 to 2**27.
    base : float
        Finite and larger than 1; 10000 in the paper.

    Returns
    -------
    ndarray, shape (d_model/2,)
        In radians per position; omega_0 = 1 is the largest.

    Raises
    ------
    ValueError
        If `d_model` or `base` is not such a number.

    Examples
    --------
    >>> frequencies(8, base=16).tolist()
    [1.0, 0.5, 0.25, 0.125]
    """
    if not is_integer(d_model) or d_model % 2 or not 2 <= d_model <= LARGEST:
        got = shown_in_error(d_model)
        raise ValueError(f"d_model must be an even integer from 2 to 2**27; got {got}")
    if not is_number(base) or base <= 1:
        got = shown_in_error(base)
        raise ValueError(f"base must be a finite number > 1; got {got}")
    return float(base) ** (-np.arange(0, int(d_model), 2) / int(d_model))


def positional_encoding(positions, d_model, base=10_000.0):
    """Sinusoidal positional encoding: sin(pos omega_i) in column 2i, cos in 2i + 1.

    Source: Vaswani et al., 2017, section 3.5.

    Parameters
    ----------
    positions : int or 1-D array of real numbers
        An integer n >= 0 means 0 … n − 1; an array may hold any finite positions.
    d_model, base : see `frequencies`

    Returns
    -------
    ndarray, shape (number of positions, d_model)
        Within 2**-52 (2 + ln base) max(1, abs(pos)) of the formula.

    Raises
    ------
    ValueError
        If `positions` is neither of the two; if the table would have more than 2**27
        numbers; if `frequencies` refuses the others.

    Examples
    --------
    >>> positional_encoding(2, d_model=4).round(2).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.84, 0.54, 0.01, 1.0]]
    """
    omega = frequencies(d_model, base)
    if is_integer(positions) and positions >= 0:
        _check_size("positions x d_model", positions, d_model)
        positions = np.arange(int(positions))
    rule = "positions must be an integer >= 0 or a 1-D array of finite real numbers"
    pos = as_floats(rule, positions, ndim=1)
    _check_size("positions x d_model", len(pos), d_model)
    angle = pos[:, None] * omega
    table = np.empty((len(pos), int(d_model)))
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle)
    return table


def shift_matrix(k, d_model, base=10_000.0):
    """Block-diagonal R_k: R_k p(pos) = p(pos + k) at every position.

    Source: Vaswani et al., 2017, section 3.5: "a linear function of PE_pos".

    Parameters
    ----------
    k : float
        Offset in positions, any finite real number.
    d_model, base : see `frequencies`

    Returns
    -------
    ndarray, shape (d_model, d_model)
        Blocks [[cos, sin], [−sin, cos]] of the angles k omega_i, within
        2**-52 (2 + ln base) max(1, abs(k)) of the formula.

    Raises
    ------
    ValueError
        If `k` is not such a number; if the table would have more than 2**27 numbers; if
        `frequencies` refuses the others.

    Examples
    --------
    >>> here, there = positional_encoding([10, 13], d_model=64)
    >>> bool(np.allclose(shift_matrix(3, d_model=64) @ here, there))
    True
    """
    omega = frequencies(d_model, base)
    if not is_number(k):
        raise ValueError(f"k must be a finite real number; got {shown_in_error(k)}")
    _check_size("d_model x d_model", d_model, d_model)
    even, odd = _pairs(d_model)
    angle = float(k) * omega
    R = np.zeros((int(d_model), int(d_model)))
    R[even, even] = R[odd, odd] = np.cos(angle)
    R[even, odd] = np.sin(angle)
    R[odd, even] = -np.sin(angle)
    return R + 0.0  # makes 0.0 of −0.0


def rotations_of(M):
    """The part of M that turns each pair by itself, and stretches it.

    Of all matrices whose scores p(m) · M p(n) depend on m − n alone, it is the nearest
    to M, if the pairs have different frequencies.
    Source: chapter 6.

    Parameters
    ----------
    M : table of real numbers, shape (d_model, d_model)

    Returns
    -------
    ndarray, shape (d_model, d_model)
        Blocks [[a, b], [−b, a]] on the diagonal, and zeros. Of a block B of M,
        a = (B[0, 0] + B[1, 1]) / 2 and b = (B[0, 1] − B[1, 0]) / 2.

    Raises
    ------
    ValueError
        If `M` is not such a table, or has an odd number of rows.

    Examples
    --------
    >>> rotations_of(np.array([[1.0, 2.0], [4.0, 3.0]])).tolist()
    [[2.0, -1.0], [1.0, 2.0]]
    """
    M = as_table("M", M)
    if M.shape[0] != M.shape[1] or len(M) % 2:
        raise ValueError(
            f"M must be square, with an even number of rows; got the shape {M.shape}"
        )
    even, odd = _pairs(len(M))
    kept = np.zeros_like(M)
    kept[even, even] = kept[odd, odd] = (M[even, even] + M[odd, odd]) / 2
    kept[even, odd] = (M[even, odd] - M[odd, even]) / 2
    kept[odd, even] = -kept[even, odd]
    return kept + 0.0  # makes 0.0 of −0.0


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
        If `X` is not such a table, or a row holds one number throughout.

    Examples
    --------
    >>> layer_norm([[1, 3], [5, 1]]).tolist()
    [[-1.0, 1.0], [1.0, -1.0]]
    """
    X = as_table("X", X)
    for row, x in enumerate(X):
        if (x == x[0]).all():  # the deviation would be 0
            raise ValueError(
                f"each row needs two different numbers; got {x[0]} throughout row {row}"
            )
    return (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, keepdims=True)


# ---- bad input: what is allowed, and what was given -------------------------------
def is_integer(value):
    """Whether `value` is an integer of Python, numpy or sympy; bool is refused.

    >>> is_integer(4), is_integer(np.int8(4)), is_integer(4.0), is_integer(True)
    (True, True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value):
    """Whether `value` is one real number, finite as a float; bool is refused.

    >>> is_number(2.5), is_number(np.float32(1)), is_number(True), is_number(np.nan)
    (True, True, False, False)
    """
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer above 1.8e308
        return False


def shown_in_error(value):
    """A value as an error shows it: on one line, and cut where it is long.

    >>> shown_in_error([1, 2]), len(shown_in_error("1" * 999))
    ('[1, 2]', 82)
    """
    line = " ".join(repr(value).split())
    return line if len(line) <= 80 else f"{line[:80]} …"


def as_floats(must_be, values, ndim):
    """`values` as a new array of finite floats.

    Parameters
    ----------
    must_be : str
        Begins the error: what is allowed, such as "x must be a list of numbers".
    values : anything
    ndim : int
        How many axes the array must have.

    Returns
    -------
    ndarray of float

    Raises
    ------
    ValueError
        If `values` is not such an array. It names the first entry that is no finite
        real number.

    Examples
    --------
    >>> as_floats("x must be numbers", [1, np.inf], ndim=1)
    Traceback (most recent call last):
    ValueError: x must be numbers; got [1, inf], whose entry [1] is inf
    """
    got = f"{must_be}; got {shown_in_error(values)}"
    try:
        array = np.asarray(values)
    except Exception as error:  # rows of different lengths; a tensor with gradients
        raise ValueError(f"{got}: {error}") from None
    if array.ndim != ndim:
        raise ValueError(f"{got}, of shape {array.shape}" if array.ndim else got)
    if np.ma.is_masked(values):
        raise ValueError(f"{got}, with masked entries")
    if array.dtype.kind in "iuf":  # integers and floats
        wrong = np.argwhere(~np.isfinite(array))
    else:  # numbers of sympy, say
        wrong = [place for place, x in np.ndenumerate(array) if not is_number(x)]
    if len(wrong):
        place = tuple(map(int, wrong[0]))
        entry = array[place]
        raise ValueError(f"{got}, whose entry {list(place)} is {entry!s}")
    return array.astype(float)


def as_table(name, values):
    """`values` as a new 2-D array of finite floats with at least one entry.

    >>> as_table("X", [[1, 2]])
    array([[1., 2.]])
    """
    table = as_floats(f"{name} must be a table of finite real numbers", values, ndim=2)
    if not table.size:
        given = shown_in_error(values)
        raise ValueError(f"{name} must have entries; got {given}")
    return table


def _check_size(name, rows, columns):
    """Refuse a table of more than `LARGEST` numbers."""
    if int(rows) * int(columns) > LARGEST:
        got = f"{shown_in_error(rows)} x {shown_in_error(columns)}"
        raise ValueError(f"{name} may be at most 2**27; got {got}")


def _pairs(d_model):
    """The first and the second dimension of each pair: 2i and 2i + 1."""
    return np.arange(int(d_model)).reshape(-1, 2).T
