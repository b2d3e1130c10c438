"""The lines of attention flow: which weights are drawn, how wide, and what is said of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10

import numpy as np

from app.figure import Floats

FAINTEST, FAINTEST_PINNED = 0.04, 0.005
FEWEST, FEWEST_PINNED = 2, 12
"""So many lines a query on average, or of the pinned one, are drawn however faint they are."""
MOST = 500
"""More take too long to paint, and nobody could tell them apart."""
STRONG = 0.25
"""Where the strongest weight is weaker, widths are scaled to it: all lines would be hairs."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lines:
    """places[line] = (head, query, key), the weakest line first; weights[line]; widths[line] 0–1.

    faintest: weights from here on are drawn; found: how many there are, strongest: the largest."""

    places: tuple[tuple[int, int, int], ...]
    weights: tuple[float, ...]
    widths: tuple[float, ...]
    faintest: float
    found: int
    strongest: float

    @property
    def note(self) -> str:
        """What is drawn, in sentences."""
        if not self.places:
            return "No weight to draw here."
        how = "the stronger the wider"
        if self.strongest < STRONG:
            how += f", the widest being {self.strongest:.2g}"
        parts = [f"Lines for weights of {self.faintest:g} and more; {how}."]
        if self.found > MOST:
            parts.append(f"Of {self.found:,} lines the {MOST} strongest are drawn.")
        return " ".join(parts)


def lines(heads: Floats, rows: range, columns: range, query: int | None) -> Lines:
    """Of heads [head, query, key] the weights in so many rows and columns; with a pinned query its
    own alone."""
    seen = heads[:, rows.start : rows.stop, columns.start : columns.stop]
    if query is not None:
        only = np.zeros_like(seen)
        only[:, query - rows.start] = seen[:, query - rows.start]
        seen = only
    faintest = _faintest(seen, query is not None)
    places = np.argwhere(seen >= faintest)
    weights = seen[tuple(places.T)]
    order = np.argsort(weights, kind="stable")[-MOST:]
    strongest = float(weights.max()) if weights.size else 0.0
    widths = weights[order] / np.float32(1 if strongest >= STRONG else 2 * strongest or 1)
    return Lines(
        places=tuple((h, i + rows.start, j + columns.start) for h, i, j in places[order].tolist()),
        weights=tuple(weights[order].tolist()),
        # Alone, the lines of one query have room to be seen.
        widths=tuple((widths if query is None else widths**0.5).tolist()),
        faintest=faintest,
        found=len(places),
        strongest=strongest,
    )


def _faintest(seen: Floats, pinned: bool) -> float:
    """The usual bound, or a lower one with two digits where too few weights would reach it."""
    usual = FAINTEST_PINNED if pinned else FAINTEST
    fewest = FEWEST_PINNED if pinned else FEWEST * seen.shape[1]
    there = np.sort(seen[seen > 0])
    if there.size == 0 or there[-min(fewest, there.size)] >= usual:
        return usual
    least = float(there[-min(fewest, there.size)])
    unit = 10.0 ** (floor(log10(least)) - 1)
    return floor(least / unit) * unit
