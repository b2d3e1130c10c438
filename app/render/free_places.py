"""Where a name finds room in a picture: beside its point, over no other point and no other name."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from app.render.geometry import Rect

HIGH = 16.0  # of a name
AWAY, NEAR = 7.0, 5.0  # of a name from its point: beside it, and in a corner


class FreePlaces:
    """The pixels of a box that nothing stands on yet; asked a thousand times a picture."""

    def __init__(self, box: Rect) -> None:
        self._box = box
        self._taken = np.zeros((int(box.height) + 1, int(box.width) + 1), dtype=bool)

    def take(self, room: Rect) -> None:
        self._taken[self._pixels(room)] = True

    def free(self, room: Rect) -> bool:
        """Whether it lies within the box, and on nothing."""
        box = self._box
        inside = (
            room.x >= box.x
            and room.right <= box.right
            and room.y >= box.y
            and room.bottom <= box.bottom
        )
        return inside and not self._taken[self._pixels(room)].any()

    def _pixels(self, room: Rect) -> tuple[slice, slice]:
        left, top = self._box.x, self._box.y
        return (
            slice(max(0, round(room.y - top)), max(0, round(room.bottom - top))),
            slice(max(0, round(room.x - left)), max(0, round(room.right - left))),
        )


def around_point(x: float, y: float, wide: float) -> Iterator[Rect]:
    """Where the name of a point may stand, the best place first."""
    yield Rect(x + AWAY, y - HIGH / 2, wide, HIGH)
    yield Rect(x - AWAY - wide, y - HIGH / 2, wide, HIGH)
    for top in (y - NEAR - HIGH, y + NEAR):
        for left in (x + NEAR, x - wide / 2, x - NEAR - wide):
            yield Rect(left, top, wide, HIGH)
