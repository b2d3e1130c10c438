"""Which layers see a sliding window (`layer_types` of transformers 5, or an older key's pattern),
and whether a decoder looks ahead (`is_causal`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.checkpoints.config import Config
from core.errors import CheckpointError, UnsupportedModel
from core.spec import AttentionSpec

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


def decoder_attention(config: Config, plain: AttentionSpec) -> AttentionSpec:
    """A decoder's own attention, causal unless `is_causal` is false: a text model that was made of
    a decoder sees what comes later too. A window of W reaches W - 1 tokens back, but W either way
    without causality, as in the reference.
    """
    if config.flag("is_causal", default=True, null=False):
        return replace(plain, causal=True)
    window = None if plain.window is None else plain.window + 1
    return replace(plain, causal=False, window=window)
