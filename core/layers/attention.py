"""One attention for all: self or cross, multi-head, grouped-query, multi-query."""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.layers.linear import Linear
from core.layers.norm import Norm
from core.layers.positions import Bias, Relative, Rotation, rotate
from core.layers.scores import attention_scores, attention_weights, share
from core.masks import OPEN, Mask
from core.recorder import SILENT, Recorder
from core.spec import AttentionSpec, RotaryPositions


class KeyValueStore(Protocol):
    """What an attention needs of a cache (`core.cache`)."""

    @property
    def closed(self) -> bool:
        """True when keys and values are complete (cross-attention after the first step)."""
        ...

    def read(self) -> tuple[Tensor, Tensor]: ...

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]: ...


class Attention(nn.Module):
    """softmax(q·kᵀ · scale + bias, masked) · v, then W_O (Vaswani et al. 2017, section 3.2)."""

    def __init__(self, spec: AttentionSpec, d_source: int | None = None) -> None:
        super().__init__()
        self.spec = spec
        width = d_source if d_source is not None else spec.d_model
        k_bias = spec.qkv_bias if spec.k_bias is None else spec.k_bias
        self.q = Linear(spec.d_model, spec.heads * spec.d_head, bias=spec.qkv_bias)
        self.k = Linear(width, spec.kv_heads * spec.d_head, bias=k_bias)
        self.v = Linear(width, spec.kv_heads * spec.value_size, bias=spec.qkv_bias)
        self.out = Linear(spec.heads * spec.value_size, spec.d_model, bias=spec.out_bias)
        self.q_norm = Norm(spec.qk_norm, spec.d_head) if spec.qk_norm is not None else None
        self.k_norm = Norm(spec.qk_norm, spec.d_head) if spec.qk_norm is not None else None

    def forward(
        self,
        x: Tensor,
        *,
        source: Tensor | None = None,
        mask: Mask = OPEN,
        rotation: Rotation | None = None,
        bias: Bias = None,
        cache: KeyValueStore | None = None,
        rec: Recorder = SILENT,
    ) -> Tensor:
        """x [batch, query, d_model], source [batch, key, d_source] (None: x) -> like x.

        bias: what positions add to the scores.
        """
        q = self.queries(x, rotation)  # [batch, head, query, d_head]
        q = rec("q", q, "head query d_head")
        if cache is not None and cache.closed:
            k, v = cache.read()
        else:
            k, v = self.keys_values(x if source is None else source, rotation)
            k = rec("k", k, "kv_head key d_head")
            v = rec("v", v, "kv_head key d_head")
            if cache is not None:
                k, v = cache.append(k, v)
        context = rec(
            "context", self.attend(q, k, v, mask, self.added(q, k, bias), rec), "head query d_head"
        )
        joined = context.transpose(1, 2).flatten(2)  # [batch, query, head * d_value]
        return rec("out", self.out(joined), "position d_model")

    def added(self, q: Tensor, k: Tensor, bias: Bias) -> Tensor | None:
        """What is added to the scores, [batch, head, query, key]."""
        assert not isinstance(bias, Relative)
        return None if bias is None else bias.to(q.dtype)

    def queries(self, x: Tensor, rotation: Rotation | None) -> Tensor:
        q = _split(self.q(x), self.spec.heads)
        if self.q_norm is not None:
            q = self.q_norm(q)
        return self._turn(q, rotation)

    def keys_values(self, source: Tensor, rotation: Rotation | None) -> tuple[Tensor, Tensor]:
        k = _split(self.k(source), self.spec.kv_heads)
        if self.k_norm is not None:
            k = self.k_norm(k)
        return self._turn(k, rotation), _split(self.v(source), self.spec.kv_heads)

    def _turn(self, x: Tensor, rotation: Rotation | None) -> Tensor:
        if rotation is None:
            return x
        assert isinstance(self.spec.positions, RotaryPositions)
        return rotate(x, rotation, self.spec.positions)

    def attend(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Mask,
        bias: Tensor | None,
        rec: Recorder,
    ) -> Tensor:
        """Σ weights · v, [batch, head, query, d_value]."""
        k, v = share(k, self.spec.group), share(v, self.spec.group)
        if self.spec.softcap is not None or rec.edits("scores", "pattern"):
            return self._explicit(q, k, v, mask, bias, rec)
        allowed = mask.allowed
        if allowed is not None and mask.dead is not None:
            # An all-hidden row is NaN in some kernels and a mean in others: open it, then zero it.
            allowed = allowed | mask.dead
        blend = allowed
        causal = mask.is_causal
        if bias is not None:
            if causal:
                hidden = torch.ones(bias.shape[-2:], dtype=torch.bool, device=q.device).tril()
                allowed, causal = hidden, False
            blend = bias if allowed is None else bias.masked_fill(~allowed, float("-inf"))
        context = F.scaled_dot_product_attention(
            q, k, v, attn_mask=blend, is_causal=causal, scale=self.spec.score_scale
        )
        return context if mask.dead is None else context.masked_fill(mask.dead, 0.0)

    def _explicit(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Mask,
        bias: Tensor | None,
        rec: Recorder,
    ) -> Tensor:
        """Scores and pattern written out, for soft caps and for edits on the way."""
        scores = attention_scores(
            q, k, scale=self.spec.score_scale, softcap=self.spec.softcap, bias=bias
        )
        if rec.edits("scores"):
            scores = rec("scores", scores, "head query key")
        allowed = mask.allowed
        if mask.is_causal:
            allowed = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
        weights = attention_weights(scores, allowed)
        if rec.edits("pattern"):
            weights = rec("pattern", weights, "head query key")
        return weights @ v


def _split(x: Tensor, heads: int) -> Tensor:
    """[batch, position, head * d] -> [batch, head, position, d]."""
    split: Tensor = x.unflatten(-1, (heads, -1)).transpose(1, 2)
    return split
