"""The frame that curves and paths share: two number axes with round ticks and faint grid lines.

Own painting rather than pyqtgraph's PlotItem: curves and paths take 7 to 8 ms here and 12 to 17
there, 34 to create one; it needs widgets where a command-line export has none, and would draw
another picture than the SVG.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from app.figure import Floats
from app.render import text
from app.render.canvas import Canvas
from app.render.geometry import Rect
from app.render.numbers import tick, ticks
from app.theme import Theme

SIZE = 11.0
Limits = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Plot:
    """box: where the lines are drawn. x, y: the values at its edges."""

    box: Rect
    x: Limits
    y: Limits

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the data lies in pixels."""
        box = self.box
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return box.x + across * box.width, box.bottom - up * box.height


def limits_of(values: Floats, margin: float) -> Limits:
    """The smallest and largest finite value, with so much of their span around them."""
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    span = high - low or abs(high) or 1.0
    return low - span * margin, high + span * margin


def fit(box: Rect, x: Limits, y: Limits, x_title: str, y_title: str) -> Plot:
    """The plot in `box`, with room for the numbers and titles at its left and below it."""
    x, y = _apart(x), _apart(y)
    marks, step = ticks(*y, most=_most_up(box.height))
    numbers = max((text.width(tick(mark, step), SIZE) for mark in marks), default=0.0)
    left = numbers + 10 + (18 if y_title else 0)
    below = 20 + (18 if x_title else 0)
    inner = box.inset(left=left, top=6, right=10, bottom=below)
    inner = Rect(inner.x, inner.y, max(1.0, inner.width), max(1.0, inner.height))
    return Plot(inner, x, y)


def _apart(limits: Limits) -> Limits:
    low, high = limits
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def _most(room: float, spacing: float) -> int:
    return max(2, int(room / spacing))


def _most_up(height: float) -> int:
    """Numbers beside an axis: two would say too little where three find room."""
    return max(3 if height >= 48 else 2, int(height / 34))


def paint_axes(
    canvas: Canvas,
    plot: Plot,
    theme: Theme,
    *,
    x_title: str,
    y_title: str,
    x_labels: tuple[str, ...] = (),
) -> None:
    """Grid lines, numbers (or `x_labels` at whole x values, thinned) and titles."""
    box = plot.box
    marks, step = ticks(*plot.y, most=_most_up(box.height))
    for mark in marks:
        y = plot.at(plot.x[0], mark)[1]
        canvas.line([(box.x, y), (box.right, y)], colour=theme.border, opacity=0.6)
        canvas.text(box.x - 6, y, tick(mark, step), colour=theme.muted, size=SIZE, align="right")
    for value, label in _x_marks(plot, x_labels):
        x = plot.at(value, plot.y[0])[0]
        canvas.line([(x, box.bottom), (x, box.bottom + 4)], colour=theme.border)
        canvas.text(x, box.bottom + 13, label, colour=theme.muted, size=SIZE, align="center")
    canvas.rect(box, stroke=theme.border)
    middle_x, middle_y = box.middle
    if x_title:
        title = text.elide(x_title, box.width, 12)
        y = box.bottom + 30
        canvas.text(middle_x, y, title, colour=theme.muted, size=12, align="center")
    if y_title:
        title = text.elide(y_title, max(60.0, box.height), 12)
        numbers = max((text.width(tick(mark, step), SIZE) for mark in marks), default=0.0)
        x = box.x - numbers - 18
        canvas.text(x, middle_y, title, colour=theme.muted, size=12, align="center", turn=-90)


def _x_marks(plot: Plot, labels: tuple[str, ...]) -> list[tuple[float, str]]:
    box = plot.box
    if not labels:
        marks, step = ticks(*plot.x, most=_most(box.width, 70))
        return [(mark, tick(mark, step)) for mark in marks]
    first, last = math.ceil(plot.x[0]), math.floor(plot.x[1])
    seen = [index for index in range(first, last + 1) if 0 <= index < len(labels)]
    widest = text.longest(tuple(labels[index] for index in seen), SIZE)
    room = box.width / max(1e-9, plot.x[1] - plot.x[0])
    every = max(1, math.ceil((min(widest, 90.0) + 10) / room))
    return [(float(index), text.elide(labels[index], 90, SIZE)) for index in seen[::every]]
