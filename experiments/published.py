"""What chapter 9 reads of a published model: a part of `make experiments`.

notebooks/course/trained/published.npz has its position table and, in ten directions of
the table, the heads of two layers; and what they did with real texts (words.py).
Where the package with the weights cannot be had, the committed file serves.
"""

import shutil
from math import sqrt
from pathlib import Path

import numpy as np

from experiments import words
from experiments.minilm import BUILD, fetched, layer, norm, opened, scores_of

KEPT = Path(__file__).parents[1] / "notebooks" / "course" / "trained" / "published.npz"
LOW, HIGH = 130, 510  # places 0 to 127 were trained once more; 510, 511: marks of ends


class Clocks:
    """The table's ten directions, and five hands in them.

    `V` are the directions; `hands` a complex number for each place and hand;
    `planes` leads back: (hands @ planes.T).real are the ten coordinates.
    """

    def __init__(self, P):
        self.P, self.centre = P, P[LOW:HIGH].mean(0)
        table = P[LOW:HIGH] - self.centre
        V = np.linalg.svd(table, full_matrices=False)[2][:10]
        largest = np.take_along_axis(V, abs(V).argmax(1)[:, None], 1)
        self.V = V * np.sign(largest)  # the same on every machine
        self.C = table @ self.V.T
        left, _, right = np.linalg.svd(self.C[:-1].T @ self.C[1:])
        turn, planes = np.linalg.eig((left @ right).T)  # takes each place to the next
        self.planes = sqrt(2) * planes[:, np.argsort(-np.angle(turn))[:5]]
        self.hands = self.C @ self.planes.conj()
        self.angles = np.unwrap(np.angle(self.hands), axis=0)
        self.speeds = np.polyfit(np.arange(len(self.C)), self.angles, 1)[0]

    def rows(self, start, n):
        """Rows of the table; beyond it each hand goes on at its mean speed."""
        if start < HIGH:
            return self.P[start : start + n]
        steps = np.arange(start, start + n) - HIGH + 1
        z = np.exp(1j * (np.outer(steps, self.speeds) + self.angles[-1]))
        return self.centre + (z * abs(self.hands).mean(0) @ self.planes.T).real @ self.V


def heads_of(w, clocks, E):
    """Scores of two places are c @ M @ c.T: M of each head, for the mean token."""
    random, table = np.random.default_rng(0), clocks.rows(LOW, HIGH - LOW)
    alike = random.integers(1000, 28_000, 300)
    mixed = random.integers(1000, 28_000, (40, len(table)))
    first = np.mean([norm(E[t] + table, w, "embeddings") for t in alike], 0)
    read = (norm(E[t] + table, w, "embeddings") for t in mixed)
    second = np.mean([layer(x, w, 0, scores_of(x, w, 0)) for x in read], 0)
    places = np.column_stack([clocks.C, np.ones(len(table))])
    matrices = []
    for number, stream in enumerate((first, second)):
        L = np.linalg.lstsq(places, stream, rcond=None)[0][:10]
        name = f"encoder.layer.{number}.attention.self"
        q, k = (L @ w[f"{name}.{part}.weight"].T for part in ("query", "key"))
        q, k = q.reshape(10, 12, 32), k.reshape(10, 12, 32)
        matrices.append(np.einsum("ahi,bhi->hab", q, k) / sqrt(32))
    return np.array(matrices)


def made(w, tokenizer):
    """All that is kept, by its name."""
    P = w["embeddings.position_embeddings.weight"].astype(float)
    E = w["embeddings.word_embeddings.weight"].astype(float)
    E = E + w["embeddings.token_type_embeddings.weight"][0]
    clocks, step = Clocks(P), abs(P).max(1, keepdims=True) / 84
    return {
        "table": np.round(P / step).astype(np.int8),
        "step": step.astype(np.float32),
        "directions": clocks.V.astype(np.float16),
        "heads": heads_of(w, clocks, E).astype(np.float32),
        **words.measured(w, tokenizer, clocks, E),
    }


def differences(new, old):
    """The names of what is not as it was; figures may differ by rounding."""
    return sorted(new.keys() ^ old.keys()) + [
        name
        for name in sorted(new.keys() & old.keys())
        if new[name].shape != old[name].shape
        or not (
            np.array_equal(new[name], old[name])
            if new[name].dtype.kind in "Ui"
            else np.allclose(new[name], old[name], rtol=0.01, atol=0.005)
        )
    ]


def remake(keep):
    """Make the file anew and compare, or keep it; returns how much differs."""
    package = fetched()
    if package is None:
        print("published: the package cannot be had; the committed file serves")
        return 0
    path = BUILD / KEPT.name
    np.savez_compressed(path, **made(*opened(package)))
    if keep:
        shutil.copy(path, KEPT)
    differing = differences(np.load(path), np.load(KEPT))
    print(f"published: made anew, {', '.join(differing) or 'nothing'} differs")
    return len(differing)
