"""A map of a mask whose cells are painted by key too."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen

from app.panels.mask_map import MaskMap

_MOVES = {
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
}
_PAINTS = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
_BY_TAB = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)


class KeyedMaskMap(MaskMap):
    """Tab comes here, arrow keys move a frame from cell to cell, Space or Enter paints its cell.

    The frame is seen once a key was used: a person who paints with the mouse has no need of it.
    went: the frame came to a cell; whether its query may see its key, in words.
    """

    went = Signal(str)

    def __init__(self, name: str, side: int) -> None:
        super().__init__(name, side)
        self._cursor, self._seen = (0, 0), False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @property
    def cursor_cell(self) -> tuple[int, int]:
        """The cell that keys are about; always one of the map, however short the text became."""
        queries, keys = self._shape
        return min(self._cursor[0], max(0, queries - 1)), min(self._cursor[1], max(0, keys - 1))

    def event(self, event: QEvent) -> bool:
        """These keys are claimed before the window's own, which leaf through layers and heads."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and self._heeds(event)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._heeds(event) or self.area().isEmpty():
            super().keyPressEvent(event)
            return
        move = _MOVES.get(Qt.Key(event.key()))
        self._seen = True
        if move is not None:
            self._move(*move)
        elif not event.isAutoRepeat():  # a held key would paint and take back in turn
            self._begin(self.cursor_cell)
            self._end()
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._seen = self._seen or event.reason() in _BY_TAB
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position())
        if cell is not None:
            self._cursor, self._seen = cell, False
            self.update()
        super().mousePressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        area = self.area()
        if not self._seen or not self.hasFocus() or area.isEmpty():
            return
        painter = QPainter(self)
        box = self._box(*self.cursor_cell)
        # Two frames, one in the other: one of them is seen on a cell of any colour.
        for inset, colour in ((0.0, self._theme.text), (2.0, self._theme.surface)):
            painter.setPen(QPen(QColor(colour), 2))
            painter.drawRect(box.adjusted(inset, inset, -inset, -inset))
        painter.end()

    def _heeds(self, event: QKeyEvent) -> bool:
        """Whether this is one of its keys, alone; those of a keypad are keys like others."""
        plain = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        key = event.key()
        return event.modifiers() in plain and (key in _MOVES or key in _PAINTS)

    def _move(self, down: int, right: int) -> None:
        """By so many cells, not beyond the edge; and what is there is said."""
        queries, keys = self._shape
        query, key = self.cursor_cell
        cell = max(0, min(queries - 1, query + down)), max(0, min(keys - 1, key + right))
        self._cursor = cell
        words = self.words_of(cell)
        self.setAccessibleDescription(words)
        self.went.emit(words)

    def _box(self, query: int, key: int) -> QRectF:
        area = self.area()
        queries, keys = self._shape
        width, height = area.width() / keys, area.height() / queries
        corner = QPointF(area.left() + key * width, area.top() + query * height)
        return QRectF(corner.x(), corner.y(), width, height)
