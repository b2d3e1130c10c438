"""Which labels of an axis are drawn, so that none touch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count as counted

AIR = 4.0  # between labels that were thinned


@lru_cache(maxsize=64)
def first_number(labels: tuple[str, ...]) -> int | None:
    """The first of labels that only count, as those of coordinates and layers do; else None."""
    if not labels or not labels[0].isdecimal():
        return None
    start = int(labels[0])
    counts = all(label == str(start + place) for place, label in enumerate(labels))
    return start if counts else None


def fitting(
    first: int,
    count: int,
    cell: float,
    spacing: float,
    pinned: int | None,
    start: int | None = None,
    kept: Iterable[int] = (),
) -> Iterator[int]:
    """The labels to draw: every n-th so that none touch, and the pinned one in place of what it
    would touch. start: the first number where labels only count; then round ones are drawn. kept,
    in ascending order: these, too, take the place of others that they would touch."""
    step = max(1, -int(-spacing // cell))
    if step > 1:
        step = max(step, -int(-(spacing + AIR) // cell))
    places = (
        range(first - first % -step if step > 1 else first, first + count, step)
        if start is None or step == 1
        else _round(first, count, step, start)
    )
    fixed: list[int] = []
    if pinned is not None and first <= pinned < first + count:
        fixed.append(pinned)
    if step > 1:  # else all are drawn
        last = -math.inf
        for index in kept:
            beside = min(index - last, math.inf if not fixed else abs(index - fixed[0]))
            if first <= index < first + count and (beside * cell >= spacing):
                fixed.append(index)
                last = index
    for index in places:
        if all(index != other and abs(index - other) * cell >= spacing for other in fixed):
            yield index
    yield from fixed


def _round(first: int, count: int, least: int, start: int) -> Iterator[int]:
    """0 10 20 …; what counts from 1 begins with 1: 1 3 5 … or 1 10 20 …"""
    step = next(
        base * 10**power for power in counted() for base in (1, 2, 5) if base * 10**power >= least
    )
    odd = start % 2 if step == 2 else 0
    for index in range(first, first + count):
        number = index + start
        if number % step == odd or (number == start and step - start % step >= least):
            yield index
