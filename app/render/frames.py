"""Frames around cells, in two tones, so that they show on every colour of a table."""

from __future__ import annotations

from app.render.canvas import Canvas
from app.render.geometry import Rect
from app.theme import Theme


def around(box: Rect, by: float) -> Rect:
    """The box grown by so much at each side."""
    return Rect(box.x - by, box.y - by, box.width + 2 * by, box.height + 2 * by)


def frame(
    canvas: Canvas, box: Rect, theme: Theme, *, width: float = 1.0, opacity: float = 1.0
) -> None:
    """The accent's colour just outside the box, the surface's around that."""
    canvas.rect(around(box, width + 1), stroke=theme.surface, width=1, opacity=opacity)
    canvas.rect(around(box, width), stroke=theme.accent, width=width, opacity=opacity)


def ink(ground: tuple[int, int, int]) -> str:
    """Dark or light text, whichever reads better on a colour of a table."""
    red, green, blue = ground
    return "#16202b" if 299 * red + 587 * green + 114 * blue > 140_000 else "#f4f6f8"
