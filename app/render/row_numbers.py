"""A number for each row of a map, beside it: a bar as long as the number is large, and its digits
where rows are high enough."""

from __future__ import annotations

import math

from app.figure import Floats
from app.render.canvas import Canvas
from app.render.geometry import Rect
from app.render.grid import Grid
from app.render.numbers import number
from app.theme import Theme

ROOM, AWAY = 60.0, 8.0  # what a map leaves free for them, and where they begin
SIZE, LEAST_BAR = 10.0, 2.0  # letters; a lower bar would not be seen


def paint(
    canvas: Canvas, grid: Grid, theme: Theme, name: str, values: Floats, limit: float
) -> None:
    """values [row]: of all rows, not only those in sight. limit: that of a bar of full length."""
    box, high, window = grid.box, grid.cell[1], grid.window
    x, room = box.right + AWAY, ROOM - AWAY
    canvas.text(x, box.y - SIZE, name, colour=theme.muted, size=11)
    limit = max(limit, 1e-30)
    every = max(1, math.ceil(LEAST_BAR / high))
    labelled = max(1, math.ceil((SIZE + 2) / high))
    for row in range(window.row, window.row + window.rows):
        place, value = row - window.row, float(values[row])
        band = grid.row_band(row)
        if place % every == 0:
            tall = max(1.0, 0.8 * high)
            bar = Rect(x, band.middle[1] - tall / 2, room * min(1.0, value / limit), tall)
            canvas.rect(bar, fill=theme.lines[0], opacity=0.3)
        if place % labelled == 0:
            digits = number(value)
            canvas.text(x + 3, band.middle[1], digits, colour=theme.text, size=SIZE)
