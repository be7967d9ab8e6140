"""What several chapters share.

- the formulas: frequencies, positional_encoding, shift_matrix, rotations_of
- the scoreboard: wishes_of, its seven tests, and layer_norm, which one of them needs
- proofs: prove
- checks of input, which the others use

What a function cannot take it refuses: the ValueError says what is allowed and what was
given. Questions and exercises are in exercises.py, drawing is in draw.py, sliders in
explorer.py.
"""

import sys

import numpy as np
from IPython.display import Math, display


# ---- the formulas -------------------------------------------------------------------
def frequencies(d_model, base=10_000.0):
    """Angular frequencies omega_i = base**(-2i/d_model), one for each (sin, cos) pair.

    Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.5.

    Parameters
    ----------
    d_model : int
        Width of the encoding, even and at least 2.
    base : float
        Finite and larger than 1; 10000 in the paper.

    Returns
    -------
    ndarray, shape (d_model/2,)
        In radians per position; omega_0 = 1 is the largest.

    Raises
    ------
    ValueError
        If `d_model` or `base` is anything else.

    Examples
    --------
    >>> frequencies(8, base=16).tolist()
    [1.0, 0.5, 0.25, 0.125]
    """
    if not is_integer(d_model) or d_model < 2 or d_model % 2:
        raise ValueError(f"d_model must be an even integer >= 2; got {d_model!r}")
    if not is_number(base) or base <= 1:
        raise ValueError(f"base must be a finite number > 1; got {base!r}")
    return float(base) ** (-np.arange(0, d_model, 2) / d_model)


def positional_encoding(positions, d_model, base=10_000.0):
    """Sinusoidal positional encoding: sin(pos omega_i) in column 2i, cos in 2i + 1.

    Source: Vaswani et al., 2017, section 3.5.

    Parameters
    ----------
    positions : int or 1-D array of real numbers
        An integer n means 0 … n − 1; an array may hold any positions, 2.5 or −7 too.
    d_model, base : see `frequencies`

    Returns
    -------
    ndarray, shape (number of positions, d_model)
        Within 2**-52 (2 + ln base) max(1, abs(pos)) of the formula.

    Raises
    ------
    ValueError
        If `positions`, `d_model` or `base` is anything else, or an integer `positions`
        asks for more than 2**30 numbers.

    Examples
    --------
    >>> positional_encoding(2, d_model=4).round(2).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.84, 0.54, 0.01, 1.0]]
    """
    omega = frequencies(d_model, base)
    if is_integer(positions) and int(positions) * int(d_model) > 2**30:  # 8 GiB
        raise ValueError(
            f"a table of {positions} x {d_model} numbers is too large: at most 2**30"
        )
    pos = position_array(positions)
    angle = pos[:, None] * omega
    table = np.zeros((len(pos), d_model))
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle)
    return table


def shift_matrix(k, d_model, base=10_000.0):
    """Block-diagonal R_k with `R_k @ p(pos) == p(pos + k)` at every position.

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
        If `k`, `d_model` or `base` is anything else.

    Examples
    --------
    >>> here, there = positional_encoding([10, 13], d_model=64)
    >>> bool(np.allclose(shift_matrix(3, d_model=64) @ here, there))
    True
    """
    omega = frequencies(d_model, base)
    if not is_number(k):
        raise ValueError(f"k must be a finite real number; got {k!r}")
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

    Parameters
    ----------
    M : table of real numbers, shape (d_model, d_model)

    Returns
    -------
    ndarray, shape (d_model, d_model)
        Blocks [[a, b], [−b, a]] on the diagonal: rotations, each with a size.

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
    kept[even, even] = kept[odd, odd] = (M[even, even] + M[odd, odd]) / 2
    kept[even, odd] = (M[even, odd] - M[odd, even]) / 2
    kept[odd, even] = -kept[even, odd]
    return kept


