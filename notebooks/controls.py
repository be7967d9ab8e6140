"""What sliders can reach: the values of a control, and where they start."""

import inspect
from decimal import Decimal
from math import isclose

import numpy as np

from checks import brief, is_integer, is_number

MOST_VALUES = 10_001  # of a slider: more than a hand can tell apart


def allowed_values(name, control):
    """What a slider can reach.

    Parameters
    ----------
    name : str
        What the error calls the slider.
    control : list, range, 1-D array or tuple
        The values, finite numbers or names; or (low, high, step), which ends at the
        last step up to high. What rounding leaves in double precision is left out.

    Returns
    -------
    list

    Raises
    ------
    ValueError
        If there are no values, too many, or two with one label; if one is neither a
        finite number nor a name.

    Examples
    --------
    >>> allowed_values("k", (0, 0.3, 0.1)), allowed_values("k", ["sine", "cosine"])
    ([0.0, 0.1, 0.2, 0.3], ['sine', 'cosine'])
    """
    if isinstance(control, tuple):
        values = _steps(name, control)
    else:
        values = _listed(name, control)
    if len(values) > MOST_VALUES:
        raise ValueError(
            f"{name} may have at most {MOST_VALUES} values; got {brief(control)}"
        )
    by_label = {}
    for value in values:
        if not (is_number(value) or isinstance(value, str) and value.strip()):
            raise ValueError(
                f"a value of {name} must be a finite number or a name, such as 'on';"
                f" got {brief(value)}"
            )
        label = label_of(value).strip()
        if label in by_label:
            raise ValueError(
                f"the values of {name} must differ in the 6 digits of their labels;"
                f" got {brief(by_label[label])} and {brief(value)}"
            )
        by_label[label] = value
    return values


def _listed(name, control):
    """The values of a list, a range or an array, as Python's numbers and names."""
    is_row = isinstance(control, np.ndarray) and control.ndim == 1
    is_listed = is_row or isinstance(control, (list, range))
    # a range may be longer than any list
    some = control[: MOST_VALUES + 1] if is_listed else []
    values = [_plain(value) for value in some]
    if not values or np.ma.is_masked(control):
        raise ValueError(
            f"{name} must be (low, high, step) or a list, range or 1-D array of values;"
            f" got {brief(control)}"
        )
    if all(map(is_number, values)) and any(isinstance(x, float) for x in values):
        values = _without_traces(values)
    return values


def _plain(value):
    """A value of NumPy as one of Python; a float32 by its shortest name, as 0.1."""
    if isinstance(value, np.floating):
        return float(str(value))
    return value.item() if isinstance(value, np.generic) else value


def _without_traces(values):
    """These floats; 0 and 0.3 where np.arange has -2e-16 and 0.1 * 3."""
    largest = max(map(abs, values))
    rounding = 4 * np.spacing(largest)  # what steps up to the largest may leave
    with np.errstate(over="ignore"):  # of 1e308
        gaps = np.diff(np.sort(values))
    is_even = len(gaps) > 0 and gaps.max() < 1.001 * gaps.min()

    def clean(value):
        if not isinstance(value, float):
            return value
        if is_even and abs(value) <= min(rounding, 1e-6 * gaps[0]):
            return 0.0  # a value of its own would not be so near
        short = float(f"{value:.12g}")
        return short if abs(short - value) <= rounding else value

    return [clean(value) for value in values]


def _steps(name, triple):
    """The values low, low + step, … up to high, as in decimal numbers."""
    as_list = f"If these are its values, give a list: {brief([*triple])}"
    if len(triple) != 3 or not all(map(is_number, triple)):
        raise ValueError(
            f"{name} must be (low, high, step), finite numbers; got {brief(triple)}."
            f" {as_list}"
        )
    kind = int if all(map(is_integer, triple)) else float
    low, high, step = (Decimal(str(x)) for x in triple)
    if not 0 < step <= high - low:
        raise ValueError(
            f"{name} must have 0 < step <= high - low; got {brief(triple)}. {as_list}"
        )
    steps = (high - low) / step + Decimal("1e-9")  # 8 steps of pi / 8 make pi
    count = int(min(steps, MOST_VALUES)) + 1
    values = [low + i * step for i in range(count)]
    if high - values[-1] < step * Decimal("1e-9"):
        values[-1] = high  # 3 steps of 1 / 3 make 1
    return [kind(value) for value in values]


def start_values(update, allowed):
    """Where sliders start: at the defaults of `update`, else at their first values.

    Parameters
    ----------
    update : callable
    allowed : dict of str to list
        The values that each slider can reach.

    Returns
    -------
    dict of str to value

    Raises
    ------
    ValueError
        If `update` does not take these arguments, or a default is none of the values.

    Examples
    --------
    >>> start_values(lambda k=2: None, {"k": [1, 2, 3]})
    {'k': 2}
    """
    arguments = signature_of("update", update, **allowed).parameters
    start = {name: values[0] for name, values in allowed.items()}
    for name, argument in arguments.items():
        if name not in allowed or argument.default is argument.empty:
            continue
        default = _plain(argument.default)
        alike = [x for x in allowed[name] if _are_alike(x, default)]
        if not alike:
            raise ValueError(
                f"{name} starts at its default in update, which must be one of"
                f" {brief(allowed[name])}; got {brief(argument.default)}"
            )
        start[name] = alike[0]  # 0.3 where `update` has 0.1 * 3
    return start


def _are_alike(value, default):
    """Whether a default of `update` is this value of its slider, but for rounding."""
    if is_number(value) and is_number(default):
        trace = value == 0 and abs(default) < 1e-15  # as np.arange has
        return trace or isclose(value, default)
    return isinstance(default, str) and value == default


def signature_of(name, function, /, *arguments, **values):
    """The signature of a function that takes these arguments.

    Parameters
    ----------
    name : str
        What the error calls the function.
    function : callable
    *arguments, **values
        What it must take.

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
    found = brief(function)
    try:
        signature = inspect.signature(function)
        found = f"{name}{signature}"
        signature.bind(*arguments, **values)
    except (TypeError, ValueError):  # the second: of max, which has none
        wanted = ", ".join((*arguments, *values))
        raise ValueError(f"{name} must take ({wanted}); got {found}") from None
    return signature


def label_of(value):
    """A value as it stands beside its slider.

    Parameters
    ----------
    value : number or str

    Returns
    -------
    str

    Examples
    --------
    >>> label_of(0.1 + 0.2), label_of(3), label_of("sine")
    ('0.3', '3', 'sine')
    """
    if not isinstance(value, float):
        return str(value)
    whole = value.is_integer() and abs(value) < 1e15
    return f"{value:.0f}" if whole else f"{value:.6g}"


def are_names(values):
    """Whether values have no order, so that all of them should be seen at once.

    Parameters
    ----------
    values : sequence
        Of one slider.

    Returns
    -------
    bool

    Examples
    --------
    >>> are_names(["sine", "cosine"]), are_names([1, 2])
    (True, False)
    """
    return all(isinstance(value, str) for value in values)
