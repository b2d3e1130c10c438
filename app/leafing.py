"""Leafing through the views: group by group, and within a group; each group remembers its view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.store import Store

if TYPE_CHECKING:
    from app.views import View


class Leafing(QObject):
    """Writes `view` and `fronts` of the store. Does nothing before the views are known."""

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        store.changed.connect(self._changed)

    @property
    def here(self) -> tuple[View, ...]:
        """The views of the group in front."""
        now = self._now
        return self._of(now.group) if now is not None else ()

    def turn_to(self, group: str) -> None:
        """Show the view of a group that was last shown in it, or its first."""
        keys = [view.key for view in self._of(group)]
        front = self._store.state.fronts.get(group, "")
        if keys:
            self._store.update(view=front if front in keys else keys[0])

    def open(self, place: int) -> None:
        """Show the view at this place of the group in front, from 0, where there is one."""
        if place < len(self.here):
            self._store.update(view=self.here[place].key)

    def on(self, by: int = 1) -> None:
        """So many views on, through all groups; after the last comes the first."""
        views, now = self._views, self._now
        if now is not None:
            self._store.update(view=views[(views.index(now) + by) % len(views)].key)

    def back(self) -> None:
        self.on(-1)

    @property
    def _views(self) -> tuple[View, ...]:
        abilities = self._store.state.abilities
        return abilities.views if abilities is not None else ()

    @property
    def _now(self) -> View | None:
        key = self._store.state.view
        return next((view for view in self._views if view.key == key), None)

    def _of(self, group: str) -> tuple[View, ...]:
        return tuple(view for view in self._views if view.group == group)

    def _changed(self, names: frozenset[str]) -> None:
        now = self._now
        if names & {"view", "abilities"} and now is not None:
            fronts = self._store.state.fronts
            self._store.update(fronts={**fronts, now.group: now.key})
