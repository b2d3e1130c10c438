"""A whole figure laid out: title, panels in rows and columns, note. Screen and export share it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.figure import Diagram, Figure, Panel
from app.render import text
from app.render.canvas import Canvas
from app.render.drawing import Drawing, Hit
from app.render.geometry import Rect
from app.render.kinds import draw, whole_width
from app.render.layout import (
    MORE,
    PANEL_TITLE_ROOM,
    lay_out,
    natural_heights,
    shares,
    title_room,
)
from app.render.shared_scale import SharedScale, shared_scale
from app.render.window import Window
from app.theme import Theme

MARGIN = 12.0
TITLES, PANEL_TITLES, NOTE = (15.0, 14.0, 13.0), (13.0, 12.0, 11.0), 12.0
TITLE_ROOM, TITLE_LINE, NOTE_LINE = 28.0, 17.0, 17.0
BALANCED = 0.55, 0.65, 0.75, 0.85, 1.0  # of the width: a title's second line is no single word
LEAST_SCALE, LEAST_STRETCHED = 0.65, 0.5  # of a diagram with arrows between boxes; of rows of words


@dataclass(frozen=True, slots=True)
class Placed:
    """A panel's drawing, its title as drawn, and the box of both."""

    drawing: Drawing
    title: str
    box: Rect


class Page:
    """A figure in `width` × `height` logical pixels.

    windows: panel index -> the cells in sight. first: the row of panels to begin with where not all
    find room. hints: whether it also says what can be done with it, as only the window should.
    """

    def __init__(
        self,
        figure: Figure,
        width: float,
        height: float,
        theme: Theme,
        windows: Mapping[int, Window] | None = None,
        *,
        first: int = 0,
        hints: bool = False,
    ) -> None:
        self.figure, self.theme = figure, theme
        self.box = Rect(0, 0, width, height)
        said = f"{figure.note} {figure.hint}".strip() if hints else figure.note
        self._notes = _note_lines(said, width)
        self.footer = Rect(
            MARGIN,
            height - 8 - NOTE_LINE * len(self._notes),
            max(0.0, width - 2 * MARGIN),
            NOTE_LINE * len(self._notes),
        )
        self._scale: SharedScale | None = shared_scale(figure)
        self._title = _title(figure, self.footer.width, self._scale)
        top = 8 + _title_room(self._title)
        body = Rect(MARGIN, top, self.footer.width, max(0.0, self.footer.y - 6 - top))
        self.layout = lay_out(figure, body, first)
        self.placed = tuple(
            _place(figure, index, panel, box, theme, (windows or {}).get(index))
            for index, (panel, box) in enumerate(zip(figure.panels, self.layout.boxes, strict=True))
        )

    def paint(self, canvas: Canvas, note: bool = True) -> None:
        """Everything, back to front; without the note where the read-out stands in its place."""
        theme = self.theme
        canvas.rect(self.box, fill=theme.surface)
        y = 8 + TITLE_ROOM / 2
        if self._scale is not None:
            self._scale.paint(canvas, self.footer.right, y, theme)
        size, lines = self._title
        for number, line in enumerate(lines):
            y = 8 + TITLE_ROOM / 2 + TITLE_LINE * number
            canvas.text(MARGIN, y, line, colour=theme.text, size=size, bold=True)
        size = self._title_size()
        for index, placed in enumerate(self.placed):
            if not self.layout.shows(index):
                continue
            if placed.title:
                title = text.elide(placed.title, placed.box.width, size, True)
                y = placed.box.y + PANEL_TITLE_ROOM / 2 - 2
                canvas.text(placed.box.x, y, title, colour=theme.text, size=size, bold=True)
            placed.drawing.paint(canvas)
        if not self.layout.whole:
            y = self.footer.y - 6 - MORE / 2
            size, words = text.shrunk(self._parts(), self.footer.width, (NOTE, 11.0, 10.0))
            canvas.text(MARGIN, y, words, colour=theme.accent, size=size)
        if note:
            self.paint_note(canvas)

    def _title_size(self) -> float:
        """One for the titles of all panels: that of the one with the least room."""
        titles = [placed for placed in self.placed if placed.title]
        return min(
            (text.shrunk(p.title, p.box.width, PANEL_TITLES, True)[0] for p in titles),
            default=PANEL_TITLES[0],
        )

    @property
    def more(self) -> Rect | None:
        """The line that leads to the panels out of sight; None where there are none."""
        line = Rect(MARGIN, self.footer.y - 6 - MORE, self.footer.width, MORE)
        return None if self.layout.whole else line

    def turned(self, down: int) -> int:
        """The row to begin with a page further down or up; past the last one the first."""
        layout = self.layout
        if down > 0:
            return layout.last if layout.last < len(layout.rows) else 0
        return max(0, layout.first - (layout.last - layout.first))

    def _parts(self) -> str:
        rows = self.layout.rows
        start, end = rows[self.layout.first][0], sum(rows[self.layout.last - 1])
        which = f"{start + 1}–{end}" if end > start + 1 else f"{end}"
        return f"{which} of {len(self.placed)} parts · click here or Page Down for the others"

    def paint_note(self, canvas: Canvas) -> None:
        """The figure's note in the footer."""
        for number, line in enumerate(self._notes):
            y = self.footer.y + NOTE_LINE * (number + 0.5)
            canvas.text(MARGIN, y, line, colour=self.theme.muted, size=NOTE)

    def paint_readout(self, canvas: Canvas, words: str) -> None:
        """What is pointed at, in place of the note and in as many lines."""
        for number, line in enumerate(_lines(words, self.footer.width, len(self._notes))):
            y = self.footer.y + NOTE_LINE * (number + 0.5)
            canvas.text(MARGIN, y, line, colour=self.theme.text, size=NOTE)

    def at(self, x: float, y: float) -> tuple[int, Hit] | None:
        """The panel under a point and what lies there."""
        for index, placed in enumerate(self.placed):
            if placed.box.holds(x, y):
                hit = placed.drawing.at(x, y)
                return None if hit is None else (index, hit)
        return None


