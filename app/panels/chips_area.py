"""The room that token chips have: all that they need, or they scroll."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea

from app.panels.chips import TokenChips


class ChipsArea(QScrollArea):
    """Chips in as much room as they need: `least` pixels of it at any rate, and what is left over
    beside it; beyond that they scroll.

    lacking: so many pixels are missing for chips that just came.
    """

    lacking = Signal(int)

    def __init__(self, chips: TokenChips, *, least: int, wrap: bool = True) -> None:
        super().__init__()
        self._chips, self._least, self._wrap = chips, least, wrap
        self.setWidget(chips)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        off = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        (self.setHorizontalScrollBarPolicy if wrap else self.setVerticalScrollBarPolicy)(off)
        chips.height_wanted.connect(self._fit)
        self._fit(chips.minimumHeight())

    def _fit(self, height: int) -> None:
        bar = 0 if self._wrap else self.horizontalScrollBar().sizeHint().height()
        self.setMinimumHeight(max(26, min(height, self._least)) + bar)
        self.setMaximumHeight(max(26, height) + bar)
        QTimer.singleShot(0, self, self._ask)  # once it has the room that there is

    def _ask(self) -> None:
        missing = self._chips.minimumHeight() - self.viewport().height()
        if self._wrap and missing > 0 and self.isVisible():
            self.lacking.emit(missing)

    def changeEvent(self, event: QEvent) -> None:
        """Another style has scroll bars of another height."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._fit(self._chips.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a row the selected chip stays in sight when the room becomes less; once scrolled away
        it is not brought back."""
        chosen = None if self._wrap else self._chips.selected
        stays = chosen is not None and self._in_sight(chosen, event.oldSize().width())
        super().resizeEvent(event)
        if stays and chosen is not None:
            self.reveal(chosen)

    def _in_sight(self, index: int, width: int) -> bool:
        """Whether a chip, or part of it, is in sight in a row so wide."""
        if index >= len(self._chips.chips):
            return False
        box, left = self._chips.box(index), self.horizontalScrollBar().value()
        return box.right() > left and box.left() < left + width

    def reveal(self, index: int) -> None:
        """Scroll until a chip is in sight."""
        box = self._chips.box(index).toRect()
        self.ensureVisible(box.center().x(), box.center().y(), box.width(), box.height() // 2)
