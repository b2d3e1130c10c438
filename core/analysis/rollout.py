"""Attention rollout: how much of every input token reaches a position after some layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.errors import Cancelled

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.trace import Trace

Floats = NDArray[np.float32]


def key(stack: str, layer: int) -> tuple[str, str, int]:
    """Under which a trace remembers the rollout up to a layer."""
    return "rollout", stack, layer


def rollout(trace: Trace, stack: str, layer: int, should_stop: ShouldStop | None = None) -> Floats:
    """[query, key] after layers 0 … `layer`: A_layer · … · A_0 (Abnar & Zuidema 2020, section 3).

    A is the mean of a layer's heads, half of it replaced by the identity for the residual
    connection, rows summing to 1. A query that may see nothing keeps itself. Remembered.
    """
    found: Floats | None = None
    for number in range(layer + 1):
        if should_stop is not None and should_stop():
            raise Cancelled("the rollout was stopped")
        found = trace.remembered(key(stack, number), _Step(trace, stack, number, found))
    assert found is not None
    return found


def mixing(trace: Trace, stack: str, layer: int) -> Floats:
    """[query, key]: A of one layer, the mean of its heads and the residual connection by halves."""
    maps = trace.derive.pattern(trace, f"{stack}.self", layer, None, None)
    mixed = maps.mean(dim=0).cpu().float().numpy() + np.eye(maps.shape[-1], dtype=np.float32)
    mixed /= mixed.sum(axis=1, keepdims=True)
    return mixed


class _Step:
    """One more layer on top of `below`."""

    def __init__(self, trace: Trace, stack: str, layer: int, below: Floats | None) -> None:
        self.trace, self.stack, self.layer, self.below = trace, stack, layer, below

    def __call__(self) -> Floats:
        mixed = mixing(self.trace, self.stack, self.layer)
        result: Floats = mixed if self.below is None else mixed @ self.below
        return result
