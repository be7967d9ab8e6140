"""Train what chapter 9 reads: `make experiments`, or with QUICK=1 a sample of it.

Each finished run is one line of build/experiments/NAME.jsonl, written at once; started
again, the program goes on where it was stopped. At the end the new figures are compared
with the committed ones in notebooks/trained; with KEEP=1 they take their place.
"""

import argparse
import json
import multiprocessing
import os
import shutil
import signal
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import torch
from tqdm import tqdm

from experiments import head, lengths, moved
from utils import HERE as NOTEBOOKS
from utils import TRAINED_VERSION, read_trained

BUILD = NOTEBOOKS.parent / "build" / "experiments"
KEPT = NOTEBOOKS / "trained"
EXPERIMENTS = {"head": head, "moved": moved, "lengths": lengths}
BAR = "{l_bar}{bar}| {elapsed}, {remaining} left"


def chosen(name, quick):
    """The configurations of an experiment; for a quick look one seed of the short ones.

    Of the models with two layers, the quick look trains two schemes.
    """
    configurations = list(EXPERIMENTS[name].configurations())
    if not quick:
        return configurations
    return [
        config
        for config in configurations
        if config["seed"] == 0
        and config["steps"] < 3000
        and config["lr"] == 0.003
        and (config.get("layers") != 2 or config["scheme"] in ("no code", "RoPE"))
    ]


def begin():
    """A worker: one thread, so that two of them share two cores; Ctrl-C ends it."""
    torch.set_num_threads(1)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def train_one(name, config):
    """One run, as a row."""
    began = time.perf_counter()
    result = EXPERIMENTS[name].run(config)
    return {
        "version": TRAINED_VERSION,
        "experiment": name,
        "torch": torch.__version__,
        "seconds": round(time.perf_counter() - began, 1),
        "config": config,
        "result": result,
    }


def finished(path):
    """The rows of an earlier, interrupted call. A line that was cut off is dropped."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        path.write_text("".join(lines[:-1]), encoding="utf-8")
    rows = read_trained(path)
    others = {row["torch"] for row in rows} - {torch.__version__}
    if others:
        raise ValueError(
            f"{path} holds rows of torch {', '.join(sorted(others))}; this is torch"
            f" {torch.__version__}. Move that file away and start again."
        )
    return rows


def write(row, path):
    """Add a row, so that it is on the disk before the next one."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, separators=(",", ":")) + "\n")
        file.flush()
        os.fsync(file.fileno())


def train_all(names, quick, build, workers):
    """Train what is missing; returns the number of runs that were already there."""
    build.mkdir(parents=True, exist_ok=True)
    missing, done = [], 0
    for name in names:
        path = build / f"{name}.jsonl"
        known = [row["config"] for row in finished(path)]
        for config in chosen(name, quick):
            if config in known:
                done += 1
            else:
                missing.append((name, config))
    missing.sort(key=lambda run: -cost(run[1]))  # the long ones first
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=begin)
    try:
        runs = [pool.submit(train_one, *run) for run in missing]
        total = sum(cost(config) for _, config in missing)
        with tqdm(total=total, unit="", bar_format=BAR) as bar:
            for run in as_completed(runs):
                row = run.result()
                write(row, build / f"{row['experiment']}.jsonl")
                bar.update(cost(row["config"]))
    finally:
        pool.shutdown(cancel_futures=True)
    return done


def cost(config):
    """About how long a run takes, in steps of the smallest model."""
    testing = 2000 if "token_size" in config else 300  # the microscope is cut apart
    per_step = {1: 1, 2: 5}[config.get("layers", 1)]
    return testing + per_step * config["steps"]


def compare(names, build):
    """Print where a new figure lies outside the committed range of its seeds."""
    outside = 0
    for name in names:
        if not (KEPT / f"{name}.jsonl").exists():
            continue
        new = read_trained(build / f"{name}.jsonl")
        ranges = ranges_of(read_trained(KEPT / f"{name}.jsonl"))
        for row in new:
            for figure, value in figures(row["result"]).items():
                low, high = ranges.get((cell(row["config"]), figure), (0, 1))
                if not low - 0.02 <= value <= high + 0.02:
                    outside += 1
                    where = f"{name}, {cell(row['config'])}, {figure}"
                    print(f"{where}: {value}, committed {low} to {high}")
        print(f"{name}: {len(new)} runs compared")
    return outside


def cell(config):
    """What a run shares with those that differ in their seed alone."""
    return json.dumps({name: config[name] for name in config if name != "seed"})


def figures(result, path=""):
    """All accuracies of a run: their names → their values."""
    found = {}
    for name, value in result.items():
        if isinstance(value, dict) and name != "by_place":
            found |= figures(value, f"{path}{name} ")
        elif isinstance(value, float) and path:
            found[path + name] = value
        elif path == "moved ":  # texts that begin at many places
            found[path + name] = sum(value) / len(value)

    return found


def ranges_of(rows):
    """The smallest and the largest figure of each cell."""
    ranges = {}
    for row in rows:
        for figure, value in figures(row["result"]).items():
            key = cell(row["config"]), figure
            low, high = ranges.get(key, (value, value))
            ranges[key] = min(low, value), max(high, value)
    return ranges


def arguments_of(words):
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"some of {', '.join(EXPERIMENTS)}")
    parser.add_argument("--quick", action="store_true", help="one seed of most runs")
    parser.add_argument("--keep", action="store_true", help="replace committed rows")
    parser.add_argument("--build", type=Path, default=BUILD, help="where rows go")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args(words)
    given.names = given.names or list(EXPERIMENTS)
    for name in given.names:
        if name not in EXPERIMENTS:
            parser.error(f"unknown experiment {name!r}; there are {[*EXPERIMENTS]}")
    if given.quick and given.keep:
        parser.error("--keep wants all runs; leave --quick out")
    if given.workers < 1:
        parser.error(f"--workers must be at least 1; got {given.workers}")
    return given


def trouble(error):
    """What went wrong, in one line for someone who can do something about it."""
    if isinstance(error, ValueError):
        return str(error)
    kept = "Finished runs are kept; the same command goes on from there."
    if isinstance(error, KeyboardInterrupt):
        return f"Stopped. {kept}"
    if isinstance(error, BrokenProcessPool):
        return f"A training process was killed: by you, or for want of memory. {kept}"
    if isinstance(error, OSError):
        return f"A row could not be written: {error}. {kept}"
    if isinstance(error, MemoryError) or "memory" in str(error):
        return f"Too little memory: try --workers 1. {kept}"
    return None


def main(words=None):
    given = arguments_of(words)
    try:
        done = train_all(given.names, given.quick, given.build, given.workers)
        if done:
            print(f"{done} runs were there already")
        outside = compare(given.names, given.build)
        if given.keep:
            keep(given.names, given.build)
    except (Exception, KeyboardInterrupt) as error:
        said = trouble(error)
        if said is None:
            raise
        print(said, file=sys.stderr)
        return 1
    print(
        f"{outside} figures lie outside the ranges of the committed seeds."
        if outside
        else "All figures lie within the ranges of the committed seeds."
    )
    return 0


def keep(names, build):
    """Put the new rows in the place of the committed ones."""
    KEPT.mkdir(exist_ok=True)
    for name in names:
        shutil.copy(build / f"{name}.jsonl", KEPT)
        print(f"kept: {name}.jsonl")


if __name__ == "__main__":
    sys.exit(main())
