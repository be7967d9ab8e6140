"""Make what chapters 9 and 10 read: `make experiments`; QUICK=1 takes a sample.

Each finished run is one line of NAME.jsonl in build/experiments, written at once;
started again, the program goes on where it was stopped. At the end the new figures are
compared with the committed ones in notebooks/trained; KEEP=1 puts them there.
"""

import argparse
import hashlib
import json
import multiprocessing
import shutil
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import torch

from experiments import head, lengths, moved, published
from trained_models import VERSION, read_trained

HERE = Path(__file__).parent
NOTEBOOKS = HERE.parent / "notebooks"
READ = [NOTEBOOKS / name for name in ("utils.py", "trained_models.py")]
CODE = b"".join(map(Path.read_bytes, (*sorted(HERE.glob("*.py")), *READ)))
# Runs of other code, or of another PyTorch, lie in another folder.
FINGERPRINT = hashlib.sha256(torch.__version__.encode() + CODE).hexdigest()[:12]
BUILD = NOTEBOOKS.parent / "build" / "experiments" / FINGERPRINT
KEPT = NOTEBOOKS / "trained"
EXPERIMENTS = {"head": head, "moved": moved, "lengths": lengths}


# ---- training -----------------------------------------------------------------------
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


def train(name, config):
    """One run, as a row."""
    torch.set_num_threads(1)  # each process has a core
    start = time.perf_counter()
    result = EXPERIMENTS[name].run(config)
    return {
        "version": VERSION,
        "experiment": name,
        "torch": torch.__version__,
        "seconds": round(time.perf_counter() - start, 1),
        "config": config,
        "result": result,
    }


def missing(quick):
    """The runs, (name, configuration), that no earlier call has finished."""
    runs = []
    for name in EXPERIMENTS:
        path = BUILD / f"{name}.jsonl"
        rows = read_trained(path) if path.exists() else []
        finished = [row["config"] for row in rows]
        runs += [
            (name, config) for config in chosen(name, quick) if config not in finished
        ]
    return runs


def train_all(runs):
    """Train in parallel, the long ones first, and write down each as it ends."""
    runs = sorted(runs, key=lambda run: -run[1]["steps"] * run[1].get("layers", 1))
    BUILD.mkdir(parents=True, exist_ok=True)
    pool = ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn"))
    try:
        jobs = [pool.submit(train, *run) for run in runs]
        for number, job in enumerate(as_completed(jobs), 1):
            row = job.result()
            path = BUILD / f"{row['experiment']}.jsonl"
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, separators=(",", ":")) + "\n")
            print(f"{number} of {len(jobs)}: {path.stem}, {row['seconds']} s")
    finally:
        pool.shutdown(cancel_futures=True)


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


def compare(name):
    """Print which new figures lie outside the committed range of their seeds.

    Returns
    -------
    int
        How many.
    """
    rows = read_trained(BUILD / f"{name}.jsonl")
    committed = KEPT / f"{name}.jsonl"
    if not committed.exists():
        print(f"{name}: {len(rows)} runs, nothing committed to compare with")
        return 0
    ranges = ranges_of(read_trained(committed))
    outside = 0
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
    train_all(missing(options.quick))
    outside = sum(compare(name) for name in EXPERIMENTS)
    if options.keep:
        for name in EXPERIMENTS:
            shutil.copy(BUILD / f"{name}.jsonl", KEPT)
    if not options.quick and published.remake(options.keep):
        sys.exit("The published model's figures are not the committed ones.")
    if outside and not options.keep:
        sys.exit(f"{outside} figures lie outside the ranges of the committed seeds.")


if __name__ == "__main__":
    main()
