"""What heads of a published model do with real texts: paragraphs of this course."""

from math import sqrt
from pathlib import Path

import numpy as np

from experiments.minilm import layer, norm, scores_of, softmax

TEXTS = Path(__file__).with_name("texts.txt").read_text("utf-8").splitlines()
LONG = {n: [" ".join(TEXTS[i : i + n]) for i in range(0, 100, n)] for n in (1, 5, 10)}
SENTENCE = "The boat left the harbour at six, and nobody waved from the shore."
STARTS = [0, 130, 512, 1000, 4000, 100_000]  # the place of the first token


def look(scores, back):
    """Each head's attention to the token so far back, away from a text's ends."""
    m = np.arange(5, scores.shape[1] - 5)
    return softmax(scores)[:, m, m - back].mean(1)


def at_each_place(all_scores):
    """Head 2 at each place of texts: mean attention one back, and each text's choice.

    −1 where no text has the place; five places at either end are left out.
    """
    longest = max(map(len, all_scores))
    one_back = np.zeros(longest)
    best = np.full((len(all_scores), longest), -1)
    for scores, row in zip(all_scores, best):
        m = np.arange(5, len(scores) - 5)
        one_back[m] += softmax(scores)[m, m - 1]
        row[m] = scores[m].argmax(1)
    count = (best >= 0).sum(0)
    return np.where(count, one_back / np.maximum(count, 1), -1), best


def rotations(M, angles=None):
    """The nearest blocks of size times rotation; or these sizes with other angles."""
    z = np.diag(M)[::2] + np.diag(M)[1::2] + 1j * (np.diag(M, 1) - np.diag(M, -1))[::2]
    z = z / 2 if angles is None else abs(z / 2) * np.exp(1j * angles)
    J = np.array([[0, 1], [-1, 0]])
    return np.kron(np.diag(z.real), np.eye(2)) + np.kron(np.diag(z.imag), J)


def in_hands(w, clocks):
    """Head 2 of layer 0 as M, before LayerNorm has divided: pairs of rows are hands."""
    B = np.stack([clocks.planes.real, -clocks.planes.imag], 2).reshape(10, 10).T
    V = clocks.V - clocks.V.mean(1, keepdims=True)
    V = B @ (V * w["embeddings.LayerNorm.weight"])
    name = "encoder.layer.0.attention.self"
    q, k = (V @ w[f"{name}.{part}.weight"][64:96].T for part in ("query", "key"))
    return B, q @ k.T / sqrt(32)


def vector(x, w, scores):
    """The sentence's vector, of length one, if layer 0 has these scores."""
    x = layer(x, w, 0, scores)
    for number in range(1, 6):
        x = layer(x, w, number, scores_of(x, w, number))
    return x.mean(0) / np.linalg.norm(x.mean(0))


def measured(w, tokenizer, clocks, E):
    """All that is kept of the texts, by its name."""

    def read(tokens, rows):
        return norm(E[tokens] + rows, w, "embeddings")

    def tokens_of(text):
        return tokenizer.encode(text).ids

    def one_back(rows):
        xs = (read(tokens, rows(len(tokens))) for tokens in texts)
        return [look(scores_of(x, w, 0), 1)[2] for x in xs]

    texts = list(map(tokens_of, TEXTS))
    random = np.random.default_rng(0)
    B, M = in_hands(w, clocks)
    R = rotations(M)
    cuts = [M, R, rotations(M, -clocks.speeds), M - R]
    cut, cosines = np.zeros((2, len(cuts), len(texts)))
    for i, tokens in enumerate(texts):
        rows = clocks.rows(130, len(tokens))
        x, vectors = read(tokens, rows), np.zeros((len(cuts), 384))
        size = (E[tokens] + rows).std(1, keepdims=True)
        c = (rows - clocks.centre) @ clocks.V.T @ B.T / size
        for j, kept in enumerate(cuts):
            scores = scores_of(x, w, 0)
            scores[2] += c @ (kept - M) @ c.T
            cut[j, i] = look(scores, 1)[2]
            vectors[j] = vector(x, w, scores)
        cosines[:, i] = vectors @ vectors[0]

    def scores_at_home(tokens):
        """Of head 2, from place 0 on."""
        return scores_of(read(tokens, clocks.rows(0, len(tokens))), w, 0)[2]

    long = {n: list(map(tokens_of, LONG[n])) for n in LONG}
    by_place = {n: at_each_place(list(map(scores_at_home, long[n]))) for n in LONG}
    shuffled = random.permutation(clocks.rows(130, 380))
    kept = {
        "lengths": list(map(len, texts)),
        "lengths_5": list(map(len, long[5])),
        "starts": STARTS,
        "one_back": [one_back(lambda n, at=at: clocks.rows(at, n)) for at in STARTS],
        "last_row": one_back(lambda n: clocks.rows(509, 1)),
        "shuffled": one_back(lambda n: shuffled[:n]),
        "cut": cut,
        "cosines": cosines,
        "sentence_scores": scores_at_home(tokens_of(SENTENCE)),
    }
    kept = {name: np.array(values, np.float32) for name, values in kept.items()}
    return {
        **kept,
        **{f"at_place_{n}": by_place[n][0].astype(np.float32) for n in LONG},
        "best_10": by_place[10][1].astype(np.int16),
        "sentence": np.array(tokenizer.encode(SENTENCE).tokens),
    }
