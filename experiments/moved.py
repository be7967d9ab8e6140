"""Experiment 1: does the theorem help? The same text at other places."""

from functools import partial

import torch

from experiments.models import Microscope, Transformer
from experiments.training import USUAL, by_place, look_back, mean, train

MODELS = {"one head": Microscope, "Transformer": Transformer}
CODES = ["sines and cosines", "half a step on", "sines only", "random table"]
STARTS = range(0, 1057, 32)  # a text of 32 symbols begins here


def run_of(seed, model, code):
    """The configuration of one run."""
    return {
        "model": model,
        "code": code,
        "k": 3,
        "last_start": 0,
        **USUAL,
        "seed": seed,
    }


def configurations():
    """All runs, the smallest cell first."""
    for seed in range(5):
        yield from (run_of(seed, "one head", code) for code in CODES)
        yield run_of(seed, "Transformer", "sines and cosines")


def run(config):
    """Train at the places 0 to 31; then move the text."""
    torch.manual_seed(config["seed"])
    model = MODELS[config["model"]](config["code"], config["seed"])
    task = partial(look_back, k=config["k"])
    train(model, task, config)
    shares = (by_place(model, task, 32, start=start) for start in STARTS)
    return {"moved": {"whole": list(map(mean, shares))}}
