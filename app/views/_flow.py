"""The lines of attention flow: which weights are drawn, how wide, and what is said of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np

from app.figure import Floats

FAINTEST, FAINTEST_PINNED = 0.04, 0.005
FEWEST, FEWEST_PINNED = 2, 12
"""So many lines a query on average, or of the pinned one, are drawn where they can be painted."""
PAINTED = 0.01
"""The least width that is painted at all, as in `app.render.diagram`."""
MOST = 500
"""More take too long to paint, and nobody could tell them apart."""
STRONG = 0.25
"""Where the strongest weight is weaker, widths are scaled to it: all lines would be hairs."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lines:
    """places[line] = (head, query, key), the weakest line first; weights[line]; widths[line] 0–1.

    faintest: weights from here on are drawn; found: how many there are, strongest: the largest.
    unknown: how many weights are no numbers, which are never drawn."""

    places: tuple[tuple[int, int, int], ...]
    weights: tuple[float, ...]
    widths: tuple[float, ...]
    faintest: float
    found: int
    strongest: float
    unknown: int = 0

    @property
    def note(self) -> str:
        """What is drawn, in sentences."""
        if not self.places:
            return "The weights are no numbers." if self.unknown else "No weight to draw here."
        how = "the stronger the wider"
        if self.strongest < STRONG:
            how += f", the widest being {_decimal(self.strongest)}"
        parts = [f"Lines for weights of {_decimal(self.faintest)} and more; {how}."]
        if self.found > MOST:
            parts.append(f"Of {self.found:,} lines the {MOST} strongest are drawn.")
        if self.unknown:
            parts.append("Weights that are no numbers are not drawn.")
        return " ".join(parts)


def lines(heads: Floats, rows: range, columns: range, query: int | None) -> Lines:
    """Of heads [head, query, key] the weights in so many rows and columns; with a pinned query its
    own alone."""
    seen = heads[:, rows.start : rows.stop, columns.start : columns.stop]
    if query is not None:
        only = np.zeros_like(seen)
        only[:, query - rows.start] = seen[:, query - rows.start]
        seen = only
    known = np.isfinite(seen)
    seen = np.where(known, seen, np.float32(0))
    strongest = float(seen.max(initial=0))
    widest = 1 if strongest >= STRONG else 2 * strongest or 1  # the weight whose width is 1
    power = 1 if query is None else 0.5  # alone, the lines of one query have room to be seen
    least = _two_digits(widest * PAINTED ** (1 / power), ceil)
    faintest = max(_faintest(seen, query is not None), least)
    places = np.argwhere(seen >= faintest)
    weights = seen[tuple(places.T)]
    order = np.argsort(weights, kind="stable")[-MOST:]
    widths = np.maximum(weights[order].astype(np.float64) / widest, 0) ** power
    return Lines(
        places=tuple((h, i + rows.start, j + columns.start) for h, i, j in places[order].tolist()),
        weights=tuple(weights[order].tolist()),
        widths=tuple(np.maximum(widths, PAINTED).tolist()),
        faintest=faintest,
        found=len(places),
        strongest=strongest,
        unknown=int((~known).sum()),
    )


def _faintest(seen: Floats, pinned: bool) -> float:
    """The usual bound, or a lower one with two digits where too few weights would reach it."""
    usual = FAINTEST_PINNED if pinned else FAINTEST
    fewest = FEWEST_PINNED if pinned else FEWEST * seen.shape[1]
    there = np.sort(seen[seen > 0])
    if there.size == 0 or there[-min(fewest, there.size)] >= usual:
        return usual
    return _two_digits(float(there[-min(fewest, there.size)]), floor)


def _two_digits(value: float, rounded: Callable[[float], int]) -> float:
    """Rounded down or up to two digits."""
    places = 1 - floor(log10(value))
    # A power of ten below 1 is no exact number, one above is; what is one tick off is no more.
    return rounded(round(value * 10.0**places, 6)) / 10.0**places


def _decimal(value: float) -> str:
    """Two digits, without an exponent."""
    return np.format_float_positional(float(f"{value:.2g}"), trim="-")
