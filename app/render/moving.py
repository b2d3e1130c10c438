"""Zooming, panning and walking over the cells of a map; plain arithmetic."""

from __future__ import annotations

from app.render.drawing import Hit
from app.render.window import Window

FEWEST = 4  # rows and columns that stay in sight


def zoomed(window: Window, whole: Window, row: float, column: float, factor: float) -> Window:
    """The window with `factor` times as many cells, the cell at (row, column) staying in place."""
    rows = _count(window.rows, whole.rows, factor)
    columns = _count(window.columns, whole.columns, factor)
    first_row = row - (row - window.row) * rows / window.rows
    first_column = column - (column - window.column) * columns / window.columns
    return _inside(first_row, first_column, rows, columns, whole)


def panned(window: Window, whole: Window, rows: float, columns: float) -> Window:
    """The window moved by so many rows and columns, as far as the map goes."""
    return _inside(window.row + rows, window.column + columns, window.rows, window.columns, whole)


def showing(window: Window, whole: Window, row: int | None, column: int | None) -> Window:
    """The window moved just so far that a cell is in it."""
    down = 0 if row is None else _reach(window.row, window.rows, row)
    right = 0 if column is None else _reach(window.column, window.columns, column)
    return panned(window, whole, down, right)


def walked(
    hit: Hit | None, down: int, right: int, rows: int, columns: int, start: tuple[int, int]
) -> tuple[int, int] | None:
    """The cell beside a place; `start` if there is none yet, None beyond the edge."""
    if hit is None or (hit.row is None and hit.column is None):
        row, column = start
    else:
        row = down + (start[0] if hit.row is None else hit.row)
        column = right + (start[1] if hit.column is None else hit.column)
    return (row, column) if 0 <= row < rows and 0 <= column < columns else None


def _count(shown: int, whole: int, factor: float) -> int:
    count = round(shown * factor)
    if factor < 1:
        count = min(count, shown - 1)
    elif factor > 1:
        count = max(count, shown + 1)
    return max(min(FEWEST, whole), min(count, whole))


def _inside(row: float, column: float, rows: int, columns: int, whole: Window) -> Window:
    return Window(
        max(0, min(round(row), whole.rows - rows)),
        max(0, min(round(column), whole.columns - columns)),
        rows,
        columns,
    )


def _reach(first: int, count: int, place: int) -> int:
    return min(0, place - first) + max(0, place - (first + count - 1))
