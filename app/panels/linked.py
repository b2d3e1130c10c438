"""A text whose links are reached by Tab, too."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QLabel

_FLAG = Qt.TextInteractionFlag
_TABS = {Qt.FocusReason.TabFocusReason: True, Qt.FocusReason.BacktabFocusReason: False}


class LinkedLabel(QLabel):
    """Tab stops here while there is a link; Return follows it."""

    def __init__(self) -> None:
        super().__init__()
        self.setText("")

    def setText(self, text: str) -> None:
        super().setText(text)
        by_key = _FLAG.LinksAccessibleByKeyboard if "<a " in text else _FLAG.NoTextInteraction
        self.setTextInteractionFlags(_FLAG.LinksAccessibleByMouse | by_key)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in _TABS:  # Qt would ask for another Tab before the link is chosen
            self.focusNextPrevChild(_TABS[event.reason()])
