"""A text field that can put a mask token in a word's place and bring the word back."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, QMimeData, QObject, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout, QPlainTextEdit, QWidget

from app.choices import one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    """A text with its own undo, and the words that masks stand for in it.

    words: where masks stood (first and last position, as Qt counts) and for which word, by the
    hash of the text that they stood in.
    """

    document: QTextDocument
    masked: list[tuple[QTextCursor, str]] = field(default_factory=list)
    words: dict[int, tuple[tuple[int, int, str], ...]] = field(default_factory=dict)


class Editor(QPlainTextEdit):
    """Plain text in a few lines. Tab leaves it. Positions count characters, not UTF-16 units.

    It has several pages, one of which is written on: undo never leads to the text of another.
    In an editor of one line Return does nothing, and line ends become spaces, as nobody
    would see them.
    """

    edited = Signal(str)

    def __init__(
        self, name: str, placeholder: str, *, lines: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._lines = lines
        # A document that belonged to the editor itself would go when another one comes.
        self._shelf = QObject(self)
        self._pages: dict[str, _Page] = {}
        self._name = ""
        self._only_shown = False  # nobody has written on the page that was just named
        self._page = self._new_page()
        self.setDocument(self._page.document)
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        self.setTabChangesFocus(True)
        if lines == 1:
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedHeight(self._height())
        self.textChanged.connect(self._follow_masks)
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

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """A folder or file that is dropped here is no text: the window opens it."""
        dropped = any(url.isLocalFile() for url in source.urls())
        return not dropped and super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if self._lines > 1:
            super().insertFromMimeData(source)
        else:
            self.insertPlainText(one_line(source.text()))

    def turn_to(self, name: str) -> None:
        """Write on another page; tells nobody. The first one that is named is the present one."""
        if name == self._name:
            return
        if not self._name:
            self._only_shown = not self.document().isUndoAvailable()
        else:
            self._page = self._pages.get(name) or self._new_page()
            self.blockSignals(True)
            self.setDocument(self._page.document)
            self.moveCursor(QTextCursor.MoveOperation.End)
            self.blockSignals(False)
        self._name = name
        self._pages[name] = self._page

    def _new_page(self) -> _Page:
        document = QTextDocument(self._shelf)
        document.setDocumentLayout(QPlainTextDocumentLayout(document))
        document.setDefaultFont(self.font())
        return _Page(document=document)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            for page in self._pages.values():
                page.document.setDefaultFont(self.font())

    def show_text(self, text: str) -> None:
        """Set the text from outside; tells nobody. One goes on writing at its end, and what was
        written before comes back by undo."""
        if text != self.toPlainText():
            self._page.masked.clear()
            self.blockSignals(True)
            unwritten = not self.document().isUndoAvailable()
            empty = unwritten and (self.document().isEmpty() or not self._name)
            if empty or self._only_shown:  # there is nothing to come back to
                self.setPlainText(text)
            else:
                cursor = QTextCursor(self.document())
                cursor.select(QTextCursor.SelectionType.Document)
                cursor.insertText(text)
                self._end_step()
            self.moveCursor(QTextCursor.MoveOperation.End)
            self.verticalScrollBar().setValue(0)
            self.horizontalScrollBar().setValue(0)
            self.blockSignals(False)
            self._follow_masks()
        self._only_shown = False

    def replace(self, start: int, end: int, text: str) -> None:
        """Put a text where characters start to end stand; one step for undo."""
        self._cursor(start, end).insertText(text)
        self._end_step()

    def mask_word(self, start: int, end: int, piece: str) -> None:
        """Put `piece` where characters start to end stand; one step for undo."""
        text = self.toPlainText()
        cursor = self._cursor(start, end)
        cursor.insertText(piece)
        self._end_step()
        last = cursor.position()
        masked = self._between(last - _units(piece), last)
        self._page.masked.append((masked, text[start:end]))
        self._follow_masks()

    def unmask_word(self, start: int, end: int) -> bool:
        """Bring back the word under a mask; False where the mask was typed by hand."""
        at = _units(self.toPlainText()[:start])
        for i, (cursor, word) in enumerate(self._page.masked):
            if cursor.selectionStart() == at and cursor.hasSelection():
                del self._page.masked[i]
                self._cursor(start, end).insertText(word)
                self._end_step()
                return True
        return False

    def _end_step(self) -> None:
        """What is typed next is a step of its own for undo: Qt joins it with what stands before it,
        but in a document that counts as saved."""
        self.document().setModified(False)

    def _follow_masks(self) -> None:
        """Undo and redo bring a text back with its masks, but put no cursor on them again."""
        page = self._page
        if not (page.masked or page.words):
            return
        found = {c.selectionStart(): (c, word) for c, word in page.masked if c.hasSelection()}
        key = hash(self.toPlainText())
        for start, end, word in page.words.get(key, ()):
            if start not in found:
                found[start] = self._between(start, end), word
        page.masked[:] = found.values()
        page.words[key] = tuple(
            (start, cursor.selectionEnd(), word) for start, (cursor, word) in found.items()
        )

    def _cursor(self, start: int, end: int) -> QTextCursor:
        text = self.toPlainText()
        return self._between(_units(text[:start]), _units(text[:end]))

    def _between(self, start: int, end: int) -> QTextCursor:
        """Positions as Qt counts them."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor


def _units(text: str) -> int:
    """Length as Qt counts it: a character outside the first plane (an emoji) takes two."""
    return len(text.encode("utf-16-le")) // 2
