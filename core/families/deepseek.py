"""DeepSeek-V2 and -V3: latent attention, dense layers first, then shared and routed experts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from core.checkpoints.config import Config
from core.checkpoints.convert import Matched, Rule, leave, rename, some
from core.errors import CheckpointError, UnsupportedModel
from core.families import llama, mixtral
from core.families.family import Family
from core.families.rope import rotary
from core.families.windows import decoder_attention
from core.spec import (
    AttentionSpec,
    BlockSpec,
    ExpertsSpec,
    LatentSpec,
    ModelSpec,
    NormSpec,
    RotaryPositions,
)


def spec(config: Config) -> ModelSpec:
    config.refuse("moe_layer_freq", 1, default=1)
    is_v3 = config.read("model_type") == "deepseek_v3"
    dense = config.count("first_k_dense_replace", default=3 if is_v3 else 0)
    attending = attention(
        config,
        interleaved=not is_v3 or config.flag("rope_interleave", default=True, null=False),
        longest=4096 if is_v3 else 2048,
    )
    experts = v3_experts(config) if is_v3 else v2_experts(config)
    bias = not is_v3 and config.flag("mlp_bias", default=False)

    def block(layer: int) -> BlockSpec:
        plain = llama.block(config, attending, bias=bias)
        if layer < dense:
            return plain
        return replace(plain, feedforward=replace(plain.feedforward, experts=experts))

    return llama.decoder_only(config, "DeepSeek-V3" if is_v3 else "DeepSeek-V2", block)


def attention(config: Config, *, interleaved: bool, longest: int) -> AttentionSpec:
    """Latent attention; YaRN also sharpens the scores by the square of its magnitude. longest: as
    in `rotary`."""
    heads = config.size("num_attention_heads")
    nope, rope = config.size("qk_nope_head_dim"), config.size("qk_rope_head_dim")
    positions = rotary(config, rope, interleaved=interleaved, longest=longest)
    bias = config.flag("attention_bias", default=False)
    plain = AttentionSpec(
        d_model=config.size("hidden_size"),
        heads=heads,
        kv_heads=heads,
        d_head=nope + rope,
        d_value=config.size("v_head_dim"),
        qkv_bias=bias,
        out_bias=bias,
        scale=(nope + rope) ** -0.5 * sharpening(positions),
        positions=positions,
        latent=LatentSpec(
            q_rank=config.optional_size("q_lora_rank"),
            kv_rank=config.size("kv_lora_rank"),
            d_nope=nope,
            d_rope=rope,
            norm=NormSpec(kind="rms", eps=1e-6, bias=False),
        ),
    )
    return decoder_attention(config, plain)


def sharpening(positions: RotaryPositions) -> float:
    stretched = positions.scaling
    if stretched is None or not stretched.mscale_all_dim or stretched.factor <= 1:
        return 1.0
    return (0.1 * stretched.mscale_all_dim * math.log(stretched.factor) + 1.0) ** 2


def v2_experts(config: Config) -> ExpertsSpec:
    """Softmax over all experts; the chosen weights are used as they are."""
    config.refuse("norm_topk_prob", False, default=False)
    config.refuse("scoring_func", "softmax", default="softmax")
    method = config.read("topk_method", default="greedy")
    if method not in ("greedy", "group_limited_greedy"):
        raise UnsupportedModel(
            f"{config.path} sets topk_method to {method!r}; supported are greedy and "
            "group_limited_greedy"
        )
    limited = method == "group_limited_greedy"
    return ExpertsSpec(
        count=config.size("num_experts", "n_routed_experts"),
        top=config.size("num_experts_per_tok"),
        d_ff=config.size("moe_intermediate_size"),
        shared=config.count("n_shared_experts", default=2),
        renormalise=False,
        scale=config.number("routed_scaling_factor", default=1.0),
        groups=config.size("n_group") if limited else 1,
        top_groups=config.size("topk_group") if limited else 1,
    )


def v3_experts(config: Config) -> ExpertsSpec:
    """Sigmoid scores; a learned correction decides which experts are chosen, not their weights."""
    config.refuse("scoring_func", "sigmoid", default="sigmoid")
    config.refuse("topk_method", "noaux_tc", default="noaux_tc")
    return ExpertsSpec(
        count=config.size("num_local_experts", "n_routed_experts"),
        top=config.size("num_experts_per_tok"),
        d_ff=config.size("moe_intermediate_size"),
        shared=config.count("n_shared_experts", default=1),
        scoring="sigmoid",
        renormalise=config.flag("norm_topk_prob", default=True, null=False),
        scale=config.number("routed_scaling_factor", default=2.5),
        groups=config.size("n_group", default=8),
        top_groups=config.size("topk_group", default=4),
        correction_bias=True,
        group_score="top2",
    )


_BLOCK = "decoder.blocks.{i}"
_ATTENTION = f"{_BLOCK}.attention"
_MOE = f"{_BLOCK}.feedforward"

RULES: tuple[Rule, ...] = (
    rename("layers.{i}.self_attn.q_proj.weight", f"{_ATTENTION}.q_direct.weight"),
    rename("layers.{i}.self_attn.q_a_proj.*", f"{_ATTENTION}.q_down.*"),
    rename("layers.{i}.self_attn.q_a_layernorm.weight", f"{_ATTENTION}.q_latent_norm.weight"),
    rename("layers.{i}.self_attn.q_b_proj.weight", f"{_ATTENTION}.q_up.weight"),
    rename("layers.{i}.self_attn.kv_a_proj_with_mqa.*", f"{_ATTENTION}.kv_down.*"),
    rename("layers.{i}.self_attn.kv_a_layernorm.weight", f"{_ATTENTION}.kv_latent_norm.weight"),
    rename("layers.{i}.self_attn.kv_b_proj.weight", f"{_ATTENTION}.kv_up.weight"),
    rename("layers.{i}.mlp.gate.e_score_correction_bias", f"{_MOE}.correction"),
    rename("layers.{i}.mlp.experts.{e}.gate_proj.weight", f"{_MOE}.experts.{{e}}.gate.weight"),
    rename("layers.{i}.mlp.experts.{e}.up_proj.weight", f"{_MOE}.experts.{{e}}.inner.weight"),
    rename("layers.{i}.mlp.experts.{e}.down_proj.weight", f"{_MOE}.experts.{{e}}.out.weight"),
    rename("layers.{i}.mlp.shared_experts.gate_proj.weight", f"{_MOE}.shared.gate.weight"),
    rename("layers.{i}.mlp.shared_experts.up_proj.weight", f"{_MOE}.shared.inner.weight"),
    rename("layers.{i}.mlp.shared_experts.down_proj.weight", f"{_MOE}.shared.out.weight"),
    *mixtral.FUSED,
    *llama.RULES,
)


_PUBLISHED = 61
"""Layers of DeepSeek-V3 itself."""
_FURTHER = "a layer that predicts one token further"


def rules(spec: ModelSpec) -> Sequence[Rule]:
    """Behind V3's layers stands one for training, which the reference does not read either."""
    if spec.family != "DeepSeek-V3":
        return RULES
    layers = spec.main_stack.layers
    further = sorted({layers, max(layers, _PUBLISHED)})
    return (*(leave(f"layers.{i}.**", _FURTHER) for i in further), *RULES)


