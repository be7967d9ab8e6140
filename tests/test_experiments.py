"""Chapter 9 relies on this: `make experiments` gives the committed figures again."""

import json
import sys

import pytest
from chapters import NOTEBOOKS, ROOT

torch = pytest.importorskip("torch")
sys.path.insert(0, str(ROOT / "experiments"))

import course  # noqa: E402
import lengths  # noqa: E402
import measures  # noqa: E402
import models  # noqa: E402
import numpy as np  # noqa: E402
import run  # noqa: E402
import training  # noqa: E402

from utils import read_trained, shift_matrix  # noqa: E402


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A build folder, and experiments of two short runs each."""

    def two(name):
        configurations = list(run.EXPERIMENTS[name].configurations())[:2]
        return [{**config, "steps": 20} for config in configurations]

    monkeypatch.setattr(run, "chosen", lambda name, quick: two(name))
    monkeypatch.setattr(run, "KEPT", tmp_path / "kept")
    return tmp_path / "build"


def lines(build, name):
    return (build / f"{name}.jsonl").read_text("utf-8").splitlines()


@pytest.mark.parametrize("name", list(run.EXPERIMENTS))
def test_the_smallest_cell_comes_out_within_the_range_of_its_seeds(name):
    config = next(run.EXPERIMENTS[name].configurations())
    ranges = run.ranges_of(read_trained(name))
    result = run.EXPERIMENTS[name].run(config)
    compared = run.figures(result)
    assert compared
    for figure, value in compared.items():
        low, high = ranges[run.cell(config), figure]
        assert low - 0.03 <= value <= high + 0.03, figure


@pytest.mark.parametrize("name", list(run.EXPERIMENTS))
def test_every_configuration_is_committed_once(name):
    wanted = [json.dumps(c) for c in run.EXPERIMENTS[name].configurations()]
    kept = [json.dumps(row["config"]) for row in read_trained(name)]
    assert sorted(kept) == sorted(wanted) and len(set(kept)) == len(kept)


def test_the_rows_take_little_room():
    sizes = [path.stat().st_size for path in NOTEBOOKS.glob("trained/*")]
    assert len(sizes) == 3 and sum(sizes) < 2_000_000


# ---- bookkeeping ----------------------------------------------------------------
def test_an_interrupted_call_goes_on_and_loses_nothing(small):
    assert run.main(["moved", "--build", str(small), "--workers", "1"]) == 0
    first, second = lines(small, "moved")
    path = small / "moved.jsonl"
    path.write_text(f"{first}\n{second[:50]}")  # cut off while it was written
    before = path.stat().st_mtime_ns
    assert run.train_all(["moved"], False, small, 1) == 1
    assert path.stat().st_mtime_ns > before
    again = lines(small, "moved")
    assert again[0] == first and json.loads(again[1])["config"] != {}
    assert json.loads(again[1])["result"] == json.loads(second)["result"]


@pytest.mark.parametrize(
    ("spoilt", "words"),
    [
        ({"version": 0}, "version 0; this course reads version 1"),
        ({"torch": "1.0"}, "rows of torch 1.0; this is torch"),
    ],
)
def test_rows_of_another_version_are_refused_in_one_line(small, capsys, spoilt, words):
    small.mkdir()
    config = next(run.EXPERIMENTS["moved"].configurations())
    row = {"version": 1, "torch": torch.__version__, "config": config, "result": {}}
    (small / "moved.jsonl").write_text(json.dumps(row | spoilt) + "\n")
    assert run.main(["moved", "--build", str(small)]) == 1
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1 and words in said[0]


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        (OSError(28, "No space left on device"), "No space left on device"),
        (MemoryError(), "Too little memory"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), "Too little"),
        (KeyboardInterrupt(), "Stopped."),
        (run.BrokenProcessPool(), "want of memory"),
    ],
)
def test_trouble_is_told_in_one_line(small, capsys, monkeypatch, raised, words):
    def fails(row, path):
        raise raised

    monkeypatch.setattr(run, "write", fails)
    assert run.main(["moved", "--build", str(small), "--workers", "1"]) == 1
    said = [line for line in capsys.readouterr().err.splitlines() if words in line]
    assert len(said) == 1 and "kept" in said[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["heads"], "unknown experiment 'heads'"),
        (["--quick", "--keep"], "leave --quick out"),
        (["--workers", "0"], "at least 1; got 0"),
    ],
)
def test_a_wrong_call_is_refused(capsys, arguments, words):
    with pytest.raises(SystemExit):
        run.main(arguments)
    assert words in capsys.readouterr().err


def test_other_figures_are_told(small, tmp_path, capsys):
    assert run.main(["moved", "--build", str(small), "--workers", "1"]) == 0
    row = json.loads(lines(small, "moved")[0])
    shares = row["result"]["moved"]["whole"]
    row["result"]["moved"]["whole"] = [share + 0.5 for share in shares]
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "moved.jsonl").write_text(json.dumps(row) + "\n")
    assert run.compare(["moved"], small) == 1
    assert "moved whole: " in capsys.readouterr().out


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="code must be one of .*; got 'sine'"):
        models.Microscope("sine", 0)
    with pytest.raises(ValueError, match="scheme must be one of .*; got 'rope'"):
        models.Transformer("rope", 0)
    with pytest.raises(ValueError, match="stretch must be one of .*; got 'more'"):
        models.stretched("more", 8)


# ---- the models are what the course says ------------------------------------------
@pytest.mark.parametrize("scheme", models.SCHEMES)
def test_only_codes_that_know_places_see_a_text_move(scheme):
    torch.manual_seed(0)
    model = models.Transformer(scheme, 0, heads=4)
    x = torch.randint(16, (2, 12))
    with torch.no_grad():
        change = (model(x, 0) - model(x, 100)).abs().max()
    is_relative = scheme in ("no code", "T5", "ALiBi", "RoPE")
    assert (change < 1e-4) == is_relative


@pytest.mark.parametrize("scheme", models.SCHEMES)
def test_nobody_sees_what_comes_later(scheme):
    torch.manual_seed(0)
    model = models.Transformer(scheme, 0, heads=4, layers=2, mlp=True)
    if scheme == "T5":
        torch.nn.init.normal_(model.buckets)
    x = torch.randint(16, (2, 12))
    later = x.clone()
    later[:, 8:] = (later[:, 8:] + 1) % 16
    with torch.no_grad():
        assert torch.allclose(model(x)[:, :8], model(later)[:, :8], atol=1e-5)
        assert not torch.allclose(model(x)[:, 8:], model(later)[:, 8:], atol=1e-5)


def test_the_microscope_scores_places_with_its_matrix_and_nothing_else():
    torch.manual_seed(0)
    model = models.Microscope("sines and cosines", 0)
    alone = torch.zeros(48, 48)
    alone[16:, 16:] = torch.tensor(4 * shift_matrix(3, 32))
    x = torch.randint(16, (4, 40))
    with torch.no_grad():
        _, weights = model(x, 500, score_matrix=alone, weights_too=True)
    assert (weights[:, 3:].argmax(-1) == torch.arange(37)).all()
    assert torch.allclose(weights[0], weights[1])


def test_with_a_window_no_query_sees_farther_back():
    torch.manual_seed(0)
    model = models.Microscope("sines and cosines", 0)
    x = torch.randint(16, (2, 20))
    with torch.no_grad():
        _, weights = model(x, window=4, weights_too=True)
        _, all_weights = model(x, window=20, weights_too=True)
        _, free = model(x, weights_too=True)
    assert ((weights[0] > 0).sum(dim=1) == torch.arange(1, 21).clamp(max=4)).all()
    assert torch.equal(all_weights, free)


def test_a_centred_code_has_no_common_part_at_the_trained_places():
    centred = models.code_table("centred", 32, 0)[:32]
    paper = models.code_table("sines and cosines", 32, 0)
    assert centred.mean(dim=0).abs().max() < 1e-6
    assert abs(centred.square().mean() - 0.5) < 1e-6
    steps, paper_steps = centred.diff(dim=0), paper[:32].diff(dim=0)
    scale = (steps * paper_steps).sum() / paper_steps.square().sum()
    assert torch.allclose(steps, scale * paper_steps, atol=1e-5)


def test_a_head_is_the_sum_of_its_parts():
    torch.manual_seed(0)
    model = models.Microscope("sines and cosines", 0)
    parts = measures.cut_apart(model, 3)
    whole = parts["whole"]
    blocks = [parts[f"rotations, {name}"] for name in PAIRS_OF_SPEEDS]
    assert torch.allclose(sum(blocks) - 2 * parts["rotations only"], whole, atol=1e-5)
    rest = parts["without the rotations"][16:, 16:]
    assert torch.allclose(rest + parts["rotations only"][16:, 16:], whole[16:, 16:])


PAIRS_OF_SPEEDS = ("fast · fast", "slow · slow", "fast · slow")


def test_tasks_ask_for_what_their_names_say():
    generator = torch.Generator().manual_seed(0)
    x, target, scored = training.look_back(5, 20, generator, k=8)
    assert (target[:, 8:] == x[:, :-8]).all() and scored.sum() == 5 * 12
    x, target, scored = training.first_symbol(5, 20, generator)
    assert (target == x[:, :1]).all() and scored.sum() == 5 * 19
    x, target, scored = training.sort_symbols(5, 20, generator)
    answers = target[scored].view(5, 20)
    assert (answers == x[:, :20].sort(dim=1).values).all()
    assert (x[:, 21:] == answers[:, :-1]).all() and (answers.diff(dim=1) > 0).all()


def test_the_parts_of_a_matrix_add_up():
    M = np.random.default_rng(0).normal(size=(12, 12))
    kept = measures.rotations_of(M)
    assert np.isclose((kept * (M - kept)).sum(), 0)
    assert np.allclose(measures.rotations_of(shift_matrix(5, 12)), shift_matrix(5, 12))
    codes = course.positional_encoding(40, 12)
    assert np.isclose(measures.offset_share(codes, kept), 0.9, atol=0.1)
    assert measures.offset_share(codes, M) < measures.offset_share(codes, kept)


def test_buckets_are_those_of_a_causal_t5():
    found = models.t5_bucket(torch.tensor([0, 1, 15, 16, 18, 19, 31, 112, 113, 999]))
    assert found.tolist() == [0, 1, 15, 16, 16, 17, 21, 30, 31, 31]


def test_a_longer_text_has_a_larger_base_rate_in_sort():
    rates = [lengths.guess_of_sort(n) for n in (16, 32, 64)]
    assert np.allclose(rates, [16 / 128, 32 / 128, 64 / 128], atol=0.03)
