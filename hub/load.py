"""How long does a class wait, and how much memory does a student need?

    make hub-load                      one student, then five
    .venv/bin/python -m hub.load 40    forty

Each starts a server and a kernel and runs chapter 4. No browser is opened, and students
and hub share this machine, so a real class waits less. As root they have accounts of
their own, which are removed at the end.
"""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median

import psutil

from hub.trial import class_hub
from tools.chapters import NOTEBOOKS, cells

CHAPTER = NOTEBOOKS / "04_sum_angle_derivation.ipynb"


def memory(processes):
    """MiB of processes and all below them; what they share is counted once."""
    below = [child for one in processes for child in one.children(recursive=True)]
    return sum(one.memory_full_info().pss for one in [*processes, *below]) / 2**20


def measure(count):
    """Let a class of this size come in at once; the figures of the table's row."""
    names = [f"load{os.getpid()}-{number}" for number in range(count)]
    with class_hub(names) as hub, ThreadPoolExecutor(count) as pool:
        began = time.monotonic()

        def arrive(account):
            server = hub.server(account)
            ready = time.monotonic() - began
            kernel = hub.kernel(account)
            kernel.execute("1 + 1", timeout=600)
            return server, kernel, ready, time.monotonic() - began

        def read(kernel):
            began = time.monotonic()
            for cell in cells(CHAPTER, "code"):
                if kernel.execute(cell.source, timeout=600)["status"] != "ok":
                    raise RuntimeError(f"a cell of chapter 4 failed:\n{cell.source}")
            return time.monotonic() - began

        servers, kernels, ready, first = zip(*pool.map(arrive, hub.accounts))
        start = memory(servers) / count
        seconds = list(pool.map(read, kernels))
        end = memory(servers) / count
        rest = memory([psutil.Process(hub.process.pid)]) - end * count
    print(
        f"{count} students: server ready {median(ready):.0f} s, first answer"
        f" {median(first):.0f} s, chapter 4 {median(seconds):.0f} s; MiB a student:"
        f" started {start:.0f}, chapter 4 run {end:.0f}; hub and proxy {rest:.0f} MiB",
        flush=True,
    )


if __name__ == "__main__":
    for count in map(int, sys.argv[1:] or [1, 5]):
        measure(count)
