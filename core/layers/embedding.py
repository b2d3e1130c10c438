"""What enters a stack: token + position + segment."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.layers.linear import Linear
from core.layers.norm import Norm
from core.layers.positions import Sinusoidal
from core.recorder import SILENT, Recorder
from core.spec import EmbeddingSpec, LearnedPositions, SinusoidalPositions


class Table(nn.Embedding):
    """Rows by index; not drawn at random on the meta device, see `core.layers.linear.Linear`."""

    def reset_parameters(self) -> None:
        if not self.weight.is_meta:
            super().reset_parameters()


class Embedding(nn.Module):
    """Token, position and segment tables summed; then norm and projection where there are any. The
    projection may come first, of the token's vector alone."""

    def __init__(self, spec: EmbeddingSpec, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.spec = spec
        self.token = Table(spec.vocab, spec.width)
        self.position: nn.Module | None = None
        if isinstance(spec.positions, LearnedPositions):
            self.position = Table(spec.positions.size, spec.sum_width)
        elif isinstance(spec.positions, SinusoidalPositions):
            self.position = Sinusoidal(spec.positions, spec.sum_width)
        self.segment = Table(spec.segments, spec.sum_width) if spec.segments else None
        self.norm = Norm(spec.norm, spec.sum_width) if spec.norm is not None else None
        self.project = (
            Linear(spec.width, spec.d_model, bias=spec.project_bias)
            if spec.d_embed is not None
            else None
        )
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        ids: Tensor,
        positions: Tensor,
        segments: Tensor | None = None,
        rec: Recorder = SILENT,
    ) -> Tensor:
        """ids, positions, segments [batch, position] -> [batch, position, d_model].

        A negative position (left padding) reads row 0; such rows are hidden from every query.
        """
        total = self.token(ids)
        if self.spec.scale != 1.0:
            total = total * self.spec.scale
        if self.project is not None and self.spec.project_first:
            total = self.project(total)
        total = rec("token", total, "position d_embed")
        if self.segment is not None:
            which = torch.zeros_like(ids) if segments is None else segments
            total = total + rec("segment", self.segment(which), "position d_embed")
        if self.position is not None and self.spec.positions is not None:
            added = self.position(_rows(self.spec.positions, ids, positions)).to(total.dtype)
            total = total + rec("position", added, "position d_embed")
        total = rec("sum", total, "position d_embed")
        if self.norm is not None:
            total = self.norm(total)
        if self.project is not None and not self.spec.project_first:
            total = self.project(total)
        return rec("out", self.dropout(total), "position d_model")


def _rows(where: LearnedPositions | SinusoidalPositions, ids: Tensor, positions: Tensor) -> Tensor:
    """ids, positions [batch, position] -> rows of the position table [batch, position]."""
    rows = positions.clamp(min=0) + where.offset
    if isinstance(where, SinusoidalPositions) or where.uncounted is None:
        return rows
    # Padding repeats the position before it; it is left out of `positions` already.
    real = positions.diff(dim=-1, prepend=torch.full_like(positions[..., :1], -1)) > 0
    uncounted = ids == where.uncounted
    return torch.where(uncounted, where.offset - 1, rows - (uncounted & real).cumsum(-1))
