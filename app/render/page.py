"""A whole figure laid out: title, panels in rows and columns, note. Screen and export share it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.figure import Figure, Panel
from app.render import text
from app.render.canvas import Canvas
from app.render.drawing import Drawing, Hit
from app.render.geometry import Rect
from app.render.kinds import draw, grows, least_height, natural_height, whole_width
from app.render.window import Window
from app.theme import Theme

MARGIN, SPACE = 12.0, 20.0
TITLES, PANEL_TITLES, NOTE = (15.0, 14.0, 13.0), (13.0, 12.0, 11.0), 12.0
TITLE_ROOM, PANEL_TITLE_ROOM, NOTE_LINE = 28.0, 24.0, 17.0


@dataclass(frozen=True, slots=True)
class Placed:
    """A panel's drawing, its title as drawn, and the box of both."""

    drawing: Drawing
    title: str
    box: Rect


class Page:
    """A figure in `width` × `height` logical pixels. windows: panel index -> the cells in sight."""

    def __init__(
        self,
        figure: Figure,
        width: float,
        height: float,
        theme: Theme,
        windows: Mapping[int, Window] | None = None,
    ) -> None:
        self.figure, self.theme = figure, theme
        self.box = Rect(0, 0, width, height)
        self._notes = _note_lines(figure, width)
        self.footer = Rect(
            MARGIN,
            height - 8 - NOTE_LINE * len(self._notes),
            max(0.0, width - 2 * MARGIN),
            NOTE_LINE * len(self._notes),
        )
        top = 8 + (TITLE_ROOM if figure.title else 0)
        body = Rect(MARGIN, top, self.footer.width, max(0.0, self.footer.y - 6 - top))
        self.placed = tuple(
            _place(figure, index, panel, box, theme, (windows or {}).get(index))
            for index, (panel, box) in enumerate(
                zip(figure.panels, boxes(figure, body), strict=True)
            )
        )

    def paint(self, canvas: Canvas, note: bool = True) -> None:
        """Everything, back to front; without the note where the read-out stands in its place."""
        theme = self.theme
        canvas.rect(self.box, fill=theme.surface)
        size, title = text.shrunk(self.figure.title, self.footer.width, TITLES, True)
        canvas.text(MARGIN, 8 + TITLE_ROOM / 2, title, colour=theme.text, size=size, bold=True)
        for placed in self.placed:
            if placed.title:
                size, title = text.shrunk(placed.title, placed.box.width, PANEL_TITLES, True)
                y = placed.box.y + PANEL_TITLE_ROOM / 2 - 2
                canvas.text(placed.box.x, y, title, colour=theme.text, size=size, bold=True)
            placed.drawing.paint(canvas)
        if note:
            self.paint_note(canvas)

    def paint_note(self, canvas: Canvas) -> None:
        """The figure's note in the footer."""
        for number, line in enumerate(self._notes):
            y = self.footer.y + NOTE_LINE * (number + 0.5)
            canvas.text(MARGIN, y, line, colour=self.theme.muted, size=NOTE)

    def paint_readout(self, canvas: Canvas, words: str) -> None:
        """What is pointed at, in place of the note."""
        line = text.elide(words, self.footer.width, NOTE)
        canvas.text(MARGIN, self.footer.y + NOTE_LINE / 2, line, colour=self.theme.text, size=NOTE)

    def at(self, x: float, y: float) -> tuple[int, Hit] | None:
        """The panel under a point and what lies there."""
        for index, placed in enumerate(self.placed):
            if placed.box.holds(x, y):
                hit = placed.drawing.at(x, y)
                return None if hit is None else (index, hit)
        return None


def page_height(figure: Figure, width: float) -> float:
    """The height at which every panel of the figure has the room it needs, for export."""
    top = 8 + (TITLE_ROOM if figure.title else 0)
    heights = _row_heights(figure, max(0.0, width - 2 * MARGIN))
    notes = NOTE_LINE * len(_note_lines(figure, width))
    return float(round(top + sum(heights) + SPACE * (len(heights) - 1) + 6 + notes + 8))


