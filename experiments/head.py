"""Experiment 1: the head under the microscope. What does its matrix become?"""

import numpy as np
import torch

from experiments.measures import cut_apart, offset_share, rotation_share
from experiments.models import Microscope
from experiments.training import (
    USUAL,
    by_place,
    look_back,
    mean,
    rounded,
    solved_at,
    train_as,
)

STARTS = range(0, 1057, 32)  # a text of 32 symbols begins here


def run_of(seed, code="sines and cosines", **changed):
    """The configuration of one run."""
    return {
        "code": code,
        "k": 3,
        "last_start": 0,
        "token_size": 1.0,
        **USUAL,
        "seed": seed,
        **changed,
    }


def configurations():
    """All runs, the smallest cell first."""
    for seed in range(10):
        yield run_of(seed)
    for seed in range(10):
        yield run_of(seed, steps=0)
    for seed in range(5):
        yield run_of(seed, last_start=448)
        yield run_of(seed, k=8)
        yield run_of(seed, k=1)
        for token_size in (1.0, 4.0):
            yield run_of(seed, k=1, token_size=token_size, lr=0.01)
            yield run_of(seed, k=3, token_size=token_size, lr=0.01)
    for code in ("half a step on", "sines only", "random table"):
        for seed in range(5):
            yield run_of(seed, code)
            yield run_of(seed, code, last_start=448)


def run(config):
    """Train one head and take it apart."""
    torch.manual_seed(config["seed"])
    model = Microscope(config["code"], config["seed"], config["token_size"])
    course = train_as(model, look_back, config, k=config["k"])
    M = model.position_part().detach().numpy().astype(float)
    table = model.table.numpy().astype(float)
    tested = {"task": look_back, "k": config["k"]}
    result = {
        "solved": solved_at(course),
        "course": course,
        "matrix": M.round(2).tolist(),
        "attention": attention_by_offset(model, config["k"]),
        "rotation_share": round(rotation_share(M), 4),
        "offset_share": {
            "trained places": round(offset_share(table[:32], M), 3),
            "new places": round(offset_share(table[32:64], M), 3),
        },
        "accuracy": {},
        "by_place": {},
        "moved": {},
    }
    for part, H in cut_apart(model, config["k"]).items():
        how = {**tested, "score_matrix": H}
        result["accuracy"][part] = {
            str(n): mean(by_place(model, n=n, **how)) for n in (32, 64, 128)
        }
        if config["code"] == "sines and cosines" and config["k"] == 3:
            result["by_place"][part] = rounded(by_place(model, n=128, **how))
        if part in ("whole", "rotations only"):
            result["moved"][part] = at_starts(model, **how)
    near = by_place(model, n=128, window=32, **tested)
    result["by_place"]["whole, 32 keys at most"] = rounded(near)
    return result


def at_starts(model, task, **how):
    """The right answers in texts of 32 symbols, one number for each of STARTS."""
    return [mean(by_place(model, task, 32, start=start, **how)) for start in STARTS]


@torch.no_grad()
def attention_by_offset(model, k, offsets=12):
    """The mean attention weight 0, 1, 2, … places back, for queries from 12 on."""
    generator = torch.Generator().manual_seed(20_000)
    x, _, _ = look_back(256, 32, generator, k=k)
    weights = model(x, weights_too=True)[1].mean(dim=0).numpy()
    shares = [
        np.diagonal(weights, -back)[12 - back :].mean() for back in range(offsets)
    ]
    return [round(float(share), 3) for share in shares]
