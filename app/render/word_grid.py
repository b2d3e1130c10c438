"""Words in rows and columns, coloured by strength: the lens of layers × positions."""

from __future__ import annotations

import numpy as np

from app.figure import WordGrid
from app.render import pixels, readout, text
from app.render.canvas import Canvas
from app.render.drawing import Hit
from app.render.frames import around, frame, ink
from app.render.geometry import Rect
from app.render.grid import Limits, fit, paint_axes, paint_hover_labels, picks
from app.render.moving import walked
from app.render.window import Window
from app.theme import Theme

LIMITS = Limits(width=150, height=30, slender=1.2, broad=8)
LEGIBLE = 40.0  # a narrower cell cannot show its word
SIZE, FOOT = 12.0, 18.0


class WordGridDrawing:
    """As many columns as can be read, around the pinned one; the rest by scrolling."""

    def __init__(
        self, panel: WordGrid, box: Rect, theme: Theme, window: Window | None = None
    ) -> None:
        rows = len(panel.cells)
        columns = max((len(row) for row in panel.cells), default=0)
        self.panel, self.theme, self.box = panel, theme, box
        self.whole = Window(0, 0, max(1, rows), max(1, columns))
        self.window = window or self._legible(box)
        cut = self.window != self.whole
        self.grid = fit(
            box.inset(bottom=FOOT * cut), panel.rows, panel.columns, self.window, limits=LIMITS
        )
        self._table = pixels.colours(theme, "sequential")
        strengths = np.zeros((self.whole.rows, self.whole.columns), np.float32)
        for row, cells in enumerate(panel.cells):
            strengths[row, : len(cells)] = [cell.strength for cell in cells]
        self._index = pixels.quantise(strengths, (0.0, 1.0))

    def _legible(self, box: Rect) -> Window:
        whole = self.whole
        most = max(1, int((box.width - 120) / LEGIBLE))
        if whole.columns <= most:
            return whole
        middle = self.panel.column if self.panel.column is not None else 0
        first = min(max(0, middle - most // 2), whole.columns - most)
        return Window(0, first, whole.rows, most)

    def paint(self, canvas: Canvas) -> None:
        panel, grid, theme, window = self.panel, self.grid, self.theme, self.window
        seen = self._index[
            window.row : window.row + window.rows, window.column : window.column + window.columns
        ]
        canvas.rect(around(grid.box, 1), stroke=theme.border)
        canvas.cells(grid.box, seen, None, self._table)
        wide, high = grid.cell
        if wide >= 20 and high >= 12:
            self._paint_lines(canvas)
            for place in np.ndindex(window.rows, window.columns):
                self._paint_word(canvas, place[0] + window.row, place[1] + window.column, wide)
        paint_axes(canvas, grid, theme, panel.row, panel.column)
        row = panel.row if grid.in_sight(panel.row, None) else None
        column = panel.column if grid.in_sight(None, panel.column) else None
        if row is not None:
            frame(canvas, grid.row_band(row), theme, width=1.5)
        if column is not None:
            frame(canvas, grid.column_band(column), theme, width=1.5)
        if window != self.whole:
            self._paint_range(canvas)

    def at(self, x: float, y: float) -> Hit | None:
        row, column = self.grid.at(x, y)
        return None if row is None and column is None else self._hit(row, column)

    def beside(self, hit: Hit | None, down: int, right: int) -> Hit | None:
        start = self.panel.row or 0, self.panel.column or 0
        cell = walked(hit, down, right, self.whole.rows, self.whole.columns, start)
        return None if cell is None else self._hit(*cell)

    def _hit(self, row: int | None, column: int | None) -> Hit:
        panel = self.panel
        words = readout.places(panel.rows, panel.columns, row, column)
        place = None if column is None else column + panel.first_column
        found = picks(panel.picks, row, place)
        if row is not None and column is not None and column < len(panel.cells[row]):
            cell = panel.cells[row][column]
            words += f": “{cell.text}”" + (f" · {cell.note}" if cell.note else "")
            found = dict(cell.picks) if cell.picks else found
            if cell.token is not None:
                found = {**found, "token": cell.token}
        return Hit(text=words, picks=found, row=row, column=column)

    def paint_hover(self, canvas: Canvas, hit: Hit) -> None:
        grid = self.grid
        if not grid.in_sight(hit.row, hit.column):
            return
        if hit.row is not None and hit.column is not None:
            frame(canvas, grid.rect(hit.row, hit.column), self.theme, width=2)
        paint_hover_labels(canvas, grid, self.theme, hit.row, hit.column)

    def cell_at(self, x: float, y: float) -> tuple[float, float] | None:
        """(row, column) with fractions, or None outside the cells."""
        return self.grid.cell_at(x, y)

    def _paint_word(self, canvas: Canvas, row: int, column: int, wide: float) -> None:
        cells = self.panel.cells[row]
        if column >= len(cells):
            return
        red, green, blue = self._table[self._index[row, column]].tolist()
        words = text.elide(cells[column].text, wide - 8, SIZE)
        x, y = self.grid.rect(row, column).middle
        canvas.text(x, y, words, colour=ink((red, green, blue)), size=SIZE, align="center")

    def _paint_lines(self, canvas: Canvas) -> None:
        """Hairlines between cells: words of equal strength would run into each other."""
        grid, box, window = self.grid, self.grid.box, self.window
        wide, high = grid.cell
        for row in range(1, window.rows):
            y = box.y + row * high
            canvas.rect(Rect(box.x, y - 1, box.width, 1), fill=self.theme.surface, opacity=0.7)
        for column in range(1, window.columns):
            x = box.x + column * wide
            canvas.rect(Rect(x - 1, box.y, 1, box.height), fill=self.theme.surface, opacity=0.7)

    def _paint_range(self, canvas: Canvas) -> None:
        window, whole = self.window, self.whole
        name = readout.noun(self.panel.columns) or "column"
        last = window.column + window.columns - 1
        labels = self.panel.columns.labels
        counted = all(label.isdecimal() for label in labels)  # then these are the numbers to say
        ends = (labels[window.column], labels[last]) if counted else (window.column, last)
        words = f"{name} {ends[0]}–{ends[1]} of {whole.columns}"
        y = self.grid.box.bottom + FOOT / 2 + 2
        canvas.text(self.grid.box.x, y, words, colour=self.theme.muted, size=11)
