"""Qwen3: Llama's form with norms on queries and keys, and heads of a size of their own."""

from __future__ import annotations

from core.checkpoints.config import Config
from core.families import llama, qwen2
from core.families.family import Family
from core.spec import ModelSpec


def spec(config: Config) -> ModelSpec:
    """Each head's query and key are normalised before they are rotated."""
    bias = config.flag("attention_bias", default=False)
    return llama.decoder_only(
        config,
        "Qwen3",
        lambda layer: llama.block(
            config,
            llama.attention(
                config,
                qkv_bias=bias,
                out_bias=bias,
                window=qwen2.window(config, layer),
                qk_norm=llama.rms_norm(config),
                positions=qwen2.rotation(config),
            ),
        ),
    )


_TINY = llama.TINY | {
    "model_type": "qwen3",
    "architectures": ["Qwen3ForCausalLM"],
    "hidden_size": 40,
    "head_dim": 16,
}

FAMILY = Family(
    name="Qwen3",
    model_types={"qwen3": "Qwen3"},
    spec=spec,
    rules=llama.rules,
    prefixes=("model.", "transformer."),
    tiny=(_TINY, _TINY | {"attention_bias": True, "tie_word_embeddings": True}),
)
