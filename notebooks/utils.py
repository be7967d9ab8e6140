"""The mathematics of the course.

- the formulas: frequencies, positional_encoding, shift_matrix, rotations_of, layer_norm
- checks of input, for these and for the other modules: is_number, is_integer, given,
  real_array, table_of

What a function cannot take it refuses: the ValueError says what is allowed and what was
given.
"""

import sys
from operator import length_hint

import numpy as np

WIDEST = 2**15  # of a d_model; large language models have up to about 2**14
LARGEST = 2**27  # numbers in a table: 1 GiB; with many more, a laptop stands still
LARGEST_MATRIX = 11_584  # its d_model, so that it has no more


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
        An integer n >= 0 means 0 … n − 1; an array may hold any finite positions.
    d_model, base : see `frequencies`

    Returns
    -------
    ndarray, shape (number of positions, d_model)
        Within 2**-52 (2 + ln base) max(1, abs(pos)) of the formula.

    Raises
    ------
    ValueError
        If `positions` is negative, a float or a table, or holds NaN, infinity, True,
        text or masked entries; if the result would have more than 2**27 numbers, 1 GiB;
        if `frequencies` refuses the others.

    Examples
    --------
    >>> positional_encoding(2, d_model=4).round(2).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.84, 0.54, 0.01, 1.0]]
    """
    omega = frequencies(d_model, base)
    rule = "positions must be an integer >= 0 or a 1-D array of finite real numbers"
    is_count = is_integer(positions) and positions >= 0
    try:
        rows = positions if is_count else length_hint(positions)
    except OverflowError:  # a range may be longer than any list
        raise ValueError(f"{rule}, at most {LARGEST}; got {given(positions)}") from None
    if int(rows) * int(d_model) > LARGEST:  # before there is an array of them
        raise ValueError(
            f"positions x d_model may be at most {LARGEST}; got {rows} x {d_model}"
        )
    pos = real_array(rule, np.arange(rows) if is_count else positions, ndim=1)
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
        If `k` is no such number, `d_model` is above 11584, where the matrix would have
        more than 2**27 numbers, or `frequencies` refuses the others.

    Examples
    --------
    >>> here, there = positional_encoding([10, 13], d_model=64)
    >>> bool(np.allclose(shift_matrix(3, d_model=64) @ here, there))
    True
    """
    omega = frequencies(d_model, base)
    if not is_number(k):
        raise ValueError(f"k must be a finite real number; got {given(k)}")
    if d_model > LARGEST_MATRIX:
        raise ValueError(
            f"the d_model of a matrix must be <= {LARGEST_MATRIX}; got {d_model}"
        )
    angle = float(k) * omega
    even, odd = np.arange(2 * len(omega)).reshape(-1, 2).T
    R = np.zeros((2 * len(omega), 2 * len(omega)))
    R[even, even] = np.cos(angle)
    R[even, odd] = np.sin(angle)
    R[odd, even] = -np.sin(angle)
    R[odd, odd] = np.cos(angle)
    R += 0.0  # makes 0.0 of −0.0
    return R


