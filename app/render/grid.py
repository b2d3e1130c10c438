"""Where the cells of a map lie, and its two axes with only the labels that fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.figure import Axis
from app.render import text
from app.render.canvas import Canvas
from app.render.geometry import Rect
from app.render.thinning import first_number, fitting
from app.render.window import Window
from app.theme import Theme

SIZE, SMALLEST = 12.0, 10.0  # label sizes: smaller labels before fewer
TIGHTEST = 9.0  # a row's label, where that shows every one: lines need less air than columns
STRIP = 3.0  # the coloured mark of a special token, padding …
GAP = 5.0  # between label and cells
TITLE = 20.0  # an axis title
LONGEST = 112.0  # a label is elided beyond
AIR = 4.0  # between numbers that stand side by side


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How large a cell may be drawn, and how far from a square (width / height)."""

    width: float = 96.0
    height: float = 64.0
    slender: float = 0.75
    broad: float = 4.0


LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """box: the cells in sight. turned: column labels run upwards, for want of width. size: of a
    row's and of a column's label. room: what the longest label takes, left of and above the box."""

    box: Rect
    rows: Axis
    columns: Axis
    window: Window
    turned: bool
    size: tuple[float, float]
    room: tuple[float, float]

    @property
    def cell(self) -> tuple[float, float]:
        """Width and height of a cell."""
        return self.box.width / self.window.columns, self.box.height / self.window.rows

    def rect(self, row: int, column: int, rows: int = 1, columns: int = 1) -> Rect:
        """The box of a cell, or of so many rows and columns from it."""
        width, height = self.cell
        x = self.box.x + (column - self.window.column) * width
        y = self.box.y + (row - self.window.row) * height
        return Rect(x, y, width * columns, height * rows)

    def row_band(self, row: int) -> Rect:
        return self.rect(row, self.window.column, 1, self.window.columns)

    def column_band(self, column: int) -> Rect:
        return self.rect(self.window.row, column, self.window.rows, 1)

    def at(self, x: float, y: float) -> tuple[int | None, int | None]:
        """(row, column) at a point; on an axis's labels only that one; (None, None) outside."""
        width, height = self.cell
        row = self.window.row + int((y - self.box.y) // height)
        column = self.window.column + int((x - self.box.x) // width)
        in_rows = self.box.y <= y < self.box.bottom
        in_columns = self.box.x <= x < self.box.right
        if in_rows and in_columns:
            return row, column
        if in_rows and 0 < self.box.x - x <= self.room[0] + GAP + STRIP:
            return row, None
        if in_columns and 0 < self.box.y - y <= self.room[1] + GAP + STRIP:
            return None, column
        return None, None

    def cell_at(self, x: float, y: float) -> tuple[float, float] | None:
        """(row, column) at a point, with fractions; None outside the cells."""
        if not self.box.holds(x, y):
            return None
        width, height = self.cell
        return (
            (y - self.box.y) / height + self.window.row,
            (x - self.box.x) / width + self.window.column,
        )

    def in_sight(self, row: int | None, column: int | None) -> bool:
        """Whether the named row and column, where given, are within the window."""
        window = self.window
        return (row is None or window.row <= row < window.row + window.rows) and (
            column is None or window.column <= column < window.column + window.columns
        )


def fit(
    box: Rect,
    rows: Axis,
    columns: Axis,
    window: Window,
    *,
    right: float = 0.0,
    limits: Limits = LIMITS,
    upright: bool = False,
) -> Grid:
    """The largest grid in `box`, with room for titles and labels, and `right` for a colour bar.
    upright: column labels are cut rather than turned."""
    longest = _longest(_seen(columns, window.column, window.columns))
    beside = _longest(_seen(rows, window.row, window.rows))
    inner = box.inset(left=TITLE + beside + GAP + STRIP, top=TITLE + GAP + STRIP, right=right)
    above = SIZE + 2
    wide, high = _cell(inner.inset(top=above), window, limits)
    size = _upright(_seen(columns, window.column, window.columns), wide - 4)
    if size is None and (upright or first_number(columns.labels) is not None):
        size = SMALLEST  # numbers that only count are thinned rather than turned
    turned = size is None
    if turned:
        above = min(longest, max(box.height * 0.3, min(64.0, box.height * 0.45)))
        wide, high = _cell(inner.inset(top=above), window, limits)
    width, height = max(1.0, wide * window.columns), max(1.0, high * window.rows)
    return Grid(
        box=Rect(round(inner.x), round(inner.y + above), width, height),
        rows=rows,
        columns=columns,
        window=window,
        turned=turned,
        size=(_row_size(high), size or _label_size(wide)),
        room=(beside, above),
    )


def taken(rows: Axis) -> tuple[float, float]:
    """What row labels and upright column labels take of a box: its left and its top."""
    beside = _longest(rows.labels)
    return TITLE + beside + GAP + STRIP, TITLE + GAP + STRIP + SIZE + 2


def _cell(room: Rect, window: Window, limits: Limits) -> tuple[float, float]:
    wide = min(limits.width, room.width / window.columns)
    high = min(limits.height, room.height / window.rows)
    # Few rows under many columns are drawn tall: layers over coordinates as tall as they fit,
    # layers over tokens so that their labels find room.
    slender = limits.slender
    if window.columns > 3 * window.rows:
        slender = 0.0
    elif window.columns > 1.5 * window.rows:
        slender = min(slender, 0.4)
    # Few columns beside many rows are drawn broad: what two layers hold of 200 tokens is no hair.
    wide = min(wide, high * (40.0 if window.rows > 8 * window.columns else limits.broad))
    high = min(high, wide / slender) if slender else high
    return _whole(wide), _whole(high)


def _whole(length: float) -> float:
    # Equal cells look equal only in whole pixels; below 8 px the loss of room would weigh more.
    return float(int(length)) if length >= 8 else length


def _row_size(high: float) -> float:
    """Where rows are too low for every label, those that are left stay easy to read."""
    if high < TIGHTEST + 1:
        return SMALLEST
    return min(SIZE, max(TIGHTEST, float(int(high - 2))))


def _row_spacing(grid: Grid) -> float:
    return grid.size[0] + 1


def _label_size(spacing: float) -> float:
    return min(SIZE, max(SMALLEST, float(int(spacing - 2))))


def _seen(axis: Axis, first: int, count: int) -> tuple[str, ...]:
    return axis.labels[first : first + count]


def _longest(labels: tuple[str, ...]) -> float:
    """As wide as any of them gets: a pinned one is bold."""
    return min(LONGEST, text.longest(labels, SIZE, True))


def _upright(labels: tuple[str, ...], room: float) -> float | None:
    """The size at which column labels stand upright in `room`; None where they have to turn."""
    for size in (SIZE, SMALLEST):
        if text.longest(labels, size, True) <= room:
            return size
    # Among Chinese characters, which would lie on their sides, two turned "<s>" would stick out;
    # they are elided instead, and the coloured mark below them tells what they are.
    single = sum(len(label) == 1 and label > "\u2e7f" for label in labels)
    rest = [label for label in labels if text.width(label, SMALLEST, True) > room]
    return SMALLEST if len(rest) <= 2 < single and single >= 0.75 * len(labels) else None


def paint_axes(
    canvas: Canvas, grid: Grid, theme: Theme, row: int | None, column: int | None
) -> None:
    """Titles, marks and the labels that fit; the pinned row's and column's always, emphasised."""
    box, window = grid.box, grid.window
    middle_x, middle_y = box.middle
    title_x = box.x - STRIP - GAP - grid.room[0] - TITLE / 2 - 2
    row_title = text.elide(grid.rows.title, max(box.height, 120.0), SIZE)
    canvas.text(
        title_x, middle_y, row_title, colour=theme.muted, size=SIZE, align="center", turn=-90
    )
    column_title = text.elide(grid.columns.title, max(box.width, 160.0), SIZE)
    canvas.text(
        middle_x,
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
    for index in fitting(window.row, window.rows, high, _row_spacing(grid), row, start):
        paint_row_label(canvas, grid, theme, index, strong=index == row, quiet=index in quiet)
    quiet = {index for index, kind in grid.columns.marks if kind == "padding"}
    for index in _columns_drawn(grid, column):
        paint_column_label(canvas, grid, theme, index, strong=index == column, quiet=index in quiet)


def _columns_drawn(grid: Grid, pinned: int | None) -> Iterator[int]:
    window, wide = grid.window, grid.cell[0]
    spacing, start = grid.size[1] + 2 if grid.turned else 0.0, None
    if not grid.turned:
        start = first_number(grid.columns.labels)
    if start is not None:
        seen = _seen(grid.columns, window.column, window.columns)
        spacing = text.longest(seen, grid.size[1], True) + AIR
    return fitting(window.column, window.columns, wide, spacing, pinned, start)


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
    if grid.turned and text.width(label, size, strong) > size + 2:
        label = text.elide(label, grid.room[1], size, strong)
        canvas.text(x, y, label, colour=colour, size=size, bold=strong, turn=-90)
    else:
        if not grid.turned:
            numbers = first_number(grid.columns.labels) is not None
            room = LONGEST if numbers else room or _beside(grid, index)
            label = text.elide(label, room, size, strong)
        y -= size / 2
        canvas.text(x, y, label, colour=colour, size=size, bold=strong, align="center")


def _beside(grid: Grid, index: int) -> float:
    """How wide an upright label may be: wider than its column where its neighbours leave room."""
    wide = grid.cell[0]
    near = [_label(grid.columns, place) for place in (index - 1, index + 1) if place >= 0]
    widest = text.longest(tuple(near), grid.size[1], True)
    return max(wide, 2 * wide - widest - 2)


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
        spacing = _row_spacing(grid)
        drawn = fitting(grid.window.row, grid.window.rows, high, spacing, None, start)
        for index in {row, *_touched(drawn, high, size + 2, row)}:
            y = grid.row_band(index).middle[1]
            plate = Rect(edge_x - room - 3, y - size / 2 - 2, room + 2 + GAP, size + 4)
            canvas.rect(plate, fill=theme.surface)
        paint_row_label(canvas, grid, theme, row, strong=True)
    if column is not None:
        size = grid.size[1]
        room = grid.room[1] + 4
        spacing = size + 2 if grid.turned else text.width(_label(grid.columns, column), size, True)
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


def picks(
    names: tuple[str | None, str | None], row: int | None, column: int | None
) -> dict[str, int]:
    """What a click on a row and column selects: `Selection` field name -> index."""
    pairs = zip(names, (row, column), strict=True)
    return {name: index for name, index in pairs if name is not None and index is not None}
