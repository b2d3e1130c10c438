"""What an entry of a menu is about, beside the menu: below the pointer it would hide the others."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QMenu, QToolTip

_OFF = QPoint(4, -16)  # pixels: Qt shows what it is given a little below, and right of, the place


class MenuNotes(QObject):
    """Shows the tooltips of one menu's entries at its right edge."""

    def __init__(self, menu: QMenu) -> None:
        super().__init__(menu)
        menu.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not (isinstance(watched, QMenu) and isinstance(event, QHelpEvent)):
            return False
        if event.type() != QEvent.Type.ToolTip:
            return False
        under = (a for a in watched.actions() if watched.actionGeometry(a).contains(event.pos()))
        action = next(under, None)
        # Qt takes the entry's own words for a tooltip where none was set.
        if action is None or action.toolTip() in ("", action.iconText()):
            QToolTip.hideText()
        else:
            place = watched.actionGeometry(action)
            corner = watched.mapToGlobal(QPoint(watched.width(), place.top()))
            QToolTip.showText(corner + _OFF, f"<p>{escape(action.toolTip())}</p>", watched, place)
        return True
