"""What every head does on this text: how spread out it is, how far it looks, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.analysis.sinks import sinks, without
from core.analysis.uncertainty import entropy_bits
from core.progress import step

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
    "offset": "weight on the one distance, of 2 to 8 tokens, that it holds to most",
}
"""Mean weights over the queries that may see such a key, in the order of `HeadKinds.weights`."""

LEAST, TIMES, QUERIES = 0.4, 2.0, 3
"""A head is named after a kind that holds this much weight, this many times what a head with even
weights would give it (on short texts an even head gives much to every kind), in this many queries
at least."""
OFFSETS = tuple(d for far in range(2, 9) for d in (-far, far))
UNKNOWN = frozenset({"[UNK]", "<unk>"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeadKinds:
    """entropy: mean over queries, in bits. distance: mean |query - key| by weight, in tokens (NaN
    in cross-attention). weights[kind, layer, head]: see `KINDS`; NaN where no query has such a key.
    even[kind, layer, head]: the same of a head with even weights over the allowed keys.
    queries[kind, layer, head]: how many the mean is over. offset[layer, head]: key - query of the
    last kind, 0 where there is none. A layer with fewer heads has NaN for those it lacks."""

    entropy: Floats
    distance: Floats
    weights: Floats
    even: Floats
    queries: NDArray[np.int64]
    offset: NDArray[np.int64]

    @property
    def nbytes(self) -> int:
        arrays = (self.entropy, self.distance, self.weights, self.even, self.queries, self.offset)
        return sum(array.nbytes for array in arrays)

    def name(self, layer: int, head: int) -> tuple[str, float] | None:
        """The kind this head is named after and its weight, or None."""
        weights = self.weights[:, layer, head]
        stands_out = (weights >= LEAST) & (weights >= TIMES * self.even[:, layer, head])
        stands_out &= self.queries[:, layer, head] >= QUERIES
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
    even = np.full((len(KINDS), *shape), np.nan, np.float32)
    asked = np.zeros((len(KINDS), *shape), np.int64)
    offset = np.zeros(shape, np.int64)
    mask = trace.spec.special.mask
    for layer, count in enumerate(counts):
        step(should_stop, layer / len(counts), "looking at all heads")
        allowed = trace.allowed(site, layer).numpy()
        if drop_sinks:
            allowed = allowed & ~sinks(keys, mask)
        real = ~np.array(queries.padding) & allowed.any(axis=1)
        if not real.any():
            continue
        maps = trace.derive.pattern(trace, site, layer, None, None).cpu().float().numpy()
        maps = without(maps, sinks(keys, mask)) if drop_sinks else maps
        seen = allowed & real[:, None] & ~np.array(keys.padding)
        targets = _targets(queries, keys, part == "cross", seen, mask)
        entropy[layer, :count] = entropy_bits(maps[:, real]).mean(axis=-1)
        if part == "self":
            distance[layer, :count] = _distance(maps[:, real], np.flatnonzero(real))
        level = allowed / np.maximum(allowed.sum(axis=1, keepdims=True), 1)
        for kind, target in enumerate(targets):
            rows = target.any(axis=1)
            if rows.any():
                found = np.einsum("hqk,qk->h", maps[:, rows], target[rows].astype(np.float32))
                weights[kind, layer, :count] = found / rows.sum()
                even[kind, layer, :count] = (level * target)[rows].sum(axis=1).mean()
                asked[kind, layer, :count] = rows.sum()
        if part == "self":
            for head in range(count):
                best = _best_offset(maps[head], seen)
                if best is not None:
                    far, weight, rows = best
                    weights[-1, layer, head], offset[layer, head] = weight, far
                    even[-1, layer, head] = np.diagonal(level, far)[rows].mean()
                    asked[-1, layer, head] = rows.sum()
    return HeadKinds(
        entropy=entropy,
        distance=distance,
        weights=weights,
        even=even,
        queries=asked,
        offset=offset,
    )


def _best_offset(weights: Floats, seen: Bools) -> tuple[int, float, Bools] | None:
    """(key - query, mean weight, which entries of that diagonal count) of the distance that holds
    most, of those that at least half of the queries can see; None where there is none."""
    best: tuple[int, float, Bools] | None = None
    for far in OFFSETS:
        rows: Bools = np.diagonal(seen, far)
        if rows.sum() * 2 < seen.any(axis=1).sum() or not rows.any():
            continue
        weight = float(np.diagonal(weights, far)[rows].mean())
        if best is None or weight > best[1]:
            best = far, weight, rows
    return best


def _distance(maps: Floats, queries: NDArray[np.int64]) -> Floats:
    apart = np.abs(queries[:, None] - np.arange(maps.shape[-1])).astype(np.float32)
    far: Floats = np.einsum("hqk,qk->h", maps, apart) / len(queries)
    return far


def _targets(
    queries: Tokens, keys: Tokens, cross: bool, seen: Bools, mask: int | None
) -> list[Bools]:
    """[query, key] for each of `KINDS` but the last: the keys that count, among those that can be
    seen. The token `mask` stands for a word, so it is not special here."""
    rows, columns = np.arange(len(queries))[:, None], np.arange(len(keys))[None]
    nothing = np.zeros(seen.shape, dtype=bool)
    first = columns == keys.padding.index(False)
    special = np.array(keys.special)[None] & ~np.array(keys.padding)[None] & ~first
    special = special & (np.array(keys.ids)[None] != (-1 if mask is None else mask))
    if cross:
        own, before, after, repeated = (nothing,) * 4
    else:
        own, before, after = columns == rows, columns == rows - 1, columns == rows + 1
        repeated = _after_the_same_token(queries)
    return [seen & target for target in (own, before, after, first, special, repeated)]


def _after_the_same_token(tokens: Tokens) -> Bools:
    """[query, key]: the key's predecessor is the query's token, earlier in the text (induction
    heads, Olsson et al. 2022). Unknown words are not the same word, and padding is none, though
    its id may be that of a word."""
    alone = np.array([piece in UNKNOWN for piece in tokens.pieces]) | np.array(tokens.padding)
    ids = np.where(alone, -1 - np.arange(len(tokens)), np.array(tokens.ids))
    same = np.zeros((len(ids), len(ids)), dtype=bool)
    same[:, 1:] = ids[:, None] == ids[None, :-1]
    return same & (np.arange(len(ids))[None] <= np.arange(len(ids))[:, None])
