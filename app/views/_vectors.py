"""Vectors as rows of a heatmap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.figure import Axis, Floats


def coordinates(title: str, count: int) -> Axis:
    """An axis of numbered coordinates."""
    return Axis(title=title, labels=tuple(str(i) for i in range(count)))


def symmetric(values: Floats) -> tuple[float, float]:
    """Limits of a diverging scale that hold all values, 0 in the middle."""
    largest = float(np.abs(values).max())
    return (-largest, largest) if largest > 0 else (-1.0, 1.0)


def together(parts: Sequence[Floats]) -> tuple[float, str]:
    """Where one scale for several parts ends, so that none of them is drowned or burnt out."""
    limit = max(bright(np.abs(values))[0] for values in parts)
    largest = max(float(np.abs(values).max()) for values in parts)
    return limit, "" if largest <= limit else _beyond(limit, largest)


def bright(values: Floats) -> tuple[float, str]:
    """Where the colour scale ends: at the largest value, unless a few outliers would drown the rest
    (a first token's norm may be fifty times the others')."""
    largest = float(values.max())
    usual = 4 * float(np.median(values))
    if largest <= 0:
        return 1.0, ""
    if largest <= 2 * usual or usual <= 0:
        return largest, ""
    return usual, _beyond(usual, largest)


def _beyond(limit: float, largest: float) -> str:
    return f"colours end at {limit:.3g}; largest {largest:.4g}"
