"""Tasks, one training loop, and accuracy by place."""

import numpy as np
import torch
from torch.nn.functional import cross_entropy

SYMBOLS = 16


# ---- tasks: texts, targets, and which places count ----------------------------------
def look_back(texts, n, generator, k=3):
    """Which symbol stood k places back? Places before k are not scored."""
    x = torch.randint(SYMBOLS, (texts, n), generator=generator)
    return x, x.roll(k, dims=1), (torch.arange(n) >= k).expand(x.shape)


def first_symbol(texts, n, generator):
    """Which symbol began the text? Scored from place 1 on."""
    x = torch.randint(SYMBOLS, (texts, n), generator=generator)
    return x, x[:, :1].expand(x.shape), (torch.arange(n) >= 1).expand(x.shape)


TASKS = {"3 back": look_back, "first": first_symbol}


# What every run has, unless its configuration says something else.
USUAL = {"steps": 600, "lr": 0.003, "batch": 64, "length": 32}


# ---- training -----------------------------------------------------------------------
def rate(step, steps):
    """The learning rate's course: 50 steps up, then along a cosine down to a tenth."""
    return min(1, step / 50) * (0.55 + 0.45 * np.cos(np.pi * step / max(1, steps)))


def groups_of(model, lr):
    """Adam moves a number by about lr a step; T5's must come to 10: ten times lr."""
    named = dict(model.named_parameters())
    faster = [named.pop("buckets")] if "buckets" in named else []
    return [{"params": named.values(), "lr": lr}, {"params": faster, "lr": 10 * lr}]


def train(model, task, config):
    """Train on new texts at every step.

    Parameters
    ----------
    model : nn.Module
        `model(x, start)` gives the logits of a batch of texts.
    task : callable
        One of TASKS.
    config : dict
        "steps", "lr" and "seed"; each step takes "batch" texts of "length" symbols,
        which begin at random places from 0 to "last_start".
    """
    generator = torch.Generator().manual_seed(1000 + config["seed"])
    groups = groups_of(model, config["lr"])
    optimizer = torch.optim.Adam(groups, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda done: rate(done + 1, config["steps"])
    )
    batch, starts = config["batch"], config["last_start"] + 1
    for _ in range(config["steps"]):
        x, target, scored = task(batch, config["length"], generator)
        start = torch.randint(starts, (batch,), generator=generator)
        logits = model(x, start)
        loss = cross_entropy(logits[scored], target[scored])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()


# ---- testing ------------------------------------------------------------------------
@torch.no_grad()
def by_place(model, task, n, start=0):
    """The share of right answers at each place; NaN where nothing is scored."""
    generator = torch.Generator().manual_seed(10_000)
    right, count = 0, 0
    for _ in range(4):
        x, target, scored = task(64, n, generator)
        hits = (model(x, start).argmax(-1) == target) & scored
        right, count = right + hits.sum(dim=0), count + scored.sum(dim=0)
    return (right / count).numpy()


def mean(shares):
    """The mean over the scored places, to three decimals."""
    return round(float(np.nanmean(shares)), 3)


def rounded(shares):
    """To three decimals; None where nothing is scored."""
    return [None if np.isnan(share) else round(float(share), 3) for share in shares]
