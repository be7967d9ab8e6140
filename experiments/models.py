"""The models of chapters 9 and 10: one head alone, and a small Transformer."""

import numpy as np
import torch
from torch import nn

from experiments.training import SYMBOLS
from utils import frequencies, positional_encoding

PLACES = 1100  # rows of a table: beyond every place that is trained or tested


# ---- codes: tables of one row for each place ----------------------------------------
def half_a_step_on(d):
    """Sines, and cosines of frequencies half a step on: none has its partner."""
    pos, omega = np.arange(PLACES)[:, None], frequencies(d)
    omega_cos = omega * (omega[1] / omega[0]) ** 0.5
    pairs = np.stack([np.sin(pos * omega), np.cos(pos * omega_cos)], axis=2)
    return pairs.reshape(PLACES, d)


def code_table(name, d, seed):
    """A positional encoding with `d` columns for the places 0 to PLACES − 1.

    All have entries of the same mean square, about 1/2.
    """
    rng = np.random.default_rng([seed, 1])
    tables = {
        "sines and cosines": lambda: positional_encoding(PLACES, d),
        "half a step on": lambda: half_a_step_on(d),
        "sines only": lambda: np.sin(np.outer(np.arange(PLACES), frequencies(2 * d))),
        "random table": lambda: rng.normal(scale=0.5**0.5, size=(PLACES, d)),
    }
    if name not in tables:
        raise ValueError(f"code must be one of {list(tables)}; got {name!r}")
    return torch.tensor(tables[name](), dtype=torch.float32)


# ---- one head -----------------------------------------------------------------------
class Microscope(nn.Module):
    """One head, and nothing else: no LayerNorm, no MLP, no residual connection.

    For each symbol there is a column that holds 1 where the symbol stands; the place
    stands in columns of its own. So the part of a score that knows only places is
    exactly p_mᵀ M p_n. The values see the symbols alone.
    """

    def __init__(self, code, seed, d_code=32):
        super().__init__()
        self.register_buffer("table", code_table(code, d_code, seed))
        width = SYMBOLS + d_code
        self.W_Q = nn.Parameter(0.5 * torch.randn(width, width) / width**0.5)
        self.W_K = nn.Parameter(0.5 * torch.randn(width, width) / width**0.5)
        self.W_V = nn.Parameter(0.5 * torch.randn(SYMBOLS, SYMBOLS) / SYMBOLS**0.5)

    def forward(self, x, start=0):
        H = self.W_Q @ self.W_K.T / len(self.W_Q) ** 0.5
        token = nn.functional.one_hot(x, SYMBOLS).float()
        z = torch.cat([token, self.table[places_of(x, start)]], dim=2)
        scores = z @ H @ z.transpose(1, 2)
        seen = causal(x.shape[1])
        weights = scores.masked_fill(~seen, -torch.inf).softmax(dim=-1)
        return weights @ token @ self.W_V


def places_of(x, start):
    """The places of a batch of texts: a start for all, or one for each text."""
    start = torch.as_tensor(start).reshape(-1, 1)
    return (start + torch.arange(x.shape[1])).expand(x.shape)


def causal(n):
    """True where a query, a row, may look: at itself and at keys before it."""
    return torch.ones(n, n, dtype=torch.bool).tril()


# ---- the small Transformer ----------------------------------------------------------
ADDED = ["sines and cosines", "learned table"]
SCHEMES = ["no code", *ADDED, "T5", "ALiBi", "RoPE"]


