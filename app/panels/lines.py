"""A text of several lines in whatever room there is; what finds none is scrolled to."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea


class Lines(QScrollArea):
    """Shows whole lines of a label: never half of one at the lower edge."""

    def __init__(self, label: QLabel, name: str) -> None:
        super().__init__()
        self._label, self._most = label, 0
        label.setWordWrap(True)
        self.setWidget(label)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        label.setAutoFillBackground(False)
        self.setAccessibleName(name)  # it scrolls by key, so Tab stops here

    @property
    def line(self) -> int:
        """The height of one."""
        return self._label.fontMetrics().lineSpacing()

    def tell(self, text: str) -> None:
        self._label.setText(text)
        self._grow()

    def grow_to(self, most: int) -> None:
        """Ask for as many lines as the text has, up to so many; 0: the room is set by others."""
        self._most = most
        self._grow()

    def _grow(self) -> None:
        if self._most:
            # As the dock will lay it out: without a scroll bar, which more lines make needless.
            height = self._label.heightForWidth(self.width())
            lines = max(1, min(self._most, height // self.line))
            if self.minimumHeight() != lines * self.line:
                self.setMinimumHeight(lines * self.line)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._grow()
        over = self.height() % self.line
        if self.viewportMargins().bottom() != over:
            self.setViewportMargins(0, 0, 0, over)
