"""How fast, how large and how exact a table of the codes is, made in seven ways.

    python bench/table.py [--quick]

The ways take turns in rounds, each round in another order, and a ratio compares two
times of the same round: so a busy moment hits all alike. A table is built once in a
program, into memory that the program gets fresh from the system. So it is here, for
the plain copy, too.
"""

import argparse
import ast
import gc
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import mpmath
import nbformat
import numpy as np

HERE = Path(__file__).resolve().parent
NOTEBOOKS = HERE.parent / "notebooks"
sys.path.append(str(NOTEBOOKS))
from utils import frequencies, positional_encoding  # noqa: E402

SIZES = {(512, 64): 60, (5000, 512): 30, (10000, 512): 15, (20000, 1024): 9}  # rounds
QUICK = {(512, 64): 30, (5000, 512): 12}
DTYPES = ("float64", "float32")
ENTRIES = 2000  # looked at in each table
DIGITS = 30
# With a fixed threshold, glibc takes each array from the system and gives it back at
# once. As it comes, it would hand on the memory of the table before, up to 32 MB.
FRESH = {"MALLOC_MMAP_THRESHOLD_": str(128 * 1024)}

BLOCKS, TEXTBOOK, COPY = "blocks of the appendix", "textbook numpy code", "plain copy"
CAST = "float64, then cast"
HALF = "angles in float32"


# ---- the ways -----------------------------------------------------------------------
def taken(chapter, name, **names):
    """A function or class of a chapter, as it stands there.

    Parameters
    ----------
    chapter : str
        The notebook, without its ending.
    name : str
        Of a function or class at the top level of a cell.
    **names
        What its code refers to.

    Raises
    ------
    ValueError
        If no cell of the chapter defines it.
    """
    nb = nbformat.read(NOTEBOOKS / f"{chapter}.ipynb", as_version=4)
    for cell in nb.cells:
        if cell.cell_type != "code" or name not in cell.source:
            continue
        for node in ast.parse(cell.source).body:
            if getattr(node, "name", None) == name:
                module = ast.Module([node], type_ignores=[])
                exec(compile(module, f"{chapter}.ipynb", "exec"), names)
                return names[name]
    raise ValueError(f"no cell of {chapter} defines {name}")


def course(n, d_model, dtype):
    def build():
        return positional_encoding(n, d_model).astype(dtype, copy=False)

    return build


def blocks(n, d_model, dtype):
    make = taken(
        "appendix_algorithm",
        "table_by_blocks",
        math=math,
        np=np,
        frequencies=frequencies,
    )
    pairs = {"float64": "complex128", "float32": "complex64"}[dtype]

    def build():
        return make(n, d_model, dtype=pairs)

    return build


def textbook(n, d_model, dtype):
    make = taken("appendix_algorithm", "textbook", math=math, np=np)

    def build():
        return make(n, d_model).astype(dtype, copy=False)

    return build


def exponentials(n, d_model, dtype):
    def build():
        angle = np.outer(np.arange(n), frequencies(d_model))
        pairs = 1j * np.exp(-1j * angle)  # sin + i cos
        return pairs.view(float).astype(dtype, copy=False)

    return build


def torch_class(n, d_model, dtype):
    import torch

    names = {"torch": torch, "nn": torch.nn, "math": math}
    made = taken("10_in_practice", "PositionalEncoding", **names)

    def build():
        return made(d_model, max_len=n).pe[0]

    return build


def package(n, d_model, dtype):
    import torch
    from positional_encodings.torch_encodings import PositionalEncoding1D

    # It wants something to add the table to; this one takes no room.
    tokens = torch.zeros(1, dtype=getattr(torch, dtype)).expand(1, n, d_model)

    def build():
        return PositionalEncoding1D(d_model)(tokens)[0]

    return build


def copy(n, d_model, dtype):
    table = positional_encoding(n, d_model).astype(dtype)

    def build():
        return np.copy(table)

    return build


def way(setup, notes, needs=""):
    """A way to make the table: what its figures must say, for each of its dtypes.

    `setup(n, d_model, dtype)` gets ready and returns `build()`, which makes the table.
    """
    return SimpleNamespace(setup=setup, notes=notes, needs=needs)


WAYS = {
    "positional_encoding": way(course, {"float64": "", "float32": CAST}),
    BLOCKS: way(blocks, {"float64": "", "float32": "factors in float64"}),
    TEXTBOOK: way(textbook, {"float64": "", "float32": CAST}),
    "complex exponentials": way(exponentials, {"float64": "", "float32": CAST}),
    "torch class": way(torch_class, {"float32": f"float32 alone, {HALF}"}, "torch"),
    "positional-encodings": way(
        package, {"float64": HALF, "float32": HALF}, "positional_encodings"
    ),
    COPY: way(copy, {"float64": "", "float32": ""}),
}


