"""What `read_positions` says of a configuration is what Transformers does with it.

A small random model is built from each configuration; nothing is fetched. Its attention
is replaced by one that keeps what it is given: queries and keys that have turned, and
the mask.
"""

import copy
import os

import numpy as np
import pytest

from course import read_positions
from course.configs import NAMES
from course.families import FAMILIES, OLD_NAMES
from tests.support.configs import (
    FULL,
    GEMMA_4,
    LLAMA_3,
    NEW_YARN,
    READ,
    WINDOW,
    YARN,
)
from tools.chapters import NOTEBOOKS, cells

os.environ["HF_HUB_OFFLINE"] = "1"
torch = pytest.importorskip("torch", reason="for `nox -s torch`")
transformers = pytest.importorskip("transformers", reason="for `nox -s torch`")
from transformers import AttentionInterface, AttentionMaskInterface  # noqa: E402
from transformers.masking_utils import eager_mask  # noqa: E402

TOKENS = 23
TINY = {"vocab_size": 8, "intermediate_size": 8, "num_key_value_heads": 2}
TINY |= {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "use_qk_norm": False}
TINY |= {"kv_lora_rank": 8, "q_lora_rank": 8, "moe_intermediate_size": 8, "n_group": 1}
TINY |= {"num_experts": 2, "num_local_experts": 2, "n_routed_experts": 2}
TINY |= {"num_experts_per_tok": 1, "topk_group": 1}
TINY |= {"tie_word_embeddings": False, "shared_expert_intermediate_size": 8}
TINY |= {"hidden_size_per_layer_input": 8, "vocab_size_per_layer_input": 8}
TINY |= {"intermediate_size_mlp": 8, "first_k_dense_replace": 9, "n_inner": 8}
TINY |= {"linear_key_head_dim": 8, "linear_value_head_dim": 8}
TINY |= {"linear_num_key_heads": 2, "linear_num_value_heads": 2}
seen = {}


def keep(module, query, key, value, attention_mask, scaling=None, **others):
    """An attention that keeps what it is given, and returns zeros."""
    seen[module.layer_idx] = (query, key, attention_mask, scaling)
    batch, heads, tokens, _ = query.shape
    return query.new_zeros(batch, tokens, heads, value.shape[-1]), None


AttentionInterface.register("keep", keep)
AttentionMaskInterface.register("keep", eager_mask)


def text_of(config):
    return config.get("text_config", config)


def model_of(config):
    """Transformers' model of the text, with random weights."""
    entries = copy.deepcopy({**TINY, **text_of(config)})  # it changes what it reads
    name = {"kimi_k2": "deepseek_v3"}.get(entries["model_type"], entries["model_type"])
    kind = transformers.models.auto.configuration_auto.CONFIG_MAPPING[name]
    scaling = entries.get("rope_scaling") or {}
    if scaling.get("type") == "su":  # its old name, with which 5.24 finds no length
        entries["rope_scaling"] = scaling | {"type": "longrope"}
    built = kind.from_dict({**entries, "model_type": name})
    torch.manual_seed(0)
    how = "eager" if name == "falcon" else "keep"
    return transformers.AutoModel.from_config(built, attn_implementation=how).eval()


def alike(module, args, kwargs):
    """The same vector at each place: what differs afterwards is position's."""
    hidden = kwargs["hidden_states"] if "hidden_states" in kwargs else args[0]
    same = torch.randn(hidden.shape[-1], generator=torch.Generator().manual_seed(1))
    hidden.copy_(same.expand_as(hidden))


@pytest.fixture(scope="module")
def run():
    """Models that have read a text, and what their layers were given."""
    kept = {}

    def once(name):
        if name not in kept:
            kept[name] = ran(READ[name])
        return kept[name]

    return once


def ran(config):
    seen.clear()
    model = model_of(config)
    for module in model.modules():
        if type(module).__name__.endswith("Attention"):
            module.register_forward_pre_hook(alike, with_kwargs=True)
    with torch.no_grad():
        model(torch.ones(1, TOKENS, dtype=torch.long), use_cache=False)
    return model, dict(seen)


def turning_part(model):
    return next(
        module
        for name, module in model.named_modules()
        if name.endswith(("rotary_emb", "rotary_embedding"))
    )


