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
    "positions-that-fit",
    "add-positions",
    "three-types-of-number",
    "the-audit",
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
def test_the_mend_agrees_with_numpy_at_any_position(chapter, mended, positions):
    by_numpy = chapter.add_positions(np.zeros((2, 3, 8)), positions)
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
def test_the_mend_refuses_as_numpy_does(chapter, mended, x, positions, words):
    for add, given in ((mended, x), (chapter.add_positions, x.numpy())):
        with pytest.raises(ValueError, match=words):
            add(given, positions)


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


# ---- numbers and the audit ----------------------------------------------------------
def test_our_bfloat16_is_pytorch_s(chapter):
    rng = np.random.default_rng(seed=1)
    sample = (1000 * rng.normal(size=100_000)).astype(np.float32)
    theirs = torch.from_numpy(sample).to(torch.bfloat16).float().numpy()
    assert np.array_equal(chapter.bfloat16(sample), theirs)


def test_the_audit_fails_the_class_and_passes_the_mend_unless_it_trains(
    chapter, pasted, mended
):
    def failed(layer, **how):
        """By the wrapper that the chapter prints."""

        def add(x, *pos):
            return layer(torch.from_numpy(x), *map(torch.tensor, pos)).detach().numpy()

        verdict = chapter.audit(add, **how)
        return [claim for claim, holds in verdict.items() if not holds]

    of_twin = [c for c, holds in chapter.audit(chapter.Twin(16)).items() if not holds]
    assert failed(pasted(16)) == of_twin == ["one by one = at once"]
    assert failed(pasted(16, max_len=512), n=512) == of_twin
    assert failed(mended) == []
    torch.manual_seed(0)
    assert len(failed(chapter.MendedEncoding().train())) == 4

    class Table(nn.Embedding):  # a correct layer of another make
        def forward(self, x, position_ids=None):
            if position_ids is None:
                position_ids = torch.arange(x.size(1))
            return x + super().forward(position_ids)

    table = Table.from_pretrained(torch.tensor(utils.positional_encoding(5000, 16)))
    assert failed(table) == []
    with pytest.raises(TypeError, match="must be Tensor, not list"):
        chapter.audit(lambda x, *pos: table(torch.from_numpy(x), *pos).numpy())
