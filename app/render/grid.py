"""Where the cells of a map lie, with room for the labels of its two axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from app.figure import Axis
from app.render import text
from app.render.geometry import Rect
from app.render.thinning import first_number
from app.render.window import Window

SIZE, SMALLEST = 12.0, 10.0  # label sizes: smaller labels before fewer
TIGHTEST = 9.0  # a label in a line of its own, where that shows every one: less air does there
STRIP = 3.0  # the coloured mark of a special token, padding …
GAP = 5.0  # between label and cells
TITLE = 20.0  # an axis title
LONGEST = 112.0  # a label is elided beyond
NEARLY = 8.0  # in steps of so much labels that stand in line take room
FEW = 12  # so many rows or fewer are all labelled
LEAST_LABELLED = 8.0, 10.0  # rows as low as their smallest digits are high; as their letters
LEAST_TURNED = 44.0  # what column labels that run upwards are cut to, before rows get too low


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How large a cell may be drawn, and how far from a square (width / height)."""

    width: float = 128.0
    height: float = 88.0
    slender: float = 0.6
    broad: float = 4.0


LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """box: the cells in sight. outer: with all that is written around them. turned: column labels
    run upwards, for want of width. size: of a row's and of a column's label. room: what the longest
    label takes, left of and above the box."""

    box: Rect
    outer: Rect
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
    seen = rows.part(window.row, window.rows)
    beside = _longest(rows.in_line + seen)
    found = _fit(box, rows, columns, window, right, beside, limits, upright)
    less = _longest(rows.in_line + seen, found.size[0])  # small labels take less room
    if rows.in_line:  # about as much beside maps whose labels are a little smaller
        less = math.ceil(less / NEARLY) * NEARLY
    if less < beside:
        closer = _fit(box, rows, columns, window, right, less, limits, upright)
        found = closer if closer.size[0] <= found.size[0] else found
    return found


def _fit(
    box: Rect,
    rows: Axis,
    columns: Axis,
    window: Window,
    right: float,
    beside: float,
    limits: Limits,
    upright: bool,
) -> Grid:
    """beside: what the rows' labels take."""
    inner = box.inset(left=TITLE + beside + GAP + STRIP, top=TITLE + GAP + STRIP, right=right)
    above = SIZE + 2
    wide, high = _cell(inner.inset(top=above), window, limits)
    names = columns.part(window.column, window.columns)
    size = _upright(names, wide - 4)
    if size is None and first_number(columns.labels) is not None:
        size = SMALLEST  # numbers that only count are thinned rather than turned
    elif size is None and upright:
        size = min((SMALLEST, TIGHTEST), key=lambda size: _cut(names, wide, size))
    turned = size is None
    if turned:
        longest = _longest(names, _turned_size(wide, names))
        above = min(longest, max(box.height * 0.3, min(64.0, box.height * 0.45)))
        if window.rows <= FEW:  # every row has a name to be read
            spare = inner.height - (TIGHTEST + 2) * window.rows
            above = min(above, max(LEAST_TURNED, spare))
        else:  # so has every one of more rows, where the columns' names can be cut for that
            spare = inner.height - (TIGHTEST + 1) * window.rows
            above = min(above, spare) if spare >= LEAST_TURNED else above
        wide, high = _cell(inner.inset(top=above), window, limits)
    width, height = max(1.0, wide * window.columns), max(1.0, high * window.rows)
    return Grid(
        box=Rect(round(inner.x), round(inner.y + above), width, height),
        outer=box,
        rows=rows,
        columns=columns,
        window=window,
        turned=turned,
        size=(
            _row_size(high, window.rows, least_labelled(rows)),
            size or _turned_size(wide, names),
        ),
        room=(beside, above),
    )


def taken(rows: Axis) -> tuple[float, float]:
    """What row labels and upright column labels take of a box: its left and its top."""
    beside = _longest(rows.in_line + rows.labels)
    return TITLE + beside + GAP + STRIP, TITLE + GAP + STRIP + SIZE + 2


