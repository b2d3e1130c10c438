"""Frames around cells, in two tones, so that they show on every colour of a table."""

from __future__ import annotations

from functools import lru_cache

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


DARK_INK, LIGHT_INK = "#0b1016", "#ffffff"


@lru_cache(maxsize=1024)
def ink(ground: tuple[int, int, int]) -> str:
    """Dark or light text, whichever has the higher contrast (WCAG) on a colour of a table."""
    here = _luminance(ground)
    dark = (here + 0.05) / (_luminance(tuple(bytes.fromhex(DARK_INK[1:]))) + 0.05)
    light = (_luminance(tuple(bytes.fromhex(LIGHT_INK[1:]))) + 0.05) / (here + 0.05)
    return DARK_INK if dark >= light else LIGHT_INK


def _luminance(colour: tuple[int, ...]) -> float:
    """Relative luminance of an sRGB colour, 0–1."""
    parts = [value / 255 for value in colour]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
