"""Checks of what a function is given, for the other modules.

What a function cannot take it refuses with a ValueError, which says what is allowed and
what was given.
"""

import inspect
import math

import numpy as np


def is_number(value):
    """Whether `value` is one real number of Python's or numpy's, finite as a float.

    True and False are none.

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
    others = (bool, np.timedelta64)  # kinds of integers, for Python and numpy
    if not isinstance(value, kinds) or isinstance(value, others):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:  # an integer above 1.8e308
        return False


def is_integer(value):
    """Whether `value` is an integer of Python's or numpy's; True is none.

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
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def brief(value):
    """A value as an error shows it: its beginning, on one line, and an unusual type.

    Parameters
    ----------
    value : anything

    Returns
    -------
    str

    Examples
    --------
    >>> from fractions import Fraction
    >>> brief("3"), brief(Fraction(3))
    ("'3'", 'Fraction(3, 1), of type fractions.Fraction')
    """
    try:
        words = _on_one_line(repr(value), most=200)
    except ValueError:  # Python's, of an integer in it: it does not write them all
        words = "more than 4300 digits"
    kind = type(value)
    is_usual = kind.__module__ in ("builtins", "numpy")  # 3 of sympy looks like theirs
    return words if is_usual else f"{words}, of type {kind.__module__}.{kind.__name__}"


def brief_error(error):
    """An error on one line: its type, and what it says, at most 300 characters.

    Parameters
    ----------
    error : Exception

    Returns
    -------
    str

    Examples
    --------
    >>> brief_error(ValueError("x must be\\n positive"))
    'ValueError: x must be positive'
    """
    try:
        words = str(error)
    except Exception:  # an error of a notebook may be anything
        words = ""
    kind = type(error).__name__
    return _on_one_line(f"{kind}: {words}" if words.strip() else kind, most=300)


def _on_one_line(text, most):
    """A text without line breaks, cut off behind `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[:most] + " …"


def signature_of(name, function, /, *arguments, **values):
    """The signature of a function that takes these arguments.

    Parameters
    ----------
    name : str
        What the error calls the function.
    function : callable
    *arguments, **values
        What it must take; the error names arguments by their values, values by name.

    Returns
    -------
    inspect.Signature

    Raises
    ------
    ValueError
        If it is no function, or takes other arguments.

    Examples
    --------
    >>> signature_of("update", lambda k: None, k=3)
    <Signature (k)>
    """
    wanted = ", ".join(map(str, (*arguments, *values)))
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # the second: max has none
        raise ValueError(
            f"{name} must be a function of ({wanted}); got {brief(function)}"
        ) from None
    try:
        signature.bind(*arguments, **values)
    except TypeError as error:
        own = _on_one_line(str(signature), most=200)
        raise ValueError(
            f"{name}{own} is called as {name}({wanted}): {error}"
        ) from None
    return signature


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
        anything but finite real numbers. It names the first entry that is not finite.

    Examples
    --------
    >>> real_array("x must be numbers", [1, np.inf], ndim=1)
    Traceback (most recent call last):
    ValueError: x must be numbers; got [1, inf], whose entry [1] is inf
    """

    def refusal(reason=""):
        """The error, which ends with what is wrong."""
        return ValueError(f"{rule}; got {brief(values)}{reason}")

    try:
        array = np.ma.asarray(values)  # which keeps a mask
    except ValueError:
        raise refusal(", with rows of different lengths") from None
    except Exception as error:  # a tensor that keeps gradients is no array
        raise refusal(f": {brief_error(error)}") from None
    if array.ndim != ndim:
        raise refusal(f", of shape {array.shape}" if array.ndim else "")
    if np.ma.is_masked(array):
        raise refusal(", with masked entries")
    array = np.asarray(array)
    if array.dtype.kind not in "iuf":  # integers and floats
        odd = [entry for entry in array.flat if not is_number(entry)]
        if odd:
            raise refusal(f", which holds {brief(odd[0])}")
    array = array.astype(float)
    wrong = np.argwhere(np.isinf(array) if allow_nan else ~np.isfinite(array))
    if len(wrong):
        place = wrong[0].tolist()
        raise refusal(f", whose entry {place} is {array[*place]}")
    return array


def table_of(name, values, allow_nan=False):
    """`values` as a 2-D array of floats, not empty.

    Parameters
    ----------
    name : str
        What the error calls them.
    values : anything
    allow_nan : bool
        Whether entries may be NaN.

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
    kinds = "finite real numbers or NaN" if allow_nan else "finite real numbers"
    rule = f"{name} must be a table, of two axes, of {kinds}"
    table = real_array(rule, values, ndim=2, allow_nan=allow_nan)
    if not table.size:
        raise ValueError(f"{rule}; got {brief(values)}, of shape {table.shape}")
    return table
