"""How long does a class wait, and how much memory does a student need?

    make hub-load                      one student, then five
    .venv/bin/python -m hub.load 40    forty

Each starts a server and a kernel and runs chapter 4. No browser is opened, and students
and hub share this machine, so a real class waits less. As root they have accounts of
their own, which are removed at the end.
"""
# Why not hubtraf? It is no longer kept and knows only a few ways to log in; what
# follows it, jupyterhub-simulator, has no release.

import os
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import psutil

from hub.trial import Hub, run
from tools.chapters import NOTEBOOKS, cells

CHAPTER = NOTEBOOKS / "04_sum_angle_derivation.ipynb"


def memory(processes):
    """MiB of processes and all below them; what they share is counted once."""
    family = [*processes]
    for process in processes:
        family += process.children(recursive=True)
    return sum(process.memory_full_info().pss for process in family) / 2**20


def measure(count):
    """Let a class of this size come in at once; the figures of the table's row."""
    names = [f"load{os.getpid()}-{number}" for number in range(count)]
    with Hub(names) as hub, ThreadPoolExecutor(count) as pool:
        began = time.monotonic()

        def arrive(account):
            server = hub.server(account)
            ready = time.monotonic() - began
            kernel = hub.kernel(account)
            run(kernel, "1 + 1")
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
        everything = memory([psutil.Process(hub.process.pid)])
        return {
            "students": count,
            "server ready, s": statistics.median(ready),
            "first answer, s": statistics.median(first),
            "chapter 4, s": statistics.median(seconds),
            "MiB a student, started": start,
            "MiB, chapter 4 run": end,
            "hub and proxy, MiB": everything - end * count,
        }


def main():
    for number, count in enumerate(map(int, sys.argv[1:] or [1, 5])):
        row = measure(count)
        if number == 0:
            print(f"| {' | '.join(row)} |\n|{' ---: |' * len(row)}")
        print(f"| {' | '.join(f'{value:.0f}' for value in row.values())} |", flush=True)


if __name__ == "__main__":
    main()
