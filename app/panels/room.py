"""What a dock holds: as high as there is room, and where that is too little it scrolls."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

LEAST = 8.6  # lines of text, 120 pixels usually: so much stays in sight in the lowest window
MOST = 150  # pixels that larger texts ask for: two docks stand one above the other on a projector
_EDGE = 8  # empty pixels at the right of every panel: the scroll bar may stand on them


class Room(QScrollArea):
    """Asks for the panel's own width, but never makes the window higher than a screen.

    lacking: so many pixels are missing for a panel that has just grown.
    """

    lacking = Signal(int)

    def __init__(self, panel: QWidget) -> None:
        super().__init__()
        self._panel, self._needed = panel, 0
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        aside = self.horizontalScrollBar()  # beside the bar a panel's empty edge is cut, no more
        aside.rangeChanged.connect(lambda *_: aside.setRange(0, 0))
        self.setWidget(panel)
        self.viewport().setAutoFillBackground(False)
        panel.setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        return self._panel.sizeHint()

    def minimumSizeHint(self) -> QSize:
        least = self._panel.minimumSizeHint()
        return QSize(least.width(), min(least.height(), self._lines(LEAST), MOST))

    def _lines(self, count: float) -> int:
        return round(count * self.fontMetrics().lineSpacing())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        done = super().eventFilter(watched, event)
        if watched is self._panel and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._fit()
            self._ask()
        return done

    def _fit(self) -> None:
        """Not Qt's way of resizing: it would scroll as soon as the panel is lower than it likes."""
        room = self.maximumViewportSize()  # whether or not there is a scroll bar just now
        width = room.width()
        if self._least(width) > room.height():
            width -= max(0, self.verticalScrollBar().sizeHint().width() - _EDGE)
        self._panel.resize(width, max(room.height(), self._least(width)))

    def _least(self, width: int) -> int:
        layout = self._panel.layout()
        if layout is not None and layout.hasHeightForWidth():
            return layout.minimumHeightForWidth(width)
        return self._panel.minimumSizeHint().height()

    @property
    def spare(self) -> int:
        """Pixels below that the panel has no need of."""
        return max(0, self.viewport().height() - self._least(self.viewport().width()))

    def _ask(self) -> None:
        before, self._needed = self._needed, self._least(self.viewport().width())
        missing = self._needed - self.viewport().height()
        if 0 < before < self._needed and missing > 0 and self.isVisible():
            self.lacking.emit(missing)
