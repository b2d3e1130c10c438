"""A small picture of a mask, painted as one image; cells may be painted by hand."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHideEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QToolTip, QWidget

from app.theme import LIGHT, Theme

if TYPE_CHECKING:  # the window's first paint needs no numpy
    import numpy as np
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]

_KEYS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
_REDO = (QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y"))  # both are known everywhere
_LABEL_LEAST = 11.0  # pixels a cell needs before its token is written beside it
_LABEL_MOST = 110.0
_THINNEST = 14.0


class MaskMap(QWidget):
    """allowed[query, key] from top left; blocked: the cells painted by hand, which are hidden too.

    painted: cells (query, key) a stroke went over, and whether they are to be blocked; told once it
    is over, so that the map under the pointer stays what it is; began: before that; undone, redone:
    Ctrl+Z, Ctrl+Shift+Z.
    """

    painted = Signal(list, bool)
    began = Signal()
    undone = Signal()
    redone = Signal()
    refused = Signal()  # a cell that the mask's kind hides anyway

    def __init__(self, name: str, side: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._side = side
        self._allowed: Bools | None = None
        self._blocked: frozenset[tuple[int, int]] = frozenset()
        self._rows: tuple[str, ...] = ()
        self._columns: tuple[str, ...] = ()
        self._labelled = False
        self._theme = LIGHT
        self._stroke: bool | None = None
        self._done: set[tuple[int, int]] = set()
        self._new: list[tuple[int, int]] = []  # of the stroke, not told yet
        self._from = QPointF()  # where the stroke was last
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # what was painted can be undone by key
        self.setMinimumSize(side, side)
        self.setAccessibleName(name)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_labels(self, on: bool) -> None:
        """Write the tokens beside the rows and columns where they fit."""
        self._labelled = on

    def show_mask(
        self,
        allowed: Bools,
        blocked: frozenset[tuple[int, int]],
        rows: tuple[str, ...],
        columns: tuple[str, ...],
    ) -> None:
        if (rows, columns) != (self._rows, self._columns):
            self._drop_stroke()  # its cells were those of other tokens
        self._allowed, self._blocked = allowed, blocked
        self._rows, self._columns = rows, columns
        self._mark(self._new)
        seen = int(allowed.sum())
        self.setAccessibleDescription(f"{seen} of {allowed.size} cells are visible")
        self.update()

    def forget(self) -> None:
        """Show no cells: there is no text they could be of."""
        self._drop_stroke()
        self._allowed, self._blocked = None, frozenset()
        self._rows = self._columns = ()
        self.setAccessibleDescription("")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._side, self._side)

    def area(self) -> QRectF:
        """Where the cells are: square cells, as large as fit."""
        queries, keys = self._shape
        if not queries or not keys:
            return QRectF()
        margin_x = margin_y = 1.0
        if self._labelled:
            metrics = QFontMetricsF(self.font())
            widest = max((metrics.horizontalAdvance(text) for text in self._rows), default=0)
            tallest = max((metrics.horizontalAdvance(text) for text in self._columns), default=0)
            margin_x, margin_y = (min(x, _LABEL_MOST) + 8 for x in (widest, tallest))
        room_x, room_y = self.width() - margin_x - 1, self.height() - margin_y - 1
        cell = max(min(room_x / keys, room_y / queries), 0.01)
        if cell > 1:
            cell = float(int(cell))
        # A single query would be a line too thin to hit: such a map is stretched.
        width, height = max(cell * keys, _THINNEST), max(cell * queries, _THINNEST)
        return QRectF(margin_x, margin_y, width, height)

    @property
    def _shape(self) -> tuple[int, int]:
        if self._allowed is None:
            return 0, 0
        queries, keys = self._allowed.shape
        return queries, keys

    def _visible(self, cell: tuple[int, int]) -> bool:
        return self._allowed is not None and bool(self._allowed[cell])

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        area = self.area()
        if not area.contains(point) or area.isEmpty():
            return None
        queries, keys = self._shape
        query = int((point.y() - area.top()) / area.height() * queries)
        key = int((point.x() - area.left()) / area.width() * keys)
        return min(query, queries - 1), min(key, keys - 1)

    def cell_centre(self, query: int, key: int) -> QPointF:
        area = self.area()
        queries, keys = self._shape
        return QPointF(
            area.left() + (key + 0.5) * area.width() / keys,
            area.top() + (query + 0.5) * area.height() / queries,
        )

    # --- painting ---------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        area = self.area()
        if area.isEmpty():
            painter.setPen(QColor(self._theme.border))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            painter.end()
            return
        painter.drawImage(area, self._image())
        queries, keys = self._shape
        cell, row = area.width() / keys, area.height() / queries
        painter.setPen(QPen(QColor(self._theme.surface), 1))
        if cell >= 5:
            for k in range(1, keys):
                x = area.left() + k * cell
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            for q in range(1, queries):
                y = area.top() + q * row
                painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        painter.setPen(QPen(QColor(self._theme.border), 1))
        painter.drawRect(area)
        if self._labelled and cell >= _LABEL_LEAST:
            self._paint_labels(painter, area, cell, row)
        painter.end()

    def _image(self) -> QImage:
        """One index a pixel: 0 hidden, 1 visible, 2 painted out."""
        import numpy as np

        cells = np.array(self._allowed, dtype=np.uint8)
        for query, key in self._blocked:
            if query < cells.shape[0] and key < cells.shape[1]:
                cells[query, key] = 2
        rows, columns = cells.shape
        padded = np.zeros((rows, (columns + 3) // 4 * 4), dtype=np.uint8)
        padded[:, :columns] = cells
        data = padded.tobytes()
        image = QImage(data, columns, rows, padded.shape[1], QImage.Format.Format_Indexed8)
        theme = self._theme
        image.setColorTable(
            [QColor(c).rgb() for c in (theme.hatch_line, theme.lines[0], theme.accent)]
        )
        return image.copy()  # Qt does not keep the bytes alive

    def _paint_labels(self, painter: QPainter, area: QRectF, cell: float, row: float) -> None:
        painter.setPen(QColor(self._theme.muted))
        metrics = QFontMetricsF(self.font())
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        for q, text in enumerate(self._rows):
            where = QRectF(0, area.top() + q * row, area.left() - 4, row)
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, where.width())
            painter.drawText(where, right, shown)
        for k, text in enumerate(self._columns):
            painter.save()
            painter.translate(area.left() + k * cell, area.top() - 4)
            painter.rotate(-90)
            room = QRectF(0, 0, area.top() - 4, cell)
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, left, shown)
            painter.restore()

    # --- the pointer ------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position())
        if cell is not None and event.button() == Qt.MouseButton.LeftButton:
            self._from = event.position()
            self._begin(cell)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._stroke is not None:
            self._paint_cells(self._cells_to(event.position()))
            self._from = event.position()
            return
        cell = self.cell_at(event.position())
        if cell is not None and self._rows and self._columns:
            text = self.words_of(cell)
            QToolTip.showText(event.globalPosition().toPoint(), text, self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._end()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._end()  # a button released later is not heard of

    def leaveEvent(self, event: QEvent) -> None:
        QToolTip.hideText()

    def event(self, event: QEvent) -> bool:
        way = way_of(event)
        if way is not None:
            if event.type() == QEvent.Type.KeyPress:
                (self.undone if way == "undo" else self.redone).emit()
            return True
        return super().event(event)

    def _begin(self, cell: tuple[int, int]) -> None:
        """A stroke that paints, or where the cell is painted already one that takes back."""
        if cell not in self._blocked and not self._visible(cell):
            self.refused.emit()
            return
        self._stroke, self._done = cell not in self._blocked, set()
        self._paint_cells([cell])

    def _end(self) -> None:
        """The stroke is over, and what it painted is told."""
        cells, on = self._new, bool(self._stroke)
        self._drop_stroke()
        if cells:
            self.began.emit()
            self.painted.emit(cells, on)

    def _drop_stroke(self) -> None:
        self._stroke, self._new = None, []

    def _cells_to(self, point: QPointF) -> list[tuple[int, int]]:
        """The cells between where the stroke was last and here: a quick pointer skips some."""
        area, way = self.area(), point - self._from
        queries, keys = self._shape
        if area.isEmpty():
            return []
        across, down = way.x() * keys / area.width(), way.y() * queries / area.height()
        steps = max(1, ceil(max(abs(across), abs(down))))
        found = (self.cell_at(self._from + way * (i / steps)) for i in range(1, steps + 1))
        return [cell for cell in found if cell is not None]

    def _paint_cells(self, cells: list[tuple[int, int]]) -> None:
        new = dict.fromkeys(cell for cell in cells if cell not in self._done)
        self._done.update(new)
        wanted = [c for c in new if (self._visible(c) if self._stroke else c in self._blocked)]
        self._new += wanted
        self._mark(wanted)

    def _mark(self, cells: list[tuple[int, int]]) -> None:
        """At once, not with the next run: a second click takes back what the first one painted."""
        if self._allowed is None or not cells:
            return
        changed = self._blocked.union if self._stroke else self._blocked.difference
        self._blocked = changed(cells)
        self._allowed = self._allowed.copy()
        for cell in cells:
            self._allowed[cell] = not self._stroke
        self.update()

    def words_of(self, cell: tuple[int, int]) -> str:
        """Whether the query of a cell may see its key, in words."""
        query, key = cell
        what = "may see" if self._visible(cell) else "may not see"
        if cell in self._blocked:
            what = "may not see (painted out)"
        return f"“{self._rows[query]}” ({query}) {what} “{self._columns[key]}” ({key})"


def way_of(event: QEvent) -> Literal["undo", "redo"] | None:
    """Whether this is the key of Undo or Redo; claimed before the window's own, which is of
    texts."""
    if not isinstance(event, QKeyEvent) or event.type() not in _KEYS:
        return None
    keys = QKeySequence(event.keyCombination())
    if event.matches(QKeySequence.StandardKey.Undo):
        event.accept()
        return "undo"
    if event.matches(QKeySequence.StandardKey.Redo) or keys in _REDO:
        event.accept()
        return "redo"
    return None
