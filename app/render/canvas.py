"""What every panel draws on: one drawing serves the screen, PNG and SVG, so they cannot differ.

Coordinates are logical pixels, colours "#rrggbb". The two canvases are `qt_canvas` (QPainter) and
`svg_canvas` (text of our own).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.render.geometry import Rect

Indices = NDArray[np.uint8]
Bools = NDArray[np.bool_]
Integers = NDArray[np.intp]
Point = tuple[float, float]
Align = str  # "left", "center" or "right"


class Canvas(Protocol):
    """A surface to draw on, back to front."""

    def rect(
        self,
        box: Rect,
        *,
        fill: str | None = None,
        stroke: str | None = None,
        width: float = 1.0,
        radius: float = 0.0,
        opacity: float = 1.0,
    ) -> None:
        """A box. A stroke lies inside the box, so that boxes that touch keep their edges."""

    def line(
        self,
        points: Sequence[Point],
        *,
        colour: str,
        width: float = 1.0,
        dash: bool = False,
        opacity: float = 1.0,
    ) -> None:
        """A line through points."""

    def polygon(self, points: Sequence[Point], *, fill: str, opacity: float = 1.0) -> None:
        """A filled shape."""

    def dot(self, x: float, y: float, radius: float, *, fill: str, stroke: str = "") -> None:
        """A filled circle, with a rim of one pixel if `stroke` is given."""

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        colour: str,
        size: float = 13,
        bold: bool = False,
        align: Align = "left",
        turn: float = 0,
    ) -> None:
        """One line of text. y is the middle of its capitals; `turn` rotates about (x, y), degrees
        clockwise."""

    def cells(
        self,
        box: Rect,
        index: Indices,
        hatched: Bools | None,
        table: Indices,
        *,
        blank: Bools | None = None,
        diverging: bool = False,
    ) -> None:
        """A map: index [row, column] into table [256, 3]; `hatched` cells show stripes instead
        (entries `pixels.HATCH` and `pixels.HATCH_LINE` of the table), `blank` ones the surface
        (`pixels.GAP`) where they are not hatched. Where cells are smaller than pixels the largest
        shows, on a diverging scale the farthest from the middle."""

    def raster(self, box: Rect, draw: Callable[[int, int], Indices], table: Indices) -> None:
        """An image that `draw(width, height)` makes for exactly the device's pixels in `box`."""
