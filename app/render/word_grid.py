"""Words in rows and columns, coloured by strength: the lens of layers × positions."""

from __future__ import annotations

import re

import numpy as np

from app.figure import Axis, Cell, WordGrid
from app.render import grid as grids
from app.render import pixels, readout, text
from app.render.axes import paint_axes, paint_hover_labels
from app.render.canvas import Canvas, Indices
from app.render.drawing import Hit
from app.render.frames import around, frame, ink
from app.render.geometry import Rect
from app.render.grid import Limits, fit, picks, taken
from app.render.moving import walked
from app.render.numbers import in_full
from app.render.thinning import first_number
from app.render.window import Window
from app.theme import Theme

LIMITS = Limits(width=150, height=30, slender=1.2, broad=8)
LEGIBLE, FEW = 40.0, 24.0  # a narrower cell cannot show its word; even a word of one character
TIGHT = 32.0  # so narrow is still better than columns out of sight
ROW, TIGHT_ROW = 12.0, 10.0  # a lower one neither; but few rows, numbers mostly, are all shown
SIZE, SMALLEST, TIGHTEST, FOOT, KEY = 12.0, 10.0, 9.0, 18.0, 60.0
NUMBER = re.compile(r"[+−-]?([\d.,]+|∞)")
NAMED = re.compile(r"(.*[^\W\d].*) ([+−-]?\d*\.\d+)")  # a word, and its number behind it
LEAST_CUT = 3  # letters of a word that are worth a "…" after them
MEASURED = 32  # so many rows and columns say how wide words are


