"""What each layer adds to a state, and which of its parts adds how much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.analysis.states import norms

if TYPE_CHECKING:
    from core.trace import Trace

Floats = NDArray[np.float32]


def relative_change(hidden: Floats) -> Floats:
    """‖h_l − h_(l−1)‖ / ‖h_(l−1)‖: [layer + 1, position, d_model] -> [layer, position]; 0 where
    the state before is all zeros."""
    before = norms(hidden[:-1])
    moved = norms(hidden[1:] - hidden[:-1])
    return np.divide(moved, before, out=np.zeros_like(moved), where=before > 0)


def added(trace: Trace, stack: str) -> dict[str, Floats]:
    """Lengths of what "self", "cross" (where there is any) and "ffn" add to the stream:
    [layer, position] each. In a sandwich that is what leaves the second norm."""
    blocks = trace.spec.stack(stack).blocks
    parts = ("self", "ffn") if blocks[0].cross is None else ("self", "cross", "ffn")
    found = {}
    for part in parts:
        sites = [
            f"{stack}.{i}.norm.{part}_post"
            if block.residual == "sandwich"
            else f"{stack}.{i}.{part}.out"
            for i, block in enumerate(blocks)
        ]
        found[part] = np.stack([norms(trace[site].numpy()) for site in sites])
    return found


def attention_share(lengths: dict[str, Floats]) -> Floats:
    """Of what is added, the share that comes from attention (self and cross), 0 … 1, by length;
    0 where nothing is added."""
    total = np.sum(list(lengths.values()), axis=0)
    attention = total - lengths["ffn"]
    share = np.divide(attention, total, out=np.zeros_like(total), where=total > 0)
    limited: Floats = np.clip(share, 0.0, 1.0)
    return limited
