"""Normalisations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NormKind = Literal["layer", "rms"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NormSpec:
    """A normalisation over `d_model` (or `d_head` for query/key norms).

    kind: "layer" subtracts the mean and divides by the standard deviation; "rms" divides by the
    root mean square only. unit_offset: the weight is stored as w and applied as 1 + w (Gemma).
    """

    kind: NormKind = "layer"
    eps: float = 1e-5
    bias: bool = True
    weight: bool = True
    unit_offset: bool = False
