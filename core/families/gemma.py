"""Gemma (2024): Llama's form with norms of weight 1 + w and scaled embeddings."""

from __future__ import annotations

from dataclasses import replace

from core.checkpoints.config import Config
from core.families import llama
from core.families.activations import ACTIVATIONS
from core.families.family import Family
from core.families.rope import rotary
from core.spec import (
    Activation,
    AttentionSpec,
    BlockSpec,
    FeedForwardSpec,
    ModelSpec,
    RotaryPositions,
)


def spec(config: Config) -> ModelSpec:
    # Whether this mask or the causal one holds depends on how the reference computes attention.
    config.refuse("use_bidirectional_attention", False, default=None)
    bias = config.flag("attention_bias", default=False)
    return llama.decoder_only(
        config,
        "Gemma",
        lambda layer: block(
            config,
            llama.attention(config, qkv_bias=bias, out_bias=bias, positions=rotation(config)),
        ),
        tied=True,
        scale=config.size("hidden_size") ** 0.5,
        pad=0,
    )


def rotation(config: Config) -> RotaryPositions:
    """That of Gemma and Gemma 2."""
    return rotary(config, llama.head_size(config), longest=8192)


def block(config: Config, attention: AttentionSpec, *, key: str = "hidden_act") -> BlockSpec:
    """Pre-norm, gated with the tanh form of GELU. key: which names the activation."""
    return BlockSpec(
        attention=attention,
        feedforward=FeedForwardSpec(
            d_model=config.size("hidden_size"),
            d_ff=config.size("intermediate_size"),
            activation=activation(config, key),
            gated=True,
            bias=False,
        ),
        norm=llama.rms_norm(config, unit_offset=True),
        residual="pre",
    )


def activation(config: Config, key: str) -> Activation:
    """Gemma reads hidden_act, where its first configurations said "gelu" and meant its tanh form;
    Gemma 2 and 3 read hidden_activation. Each ignores the other's key."""
    if key == "hidden_act" and config.read(key) == "gelu":
        return ACTIVATIONS["gelu_pytorch_tanh"]
    found: Activation = config.choice(key, ACTIVATIONS, default="gelu_pytorch_tanh")
    return found


def sandwich(config: Config, attention: AttentionSpec) -> BlockSpec:
    """A norm before and after each sublayer (Gemma 2 and 3)."""
    return replace(block(config, attention, key="hidden_activation"), residual="sandwich")


TINY = llama.TINY | {"head_dim": 16}

FAMILY = Family(
    name="Gemma",
    model_types={"gemma": "Gemma"},
    spec=spec,
    rules=llama.rules,
    prefixes=("model.",),
    tiny=(TINY | {"model_type": "gemma", "architectures": ["GemmaForCausalLM"]},),
)
