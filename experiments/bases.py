"""Experiment 3: RoPE's base, its pairs and the trained length, at the task "3 back"."""

import numpy as np
import torch

from experiments.lengths import kernel
from experiments.models import Transformer
from experiments.training import TASKS, USUAL, by_place, mean, train

BASES = [3, 10, 30, 100, 1000, 10_000]
PAIRS = [4, 8, 16]
LENGTHS = [16, 32, 64]
SEEDS = range(10)
SYMBOLS_A_STEP = 2048  # of all texts of a step together


def run_of(seed, base, pairs, length, heads=1):
    """The configuration of one run."""
    return {
        "base": base,
        "pairs": pairs,
        "length": length,
        "heads": heads,
        "steps": USUAL["steps"],
        "lr": USUAL["lr"],
        "batch": SYMBOLS_A_STEP // length,
        "last_start": 0,
        "seed": seed,
    }


def configurations():
    """All runs, the smallest cell first."""
    for seed in SEEDS:
        for length in LENGTHS:
            for pairs in PAIRS:
                yield from (run_of(seed, base, pairs, length) for base in BASES)
        for pairs in (4, 16):  # is it the heads, or the pairs that each of them has?
            yield from (run_of(seed, base, pairs, 32, 4) for base in (30, 10_000))


def run(config):
    """Train on texts of one length, test on texts four times as long."""
    torch.manual_seed(config["seed"])
    shape = {name: config[name] for name in ("base", "pairs", "heads")}
    model = Transformer("RoPE", config["seed"], **shape)
    task, length = TASKS["3 back"], config["length"]
    train(model, task, config)
    shares = by_place(model, task, 4 * length)
    percents = [None if np.isnan(x) else round(100 * float(x)) for x in shares]
    result = {"by_place": percents}
    result["accuracy"] = {"trained": mean(shares[:length])}
    result["accuracy"]["far"] = mean(shares[2 * length :])
    if config["heads"] == 1 and config["pairs"] == 16 and length == 32:
        result["kernel"] = kernel(model, task)
    return result
