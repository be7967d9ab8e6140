"""Make what chapters 9 and 10 read: `make experiments`; QUICK=1 takes a sample.

It trains all models, writes a line for each into NAME.txt in build/experiments, and
compares the new figures with the committed ones in notebooks/course/trained; KEEP=1
puts the new rows there.
"""

import argparse
import json
import multiprocessing
import shutil
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import torch

from course.trained_models import read_trained
from experiments import bases, lengths, moved, published
from experiments.minilm import BUILD

KEPT = published.KEPT.parent
EXPERIMENTS = {"moved": moved, "lengths": lengths, "bases": bases}


# ---- training -----------------------------------------------------------------------
def in_sample(config):
    """Whether a quick look trains this: one seed, and few of two layers."""
    if config.get("layers") == 2 and config["scheme"] not in ("no code", "RoPE"):
        return False
    return config["seed"] == 0


def row_of(name, config):
    """One run, as a row."""
    torch.set_num_threads(1)  # each process has a core
    start = time.perf_counter()
    result = EXPERIMENTS[name].run(config)
    return {
        "experiment": name,
        "torch": torch.__version__,
        "seconds": round(time.perf_counter() - start, 1),
        "config": config,
        "result": result,
    }


def train_all(quick):
    """Train in parallel, the long ones first, and write the rows."""
    runs = [
        (name, config)
        for name, experiment in EXPERIMENTS.items()
        for config in experiment.configurations()
        if not quick or in_sample(config)
    ]
    runs.sort(key=lambda run: -run[1]["steps"] * run[1].get("layers", 1))
    lines = {name: "" for name in EXPERIMENTS}
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        for number, row in enumerate(pool.map(row_of, *zip(*runs)), 1):
            name = row["experiment"]
            lines[name] += json.dumps(row, separators=(",", ":")) + "\n"
            print(f"{number} of {len(runs)}: {name}, {row['seconds']} s", flush=True)
    BUILD.mkdir(parents=True, exist_ok=True)
    for name in EXPERIMENTS:
        (BUILD / f"{name}.txt").write_text(lines[name], "utf-8")


# ---- comparing ----------------------------------------------------------------------
def without_seed(config):
    """What a run shares with those that differ in their seed alone."""
    return json.dumps({name: config[name] for name in config if name != "seed"})


def accuracies(result, path=""):
    """All accuracies of a run: their names → their values."""
    values = {}
    for name, value in result.items():
        if isinstance(value, dict) and name != "by_place":
            values |= accuracies(value, f"{path}{name} ")
        elif isinstance(value, float) and path:
            values[path + name] = value
        elif path == "moved ":  # texts that begin at many places
            values[path + name] = sum(value) / len(value)
    return values


def ranges_of(rows):
    """The smallest and the largest value of each accuracy over the seeds."""
    ranges = {}
    for row in rows:
        for figure, value in accuracies(row["result"]).items():
            key = without_seed(row["config"]), figure
            low, high = ranges.get(key, (value, value))
            ranges[key] = min(low, value), max(high, value)
    return ranges


def compare(name, rows):
    """Print which figures lie outside the committed range of their seeds: how many?"""
    committed = read_trained(name) if (KEPT / f"{name}.txt").exists() else []
    ranges, outside = ranges_of(committed), 0
    for row in rows:
        for figure, value in accuracies(row["result"]).items():
            where = without_seed(row["config"]), figure
            low, high = ranges.get(where, (None, None))
            if low is None or not low - 0.02 <= value <= high + 0.02:
                outside += 1
                known = "not committed" if low is None else f"committed {low} to {high}"
                print(f"{name}, {', '.join(where)}: {value}, {known}")
    print(f"{name}: {len(rows)} runs compared, {outside} figures outside")
    return outside


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one seed of most runs")
    parser.add_argument("--keep", action="store_true", help="replace committed rows")
    options = parser.parse_args(words)
    if options.quick and options.keep:
        parser.error("a sample is no whole run: nothing to keep")
    train_all(options.quick)
    new = {name: BUILD / f"{name}.txt" for name in EXPERIMENTS}
    outside = sum(compare(name, read_trained(new[name])) for name in EXPERIMENTS)
    if options.keep:
        for path in new.values():
            shutil.copy(path, KEPT)
    if not options.quick and published.remake(options.keep):
        sys.exit("The published model's figures are not the committed ones.")
    if outside and not options.keep:
        sys.exit(f"{outside} figures lie outside the ranges of the committed seeds.")


if __name__ == "__main__":
    main()
