"""A text field that can put a mask token in a word's place and bring the word back."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.choices import one_line


class Editor(QPlainTextEdit):
    """Plain text in a few lines. Tab leaves it. Positions count characters, not UTF-16 units.

    In an editor of one line Return does nothing, and line ends become spaces, as nobody
    would see them.
    """

    edited = Signal(str)

    def __init__(
        self, name: str, placeholder: str, *, lines: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._lines = lines
        self._masked: list[tuple[QTextCursor, str]] = []
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        self.setTabChangesFocus(True)
        if lines == 1:
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedHeight(self._height())
        self.textChanged.connect(lambda: self.edited.emit(self.toPlainText()))

    def _height(self) -> int:
        metrics = QFontMetrics(self.font())
        frame = 2 * self.frameWidth() + 2 * int(self.document().documentMargin())
        return metrics.lineSpacing() * self._lines + frame + 2

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._lines > 1 or event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if self._lines > 1:
            super().insertFromMimeData(source)
        else:
            self.insertPlainText(one_line(source.text()))

    def show_text(self, text: str) -> None:
        """Set the text from outside; tells nobody. One goes on writing at its end, and what was
        written before comes back by undo."""
        if text != self.toPlainText():
            self._masked.clear()
            self.blockSignals(True)
            if self.document().isEmpty() and not self.document().isUndoAvailable():
                self.setPlainText(text)
            else:
                cursor = QTextCursor(self.document())
                cursor.select(QTextCursor.SelectionType.Document)
                cursor.insertText(text)
            self.moveCursor(QTextCursor.MoveOperation.End)
            self.verticalScrollBar().setValue(0)
            self.blockSignals(False)

    def replace(self, start: int, end: int, text: str) -> None:
        """Put a text where characters start to end stand; one step for undo."""
        self._cursor(start, end).insertText(text)

    def mask_word(self, start: int, end: int, piece: str) -> None:
        """Put `piece` where characters start to end stand; one step for undo."""
        text = self.toPlainText()
        cursor = self._cursor(start, end)
        cursor.insertText(piece)
        last = cursor.position()
        cursor.setPosition(last - _units(piece))
        cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
        self._masked.append((cursor, text[start:end]))

    def unmask_word(self, start: int, end: int) -> bool:
        """Bring back the word under a mask; False where the mask was typed by hand."""
        at = _units(self.toPlainText()[:start])
        for i, (cursor, word) in enumerate(self._masked):
            if cursor.selectionStart() == at and cursor.hasSelection():
                del self._masked[i]
                self._cursor(start, end).insertText(word)
                return True
        return False

    def _cursor(self, start: int, end: int) -> QTextCursor:
        text = self.toPlainText()
        cursor = QTextCursor(self.document())
        cursor.setPosition(_units(text[:start]))
        cursor.setPosition(_units(text[:end]), QTextCursor.MoveMode.KeepAnchor)
        return cursor


def _units(text: str) -> int:
    """Length as Qt counts it: a character outside the first plane (an emoji) takes two."""
    return len(text.encode("utf-16-le")) // 2
