"""Mixtral (Jiang et al. 2024): Mistral with eight feed-forward experts, two for each token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.checkpoints.changes import ExpertRows
from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, fused, rename
from core.families import llama
from core.families.family import Family
from core.families.rope import rotary
from core.spec import BlockSpec, ExpertsSpec, ModelSpec


def spec(config: Config) -> ModelSpec:
    experts = ExpertsSpec(
        count=config.size("num_experts", "num_local_experts", default=8),
        top=config.size("num_experts_per_tok", default=2),
        d_ff=config.size("intermediate_size"),
    )

    attention = llama.attention(
        config,
        window=config.optional_size("sliding_window"),
        positions=rotary(
            config, llama.head_size(config), default_theta=1_000_000.0, longest=131_072
        ),
    )

    def block(layer: int) -> BlockSpec:
        plain = llama.block(config, attention, eps=1e-5)
        return replace(plain, feedforward=replace(plain.feedforward, experts=experts))

    return llama.decoder_only(config, "Mixtral", block)


_BLOCK = "decoder.blocks.{i}.feedforward"
_EXPERT = f"{_BLOCK}.experts.{{e}}"

FUSED: tuple[Rule, ...] = (
    fused(
        "layers.{i}.mlp.experts.gate_up_proj",
        f"{_EXPERT}.gate.weight",
        f"{_EXPERT}.inner.weight",
        change=ExpertRows(2),
    ),
    fused("layers.{i}.mlp.experts.down_proj", f"{_EXPERT}.out.weight", change=ExpertRows()),
    rename("layers.{i}.mlp.gate.weight", f"{_BLOCK}.router.weight"),
)
"""All experts of a layer in one tensor, as transformers 5 holds them."""

_OLD = "layers.{i}.block_sparse_moe"

RULES: tuple[Rule, ...] = (
    rename(f"{_OLD}.gate.weight", f"{_BLOCK}.router.weight"),
    rename(f"{_OLD}.experts.{{e}}.w1.weight", f"{_EXPERT}.gate.weight"),
    rename(f"{_OLD}.experts.{{e}}.w3.weight", f"{_EXPERT}.inner.weight"),
    rename(f"{_OLD}.experts.{{e}}.w2.weight", f"{_EXPERT}.out.weight"),
    *FUSED,
    *llama.FRAME,
    *llama.ATTENTION,
)


def rules(spec: ModelSpec) -> Sequence[Rule]:
    return RULES


_TINY = llama.TINY | {
    "model_type": "mixtral",
    "architectures": ["MixtralForCausalLM"],
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
}

FAMILY = Family(
    name="Mixtral",
    model_types={"mixtral": "Mixtral"},
    spec=spec,
    rules=rules,
    prefixes=("model.",),
    tiny=(_TINY, _TINY | {"sliding_window": 6, "num_experts_per_tok": 3}),
)
