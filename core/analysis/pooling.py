"""Shrinking maps so that nothing bright is lost: a cell keeps the largest value it stands for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]


def shrink_factor(length: int, most: int) -> int:
    """How many neighbours one cell stands for, so that `length` becomes at most `most`."""
    return max(1, -(-length // most))


def pool_max(maps: Floats, rows: int, columns: int) -> Floats:
    """[…, row, column] -> […, ⌈row / rows⌉, ⌈column / columns⌉]: the largest of each rectangle of
    rows × columns cells; rectangles at the far edges may be smaller."""
    return _pool(_pool(maps, columns, -1), rows, -2)


def pool_all(flags: Bools, rows: int, columns: int) -> Bools:
    """The same for flags: True where every cell of the rectangle is."""
    return ~_pool(_pool(~flags, columns, -1), rows, -2)


def _pool(values: NDArray[Any], factor: int, axis: int) -> NDArray[Any]:
    """Maxima of strided slices: many times faster than `maximum.reduceat` on short runs."""
    if factor == 1:
        return values
    moved = np.moveaxis(values, axis, -1) if axis == -1 else np.swapaxes(values, axis, -1)
    found = moved[..., ::factor].copy()
    for start in range(1, factor):
        part = moved[..., start::factor]
        np.maximum(found[..., : part.shape[-1]], part, out=found[..., : part.shape[-1]])
    return found if axis == -1 else np.swapaxes(found, axis, -1)
