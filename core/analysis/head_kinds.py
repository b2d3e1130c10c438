"""What every head does on this text: how spread out it is, how far it looks, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.analysis.sinks import sinks, without
from core.analysis.uncertainty import entropy_bits
from core.errors import Cancelled

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.tokens import Tokens
    from core.trace import Trace

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]

KINDS = {
    "self": "weight on the query's own position",
    "previous": "weight on the position before",
    "next": "weight on the position after",
    "first": "weight on the first token",
    "special": "weight on special tokens other than the first, such as separators",
    "induction": "weight on what followed an earlier occurrence of the query's token",
}
"""Mean weights over the queries that may see such a key, in the order of `HeadKinds.weights`."""

LEAST, TIMES = 0.4, 2.0
"""A head is named after a kind that holds this much weight, and this many times what a head with
even weights would give it (on short texts an even head gives much to every kind)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeadKinds:
    """entropy: mean over queries, in bits. distance: mean |query - key| by weight, in tokens (NaN
    in cross-attention). weights[kind, layer, head]: see `KINDS`; NaN where no query has such a key.
    even[kind, layer]: the same of a head with even weights over the allowed keys. A layer with
    fewer heads has NaN for those it lacks."""

    entropy: Floats
    distance: Floats
    weights: Floats
    even: Floats

    @property
    def nbytes(self) -> int:
        return self.entropy.nbytes + self.distance.nbytes + self.weights.nbytes + self.even.nbytes

    def name(self, layer: int, head: int) -> tuple[str, float] | None:
        """The kind this head is named after and its weight, or None."""
        weights = self.weights[:, layer, head]
        stands_out = (weights >= LEAST) & (weights >= TIMES * self.even[:, layer])
        if not stands_out.any():
            return None
        best = int(np.argmax(np.where(stands_out, weights, -1)))
        return list(KINDS)[best], float(weights[best])


def key(site: str, drop_sinks: bool = False) -> tuple[object, ...]:
    """Under which a trace remembers them."""
    return "head kinds", site, drop_sinks


def head_kinds(
    trace: Trace,
    site: str,
    should_stop: ShouldStop | None = None,
    *,
    drop_sinks: bool = False,
) -> HeadKinds:
    """All heads of an attention site ("decoder.self"); remembered. Padding counts neither as query
    nor as key. drop_sinks: weights without `sinks`, the rest rescaled."""
    return trace.remembered(
        key(site, drop_sinks), lambda: _head_kinds(trace, site, should_stop, drop_sinks)
    )


def _head_kinds(
    trace: Trace, site: str, should_stop: ShouldStop | None, drop_sinks: bool
) -> HeadKinds:
    stack_name, part = site.split(".")
    stack = trace.spec.stack(stack_name)
    queries = trace.tokens[stack_name]
    keys = trace.tokens["encoder"] if part == "cross" else queries
    counts = [stack.attention(part, layer).heads for layer in range(stack.layers)]
    shape = (stack.layers, max(counts))
    entropy = np.full(shape, np.nan, np.float32)
    distance = np.full(shape, np.nan, np.float32)
    weights = np.full((len(KINDS), *shape), np.nan, np.float32)
    even = np.full((len(KINDS), stack.layers), np.nan, np.float32)
    for layer, count in enumerate(counts):
        if should_stop is not None and should_stop():
            raise Cancelled("looking at all heads was stopped")
        allowed = trace.allowed(site, layer).numpy()
        if drop_sinks:
            allowed = allowed & ~sinks(keys)
        real = ~np.array(queries.padding) & allowed.any(axis=1)
        if not real.any():
            continue
        maps = trace.derive.pattern(trace, site, layer, None, None).cpu().float().numpy()
        maps = without(maps, sinks(keys)) if drop_sinks else maps
        targets = _targets(queries, keys, part == "cross", allowed & real[:, None])
        entropy[layer, :count] = entropy_bits(maps[:, real]).mean(axis=-1)
        if part == "self":
            distance[layer, :count] = _distance(maps[:, real], np.flatnonzero(real))
        level = allowed / np.maximum(allowed.sum(axis=1, keepdims=True), 1)
        for kind, target in enumerate(targets):
            rows = target.any(axis=1)
            if rows.any():
                found = np.einsum("hqk,qk->h", maps[:, rows], target[rows].astype(np.float32))
                weights[kind, layer, :count] = found / rows.sum()
                even[kind, layer] = (level * target)[rows].sum(axis=1).mean()
    return HeadKinds(entropy=entropy, distance=distance, weights=weights, even=even)


def _distance(maps: Floats, queries: NDArray[np.int64]) -> Floats:
    apart = np.abs(queries[:, None] - np.arange(maps.shape[-1])).astype(np.float32)
    far: Floats = np.einsum("hqk,qk->h", maps, apart) / len(queries)
    return far


def _targets(queries: Tokens, keys: Tokens, cross: bool, seen: Bools) -> list[Bools]:
    """[query, key] for each of `KINDS`: the keys that count, among those that can be seen."""
    rows, columns = np.arange(len(queries))[:, None], np.arange(len(keys))[None]
    nothing = np.zeros(seen.shape, dtype=bool)
    first = columns == keys.padding.index(False)
    special = np.array(keys.special)[None] & ~np.array(keys.padding)[None] & ~first
    if cross:
        own, before, after, repeated = (nothing,) * 4
    else:
        own, before, after = columns == rows, columns == rows - 1, columns == rows + 1
        repeated = _after_the_same_token(queries)
    return [seen & target for target in (own, before, after, first, special, repeated)]


def _after_the_same_token(tokens: Tokens) -> Bools:
    """[query, key]: the key's predecessor is the query's token, earlier in the text (induction
    heads, Olsson et al. 2022)."""
    ids = np.array(tokens.ids)
    same = np.zeros((len(ids), len(ids)), dtype=bool)
    same[:, 1:] = ids[:, None] == ids[None, :-1]
    return same & (np.arange(len(ids))[None] <= np.arange(len(ids))[:, None])
