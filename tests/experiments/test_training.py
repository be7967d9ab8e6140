"""`make experiments` gives the figures of chapters 9 and 10 again."""

import json

import pytest

from course.trained_models import read_trained
from utils import shift_matrix

torch = pytest.importorskip("torch", reason="for `nox -s torch`")
from experiments import models, run, training  # noqa: E402


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


def test_the_head_scores_places_with_its_matrix_and_looks_there():
    model = models.Microscope("sines and cosines", 0)
    x = torch.randint(16, (4, 40))
    with torch.no_grad():
        for weights in model.parameters():
            weights.zero_()
        model.W_Q[16:, 16:] = torch.tensor(20 * shift_matrix(3, 32))
        model.W_K.fill_diagonal_(len(model.W_K) ** 0.5)
        model.W_V.fill_diagonal_(1)
        answers = model(x, 500).argmax(-1)
    assert (answers[:, 3:] == x[:, :-3]).all()


def test_tasks_ask_for_what_their_names_say():
    generator = torch.Generator().manual_seed(0)
    x, target, scored = training.look_back(5, 20, generator, k=8)
    assert (target[:, 8:] == x[:, :-8]).all() and scored.sum() == 5 * 12
    x, target, scored = training.first_symbol(5, 20, generator)
    assert (target == x[:, :1]).all() and scored.sum() == 5 * 19


def test_buckets_are_those_of_a_causal_t5():
    found = models.t5_bucket(torch.tensor([0, 1, 15, 16, 18, 19, 31, 112, 113, 999]))
    assert found.tolist() == [0, 1, 15, 16, 16, 17, 21, 30, 31, 31]
