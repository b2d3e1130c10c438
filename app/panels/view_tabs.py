"""The views in two lines: the groups as tabs, and below them the views of the group in front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontInfo, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QTabBar, QVBoxLayout, QWidget

from app.groups import GROUPS, Group

if TYPE_CHECKING:
    from app.views import View

GROUP_KEYS = "Alt+{}"  # as `app.menus` binds them
USUAL = 13  # pixels of letters that are not made smaller
_BETWEEN = 14  # pixels between two names, where there is room


class ViewTabs(QWidget):
    """chosen: the key of the view that the person wants; turned: of the group."""

    chosen = Signal(str)
    turned = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._views: tuple[View, ...] = ()
        self._shown: tuple[View, ...] = ()
        self.groups = _Names("Groups of views", "groups", 14)
        self.views = _Names("Views", "views", 10)
        _fill(self.groups, GROUPS, GROUP_KEYS)
        self.groups.setEnabled(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.groups)
        layout.addWidget(self.views)
        self.groups.currentChanged.connect(lambda i: self.turned.emit(GROUPS[i].key))
        self.views.currentChanged.connect(lambda i: self.chosen.emit(self._shown[i].key))

    @property
    def shown(self) -> tuple[str, ...]:
        """Keys of the views in the second line."""
        return tuple(view.key for view in self._shown)

    @property
    def has_keys(self) -> bool:
        """Whether the person came here by Tab and chooses with the arrow keys."""
        return self.groups.hasFocus() or self.views.hasFocus()

    def offer(self, views: tuple[View, ...]) -> None:
        """The views there are."""
        self._views = views
        self.groups.setEnabled(True)

    def show_key(self, key: str) -> None:
        """Set from outside; tells nobody."""
        now = next(view for view in self._views if view.key == key)
        shown = tuple(view for view in self._views if view.group == now.group)
        if shown != self._shown:
            self._shown = shown
            _fill(self.views, shown, "{}")
        _set(self.groups, [group.key for group in GROUPS].index(now.group))
        _set(self.views, shown.index(now))


class _Names(QTabBar):
    """Names with room between them; in a narrow window that room goes first, then letters larger
    than usual, and then the ends of the longest names. height: of a line, beside its letters."""

    def __init__(self, name: str, kind: str, height: int) -> None:
        super().__init__()
        self.setObjectName(kind)
        self.setAccessibleName(name)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(False)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        # Not by a click: the picture has the arrow keys then.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(self.fontMetrics().height() + height)  # also while it has no name yet

    def tabSizeHint(self, index: int) -> QSize:
        return super().tabSizeHint(index) + QSize(_BETWEEN, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """As large as all names have room in, between the usual size and that of the window."""
        whole = QFontInfo(QApplication.font()).pixelSize()
        font = QFont(QApplication.font())
        font.setPixelSize(whole)
        names = [self.tabText(place) for place in range(self.count())]
        letters = sum(QFontMetrics(font).horizontalAdvance(name) for name in names)
        now = sum(self.fontMetrics().horizontalAdvance(name) for name in names)
        sizes = [QTabBar.tabSizeHint(self, place).width() for place in range(self.count())]
        beside = sum(sizes) - now
        wanted = whole
        if whole > USUAL and letters and self.width() < letters + beside:
            wanted = max(USUAL, int(whole * (self.width() - beside) / letters))
        if wanted != QFontInfo(self.font()).pixelSize():
            font.setPixelSize(wanted)
            self.setFont(font)

    def minimumTabSizeHint(self, index: int) -> QSize:
        widths = [super(_Names, self).tabSizeHint(i).width() for i in range(self.count())]
        most = _longest(widths, self.width())
        return QSize(min(widths[index], most), super().tabSizeHint(index).height())


def _longest(widths: list[int], room: int) -> int:
    """To what the longest must be cut so that all together take this room."""
    for place, width in enumerate(sorted(widths)):
        share = room // (len(widths) - place)
        if width > share:
            return share
        room -= width
    return max(widths)


def _fill(bar: _Names, entries: Sequence[Group | View], keys: str) -> None:
    """A tab for each, and in its tooltip what it shows and its key; tells nobody."""
    bar.blockSignals(True)
    while bar.count():
        bar.removeTab(0)
    for place, entry in enumerate(entries):
        bar.addTab(entry.title)
        bar.setTabToolTip(place, f"{entry.summary} ({keys.format(place + 1)})")
    bar.fit()
    bar.blockSignals(False)


def _set(bar: QTabBar, place: int) -> None:
    bar.blockSignals(True)
    bar.setCurrentIndex(place)
    bar.blockSignals(False)
