"""The Edit menu: for whoever looks there for what the keys do in a text field."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QPlainTextEdit

Field = QPlainTextEdit | QLineEdit
_KEYS = QKeySequence.StandardKey
ACTS = (
    ("&Undo", "undo", _KEYS.Undo),
    ("&Redo", "redo", _KEYS.Redo),
    ("Cu&t", "cut", _KEYS.Cut),
    ("&Copy", "copy", _KEYS.Copy),
    ("&Paste", "paste", _KEYS.Paste),
    ("Select &all", "selectAll", _KEYS.SelectAll),
)


class EditActions:
    """Acts on the text field with the keys, else on `usual`.

    The keys are only written beside them: they belong to whatever has the focus, which may be a
    mask that is being painted.
    """

    def __init__(self, menu: QMenu, usual: Field) -> None:
        self._usual = usual
        self.actions: dict[str, QAction] = {}
        for text, name, key in ACTS:
            written = QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
            action = menu.addAction(f"{text}\t{written}")
            action.triggered.connect(lambda _=False, n=name: self._act(n))
            self.actions[name] = action
        menu.aboutToShow.connect(self.enable)

    def enable(self) -> None:
        """What would do nothing just now is grey."""
        field = self._field()
        if isinstance(field, QLineEdit):
            undo, redo = field.isUndoAvailable(), field.isRedoAvailable()
            selected, written = field.hasSelectedText(), bool(field.text())
        else:
            undo, redo = field.document().isUndoAvailable(), field.document().isRedoAvailable()
            selected, written = field.textCursor().hasSelection(), not field.document().isEmpty()
        paste = bool(QApplication.clipboard().text())
        able = (undo, redo, selected, selected, paste, written)
        for action, on in zip(self.actions.values(), able, strict=True):
            action.setEnabled(on)

    def _act(self, name: str) -> None:
        act: Callable[[], None] = getattr(self._field(), name)
        act()

    def _field(self) -> Field:
        focus = QApplication.focusWidget()
        return focus if isinstance(focus, QPlainTextEdit | QLineEdit) else self._usual
