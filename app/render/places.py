"""Finding places on a page: the map under a point, the next place for the keyboard, a drag."""

from __future__ import annotations

from app.render.drawing import Hit, Scrollable
from app.render.page import Page
from app.render.window import Window

Found = tuple[int, Hit]  # a panel's number and a place in it


def map_at(page: Page, x: float, y: float) -> tuple[int, Scrollable, tuple[float, float]] | None:
    """The map under a point: panel, drawing and (row, column) with fractions."""
    for index, placed in enumerate(page.placed):
        drawing = placed.drawing
        if isinstance(drawing, Scrollable):
            cell = drawing.cell_at(x, y)
            if cell is not None:
                return index, drawing, cell
    return None


def map_of(page: Page, index: int) -> Scrollable | None:
    """The map that a panel is; None if it is something else."""
    if not 0 <= index < len(page.placed):
        return None
    drawing = page.placed[index].drawing
    return drawing if isinstance(drawing, Scrollable) else None


def whole_of(page: Page, index: int) -> Window | None:
    """All the cells of a panel's map."""
    drawing = map_of(page, index)
    return None if drawing is None else drawing.whole


def beside(page: Page, found: Found | None, down: int, right: int) -> Found | None:
    """The next place to read; past the edge of a panel the first of the panel after or before."""
    index, hit = found if found is not None else (0, None)
    following = page.placed[index].drawing.beside(hit, down, right)
    while following is None:
        index += 1 if down + right > 0 else -1
        if not 0 <= index < len(page.placed):
            return None
        following = page.placed[index].drawing.beside(None, 0, 0)
    return index, following


class Drag:
    """A press of the button that may become a drag.

    panel: the map it began on, None for none. moved: whether it went far enough to be no click.
    """

    def __init__(self, x: float, y: float, panel: int | None) -> None:
        self._x, self._y = x, y
        self.panel = panel
        self.moved = False

    def to(self, x: float, y: float, cell: tuple[float, float], least: float) -> tuple[int, int]:
        """So many rows and columns the map was dragged since last asked; `least`: pixels that make
        a drag."""
        if not self.moved and abs(x - self._x) + abs(y - self._y) < least:
            return 0, 0
        self.moved = True
        columns, rows = round((self._x - x) / cell[0]), round((self._y - y) / cell[1])
        # What less than a cell was moved counts towards the next.
        self._x -= columns * cell[0]
        self._y -= rows * cell[1]
        return rows, columns
