"""Qwen2 and Qwen2.5: Llama's form with biases on q, k and v, and windows in the upper layers."""

from __future__ import annotations

from core.checkpoints.config import Config
from core.families import llama
from core.families.family import Family
from core.families.rope import rotary
from core.families.windows import SLIDING, layer_type
from core.spec import ModelSpec, RotaryPositions


def spec(config: Config) -> ModelSpec:
    return llama.decoder_only(
        config,
        "Qwen2",
        lambda layer: llama.block(
            config,
            llama.attention(
                config,
                qkv_bias=True,
                window=window(config, layer),
                positions=rotation(config),
            ),
        ),
    )


def rotation(config: Config) -> RotaryPositions:
    """That of Qwen2 and Qwen3."""
    return rotary(config, llama.head_size(config), longest=32_768)


def window(config: Config, layer: int) -> int | None:
    """Layers from max_window_layers on slide, if use_sliding_window says so at all."""
    if not config.flag("use_sliding_window", default=False):
        return None
    first = config.count("max_window_layers", default=28)
    if layer_type(config, layer, lambda i: i >= first) != SLIDING:
        return None
    # null means no window; without the key there is one.
    return config.optional_size("sliding_window") if "sliding_window" in config else 4096


_TINY = llama.TINY | {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"]}

FAMILY = Family(
    name="Qwen2",
    model_types={"qwen2": "Qwen2"},
    spec=spec,
    rules=llama.rules,
    prefixes=("model.", "transformer."),
    tiny=(
        _TINY | {"tie_word_embeddings": True},
        _TINY | {"use_sliding_window": True, "sliding_window": 5, "max_window_layers": 1},
    ),
)
