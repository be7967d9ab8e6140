"""The scoreboard: what a positional encoding should be able to do, and `wishes_of`."""

import numpy as np

from utils import as_table, layer_norm, shown_in_error


# The tests of the scoreboard. Each takes a function `code(n)` that gives the table of a
# text of n tokens, a row for each. The size of a code counts only where it is bounded,
# or added to a token, whose entries are about 1; elsewhere small codes are judged as
# large ones are.
def _is_bounded(code):
    """Whether no entry of `code(10_000)` is beyond 10."""
    return np.abs(code(10_000)).max() <= 10


def _has_one_code_a_place(code):
    """Whether the rows of `code(1000)` all differ."""
    return _all_differ(code(1000))


def _is_independent_of_length(code):
    """Whether places have the same rows in `code(64)` and in `code(128)`."""
    short, long = code(64), code(128)[:64]
    return short.shape == long.shape and np.allclose(short, long, atol=0)


def _has_even_steps(code):
    """Whether neighbouring rows of `code(64)` are equally far apart everywhere."""
    steps = np.linalg.norm(np.diff(code(64), axis=0), axis=1)
    return np.allclose(steps, steps[0], atol=0)


def _survives_layer_norm(code):
    """Whether rows of `code(64)`, added to a token and normalised, still differ.

    A code of one, two or three columns stands in eight, beside zeros.
    """
    table = code(64)
    if table.shape[1] < 4:
        table = np.pad(table, ((0, 0), (0, 8 - table.shape[1])))
    token = np.random.default_rng(seed=0).normal(size=table.shape[1])
    added = token + table
    if (added == added[:, :1]).all(axis=1).any():  # one number, or drowned in the code
        return False
    return _all_differ(layer_norm(added))


def _has_near_alike(code):
    """Whether neighbours in `code(64)` are closer than any places 8 or more apart."""
    squared = _squared_distances(code(64))
    return squared.diagonal(1).max() < squared[np.triu_indices(64, k=8)].min()


def _has_resolution(code):
    """Whether no rows of `code(1000)` are closer than a tenth of the longest."""
    table = code(1000)
    longest = np.linalg.norm(table, axis=1).max()
    squared = _squared_distances(table)
    return squared[np.triu_indices(1000, k=1)].min() >= (longest / 10) ** 2


def _has_one_map(code):
    """Whether one matrix, fitted on half of a long `code(n)`, moves the rest 3 on."""
    k, length = 3, max(1200, 4 * code(64).shape[1])
    table = code(length + k)
    # Half of them at random: at even places alone, two frequencies may look like one.
    places = np.random.default_rng(seed=3).permutation(length)
    fitted, tested = np.split(places, 2)
    matrix = np.linalg.lstsq(table[fitted], table[fitted + k], rcond=1e-8)[0]
    missed = np.linalg.norm(table[tested] @ matrix - table[tested + k])
    return missed < 1e-6 * np.linalg.norm(table[tested + k])


def _squared_distances(table):
    """Of each row to each other one."""
    table = table - table.mean(axis=0)  # distances stay; rounding errors are smaller
    size = (table**2).sum(axis=1)
    return size[:, None] + size - 2 * table @ table.T


def _all_differ(table):
    """Whether no two rows are alike, to 9 decimals of the table's largest number."""
    size = np.abs(table).max() or 1
    return len(np.unique((table / size).round(9), axis=0)) == len(table)


WISHES = {
    "bounded": _is_bounded,
    "one code a place": _has_one_code_a_place,
    "independent of the text’s length": _is_independent_of_length,
    "even steps": _has_even_steps,
    "survives LayerNorm": _survives_layer_norm,
    "near places look alike": _has_near_alike,
    "resolution": _has_resolution,
    "one matrix moves every place": _has_one_map,
}


def wishes_of(code, names=tuple(WISHES)):
    """Which wishes a positional encoding fulfils.

    Parameters
    ----------
    code : callable
        `code(n)` gives the table of a text of n tokens, shape (n, d_model). It is asked
        for 64, 128, 1,000 and 10,000, and for 1,203 or, if it is wide, more.
    names : sequence of str
        Some of the keys of `WISHES`; all of them unless given.

    Returns
    -------
    dict of str to bool

    Raises
    ------
    ValueError
        If `code` is no function, or gives what is no table of n rows, or `names` is no
        list of wishes.

    Examples
    --------
    >>> counting = lambda n: np.outer(np.arange(n) + 1, np.ones(8))
    >>> wishes_of(counting, ["bounded", "even steps"])
    {'bounded': False, 'even steps': True}
    """
    if not callable(code):
        raise ValueError(
            f"code must be a function of n, a text's length; got {shown_in_error(code)}"
        )
    if not isinstance(names, (list, tuple)):
        raise ValueError(f"names must be a list of wishes; got {shown_in_error(names)}")
    if unknown := [name for name in names if name not in WISHES]:
        raise ValueError(f"names must be some of {list(WISHES)}; got {unknown}")

    def checked(n):
        """The table of a text of n tokens."""
        table = as_table(f"code({n})", code(n))
        if len(table) != n:
            raise ValueError(f"code({n}) must have {n} rows; got {len(table)}")
        return table

    return {name: bool(WISHES[name](checked)) for name in names}
