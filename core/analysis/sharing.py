"""What if key/value heads were shared? The same text on pooled heads, and how far predictions move.

Pooling is the mean of Ainslie et al. 2023 (GQA), section 2.1, without the training that follows it
there: a bound on what sharing costs, not a forecast.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from core.analysis.divergence import divergence_bits
from core.errors import RequestError
from core.model import Transformer
from core.request import ShouldStop
from core.run import run
from core.surgery import pool_key_value_heads
from core.trace import Trace

_ROWS = 64  # positions at a time, so that no two tables [position, vocab] need to fit into memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """A run with `kv_heads` key/value heads beside the original one.

    mean_kl, last_kl: KL(original ‖ pooled) of the next-token distribution in bits, over all
    positions and after the last one. kept: share of positions whose likeliest token stays.
    bytes_before, bytes_after: what the cache holds.
    """

    kv_heads: int
    mean_kl: float
    last_kl: float
    kept: float
    bytes_before: int
    bytes_after: int


def share(
    network: Transformer, trace: Trace, kv_heads: int, *, should_stop: ShouldStop | None = None
) -> Shared:
    """Run the text of `trace`, a run of `network`, on pooled decoder heads.

    Raises RequestError when the heads cannot be shared so.
    """
    if trace.spec.heads.vocab is None:
        raise RequestError(f"{trace.spec.name} has no vocabulary head, so nothing can be compared")
    pooled = pool_key_value_heads(network, kv_heads)
    other = run(pooled, replace(trace.request, wants=frozenset()), should_stop=should_stop)
    padding = trace.tokens["decoder"].padding
    places = [i for i, hidden in enumerate(padding) if not hidden]
    found, kept = [], 0
    for start in range(0, len(places), _ROWS):
        rows = tuple(places[start : start + _ROWS])
        before, after = trace.derive.logits(trace, rows), other.derive.logits(other, rows)
        found.append(divergence_bits(before, after))
        kept += int((before.argmax(-1) == after.argmax(-1)).sum())
    divergence = torch.cat(found)
    assert trace.cache is not None and other.cache is not None
    return Shared(
        kv_heads=kv_heads,
        mean_kl=float(divergence.mean()),
        last_kl=float(divergence[-1]),
        kept=kept / len(places),
        bytes_before=trace.cache.bytes,
        bytes_after=other.cache.bytes,
    )
