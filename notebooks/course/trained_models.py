"""The models that experiments/run.py has trained, for chapters 9 and 10."""

import json
from pathlib import Path

from utils import shown_in_error

DATA = Path(__file__).resolve().parent / "trained"


def read_trained(name):
    """The rows of trained models: a dict with "config" and "result" for each run.

    Parameters
    ----------
    name : str or path
        "moved", "lengths" or "bases": a file of the folder trained; or a file's path.

    Returns
    -------
    list of dict

    Raises
    ------
    ValueError
        If the file is not there.

    Examples
    --------
    >>> read_trained("moved")[0]["config"]["length"]
    32
    """
    path = Path(str(name))
    if not path.suffix:
        path = DATA / f"{name}.txt"
    if not path.is_file():
        there = sorted(file.stem for file in DATA.glob("[a-z]*.txt"))
        raise ValueError(f"no rows of trained models in {path}; there are {there}")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def select_trained(rows, **wanted):
    """The rows whose configuration has these values, a run for each seed.

    Parameters
    ----------
    rows : list of dict
        From `read_trained`.
    **wanted
        Names and values of the configuration: `scheme="RoPE", task="first"`.

    Returns
    -------
    list of dict

    Raises
    ------
    ValueError
        If no row has such a name or such a value.

    Examples
    --------
    >>> rows = read_trained("lengths")
    >>> runs = select_trained(rows, task="first", scheme="RoPE", layers=1)
    >>> [run["config"]["seed"] for run in runs]
    [0, 1, 2, 3, 4]
    """
    chosen = rows
    for name, value in wanted.items():
        known = [row["config"][name] for row in rows if name in row["config"]]
        if not known:
            names = sorted(rows[0]["config"]) if rows else []
            raise ValueError(f"a run is described by {names}; got {name!r}")
        if value not in known or type(value) not in map(type, known):  # True is not 1
            values = sorted(set(known))
            raise ValueError(
                f"{name} must be one of {values}; got {shown_in_error(value)}"
            )
        chosen = [row for row in chosen if row["config"].get(name) == value]
    if not chosen:
        raise ValueError(f"no run has all of {wanted!r}")
    return chosen
