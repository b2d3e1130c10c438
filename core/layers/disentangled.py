"""Disentangled attention (He et al. 2021, DeBERTa): what a token says and how far away the other
stands are scored apart, content with content, content with distance, distance with content."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.layers.attention import Attention
from core.layers.linear import Linear
from core.layers.norm import Norm
from core.layers.positions import Bias, Relative
from core.spec import AttentionSpec, DisentangledPositions


class RelativeTable(nn.Module):
    """One vector for each distance, shared by all layers."""

    def __init__(self, spec: DisentangledPositions, d_model: int) -> None:
        super().__init__()
        self.spec = spec
        self.weight = nn.Parameter(torch.empty(2 * spec.span, d_model).normal_(std=0.02))
        self.norm = Norm(spec.norm, d_model) if spec.norm is not None else None

    def forward(self, q: Tensor, k: Tensor) -> Relative:
        """positions [batch, query], [batch, key] -> the table and the row of each pair."""
        distance = q[:, :, None] - k[:, None, :]
        if self.spec.buckets:
            distance = log_bucket(distance, self.spec.buckets, self.spec.max_distance)
        rows = (distance + self.spec.span).clamp(0, 2 * self.spec.span - 1)
        return Relative(self.weight if self.norm is None else self.norm(self.weight), rows)


def log_bucket(distance: Tensor, buckets: int, most: int) -> Tensor:
    """query - key, exact up to half the buckets, beyond that logarithmic up to `most`."""
    half = buckets // 2
    far = distance.abs().clamp(min=half).float()
    # Both logarithms are float32, as the reference's: the farthest is just one then, not above.
    reach = torch.tensor((most - 1) / half).log()
    steps = torch.ceil(torch.log(far / half) / reach * (half - 1)) + half
    return torch.where(distance.abs() <= half, distance, (steps * distance.sign()).long())


class DisentangledAttention(Attention):
    """Adds q · key(distance) and k · query(distance) to the scores, scaled as they are."""

    def __init__(self, spec: AttentionSpec) -> None:
        super().__init__(spec)
        assert isinstance(spec.positions, DisentangledPositions)
        self.where = where = spec.positions
        width = spec.heads * spec.d_head
        own = () if where.shared else where.terms
        key_bias = where.key_bias
        self.distance_k = Linear(spec.d_model, width, bias=key_bias) if "c2p" in own else None
        self.distance_q = Linear(spec.d_model, width) if "p2c" in own else None

    def added(self, q: Tensor, k: Tensor, bias: Bias) -> Tensor | None:
        """q [batch, head, query, d_head], k [batch, head, key, d_head] and the distances ->
        [batch, head, query, key]."""
        assert isinstance(bias, Relative)
        total: Tensor | None = None
        rows = bias.rows[:, None].expand(-1, self.spec.heads, -1, -1)  # [batch, head, query, key]
        if "c2p" in self.where.terms:
            far = self._heads(self.distance_k or self.k, bias.table)  # [head, row, d_head]
            total = (q @ far.transpose(-1, -2)).gather(-1, rows)
        if "p2c" in self.where.terms:
            far = self._heads(self.distance_q or self.q, bias.table)
            from_keys = (k @ far.transpose(-1, -2)).gather(-1, rows.transpose(-1, -2))
            total = from_keys.transpose(-1, -2) + (0 if total is None else total)
        return None if total is None else total * self.spec.score_scale

    def _heads(self, project: nn.Linear, table: Tensor) -> Tensor:
        """[row, d_model] -> [head, row, d_head]."""
        found: Tensor = project(table).unflatten(-1, (self.spec.heads, -1)).transpose(0, 1)
        return found
