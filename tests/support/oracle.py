"""What a test computes once more: codes, softmax and a head, without the lesson."""

import math

import numpy as np


def tip(angle, length=1):
    """Where a hand points: right and up, clockwise from 12 o'clock."""
    return np.array([length * math.sin(angle), length * math.cos(angle)])


def block(turn):
    """The matrix that turns such a hand on."""
    c, s = math.cos(turn), math.sin(turn)
    return np.array([[c, s], [-s, c]])


def rates(d_model=64, base=10_000):
    """How far each hand turns at a step, in radians."""
    return np.array([base ** (-2 * i / d_model) for i in range(d_model // 2)])


def code(pos, d_model=64, base=10_000):
    """The sinusoidal code of a position, hand by hand."""
    return np.concatenate([tip(pos * rate) for rate in rates(d_model, base)])


def shares_of(scores):
    """What a softmax makes of a row of scores."""
    powers = np.exp(scores - np.max(scores))
    return powers / powers.sum()


def causal_head(x, codes, H, W_V):
    """What a causal head makes of texts x of 16 symbols, at places with these codes.

    Returns its looks at the keys up to each query, and where it finds what stood three
    places back.
    """
    symbols, looks, answers = np.eye(16)[x], [], []
    rows = np.concatenate([symbols, np.tile(codes, (len(x), 1, 1))], axis=2)
    for m in range(x.shape[1]):
        scores = ((rows[:, m] @ H)[:, None] * rows[:, : m + 1]).sum(axis=2)
        looks.append(np.array([shares_of(row) for row in scores]))
        seen = (looks[m][..., None] * symbols[:, : m + 1]).sum(axis=1)
        answers.append((seen @ W_V).argmax(axis=1))
    return looks, np.transpose(answers)[:, 3:] == x[:, :-3]
