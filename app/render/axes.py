"""The two axes of a map: titles, marks, and only the labels that fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.figure import Axis
from app.render import text
from app.render.canvas import Canvas
from app.render.geometry import Rect
from app.render.grid import (
    GAP,
    LONGEST,
    SIZE,
    STRIP,
    TITLE,
    Grid,
    column_spacing,
    room_beside,
    row_spacing,
)
from app.render.thinning import first_number, fitting
from app.theme import Theme

AIR = 4.0  # between numbers that stand side by side


def paint_axes(
    canvas: Canvas, grid: Grid, theme: Theme, row: int | None, column: int | None
) -> None:
    """Titles, marks and the labels that fit; the pinned row's and column's always, emphasised."""
    box, window = grid.box, grid.window
    middle_x, middle_y = box.middle
    outer = grid.outer
    row_title = text.elide(grid.rows.title, box.bottom + 4 - outer.y, SIZE)
    # A title longer than its axis runs on above it, beside the columns' labels.
    title_y = min(middle_y, box.bottom + 4 - text.width(row_title, SIZE) / 2)
    title_x = box.x - STRIP - GAP - grid.room[0] - TITLE / 2 - 2
    canvas.text(
        title_x, title_y, row_title, colour=theme.muted, size=SIZE, align="center", turn=-90
    )
    column_title = text.elide(grid.columns.title, outer.width - TITLE, SIZE)
    # Nor does one that is wider than its axis run into what stands beside the map.
    half = text.width(column_title, SIZE) / 2
    column_x = max(outer.x + TITLE + half, min(middle_x, outer.right - half))
    canvas.text(
        column_x,
        box.y - STRIP - GAP - grid.room[1] - TITLE / 2,
        column_title,
        colour=theme.muted,
        size=SIZE,
        align="center",
    )
    wide, high = grid.cell
    for first, count, kind in stretches(grid.rows.marks, window.row, window.rows):
        band = grid.row_band(first)
        mark = Rect(box.x - STRIP - 1, band.y, STRIP, max(1.0, high * count))
        canvas.rect(mark, fill=theme.kind(kind))
    for first, count, kind in stretches(grid.columns.marks, window.column, window.columns):
        band = grid.column_band(first)
        mark = Rect(band.x, box.y - STRIP - 1, max(1.0, wide * count), STRIP)
        canvas.rect(mark, fill=theme.kind(kind))
    quiet = {index for index, kind in grid.rows.marks if kind == "padding"}
    start = first_number(grid.rows.labels)
    kept = _kept(grid.rows)
    for index in fitting(window.row, window.rows, high, row_spacing(grid), row, start, kept):
        paint_row_label(canvas, grid, theme, index, strong=index == row, quiet=index in quiet)
    quiet = {index for index, kind in grid.columns.marks if kind == "padding"}
    for index in _columns_drawn(grid, column):
        paint_column_label(canvas, grid, theme, index, strong=index == column, quiet=index in quiet)


def _columns_drawn(grid: Grid, pinned: int | None) -> Iterator[int]:
    window, wide = grid.window, grid.cell[0]
    spacing, start = column_spacing(grid) if grid.turned else 0.0, None
    if not grid.turned:
        start = first_number(grid.columns.labels)
    if start is not None:
        seen = grid.columns.part(window.column, window.columns)
        spacing = text.longest(seen, grid.size[1], True) + AIR
    kept = _kept(grid.columns)
    return fitting(window.column, window.columns, wide, spacing, pinned, start, kept)


def _kept(axis: Axis) -> list[int]:
    """Masks are what a text with masks is about: other labels give way to theirs."""
    return [index for index, kind in axis.marks if kind == "masked"]


def stretches(
    marks: tuple[tuple[int, str], ...], first: int, count: int
) -> Iterator[tuple[int, int, str]]:
    """(first, count, kind) of neighbours of one kind in sight: a thousand generated tokens are one
    strip to paint."""
    start = length = 0
    held = ""
    for index, kind in marks:
        if not first <= index < first + count:
            continue
        if length and kind == held and index == start + length:
            length += 1
            continue
        if length:
            yield start, length, held
        start, length, held = index, 1, kind
    if length:
        yield start, length, held


def paint_row_label(
    canvas: Canvas, grid: Grid, theme: Theme, index: int, *, strong: bool, quiet: bool = False
) -> None:
    """One label left of its row; a strong one in the accent's colour."""
    size = grid.size[0]
    label = text.elide(_label(grid.rows, index), LONGEST, size, strong)
    y = grid.row_band(index).middle[1]
    colour = theme.accent if strong else theme.muted if quiet else theme.text
    x = grid.box.x - STRIP - GAP
    canvas.text(x, y, label, colour=colour, size=size, bold=strong, align="right")


