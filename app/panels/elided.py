"""A label that gives way: text that finds no room is cut and said in the tooltip."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

LEAST = 40


class ElidedLabel(QLabel):
    """Never widens the window, however long its text is."""

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        least: int = LEAST,
        cut: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle,
    ) -> None:
        """least: pixels that a longer text keeps. cut: where."""
        super().__init__(parent)
        self._least, self._cut = least, cut
        self._first = self._full = self._brief = self._note = ""

    def setText(self, text: str, aside: str = "", brief: str = "") -> None:
        """aside: follows the text, and is left out before the text is cut. brief: said in place of
        the text where that finds no room, and cut in its stead."""
        if (text, text + aside, brief) != (self._first, self._full, self._brief):
            self._first, self._full, self._brief = text, text + aside, brief
            self.updateGeometry()
            self._fit()

    def text(self) -> str:
        """All of it, also what is not painted."""
        return self._full

    def explain(self, note: str) -> None:
        """What the tooltip says beside the text."""
        self._note = note
        self._fit()

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance(self._full) + 4 + self._beside()
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self._least, self.sizeHint().width()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _beside(self) -> int:
        """Pixels of the width that no text may stand on: a style sheet's padding, and margins."""
        margins = self.contentsMargins()
        return margins.left() + margins.right() + 2 * self.margin() + max(0, self.indent())

    def _fit(self) -> None:
        room = max(0, self.width() - 2 - self._beside())
        metrics = self.fontMetrics()
        fits = metrics.horizontalAdvance(self._full) <= room
        shown = (
            self._full if fits else metrics.elidedText(self._brief or self._first, self._cut, room)
        )
        super().setText(shown)
        cut = "" if shown == self._full else self._full
        self.setToolTip("\n".join(part for part in (cut, self._note) if part))
