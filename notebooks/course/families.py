"""What the code of a family of models does that its config.json does not say."""

from typing import NamedTuple

PARTIAL, LENGTH = "partial_rotary_factor", "max_position_embeddings"
FIRST, BETA = "original_max_position_embeddings", "llama_4_scaling_beta"
OLD_NAMES = {"rotary_pct": PARTIAL, "rotary_emb_base": "rope_theta",
             "n_layer": "num_hidden_layers", "n_head": "num_attention_heads",
             "n_embd": "hidden_size", "n_embed": "hidden_size",
             "n_positions": LENGTH}  # fmt: skip
QUOTIENT = {"cohere2", "falcon", "gpt_neox", "gptj"}  # have no head_dim of their own
# What each type of RoPE reads beside its base
TYPES = {
    "default": "", "linear": "factor", "dynamic": "factor", "proportional": "factor",
    "llama3": f"{FIRST} factor low_freq_factor high_freq_factor",
    "yarn": f"{FIRST} factor attention_factor beta_fast beta_slow mscale mscale_all_dim"
            " truncate",
    "longrope": f"{FIRST} factor attention_factor short_factor long_factor",
}  # fmt: skip


class Family(NamedTuple):
    """What the code of a model_type does.

    >>> FAMILIES["gemma2"].rule, FAMILIES["gemma2"].defaults
    ('window 2', {'head_dim': 256, 'sliding_window': 4096})
    """

    rule: str = "full"  # the kind of all layers; "window 6": but every sixth is full
    defaults: dict = {}  # what a missing key means
    keys: str = ""  # further ones that it reads
    layout: str = "halves"
    types: str = "default linear dynamic llama3 yarn longrope"
    rope_keys: str = "rope_theta rope_scaling rope_parameters"
    local: float = 0  # the base in layers with a window, where it is another one
    nope: str = ""  # the kind of layers without RoPE
    sign: int = 1


PAIRS, WINDOW = "neighbours", {"sliding_window": 4096}
QWEN = {"use_sliding_window": False, "max_window_layers": 28, **WINDOW}
MLA = {"qk_rope_head_dim": 64, "qk_nope_head_dim": 128}
SMOL = {"rope_theta": 2e6, "no_rope_layer_interval": 4, "use_sliding_window": False}
LLAMA_4 = {"rope_theta": 5e5, "head_dim": 128, "no_rope_layer_interval": 4,
           "attention_chunk_size": 8192, "attn_temperature_tuning": True,
           "floor_scale": 8192, "attn_scale": 0.1}  # fmt: skip
GEMMA_4 = {"head_dim": 256, "global_head_dim": 512, "sliding_window": 512,
           "rope_parameters": {
               "full_attention": {"rope_type": "proportional", PARTIAL: 0.25,
                                  "rope_theta": 1e6},
               "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
           }}  # fmt: skip
PATTERN = "layer_types sliding_window_pattern _sliding_window_pattern"
DEEPSEEK = Family("full", MLA, "rope_interleave qk_head_dim", PAIRS)
# As the classes of Transformers have it; tests/platforms/test_configs.py compares
FAMILIES = {
    **dict.fromkeys(("llama", "granite", "olmo", "olmo2"), Family()),
    "nanochat": Family(sign=-1),
    "falcon": Family("full", {LENGTH: 2048}, "n_embed"),
    "cohere": Family("full", {"rope_theta": 5e5}, "", PAIRS),
    "gemma": Family("full", {"head_dim": 256}),
    "mistral": Family("all", WINDOW),
    "mixtral": Family("all", {"rope_theta": 1e6}, "sliding_window"),
    "ministral3": Family("all", {"head_dim": 128}, f"sliding_window {BETA}",
                         types="yarn"),
    "phi3": Family("all", {FIRST: 4096}, f"{PARTIAL} sliding_window",
                   types="default longrope"),
    "qwen2": Family("late", QWEN, "layer_types"),
    "qwen3": Family("late", {"head_dim": 128, **QWEN}, "layer_types"),
    "qwen3_moe": Family("all", {"use_sliding_window": False, **WINDOW},
                        "max_window_layers"),
    "qwen3_next": Family("linear 4", {"head_dim": 256, PARTIAL: 0.25},
                         "layer_types full_attention_interval"),
    "gemma2": Family("window 2", {"head_dim": 256, **WINDOW}, "layer_types"),
    "gemma3_text": Family("window 6", {"head_dim": 256, "rope_theta": 1e6, **WINDOW},
                          f"{PATTERN} rope_local_base_freq", local=1e4),
    "gemma4_text": Family("window 6 full", GEMMA_4, "layer_types", local=1e4,
                          types="default proportional", rope_keys=""),
    "olmo3": Family("window 4", {"rope_theta": 5e5, **WINDOW}, "layer_types",
                    local=5e5),
    "gpt_oss": Family("window 2", {"head_dim": 64, "rope_theta": 1.5e5,
                                   "sliding_window": 128}, "layer_types", types="yarn"),
    "cohere2": Family("window 4", WINDOW, PATTERN, PAIRS, nope="full"),
    "smollm3": Family("full", SMOL, "layer_types no_rope_layers max_window_layers"),
    "llama4_text": Family("chunk", LLAMA_4, "layer_types no_rope_layers", PAIRS,
                          "default llama3"),
    "deepseek_v2": DEEPSEEK._replace(keys="qk_head_dim"),
    "deepseek_v3": DEEPSEEK,
    "kimi_k2": DEEPSEEK,
    "gptj": Family("full", {"rotary_dim": 64}, "n_layer n_head n_embd n_positions",
                   PAIRS, "default", ""),
    "gpt_neox": Family("full", {"rotary_pct": 0.25, "rotary_emb_base": 1e4},
                       rope_keys="rope_scaling rope_parameters"),
    "phi": Family("full", {PARTIAL: 0.5}),
    "glm": Family("full", {"head_dim": 128, PARTIAL: 0.5}, "", PAIRS),
    "glm4": Family("full", {"head_dim": 128, PARTIAL: 0.5}, "", PAIRS),
    "glm4_moe": Family("full", {PARTIAL: 0.5}),
    "minimax_m2": Family("full", {"head_dim": 128, "rope_theta": 5e6},
                         f"rotary_dim {PARTIAL}"),
}  # fmt: skip
