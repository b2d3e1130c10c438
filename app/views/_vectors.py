"""Vectors as rows of a heatmap."""

from __future__ import annotations

import numpy as np

from app.figure import Axis, Floats


def coordinates(title: str, count: int) -> Axis:
    """An axis of numbered coordinates."""
    return Axis(title=title, labels=tuple(str(i) for i in range(count)))


def symmetric(values: Floats) -> tuple[float, float]:
    """Limits of a diverging scale that hold all values, 0 in the middle."""
    largest = float(np.abs(values).max())
    return (-largest, largest) if largest > 0 else (-1.0, 1.0)
