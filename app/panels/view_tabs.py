"""The names of all views: as tabs where they fit, the rest under "More"."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QTabBar, QToolButton, QWidget

_TAB_PADDING = 26  # what the stylesheet puts around a name


class ViewTabs(QWidget):
    """chosen: the key of the view that the person wants."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._titles: dict[str, str] = {}
        self._keys: list[str] = []
        self.bar = QTabBar()
        self.bar.setDrawBase(False)
        self.bar.setExpanding(False)
        self.bar.setUsesScrollButtons(False)
        self.bar.setElideMode(Qt.TextElideMode.ElideNone)
        self.bar.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.bar.setAccessibleName("Views")
        self.bar.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.more = QToolButton()
        self.more.setText("More")
        self.more.setAccessibleName("More views")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self.more)
        self.menu.aboutToShow.connect(self._fill_menu)
        self.more.setMenu(self.menu)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 4, 0)
        layout.setSpacing(4)
        layout.addWidget(self.bar, 1)
        layout.addWidget(self.more)
        self.bar.currentChanged.connect(lambda i: self.chosen.emit(self._keys[i]))
        self.bar.setFixedHeight(self.bar.fontMetrics().height() + 16)
        self._arrange()

    def offer(self, titles: Mapping[str, str]) -> None:
        """The views there are, key -> title."""
        self._titles, self._keys = dict(titles), list(titles)
        self.bar.blockSignals(True)
        for number, title in enumerate(titles.values(), start=1):
            self.bar.addTab(title)
            if number <= 9:
                self.bar.setTabToolTip(number - 1, f"{title} ({number})")
        self.bar.blockSignals(False)
        self._arrange()

    def show_key(self, key: str) -> None:
        """Set from outside; tells nobody."""
        self.bar.blockSignals(True)
        self.bar.setCurrentIndex(self._keys.index(key))
        self.bar.blockSignals(False)
        self._arrange()

    @property
    def hidden(self) -> tuple[str, ...]:
        """Keys of the views that have no tab for want of room."""
        return tuple(k for i, k in enumerate(self._keys) if not self.bar.isTabVisible(i))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Tabs in their order while there is room; the one in front always."""
        if not self._keys:
            self.more.hide()
            return
        metrics = self.bar.fontMetrics()
        widths = [metrics.horizontalAdvance(t) + _TAB_PADDING for t in self._titles.values()]
        room = self.width() - 4
        current = self.bar.currentIndex()
        if sum(widths) > room:
            room -= self.more.sizeHint().width() + 4 + widths[current]
        full = False
        self.bar.blockSignals(True)
        for i, width in enumerate(widths):
            if i == current:
                shown = True
                if sum(widths) <= self.width() - 4:
                    room -= width
            else:
                full = full or width > room
                shown = not full
                room -= width if shown else 0
            self.bar.setTabVisible(i, shown)
        self.bar.setCurrentIndex(current)
        # Qt lays a tab that was hidden out with no width; setting a text lays all of them out anew.
        self.bar.setTabText(current, self.bar.tabText(current))
        self.bar.blockSignals(False)
        self.more.setVisible(full)

    def _fill_menu(self) -> None:
        self.menu.clear()
        for key in self.hidden:
            action = self.menu.addAction(self._titles[key])
            action.triggered.connect(lambda _=False, k=key: self.chosen.emit(k))
