"""How spread out a distribution is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def entropy_bits(probabilities: NDArray[np.floating]) -> NDArray[np.float64]:
    """-Σ p log2 p along the last axis; 0 when one entry holds everything (0 log 0 = 0)."""
    p = np.asarray(probabilities, dtype=np.float64)
    logs = np.log2(p, out=np.zeros_like(p), where=p > 0)
    bits: NDArray[np.float64] = np.abs(np.sum(-p * logs, axis=-1))
    return bits
