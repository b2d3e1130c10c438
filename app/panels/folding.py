"""Controls side by side; in two rows where texts are too large for that."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLayout, QWidget

SLACK = 4  # pixels that a line may lack: it is squeezed so much where a scroll bar stands beside it


class Folding(QWidget):
    """Two rows of controls that stand in one line while there is room.

    most: pixels of the line that it asks for; a longer one is folded before the window is widened.
    """

    def __init__(self, first: QLayout, second: QLayout, *, most: int, spacing: int) -> None:
        super().__init__()
        self._rows, self._most = (first, second), most
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(spacing)
        for row in self._rows:
            self._box.addLayout(row)
        self._box.setStretch(0, 1)

    @property
    def folded(self) -> bool:
        return self._box.direction() == QBoxLayout.Direction.TopToBottom

    def minimumSizeHint(self) -> QSize:
        """As wide folded as in one line: or it could never be made narrower."""
        width = max(self._widths(), default=0)
        return QSize(max(width, min(self._line(), self._most)), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:  # another control is shown, or a longer one
            self._fit()
        return done

    def _widths(self) -> list[int]:
        return [row.minimumSize().width() for row in self._rows]

    def _line(self) -> int:
        return sum(self._widths()) + self._box.spacing()

    def _fit(self) -> None:
        folded = self.width() < self._line() - SLACK
        if folded != self.folded:
            way = QBoxLayout.Direction
            self._box.setDirection(way.TopToBottom if folded else way.LeftToRight)
            self.updateGeometry()
