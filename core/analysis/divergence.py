"""How far one distribution is from another."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def divergence_bits(before: Tensor, after: Tensor) -> Tensor:
    """KL(before ‖ after) of the softmax of logits [..., choice], in bits along the last axis.

    In float64 on the CPU, as not every device has it. What `before` rules out (−∞) adds nothing;
    what only `after` rules out makes it infinite.
    """
    p, q = (logits.cpu().double().log_softmax(-1) for logits in (before, after))
    weights = p.exp()
    nats = (weights * (p - q)).masked_fill(weights == 0, 0.0).sum(-1)
    return nats.clamp(min=0) / math.log(2)