def page_width(figure: Figure) -> float:
    """The width at which no panel hides a part of itself, for export; 0 for any width."""
    shares = _widths(figure, 1000.0)
    needed = [
        whole_width(panel) * 1000.0 / shares[index % len(shares)]
        for index, panel in enumerate(figure.panels)
    ]
    widest = max(needed, default=0.0)
    return widest + 2 * MARGIN if widest else 0.0


def boxes(figure: Figure, body: Rect) -> list[Rect]:
    """A box for each panel: `columns` side by side by weight, rows by the height they need."""
    heights = _heights(figure, body)
    found: list[Rect] = []
    y = body.y
    for row, height in enumerate(heights):
        x = body.x
        for width in _rows(figure, body.width)[row]:
            found.append(Rect(x, y, width, height))
            x += width + SPACE
        y += height + SPACE
    return found


def _heights(figure: Figure, body: Rect) -> list[float]:
    """Of each row of panels: rows that gain nothing from more height leave it to the others, and
    all of them shrink from what they would like towards what they need."""
    liked = _row_heights(figure, body.width)
    room = max(0.0, body.height - SPACE * (len(liked) - 1))
    spare = room - sum(liked)
    if spare >= 0:
        growing = _growing(figure, body.width)
        base = sum(height for height, grow in zip(liked, growing, strict=True) if grow)
        return [
            height * (1 + spare / base) if grow else height
            for height, grow in zip(liked, growing, strict=True)
        ]
    least = _row_heights(figure, body.width, least_height)
    if room <= sum(least):
        return [height * room / max(1.0, sum(least)) for height in least]
    part = (room - sum(least)) / (sum(liked) - sum(least))
    return [low + (high - low) * part for low, high in zip(least, liked, strict=True)]


def _growing(figure: Figure, width: float) -> list[bool]:
    first, found = 0, []
    for row in _rows(figure, width):
        found.append(any(grows(panel) for panel in figure.panels[first : first + len(row)]))
        first += len(row)
    return found


def _widths(figure: Figure, width: float) -> list[float]:
    columns = max(1, min(figure.columns, len(figure.panels)))
    weights = list(figure.weights[:columns]) or [1.0] * columns
    weights += [1.0] * (columns - len(weights))
    room = max(0.0, width - SPACE * (columns - 1))
    return [room * weight / sum(weights) for weight in weights]


def _rows(figure: Figure, width: float) -> list[list[float]]:
    """The widths of the panels of each row."""
    widths = _widths(figure, width)
    count = len(figure.panels)
    rows = [widths[: count - first] for first in range(0, count, len(widths))]
    if figure.wide_last and rows and len(rows[-1]) == 1:
        rows[-1] = [width]
    return rows


def _row_heights(
    figure: Figure, width: float, of: Callable[[Panel, float], float] = natural_height
) -> list[float]:
    panels = iter(figure.panels)
    rows = [
        max(_title_room(figure, panel) + of(panel, wide) for wide, panel in pairs)
        for pairs in ([(wide, next(panels)) for wide in row] for row in _rows(figure, width))
    ]
    return rows or [0.0]


def _title_room(figure: Figure, panel: Panel) -> float:
    return PANEL_TITLE_ROOM if panel.title and panel.title != figure.title else 0.0


def _place(
    figure: Figure, index: int, panel: Panel, box: Rect, theme: Theme, window: Window | None
) -> Placed:
    room = _title_room(figure, panel)
    drawing = draw(panel, box.inset(top=room), theme, window)
    return Placed(drawing, panel.title if room else "", box)


def _note_lines(figure: Figure, width: float) -> list[str]:
    room = max(80.0, width - 2 * MARGIN)
    lines = text.wrap(figure.note, room, NOTE) if figure.note else [""]
    if len(lines) > 3:
        lines = [*lines[:2], text.elide(" ".join(lines[2:]), room, NOTE)]
    return lines