class Transformer(nn.Module):
    """Pre-LN layers on tokens times sqrt(d_model), with one scheme for the places.

    A learned table starts as large as the sinusoidal code. In T5's bias 32 buckets
    serve the distances of a causal head, the last from 113 on; they begin at 0, or at
    random numbers of size `bias_start`. RoPE has `pairs` pairs in each head, which
    queries and keys are made for; without this number they are as wide as the values.
    """

    def __init__(
        self,
        scheme,
        seed,
        d_model=32,
        heads=1,
        layers=1,
        mlp=False,
        bias_start=0.0,
        base=10_000,
        pairs=None,
    ):
        super().__init__()
        if scheme not in SCHEMES:
            raise ValueError(f"scheme must be one of {SCHEMES}; got {scheme!r}")
        self.scheme = scheme
        self.embed = nn.Embedding(SYMBOLS, d_model)
        nn.init.normal_(self.embed.weight, std=d_model**-0.5)
        d_head = 2 * pairs if pairs else d_model // heads
        omega = None
        if scheme == "RoPE":
            omega = torch.tensor(frequencies(d_head, base)).float()
        self.layers = nn.ModuleList(
            Layer(d_model, heads, d_head, omega, mlp) for _ in range(layers)
        )
        self.norm = nn.LayerNorm(d_model)
        self.readout = nn.Linear(d_model, SYMBOLS)
        if scheme == "learned table":
            self.table = nn.Parameter(torch.randn(PLACES, d_model) * 0.5**0.5)
        elif scheme in ADDED:
            self.register_buffer("table", code_table(scheme, d_model, seed))
        if scheme == "T5":  # one list for all layers
            self.buckets = nn.Parameter(bias_start * torch.randn(heads, 32))

    def forward(self, x, start=0):
        places = places_of(x, start)
        z = self.embed(x) * self.embed.embedding_dim**0.5
        if self.scheme in ADDED:
            z = z + self.table[places]
        bias = self.score_bias(x.shape[1])
        for layer in self.layers:
            z = layer(z, places, bias)
        return self.readout(self.norm(z))

    def score_bias(self, n):
        """What T5 or ALiBi adds to the scores: shape (heads, n, n)."""
        offset = torch.arange(n)[:, None] - torch.arange(n)
        if self.scheme == "T5":
            return self.buckets[:, t5_bucket(offset.clamp(min=0))]
        if self.scheme == "ALiBi":
            heads = self.layers[0].heads
            slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
            return -slopes[:, None, None] * offset
        return torch.zeros(1)


def t5_bucket(distance):
    """T5's bucket of a distance in a causal head: 0 to 15, then ever wider ones."""
    far = 16 + 16 * torch.log(distance.clamp(min=1) / 16) / np.log(128 / 16)
    return torch.where(distance < 16, distance, (far + 1e-4).long().clamp(max=31))


class Layer(nn.Module):
    """Attention and, if wanted, an MLP, each with LayerNorm and residual connection.

    With `omega`, queries and keys turn: RoPE.
    """

    def __init__(self, d_model, heads, d_head, omega, mlp):
        super().__init__()
        self.widths = [heads * d_head, heads * d_head, d_model]
        self.heads, self.omega = heads, omega
        self.norm = nn.LayerNorm(d_model)
        self.W_QKV = nn.Linear(d_model, sum(self.widths), bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        self.mlp = None
        if mlp:
            self.mlp = nn.Sequential(
                nn.LayerNorm(d_model),
                nn.Linear(d_model, 4 * d_model),
                nn.GELU(),
                nn.Linear(4 * d_model, d_model),
            )

    def queries_keys_values(self, z, places):
        """Each of shape (batch, heads, n, width of a head)."""
        q, k, v = (
            part.unflatten(2, (self.heads, -1)).transpose(1, 2)
            for part in self.W_QKV(self.norm(z)).split(self.widths, dim=2)
        )
        if self.omega is not None:
            angle = places[:, None, :, None] * self.omega
            q, k = turn(q, angle), turn(k, angle)
        return q, k, v

    def forward(self, z, places, bias):
        q, k, v = self.queries_keys_values(z, places)
        scores = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5 + bias
        weights = scores.masked_fill(~causal(z.shape[1]), -torch.inf).softmax(dim=-1)
        z = z + self.W_O((weights @ v).transpose(1, 2).flatten(2))
        return z if self.mlp is None else z + self.mlp(z)


def stretched(how, d, factor=4):
    """RoPE's frequencies for texts `factor` times as long as those of the training.

    "interpolation" divides every place (Chen and others, 2023, section 2.3), "base
    change" leaves the fastest pair alone and slows the slowest by `factor` (Peng and
    others, 2023, section 3.1).
    """
    omegas = {
        "no": lambda: frequencies(d),
        "interpolation": lambda: frequencies(d) / factor,
        "base change": lambda: frequencies(d, 10_000 * factor ** (d / (d - 2))),
    }
    if how not in omegas:
        raise ValueError(f"stretch must be one of {list(omegas)}; got {how!r}")
    return torch.tensor(omegas[how]()).float()


def turn(rows, angle):
    """RoPE: each pair (right, up) turned clockwise by its angle."""
    right, up = rows[..., 0::2], rows[..., 1::2]
    c, s = angle.cos(), angle.sin()
    pairs = torch.stack([right * c + up * s, up * c - right * s], dim=-1)
    return pairs.flatten(-2)