def theirs(module, kind):
    """Frequencies and attention factor of Transformers, for layers of a kind."""
    if hasattr(module, "embed_positions"):  # GPT-J: sines and cosines of each place
        table = module.embed_positions[1].double().numpy()
        half = len(table) // 2
        return np.arctan2(table[:half], table[half:]), 1.0
    prefix = f"{NAMES[kind]}_" if hasattr(module, f"{NAMES[kind]}_inv_freq") else ""
    factor = getattr(module, f"{prefix}attention_scaling")
    return getattr(module, f"{prefix}inv_freq").double().numpy(), factor


def pairs_of(vectors, rope, layout):
    """The part of the vectors that turns, as complex numbers."""
    part = vectors[..., rope.rotated.start : rope.rotated.stop]
    if layout == "neighbours":
        return part[..., 0::2] + 1j * part[..., 1::2]
    return part[..., : len(rope.omega)] + 1j * part[..., len(rope.omega) :]


@pytest.mark.parametrize("name", READ)
def test_frequencies_and_attention_factor_are_those_of_transformers(name, run):
    positions, (model, _) = read_positions(READ[name]), run(name)
    kinds = {layer.kind for layer in positions.layers if layer.rope}
    assert kinds or READ[name].get("layer_types")
    for kind in kinds:
        rope = positions.rope(kind)
        omega, factor = theirs(turning_part(model), kind)
        assert len(rope.rotated) == 2 * len(omega)
        np.testing.assert_allclose(rope.omega, omega, rtol=1e-6, atol=1e-9)
        assert rope.attention_factor == pytest.approx(factor, rel=1e-6)


