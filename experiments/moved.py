"""Experiment 1: does the theorem help? The same text at other places."""

import torch

from experiments.models import Microscope, Transformer
from experiments.training import USUAL, by_place, look_back, mean, solved_at, train_as

MODELS = {"one head": Microscope, "Transformer": Transformer}
CODES = ["sines and cosines", "reversed", "half a step on", "sines only"]
CODES += ["one frequency", "random table", "centred"]
STARTS = range(0, 1057, 32)  # a text of 32 symbols begins here


def run_of(seed, model, code, last_start=0, **changed):
    """The configuration of one run."""
    return {
        "model": model,
        "code": code,
        "k": 3,
        "last_start": last_start,
        **USUAL,
        "seed": seed,
        **changed,
    }


def configurations():
    """All runs, the smallest cell first."""
    for model in MODELS:
        for code in CODES:
            for seed in range(5):
                yield run_of(seed, model, code)
                yield run_of(seed, model, code, last_start=448)
        # Is it only a matter of patience, or of the learning rate?
        for seed in range(3):
            for code in ("sines and cosines", "half a step on", "random table"):
                yield run_of(seed, model, code, lr=0.001)
                yield run_of(seed, model, code, lr=0.01)
                yield run_of(seed, model, code, steps=3000)
                yield run_of(seed, model, code, last_start=448, steps=3000)


def run(config):
    """Train at the places 0 to 31, or from random starts; then move the text."""
    torch.manual_seed(config["seed"])
    model = MODELS[config["model"]](config["code"], config["seed"])
    course = train_as(model, look_back, config, k=config["k"])
    shares = (by_place(model, look_back, 32, start=n, k=config["k"]) for n in STARTS)
    return {
        "solved": solved_at(course),
        "course": course,
        "moved": {"whole": list(map(mean, shares))},
    }
