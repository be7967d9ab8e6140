"""How a matrix of scores is taken apart."""

import numpy as np
import torch

from utils import rotations_of, shift_matrix


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


FAST = 8  # columns of the four fastest pairs


def cut_apart(model, k):
    """The trained score matrix, whole and with parts of it cut away.

    What is cut is M, the part for places, except under "places only". "Fast" are the
    four fastest pairs, "slow" the twelve others.
    """
    H = model.score_matrix().detach()
    M = model.position_part().detach()
    rotations = torch.tensor(rotations_of(M.numpy())).float()

    def with_places(part):
        changed = H.clone()
        changed[model.symbols :, model.symbols :] = part
        return changed

    def kept(*blocks):
        """The rotations, and all of M in these blocks of columns."""
        changed = rotations.clone()
        for rows, columns in blocks:
            changed[rows, columns] = M[rows, columns]
        return with_places(changed)

    fast, slow = slice(FAST), slice(FAST, None)
    fastest = rotations.clone()
    fastest[FAST:] = 0
    places_only = torch.zeros_like(H)
    places_only[model.symbols :, model.symbols :] = M
    return {
        "whole": H,
        "places only": places_only,
        "rotations only": with_places(rotations),
        "4 fastest rotations": with_places(fastest),
        "rotations, fast · fast": kept((fast, fast)),
        "rotations, slow · slow": kept((slow, slow)),
        "rotations, fast · slow": kept((fast, slow), (slow, fast)),
        "without the rotations": with_places(M - rotations),
        "4 R_k by hand": with_places(torch.tensor(4 * shift_matrix(k, len(M))).float()),
    }
