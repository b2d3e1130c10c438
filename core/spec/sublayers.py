"""The bricks of a layer: attention and feed-forward networks."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

from core.spec.norm import NormSpec
from core.spec.positions import AttentionPositions

Activation = Literal["gelu", "gelu_tanh", "relu", "silu", "quick_gelu", "relu_squared"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentSpec:
    """Multi-head latent attention (DeepSeek-V2): keys and values from one small shared vector.

    q_rank None: the query is projected directly. d_nope + d_rope = the query/key size of a head;
    the rope part of the key is shared by all heads.
    """

    q_rank: int | None
    kv_rank: int
    d_nope: int
    d_rope: int
    norm: NormSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionSpec:
    """One attention: self or cross, multi-head, grouped-query, multi-query or latent.

    scale multiplies q·k (None: 1/√d_head). causal and window describe the model's own mask:
    window W lets query i see keys i - W + 1 … i (causal) or |i - j| < W (bidirectional).
    """

    d_model: int
    heads: int
    kv_heads: int
    d_head: int
    d_value: int | None = None
    qkv_bias: bool = True
    out_bias: bool = True
    k_bias: bool | None = None
    scale: float | None = None
    positions: AttentionPositions | None = None
    qk_norm: NormSpec | None = None
    softcap: float | None = None
    causal: bool = False
    window: int | None = None
    latent: LatentSpec | None = None

    def __post_init__(self) -> None:
        if self.heads % self.kv_heads:
            raise ValueError(
                f"{self.heads} query heads cannot be shared by {self.kv_heads} key/value heads; "
                "the first must be a multiple of the second"
            )

    @property
    def value_size(self) -> int:
        return self.d_value if self.d_value is not None else self.d_head

    @property
    def score_scale(self) -> float:
        return self.scale if self.scale is not None else 1 / sqrt(self.d_head)

    @property
    def group(self) -> int:
        """Query heads that share one key/value head."""
        return self.heads // self.kv_heads


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpertsSpec:
    """A mixture of feed-forward experts: `top` of `count` run for each token."""

    count: int
    top: int
    d_ff: int
    shared: int = 0
    scoring: Literal["softmax", "sigmoid"] = "softmax"
    renormalise: bool = True
    scale: float = 1.0
    groups: int = 1
    top_groups: int = 1
    correction_bias: bool = False
    group_score: Literal["max", "top2"] = "max"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedForwardSpec:
    """out(act(in(x))), or out(act(gate(x)) * in(x)) when gated."""

    d_model: int
    d_ff: int
    activation: Activation
    gated: bool = False
    bias: bool = True
    experts: ExpertsSpec | None = None
