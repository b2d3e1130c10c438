"""Gemma 2: sandwich norms, soft caps on scores and logits, a window in every other layer."""

from __future__ import annotations

from collections.abc import Sequence

from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, rename
from core.families import gemma, llama
from core.families.family import Family
from core.families.windows import SLIDING, layer_type
from core.spec import BlockSpec, ModelSpec


def spec(config: Config) -> ModelSpec:
    config.refuse("use_bidirectional_attention", False, default=None)
    bias = config.flag("attention_bias", default=False)

    def block(layer: int) -> BlockSpec:
        slides = layer_type(config, layer, lambda i: i % 2 == 0) == SLIDING
        return gemma.sandwich(
            config,
            llama.attention(
                config,
                qkv_bias=bias,
                out_bias=bias,
                window=config.size("sliding_window", default=4096) if slides else None,
                scale=config.number("query_pre_attn_scalar", default=256, positive=True) ** -0.5,
                softcap=cap(config, "attn_logit_softcapping", 50.0),
                positions=gemma.rotation(config),
            ),
        )

    return llama.decoder_only(
        config,
        "Gemma 2",
        block,
        tied=True,
        scale=config.size("hidden_size") ** 0.5,
        pad=0,
        softcap=cap(config, "final_logit_softcapping", 30.0),
    )


def cap(config: Config, key: str, otherwise: float | None) -> float | None:
    """A soft cap; an explicit null means none."""
    return config.optional_number(key, positive=True) if key in config else otherwise


_BLOCK = "decoder.blocks.{i}.residual"

RULES: tuple[Rule, ...] = (
    rename("layers.{i}.post_attention_layernorm.weight", f"{_BLOCK}.self.post.weight"),
    rename("layers.{i}.pre_feedforward_layernorm.weight", f"{_BLOCK}.ffn.norm.weight"),
    rename("layers.{i}.post_feedforward_layernorm.weight", f"{_BLOCK}.ffn.post.weight"),
    *llama.RULES,
)


def rules(spec: ModelSpec) -> Sequence[Rule]:
    return RULES


_TINY = gemma.TINY | {
    "model_type": "gemma2",
    "architectures": ["Gemma2ForCausalLM"],
    "sliding_window": 5,
    "query_pre_attn_scalar": 12,
}

FAMILY = Family(
    name="Gemma 2",
    model_types={"gemma2": "Gemma2"},
    spec=spec,
    rules=rules,
    prefixes=("model.",),
    tiny=(
        _TINY | {"attn_logit_softcapping": 5.0, "final_logit_softcapping": 8.0},
        _TINY | {"attn_logit_softcapping": None, "attention_bias": True},
    ),
)
