"""Phi-3: Llama's form with q, k, v and gate, in stored as one each, and LongRoPE."""

from __future__ import annotations

from collections.abc import Sequence

from core.checkpoints.changes import Rows
from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, fused
from core.errors import UnsupportedModel
from core.families import llama
from core.families.family import Family
from core.families.rope import kind_of, parameters, rotary
from core.spec import ModelSpec


def spec(config: Config) -> ModelSpec:
    if kind_of(config, parameters(config)) == "yarn":
        raise UnsupportedModel(
            f"{config.path} names the rope_type 'yarn', which this kind of model takes for "
            "'longrope'; supported is that name"
        )
    window = config.optional_size("sliding_window")
    positions = rotary(config, llama.head_size(config), partial=1.0, longest=4096, original=4096)
    return llama.decoder_only(
        config,
        "Phi-3",
        lambda layer: llama.block(
            config, llama.attention(config, window=window, positions=positions), eps=1e-5
        ),
        pad=32_000,
    )


_BLOCK = "decoder.blocks.{i}"

RULES: tuple[Rule, ...] = (
    fused(
        "layers.{i}.self_attn.qkv_proj.weight",
        f"{_BLOCK}.attention.q.weight",
        f"{_BLOCK}.attention.k.weight",
        f"{_BLOCK}.attention.v.weight",
        change=Rows(),
    ),
    fused(
        "layers.{i}.mlp.gate_up_proj.weight",
        f"{_BLOCK}.feedforward.gate.weight",
        f"{_BLOCK}.feedforward.inner.weight",
        change=Rows(),
    ),
    *llama.RULES,
)


def rules(spec: ModelSpec) -> Sequence[Rule]:
    return RULES


_TINY = llama.TINY | {
    "model_type": "phi3",
    "architectures": ["Phi3ForCausalLM"],
    "pad_token_id": 0,
}

FAMILY = Family(
    name="Phi-3",
    model_types={"phi3": "Phi3"},
    spec=spec,
    rules=rules,
    prefixes=("model.",),
    tiny=(
        _TINY | {"sliding_window": 7, "partial_rotary_factor": 0.5},
        _TINY
        | {
            "original_max_position_embeddings": 16,
            "rope_scaling": {
                "type": "longrope",
                "short_factor": [1.0, 1.1, 1.3, 1.7],
                "long_factor": [1.2, 2.0, 3.1, 4.0],
            },
        },
    ),
)
