"""Mistral (Jiang et al. 2023): Llama's form with a sliding window."""

from __future__ import annotations

from core.checkpoints.config import Config
from core.families import llama
from core.families.family import Family
from core.families.rope import rotary
from core.spec import ModelSpec


def spec(config: Config) -> ModelSpec:
    """sliding_window null (from version 0.2 on) means full causal attention."""
    # null means no window; without the key there is one.
    window = config.optional_size("sliding_window") if "sliding_window" in config else 4096
    positions = rotary(config, llama.head_size(config), longest=131_072)
    return llama.decoder_only(
        config,
        "Mistral",
        lambda layer: llama.block(
            config, llama.attention(config, window=window, positions=positions)
        ),
    )


_TINY = llama.TINY | {"model_type": "mistral", "architectures": ["MistralForCausalLM"]}

FAMILY = Family(
    name="Mistral",
    model_types={"mistral": "Mistral"},
    spec=spec,
    rules=llama.rules,
    prefixes=("model.",),
    tiny=(_TINY | {"sliding_window": 4, "head_dim": 12}, _TINY | {"sliding_window": None}),
)
