"""LayerNorm (Ba et al. 2016) and RMSNorm (Zhang & Sennrich 2019)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.spec import NormSpec


class Norm(nn.Module):
    """Normalises the last dimension of size `width` as `spec` says."""

    weight: nn.Parameter | None
    bias: nn.Parameter | None

    def __init__(self, spec: NormSpec, width: int) -> None:
        super().__init__()
        self.spec = spec
        self.width = (width,)
        start = torch.zeros if spec.unit_offset else torch.ones
        self.weight = nn.Parameter(start(width)) if spec.weight else None
        self.bias = nn.Parameter(torch.zeros(width)) if spec.bias else None

    def forward(self, x: Tensor) -> Tensor:
        weight: Tensor | None = self.weight
        if weight is not None and self.spec.unit_offset:
            weight = 1 + weight
        if self.spec.kind == "layer":
            return F.layer_norm(x, self.width, weight, self.bias, self.spec.eps)
        return F.rms_norm(x, self.width, weight, self.spec.eps)
