"""A heatmap: one uint8 image with a colour table, axes, colour bar, pinned and hovered cells.

Own painting rather than pyqtgraph's ImageItem: at 512 tokens it takes 5 ms with labels, hatching
and colour bar, where the bare ImageItem takes 4 and cannot hatch, nor thin its labels, nor draw the
same for PNG and SVG.
"""

from __future__ import annotations

import numpy as np

from app.figure import Heatmap
from app.render import colour_bar, pixels, readout, row_numbers, text
from app.render.axes import paint_axes, paint_hover_labels
from app.render.canvas import Bools, Canvas, Indices
from app.render.drawing import Hit
from app.render.frames import around, frame, ink
from app.render.geometry import Rect
from app.render.grid import fit, least_above, picks, taken
from app.render.moving import walked
from app.render.window import Window
from app.theme import Theme

NOTE = 18.0  # room for what the colour scale's ends are
NUMBER_SIZES = (11.0, 10.0)  # of the numbers in cells that have room for all of them
SMALLEST_CELL = (24.0, 14.0)
TOO_LOW = 0.05  # end of a colour scale below which numbers need more than two decimals


class HeatmapDrawing:
    """`values[row, column]` in a box: rows from top to bottom, columns from left to right."""

    def __init__(
        self, panel: Heatmap, box: Rect, theme: Theme, window: Window | None = None
    ) -> None:
        rows, columns = panel.values.shape
        self.panel, self.theme, self.box = panel, theme, box
        self.whole = Window(0, 0, rows, columns)
        self.window = window or self.whole
        self._foot = self._footing()
        inner = box.inset(bottom=NOTE * bool(self._foot) + _below(panel))
        masked = panel.hidden is not None and bool(panel.hidden.any())
        left_out = panel.left_out is not None and bool(panel.left_out.any())
        self._keys = {"masked": masked, "left_out": left_out, "dead": bool(panel.dead_rows)}
        self._right = 0.0
        if panel.scale_at == "right":
            self._right = colour_bar.room(box.width, panel.limits, panel.value_name, **self._keys)
        self._beside = 0.0 if panel.of_rows is None else row_numbers.ROOM
        right = self._right + self._beside
        self.grid = fit(inner, panel.rows, panel.columns, self.window, right=right)
        self._table = pixels.colours(theme, panel.scale)

    def paint(self, canvas: Canvas) -> None:
        panel, grid, theme = self.panel, self.grid, self.theme
        values, hidden = self._seen(panel.values), self._masked()
        blank = None if panel.left_out is None else self._seen(panel.left_out)
        index = pixels.quantise(values, panel.limits)
        for unseen in (hidden, blank):
            if unseen is not None:
                index[unseen] = pixels.quantise(np.zeros(1, np.float32), panel.limits)[0]
        for row in panel.dead_rows:
            if grid.in_sight(row, None):
                index[row - self.window.row] = pixels.DEAD
                if hidden is not None:
                    hidden[row - self.window.row] = False
        canvas.rect(around(grid.box, 1), stroke=theme.border)
        canvas.cells(
            *(grid.box, index, hidden, self._table),
            blank=blank,
            diverging=panel.scale == "diverging",
        )
        if blank is not None:
            index[blank] = pixels.GAP
        self._paint_numbers(canvas, index, values, hidden)
        self._paint_dead_rows(canvas)
        paint_axes(canvas, grid, theme, panel.row, panel.column)
        self._paint_pinned(canvas)
        if panel.of_rows is not None:
            row_numbers.paint(canvas, grid, theme, *panel.of_rows)
        self._paint_scale(canvas)
        if self._foot:
            size, words = text.shrunk(self._foot, self.box.width, NUMBER_SIZES)
            x = max(self.box.x, min(grid.box.x, self.box.right - text.width(words, size)))
            y = grid.box.bottom + _below(panel) + NOTE / 2 + 2
            canvas.text(x, y, words, colour=theme.muted, size=size)

    def _paint_scale(self, canvas: Canvas) -> None:
        panel, grid, theme = self.panel, self.grid, self.theme
        if panel.scale_at == "below":
            room = max(grid.box.width, self.box.right - grid.box.x)
            line = Rect(grid.box.x, grid.box.bottom + 4, room, colour_bar.LINE - 4)
            without = self._keys["masked"] or bool(np.isnan(panel.values).any())
            # A key is there, and may not be seen; a head that a layer lacks is none.
            what = "masked" if readout.noun(panel.columns) == "key" else "none"
            hatched = what if without else ""
            colour_bar.paint_line(
                canvas, line, self._table, theme, limits=panel.limits, hatched=hatched
            )
        elif panel.scale_at == "right":
            colour_bar.paint(
                canvas,
                Rect(
                    grid.box.right + self._beside + colour_bar.AWAY,
                    grid.box.y,
                    self._right - colour_bar.AWAY - 2,
                    self._bar_height(),
                ),
                self._table,
                theme,
                limits=panel.limits,
                name=panel.value_name,
                **self._keys,
            )

    def at(self, x: float, y: float) -> Hit | None:
        row, column = self.grid.at(x, y)
        return None if row is None and column is None else self._hit(row, column)

    def beside(self, hit: Hit | None, down: int, right: int) -> Hit | None:
        start = self.panel.row or 0, self.panel.column or 0
        cell = walked(hit, down, right, self.whole.rows, self.whole.columns, start)
        return None if cell is None else self._hit(*cell)

    def _hit(self, row: int | None, column: int | None) -> Hit:
        panel = self.panel
        if row is None or column is None:
            words = readout.places(panel.rows, panel.columns, row, column)
        else:
            words = readout.cell(panel, row, column)
        counted = (
            None if row is None else panel.rows.number(row),
            None if column is None else panel.columns.number(column),
        )
        return Hit(text=words, picks=picks(panel.picks, *counted), row=row, column=column)

    def paint_hover(self, canvas: Canvas, hit: Hit) -> None:
        grid, theme = self.grid, self.theme
        if not grid.in_sight(hit.row, hit.column):
            return
        if hit.row is not None:
            frame(canvas, grid.row_band(hit.row), theme, opacity=0.55)
        if hit.column is not None:
            frame(canvas, grid.column_band(hit.column), theme, opacity=0.55)
        if hit.row is not None and hit.column is not None:
            frame(canvas, grid.rect(hit.row, hit.column), theme, width=2)
        paint_hover_labels(canvas, grid, theme, hit.row, hit.column)

    def cell_at(self, x: float, y: float) -> tuple[float, float] | None:
        """(row, column) with fractions, or None outside the cells."""
        return self.grid.cell_at(x, y)

    def _seen(self, array: np.ndarray) -> np.ndarray:
        window = self.window
        return array[
            window.row : window.row + window.rows, window.column : window.column + window.columns
        ]

    def _footing(self) -> str:
        """What stands under the map: which part is in sight, and where the colours end."""
        panel, window = self.panel, self.window
        parts = [panel.limits_note] if panel.limits_note else []
        if window != self.whole:
            rows = f"{readout.noun(panel.rows)} {window.row}–{window.row + window.rows - 1}"
            last = window.column + window.columns - 1
            columns = f"{readout.noun(panel.columns)} {window.column}–{last}"
            parts.insert(0, f"{rows}, {columns}; a double click shows all")
        return " · ".join(parts)

    def _masked(self) -> Bools | None:
        """Hatched cells in sight: masked ones, and those whose value is no number."""
        missing = np.isnan(self._seen(self.panel.values))
        if self.panel.hidden is not None:
            return missing | self._seen(self.panel.hidden)
        return missing if missing.any() else None

    def _bar_height(self) -> float:
        box = self.grid.box
        if text.width(self._foot, 11) > box.width + 10:
            return box.height  # the note below runs on under the scale
        return max(box.height, min(200.0, self.box.bottom - box.y))

    def _paint_numbers(
        self, canvas: Canvas, index: Indices, values: np.ndarray, hidden: Bools | None
    ) -> None:
        wide, high = self.grid.cell
        if wide < SMALLEST_CELL[0] or high < SMALLEST_CELL[1]:
            return
        end = max(abs(limit) for limit in self.panel.limits)
        words = [_short(value, end) for value in values.ravel().tolist()]
        seen = tuple(dict.fromkeys(words))
        fits = (size for size in NUMBER_SIZES if text.longest(seen, size) <= wide - 6)
        size = next(fits, None)
        if size is None:
            return
        for (row, column), said in zip(np.ndindex(values.shape), words, strict=True):
            if (hidden is not None and hidden[row, column]) or index[row, column] >= pixels.LEVELS:
                continue
            red, green, blue = self._table[index[row, column]].tolist()
            where = self.grid.rect(row + self.window.row, column + self.window.column)
            colour = ink((red, green, blue))
            canvas.text(*where.middle, said, colour=colour, size=size, align="center")

    def _paint_dead_rows(self, canvas: Canvas) -> None:
        grid = self.grid
        if grid.cell[1] < 12:
            return
        for row in self.panel.dead_rows:
            if grid.in_sight(row, None):
                band = grid.row_band(row)
                canvas.text(
                    *band.middle, "no keys", colour=self.theme.text, size=11, align="center"
                )

    def _paint_pinned(self, canvas: Canvas) -> None:
        panel, grid, theme = self.panel, self.grid, self.theme
        row = panel.row if grid.in_sight(panel.row, None) else None
        column = panel.column if grid.in_sight(None, panel.column) else None
        cell = panel.cell_only and row is not None and column is not None
        if row is not None and not cell:
            frame(canvas, grid.row_band(row), theme, width=1.5)
        if column is not None and not cell:
            frame(canvas, grid.column_band(column), theme, width=1.5)
        if row is not None and column is not None:
            frame(canvas, grid.rect(row, column), theme, width=2.5)