def adapt(spec: ModelSpec, found: Matched) -> ModelSpec:
    """A layer too many is left aside only if it is made for that: it reads two states at once."""
    extra = [name for name, why in found.aside if why == _FURTHER]
    made_for_it = {_layer(name) for name in extra if ".eh_proj." in name}
    if {_layer(name) for name in extra} != made_for_it:
        raise CheckpointError(
            f"the checkpoint holds {some(sorted(extra))}, but its configuration has only "
            f"{spec.main_stack.layers} layers"
        )
    return spec


def _layer(name: str) -> str:
    """The layer's number in a tensor's name."""
    return name.partition("layers.")[2].partition(".")[0]


_TINY = llama.TINY | {
    "num_key_value_heads": 4,
    "kv_lora_rank": 12,
    "q_lora_rank": 14,
    "qk_nope_head_dim": 6,
    "qk_rope_head_dim": 4,
    "v_head_dim": 10,
    "n_routed_experts": 8,
    "num_experts_per_tok": 3,
    "moe_intermediate_size": 20,
    "first_k_dense_replace": 1,
}
_V2 = _TINY | {"model_type": "deepseek_v2", "architectures": ["DeepseekV2ForCausalLM"]}
_V3 = _TINY | {
    "model_type": "deepseek_v3",
    "architectures": ["DeepseekV3ForCausalLM"],
    "n_group": 4,
    "topk_group": 2,
    "num_nextn_predict_layers": 0,
}

FAMILY = Family(
    name="DeepSeek",
    model_types={"deepseek_v2": "DeepseekV2", "deepseek_v3": "DeepseekV3"},
    spec=spec,
    rules=rules,
    prefixes=("model.",),
    adapt=adapt,
    tiny=(
        _V2 | {"q_lora_rank": None, "n_shared_experts": 2},
        _V2
        | {
            "topk_method": "group_limited_greedy",
            "n_group": 4,
            "topk_group": 2,
            "routed_scaling_factor": 1.5,
            "rope_scaling": {
                "type": "yarn",
                "factor": 4.0,
                "original_max_position_embeddings": 16,
                "mscale": 0.7,
                "mscale_all_dim": 0.9,
            },
        },
        _V3,
        _V3 | {"rope_interleave": False, "attention_bias": True, "norm_topk_prob": False},
    ),
)
