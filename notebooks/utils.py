"""The formulas of the course, in numpy. Each says where it is from."""

import numpy as np

from checks import brief, is_integer, is_number, real_array, table_of

LARGEST = 2**27  # numbers in a table: 1 GiB, 2 while it is made; more stops a laptop


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
        If `d_model` is odd, too small or too large, or `base` is not such a number.

    Examples
    --------
    >>> frequencies(8, base=16).tolist()
    [1.0, 0.5, 0.25, 0.125]
    """
    if not is_integer(d_model) or d_model % 2 or not 2 <= d_model <= LARGEST:
        raise ValueError(
            f"d_model must be an even integer >= 2 and <= {LARGEST};"
            f" got {brief(d_model)}"
        )
    if not is_number(base) or base <= 1:
        raise ValueError(f"base must be a finite number > 1; got {brief(base)}")
    return float(base) ** (-np.arange(0, d_model, 2) / d_model)


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
        If `positions` is negative, a float or a table, or holds NaN, infinity, text or
        masked entries; if the table would have more than 2**27 numbers; if
        `frequencies` refuses the others.

    Examples
    --------
    >>> positional_encoding(2, d_model=4).round(2).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.84, 0.54, 0.01, 1.0]]
    """
    omega = frequencies(d_model, base)
    pos = _places(positions, d_model)
    angle = pos[:, None] * omega
    table = np.empty((len(pos), d_model))
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
        If `k` is no such number; if the table would have more than 2**27 numbers; if
        `frequencies` refuses the others.

    Examples
    --------
    >>> here, there = positional_encoding([10, 13], d_model=64)
    >>> bool(np.allclose(shift_matrix(3, d_model=64) @ here, there))
    True
    """
    omega = frequencies(d_model, base)
    if not is_number(k):
        raise ValueError(f"k must be a finite real number; got {brief(k)}")
    _check_size("d_model x d_model", d_model, d_model)
    even, odd = _pairs(d_model)
    angle = float(k) * omega
    sin, cos = np.sin(angle), np.cos(angle)
    R = np.zeros((d_model, d_model))
    R[even, even], R[even, odd] = cos, sin
    R[odd, even], R[odd, odd] = -sin, cos
    return R + 0.0  # makes 0.0 of −0.0


def rotations_of(M):
    """The part of M that turns each pair by itself, and stretches it.

    It is the nearest to M of all matrices whose scores p(m) · M p(n) depend on m − n
    alone, if the pairs have different frequencies.
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
    even, odd = _pairs(len(M))
    kept = np.zeros_like(M)
    # Halves first: the sum of two large numbers could overflow.
    kept[even, even] = kept[odd, odd] = M[even, even] / 2 + M[odd, odd] / 2
    kept[even, odd] = M[even, odd] / 2 - M[odd, even] / 2
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
    _, power = np.frexp(np.abs(X).max(axis=1, keepdims=True))
    X = np.ldexp(X, -power)  # exact, and squares neither overflow nor vanish
    X = X - X[:, :1]  # what all numbers of a row share would cost digits
    return (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, keepdims=True)


# ---- what they share --------------------------------------------------------------
def _places(positions, d_model):
    """Positions as an array; refused before there is a table that is too large."""
    rule = "positions must be an integer >= 0 or a 1-D array of finite real numbers"
    name = "positions x d_model"
    if is_integer(positions) and positions >= 0:
        _check_size(name, positions, d_model)
        return np.arange(positions)
    if isinstance(positions, range) and positions:  # may exceed memory, and len()
        count = (positions[-1] - positions[0]) // positions.step + 1
        _check_size(name, count, d_model)
    pos = real_array(rule, positions, ndim=1)
    _check_size(name, len(pos), d_model)
    return pos


def _check_size(name, rows, columns):
    """Refuse a table of more than `LARGEST` numbers."""
    rows, columns = int(rows), int(columns)  # of numpy, they could overflow
    if rows * columns > LARGEST:
        got = f"{brief(rows)} x {brief(columns)}"
        raise ValueError(f"{name} may be at most {LARGEST}; got {got}")


def _pairs(d_model):
    """The first and the second dimension of each pair: 2i and 2i + 1."""
    return np.arange(int(d_model)).reshape(-1, 2).T
