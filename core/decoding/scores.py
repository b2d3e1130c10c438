"""The scores a token is chosen from."""

from __future__ import annotations

from torch import Tensor

from core.errors import RequestError
from core.finite import trouble
from core.trace import Trace


def scores(trace: Trace, *positions: int) -> Tensor:
    """[len(positions), vocab] logits; RequestError where they are no finite numbers, as no token is
    the likeliest then."""
    logits = trace.logits_at(*positions)
    # NaN is the largest of all to `max`, so this is seen without another pass.
    if not bool(logits.max().isfinite()):
        raise RequestError(f"no token can be chosen: {trouble(trace)}")
    return logits
