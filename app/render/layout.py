"""How the panels of a figure share a page: columns, widths, heights, and which rows are in sight.

Heights shrink from what panels would like over what they need down to what can just be read; below
that fewer rows stand on the page, and the others are a page further. Where panels side by side are
too narrow to be read, fewer stand in a row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.figure import Figure, Panel
from app.render.geometry import Rect
from app.render.kinds import floor_height, grows, least_height, natural_height, too_narrow

SPACE, PANEL_TITLE_ROOM = 20.0, 24.0
MORE = 20.0  # the line that tells of panels that are not in sight
NARROWEST = 120.0  # a panel that stands beside more than the figure asks for
AWAY = -1e5  # where panels out of sight are put

Need = Callable[[Panel, float], float]


@dataclass(frozen=True, slots=True)
class Layout:
    """boxes: one a panel. rows: the panels of each row, as (first, count). first, last: the rows
    in sight, the last one not counted."""

    boxes: tuple[Rect, ...]
    rows: tuple[tuple[int, int], ...]
    first: int
    last: int

    @property
    def whole(self) -> bool:
        """Whether every panel is in sight."""
        return self.first == 0 and self.last == len(self.rows)

    def row_of(self, panel: int) -> int:
        return next(n for n, (at, count) in enumerate(self.rows) if at <= panel < at + count)

    def shows(self, panel: int) -> bool:
        return self.first <= self.row_of(panel) < self.last


def lay_out(figure: Figure, body: Rect, first: int = 0) -> Layout:
    """A box for each panel, side by side by weight, one row below the other by the height they
    need. first: the row to begin with where not all find room."""
    widths = _rows(figure, body.width, body.height)
    starts = [sum(len(row) for row in widths[:place]) for place in range(len(widths))]
    rows = tuple((start, len(row)) for start, row in zip(starts, widths, strict=True))
    first, last = _in_sight(figure, widths, body.height, first)
    room = body.height - MORE * (last - first < len(widths))
    seen = _heights(figure, widths, first, last, room)
    heights = {first + place: height for place, height in enumerate(seen)}
    found: list[Rect] = []
    y = body.y
    for number, row in enumerate(widths):
        height = heights.get(number, 200.0)
        x = body.x
        for width in row:
            found.append(Rect(x, y if number in heights else AWAY, width, height))
            x += width + SPACE
        if number in heights:
            y += height + SPACE
    return Layout(tuple(found), rows, first, last)


def natural_heights(figure: Figure, width: float) -> float:
    """The height at which every panel has the room it likes, at the figure's own columns or, where
    they would be too narrow, fewer."""
    widths = _by(figure, _columns(figure, width), width)
    heights = _needs(figure, widths, natural_height)
    return sum(heights) + SPACE * (len(heights) - 1)


def shares(figure: Figure, width: float) -> list[float]:
    """The widths of the panels of a full row."""
    return _widths(figure, figure.columns, width)


def title_room(figure: Figure, panel: Panel) -> float:
    return PANEL_TITLE_ROOM if panel.title and panel.title != figure.title else 0.0


def _rows(figure: Figure, width: float, height: float) -> list[list[float]]:
    """The widths of the panels of each row: in as few columns as leave them the height they need,
    within what the figure allows."""
    columns = _columns(figure, width)
    widths = _by(figure, columns, width)
    while columns < figure.most_columns and _short(figure, widths, height):
        columns += 1
        more = _by(figure, columns, width)
        if min(more[0], default=0.0) < NARROWEST or _narrow(figure, more):
            break
        widths = more
    return widths


def _columns(figure: Figure, width: float) -> int:
    """As many as the figure asks for, or fewer where a panel could not be read so narrow."""
    columns = max(1, figure.columns)
    while columns > 1 and _narrow(figure, _by(figure, columns, width)):
        columns -= 1
    return columns


def _narrow(figure: Figure, widths: list[list[float]]) -> bool:
    each = (width for row in widths for width in row)
    return any(too_narrow(panel, wide) for panel, wide in zip(figure.panels, each, strict=True))


def _short(figure: Figure, widths: list[list[float]], height: float) -> bool:
    needed = _needs(figure, widths, least_height)
    return sum(needed) + SPACE * (len(needed) - 1) > height


def _in_sight(
    figure: Figure, widths: list[list[float]], height: float, first: int
) -> tuple[int, int]:
    """The rows that stand on the page from `first` on: all, or as many as can be read."""
    floors = _needs(figure, widths, floor_height)
    if sum(floors) + SPACE * (len(floors) - 1) <= height:
        return 0, len(widths)
    room = height - MORE
    first = min(max(0, first), len(widths) - 1)
    # The last page is a full one, too.
    while first > 0 and sum(floors[first - 1 :]) + SPACE * (len(floors) - first) <= room:
        first -= 1
    last, taken = first + 1, floors[first]
    while last < len(floors) and taken + SPACE + floors[last] <= room:
        taken += SPACE + floors[last]
        last += 1
    return first, last


def _heights(
    figure: Figure, widths: list[list[float]], first: int, last: int, height: float
) -> list[float]:
    """Of the rows in sight: rows that gain nothing from more height leave it to the others, and
    all of them shrink from what they would like towards what they need."""
    liked = _needs(figure, widths, natural_height)[first:last]
    room = max(0.0, height - SPACE * (last - first - 1))
    spare = room - sum(liked)
    if spare >= 0:
        growing = _growing(figure, widths)[first:last]
        base = sum(height for height, grow in zip(liked, growing, strict=True) if grow)
        return [
            height * (1 + spare / base) if grow else height
            for height, grow in zip(liked, growing, strict=True)
        ]
    least = _needs(figure, widths, least_height)[first:last]
    if room > sum(least):
        return _between(least, liked, room)
    floors = _needs(figure, widths, floor_height)[first:last]
    if room > sum(floors):
        return _between(floors, least, room)
    return [height * room / max(1.0, sum(floors)) for height in floors]


def _between(low: list[float], high: list[float], room: float) -> list[float]:
    """Heights that fill the room, each as far from the low ones to the high ones as the others."""
    part = (room - sum(low)) / max(1e-6, sum(high) - sum(low))
    return [one + (other - one) * part for one, other in zip(low, high, strict=True)]


def _growing(figure: Figure, widths: list[list[float]]) -> list[bool]:
    first, found = 0, []
    for row in widths:
        found.append(any(grows(panel) for panel in figure.panels[first : first + len(row)]))
        first += len(row)
    return found


def _widths(figure: Figure, columns: int, width: float) -> list[float]:
    columns = max(1, min(columns, len(figure.panels)))
    weights = list(figure.weights[:columns]) or [1.0] * columns
    weights += [1.0] * (columns - len(weights))
    room = max(0.0, width - SPACE * (columns - 1))
    return [room * weight / sum(weights) for weight in weights]


def _by(figure: Figure, columns: int, width: float) -> list[list[float]]:
    """The widths of the panels of each row, at most so many side by side."""
    widths = _widths(figure, columns, width)
    count = len(figure.panels)
    rows = [widths[: count - first] for first in range(0, count, len(widths))]
    if figure.wide_last and rows:
        before = rows[-1][:-1]
        rows[-1] = [*before, width - sum(before) - SPACE * len(before)]
    return rows


def _needs(figure: Figure, widths: list[list[float]], of: Need) -> list[float]:
    """The height of each row: that of its most demanding panel."""
    panels = iter(figure.panels)
    rows = [
        max(title_room(figure, panel) + of(panel, wide) for wide, panel in pairs)
        for pairs in ([(wide, next(panels)) for wide in row] for row in widths)
    ]
    return rows or [0.0]
