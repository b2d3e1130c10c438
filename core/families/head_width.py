"""The width of a head in families whose heads share a layer's width evenly."""

from __future__ import annotations

from core.checkpoints.config import Config
from core.errors import CheckpointError


def head_width(config: Config, d_model: int, heads: int) -> int:
    """d_head, as the reference divides; CheckpointError where a rest would be left."""
    if d_model % heads:
        raise CheckpointError(
            f"{config.path} divides a width of {d_model} among {heads} heads, which leaves a rest"
        )
    return d_model // heads
