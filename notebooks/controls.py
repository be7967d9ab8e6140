"""What sliders can reach: the values of a control, and where they start."""

from fractions import Fraction
from itertools import pairwise

import numpy as np

from checks import brief, is_integer, is_number, signature_of

MOST_VALUES = 10_001  # of a slider: more than a hand can tell apart
ROUNDING = Fraction(1, 10**9)  # of a step: nearer values differ by rounding alone


def allowed_values(name, control):
    """What a slider can reach.

    Parameters
    ----------
    name : str
        What the error calls the slider.
    control : list, range, 1-D array or tuple
        The values, finite numbers or names, which are taken as they are; or (low, high,
        step), which ends at the last step up to high, and gives integers where all
        three are. Its steps are added as fractions: 3 of 0.1 make 0.3, where floats
        make 0.30000000000000004.

    Returns
    -------
    list

    Raises
    ------
    ValueError
        If the control is none of these; if it has no values, too many, or two with one
        label; if one is neither a finite number nor a name; if a tuple is not three
        finite numbers, low below high, and a step above 0 and at most high - low.

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
            two = by_label[label], value
            differ = all(map(is_number, two)) and two[0] != two[1]
            digits = " of 6 digits" if differ else ""
            raise ValueError(
                f"two values of {name} have one label{digits}, {label};"
                f" got {brief(two[0])} and {brief(two[1])}"
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
    return values


def _plain(value):
    """A number or text of NumPy as Python's; a float32 as it is written, as 0.1."""
    if isinstance(value, np.floating):
        return float(str(value))
    is_plain = isinstance(value, np.generic) and value.dtype.kind in "biuU"  # no date
    return value.item() if is_plain else value


def _steps(name, triple):
    """The values low, low + step, … up to high, added as fractions."""
    got = f"got {brief(triple)}"
    are_values = all(is_number(value) or isinstance(value, str) for value in triple)
    hint = f". If these are its values, give a list: {brief([*triple])}"
    as_list = got + (hint if are_values else "")
    if len(triple) != 3 or not all(map(is_number, triple)):
        raise ValueError(f"{name} must be (low, high, step), finite numbers; {as_list}")
    low, high, step = map(_fraction, triple)
    if step <= 0 or high <= low:
        raise ValueError(
            f"{name} must have low below high and a step above 0; {got}. If its values"
            " fall, give a list, such as [3, 2, 1]"
        )
    if (high - low) / step + ROUNDING < 1:
        raise ValueError(f"{name} must have a step of at most high - low; {as_list}")
    # no more than are allowed and one, which is refused
    steps = int(min((high - low) / step + ROUNDING, MOST_VALUES))
    values = [low, *(_settled(low + i * step, high, step) for i in range(1, steps + 1))]
    kind = int if all(map(is_integer, triple)) else float
    return [kind(value) for value in values]


def _settled(value, high, step):
    """0 or high, where rounding alone parts a value from it; any other as it is.

    8 steps of pi / 8 make pi, and from -pi they make 0.
    """
    near = [exact for exact in (0, high) if abs(value - exact) <= ROUNDING * step]
    return near[0] if near else value


def _fraction(x):
    """The fraction that a number stands for: 1/3 for 1 / 3, and 1/10 for 0.1."""
    as_written = Fraction(str(x))
    short = as_written.limit_denominator(1000)
    return short if float(short) == float(x) else as_written


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
    start = {}
    for name, values in allowed.items():
        start[name] = values[0]
        argument = arguments.get(name)  # none of its own where update takes **values
        if argument is None or argument.default is argument.empty:
            continue
        start[name] = _value_for(_plain(argument.default), values)
        if start[name] is None:
            raise ValueError(
                f"{name} starts at its default in update, which must be one of"
                f" {brief(values)}; got {brief(argument.default)}"
            )
    return start


def _value_for(default, values):
    """The value that a default of `update` means, None if it is none of them.

    Numbers may differ by what rounding leaves: 0.3 stands for 0.1 + 0.2.
    """
    if isinstance(default, str):
        return default if default in values else None
    numbers = [*filter(is_number, values)]
    if not numbers or not is_number(default):
        return None
    if default in numbers:
        return numbers[numbers.index(default)]
    exact = {Fraction(value): value for value in numbers}
    nearest = min(exact, key=lambda number: abs(number - Fraction(default)))
    steps = [after - before for before, after in pairwise(sorted(exact))]
    rounding = ROUNDING * min(steps, default=abs(nearest))
    return exact[nearest] if abs(nearest - Fraction(default)) <= rounding else None


def label_of(value):
    """A value as it stands beside its slider, with a minus sign that is not a hyphen.

    Parameters
    ----------
    value : number or str

    Returns
    -------
    str

    Examples
    --------
    >>> label_of(0.1 + 0.2), label_of(-3), label_of(-0.0), label_of("sine")
    ('0.3', '−3', '0', 'sine')
    """
    if isinstance(value, str):
        return value
    words = str(value)
    if isinstance(value, float):
        is_whole = value.is_integer() and abs(value) < 1e15
        words = f"{value:z.0f}" if is_whole else f"{value:.6g}"  # z: -0.0 is 0
    return words.replace("-", "−")


def are_names(values):
    """Whether values are names: they have no order, so that buttons show them all.

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
