"""What chapter 8 says of shipped code is true of Transformers.

The functions are taken from the text of the notebook's cells, so what is tested is what
a reader pastes.
"""

from types import SimpleNamespace

import numpy as np
import pytest

import utils
from tools.chapters import NOTEBOOKS, cells

torch = pytest.importorskip("torch", reason="for `nox -s torch`")
transformers = pytest.importorskip("transformers", reason="for `nox -s torch`")
from transformers.models.bloom import modeling_bloom as bloom  # noqa: E402
from transformers.models.gptj import modeling_gptj as gptj  # noqa: E402
from transformers.models.llama import modeling_llama as llama  # noqa: E402
from transformers.models.nanochat import modeling_nanochat as nanochat  # noqa: E402
from transformers.models.qwen2_vl import modeling_qwen2_vl as qwen2_vl  # noqa: E402

(CHAPTER,) = NOTEBOOKS.glob("08_*.ipynb")
CELLS = {
    *("a-head-for-six-tokens", "two-schemes-and-one-test", "a-learned-table"),
    *("offsets-of-places", "alibi-scores", "weights-under-a-mask"),
    *("count-in-sixteen-bits", "the-rotation-of-the-course", "rope-in-the-head"),
    *("golden-vector", "three-ways-to-turn", "keys-from-a-latent"),
    "three-places-a-token",
}
PLACES = np.array([0, 1, 5, 17, 100, 3])


@pytest.fixture(scope="module")
def chapter():
    """What these cells define, by name."""
    names = {**vars(utils), "np": np}
    for cell in cells(CHAPTER):
        if cell["id"] in CELLS:
            exec(cell["source"], names)
    return SimpleNamespace(**names)


def llamas(d, base=10_000, places=PLACES):
    """Cosines and sines that a Llama's code makes for these places."""
    config = transformers.LlamaConfig(
        hidden_size=2 * d, num_attention_heads=2, rope_theta=base
    )
    turning = llama.LlamaRotaryEmbedding(config)
    return turning(torch.zeros(1), torch.tensor(places)[None])


def turned(by, rows, cos, sin):
    """Rows turned by a library's function for queries and keys."""
    q = torch.tensor(rows, dtype=torch.float32)[None, None]
    return by(q, q, cos, sin)[0][0, 0].numpy()


def test_the_eight_numbers_are_those_of_llama(chapter):
    cos, sin = llamas(8, places=[3])
    shipped = turned(llama.apply_rotary_pos_emb, np.arange(1.0, 9)[None], cos, sin)
    np.testing.assert_allclose(shipped[0], chapter.GOLDEN, atol=1e-5)


@pytest.mark.parametrize("d, base", [(8, 10_000), (16, 10_000), (64, 500_000)])
def test_the_code_of_the_slide_is_that_of_llama(chapter, d, base):
    rows = np.random.default_rng(seed=1).normal(size=(6, d))
    shipped = turned(llama.apply_rotary_pos_emb, rows, *llamas(d, base))
    ours = chapter.rotate_halves(rows, PLACES, base)
    np.testing.assert_allclose(ours, shipped, atol=2e-5)
    opposite = chapter.rotate_halves(rows, -PLACES, base)
    assert np.abs(opposite - shipped).max() > 1
    by_nanochat = turned(nanochat.apply_rotary_pos_emb, rows, *llamas(d, base))
    np.testing.assert_allclose(opposite, by_nanochat, atol=2e-5)


def test_neighbours_are_those_of_gptj(chapter):
    rows = np.random.default_rng(seed=1).normal(size=(6, 16))
    sin, cos = gptj.create_sinusoidal_positions(200, 16)[PLACES].chunk(2, dim=-1)
    given = torch.tensor(rows, dtype=torch.float32)[None, :, None]  # heads come last
    shipped = gptj.apply_rotary_pos_emb(given, sin[None], cos[None])[0, :, 0].numpy()
    np.testing.assert_allclose(chapter.rotate(rows, -PLACES), shipped, atol=2e-5)


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_bloom_rounds_the_count_and_the_sum(chapter, name):
    kind, ours = getattr(torch, name), getattr(chapter, name)
    mask = torch.ones(1, 11_000)
    shipped = bloom.build_alibi_tensor(mask, num_heads=8, dtype=kind)[0, 0]  # slope ½
    assert np.array_equal(shipped.double().numpy(), ours(np.arange(11_000) / 2))
    scores = torch.tensor(chapter.scores_of(chapter.X), dtype=kind)[None]
    for start in (100, 1000, 10_000):
        added = shipped[None, None, start : start + 6].expand(1, 6, 6)
        sums = added.baddbmm(scores, torch.eye(6, dtype=kind)[None])[0]
        assert sums.dtype == kind
        weights = chapter.masked(sums.double().numpy())
        as_told = chapter.moved((start + np.arange(6)) / 2, ours)
        exact = chapter.masked(chapter.alibi(np.arange(6)))
        assert np.abs(weights - exact).max() == pytest.approx(as_told, abs=0.02)


def test_qwen2_vl_shares_the_pairs_out_as_the_chapter_does(chapter):
    config = transformers.Qwen2VLConfig().text_config  # heads of 128
    turning = qwen2_vl.Qwen2VLRotaryEmbedding(config)
    pairs = np.bincount(chapter.AXIS) // 2
    assert 8 * pairs @ np.eye(3) == pytest.approx(turning.mrope_section)
    places = np.array([PLACES, PLACES[::-1], 2 * PLACES])
    cos, _ = turning(torch.zeros(1), torch.tensor(places)[:, None])
    axis = np.repeat([0, 1, 2], 8 * pairs)
    base = config.rope_parameters["rope_theta"]
    angles = places[axis].T * utils.frequencies(128, base)
    np.testing.assert_allclose(cos[0, :, :64].numpy(), np.cos(angles), atol=2e-5)
