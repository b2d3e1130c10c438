"""The scale beside a map: its colours, its numbers, and what hatching and dead rows mean."""

from __future__ import annotations

import numpy as np

from app.render import pixels, text
from app.render.canvas import Canvas, Indices
from app.render.geometry import Rect
from app.render.numbers import tick
from app.theme import Theme

ROOM = 92.0  # what a map leaves free at its right
WIDTH = 12.0
SIZE = 11.0
HIGHEST = 240.0


def paint(
    canvas: Canvas,
    box: Rect,
    table: Indices,
    theme: Theme,
    *,
    limits: tuple[float, float],
    name: str,
    masked: bool = False,
    dead: bool = False,
) -> None:
    """Draws the scale with its upper left corner in `box`, the value's name above it."""
    canvas.text(box.x, box.y + 6, text.elide(name, box.width, SIZE), colour=theme.muted, size=SIZE)
    keys = [("masked", True)] * masked + [("no keys", False)] * dead
    below = 18 * len(keys) + 12 * bool(keys)
    high = float(int(max(40.0, min(HIGHEST, box.height - 18 - below))))
    bar = Rect(box.x, box.y + 18, WIDTH, high)
    levels = np.arange(pixels.LEVELS - 1, -1, -1, dtype=np.uint8)

    def draw(width: int, height: int) -> Indices:
        column = levels[pixels.spread(pixels.LEVELS, height)]
        return np.repeat(column[:, None], width, axis=1)

    canvas.raster(bar, draw, table)
    low, top = limits
    parts = 4 if high >= 100 else 2
    step = (top - low) / parts
    for part in range(parts + 1):
        y = bar.bottom - bar.height * part / parts
        canvas.line([(bar.right, y), (bar.right + 3, y)], colour=theme.muted)
        label = tick(low + step * part, _readable(step))
        inside = min(max(y, bar.y + 4), bar.bottom - 4)
        canvas.text(bar.right + 6, inside, label, colour=theme.text, size=SIZE)
    y = bar.bottom + 18
    for label, hatched in keys:
        swatch = Rect(box.x, y - 6, WIDTH, 12)
        index = np.full((1, 1), pixels.DEAD, dtype=np.uint8)
        canvas.cells(swatch, index, np.full((1, 1), hatched), table)
        canvas.rect(swatch, stroke=theme.border)
        canvas.text(swatch.right + 6, y, label, colour=theme.muted, size=SIZE)
        y += 18


def _readable(step: float) -> float:
    """Keeps no more than three significant digits of a step, so that ticks stay short."""
    return float(f"{step:.2e}")
