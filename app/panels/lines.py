"""A text of several lines in whatever room there is; what finds none is scrolled to."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea


class Lines(QScrollArea):
    """Shows whole lines of a label: never half of one at the lower edge."""

    def __init__(self, label: QLabel, name: str) -> None:
        super().__init__()
        self._label = label
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        over = self.height() % self.line
        if self.viewportMargins().bottom() != over:
            self.setViewportMargins(0, 0, 0, over)
