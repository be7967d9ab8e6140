"""Configurations in the shapes of published families, of few layers and narrow."""

SIZE = {"num_hidden_layers": 4, "hidden_size": 64, "num_attention_heads": 2}
PLAIN = {**SIZE, "head_dim": 64, "max_position_embeddings": 4096}
LLAMA_3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
MLA = {"qk_rope_head_dim": 64, "qk_nope_head_dim": 32, "v_head_dim": 32, **SIZE}
MLA |= {"max_position_embeddings": 163840}
DEEPSEEK = {"type": "yarn", "factor": 40, "beta_fast": 32, "beta_slow": 1}
DEEPSEEK |= {"original_max_position_embeddings": 4096}
SHORT = [1.0 + i / 40 for i in range(16)]
LONG = [1.0 + i * i / 4 for i in range(16)]
PHI_3 = {"max_position_embeddings": 131072, "original_max_position_embeddings": 4096}
SU = {"type": "su", "short_factor": SHORT, "long_factor": LONG}
GPT_OSS = {"rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0}
GPT_OSS |= {"truncate": False, "original_max_position_embeddings": 4096}
MINISTRAL = {
    **{"type": "yarn", "rope_theta": 1e6, "factor": 16.0, "beta_fast": 32.0},
    **{"beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0},
    **{"llama_4_scaling_beta": 0.1},
}
FULL, WINDOW = "full_attention", "sliding_attention"
GEMMA_4 = {
    WINDOW: {"rope_type": "default", "rope_theta": 10000.0},
    FULL: {
        **{"rope_type": "proportional", "partial_rotary_factor": 0.25},
        "rope_theta": 1e6,
    },
}
GEMMA_3 = {
    WINDOW: {"rope_type": "default", "rope_theta": 10000.0},
    FULL: {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
}
SEVEN = {**PLAIN, "num_hidden_layers": 7, "sliding_window": 6}


def of(model_type, *parts, **entries):
    """A configuration of parts, whose later ones win."""
    config = {"model_type": model_type}
    for part in (*parts, entries):
        config |= part
    return config


NEW_YARN = {**YARN, "rope_theta": 1e6}
READ = {
    "Llama 1": of("llama", SIZE, max_position_embeddings=2048, rope_theta=10000.0),
    "Llama 2, no base": of("llama", SIZE, max_position_embeddings=4096),
    "Llama 3.1": of(
        "llama", PLAIN, max_position_embeddings=131072, rope_theta=5e5,
        rope_scaling=LLAMA_3,
    ),
    "Vicuna, linear": of(
        "llama", PLAIN, rope_scaling={"type": "linear", "factor": 4.0}
    ),
    "Llama, dynamic": of(
        "llama", PLAIN, rope_scaling={"type": "dynamic", "factor": 2.0}
    ),
    "Llama, factor null": of(
        "llama", PLAIN, max_position_embeddings=131072,
        rope_parameters={**YARN, "factor": None},
    ),
    "Llama, longrope": of(
        "llama", PLAIN, max_position_embeddings=131072, head_dim=32,
        rope_parameters={
            "rope_type": "longrope", "short_factor": SHORT, "long_factor": LONG,
            "factor": 16.0, "original_max_position_embeddings": 8192,
        },
    ),
    "Llama 4": of(
        "llama4_text", PLAIN, num_hidden_layers=6, head_dim=128, no_rope_layers=[],
        attention_chunk_size=5, floor_scale=4, attn_scale=0.3, rope_theta=5e5,
        rope_scaling={**LLAMA_3, "high_freq_factor": 1.0},
    ),
    "Llama 4, a list": of(
        "llama4_text", PLAIN, attention_chunk_size=None, no_rope_layers=[1, 0, 0, 1],
        attn_temperature_tuning=False,
    ),
    "Mistral v0.1": of("mistral", PLAIN, sliding_window=6, rope_theta=10000.0),
    "Mistral v0.3": of("mistral", PLAIN, sliding_window=None, rope_theta=1e6),
    "Mixtral": of("mixtral", PLAIN, sliding_window=None, rope_theta=1e6),
    "Ministral 3": of(
        "ministral3", PLAIN, max_position_embeddings=262144,
        rope_parameters={**MINISTRAL, "original_max_position_embeddings": 16384},
    ),
    "Ministral 3, short": of(
        "ministral3", PLAIN, max_position_embeddings=80,
        rope_parameters={**MINISTRAL, "original_max_position_embeddings": 5},
    ),
    "Ministral 3, no temperature": of(
        "ministral3", PLAIN, max_position_embeddings=262144,
        rope_parameters={**MINISTRAL, "llama_4_scaling_beta": 0,
                         "original_max_position_embeddings": 16384},
    ),
    "Llama, beside a perceiver": {
        "model_type": "idefics3",
        "text_config": of("llama", PLAIN),
        "perceiver_config": {"resampler_head_dim": 96},
    },
    "Qwen2": of(
        "qwen2", SIZE, max_position_embeddings=32768, rope_theta=1e6,
        sliding_window=6, use_sliding_window=False, max_window_layers=2,
    ),
    "Qwen2, windows": of(
        "qwen2", SIZE, max_position_embeddings=32768, rope_theta=1e6,
        sliding_window=6, use_sliding_window=True, max_window_layers=2,
    ),
    "Qwen2.5, yarn": of(
        "qwen2", SIZE, max_position_embeddings=32768, rope_theta=1e6,
        rope_scaling={"type": "yarn", **YARN},
    ),
    "Qwen3": of(
        "qwen3", PLAIN, head_dim=128, max_position_embeddings=40960, rope_theta=1e6,
        rope_scaling=None, sliding_window=None, use_sliding_window=False,
        max_window_layers=36,
    ),
    "Qwen3, yarn": of("qwen3", PLAIN, rope_parameters=NEW_YARN),
    "Qwen3 MoE": of("qwen3_moe", PLAIN, sliding_window=6, use_sliding_window=True),
    "Qwen3-Next": of(
        "qwen3_next", PLAIN, num_hidden_layers=8, head_dim=256, rope_theta=1e7,
        partial_rotary_factor=0.25, max_position_embeddings=262144,
        full_attention_interval=4,
    ),
    "Gemma": of("gemma", PLAIN, head_dim=256, rope_theta=10000.0),
    "Gemma 2": of("gemma2", PLAIN, head_dim=256, sliding_window=6),
    "Gemma 3": of(
        "gemma3_text", SEVEN, sliding_window_pattern=6, rope_theta=1e6,
        rope_local_base_freq=10000.0,
        rope_scaling={"rope_type": "linear", "factor": 8.0},
    ),
    "Gemma 3, new form": of("gemma3_text", SEVEN, rope_parameters=GEMMA_3),
    "Gemma 3, nested": {
        "model_type": "gemma3",
        "vision_config": {"model_type": "siglip_vision_model", "image_size": 896},
        "text_config": of("gemma3_text", SEVEN, rope_scaling=None),
    },
    "Gemma 4": of(
        "gemma4_text", SEVEN, global_head_dim=128, rope_parameters=GEMMA_4,
        layer_types=[WINDOW] * 5 + [FULL] * 2, use_bidirectional_attention="vision",
    ),
    "Gemma 4, bare": of("gemma4_text", SEVEN),
    "Phi-3, 4k": of(
        "phi3", SIZE, max_position_embeddings=4096, sliding_window=6,
        original_max_position_embeddings=4096, rope_scaling=None,
    ),
    "Phi-3, its class's length": of(
        "phi3", SIZE, max_position_embeddings=131072, rope_scaling=SU
    ),
    "Phi-3, 128k": of("phi3", SIZE, PHI_3, rope_theta=10000.0, rope_scaling=SU),
    "Phi-4-mini, partial": of(
        "phi3", SIZE, PHI_3, hidden_size=96, partial_rotary_factor=2 / 3,
        rope_scaling={"type": "longrope", "short_factor": SHORT, "long_factor": LONG},
    ),
    "Phi-2": of("phi", SIZE, max_position_embeddings=2048, partial_rotary_factor=0.5),
    "GPT-J": {
        "model_type": "gptj", "n_layer": 3, "n_head": 2, "n_embd": 64,
        "n_positions": 2048, "rotary_dim": 16, "rotary": True,
    },
    "GPT-NeoX": of(
        "gpt_neox", SIZE, max_position_embeddings=2048, rotary_pct=0.25,
        rotary_emb_base=10000,
    ),
    "Pythia, new form": of(
        "gpt_neox", SIZE, max_position_embeddings=2048,
        rope_parameters={
            "rope_type": "default", "rope_theta": 5e4, "partial_rotary_factor": 0.5
        },
    ),
    "Falcon": of("falcon", SIZE, alibi=False, multi_query=True),
    "Falcon, an old name": of(
        "falcon", {"num_hidden_layers": 4, "num_attention_heads": 2}, n_embed=128
    ),
    "DeepSeek V2": of(
        "deepseek_v2", MLA,
        rope_scaling={**DEEPSEEK, "mscale": 0.707, "mscale_all_dim": 0.707},
    ),
    "DeepSeek V2, two scales": of(
        "deepseek_v2", MLA,
        rope_scaling={**DEEPSEEK, "mscale": 0.5, "mscale_all_dim": 0.8},
    ),
    "DeepSeek V3": of(
        "deepseek_v3", MLA, rope_theta=10000,
        rope_scaling={**DEEPSEEK, "mscale": 1.0, "mscale_all_dim": 1.0},
    ),
    "DeepSeek V3, halves": of("deepseek_v3", MLA, rope_interleave=False),
    "DeepSeek V3, null": of("deepseek_v3", MLA, rope_interleave=None),
    "Kimi K2": of(
        "kimi_k2", MLA, max_position_embeddings=131072, rope_theta=50000.0,
        rope_scaling={**DEEPSEEK, "factor": 32.0, "mscale": 1.0, "mscale_all_dim": 1.0,
                      "beta_fast": 1.0},
    ),
    "gpt-oss": of(
        "gpt_oss", PLAIN, max_position_embeddings=131072, rope_theta=150000,
        sliding_window=6, rope_scaling=GPT_OSS,
        layer_types=[WINDOW, FULL, WINDOW, FULL],
    ),
    "GLM-4": of("glm4", PLAIN, partial_rotary_factor=0.5, rope_theta=10000.0),
    "GLM-4, bare": of("glm", PLAIN),
    "GLM-4.5": of("glm4_moe", PLAIN, head_dim=128, rope_theta=1e6),
    "MiniMax M2": of(
        "minimax_m2", PLAIN, head_dim=128, rotary_dim=64, rope_theta=5e6,
        max_position_embeddings=196608, attn_type_list=[1, 1, 1, 1],
    ),
    "Granite": of("granite", SIZE, max_position_embeddings=8192, rope_theta=10000.0),
    "SmolLM3": of(
        "smollm3", PLAIN, num_hidden_layers=5, rope_theta=5e6, max_window_layers=28,
        no_rope_layers=[1, 1, 1, 0, 1], layer_types=[FULL] * 5, sliding_window=None,
        use_sliding_window=False,
    ),
    "SmolLM3, bare": of("smollm3", PLAIN, num_hidden_layers=5),
    "Cohere": of("cohere", SIZE, max_position_embeddings=8192, rope_theta=8e6),
    "Cohere 2": of(
        "cohere2", SIZE, max_position_embeddings=8192, rope_theta=5e4,
        sliding_window=6, sliding_window_pattern=3,
    ),
    "OLMo": of("olmo", SIZE, max_position_embeddings=2048),
    "OLMo 2": of("olmo2", SIZE, max_position_embeddings=4096, rope_theta=5e5),
    "OLMo 3": of(
        "olmo3", SIZE, max_position_embeddings=65536, sliding_window=6, rope_theta=5e5,
        rope_scaling={**YARN, "original_max_position_embeddings": 8192,
                      "attention_factor": 1.2079441541679836, "beta_fast": 32.0},
    ),
    "nanochat": of("nanochat", SIZE, max_position_embeddings=2048),
}  # fmt: skip