def rotations_of(M):
    """The part of M that turns each pair by itself, and stretches it.

    For pairs of different frequencies, as `frequencies` gives them (chapters 6 and 9):

    1. If the scores p(m) · M p(n) depend on m − n alone, this part is all of M: what
       else is in M gives waves of m + n, or of two frequencies, which do not cancel.
    2. Of all matrices with such scores, this part is the nearest to M: the sum of the
       squared differences of all entries is the least. For what is left out is at right
       angles to all such matrices, as [[1, 0], [0, −1]] to [[a, b], [−b, a]].

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
    even, odd = np.arange(len(M)).reshape(-1, 2).T
    kept = np.zeros_like(M)
    half = M / 2  # the sum of two large numbers may be infinite
    kept[even, even] = kept[odd, odd] = half[even, even] + half[odd, odd]
    kept[even, odd] = half[even, odd] - half[odd, even]
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
    # Neither a factor nor an offset changes the result; these are for extreme rows.
    _, exponent = np.frexp(np.abs(X).max(axis=1, keepdims=True))
    X = np.ldexp(X, -exponent)  # no square will be infinite or 0
    X = X - X[:, :1]  # nearly equal numbers would lose their difference in the mean
    return (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, keepdims=True)


# ---- checks of input ----------------------------------------------------------------
def is_number(value):
    """Whether `value` is one finite real number of Python's or numpy's; True is none.

    Parameters
    ----------
    value : anything

    Returns
    -------
    bool

    Examples
    --------
    >>> is_number(2.5), is_number(np.float32(1)), is_number(True), is_number(np.nan)
    (True, True, False, False)
    """
    kinds = (int, float, np.integer, np.floating)
    if not isinstance(value, kinds) or isinstance(value, (bool, np.timedelta64)):
        return False  # the last two pass for integers
    # No comparison holds of nan. An integer may be larger than all floats.
    return abs(value if isinstance(value, int) else float(value)) <= sys.float_info.max


def is_integer(value):
    """Whether `value` is of an integer type, and within the range of floats.

    Parameters
    ----------
    value : anything

    Returns
    -------
    bool

    Examples
    --------
    >>> is_integer(4), is_integer(np.int8(4)), is_integer(4.0)
    (True, True, False)
    """
    return is_number(value) and isinstance(value, (int, np.integer))


def given(value):
    """A value as an error names it: its beginning, on one line, and an unusual type.

    Parameters
    ----------
    value : anything

    Returns
    -------
    str

    Examples
    --------
    >>> from fractions import Fraction
    >>> given("3"), given(Fraction(3))
    ("'3'", 'Fraction(3, 1), of type fractions.Fraction')
    """
    try:
        words = " ".join(repr(value).split())
        words = words if len(words) <= 200 else words[:200] + " …"
    except Exception:  # of an integer of 5000 digits, or of another's class
        words = "what Python cannot write"
    kind = type(value)
    is_usual = kind.__module__ in ("builtins", "numpy")  # 3 of sympy looks like theirs
    return words if is_usual else f"{words}, of type {kind.__module__}.{kind.__name__}"


def real_array(rule, values, ndim, allow_nan=False):
    """`values` as an array of finite floats.

    Parameters
    ----------
    rule : str
        Begins the error: what is allowed, such as "x must be a list of numbers".
    values : anything
    ndim : int
        How many axes the array must have.
    allow_nan : bool
        Whether entries may be NaN.

    Returns
    -------
    ndarray of float
        A new one.

    Raises
    ------
    ValueError
        If `values` has another number of axes or rows of different lengths, or holds
        anything but finite real numbers; it names the first such entry and its place.

    Examples
    --------
    >>> real_array("x must be numbers", [1, True], ndim=1)
    Traceback (most recent call last):
    ValueError: x must be numbers; got [1, True], whose entry [1] is True
    """

    def refusal(reason):
        return ValueError(f"{rule}; got {given(values)}{reason}")

    rows = values if isinstance(values, (list, tuple)) else [values]
    lists = [row if isinstance(row, (list, tuple)) else [row] for row in rows]
    if any(np.ma.is_masked(entry) for row in lists for entry in row):
        raise refusal(", with masked entries")
    try:
        shape = np.shape(values)
    except ValueError:
        raise refusal(", with rows of different lengths") from None
    if len(shape) != ndim:
        raise refusal(f", of shape {shape}" if shape else "")
    # Of a list that holds True and 2, numpy would make 1 and 2.
    array = values if isinstance(values, np.ndarray) else np.asarray(values, object)
    floats = array
    if array.dtype.kind not in "iuf":  # signed, unsigned and floating numbers
        kinds = (float, np.floating)  # also NaN
        floats = [
            x if isinstance(x, kinds) or is_number(x) else np.inf for x in array.flat
        ]
    with np.errstate(over="ignore"):  # of wider floats, some become infinite
        floats = np.array(floats, dtype=float).reshape(shape)
    wrong = np.argwhere(np.isinf(floats) if allow_nan else ~np.isfinite(floats))
    if len(wrong):
        place = wrong[0].tolist()
        raise refusal(f", whose entry {place} is {given(array.item(*place))}")
    return floats


def table_of(name, values):
    """`values` as a 2-D array of floats, not empty.

    Parameters
    ----------
    name : str
        What the error calls them.
    values : anything

    Returns
    -------
    ndarray of float, shape (number of rows, number of columns)

    Raises
    ------
    ValueError
        If they are no such table.

    Examples
    --------
    >>> table_of("X", [[1, 2]])
    array([[1., 2.]])
    """
    rule = f"{name} must be a table, of two axes, of finite real numbers"
    table = real_array(rule, values, ndim=2)
    if not table.size:
        raise ValueError(f"{rule}; got {given(values)}, of shape {table.shape}")
    return table
