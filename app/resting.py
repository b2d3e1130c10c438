"""Freed memory is kept while a person works, so that runs need not fetch it anew, and given back
when nothing has happened for a while."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from app.store import Store
from app.tasks import Tasks
from core.memory import give_back_freed_memory

LANE = "rest"
REST_MS = 10_000
_WORK = frozenset({"model", "answer", "kept", "steps", "fills", "search", "busy"})


class Resting(QObject):
    """Watches the store: after the last change of anything computed it waits REST_MS."""

    def __init__(self, store: Store, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._tasks = store, tasks
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(REST_MS)
        self._timer.timeout.connect(self._rest)
        store.changed.connect(self._changed)

    def _changed(self, names: frozenset[str]) -> None:
        if names & _WORK:
            self._timer.start()

    def _rest(self) -> None:
        if self._store.state.busy is not None:
            self._timer.start()
            return
        # Clearing gigabytes away takes a moment, so not on the window's thread.
        self._tasks.submit(LANE, lambda job: give_back_freed_memory(), lambda _: None, _ignore)


def _ignore(error: Exception) -> None:
    """The memory stays with the process until the next time."""
