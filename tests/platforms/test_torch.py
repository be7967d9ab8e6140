"""What chapter 11 says of PyTorch is true of PyTorch.

The classes are taken from the text of the notebook's cells, so what is tested is what a
reader pastes.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import utils
from tools.chapters import NOTEBOOKS, cells

torch = pytest.importorskip("torch", reason="for `nox -s torch`")
from torch import nn  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

(CHAPTER,) = NOTEBOOKS.glob("*_in_practice.ipynb")
CELLS = {
    "the-pasted-class",
    "the-twin-and-a-reader-of-positions",
    "three-types-of-number",
    "angles-in-three-types",
    "three-tests-of-rope",
    "the-mend-for-pytorch",
}


@pytest.fixture(scope="module")
def chapter():
    """The functions and classes of the chapter, by name."""
    names = {**vars(utils), "torch": torch, "nn": nn, "np": np, "math": math}
    names.update(f32=np.float32)
    for cell in cells(CHAPTER):
        if cell["id"] in CELLS:
            exec(cell["source"], names)
    return SimpleNamespace(**names)


@pytest.fixture
def pasted(chapter):
    """Make the class that everyone pastes, without dropout."""

    def make(d_model, max_len=5000):
        return chapter.PositionalEncoding(d_model, max_len, dropout=0.0)

    return make


@pytest.fixture
def mended(chapter):
    return chapter.MendedEncoding(dropout=0.0)


# ---- the class that everyone pastes -------------------------------------------------
def test_the_class_agrees_with_its_twin_and_with_the_formula(chapter, pasted):
    twin, table = chapter.Twin(512).pe, pasted(512).pe.numpy()
    assert table.shape == twin.shape and table.dtype == twin.dtype
    assert np.abs(table - twin).max() < 2e-3
    exact = utils.positional_encoding(40, 16)
    assert np.abs(pasted(16)(torch.zeros(1, 40, 16)).numpy() - exact).max() < 1e-5


def test_what_raises_says_what_the_chapter_says(pasted):
    for width in (3, 5, 7):
        with pytest.raises(RuntimeError, match=rf"expanded size .*\({width // 2}\)"):
            pasted(width)
    assert pasted(1).pe.shape == (1, 5000, 1)  # the odd width that passes
    with pytest.raises(RuntimeError, match=r"a \(7\) must match .* b \(6\)"):
        pasted(4, max_len=6)(torch.zeros(1, 7, 4))
    with pytest.raises(RuntimeError, match="size mismatch for pe"):
        pasted(4, max_len=6).load_state_dict(pasted(4, max_len=8).state_dict())


def test_a_buffer_that_is_not_persistent_stays_out_and_refuses_old_files(pasted):
    old, lean = pasted(4).state_dict(), pasted(4)
    lean.register_buffer("pe", lean.pe, persistent=False)
    assert "pe" in old and "pe" not in lean.state_dict()
    with pytest.raises(RuntimeError, match=r'Unexpected key\(s\) in state_dict: "pe"'):
        lean.load_state_dict(old)


@pytest.mark.parametrize(
    "shape, max_len, positions",
    [
        ((2, 5, 8), 5000, [[0, 1, 2, 3, 4]] * 2),  # row numbers, padded or not
        ((2, 5, 8), 1, [[0] * 5] * 2),  # one row is repeated
        ((5, 2, 8), 5000, [[0, 1]] * 5),  # the number of the text
        ((1, 1, 8), 5000, [[0]]),  # the newest token, whatever the cache holds
    ],
)
def test_the_class_is_silent(chapter, pasted, shape, max_len, positions):
    added = pasted(8, max_len)(torch.zeros(*shape)).numpy()
    assert chapter.received(added).tolist() == positions


def test_half_goes_in_and_float32_comes_out(pasted):
    for half in (torch.float16, torch.bfloat16):
        x = torch.zeros(1, 5, 8, dtype=half)
        assert pasted(8)(x).dtype == torch.float32
        assert pasted(8).to(half)(x).dtype == half  # its table is cast with it
    with pytest.raises(RuntimeError, match="mat1 and mat2 must have the same dtype"):
        nn.Linear(8, 8).half()(pasted(8)(x.half()))


# ---- the mend -----------------------------------------------------------------------
@pytest.mark.parametrize(
    "positions",
    [
        [4, 0, 2],
        [[4, 0, 2]],
        [[0, 1, 2], [0, 0, 1]],  # the second text is padded on the left
        [1, 2, 16_777_217],  # float32 would say 16777216
    ],
)
def test_the_mend_agrees_with_numpy_at_any_position(mended, positions):
    rows = np.broadcast_to(positions, (2, 3)).ravel()
    by_numpy = utils.positional_encoding(rows, 8).reshape(2, 3, 8)
    x = torch.zeros(2, 3, 8).double()
    for given in (positions, torch.tensor(positions)):
        assert np.allclose(mended(x, given), by_numpy, rtol=0, atol=1e-7)


def test_the_mend_keeps_the_type(mended):
    for kind in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        x = torch.zeros(2, 5, 8, dtype=kind)
        assert mended(x).dtype == mended.to(kind)(x).dtype == kind


@pytest.mark.parametrize(
    "x, positions, words",
    [
        (torch.zeros(1, 3, 5), None, "d_model must be .*even.*; got 5"),
        (torch.zeros(3, 1, 8), [4, 2, 3], "do not fit"),  # one for each text
        (torch.zeros(1, 5, 8), [3], "do not fit"),  # one for all tokens
        (torch.zeros(1, 1, 5, 8), None, "do not fit|d_model"),  # an axis too many
        (torch.zeros(1, 3, 8), [True, True, False], "bool|integer"),  # a mask
        (torch.zeros(1, 5, 8).long(), None, "floating-point numbers, not .*int64"),
    ],
)
def test_the_mend_refuses_what_does_not_fit(mended, x, positions, words):
    with pytest.raises(ValueError, match=words):
        mended(x, positions)


def on_the_default_device_meta(layer):
    with torch.device("meta"):
        return layer(torch.empty(2, 5, 8), torch.arange(5)).is_meta


def on_a_fake_graphics_card(layer):
    with FakeTensorMode(), torch.device("cuda"):
        return layer(torch.empty(2, 5, 8)).is_cuda


def compiled(layer):
    return torch.equal(torch.compile(layer, backend="aot_eager")(X), layer(X))


def exported(layer):
    lengths = [{1: torch.export.Dim("length", max=5000)}]
    program = torch.export.export(layer, (Y,), dynamic_shapes=lengths)
    return torch.equal(program.module()(X), layer(X))


X, Y = torch.ones(2, 9, 8), torch.ones(2, 5, 8)
DEVICES = [on_the_default_device_meta, on_a_fake_graphics_card]


@pytest.mark.parametrize("works", [*DEVICES, compiled, exported])
def test_the_mend_works_where_the_class_does(mended, works):
    assert works(mended)


def test_the_mend_takes_a_checkpoint_of_the_class(pasted, mended):
    assert nn.Sequential(mended).load_state_dict(nn.Sequential(pasted(8)).state_dict())


# ---- numbers, and RoPE ---------------------------------------------------------------
def test_our_bfloat16_is_pytorch_s(chapter):
    rng = np.random.default_rng(seed=1)
    sample = (1000 * rng.normal(size=100_000)).astype(np.float32)
    theirs = torch.from_numpy(sample).to(torch.bfloat16).float().numpy()
    assert np.array_equal(chapter.bfloat16(sample), theirs)


@pytest.fixture(scope="module")
def llama():
    """A small random Llama, in float32, and the functions of its module."""
    pytest.importorskip("transformers", reason="for `nox -s torch`")
    from transformers import LlamaConfig
    from transformers.models.llama import modeling_llama

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=50,
        hidden_size=256,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        initializer_range=0.3,
    )
    model = modeling_llama.LlamaForCausalLM(config).eval()
    return SimpleNamespace(
        turn=modeling_llama.apply_rotary_pos_emb,
        embedding=modeling_llama.LlamaRotaryEmbedding(config),
        model=model,
    )


def as_llama_does(llama, x, pos):
    """Rows x (n, 128) at each of the places, of the type of x: (places, n, 128)."""
    cos, sin = llama.embedding(x, torch.tensor(pos)[None])
    each = x[None, :, None].expand(1, -1, len(pos), -1)  # (batch, head, place, d)
    return llama.turn(each, each, cos, sin)[0][0].transpose(0, 1)


def test_the_chapter_rounds_where_llama_does(chapter, llama):
    x = chapter.PAIRS_OF_ROWS[0]  # numbers of bfloat16
    pos = [0, 1, 100, 1000, 100_000]
    ours = chapter.rope_in("float32", "bfloat16", x, np.array(pos))
    theirs = as_llama_does(llama, torch.from_numpy(x).to(torch.bfloat16), pos)
    equal = ours == theirs.float().numpy()
    assert equal.mean() > 0.99 and equal[:3].mean() > 0.999
    ours = chapter.rotate_halves(x[:1].astype(float), [100])
    theirs = as_llama_does(llama, torch.from_numpy(x[:1]), [100])[0]
    assert np.abs(ours - theirs.numpy()).max() < 1e-4


def test_the_golden_numbers_are_llama_s(chapter, llama):
    angle = torch.tensor(3 * utils.frequencies(8)).float().repeat(2)[None, None]
    one_to_eight = torch.arange(1.0, 9)[None, None, None]
    turned, _ = llama.turn(one_to_eight, one_to_eight, angle.cos(), angle.sin())
    assert np.abs(turned.numpy().ravel() - chapter.GOLDEN).max() < 1e-5


def test_a_prompt_and_the_next_token_must_be_counted_alike(llama):
    """What the chapter says of `position_ids`: by the mask, by the row, or mixed."""
    tokens = torch.tensor([[7, 3, 9, 4]])
    padded = torch.nn.functional.pad(tokens, (3, 0))
    mask = torch.tensor([[0, 0, 0, 1, 1, 1, 1]])
    by_mask = (mask.cumsum(-1) - 1).clamp(min=0)

    def output(first, second):
        """Of the last token, given to the model alone, behind a cache."""
        told = [{} if ids is None else {"position_ids": ids} for ids in (first, second)]
        with torch.no_grad():
            prompt = llama.model(
                padded[:, :6], attention_mask=mask[:, :6], use_cache=True, **told[0]
            )
            kept = "cache" if "cache" in prompt else "past_key_values"
            last = llama.model(
                padded[:, 6:], attention_mask=mask, **{kept: prompt[kept]}, **told[1]
            )
        return last.logits[0, -1]

    with torch.no_grad():
        alone = llama.model(tokens).logits[0, -1]
    assert torch.allclose(output(by_mask[:, :6], by_mask[:, 6:]), alone, atol=1e-3)
    assert torch.allclose(output(None, None), alone, atol=1e-3)
    assert not torch.allclose(output(by_mask[:, :6], None), alone, atol=0.1)
