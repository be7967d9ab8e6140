"""What chapter 10 says of PyTorch is true of PyTorch, where it is installed.

The classes are taken from the text of the notebook's cells, so what is tested is what a
reader pastes.
"""

import itertools
import math
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
from chapters import NOTEBOOKS

import utils

torch = pytest.importorskip("torch")
nn = torch.nn
(CHAPTER,) = NOTEBOOKS.glob("10_*.ipynb")
WANTED = (
    "class PositionalEncoding(",
    "class Twin:",
    "def add_positions(",
    "def bfloat16(",
    "def audit(",
    "class MendedEncoding(",
)


def source_of(start):
    """The one code cell of chapter 10 in which a line begins with `start`."""
    cells = [
        cell.source
        for cell in nbformat.read(CHAPTER, as_version=4).cells
        if cell.cell_type == "code"
        and any(line.startswith(start) for line in cell.source.splitlines())
    ]
    assert len(cells) == 1, f"{len(cells)} cells have {start!r}"
    return cells[0]


@pytest.fixture(scope="module")
def chapter():
    """The functions and classes of the chapter, by name."""
    names = {**vars(utils), "torch": torch, "nn": nn, "np": np, "math": math}
    names.update(itertools=itertools, f32=np.float32)
    for start in WANTED:
        exec(source_of(start), names)
    return SimpleNamespace(**names)


@pytest.fixture
def real(chapter):
    """Make the pasted class without dropout."""

    def make(d_model, max_len=5000):
        return chapter.PositionalEncoding(d_model, max_len, dropout=0.0)

    return make


def complaint(call):
    """The last line of the error message of a call."""
    with pytest.raises(RuntimeError) as caught:
        call()
    return str(caught.value).strip().splitlines()[-1].strip()


def positions(chapter, layer, *shape):
    """The positions that a layer gives to zeros of this shape."""
    return chapter.received(layer(torch.zeros(*shape)).numpy())


# ---- the class that everyone pastes -------------------------------------------------
def test_the_class_agrees_with_its_twin_and_with_the_formula(chapter, real):
    ours = chapter.Twin(512).pe
    theirs = real(512).pe.numpy()
    assert theirs.shape == ours.shape and theirs.dtype == ours.dtype
    assert np.abs(theirs - ours).max() < 2e-3
    exact = utils.positional_encoding(40, 16)
    assert np.abs(real(16)(torch.zeros(1, 40, 16)).numpy() - exact).max() < 1e-5


@pytest.mark.parametrize("d_model", [3, 5, 7])
def test_odd_widths_raise(real, d_model):
    said = complaint(lambda: real(d_model))
    assert f"expanded size of the tensor ({d_model // 2})" in said


def test_a_width_of_one_passes(real):
    assert real(1).pe.shape == (1, 5000, 1)


def test_a_text_longer_than_the_table_raises(real):
    said = complaint(lambda: real(4, max_len=6)(torch.zeros(1, 7, 4)))
    assert "tensor a (7) must match the size of tensor b (6)" in said


def test_a_checkpoint_of_another_length_raises(real):
    saved = real(4, max_len=8).state_dict()
    said = complaint(lambda: real(4, max_len=6).load_state_dict(saved))
    assert "size mismatch for pe" in said


def test_a_buffer_that_is_not_persistent_stays_out_and_refuses_old_files(real):
    old = real(4, max_len=6).state_dict()
    lean = real(4, max_len=6)
    lean.register_buffer("pe", lean.pe, persistent=False)
    assert "pe" in old and "pe" not in lean.state_dict()
    said = complaint(lambda: lean.load_state_dict(old))
    assert 'Unexpected key(s) in state_dict: "pe"' in said


@pytest.mark.parametrize(
    "shape, max_len, wanted",
    [
        ((2, 5, 8), 5000, [[0, 1, 2, 3, 4]] * 2),
        ((2, 5, 8), 1, [[0] * 5] * 2),  # one row is repeated
        ((5, 2, 8), 5000, [[0, 1]] * 5),  # the number of the text
        ((1, 1, 8), 5000, [[0]]),  # the newest token, whatever the cache holds
    ],
)
def test_the_class_is_silent_and_gives_row_numbers(
    chapter, real, shape, max_len, wanted
):
    assert positions(chapter, real(8, max_len), *shape).tolist() == wanted


def test_left_padding_gets_row_numbers_from_the_class_and_none_from_the_mend(
    chapter, real
):
    mask = torch.tensor([[1, 1, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]])
    by_class = positions(chapter, real(8), 2, 6, 8)
    assert by_class[1, 3:].tolist() == [3, 4, 5]
    given = (mask.cumsum(dim=1) - 1).clamp(min=0)
    out = chapter.MendedEncoding(dropout=0.0)(torch.zeros(2, 6, 8), given)
    assert chapter.received(out.numpy())[1, 3:].tolist() == [0, 1, 2]


@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16])
def test_half_goes_in_and_float32_comes_out(real, half):
    x = torch.zeros(1, 5, 8, dtype=half)
    assert real(8)(x).dtype == torch.float32
    assert real(8).to(half)(x).dtype == half  # its table is cast with it


def test_the_layer_behind_names_itself_and_autocast_tells_nobody(real):
    x = torch.zeros(1, 5, 8, dtype=torch.float16)
    behind = nn.Linear(8, 8).half()
    said = complaint(lambda: behind(real(8)(x)))
    assert "mat1 and mat2 must have the same dtype" in said
    with torch.autocast("cpu", dtype=torch.bfloat16):
        before = nn.Linear(8, 8)(torch.zeros(1, 5, 8))
        with_codes = real(8)(before)
        after = nn.Linear(8, 8)(with_codes)
    assert before.dtype == after.dtype == torch.bfloat16
    assert with_codes.dtype == torch.float32


