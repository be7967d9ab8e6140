"""How fast and how exact a table of the codes is, made by the course and by others.

A program makes its table once, in memory fresh from the system. So it is here, round
after round: a table of this size is too large for its memory to be handed on.
"""

import math
import time
from statistics import median

import mpmath
import numpy as np
import torch
from positional_encodings.torch_encodings import PositionalEncoding1D

from tools.chapters import NOTEBOOKS, cells
from utils import frequencies, positional_encoding

N, D_MODEL = 20_000, 1024
ROUNDS, ROUNDS_QUICK = 15, 5
ENTRIES = 2000  # of each table are compared with exact ones


def defined(chapter, *ids):
    """What these cells of a chapter define, by name."""
    names = {"math": math, "np": np, "torch": torch, "nn": torch.nn}
    names["frequencies"] = frequencies
    for cell in cells(NOTEBOOKS / chapter, "code"):
        if cell["id"] in ids:
            exec(cell["source"], names)
    return names


def ways(dtype):
    """Of each way, a function that makes the table; what it needs is ready."""
    appendix = defined(
        "appendix_algorithm.ipynb", "two-lists", "the-table-from-two-lists"
    )
    blocks = appendix["table_by_blocks"]
    in_torch = defined("11_in_practice.ipynb", "the-pasted-class")["PositionalEncoding"]
    pairs = {"float64": "complex128", "float32": "complex64"}[dtype]
    # The package wants something to add the table to; this takes no room.
    tokens = torch.zeros(1, dtype=getattr(torch, dtype)).expand(1, N, D_MODEL)

    def formula():
        return positional_encoding(N, D_MODEL).astype(dtype, copy=False)

    makers = {
        "positional_encoding": formula,
        "blocks of the appendix": lambda: blocks(N, D_MODEL, dtype=pairs),
        "positional-encodings": lambda: PositionalEncoding1D(D_MODEL)(tokens)[0],
    }
    if dtype == "float32":  # the class knows no other
        makers["torch class"] = lambda: in_torch(D_MODEL, max_len=N).pe[0]
    return makers


def exact_entries():
    """Some places in the table, as (rows, columns), and the exact values there."""
    chosen = np.random.default_rng(0)
    places = chosen.integers(N, size=ENTRIES), chosen.integers(D_MODEL, size=ENTRIES)
    values = []
    with mpmath.workdps(30):
        for row, column in np.transpose(places).tolist():
            exponent = mpmath.mpf(column - column % 2) / D_MODEL
            angle = row / mpmath.mpf(10_000) ** exponent
            value = mpmath.cos(angle) if column % 2 else mpmath.sin(angle)
            values.append(float(value))
    return places, values


def measure(quick=False):
    """A row for each way: its median `ms`, and its largest error."""
    places, exact = exact_entries()
    rows = []
    for dtype in ("float64", "float32"):
        makers = ways(dtype)
        times, errors = {name: [] for name in makers}, {}
        for _ in range(ROUNDS_QUICK if quick else ROUNDS):
            for name, make in makers.items():
                start = time.perf_counter()
                table = make()
                times[name].append(1000 * (time.perf_counter() - start))
                errors[name] = np.abs(np.asarray(table)[places] - exact).max()
                del table  # before the next one asks for memory
        for name in makers:
            ms, error = round(median(times[name]), 2), float(f"{errors[name]:.1e}")
            row = {"way": name, "size": f"{N} × {D_MODEL}", "dtype": dtype}
            rows.append({**row, "ms": ms, "error": error})
    return rows
