"""Attention flow: how much of a position could come from each input token, at most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.analysis.dinic import largest_flow
from core.analysis.rollout import mixing
from core.errors import Cancelled, RequestError

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.trace import Trace

Floats = NDArray[np.float32]

MOST_EDGES = 50_000
"""Larger graphs take many seconds: a flow is found for each input token."""
_UNITS = 2**30  # capacities as whole numbers, so that the search ends whatever the rounding


def key(stack: str, layer: int, query: int) -> tuple[object, ...]:
    """Under which a trace remembers it."""
    return "max flow", stack, layer, query


def can_flow(trace: Trace, stack: str, layer: int) -> bool:
    """Whether the graph of layers 0 … `layer` is small enough."""
    return (layer + 1) * len(trace.tokens[stack]) ** 2 <= MOST_EDGES


def max_flow(
    trace: Trace, stack: str, layer: int, query: int, should_stop: ShouldStop | None = None
) -> Floats:
    """[key]: the largest flow from position `query` after `layer` to each input token (Abnar &
    Zuidema 2020, section 3); remembered.

    The graph has a node for every position and layer; an edge from i above to j below carries at
    most the weight of A, a layer's heads averaged, half of it replaced by the identity for the
    residual connection (as in `rollout`). Each input token's flow is found alone, as in the paper,
    so that the values need not sum to 1. Exact to 1e-6. NaN where a weight is no finite number or
    an edit made one negative. Raises RequestError unless `can_flow`.
    """
    if not can_flow(trace, stack, layer):
        raise RequestError(too_large(trace, stack, layer))
    return trace.remembered(
        key(stack, layer, query), lambda: _max_flow(trace, stack, layer, query, should_stop)
    )


def too_large(trace: Trace, stack: str, layer: int) -> str:
    """One sentence: what was found and what is supported."""
    most = int((MOST_EDGES / (layer + 1)) ** 0.5)
    layers = "1 layer" if layer == 0 else f"{layer + 1} layers"
    return (
        f"Max-flow through {layers} is computed for texts of up to {most} tokens;"
        f" this one has {len(trace.tokens[stack])}."
    )


def _max_flow(
    trace: Trace, stack: str, layer: int, query: int, should_stop: ShouldStop | None
) -> Floats:
    count = len(trace.tokens[stack])
    found = np.zeros(count, np.float32)
    mixed = [mixing(trace, stack, number) for number in range(layer + 1)]
    if not all(np.isfinite(part).all() and (part >= 0).all() for part in mixed):
        return np.full(count, np.nan, np.float32)
    capacities = _graph([np.rint(part * np.float64(_UNITS)).astype(np.int64) for part in mixed])
    for token in range(count):
        if should_stop is not None and should_stop():
            raise Cancelled("the search for the largest flow was stopped")
        found[token] = largest_flow(capacities, (layer + 1) * count + query, token) / _UNITS
    return found


def _graph(layers: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """[node, node]: capacities between all positions of all layers, those of the input first."""
    count = len(layers[0])
    size = (len(layers) + 1) * count
    found = np.zeros((size, size), dtype=np.int64)
    for number, part in enumerate(layers):
        start = number * count
        found[start + count : start + 2 * count, start : start + count] = part
    return found
