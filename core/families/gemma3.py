"""Gemma 3, its text half: norms on queries and keys, five layers with a window to one without, and
a rotation of its own for each of the two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, leave
from core.errors import CheckpointError
from core.families import gemma, gemma2, llama
from core.families.family import Family
from core.families.rope import rotary
from core.families.windows import FULL, SLIDING, layer_type
from core.spec import BlockSpec, ModelSpec, RotaryPositions


def spec(config: Config) -> ModelSpec:
    config = text_half(config)
    config.refuse("use_bidirectional_attention", False, default=None)
    bias = config.flag("attention_bias", default=False)
    every = config.size("sliding_window_pattern", default=6)
    kinds = {kind: rotation(config, kind) for kind in (FULL, SLIDING)}

    if config.read("attn_logit_softcapping") is not None:
        config.notes.append(
            f"{config.path.name} sets attn_logit_softcapping, which Gemma 3 does not read: its "
            "scores have no cap, as in transformers"
        )

    def block(layer: int) -> BlockSpec:
        kind = layer_type(config, layer, lambda i: (i + 1) % every != 0)
        attention = llama.attention(
            config,
            qkv_bias=bias,
            out_bias=bias,
            window=config.size("sliding_window", default=4096) if kind == SLIDING else None,
            qk_norm=llama.rms_norm(config, unit_offset=True),
            scale=config.number("query_pre_attn_scalar", default=256, positive=True) ** -0.5,
            positions=kinds[kind],
        )
        return gemma.sandwich(config, attention)

    return llama.decoder_only(
        config,
        "Gemma 3",
        block,
        tied=True,
        scale=config.size("hidden_size") ** 0.5,
        pad=0,
        softcap=gemma2.cap(config, "final_logit_softcapping", None),
    )


def text_half(config: Config) -> Config:
    """The text model's part of a configuration that has an image encoder too."""
    inner = config.read("text_config")
    if inner is None:
        return config
    if not isinstance(inner, Mapping):
        raise CheckpointError(f"{config.path}: text_config is {inner!r}; an object is expected")
    outer = {key: config[key] for key in _OUTER if config.get(key) is not None}
    text = Config(_UNSAID | dict(inner) | outer, config.path, config.elsewhere)
    text.notes = config.notes
    return text


_OUTER = (
    "architectures",
    "eos_token_id",
    "id2label",
    "num_labels",
    "pad_token_id",
    "tie_word_embeddings",
)
_UNSAID = {
    "vocab_size": 262_208,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "max_position_embeddings": 131_072,
}
"""What the published files leave out of text_config."""


def rotation(config: Config, kind: str) -> RotaryPositions:
    """Nested rope_parameters, or rope_theta with rope_local_base_freq; only full layers stretch."""
    full = kind == FULL
    return rotary(
        config,
        llama.head_size(config),
        layer_type=kind,
        stretches=full,
        theta_keys=("rope_theta",) if full else ("rope_local_base_freq",),
        default_theta=1_000_000.0 if full else 10_000.0,
        longest=131_072,
    )


RULES: tuple[Rule, ...] = (
    leave("vision_tower.**", "an image encoder"),
    leave("multi_modal_projector.**", "an image encoder"),
    *gemma2.RULES,
)


def rules(spec: ModelSpec) -> Sequence[Rule]:
    return RULES


_TINY = gemma.TINY | {
    "model_type": "gemma3_text",
    "architectures": ["Gemma3ForCausalLM"],
    "sliding_window": 5,
    "query_pre_attn_scalar": 12,
    "num_hidden_layers": 4,
    "layer_types": ["sliding_attention", "full_attention"] * 2,
}

_NAMES = ("model_type", "architectures")

FAMILY = Family(
    name="Gemma 3",
    model_types={"gemma3_text": "Gemma3Text", "gemma3": "Gemma3"},
    spec=spec,
    rules=rules,
    prefixes=("language_model.model.", "model.language_model.", "language_model.", "model."),
    tiny=(
        _TINY,
        _TINY
        | {
            "rope_parameters": {
                "full_attention": {
                    "rope_type": "linear",
                    "factor": 8.0,
                    "rope_theta": 50_000.0,
                },
                "sliding_attention": {"rope_type": "default", "rope_theta": 300.0},
            },
        },
        {
            "model_type": "gemma3",
            "architectures": ["Gemma3ForConditionalGeneration"],
            "text_config": {k: v for k, v in _TINY.items() if k not in _NAMES},
            "vision_config": {
                "hidden_size": 16,
                "intermediate_size": 16,
                "num_hidden_layers": 1,
                "num_attention_heads": 2,
                "image_size": 8,
                "patch_size": 4,
            },
            "mm_tokens_per_image": 4,
            "image_token_index": 98,
            "boi_token_index": 97,
            "eoi_token_index": 96,
        },
    ),
)