def ways(dtype):
    """The ways that can make a table of this type here."""
    return {
        name: way
        for name, way in WAYS.items()
        if dtype in way.notes and (not way.needs or find_spec(way.needs))
    }


def conditions():
    """What the figures depend on, besides the machine."""
    found = {"digits": DIGITS, "entries": ENTRIES}
    for name in ("numpy", "torch", "positional-encodings", "mpmath"):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    if find_spec("torch"):
        import torch

        found["threads of torch"] = torch.get_num_threads()
        found["threads of numpy here"] = 1  # no product of matrices is among the ways
    return found


# ---- error --------------------------------------------------------------------------
def entries(n, d_model):
    """Rows and columns of the entries that are looked at: always the same ones."""
    chosen = np.random.default_rng(0)
    return chosen.integers(n, size=ENTRIES), chosen.integers(d_model, size=ENTRIES)


def exact_values(n, d_model, base=10_000):
    """The chosen entries to 30 digits."""
    with mpmath.workdps(DIGITS):
        values = []
        for pos, column in zip(*entries(n, d_model)):
            exponent = -mpmath.mpf(int(column // 2 * 2)) / d_model
            angle = int(pos) * mpmath.mpf(base) ** exponent
            values.append(mpmath.cos(angle) if column % 2 else mpmath.sin(angle))
        return values


def error(table, exact):
    """How far the chosen entries of a table are from the exact ones, at most."""
    found = np.asarray(table)[entries(*table.shape)].tolist()
    with mpmath.workdps(DIGITS):
        return float(np.max([float(abs(a - b)) for a, b in zip(exact, found)]))


# ---- time ---------------------------------------------------------------------------
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


def summary(values):
    """Median and quartiles."""
    low, median, high = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    return {"median": median, "low": low, "high": high}


def within_rounds(rounds, name, other):
    """The median of `name` / `other`, each ratio taken within a round."""
    return statistics.median(times[name] / times[other] for times in rounds)


def rows_of(n, d_model, dtype, rounds, errors):
    """What a size and a type have given: one row for each way."""
    rows = []
    for name in errors:
        rows.append(
            {
                "n": n,
                "d_model": d_model,
                "dtype": dtype,
                "contender": name,
                "note": WAYS[name].notes[dtype],
                "seconds": summary([times[name] for times in rounds]),
                "ratio_to_blocks": within_rounds(rounds, name, BLOCKS),
                "ratio_to_copy": within_rounds(rounds, name, COPY),
                "rounds": len(rounds),
                "table_bytes": n * d_model * np.dtype(dtype).itemsize,
                "error": errors[name],
            }
        )
    return rows


def time_size(n, d_model, rounds):
    """The rows of one size, without memory."""
    exact = exact_values(n, d_model)
    rows = []
    for dtype in DTYPES:
        builds = {
            name: way.setup(n, d_model, dtype) for name, way in ways(dtype).items()
        }
        # this also starts the threads of torch
        errors = {name: error(build(), exact) for name, build in builds.items()}
        rows += rows_of(n, d_model, dtype, in_rounds(builds, rounds), errors)
    return rows


# ---- memory -------------------------------------------------------------------------
def most_memory():
    """The most memory that this process has held so far, in bytes, whoever took it."""
    status = Path("/proc/self/status")
    if status.exists():  # getrusage would count the process before this one, too
        return 1024 * int(re.search(r"VmHWM:\s*(\d+)", status.read_text())[1])
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS


def memory_of(name, n, d_model, dtype):
    """How much more memory than before the process holds at most while it builds."""
    WAYS[name].setup(8, 8, dtype)()  # what is loaded at the first call
    build = WAYS[name].setup(n, d_model, dtype)
    gc.collect()
    with suppress(OSError):  # Linux begins anew from what is held now
        Path("/proc/self/clear_refs").write_text("5")
    before = most_memory()
    made = build()
    after = most_memory()
    del made
    return after - before


# ---- processes ----------------------------------------------------------------------
def in_child(function, *arguments):
    """What a function of this file returns in a fresh process, by way of JSON."""
    done = subprocess.run(
        [sys.executable, __file__, "--child", json.dumps([function, *arguments])],
        env={**os.environ, **FRESH},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return json.loads(done.stdout)


def measure(quick=False):
    """All figures of the table.

    Parameters
    ----------
    quick : bool
        The two smaller sizes alone, in fewer rounds.

    Returns
    -------
    list of dict
        A row for each size, type and way. `seconds` has the median and the quartiles;
        `ratio_to_blocks` and `ratio_to_copy` are medians of ratios within a round;
        `peak_bytes` is what the process held at most beyond what it held before, the
        table included, None where a table is too small to be told apart; `error` is
        the largest of 2,000 entries against 30 digits.
    """
    rows = []
    for (n, d_model), rounds in (QUICK if quick else SIZES).items():
        rows += in_child("time_size", n, d_model, rounds)

    def add_memory(row):
        size = row["n"], row["d_model"], row["dtype"]
        tells = row["table_bytes"] > 4e6
        row["peak_bytes"] = (
            in_child("memory_of", row["contender"], *size) if tells else None
        )

    with ThreadPoolExecutor(os.cpu_count()) as pool:  # nothing is timed any more
        list(pool.map(add_memory, rows))
    return rows


# ---- goals --------------------------------------------------------------------------
def goals(rows):
    """What was to be reached, and whether it is.

    Returns
    -------
    list of dict
        `goal` in words, `value`, `limit`, `holds`, where (`n`, `d_model`, `dtype`),
        and `note`: what a plain copy would have reached, where a goal compares with
        the textbook.
    """
    found = []
    at = {(r["n"], r["d_model"], r["dtype"], r["contender"]): r for r in rows}
    for n, d_model, dtype, name in at:
        if name != BLOCKS or n < 5000:
            continue
        place = {"n": n, "d_model": d_model, "dtype": dtype}
        made, text = at[n, d_model, dtype, BLOCKS], at[n, d_model, dtype, TEXTBOOK]
        faster = text["ratio_to_blocks"]
        found.append(
            {
                "goal": "blocks at least 10 times as fast as the textbook",
                **place,
                "value": faster,
                "limit": 10,
                "holds": faster >= 10,
                "note": f"a copy: {text['ratio_to_copy']:.1f}",
            }
        )
        slower = made["ratio_to_copy"]
        found.append(
            {
                "goal": "blocks at most 3 times as slow as a copy",
                **place,
                "value": slower,
                "limit": 3,
                "holds": slower <= 3,
                "note": "",
            }
        )
        if n == 5000 and dtype == "float32":
            found.append(
                {
                    "goal": "blocks in float32 off by at most 2e-7",
                    **place,
                    "value": made["error"],
                    "limit": 2e-7,
                    "holds": made["error"] <= 2e-7,
                    "note": "",
                }
            )
    return found


# ---- the command --------------------------------------------------------------------
def lines(rows):
    """The rows for a terminal."""
    size = None
    for row in rows:
        if size != (row["n"], row["d_model"], row["dtype"]):
            size = row["n"], row["d_model"], row["dtype"]
            megabytes = row["table_bytes"] / 1e6
            yield f"\n{size[0]} x {size[1]}, {size[2]}: {megabytes:.1f} MB"
            yield (
                f"{'':24}{'ms':>8}{'quartiles':>18}{'/ blocks':>10}{'/ copy':>8}"
                f"{'memory / table':>16}{'error':>10}"
            )
        low, median, high = (row["seconds"][k] * 1e3 for k in ("low", "median", "high"))
        peak = row["peak_bytes"]
        memory = f"{peak / row['table_bytes']:.1f}" if peak else "-"
        yield (
            f"{row['contender']:24}{median:8.2f}{f'{low:.2f} to {high:.2f}':>18}"
            f"{row['ratio_to_blocks']:10.2f}{row['ratio_to_copy']:8.2f}"
            f"{memory:>16}{row['error']:10.1e}  {row['note']}"
        )
    yield ""
    for goal in goals(rows):
        kept = "holds" if goal["holds"] else "MISSED"
        note = f" ({goal['note']})" if goal["note"] else ""
        yield (
            f"{kept:7}{goal['goal']}: {goal['value']:.3g}{note},"
            f" {goal['n']} x {goal['d_model']}, {goal['dtype']}"
        )


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two sizes, few rounds")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args(words)
    if given.child:
        function, *arguments = json.loads(given.child)
        known = {"time_size": time_size, "memory_of": memory_of}
        print(json.dumps(known[function](*arguments)))
        return
    for name, value in conditions().items():
        print(f"{name}: {value}")
    print("\n".join(lines(measure(given.quick))))


if __name__ == "__main__":
    main()
