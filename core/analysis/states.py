"""How hidden states change from layer to layer: their size and the direction they point in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def norms(states: Floats) -> Floats:
    """Euclidean length along the last axis: […, d_model] -> […]."""
    squares: Floats = np.vecdot(states, states)
    return np.sqrt(squares)


def cosine(a: Floats, b: Floats) -> Floats:
    """Cosine of the angle between vectors along the last axis, -1 … 1; 0 where one is all zeros."""
    lengths = norms(a) * norms(b)
    dot = np.vecdot(a, b)
    found = np.divide(dot, lengths, out=np.zeros_like(dot), where=lengths > 0)
    limited: Floats = np.clip(found, -1.0, 1.0)
    return limited


def cosine_matrix(states: Floats) -> Floats:
    """Cosine of every pair: [n, d_model] -> [n, n]; 0 where a vector is all zeros."""
    lengths = norms(states)[:, None]
    units = np.divide(states, lengths, out=np.zeros_like(states), where=lengths > 0)
    limited: Floats = np.clip(units @ units.T, -1.0, 1.0)
    return limited


def similarity_to_before(hidden: Floats) -> Floats:
    """Cosine of each state with the same position's state one layer before.

    hidden: [layer + 1, position, d_model] -> [layer, position].
    """
    return cosine(hidden[1:], hidden[:-1])
