"""The explorers that are open: the cells that show them, the names that they have."""

from IPython import get_ipython

# By its model_id, each open panel, its cell and which run of it; the oldest first.
_open = {}


def register(panel):
    """Note an open panel, and close those that earlier runs of its cell have left.

    A cell that runs again shows a new panel; the kernel would keep the one before.

    Parameters
    ----------
    panel : Explorer
        Anything with a `model_id` and a method `close`, which calls `forget`.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> panel = SimpleNamespace(model_id="7")
    >>> register(panel)
    >>> open_panels()["7"] is panel
    True
    >>> forget(panel)
    """
    cell, run = _running_cell()
    for other, its_cell, its_run in [*_open.values()]:
        if cell is not None and its_cell == cell and its_run != run:
            other.close()
    _open[panel.model_id] = panel, cell, run


def forget(panel):
    """No longer keep a panel, if it was kept.

    Parameters
    ----------
    panel : Explorer

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> forget(SimpleNamespace(model_id="7"))
    """
    _open.pop(panel.model_id, None)


def open_panels():
    """The panels that nobody has closed.

    Returns
    -------
    dict of str to Explorer
        By their `model_id`, the oldest first.

    Examples
    --------
    >>> all(panel.model_id == model for model, panel in open_panels().items())
    True
    """
    return {model: panel for model, (panel, *_) in _open.items()}


def name_of(panel):
    """How a reader reaches a panel: as Out[7], or by the name that they gave it.

    Parameters
    ----------
    panel : Explorer

    Returns
    -------
    str or None
        None if there is no name.

    Examples
    --------
    >>> name_of("a panel without a name") is None
    True
    """
    names = getattr(get_ipython(), "user_ns", {})
    outputs = names.get("Out")
    if not isinstance(outputs, dict):  # a reader has named something else so
        outputs = {}
    for number, output in outputs.items():
        if output is panel:
            return f"Out[{number}]"
    own = (name for name in names if names[name] is panel and name[0] != "_")
    return next(own, None)  # _ is another output soon


def _running_cell():
    """The id of the cell that runs, None where its page sends none, and of its run."""
    shell = get_ipython()
    message = (shell.get_parent() if hasattr(shell, "get_parent") else None) or {}
    run = message.get("header", {}).get("msg_id")
    return message.get("metadata", {}).get("cellId"), run