# ---- the scoreboard -----------------------------------------------------------------
def layer_norm(X):
    """LayerNorm of each row of a table: mean 0, standard deviation 1.

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
    if (X.max(axis=1) == X.min(axis=1)).any():  # the deviation would be 0
        raise ValueError(f"each row of X needs two different numbers; got {X.tolist()}")
    return (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, keepdims=True)


# The tests of the scoreboard. Each takes a function `code(n)` that gives the table of a
# text of n tokens, a row for each. With atol=0, small codes are judged as large ones.
def is_bounded(code):
    """Whether no entry of `code(10_000)` is beyond 1."""
    return np.abs(code(10_000)).max() <= 1


def has_one_code_a_place(code):
    """Whether the rows of `code(64)` all differ."""
    return all_differ(code(64))


def is_independent_of_length(code):
    """Whether places have the same rows in `code(64)` and in `code(128)`."""
    return np.allclose(code(64), code(128)[:64], atol=0)


def has_even_steps(code):
    """Whether neighbouring rows of `code(64)` are equally far apart everywhere."""
    steps = np.linalg.norm(np.diff(code(64), axis=0), axis=1)
    return np.allclose(steps, steps[0], atol=0)


def survives_layer_norm(code):
    """Whether rows of `code(64)`, added to a token and normalised, still differ."""
    table = code(64)
    width = table.shape[1]
    if width == 1:  # of one number LayerNorm leaves nothing
        return False
    token = np.random.default_rng(seed=0).normal(size=width)
    return all_differ(layer_norm(token + table))


def has_near_alike(code):
    """Whether neighbours in `code(64)` are closer than any places 8 or more apart."""
    table = code(64)
    distance = np.linalg.norm(table[:, None] - table, axis=-1)
    offset = np.abs(np.subtract.outer(np.arange(64), np.arange(64)))
    return distance[offset == 1].max() < distance[offset >= 8].min()


def has_one_map(code):
    """Whether one matrix, fitted on half of a long `code(n)`, moves the rest 3 on."""
    table = code(1203)
    # Half of them at random: at even places alone, two frequencies may look like one.
    places = np.random.default_rng(seed=3).permutation(1200)
    fitted, tested = places[:600], places[600:]
    matrix = np.linalg.lstsq(table[fitted], table[fitted + 3], rcond=1e-8)[0]
    missed = np.linalg.norm(table[tested] @ matrix - table[tested + 3])
    return missed < 1e-6 * np.linalg.norm(table[tested + 3])


def all_differ(table):
    """Whether no two rows of a table are alike, to 9 decimals."""
    return len(np.unique(table.round(9), axis=0)) == len(table)


WISHES = {
    "bounded": is_bounded,
    "one code a place": has_one_code_a_place,
    "independent of the text's length": is_independent_of_length,
    "even steps": has_even_steps,
    "survives LayerNorm": survives_layer_norm,
    "near places look alike": has_near_alike,
    "one matrix moves every place": has_one_map,
}


def wishes_of(code, names=tuple(WISHES)):
    """Which wishes a positional encoding fulfils.

    Parameters
    ----------
    code : callable
        `code(n)` gives the table of a text of n tokens, shape (n, d_model).
    names : sequence of str
        Some of the keys of `WISHES`; all of them unless given.

    Returns
    -------
    dict of str to bool

    Raises
    ------
    ValueError
        If `code` is no function or gives no table of 64 rows for 64 tokens, or a name
        is no wish.

    Examples
    --------
    >>> counting = lambda n: np.outer(np.arange(n) + 1, np.ones(8))
    >>> wishes_of(counting, ["bounded", "even steps"])
    {'bounded': False, 'even steps': True}
    """
    if not callable(code):
        raise ValueError(f"code must be a function of n, a text's length; got {code!r}")
    if len(table_of("code(64)", code(64))) != 64:
        raise ValueError("code(64) must have 64 rows, one for each token")
    if unknown := [name for name in names if name not in WISHES]:
        raise ValueError(f"names must be some of {list(WISHES)}; got {unknown}")
    return {name: bool(WISHES[name](code)) for name in names}


# ---- proofs -------------------------------------------------------------------------
def prove(left, right, name=None):
    """Typeset left = right and the residual left − right; stop if it is not 0.

    Parameters
    ----------
    left, right : sympy expressions or matrices of one shape
    name : str, optional
        TeX that is shown in place of the left side.

    Raises
    ------
    ValueError
        If a side is nothing of sympy's, or they differ in shape.
    AssertionError
        If the two sides cannot be shown to be equal.

    Examples
    --------
    >>> alpha = sympy.Symbol("alpha", real=True)
    >>> prove(sympy.sin(2 * alpha), 2 * sympy.sin(alpha) * sympy.cos(alpha))
    """
    import sympy  # here, as it takes a while and most chapters prove nothing

    for side in (left, right):
        known = isinstance(side, (sympy.Expr, sympy.MatrixBase, int))
        if not known or isinstance(side, bool):
            raise ValueError(f"prove needs sympy expressions or matrices; got {side!r}")
    if getattr(left, "shape", None) != getattr(right, "shape", None):
        raise ValueError(f"prove needs two sides of one shape; got {left}, {right}")
    residual = left - right
    if isinstance(residual, sympy.MatrixBase):
        residual = residual.applyfunc(_simplified)
    else:
        residual = _simplified(residual)
    holds = residual == 0 * residual  # 0, or a matrix of zeros
    sign = "=" if holds else r"\neq"
    claim = f"{name or sympy.latex(left)} {sign} {sympy.latex(right)}"
    display(Math(rf"{claim}\qquad \text{{residual }}{sympy.latex(residual)}"))
    if not holds:
        raise AssertionError(f"not proved: left - right = {residual}")


def _simplified(entry):
    """An entry in its simplest form; 0 also if only exponentials show that."""
    import sympy

    rest = sympy.simplify(entry)
    in_exponentials = sympy.expand(rest.rewrite(sympy.exp))  # in place of sin and cos
    return sympy.S.Zero if sympy.simplify(in_exponentials) == 0 else rest


# ---- checks of input ----------------------------------------------------------------
def is_number(value):
    """Whether `value` is one finite real number: no truth value, no text."""
    if isinstance(value, np.generic):
        value = value.item()  # numpy's numbers as Python's
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) <= sys.float_info.max  # and not nan, of which no comparison holds


def is_integer(value):
    """Whether `value` is a whole number of an integer type: 4, but not 4.0."""
    return is_number(value) and isinstance(value, (int, np.integer))


def real_array(values, axes):
    """`values` as an array of finite floats with so many axes; None if it is none."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        return None
    is_real = array.dtype.kind in "iuf"  # signed, unsigned and floating numbers
    is_real = is_real and not np.ma.is_masked(values)  # what is hidden is no number
    if not is_real or array.ndim != axes or not np.isfinite(array).all():
        return None
    return array.astype(float)


def table_of(name, values):
    """`values` as a 2-D array of floats; `name` stands in the error."""
    table = real_array(values, axes=2)
    if table is None:
        raise ValueError(
            f"{name} must be a table of finite real numbers; got {values!r}"
        )
    return table


def position_array(positions):
    """`positions` as a 1-D array of floats; an integer n stands for 0, 1, …, n − 1."""
    if is_integer(positions) and positions >= 0:
        return np.arange(positions, dtype=float)
    array = real_array(positions, axes=1)
    if array is None:
        raise ValueError(
            "positions must be an integer n >= 0 or a 1-D array of finite real "
            f"numbers; got {positions!r}"
        )
    return array
