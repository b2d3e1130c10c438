"""Which layers see a sliding window: `layer_types` (transformers 5), or an older key's pattern."""

from __future__ import annotations

from collections.abc import Callable

from core.checkpoints.config import Config
from core.errors import CheckpointError, UnsupportedModel

FULL, SLIDING = "full_attention", "sliding_attention"


def layer_type(config: Config, layer: int, otherwise: Callable[[int], bool]) -> str:
    """ "full_attention" or "sliding_attention"; otherwise(layer): whether it slides when the
    configuration lists no types."""
    types = config.read("layer_types")
    if types is None:
        return SLIDING if otherwise(layer) else FULL
    if layer >= len(types):
        raise CheckpointError(
            f"{config.path} lists {len(types)} layer_types for more layers than that"
        )
    if types[layer] not in (FULL, SLIDING):
        raise UnsupportedModel(
            f"{config.path} has a layer of type {types[layer]!r}; supported are {FULL} "
            f"and {SLIDING}"
        )
    return str(types[layer])
