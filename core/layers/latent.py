"""Multi-head latent attention (DeepSeek-V2, section 2.1): keys and values from one small vector."""

from __future__ import annotations

import torch
from torch import Tensor

from core.layers.attention import Attention
from core.layers.linear import Linear
from core.layers.norm import Norm
from core.layers.positions import Rotation, rotate
from core.spec import AttentionSpec, RotaryPositions


class LatentAttention(Attention):
    """The same attention with q, k, v made through low-rank vectors.

    q = [q_nope, rotated q_rope]; k = [k_nope of each head, one rotated k_rope for all heads].
    """

    def __init__(self, spec: AttentionSpec) -> None:
        super().__init__(spec)
        assert spec.latent is not None
        self.latent = latent = spec.latent
        del self.q, self.k, self.v
        width = latent.d_nope + latent.d_rope
        if latent.q_rank is None:
            self.q_direct: Linear | None = Linear(spec.d_model, spec.heads * width, bias=False)
        else:
            self.q_direct = None
            self.q_down = Linear(spec.d_model, latent.q_rank, bias=spec.qkv_bias)
            self.q_latent_norm = Norm(latent.norm, latent.q_rank)
            self.q_up = Linear(latent.q_rank, spec.heads * width, bias=False)
        self.kv_down = Linear(spec.d_model, latent.kv_rank + latent.d_rope, bias=spec.qkv_bias)
        self.kv_latent_norm = Norm(latent.norm, latent.kv_rank)
        self.kv_up = Linear(
            latent.kv_rank, spec.heads * (latent.d_nope + spec.value_size), bias=False
        )

    def queries(self, x: Tensor, rotation: Rotation | None) -> Tensor:
        if self.q_direct is not None:
            q = self.q_direct(x)
        else:
            q = self.q_up(self.q_latent_norm(self.q_down(x)))
        q = q.unflatten(-1, (self.spec.heads, -1)).transpose(1, 2)
        nope, rope = q.split([self.latent.d_nope, self.latent.d_rope], dim=-1)
        return torch.cat([nope, self._turn(rope, rotation)], dim=-1)

    def keys_values(self, source: Tensor, rotation: Rotation | None) -> tuple[Tensor, Tensor]:
        latent, rope = self.kv_down(source).split([self.latent.kv_rank, self.latent.d_rope], dim=-1)
        up = self.kv_up(self.kv_latent_norm(latent))
        up = up.unflatten(-1, (self.spec.heads, -1)).transpose(1, 2)
        nope, v = up.split([self.latent.d_nope, self.spec.value_size], dim=-1)
        rope = self._turn(rope[:, None], rotation).expand(-1, self.spec.heads, -1, -1)
        return torch.cat([nope, rope], dim=-1), v

    def _turn(self, x: Tensor, rotation: Rotation | None) -> Tensor:
        assert isinstance(self.spec.positions, RotaryPositions)
        return x if rotation is None else rotate(x, rotation, self.spec.positions)
