"""How fast and how exact a table of the codes is, made in seven ways.

The ways take turns in rounds, each round in another order, and a ratio compares two
times of the same round: so a busy moment hits all alike. A table is built once in a
program, into memory that the program gets fresh from the system. So it is here, for
the plain copy, too.
"""

import ast
import json
import math
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import mpmath
import nbformat
import numpy as np

from utils import frequencies, positional_encoding

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"

SIZES = [(5000, 512), (20000, 1024)]
ROUNDS, ROUNDS_QUICK = 15, 5
ENTRIES = 2000  # of each table are compared with exact ones
DIGITS = 30
BLOCKS = "blocks of the appendix"
# With a fixed threshold, glibc takes each array from the system and gives it back at
# once. As it comes, it would hand on the memory of the table before, up to 32 MB.
FRESH = {"MALLOC_MMAP_THRESHOLD_": str(128 * 1024)}


# ---- the ways -----------------------------------------------------------------------
def taken(chapter, name, **names):
    """A function or class of a chapter; `names` are what its code refers to."""
    for cell in nbformat.read(NOTEBOOKS / f"{chapter}.ipynb", as_version=4).cells:
        if cell.cell_type != "code" or name not in cell.source:
            continue
        for node in ast.parse(cell.source).body:
            if getattr(node, "name", None) == name:
                exec(compile(ast.Module([node], []), chapter, "exec"), names)
                return names[name]
    raise ValueError(f"no cell of {chapter} defines {name}")


def exponentials(n, d_model):
    angle = np.outer(np.arange(n), frequencies(d_model))
    return (1j * np.exp(-1j * angle)).view(float)  # sin + i cos


def ways(n, d_model, dtype):
    """Of each way, a function that makes the table; what it needs is ready."""
    import torch
    from positional_encodings.torch_encodings import PositionalEncoding1D

    names = {"math": math, "np": np, "frequencies": frequencies}
    in_float64 = {
        "positional_encoding": positional_encoding,
        "textbook numpy code": taken("appendix_algorithm", "textbook", **names),
        "complex exponentials": exponentials,
    }
    found = {
        name: lambda make=make: make(n, d_model).astype(dtype, copy=False)
        for name, make in in_float64.items()
    }
    blocks = taken("appendix_algorithm", "table_by_blocks", **names)
    pairs = {"float64": "complex128", "float32": "complex64"}[dtype]
    found[BLOCKS] = lambda: blocks(n, d_model, dtype=pairs)
    if dtype == "float32":  # the class knows no other
        names = {"math": math, "torch": torch, "nn": torch.nn}
        in_torch = taken("10_in_practice", "PositionalEncoding", **names)
        found["torch class"] = lambda: in_torch(d_model, max_len=n).pe[0]
    # The package wants something to add the table to; this takes no room.
    tokens = torch.zeros(1, dtype=getattr(torch, dtype)).expand(1, n, d_model)
    found["positional-encodings"] = lambda: PositionalEncoding1D(d_model)(tokens)[0]
    table = positional_encoding(n, d_model).astype(dtype)
    found["plain copy"] = lambda: np.copy(table)
    return found


# ---- error and time -----------------------------------------------------------------
def some_entries(n, d_model):
    """Rows and columns of the entries that are compared, and their exact values."""
    chosen = np.random.default_rng(0)
    rows, columns = (
        chosen.integers(n, size=ENTRIES),
        chosen.integers(d_model, size=ENTRIES),
    )
    exact = []
    with mpmath.workdps(DIGITS):
        for pos, column in zip(rows.tolist(), columns.tolist()):
            angle = pos * mpmath.mpf(10_000) ** (-mpmath.mpf(column // 2 * 2) / d_model)
            exact.append(mpmath.cos(angle) if column % 2 else mpmath.sin(angle))
    return (rows, columns), exact


def error(table, places, exact):
    """How far the chosen entries of a table are from the exact ones, at most."""
    found = np.asarray(table)[places].tolist()
    with mpmath.workdps(DIGITS):
        return max(float(abs(a - b)) for a, b in zip(exact, found))


def in_rounds(builds, rounds):
    """The seconds of each build in every round; each round has an order of its own."""
    order = random.Random(0)
    names = list(builds)
    found = []
    for _ in range(rounds):
        order.shuffle(names)
        times = {}
        for name in names:
            start = time.perf_counter()
            made = builds[name]()
            times[name] = time.perf_counter() - start
            del made  # before the next one asks for memory
        found.append(times)
    return found


def rows(n, d_model, dtype, rounds):
    """A row for each way.

    `ms`: the median time. `to blocks`: the median of the ratios within a round.
    `error`: the largest of 2,000 entries against 30 digits.
    """
    places, exact = some_entries(n, d_model)
    builds = ways(n, d_model, dtype)
    errors = {name: error(build(), places, exact) for name, build in builds.items()}
    times = in_rounds(builds, rounds)
    for name in builds:
        yield {
            "way": name,
            "n": n,
            "d_model": d_model,
            "dtype": dtype,
            "ms": round(1000 * median(each[name] for each in times), 2),
            "to blocks": round(median(each[name] / each[BLOCKS] for each in times), 2),
            "error": float(f"{errors[name]:.1e}"),
        }


def measure(quick=False):
    """All rows, each size and type in a process that gets fresh memory each time."""
    found = []
    for n, d_model in SIZES[:1] if quick else SIZES:
        for dtype in ("float64", "float32"):
            size = (n, d_model, dtype, ROUNDS_QUICK if quick else ROUNDS)
            done = subprocess.run(
                [sys.executable, __file__, json.dumps(size)],
                env={**os.environ, **FRESH},
                stdout=subprocess.PIPE,
                check=True,
            )
            found += json.loads(done.stdout)
    return found


if __name__ == "__main__":  # as `measure` calls it
    print(json.dumps(list(rows(*json.loads(sys.argv[1])))))