def test_double_for_float_cures_the_class(chapter, real, monkeypatch):
    truth = utils.positional_encoding(5000, 512)
    before = np.abs(real(512).pe[0].numpy() - truth).max()
    monkeypatch.setattr(torch.Tensor, "float", torch.Tensor.double)
    cured = real(512).pe[0]
    assert cured.dtype == torch.float32
    assert np.abs(cured.numpy() - truth).max() <= 2.0**-24 < 1e-4 < before


# ---- the mend -----------------------------------------------------------------------
def test_the_mend_agrees_with_numpy_at_any_position(chapter):
    mended = chapter.MendedEncoding(dropout=0.0)
    at = np.array([[0, 1, 2, 3, 4], [0, 0, 0, 1, 2]])
    x = torch.zeros(2, 5, 8).double()
    by_numpy = chapter.add_positions(np.zeros((2, 5, 8)), at)
    assert np.allclose(mended(x, torch.tensor(at)), by_numpy, rtol=0, atol=1e-12)
    far = np.array([[16_777_217]])  # float32 would say 16777216
    out = mended(torch.zeros(1, 1, 8).double(), torch.tensor(far))
    by_numpy = chapter.add_positions(np.zeros((1, 1, 8)), far)
    assert np.allclose(out, by_numpy, rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    "kind", [torch.float16, torch.bfloat16, torch.float32, torch.float64]
)
def test_the_mend_keeps_the_type(chapter, kind):
    mended = chapter.MendedEncoding(dropout=0.0)
    x = torch.zeros(2, 5, 8, dtype=kind)
    assert mended(x).dtype == kind
    assert mended.to(kind)(x).dtype == kind


def test_half_on_the_mended_model_does_not_reach_its_codes(chapter):
    mended = chapter.MendedEncoding(dropout=0.0)
    mended.table = chapter.codes_at(torch.arange(5), 8)  # kept as an attribute
    halved = mended.half()(torch.zeros(1, 5000, 512)).numpy()
    truth = utils.positional_encoding(5000, 512)
    assert np.abs(halved - truth).max() <= 2.0**-24
    at = torch.tensor([[0, 1, 2], [0, 0, 4]])
    fresh = chapter.codes_at(at, 8)
    assert torch.allclose(mended.table[at], fresh, rtol=0, atol=1e-12)


def test_the_mend_has_no_length_and_nothing_in_the_checkpoint(chapter):
    mended = chapter.MendedEncoding(dropout=0.0)
    assert mended(torch.zeros(1, 7000, 4)).shape == (1, 7000, 4)
    assert not mended.state_dict()


@pytest.mark.parametrize(
    "shape, given, words",
    [
        ((1, 3, 5), None, "must be even"),
        ((1, 3, 1), None, "must be even"),
        ((3, 1, 8), [4, 2, 3], "do not fit"),  # one for each text
        ((1, 5, 8), [3], "do not fit"),  # one for all tokens
    ],
)
def test_the_mend_refuses_in_words(chapter, shape, given, words):
    at = None if given is None else torch.tensor(given)
    with pytest.raises(ValueError, match=words):
        chapter.MendedEncoding()(torch.zeros(*shape), at)


def test_the_mend_takes_lists_and_refuses_integers_as_numpy_does(chapter):
    mended = chapter.MendedEncoding(dropout=0.0)
    for at in ([4, 0, 2], [[4, 0, 2]], [[0, 1, 2], [0, 0, 1]]):
        by_numpy = chapter.add_positions(np.zeros((2, 3, 8)), at)
        out = mended(torch.zeros(2, 3, 8).double(), at)
        assert np.allclose(out, by_numpy, rtol=0, atol=1e-12)
    for call in (
        lambda: mended(torch.zeros(2, 3, 8, dtype=torch.int64)),
        lambda: chapter.add_positions(np.zeros((2, 3, 8), int)),
    ):
        with pytest.raises(ValueError, match="floating-point numbers, not .*int64"):
            call()


# ---- numbers and the audit ----------------------------------------------------------
def test_our_bfloat16_is_pytorch_s(chapter):
    rng = np.random.default_rng(seed=1)
    sample = (1000 * rng.normal(size=100_000)).astype(np.float32)
    theirs = torch.from_numpy(sample).to(torch.bfloat16).float().numpy()
    assert np.array_equal(chapter.bfloat16(sample), theirs)


def audited(chapter, module, **how):
    """Which claims of the audit fail, by the wrapper that the chapter prints."""

    def add(x):
        return module(torch.from_numpy(x)).detach().numpy()

    verdict = chapter.audit(add, **how)
    return [claim for claim, holds in verdict.items() if not holds]


def test_the_audit_says_of_the_class_what_it_says_of_the_twin(chapter, real):
    verdict = chapter.audit(chapter.Twin(16))
    of_twin = [claim for claim, holds in verdict.items() if not holds]
    assert audited(chapter, real(16)) == of_twin == ["exact far out", "keeps dtype"]
    assert audited(chapter, real(16, max_len=512), n=512) == of_twin


def test_the_audit_passes_the_mend_but_not_while_it_trains(chapter):
    torch.manual_seed(0)
    assert audited(chapter, chapter.MendedEncoding().eval()) == []
    assert len(audited(chapter, chapter.MendedEncoding().train())) == 4
