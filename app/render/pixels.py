"""Numbers to coloured pixels, with numpy alone: quantise, shrink by maximum, enlarge exactly.

A map becomes one uint8 image with a table of 256 colours: 252 levels of the scale and four entries
for what is no value, so that hatching costs next to nothing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from app.theme import Table, Theme

LEVELS = 252
HATCH, HATCH_LINE, DEAD, GAP = 252, 253, 254, 255

Indices = NDArray[np.uint8]
Bools = NDArray[np.bool_]
Integers = NDArray[np.intp]
T = TypeVar("T", np.uint8, np.bool_)


def quantise(values: NDArray[np.float32], limits: tuple[float, float]) -> Indices:
    """Levels 0–251 of `values` (any shape) between two limits; what lies beyond takes the end's.

    A value that is no number takes level 0: the caller hatches it.
    """
    low, high = limits
    span = high - low if high > low else 1.0
    scaled = (values - np.float32(low)) * np.float32((LEVELS - 1) / span)
    scaled += np.float32(0.5)
    np.clip(scaled, 0, LEVELS - 1, out=scaled)
    if np.isnan(np.sum(scaled)):
        np.nan_to_num(scaled, copy=False)
    return scaled.astype(np.uint8)


def colours(theme: Theme, scale: str) -> Table:
    """The table [256, 3] of the levels and the four entries that are no value."""
    table = np.empty((256, 3), dtype=np.uint8)
    source = theme.table(scale)
    table[:LEVELS] = source[np.rint(np.linspace(0, 255, LEVELS)).astype(np.intp)]
    for entry, colour in (
        (HATCH, theme.hatch),
        (HATCH_LINE, theme.hatch_line),
        (DEAD, theme.dead_row),
        (GAP, theme.surface),
    ):
        table[entry] = tuple(bytes.fromhex(colour[1:]))
    return table


def shrink(index: Indices, axis: int, size: int, *, diverging: bool = False) -> Indices:
    """At most `size` along an axis, each the maximum of the cells that fall into it.

    A lone peak stays visible; a mean would dim it and the nearest cell would miss it. On a
    diverging scale the value farthest from the middle wins.
    """
    if index.shape[axis] <= size:
        return index
    highest = _fold(index, axis, size, np.maximum)
    if not diverging:
        return highest
    lowest = _fold(index, axis, size, np.minimum)
    middle = (LEVELS - 1) / 2
    return np.where(highest - middle >= middle - lowest, highest, lowest)


def shrink_all(mask: Bools, axis: int, size: int) -> Bools:
    """The same for masked cells: a pixel is masked where every cell in it is."""
    return mask if mask.shape[axis] <= size else _fold(mask, axis, size, np.logical_and)


def _fold(array: NDArray[T], axis: int, size: int, combine: np.ufunc) -> NDArray[T]:
    # Slices of one cell from each pixel's group, folded: ten times faster than ufunc.reduceat.
    length = array.shape[axis]
    edges = np.arange(size + 1, dtype=np.intp) * length // size
    starts, last = edges[:-1], edges[1:] - 1
    folded = array.take(starts, axis=axis)
    for offset in range(1, -(-length // size)):
        combine(folded, array.take(np.minimum(starts + offset, last), axis=axis), out=folded)
    return folded


def image(
    index: Indices,
    hatched: Bools | None,
    width: int,
    height: int,
    *,
    blank: Bools | None = None,
    ratio: float = 1.0,
    diverging: bool = False,
) -> Indices:
    """The image [height, width] of a map [row, column]: shrunk by maximum where it has more cells
    than pixels, enlarged exactly where fewer, with stripes on hatched cells, and the surface where
    there are only hatched and blank ones."""
    unseen = blank if blank is None or hatched is None else blank | hatched
    for axis, size in ((0, height), (1, width)):
        index = shrink(index, axis, size, diverging=diverging)
        hatched = None if hatched is None else shrink_all(hatched, axis, size)
        unseen = None if unseen is None else shrink_all(unseen, axis, size)
    if unseen is not None:
        index = np.where(unseen, np.uint8(GAP), index)
    if hatched is not None:
        index = np.where(hatched, np.uint8(HATCH), index)
    rows, columns = spread(index.shape[0], height), spread(index.shape[1], width)
    result = index.take(columns, axis=1).take(rows, axis=0)
    return result if hatched is None else striped(result, ratio)


def striped(image: Indices, ratio: float = 1.0) -> Indices:
    """Draws diagonal lines, in place, over what is `HATCH`: six logical pixels apart at `ratio`
    pixels each."""
    lines = _lines(*image.shape, max(3, round(6 * ratio)), max(1, round(1.2 * ratio)))
    image += lines & (image == HATCH)  # HATCH_LINE is the entry after HATCH
    return image


@lru_cache(maxsize=8)
def _lines(height: int, width: int, period: int, thick: int) -> Indices:
    """1 on diagonal lines, else 0. Remembered: it takes as long as the rest of an image."""
    phase = np.add.outer(np.arange(height) % period, np.arange(width) % period).astype(np.uint8)
    once = np.arange(period) < thick
    return np.concatenate([once, once]).astype(np.uint8)[phase]


def spread(count: int, size: int) -> Integers:
    """For each of `size` pixels, the cell out of `count` that its middle lies in."""
    return ((np.arange(size) + 0.5) * count / size).astype(np.intp)