class WordGridDrawing:
    """As many rows and columns as can be read, around the pinned ones; the rest by scrolling."""

    def __init__(
        self, panel: WordGrid, box: Rect, theme: Theme, window: Window | None = None
    ) -> None:
        rows = len(panel.cells)
        columns = max((len(row) for row in panel.cells), default=0)
        self.panel, self.theme, self.box = panel, theme, box
        self.whole = Window(0, 0, max(1, rows), max(1, columns))
        # Of rows in the order of a column the first ones matter, not the pinned one.
        self._ranked = panel.picks[1] == "sort" and panel.column is not None
        self._words = _words(panel)
        self.window = window or self._legible(box)
        foot = FOOT * (self.window != self.whole or bool(panel.value_name))
        room = box.inset(bottom=foot)
        self.grid = fit(room, panel.rows, panel.columns, self.window, limits=LIMITS, upright=True)
        self._table = pixels.colours(theme, "sequential")
        strengths = np.zeros((self.whole.rows, self.whole.columns), np.float32)
        for row, cells in enumerate(panel.cells):
            strengths[row, : len(cells)] = [
                np.nan if cell.strength is None else cell.strength for cell in cells
            ]
        self._index = pixels.quantise(strengths, (0.0, 1.0))
        self._index[np.isnan(strengths)] = pixels.GAP  # the surface's colour

    def _legible(self, box: Rect) -> Window:
        whole, panel = self.whole, self.panel
        beside, above = taken(panel.rows)
        columns = max(1, int((box.width - beside) / _column(self._words)))
        if whole.columns * TIGHT <= box.width - beside:
            columns = whole.columns  # a little narrow, but all of them
        high, foot = box.height - above, FOOT * bool(panel.value_name)
        row = TIGHT_ROW if whole.rows <= grids.FEW else ROW
        all_fit = high - foot >= row * whole.rows and whole.columns <= columns
        rows = max(1, int((high - (foot if all_fit else FOOT)) / (row if all_fit else ROW)))
        first_row, rows = _around(None if self._ranked else panel.row, rows, whole.rows)
        first_column, columns = _around(panel.column, columns, whole.columns)
        return Window(first_row, first_column, rows, columns)

    def paint(self, canvas: Canvas) -> None:
        panel, grid, theme, window = self.panel, self.grid, self.theme, self.window
        seen = self._index[
            window.row : window.row + window.rows, window.column : window.column + window.columns
        ]
        canvas.rect(around(grid.box, 1), stroke=theme.border)
        canvas.cells(grid.box, seen, None, self._table)
        wide, high = grid.cell
        if wide >= 20 and high >= TIGHT_ROW:
            self._paint_lines(canvas)
            size = self._size(wide, high)
            for place in np.ndindex(window.rows, window.columns):
                where = place[0] + window.row, place[1] + window.column
                self._paint_word(canvas, *where, wide, size)
        paint_axes(canvas, grid, theme, panel.row, panel.column)
        row = panel.row if grid.in_sight(panel.row, None) else None
        column = panel.column if grid.in_sight(None, panel.column) else None
        if self._ranked:
            column = None  # its label stands out; a frame around it would hide the pinned row's
        if row is not None and column is not None:
            frame(canvas, grid.rect(row, column), theme, width=2)
        elif row is not None and high < SIZE + 2:  # thin, as there is no air around the words
            frame(canvas, around(grid.row_band(row), -1), theme, width=1)
        elif row is not None:
            frame(canvas, grid.row_band(row), theme, width=1.5)
        elif column is not None:
            frame(canvas, grid.column_band(column), theme, width=1.5)
        self._paint_foot(canvas)

    def _size(self, wide: float, high: float) -> float:
        """Of the words: smaller before cut."""
        size = SIZE if high >= SIZE + 4 else SMALLEST if high >= ROW else TIGHTEST
        # A word with a number behind it has more to lose.
        numbered = all(NAMED.fullmatch(words) for words in self._words if words)
        least = TIGHTEST if numbered else SMALLEST
        while size > least and text.longest(self._words, size) > wide - 6:
            size -= 1
        return size

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
        place = None if column is None else panel.columns.number(column)
        found = picks(panel.picks, row, place)
        if row is not None and column is not None and column < len(panel.cells[row]):
            cell = panel.cells[row][column]
            said = [_said(cell)] if cell.text else []
            words += f": {' · '.join([*said, *filter(None, (cell.note, cell.action))])}"
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

    def _paint_word(self, canvas: Canvas, row: int, column: int, wide: float, size: float) -> None:
        cells = self.panel.cells[row]
        if column >= len(cells):
            return
        red, green, blue = self._table[self._index[row, column]].tolist()
        words = _fitted(cells[column], wide - 6, size)
        x, y = self.grid.rect(row, column).middle
        canvas.text(x, y, words, colour=ink((red, green, blue)), size=size, align="center")

    def _paint_lines(self, canvas: Canvas) -> None:
        """Hairlines between cells: words of equal strength would run into each other."""
        grid, box, window = self.grid, self.grid.box, self.window
        wide, high = grid.cell
        blank = bool((self._index == pixels.GAP).any())
        fill = self.theme.border if blank else self.theme.surface
        for row in range(1, window.rows):
            y = box.y + row * high
            canvas.rect(Rect(box.x, y - 1, box.width, 1), fill=fill, opacity=0.7)
        for column in range(1, window.columns):
            x = box.x + column * wide
            canvas.rect(Rect(x - 1, box.y, 1, box.height), fill=fill, opacity=0.7)

    def _paint_foot(self, canvas: Canvas) -> None:
        """What the colours mean, and which part is in sight."""
        box, theme = self.grid.box, self.theme
        x, y = box.x, box.bottom + FOOT / 2 + 2
        if self.panel.value_name:
            words = f"{self.panel.value_name} 0"
            canvas.text(x, y, words, colour=theme.muted, size=11)
            bar = Rect(round(x + text.width(words, 11) + 6), round(y - 5), KEY, 10)
            canvas.raster(bar, _key, self._table)
            canvas.text(bar.right + 6, y, "1", colour=theme.muted, size=11)
            x = bar.right + 6 + text.width("1", 11) + 20
        parts = self._parts()
        if parts:
            room = max(box.right, self.box.right) - x
            words = f"{', '.join(parts)} in sight"
            if text.width(words, 11) > room:  # the numbers in sight matter most
                words = text.elide(", ".join(part.split(" of ")[0] for part in parts), room, 11)
            canvas.text(x, y, words, colour=theme.muted, size=11)

    def _parts(self) -> list[str]:
        """What is in sight, for example “layer 1–14 of 24” and “token 24–35 of 24–47”."""
        window, whole, panel = self.window, self.whole, self.panel
        found = []
        if window.rows < whole.rows:
            found.append(_part(panel.rows, window.row, window.rows, whole.rows))
        if window.columns < whole.columns:
            found.append(_part(panel.columns, window.column, window.columns, whole.columns))
        return found