def headroom(panel: Heatmap, width: float) -> float:
    """What stands above and below the cells of a map so wide: titles, labels, notes; at least."""
    room = width - _beside(panel, width)
    above = least_above(panel.rows, panel.columns, panel.values.shape[1], room)
    return above + NOTE * bool(panel.limits_note) + _below(panel)


def room_across(panel: Heatmap, width: float) -> float:
    """What is left for the cells of a map so wide."""
    return width - _beside(panel, width) - taken(panel.rows)[0]


def _beside(panel: Heatmap, width: float) -> float:
    """What stands at the right of the cells."""
    beside = 0.0 if panel.of_rows is None else row_numbers.ROOM
    if panel.scale_at == "right":
        beside += colour_bar.room(width, panel.limits, panel.value_name)
    return beside


def _below(panel: Heatmap) -> float:
    """Room for the scale below the map, left free too where that stands in the figure's title, so
    that maps side by side are of one size."""
    return 0.0 if panel.scale_at == "right" else colour_bar.LINE


def _short(value: float, end: float) -> str:
    """A cell's number in few characters: 0.41, 31.7, 128; 2.4e−05 where the colours end that low
    that two decimals would say nothing."""
    size = abs(value)
    if 0 < end < TOO_LOW:
        return "0" if size < end / 100 else f"{value:.1e}".replace("-", "−")
    decimals = 0 if size >= 100 else 1 if size >= 10 else 2
    return f"{value:z.{decimals}f}".replace("-", "−")
