"""What the edits of a run leave of what reaches a value."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from core.trace import Trace

Floats = NDArray[np.float32]


def left(trace: Trace, site: str) -> Floats | None:
    """Of the value at a site, in its shape: 1 where it is untouched, the factor where it is scaled,
    0 where it is set, as nothing of what reached it counts there. None without edits of it."""
    if site not in trace.edited:
        return None
    import torch

    from core.edits import apply  # imports torch

    captured = trace.captured[site]
    factors = torch.ones_like(captured.values, dtype=torch.float32, device="cpu")[None]
    for edit in trace.request.edits:
        if edit.site == site:
            lasting = edit if edit.mode == "scale" else replace(edit, value=0.0)
            factors = apply(lasting, factors, captured.axes)
    found: Floats = factors[0].numpy()
    return found