def whole_width(panel: WordGrid) -> float:
    """How wide the grid would like to be to show all its columns."""
    columns = max((len(row) for row in panel.cells), default=0)
    return taken(panel.rows)[0] + columns * _column(_words(panel)) + 4


def _said(cell: Cell) -> str:
    """A number in more digits than there is room for, a word in quotes."""
    if cell.value is not None and NUMBER.fullmatch(cell.text):
        return in_full(cell.value)
    return f"“{cell.text}”"


def _fitted(cell: Cell, room: float, size: float) -> str:
    """A number with fewer decimals rather than cut; a word cut."""
    words = cell.text
    if text.width(words, size) <= room:
        return words
    named = NAMED.fullmatch(words)
    if named is not None:
        return _shortened(named[1], named[2], room, size)
    if cell.value is None or not NUMBER.fullmatch(words):
        return text.elide(words, room, size)
    sign, decimals = "+" if words.startswith("+") else "", len(words.partition(".")[2])
    while decimals and text.width(words, size) > room:
        decimals -= 1
        words = f"{cell.value:{sign}z.{decimals}f}".replace("-", "−")
    return text.elide(words, room, size)


def _shortened(word: str, number: str, room: float, size: float) -> str:
    """As much of the word as fits before its whole number; the number alone where that is none."""
    left = room - text.width(f" {number}", size)
    cut = text.elide(word, left, size)
    if len(cut.strip("… ")) < LEAST_CUT:  # a "…" would take the room of the letters
        fitting = (word[:n] for n in range(len(word), 0, -1))
        cut = next((part for part in fitting if text.width(part, size) <= left), "")
    return f"{cut} {number}".strip()


def _words(panel: WordGrid) -> tuple[str, ...]:
    found = (cell.text for row in panel.cells[:MEASURED] for cell in row[:MEASURED])
    return tuple(dict.fromkeys(found))


def _column(words: tuple[str, ...]) -> float:
    """The least width of a column that shows its word, or most of it."""
    return min(LEGIBLE, max(FEW, text.longest(words, SMALLEST) + 8))


def _around(pinned: int | None, most: int, whole: int) -> tuple[int, int]:
    """(first, count) of at most so many places that hold the pinned one: the first ones if they
    do."""
    if whole <= most:
        return 0, whole
    if pinned is None or pinned < most:
        return 0, most
    return min(pinned - most // 2, whole - most), most


def _part(axis: Axis, first: int, count: int, whole: int) -> str:
    """The places in sight as they are counted, or by name where they are not."""
    start, last = first_number(axis.labels), first + count - 1
    name = readout.noun(axis)
    if start is None and name in readout.TOKEN_AXES:
        start = axis.number(0)
    if start is None:
        return f"{axis.labels[first]} to {axis.labels[last]}"
    return f"{name} {start + first}–{start + last} of {start}–{start + whole - 1}"


def _key(width: int, height: int) -> Indices:
    """The whole scale from left to right."""
    levels = np.arange(pixels.LEVELS, dtype=np.uint8)
    return np.repeat(levels[pixels.spread(pixels.LEVELS, width)][None], height, axis=0)
