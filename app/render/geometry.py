"""A rectangle in logical pixels, x to the right and y down."""

from __future__ import annotations

from typing import NamedTuple


class Rect(NamedTuple):
    """A box; `width` and `height` may be zero, never negative after `inset`."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies inside; the right and lower edges belong to the neighbour."""
        return self.x <= x < self.right and self.y <= y < self.bottom

    def inset(self, left: float = 0, top: float = 0, right: float = 0, bottom: float = 0) -> Rect:
        """The box without so much at each side."""
        width = max(0.0, self.width - left - right)
        height = max(0.0, self.height - top - bottom)
        return Rect(self.x + left, self.y + top, width, height)
