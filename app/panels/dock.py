"""A dock that floats where it is seen to float."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from app.panels.room import Room

STEP = 32  # from the corner of the picture; and from one floating dock to the next


class Dock(QDockWidget):
    """Qt floats a dock exactly over what takes its place; this one goes over the picture.

    number: of docks before it, so that no two float over one another.
    """

    def __init__(self, title: str, widget: QWidget, picture: QWidget, number: int) -> None:
        super().__init__(title)
        self._picture, self._number = picture, number
        self._by_double_click = False
        self.setObjectName(title.lower())
        self.room = Room(widget)
        self.room.lacking.connect(self._grow)
        self.setWidget(self.room)
        self.topLevelChanged.connect(self._stand_off)

    def event(self, event: QEvent) -> bool:
        self._by_double_click = event.type() == QEvent.Type.MouseButtonDblClick
        return super().event(event)

    def _grow(self, missing: int) -> None:
        """By so many pixels, as far as the docks above and below can spare them."""
        window = self.parentWidget()
        if not isinstance(window, QMainWindow) or self.isFloating():
            return
        beside = [d for d in window.findChildren(Dock) if d is not self and d.x() == self.x()]
        beside = [d for d in beside if d.isVisible() and not d.isFloating()]
        if beside:  # Qt would share out what it is told of one dock alone
            other = max(beside, key=lambda dock: dock.room.spare)
            by = min(missing, other.room.spare)
            heights = [self.height() + by, other.height() - by]
            window.resizeDocks([self, other], heights, Qt.Orientation.Vertical)

    def _stand_off(self, floating: bool) -> None:
        held = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        dragged = held and not self._by_double_click
        # One that a layout brings back floating, before the window is seen, has a place already.
        if not floating or dragged or not self._picture.isVisible():
            return
        corner = self._picture.mapToGlobal(QPoint(0, 0))
        wanted = corner + QPoint(1, 1) * STEP * (self._number + 1)
        room = self.screen().availableGeometry()
        x = max(room.left(), min(wanted.x(), room.right() - self.width()))
        y = max(room.top(), min(wanted.y(), room.bottom() - self.height()))
        self.move(x, y)
