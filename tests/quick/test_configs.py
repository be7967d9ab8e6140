"""`read_positions` reads a configuration, or says by name what it does not read."""

import json

import numpy as np
import pytest

from course import read_positions
from course.trained_models import DATA
from tests.support.configs import (
    DEEPSEEK,
    FULL,
    GEMMA_4,
    LLAMA_3,
    LONG,
    PLAIN,
    READ,
    SHORT,
    SIZE,
    SU,
    WINDOW,
    YARN,
    of,
)

LLAMA = of("llama", PLAIN)
SLIDING = of("gpt_oss", PLAIN, rope_scaling=YARN)
NO_LENGTH = {key: YARN[key] for key in ("rope_type", "factor")}
# Each with what its refusal says
REFUSED = {
    # ---- no RoPE, or another one ----
    "BLOOM": ({"model_type": "bloom", "n_layer": 2, "n_head": 2}, "model_type"),
    "MPT": ({"model_type": "mpt", "attn_config": {"alibi": True}}, "model_type"),
    "ALiBi": (of("falcon", SIZE, alibi=True), "alibi True"),
    "ALiBi, below": (
        LLAMA | {"attn_config": {"alibi": True}}, "alibi True, in attn_config",
    ),
    "nope": (
        LLAMA | {"position_embedding_type": "nope"}, "position_embedding_type 'nope'",
    ),
    "M-RoPE": (
        of("qwen2", SIZE, max_position_embeddings=9, rope_scaling={
            "rope_type": "default", "mrope_section": [16, 24, 24]
        }),
        "rope_scaling.mrope_section [16, 24, 24]",
    ),
    "M-RoPE, old": (LLAMA | {"rope_scaling": {"type": "mrope"}}, "rope_type 'mrope'"),
    "unknown type": (LLAMA | {"rope_scaling": {"type": "ntk"}}, "rope_type 'ntk'"),
    "unknown key": (LLAMA | {"use_dual_chunk": True}, "use_dual_chunk True"),
    "no family": ({"rotary_dim": 64, "rope_theta": 5e6}, "rope_theta, rotary_dim"),
    "a family that is not read": (of("chatglm", SIZE), "model_type 'chatglm'"),
    "a family that is no text": ({"model_type": 3}, "model_type 3"),
    # ---- keys that the family's code passes over ----
    "a share that Llama has not": (
        LLAMA | {"partial_rotary_factor": 0.5}, "partial_rotary",
    ),
    "a window that Llama has not": (LLAMA | {"sliding_window": 9}, "sliding_window 9"),
    "a name of GPT-NeoX": (LLAMA | {"rotary_pct": 0.5}, "rotary_pct 0.5"),
    "kinds in Mistral": (of("mistral", PLAIN, layer_types=[FULL] * 4), "layer_types"),
    "a temperature": (
        LLAMA | {"attn_temperature_tuning": True}, "attn_temperature_tuning",
    ),
    "a beta of Ministral 3": (
        LLAMA | {"rope_parameters": {**YARN, "llama_4_scaling_beta": 0.1}},
        "rope_parameters.llama_4_scaling_beta",
    ),
    "both ways": (
        of("gemma3_text", PLAIN, use_bidirectional_attention=True), "use_bidir",
    ),
    "not causal": (LLAMA | {"is_causal": False}, "is_causal False"),
    "not causal, perhaps": (
        of("mistral", PLAIN, is_causal=None), "is_causal None, with model_type",
    ),
    "a prompt read both ways": (
        {"model_type": "paligemma", "text_config": of("gemma2", PLAIN)},
        "model_type 'paligemma'",
    ),
    "a text without a type": (
        {"model_type": "llava", "text_config": PLAIN}, "model_type None"
    ),
    "for each kind, in Llama": (LLAMA | {"rope_parameters": GEMMA_4}, "full_attention"),
    "for each kind, in the old form": (
        of("gemma3_text", PLAIN, rope_scaling=GEMMA_4), "rope_scaling.sliding_attention"
    ),
    "flat, in Gemma 3": (
        of("gemma3_text", PLAIN, rope_parameters=YARN), "rope_parameters",
    ),
    "a factor without a type": (
        LLAMA | {"rope_scaling": {"factor": 8}}, "scaling.factor 8",
    ),
    "a width that GPT-NeoX has not": (of("gpt_neox", PLAIN), "head_dim 32 and 64"),
    # ---- missing, null, or no such number ----
    "no scaling": (of("gpt_oss", PLAIN), "no rope_parameters"),
    "no beta": (of("ministral3", PLAIN, rope_scaling=YARN), "llama_4_scaling_beta"),
    "factor null": (
        LLAMA | {"rope_scaling": {**LLAMA_3, "factor": None}}, "factor must",
    ),
    "no factor": (
        LLAMA | {"rope_scaling": {
            "type": "yarn", "original_max_position_embeddings": 9
        }},
        "factor must be a number > 0, at most 1e15; got no such",
    ),
    "factor null in DeepSeek": (
        of("deepseek_v3", READ["DeepSeek V3"], rope_scaling={
            **DEEPSEEK, "factor": None, "mscale_all_dim": 1.0
        }),
        "factor must",
    ),
    "yarn of no length": (LLAMA | {"rope_scaling": NO_LENGTH}, "original_max_position"),
    "base null": (LLAMA | {"rope_theta": None}, "rope_theta must"),
    "base true": (LLAMA | {"rope_theta": True}, "rope_theta must"),
    "base 1": (LLAMA | {"rope_theta": 1}, "rope_theta 1: not above 1"),
    "layers by half": (LLAMA | {"num_hidden_layers": 2.5}, "num_hidden_layers must"),
    "no length": (of("llama", SIZE), "max_position_embeddings must"),
    "no width": ({"model_type": "llama", "num_hidden_layers": 2}, "hidden_size must"),
    "an odd width": (LLAMA | {"head_dim": 7}, "rotary_dim 7, of head_dim 7"),
    "more than a head": (of("gptj", READ["GPT-J"], rotary_dim=64), "rotary_dim 64"),
    "rotary_dim null": (of("gptj", READ["GPT-J"], rotary_dim=None), "rotary_dim must"),
    "window null": (SLIDING | {"sliding_window": None}, "sliding_window must"),
    "chunk 0": (
        of("llama4_text", PLAIN, attention_chunk_size=0), "attention_chunk_size",
    ),
    "no kinds of SmolLM3": (
        of("smollm3", PLAIN, no_rope_layers=[]), "no_rope_layers []",
    ),
    "a list too short": (
        of("smollm3", PLAIN, no_rope_layers=[1]), "no_rope_layers [1]",
    ),
    "kinds too few": (
        SLIDING | {"layer_types": [FULL]}, "layer_types ['full_attention']",
    ),
    "an unknown kind": (SLIDING | {"layer_types": ["conv"] * 4}, "layer_types 'conv'"),
    "a kind that it has not": (
        of("qwen3_next", PLAIN, layer_types=[WINDOW] * 4),
        "layer_types 'sliding_attention'",
    ),
    "longrope, too short": (
        of("phi3", READ["Phi-3, 128k"], rope_scaling={**SU, "short_factor": SHORT[1:]}),
        "short_factor",
    ),
    "longrope from 1": (
        LLAMA | {"head_dim": 32, "rope_parameters": {
            **SU, "type": "longrope", "original_max_position_embeddings": 1
        }},
        "original_max_position_embeddings 1",
    ),
    "longrope, no list": (
        of("phi3", READ["Phi-3, 128k"], rope_scaling={**SU, "long_factor": None}),
        "long_factor must",
    ),
    "not a dict": (LLAMA | {"rope_scaling": "yarn"}, "rope_scaling 'yarn'"),
    "text, not a dict": ({"text_config": "llama"}, "text_config 'llama'"),
    "the old name of the type, in Gemma 3": (
        of("gemma3_text", READ["Gemma 3"], rope_scaling={"type": "linear"}),
        "rope_scaling.type 'linear'",
    ),
    "a part of Gemma 4": (
        of("gemma4_text", READ["Gemma 4"], rope_parameters={FULL: {}, WINDOW: {}}),
        "rope_theta must",
    ),
    "a head of DeepSeek": (
        of("deepseek_v3", READ["DeepSeek V3"], head_dim=32), "head_dim 64 and 32"
    ),
    # ---- two things at once ----
    "two bases": (
        LLAMA | {"rope_theta": 5e5, "rope_parameters": {"rope_theta": 1e4}},
        "rope_theta 10000.0 and 500000.0",
    ),
    "two bases for windows": (
        of("gemma3_text", READ["Gemma 3, new form"], rope_local_base_freq=5e4),
        "rope_local_base_freq 10000.0 and 50000.0",
    ),
    "two types": (
        LLAMA | {"rope_scaling": {**YARN, "type": "linear"}}, "type 'yarn' and 'linear'"
    ),
    "two scalings": (
        LLAMA | {"rope_scaling": YARN, "rope_parameters": YARN}, "rope_scaling",
    ),
    "two shares": (
        of("minimax_m2", PLAIN, rotary_dim=32, partial_rotary_factor=0.25),
        "rotary_dim 32",
    ),
    "two lengths": (
        of("phi3", READ["Phi-3, 128k"], rope_scaling={
            **SU, "original_max_position_embeddings": 8192
        }),
        "original_max_position_embeddings 8192 and 4096",
    ),
    "two lengths, one by the class": (
        of("phi3", SIZE, max_position_embeddings=131072, rope_scaling={
            **SU, "original_max_position_embeddings": 8192
        }),
        "original_max_position_embeddings 8192 and 4096",
    ),
    "two widths": (of("falcon", SIZE, n_embed=128), "hidden_size 128 and 64"),
    "a share that is rounded": (
        of("minimax_m2", PLAIN, head_dim=88, rotary_dim=60), "rotary_dim 59",
    ),
    "beside the text": (
        {"text_config": LLAMA, "rope_theta": 5e5},
        "rope_theta 500000.0, beside text_config",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_understood_is_refused_by_name(name):
    config, named = REFUSED[name]
    with pytest.raises(ValueError) as caught:
        read_positions(config)
    message = str(caught.value)
    assert named in message and "\n" not in message, message
    assert caught.value.__context__ is None or caught.value.__suppress_context__


@pytest.mark.parametrize("config", [None, [], "{}", 3])
def test_what_is_no_configuration_is_refused(config):
    with pytest.raises(ValueError, match="config must be the dict of a config.json"):
        read_positions(config)


@pytest.mark.parametrize("length", [0, -1, 2.5, True, "8"])
def test_a_length_that_is_none_is_refused(length):
    with pytest.raises(ValueError, match="length must be"):
        read_positions(LLAMA, length)


@pytest.mark.parametrize("name", READ)
def test_every_family_is_read_without_a_change_to_its_configuration(name):
    before = json.dumps(READ[name])
    read = read_positions(READ[name])
    assert json.dumps(READ[name]) == before
    assert read.layout in ("halves", "neighbours") and read.sign in (1, -1)
    for layer in read.layers:
        assert (layer.span is None) == (layer.kind in ("full", "linear"))
        if layer.rope:
            assert len(layer.rope.omega) * 2 == len(layer.rope.rotated)
            assert not layer.rope.omega.flags.writeable


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("key", ["alibi", "my_rope_key", "window_size", "use_mrope"])
def test_every_family_refuses_a_key_that_it_does_not_know(name, key):
    config = READ[name]
    inner = config.get("text_config")
    config = config | ({"text_config": inner | {key: 3}} if inner else {key: 3})
    with pytest.raises(ValueError, match=f"{key} 3"):
        read_positions(config)


JUNK = [None, True, -1, 0, 1e308, float("nan"), "x", [], [[1]], {}, {"a": [1]}, 10**400]


@pytest.mark.parametrize("name", READ)
def test_junk_is_read_or_refused_in_one_line(name):
    """In each entry of each configuration, at the top and below it."""
    config = READ[name].get("text_config", READ[name])
    places = [(config, key) for key in config]
    for value in config.values():
        if isinstance(value, dict):
            places += [(value, key) for key in value]
    for where, key in places:
        for junk in JUNK:
            spoiled = {**where, key: junk}
            if where is not config:
                (top,) = (x for x in config if config[x] is where)
                spoiled = {**config, top: spoiled}
            try:
                read_positions(spoiled, length=10_000)
            except ValueError as error:
                assert "\n" not in str(error) and len(str(error)) < 400


def test_partial_rotation_under_the_older_name():
    rope = read_positions(READ["MiniMax M2"]).rope()
    assert rope.rotated == range(64) and len(rope.omega) == 32
    turns = 196_608 * rope.omega / (2 * np.pi)
    assert (turns < 1).sum() == 10


def test_what_multiplies_a_score():
    gpt_oss = read_positions(READ["gpt-oss"]).rope()
    assert gpt_oss.attention_factor == pytest.approx(1.3465735902799727)
    assert gpt_oss.score_factor == pytest.approx(1.81, abs=0.005)
    deepseek = read_positions(READ["DeepSeek V3"]).rope()
    assert deepseek.attention_factor == 1
    assert deepseek.score_factor == pytest.approx((0.1 * np.log(40) + 1) ** 2)
    assert deepseek.rotated == range(32, 96)


def test_kinds_of_layers():
    def kinds(name):
        layers = read_positions(READ[name]).layers
        return "".join(x.kind[0] if x.rope else x.kind[0].upper() for x in layers)

    assert kinds("Mistral v0.1") == "wwww" and kinds("Mistral v0.3") == "ffff"
    assert kinds("Llama 4") == "cccFcc"  # capitals: without RoPE
    assert kinds("Cohere 2") == "wwFw"
    assert kinds("Qwen3-Next") == "LLLfLLLf"
    assert kinds("Gemma 3") == "wwwwwfw" and kinds("SmolLM3") == "fffFf"


def test_the_temperature_grows_with_the_place_of_the_query():
    layers = read_positions(READ["Llama 4"]).layers
    grown = layers[3].query_factor([0, 3, 7])
    np.testing.assert_allclose(grown, 1 + 0.3 * np.log([1, 2, 3]))
    assert layers[0].query_factor(1000) == 1
    ministral = read_positions(READ["Ministral 3"]).layers[0]
    assert ministral.query_factor(16_383) == 1
    assert ministral.query_factor(20_000) == pytest.approx(1 + 0.1 * np.log(2))


def test_frequencies_that_depend_on_the_text():
    config = READ["Phi-3, 128k"]
    read, longer = read_positions(config), read_positions(config, length=4097)
    assert read.changes_beyond == read.length == 4096
    assert read.length_from == "original_max_position_embeddings"
    np.testing.assert_allclose(read.rope().omega * SHORT, read.rope().before)
    just = read_positions(config, length=4096).rope()
    assert np.array_equal(just.omega, read.rope().omega)
    np.testing.assert_allclose(longer.rope().omega * LONG, longer.rope().before)
    dynamic = read_positions(READ["Llama, dynamic"], length=8192).rope()
    base = 1e4 * 3 ** (64 / 62)
    np.testing.assert_allclose(dynamic.omega, base ** -(np.arange(32) / 32))


def test_two_equal_factors_of_llama3_divide_by_nothing():
    with np.errstate(all="raise"):
        rope = read_positions(READ["Llama 4"]).rope("chunk")
    slowed = rope.before * 8192 < 2 * np.pi
    np.testing.assert_allclose(rope.omega, rope.before / np.where(slowed, 8, 1))


def test_the_windows_of_gemma_have_a_base_of_their_own():
    for name in ("Gemma 3", "Gemma 3, new form"):
        read = read_positions(READ[name])
        assert read.rope("window").base == 1e4 and read.rope().base == 1e6
        np.testing.assert_allclose(read.rope().omega * 8, read.rope().before)
    still = read_positions(READ["Gemma 4"]).rope()
    assert (still.omega > 0).sum() == 16 and still.rotated == range(128)
    assert read_positions(READ["Gemma 3, nested"]).rope("window").base == 1e4


def test_the_configurations_of_chapter_10_are_read_once_their_family_is_said():
    published = json.loads((DATA / "configurations.json").read_text(encoding="utf-8"))
    family = {"LLaMA": "llama", "Llama 3.1": "llama", "DeepSeek-V3": "deepseek_v3"}
    family |= {"SmolLM3": "smollm3", "gpt-oss": "gpt_oss", "Gemma 4": "gemma4_text"}
    for name, model in published.items():
        read = read_positions({"model_type": family[name], **model["config"]})
        assert len(read.layers) == model["config"]["num_hidden_layers"]
