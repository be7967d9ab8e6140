"""Experiment 2: beyond the trained length, by place, for two tasks."""

import numpy as np
import torch

from experiments.models import SCHEMES, Transformer, stretched
from experiments.training import TASKS, USUAL, by_place, mean, rounded, train

TWO_LAYERS = {"heads": 4, "layers": 2, "mlp": True}
GRID = [(task, scheme) for task in ("3 back", "first") for scheme in SCHEMES]
STRETCHED = [{"stretch": "interpolation"}, {"stretch": "base change"}]
STRETCHED += [
    {"stretch": how, "fine_tuning": 100}
    for how in ("no", "interpolation", "base change")
]
STRETCHED += [{"stretch": "interpolation", "fine_tuning": 600}]
STRETCHED += [{"stretch": "interpolation", "stretched_from": "training"}]
LONG = 128  # four times the trained length
FINE_TUNING = {"length": LONG, "batch": 16}  # as many symbols a step as before


def run_of(seed, task, scheme, **changed):
    """The configuration of one run. ALiBi with one head would hardly have a slope."""
    return {
        "task": task,
        "scheme": scheme,
        "heads": 4 if scheme == "ALiBi" else 1,
        "d_model": 32,
        "layers": 1,
        "mlp": False,
        "last_start": 0,
        "stretch": "no",
        "stretched_from": "test",
        "fine_tuning": 0,
        "bias_start": 0.0,
        **USUAL,
        "seed": seed,
        **changed,
    }


def configurations():
    """All runs, the smallest cell first."""
    for seed in range(5):
        yield from (run_of(seed, task, scheme) for task, scheme in GRID)
        yield from (run_of(seed, "3 back", "RoPE", **changed) for changed in STRETCHED)
        # places up to 127 in training
        yield run_of(seed, "3 back", "sines and cosines", last_start=96)
        yield run_of(seed, "3 back", "learned table", last_start=96)
        # the buckets of far distances are never trained: does it matter where they are?
        yield run_of(seed, "3 back", "T5", bias_start=2.0)
    # Does it depend on the one layer?
    for seed in range(3):
        for task in ("3 back", "first"):
            yield from (run_of(seed, task, scheme, **TWO_LAYERS) for scheme in SCHEMES)


def run(config):
    """Train on short texts, test on texts up to four times as long."""
    torch.manual_seed(config["seed"])
    names = ("d_model", "heads", "layers", "mlp", "bias_start")
    shape = {name: config[name] for name in names}
    task, length = TASKS[config["task"]], config["length"]
    model = Transformer(config["scheme"], config["seed"], **shape)
    if config["stretched_from"] == "training":
        stretch(model, config["stretch"])
    train(model, task, config)
    stretch(model, config["stretch"])
    if config["fine_tuning"]:
        steps = config["fine_tuning"]
        train(model, task, {**config, **FINE_TUNING, "steps": steps})
    shares = {n: by_place(model, task, n) for n in (length, 2 * length, 4 * length)}
    result = {"by_place": {str(LONG): rounded(shares[LONG])}}
    result["accuracy"] = {str(n): mean(shares[n]) for n in shares}
    if config["scheme"] == "RoPE" and config["layers"] * config["heads"] == 1:
        result["kernel"] = kernel(model, task)
    return result


def stretch(model, how):
    """Give RoPE other frequencies, in all layers."""
    for layer in model.layers:
        if layer.omega is not None:
            layer.omega = stretched(how, 2 * len(layer.omega))


@torch.no_grad()
def kernel(model, task):
    """The mean score 0, 1, 2, … places back of a model with one head."""
    generator = torch.Generator().manual_seed(40_000)
    x, _, _ = task(64, LONG, generator)
    places = torch.arange(LONG).expand(x.shape)
    layer = model.layers[0]
    z = model.embed(x) * model.embed.embedding_dim**0.5
    q, k, _ = layer.queries_keys_values(z, places)
    scores = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5
    scores = scores.mean(dim=0)[0].numpy()  # of all texts, of the one head
    return [round(float(np.diagonal(scores, -back).mean()), 2) for back in range(LONG)]
