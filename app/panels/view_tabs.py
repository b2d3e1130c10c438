"""The views in two lines: the groups as tabs, and below them the views of the group in front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QTabBar, QVBoxLayout, QWidget

from app.groups import GROUPS, Group

if TYPE_CHECKING:
    from app.views import View

GROUP_KEYS = "Alt+{}"  # as `app.menus` binds them
_GROUP_ROOM, _VIEW_ROOM = 14, 10  # pixels above and below the letters, all in all


class ViewTabs(QWidget):
    """chosen: the key of the view that the person wants; turned: of the group."""

    chosen = Signal(str)
    turned = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._views: tuple[View, ...] = ()
        self._shown: tuple[View, ...] = ()
        self.groups = _names("Groups of views", "groups", _GROUP_ROOM)
        self.views = _names("Views", "views", _VIEW_ROOM)
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


def _names(name: str, kind: str, room: int) -> QTabBar:
    bar = QTabBar()
    bar.setObjectName(kind)
    bar.setAccessibleName(name)
    bar.setDrawBase(False)
    bar.setExpanding(False)
    bar.setElideMode(Qt.TextElideMode.ElideNone)
    # Not by a click: the picture has the arrow keys then.
    bar.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    bar.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    bar.setFixedHeight(bar.fontMetrics().height() + room)  # also while there is no name yet
    return bar


def _fill(bar: QTabBar, entries: Sequence[Group | View], keys: str) -> None:
    """A tab for each, and in its tooltip what it shows and its key; tells nobody."""
    bar.blockSignals(True)
    while bar.count():
        bar.removeTab(0)
    for place, entry in enumerate(entries):
        bar.addTab(entry.title)
        bar.setTabToolTip(place, f"{entry.summary} ({keys.format(place + 1)})")
    bar.blockSignals(False)


def _set(bar: QTabBar, place: int) -> None:
    bar.blockSignals(True)
    bar.setCurrentIndex(place)
    bar.blockSignals(False)