def paint_column_label(
    canvas: Canvas,
    grid: Grid,
    theme: Theme,
    index: int,
    *,
    strong: bool,
    quiet: bool = False,
    room: float = 0.0,
) -> None:
    """One label above its column, turned upwards where columns are narrow. room: the width it may
    take upright, its column's unless given."""
    size = grid.size[1]
    x = grid.column_band(index).middle[0]
    y = grid.box.y - STRIP - GAP
    colour = theme.accent if strong else theme.muted if quiet else theme.text
    label = _label(grid.columns, index)
    # A single character, above all a Chinese one, reads better upright than lying on its side.
    upright = max(size + 2, grid.cell[0] - 2 if len(label) == 1 else 0.0)
    if grid.turned and text.width(label, size, strong) > upright:
        label = text.elide(label, grid.room[1], size, strong)
        canvas.text(x, y, label, colour=colour, size=size, bold=strong, turn=-90)
    else:
        if not grid.turned:
            numbers = first_number(grid.columns.labels) is not None
            room = (
                LONGEST
                if numbers
                else room or room_beside(grid.columns.labels, index, grid.cell[0], size)
            )
            label = text.elide(label, room, size, strong)
        y -= size / 2
        canvas.text(x, y, label, colour=colour, size=size, bold=strong, align="center")


def paint_hover_labels(
    canvas: Canvas, grid: Grid, theme: Theme, row: int | None, column: int | None
) -> None:
    """The labels under the pointer, in place of whatever labels they would touch."""
    wide, high = grid.cell
    edge_x, edge_y = grid.box.x - STRIP - GAP, grid.box.y - STRIP - GAP
    if row is not None:
        size = grid.size[0]
        bold = min(LONGEST, text.width(_label(grid.rows, row), size, True))
        room = max(grid.room[0], bold)
        start = first_number(grid.rows.labels)
        spacing = row_spacing(grid)
        kept = _kept(grid.rows)
        drawn = fitting(grid.window.row, grid.window.rows, high, spacing, None, start, kept)
        for index in {row, *_touched(drawn, high, size + 2, row)}:
            y = grid.row_band(index).middle[1]
            plate = Rect(edge_x - room - 3, y - size / 2 - 2, room + 2 + GAP, size + 4)
            canvas.rect(plate, fill=theme.surface)
        paint_row_label(canvas, grid, theme, row, strong=True)
    if column is not None:
        size = grid.size[1]
        room = grid.room[1] + 4
        spacing = column_spacing(grid)
        if not grid.turned:
            spacing = text.width(_label(grid.columns, column), size, True)
        for index in {column, *_touched(_columns_drawn(grid, None), wide, spacing, column)}:
            x = grid.column_band(index).middle[0]
            half = size / 2 + 2 if grid.turned else wide / 2
            if not grid.turned and first_number(grid.columns.labels) is not None:
                half = text.width(_label(grid.columns, index), size, True) / 2 + 1
            if index == column and not grid.turned:
                half = max(half, spacing / 2 + 2)
            canvas.rect(Rect(x - half, edge_y - room, 2 * half, room + GAP - 1), fill=theme.surface)
        paint_column_label(canvas, grid, theme, column, strong=True, room=LONGEST)


def _touched(drawn: Iterable[int], cell: float, spacing: float, at: int) -> list[int]:
    """The labels, of those drawn with nothing pinned, that a label at `at` would touch."""
    return [index for index in drawn if abs(index - at) * cell < spacing]


def _label(axis: Axis, index: int) -> str:
    return axis.labels[index] if index < len(axis.labels) else str(index)
