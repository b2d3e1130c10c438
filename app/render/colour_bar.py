"""The scale beside a map: its colours, its numbers, and what cells without a
colour mean."""

from __future__ import annotations

import math

import numpy as np

from app.render import pixels, text
from app.render.canvas import Canvas, Indices
from app.render.geometry import Rect
from app.render.numbers import tick
from app.theme import Theme

ROOM = 92.0  # what a map leaves free at its right, so that maps one below the other line up
NARROW = 480.0  # in a narrower panel the scale takes no more than it needs
NEARLY = 8.0  # in steps, for most scales need about the same
AWAY = 16.0  # between map and scale
WIDTH = 12.0
SIZE = 11.0
HIGHEST = 240.0
NAME, LEAST = 18.0, 40.0  # the name's line, and the scale's own height
PARTS = ((4, 100.0), (2, 30.0), (1, 20.0))  # so many of a scale this high, its numbers apart
LINE = 18.0  # a scale that lies below its map


def room(
    width: float,
    limits: tuple[float, float],
    name: str,
    *,
    masked: bool = False,
    left_out: bool = False,
    dead: bool = False,
) -> float:
    """What a map in a panel of this width leaves free at its right."""
    if width >= NARROW:
        return ROOM
    said = [*_ticks(limits, 4), *(label for label, _, _ in _keys(masked, left_out, dead))]
    needed = max(WIDTH + 6 + text.longest(tuple(said), SIZE), text.width(name, SIZE))
    return min(ROOM, math.ceil((AWAY + needed + 2) / NEARLY) * NEARLY)


def paint(
    canvas: Canvas,
    box: Rect,
    table: Indices,
    theme: Theme,
    *,
    limits: tuple[float, float],
    name: str,
    masked: bool = False,
    left_out: bool = False,
    dead: bool = False,
) -> None:
    """Draws the scale with its upper left corner in `box`, the value's name above it."""
    keys = _keys(masked, left_out, dead)
    below = 18 * len(keys) + 12 * bool(keys)
    if box.height < LEAST + below:
        keys, below = [], 0
    named = NAME if box.height >= NAME + LEAST + below else 0.0
    if named:
        words = text.elide(name, box.width, SIZE)
        canvas.text(box.x, box.y + 6, words, colour=theme.muted, size=SIZE)
    high = float(int(max(min(LEAST, box.height), min(HIGHEST, box.height - named - below))))
    bar = Rect(box.x, box.y + named, WIDTH, high)
    levels = np.arange(pixels.LEVELS - 1, -1, -1, dtype=np.uint8)

    def draw(width: int, height: int) -> Indices:
        column = levels[pixels.spread(pixels.LEVELS, height)]
        return np.repeat(column[:, None], width, axis=1)

    canvas.raster(bar, draw, table)
    _paint_ticks(canvas, bar, limits, theme)
    y = bar.bottom + 18
    for label, entry, hatched in keys:
        swatch = Rect(box.x, y - 6, WIDTH, 12)
        index = np.full((1, 1), entry, dtype=np.uint8)
        canvas.cells(swatch, index, np.full((1, 1), hatched), table)
        canvas.rect(swatch, stroke=theme.border)
        canvas.text(swatch.right + 6, y, label, colour=theme.muted, size=SIZE)
        y += 18


def _paint_ticks(canvas: Canvas, bar: Rect, limits: tuple[float, float], theme: Theme) -> None:
    """As many numbers as stand clear of one another; both ends in one line where two do not."""
    x = bar.right + 6
    parts = next((parts for parts, least in PARTS if bar.height >= least), 0)
    if not parts:
        words = "–".join(_ticks(limits, 1))
        canvas.text(x, bar.middle[1], words, colour=theme.text, size=SIZE)
        return
    for part, label in enumerate(_ticks(limits, parts)):
        y = bar.bottom - bar.height * part / parts
        canvas.line([(bar.right, y), (bar.right + 3, y)], colour=theme.muted)
        inside = min(max(y, bar.y + 4), bar.bottom - 4)
        canvas.text(x, inside, label, colour=theme.text, size=SIZE)


def paint_line(
    canvas: Canvas,
    box: Rect,
    table: Indices,
    theme: Theme,
    *,
    limits: tuple[float, float],
    name: str = "",
    hatched: str = "",
) -> None:
    """The scale lying in a line as wide as `box`, its ends at its own ends: weight 0 ▬▬▬ 1.
    hatched: what a cell is that has no colour, empty where all have one."""
    low, high = _ticks(limits, 1)
    x, y = box.x, box.middle[1]
    if name:
        canvas.text(x, y, name, colour=theme.muted, size=SIZE)
        x += text.width(name, SIZE) + 8
    canvas.text(x, y, low, colour=theme.text, size=SIZE)
    x += text.width(low, SIZE) + 5
    wide = max(8.0, min(80.0, box.right - x - text.width(high, SIZE) - 5))
    levels = np.arange(pixels.LEVELS, dtype=np.uint8)

    def draw(width: int, height: int) -> Indices:
        return np.repeat(levels[pixels.spread(pixels.LEVELS, width)][None], height, axis=0)

    canvas.raster(Rect(round(x), round(y - 5), wide, 10), draw, table)
    x = round(x) + wide + 5
    canvas.text(x, y, high, colour=theme.text, size=SIZE)
    x += text.width(high, SIZE) + 12
    if hatched and x + 18 + text.width(hatched, SIZE) <= box.right:
        swatch = Rect(x, y - 6, WIDTH, 12)
        index = np.full((1, 1), pixels.HATCH, dtype=np.uint8)
        canvas.cells(swatch, index, np.full((1, 1), True), table)
        canvas.rect(swatch, stroke=theme.border)
        canvas.text(swatch.right + 6, y, hatched, colour=theme.muted, size=SIZE)


def line_width(limits: tuple[float, float], name: str) -> float:
    """What a scale in a line takes, all its numbers and a bar of a good length."""
    low, high = _ticks(limits, 1)
    return text.width(name, SIZE) + 8 + text.width(low, SIZE) + text.width(high, SIZE) + 10 + 80


def _keys(masked: bool, left_out: bool, dead: bool) -> list[tuple[str, int, bool]]:
    """Name, entry of the colour table, whether hatched, of what a cell without a colour means."""
    found = [("masked", pixels.HATCH, True)] * masked
    found += [("left out", pixels.GAP, False)] * left_out
    return found + [("no keys", pixels.DEAD, False)] * dead


def _ticks(limits: tuple[float, float], parts: int) -> list[str]:
    """The numbers beside the scale, from its lower end up."""
    low, top = limits
    step = (top - low) / parts
    return [tick(low + step * part, _readable(step)) for part in range(parts + 1)]


def _readable(step: float) -> float:
    """Keeps no more than three significant digits of a step, so that ticks stay short."""
    return float(f"{step:.2e}")
