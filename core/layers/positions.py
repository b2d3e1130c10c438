"""Where a token stands: tables added to embeddings, rotations of q and k, biases on scores."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from core.layers.rotary_scaling import scaled_frequencies
from core.spec import RelativeBuckets, RotaryPositions, SinusoidalPositions

Rotation = tuple[Tensor, Tensor]
"""cos and sin, [batch, 1, position, d_rotary]."""


class Relative(NamedTuple):
    """Vectors of distances [row, d_model], and the row of each pair [batch, query, key]."""

    table: Tensor
    rows: Tensor


Bias = Tensor | Relative | None
"""What positions bring to the scores: [batch, head, query, key], or what attention makes it of."""


class Sinusoidal(nn.Module):
    """The fixed table of Vaswani et al. 2017, section 3.5; computed for the rows asked for, on the
    CPU, as Apple's GPUs know no float64."""

    def __init__(self, spec: SinusoidalPositions, width: int) -> None:
        super().__init__()
        self.spec = spec
        self.width = width

    def forward(self, positions: Tensor) -> Tensor:
        """positions […, position] -> […, position, width]."""
        half = torch.arange(0, self.width, 2, device="cpu", dtype=torch.float64)
        angles = positions.cpu()[..., None].double() / 10000 ** (half / self.width)
        sines, cosines = angles.sin().float(), angles.cos()[..., : self.width // 2].float()
        if self.spec.interleaved:
            table = torch.empty(*positions.shape, self.width, device="cpu")
            table[..., 0::2], table[..., 1::2] = sines, cosines
        else:
            table = torch.cat([sines, cosines], dim=-1)
        return table.to(positions.device)


class Rotary:
    """Rotation tables for one RotaryPositions (Su et al. 2021)."""

    def __init__(self, spec: RotaryPositions) -> None:
        self.spec = spec

    def tables(self, positions: Tensor) -> Rotation:
        """positions [batch, position] -> cos and sin [batch, 1, position, d_rotary]."""
        length = int(positions.max()) + 1 if positions.numel() else 0
        frequencies, magnitude = scaled_frequencies(self.spec, length)
        frequencies = frequencies.to(positions.device)
        angles = positions[:, None, :, None].float() * frequencies
        if self.spec.interleaved:
            angles = angles.repeat_interleave(2, dim=-1)
        else:
            angles = torch.cat([angles, angles], dim=-1)
        return angles.cos() * magnitude, angles.sin() * magnitude


def rotate(x: Tensor, rotation: Rotation, spec: RotaryPositions) -> Tensor:
    """Turn the first d_rotary coordinates of x [batch, head, position, d_head]; of an odd
    d_rotary the last one turns with the next."""
    cos, sin = rotation
    width = cos.shape[-1]
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    turning = x[..., :width]
    if spec.interleaved:
        pairs = turning.unflatten(-1, (-1, 2))
        turned = torch.stack([-pairs[..., 1], pairs[..., 0]], dim=-1).flatten(-2)
    else:
        first, second = turning.chunk(2, dim=-1)
        turned = torch.cat([-second, first], dim=-1)
    turning = turning * cos + turned * sin
    if width == x.shape[-1]:
        return turning
    return torch.cat([turning, x[..., width:]], dim=-1)


class RelativeBias(nn.Module):
    """T5's bias: one learned number for each head and bucket of (key - query)."""

    def __init__(self, spec: RelativeBuckets, heads: int) -> None:
        super().__init__()
        self.spec = spec
        self.weight = nn.Parameter(torch.empty(spec.buckets, heads).normal_(std=0.02))

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        """positions [batch, query], [batch, key] -> bias [batch, head, query, key]."""
        buckets = bucket(k[:, None, :] - q[:, :, None], self.spec)
        return self.weight[buckets].permute(0, 3, 1, 2)


def bucket(distance: Tensor, spec: RelativeBuckets) -> Tensor:
    """Bucket of key - query: exact when near, logarithmic when far (Raffel et al. 2020)."""
    count, offset = spec.buckets, torch.zeros_like(distance)
    if spec.bidirectional:
        count //= 2
        offset = (distance > 0).long() * count
        distance = distance.abs()
    else:
        distance = (-distance).clamp(min=0)
    exact = count // 2
    far = (
        exact
        + (
            torch.log(distance.clamp(min=1).float() / exact)
            / math.log(spec.max_distance / exact)
            * (count - exact)
        ).long()
    )
    return offset + torch.where(distance < exact, distance, far.clamp(max=count - 1))


class AlibiBias(nn.Module):
    """slope · (key - query), one fixed slope a head (Press et al. 2022, section 3).

    A mask that looks ahead lets later keys gain what earlier ones lose, as in BLOOM's reference,
    which adds slope · key to every row: within a row the softmax cannot tell the two apart.
    """

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.heads = heads

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        """positions [batch, query], [batch, key] -> bias [batch, head, query, key]."""
        # Made anew each time: a checkpoint's network is built without memory to keep them in.
        slopes = torch.tensor(alibi_slopes(self.heads), device=k.device)
        distance = k[:, None, None, :] - q[:, None, :, None]
        return slopes[:, None, None] * distance


def alibi_slopes(heads: int) -> list[float]:
    """2^(-8/n), 2^(-16/n) …; for heads that are no power of two, interleaved with the next."""
    whole = 2 ** math.floor(math.log2(heads))
    slopes = [2 ** (-8 * (i + 1) / whole) for i in range(whole)]
    if whole < heads:
        finer = [2 ** (-4 * (i + 1) / whole) for i in range(2 * whole)]
        slopes += finer[0::2][: heads - whole]
    return slopes
