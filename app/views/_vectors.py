"""Vectors as rows of a heatmap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import floor, isfinite, log10

import numpy as np

from app.figure import Axis, Floats

ENDS = (1.0, 1.2, 1.6, 2.0, 2.4, 3.2, 4.0, 4.8, 6.0, 8.0, 10.0)
"""Of scales: a quarter of each has no more digits than itself, or one more."""


def coordinates(title: str, count: int) -> Axis:
    """An axis of numbered coordinates."""
    return Axis(title=title, labels=tuple(str(i) for i in range(count)))


def symmetric(values: Floats) -> tuple[float, float]:
    """Limits of a diverging scale that hold all values, 0 in the middle."""
    end = round_end(float(np.abs(values).max(initial=0)))
    return -end, end


def round_end(largest: float) -> float:
    """The smallest end of a scale that holds a value and whose quarters are short numbers; 1 for 0
    and for what is no number."""
    if not (largest > 0 and isfinite(largest)):
        return 1.0
    power = 10.0 ** floor(log10(largest))
    return next(float(f"{end * power:.2g}") for end in ENDS if end * power >= largest * (1 - 1e-6))


def together(parts: Sequence[Floats]) -> tuple[float, tuple[str, ...]]:
    """Where one scale for several parts ends, so that none of them is drowned or burnt out; and
    what is said of each: where colours end below the largest value of one, that of all, each its
    own, so that the maps stay alike in height."""
    limit = max(bright(np.abs(values))[0] for values in parts)
    largest = [float(np.abs(values).max()) for values in parts]
    past = max(largest) > limit
    return limit, tuple(beyond(limit, one) if past else "" for one in largest)


def bright(values: Floats) -> tuple[float, str]:
    """Where the colour scale ends: at the largest value, unless a few outliers would drown the rest
    (a first token's norm may be fifty times the others')."""
    values = values[np.isfinite(values)]
    if not values.size:
        return 1.0, ""
    largest, usual = float(values.max()), round_end(4 * float(np.median(values)))
    if largest <= 2 * usual or np.median(values) <= 0:
        return round_end(largest), ""
    return usual, beyond(usual, largest)


def beyond(limit: float, largest: float) -> str:
    """Says that colours end below the largest value."""
    return f"colours end at {plain(limit)}; largest {plain(largest)}"


def plain(value: float, digits: int = 3) -> str:
    """So many digits, or all those before the point: 0.412, 27.2, 1,913."""
    if abs(value) < 10 ** (digits - 1):
        return f"{value:.{digits}g}".replace("-", "−")
    return f"{value:,.0f}".replace("-", "−")


def two_decimals(value: float) -> str:
    """A number in a table, to be added up with its neighbours: 0.41, −31.70, 128.4."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:z.{1 if abs(value) >= 100 else 2}f}".replace("-", "−")
