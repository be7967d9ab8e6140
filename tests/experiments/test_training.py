"""Chapters 9 and 10 rely on this: `make experiments` gives their figures again."""

import json

import numpy as np
import pytest

from trained_models import read_trained
from utils import positional_encoding, shift_matrix

torch = pytest.importorskip("torch", reason="for `nox -s torch`")
from experiments import measures, models, run, training  # noqa: E402


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


# ---- the committed rows -------------------------------------------------------------
@pytest.mark.parametrize("name", list(run.EXPERIMENTS))
def test_every_configuration_is_committed_once_and_the_smallest_comes_out_again(name):
    rows = read_trained(name)
    wanted = list(run.EXPERIMENTS[name].configurations())
    kept = [json.dumps(row["config"]) for row in rows]
    assert sorted(kept) == sorted(map(json.dumps, wanted))
    compared = run.accuracies(run.EXPERIMENTS[name].run(wanted[0]))
    assert compared
    for figure, value in compared.items():
        low, high = run.ranges_of(rows)[run.without_seed(wanted[0]), figure]
        assert low - 0.03 <= value <= high + 0.03, figure


# ---- make experiments ---------------------------------------------------------------
def test_rows_are_written_and_other_figures_than_the_committed_make_it_fail(
    tmp_path, monkeypatch, capsys
):
    configurations = run.EXPERIMENTS["head"].configurations()
    untrained = next(config for config in configurations if not config["steps"])
    monkeypatch.setattr(run, "in_sample", lambda config: config == untrained)
    monkeypatch.setattr(run, "BUILD", tmp_path)
    run.main(["--quick"])
    (row,) = read_trained(tmp_path / "head.jsonl")
    assert row["config"] == untrained
    row["result"]["accuracy"]["whole"]["32"] += 0.5
    (tmp_path / "head.jsonl").write_text(json.dumps(row))
    monkeypatch.setattr(run, "train_all", lambda quick: None)
    with pytest.raises(SystemExit, match="^1 figures lie outside the ranges"):
        run.main(["--quick"])
    assert "accuracy whole 32: " in capsys.readouterr().out


# ---- the models are what the course says --------------------------------------------
@pytest.mark.parametrize("scheme", models.SCHEMES)
def test_only_absolute_codes_see_a_text_move_and_nobody_sees_what_comes_later(scheme):
    model = models.Transformer(scheme, 0, heads=4, layers=2, mlp=True)
    if scheme == "T5":
        torch.nn.init.normal_(model.buckets)
    x = torch.randint(16, (2, 12))
    later = x.clone()
    later[:, 8:] = (later[:, 8:] + 1) % 16
    with torch.no_grad():
        moved = (model(x, 0) - model(x, 100)).abs().max()
        changed = (model(x) - model(later)).abs().amax(dim=(0, 2))
    assert (moved < 1e-4) == (scheme in ("no code", "T5", "ALiBi", "RoPE"))
    assert (changed[:8] < 1e-5).all() and (changed[8:] > 1e-5).all()


def test_the_microscope_scores_places_with_its_matrix_and_nothing_else():
    model = models.Microscope("sines and cosines", 0)
    alone = torch.zeros(48, 48)
    alone[16:, 16:] = torch.tensor(4 * shift_matrix(3, 32))
    x = torch.randint(16, (4, 40))
    with torch.no_grad():
        _, weights = model(x, 500, score_matrix=alone, weights_too=True)
    assert (weights[:, 3:].argmax(-1) == torch.arange(37)).all()
    assert torch.allclose(weights[0], weights[1])


def test_with_a_window_no_query_sees_farther_back():
    model = models.Microscope("sines and cosines", 0)
    with torch.no_grad():
        _, weights = model(torch.randint(16, (2, 20)), window=4, weights_too=True)
    assert ((weights[0] > 0).sum(dim=1) == torch.arange(1, 21).clamp(max=4)).all()


def test_a_centred_code_has_no_common_part_at_the_trained_places():
    centred = models.code_table("centred", 32, 0)[:32]
    paper = models.code_table("sines and cosines", 32, 0)[:32]
    assert centred.mean(dim=0).abs().max() < 1e-6
    assert abs(centred.square().mean() - 0.5) < 1e-6
    steps, of_paper = centred.diff(dim=0), paper.diff(dim=0)
    scale = (steps * of_paper).sum() / of_paper.square().sum()
    assert torch.allclose(steps, scale * of_paper, atol=1e-5)


def test_a_head_is_the_sum_of_its_parts():
    parts = measures.cut_apart(models.Microscope("sines and cosines", 0), 3)
    whole, rotations = parts["whole"], parts["rotations only"]
    speeds = ("fast · fast", "slow · slow", "fast · slow")
    blocks = sum(parts[f"rotations, {speed}"] for speed in speeds)
    assert torch.allclose(blocks - 2 * rotations, whole, atol=1e-5)
    rest = (parts["without the rotations"] + rotations)[16:, 16:]
    assert torch.allclose(rest, whole[16:, 16:])


def test_the_rotations_of_a_matrix_are_what_depends_on_the_offset():
    M = np.random.default_rng(0).normal(size=(12, 12))
    kept = measures.rotations_of(M)
    assert np.isclose((kept * (M - kept)).sum(), 0)
    assert np.allclose(measures.rotations_of(shift_matrix(5, 12)), shift_matrix(5, 12))
    codes = positional_encoding(40, 12)
    share = measures.offset_share(codes, kept)
    assert np.isclose(share, 0.9, atol=0.1) and share > measures.offset_share(codes, M)


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


def test_buckets_are_those_of_a_causal_t5():
    found = models.t5_bucket(torch.tensor([0, 1, 15, 16, 18, 19, 31, 112, 113, 999]))
    assert found.tolist() == [0, 1, 15, 16, 16, 17, 21, 30, 31, 31]