def page_height(figure: Figure, width: float) -> float:
    """The height at which every panel of the figure has the room it needs, for export."""
    room = max(0.0, width - 2 * MARGIN)
    top = 8 + _title_room(_title(figure, room, shared_scale(figure)))
    body = natural_heights(figure, room)
    return float(round(top + body + 6 + NOTE_LINE * len(_note_lines(figure.note, width)) + 8))


def legible_height(figure: Figure) -> float:
    """The height in which the diagrams of a figure can still be read; 0 for one without: other
    panels show less of what they hold, a diagram is all or nothing."""
    diagrams = [panel for panel in figure.panels if isinstance(panel, Diagram)]
    if not diagrams:
        return 0.0
    around = 8 + TITLE_ROOM + 6 + 2 * NOTE_LINE + 8
    return around + max(
        panel.height * (LEAST_STRETCHED if panel.stretch else LEAST_SCALE) for panel in diagrams
    )


def page_width(figure: Figure) -> float:
    """The width at which no panel hides a part of itself, for export; 0 for any width."""
    parts = shares(figure, 1000.0)
    needed = [
        whole_width(panel) * 1000.0 / parts[index % len(parts)]
        for index, panel in enumerate(figure.panels)
    ]
    widest = max(needed, default=0.0)
    return widest + 2 * MARGIN if widest else 0.0


def _place(
    figure: Figure, index: int, panel: Panel, box: Rect, theme: Theme, window: Window | None
) -> Placed:
    room = title_room(figure, panel)
    drawing = draw(panel, box.inset(top=room), theme, window)
    return Placed(drawing, panel.title if room else "", box)


def _title(figure: Figure, room: float, scale: SharedScale | None) -> tuple[float, list[str]]:
    """The size of the figure's title and its lines: smaller before two, two before it is cut."""
    if not figure.title:
        return TITLES[-1], []
    room -= scale.width if scale is not None else 0.0
    size, title = text.shrunk(figure.title, room, TITLES, True)
    if title == figure.title:
        return size, [title]
    ways = (text.wrap(figure.title, part * room, size, True) for part in BALANCED)
    whole = (lines for lines in ways if len(lines) <= 2 and " ".join(lines) == figure.title)
    lines = next(whole, None)  # the first that takes no word apart
    if lines is None:
        first, *rest = text.wrap(figure.title, room, size, True)
        lines = [first, text.elide(" ".join(rest), room, size, True)]
    return size, lines


def _title_room(title: tuple[float, list[str]]) -> float:
    lines = len(title[1])
    return TITLE_ROOM + TITLE_LINE * (lines - 1) if lines else 0.0


def _note_lines(note: str, width: float) -> list[str]:
    return _lines(note, max(80.0, width - 2 * MARGIN), 3) if note else [""]


def _lines(words: str, room: float, most: int) -> list[str]:
    """At most so many lines, the last one cut."""
    lines = text.wrap(words, room, NOTE)
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], text.elide(" ".join(lines[most - 1 :]), room, NOTE)]
