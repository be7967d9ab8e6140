"""How a matrix of scores is taken apart."""

import numpy as np
import torch
from course import shift_matrix


def rotations_of(M):
    """The part of M made of blocks [[a, b], [−b, a]]: the nearest such matrix."""
    kept = np.zeros_like(M)
    for even in range(0, len(M), 2):
        (upper, right), (left, lower) = M[even : even + 2, even : even + 2]
        a, b = (upper + lower) / 2, (right - left) / 2
        kept[even : even + 2, even : even + 2] = [[a, b], [-b, a]]
    return kept


def rotation_share(M):
    """The share of M's sum of squares that its rotations hold."""
    return (rotations_of(M) ** 2).sum() / (M**2).sum()


def offset_share(codes, M):
    """How much of the scores of these places is explained by the offset m − n alone.

    Under a causal mask, and after each row has lost its mean, which softmax does not
    see: the share of the variance that one number for each offset accounts for.
    """
    scores = codes @ M @ codes.T
    n = len(scores)
    for query in range(n):
        scores[query, : query + 1] -= scores[query, : query + 1].mean()
    offset = np.subtract.outer(np.arange(n), np.arange(n))
    seen = offset >= 0
    means = [scores[offset == back].mean() for back in range(n)]
    explained = np.array(means)[offset[seen]]
    return 1 - ((scores[seen] - explained) ** 2).sum() / (scores[seen] ** 2).sum()


def cut_apart(model, k):
    """The trained score matrix, whole and with parts of it cut away."""
    H = model.score_matrix().detach()
    M = model.position_part().detach()
    rotations = torch.tensor(rotations_of(M.numpy()))
    by_hand = torch.tensor(4 * shift_matrix(k, len(M))).float()
    fast_only = rotations.clone()
    fast_only[8:] = 0

    def replaced(part):
        changed = H.clone()
        changed[model.symbols :, model.symbols :] = part
        return changed

    places_only = torch.zeros_like(H)
    places_only[model.symbols :, model.symbols :] = M
    return {
        "whole": H,
        "places only": places_only,
        "rotations only": replaced(rotations),
        "4 fastest rotations": replaced(fast_only),
        "without the rotations": replaced(M - rotations),
        "4 R_k by hand": replaced(by_hand),
    }