@pytest.mark.parametrize("name", READ)
def test_each_layer_sees_what_its_mask_shows(name, run):
    positions, (model, given) = read_positions(READ[name]), run(name)
    if name.startswith("Falcon"):
        assert not given and {layer.kind for layer in positions.layers} == {"full"}
        return
    assert len(positions.layers) == model.config.num_hidden_layers
    with_scores = {i for i, x in enumerate(positions.layers) if x.kind != "linear"}
    assert given.keys() == with_scores
    m, n = np.ogrid[:TOKENS, :TOKENS]
    for i in with_scores:
        layer, span = positions.layers[i], positions.layers[i].span
        expected = n <= m
        if layer.kind == "window":
            expected = expected & (m - n < span)
        if layer.kind == "chunk":
            expected = expected & (m // span == n // span)
        assert (layer.kind == "full") == (span is None)
        assert np.array_equal(given[i][2][0, 0].numpy() > -1, expected), (i, layer)


@pytest.mark.parametrize("name", READ)
def test_queries_and_keys_turn_as_said(name, run):
    positions, (_, given) = read_positions(READ[name]), run(name)
    pos, layout = np.arange(TOKENS), positions.layout
    if layout == "neighbours" and text_of(READ[name])["model_type"] in LEFT_IN_HALVES:
        layout = "halves"  # see test_neighbours_of_deepseek_v3
    for i, (query, key, _, scaling) in given.items():
        rope, warmer = positions.layers[i].rope, positions.layers[i].query_factor(pos)
        for vectors, factor in (query, warmer), (key, np.ones(TOKENS)):
            vectors = vectors[0, 0].double().numpy() / factor[:, None]
            assert np.abs(vectors[0]).max() > 1e-3
            still = np.ones(vectors.shape[1], bool)
            if rope:
                still[rope.rotated.start : rope.rotated.stop] = False
                z = pairs_of(vectors, rope, layout)
                turn = np.exp(1j * positions.sign * pos[:, None] * rope.omega)
                np.testing.assert_allclose(z, z[0] * turn, atol=2e-5 * np.abs(z).max())
                moved = np.abs(z - z[0]).max()
                assert moved > 0.01
            np.testing.assert_allclose(
                vectors[:, still], vectors[:1, still].repeat(TOKENS, 0), atol=1e-5
            )
        if rope and "qk_nope_head_dim" in text_of(READ[name]):
            times = scaling * np.sqrt(query.shape[-1]) * rope.attention_factor**2
            assert rope.score_factor == pytest.approx(times, rel=1e-6)


LEFT_IN_HALVES = {"deepseek_v3", "kimi_k2"}


def test_neighbours_of_deepseek_v3_are_turned_and_left_in_halves():
    from transformers.models.deepseek_v3 import modeling_deepseek_v3 as theirs

    q = torch.tensor([[[[1.0, 2.0, 3.0, 4.0]]]])
    angle = torch.tensor([[[0.5, 2.0, 0.5, 2.0]]])
    turned, _ = theirs.apply_rotary_pos_emb_interleave(q, q, angle.cos(), angle.sin())
    one, two = (1 + 2j) * np.exp(0.5j), (3 + 4j) * np.exp(2j)
    golden = [one.real, two.real, one.imag, two.imag]
    np.testing.assert_allclose(turned.flatten().numpy(), golden, rtol=1e-6)


def test_falcon_turns_as_said():
    from transformers.models.falcon import modeling_falcon as theirs

    q = torch.tensor([[[[1.0, 2.0, 3.0, 4.0]]]])
    angle = torch.tensor([[[0.5, 2.0, 0.5, 2.0]]])
    turned, _ = theirs.apply_rotary_pos_emb(q, q, angle.cos(), angle.sin())
    one, two = (1 + 3j) * np.exp(0.5j), (2 + 4j) * np.exp(2j)
    golden = [one.real, two.real, one.imag, two.imag]
    np.testing.assert_allclose(turned.flatten().numpy(), golden, rtol=1e-6)


@pytest.mark.parametrize("name", READ)
def test_longer_texts_change_the_frequencies_where_it_is_said(name):
    positions = read_positions(READ[name])
    beyond = positions.changes_beyond
    length = (beyond or positions.length) + 1
    module, changed = turning_part(model_of(READ[name])), []
    if hasattr(module, "embed_positions"):
        return
    for kind in sorted({layer.kind for layer in positions.layers if layer.rope}):
        by_kind = {"layer_type": NAMES[kind]} if hasattr(module, "layer_types") else {}
        module(torch.zeros(1), torch.tensor([[length - 1]]), **by_kind)
        omega, factor = theirs(module, kind)
        rope = read_positions(READ[name], length).rope(kind)
        np.testing.assert_allclose(rope.omega, omega, rtol=1e-6, atol=1e-9)
        changed.append(not np.array_equal(rope.omega, positions.rope(kind).omega))
    assert any(changed) == (beyond is not None)


def test_the_dynamic_kind_far_beyond():
    config = READ["Llama, dynamic"]
    module = turning_part(model_of(config))
    module(torch.zeros(1), torch.tensor([[29_999]]))
    omega = read_positions(config, length=30_000).rope().omega
    np.testing.assert_allclose(omega, theirs(module, "full")[0], rtol=2e-6)


CHANGES = [
    *({key: value} for key in ("rope_theta", "rotary_emb_base", "rope_local_base_freq")
      for value in (5e4, None)),
    *({"partial_rotary_factor": share} for share in (0.5, 1.0)),
    *({"rotary_dim": d} for d in (16, 32)), {"rotary_pct": 0.5}, {"head_dim": 32},
    *({"sliding_window": window} for window in (5, None)), {"max_window_layers": 1},
    *({"use_sliding_window": used} for used in (True, False)),
    *({key: 2} for key in ("sliding_window_pattern", "full_attention_interval")),
    {"no_rope_layer_interval": 2}, {"no_rope_layers": []},
    {"no_rope_layers": [1, 0, 1, 1]}, {"attention_chunk_size": 5},
    {"attn_temperature_tuning": False}, {"rope_interleave": False},
    {"layer_types": [FULL] * 4}, {"layer_types": [WINDOW] * 3 + [FULL]},
    {"global_head_dim": 64}, {"qk_rope_head_dim": 16},
    {"original_max_position_embeddings": 100}, {"max_position_embeddings": 9999},
    {"use_bidirectional_attention": True}, {"num_attention_heads": 4},
    *({key: value} for key in ("rope_scaling", "rope_parameters") for value in (
        {"rope_type": "linear", "factor": 2.0}, {"type": "linear", "factor": 2.0},
        {"rope_type": "dynamic", "factor": 2.0}, LLAMA_3, YARN, NEW_YARN,
        YARN | {"mscale": 0.5}, YARN | {"mscale": 0.5, "mscale_all_dim": 0.7},
        YARN | {"truncate": False}, YARN | {"factor": None},
        YARN | {"original_max_position_embeddings": 20},
        YARN | {"attention_factor": 1.5, "beta_fast": 8},
        {"rope_type": "default", "rope_theta": 7e4},
        {"rope_type": "default", "partial_rotary_factor": 0.5}, GEMMA_4,
        {FULL: NEW_YARN, WINDOW: {"rope_type": "default", "rope_theta": 7e3}},
        {FULL: {"rope_type": "default"}, WINDOW: {"rope_type": "default"}},
    )),
]  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_a_changed_entry_is_refused_or_read_as_transformers_reads_it(name, monkeypatch):
    for change in CHANGES:
        config = READ[name] | change
        if "text_config" in config:
            inner = READ[name]["text_config"] | change
            config = READ[name] | {"text_config": inner}
        try:
            read_positions(config)
        except ValueError:
            continue
        try:
            as_ran = ran(config)
        except Exception:
            continue  # it is no model for Transformers, either
        monkeypatch.setitem(READ, name, config)
        for test in COMPARED:
            test(name, lambda name, as_ran=as_ran: as_ran)
        monkeypatch.undo()


COMPARED = (
    test_frequencies_and_attention_factor_are_those_of_transformers,
    test_each_layer_sees_what_its_mask_shows,
    test_queries_and_keys_turn_as_said,
)


@pytest.mark.parametrize("name", FAMILIES)
def test_each_family_is_tried_and_its_defaults_are_theirs(name):
    assert name in {text_of(config)["model_type"] for config in READ.values()}
    if name == "kimi_k2":
        return
    mapping = transformers.models.auto.configuration_auto.CONFIG_MAPPING
    built = mapping[name](num_hidden_layers=4)
    for key, value in FAMILIES[name].defaults.items():
        if "global_head_dim" in FAMILIES[name].defaults:
            continue  # Gemma 4: the bare configuration is compared above
        if OLD_NAMES.get(key, key) in ("rope_theta", "partial_rotary_factor"):
            parameters = built.rope_parameters
            own = parameters.get("full_attention", parameters)[OLD_NAMES.get(key, key)]
        else:
            own = getattr(built, key)
        if key == "sliding_window" and not getattr(built, "use_sliding_window", True):
            continue  # taken away by the class
        assert own == value, key


# ---- what chapter 11 says of where a text begins -------------------------------------
(CHAPTER_11,) = NOTEBOOKS.glob("11_*.ipynb")
(ENTRIES,) = (c.source for c in cells(CHAPTER_11) if c["id"] == "seven-configurations")
chapter_11 = {"np": np}
exec(ENTRIES, chapter_11)
MODELS = chapter_11["MODELS"]
EIGHT = torch.tensor([[1, 5, 3, 7, 2, 6, 4, 5]])


def attention_of(config, tokens=EIGHT, **how):
    """The weights of each layer of a model with random queries and keys."""
    seen.clear()
    model = model_of(config)
    torch.manual_seed(3)
    for module in model.modules():
        if type(module).__name__.endswith("Attention"):
            for weights in module.parameters():
                torch.nn.init.normal_(weights, std=0.3)
    with torch.no_grad():
        model(tokens, use_cache=False, **how)
    layers, n = [], tokens.shape[1]
    for query, key, mask, scaling in (seen[layer] for layer in sorted(seen)):
        key = key.repeat_interleave(query.shape[1] // key.shape[1], dim=1)
        scores = query @ key.transpose(2, 3) * scaling
        if mask is None:
            mask = torch.full((n, n), -1e9).triu(1)
        layers.append((scores + mask).softmax(dim=-1))
    return torch.stack(layers)


@pytest.mark.parametrize("name", MODELS)
def test_which_models_may_begin_anywhere(name):
    config = {**MODELS[name], "hidden_size": 64, "num_attention_heads": 2}
    at_0, far = (
        attention_of(config, position_ids=start + torch.arange(8)[None])
        for start in (0, 16_380)
    )
    depends = name.startswith(("longrope", "dynamic", "a temperature"))
    assert ((far - at_0).abs().max() > 0.01) == depends  # Llama 4 reads no position_ids


def test_padding_moves_the_temperature_of_llama_4_and_not_its_chunks():
    config = READ["Llama 4"]  # chunks of 5, a temperature that grows every 4 places
    padded = torch.nn.functional.pad(EIGHT, (3, 0))
    mask = torch.tensor([[0] * 3 + [1] * 8])
    alone, behind = (
        attention_of(config),
        attention_of(config, padded, attention_mask=mask),
    )
    moved = (behind[..., 3:, 3:] - alone).abs().amax(dim=(1, 2, 3, 4)) > 1e-3
    turns = [layer.rope is not None for layer in read_positions(config).layers]
    assert moved.tolist() == [not turning for turning in turns]