def least_above(rows: Axis, columns: Axis, count: int, width: float) -> float:
    """What titles and labels take above `count` columns of a map so wide, when cut."""
    wide = (width - TITLE - _longest(rows.in_line + rows.labels) - GAP - STRIP) / max(1, count)
    upright = first_number(columns.labels) is not None or _upright(columns.labels, wide - 4)
    labels = SIZE + 2 if upright else min(LEAST_TURNED, _longest(columns.labels))
    return TITLE + GAP + STRIP + labels


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


def _row_size(high: float, rows: int, least: float) -> float:
    """Few rows all have their labels, however small; of many that are too low for that, those that
    are left stay easy to read."""
    if high < TIGHTEST + 1:
        return TIGHTEST if rows <= FEW and high >= least else SMALLEST
    return min(SIZE, max(TIGHTEST, float(int(high - 2))))


def least_labelled(rows: Axis) -> float:
    """How high each of a few rows is at least for its label: letters reach below the line."""
    return LEAST_LABELLED[first_number(rows.labels) is None]


def row_spacing(grid: Grid) -> float:
    """How far apart two row labels stand at least."""
    size = grid.size[0]
    return min(size + 1, least_labelled(grid.rows)) if size <= TIGHTEST else size + 1


def column_spacing(grid: Grid) -> float:
    """How far apart two column labels that run upwards stand at least."""
    size = grid.size[1]
    if size > SMALLEST or _tall(grid.columns.part(grid.window.column, grid.window.columns)):
        return size + 2
    return size if size <= TIGHTEST else size + 1


def _turned_size(wide: float, labels: tuple[str, ...]) -> float:
    """Smaller where that leaves a label to every column; of those that are left, easy to read."""
    if wide >= SMALLEST + 3:
        return min(SIZE, float(int(wide - 2)))
    if _tall(labels):
        return TIGHTEST if TIGHTEST + 2 <= wide < SMALLEST + 2 else SMALLEST
    return TIGHTEST if TIGHTEST <= wide < SMALLEST + 1 else SMALLEST


@lru_cache(maxsize=64)
def _tall(labels: tuple[str, ...]) -> bool:
    """Whether there are characters, Chinese ones above all, whose ink is two pixels higher than
    their size; that of Latin ones is no higher."""
    return any(character >= "\u2e80" for label in labels for character in label)


def _longest(labels: tuple[str, ...], size: float = SIZE) -> float:
    """As wide as any of them gets: a pinned one is bold."""
    return min(LONGEST, text.longest(labels, size, True))


def _upright(labels: tuple[str, ...], room: float) -> float | None:
    """The size at which column labels stand upright in `room`; None where they have to turn. The
    first may reach over its column, as “emb” does before 1, 2, 3 …"""
    for size in (SIZE, SMALLEST):
        first = text.longest(labels[:1], size, True)
        leeway = 2 * room - text.longest(labels[1:2], size, True)
        if text.longest(labels[1:], size, True) <= room and first <= max(room, leeway):
            return size
    return None


def room_beside(labels: tuple[str, ...], place: int, wide: float, size: float) -> float:
    """How wide an upright label may be: wider than its column where its neighbours leave room."""
    near = [labels[at] for at in (place - 1, place + 1) if 0 <= at < len(labels)]
    return max(wide - 2, 2 * wide - text.longest(tuple(near), size, True) - 2)


def _cut(labels: tuple[str, ...], wide: float, size: float) -> int:
    """How many upright labels find no room at a size."""
    rooms = (room_beside(labels, place, wide, size) for place in range(len(labels)))
    pairs = zip(labels, rooms, strict=True)
    return sum(text.width(label, size) > room for label, room in pairs)


def picks(
    names: tuple[str | None, str | None], row: int | None, column: int | None
) -> dict[str, int]:
    """What a click on a row and column selects: `Selection` field name -> index."""
    pairs = zip(names, (row, column), strict=True)
    return {name: index for name, index in pairs if name is not None and index is not None}
