"""The rest of torch is imported once the first picture is on screen, before anybody asks for it."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from app.imports import finish_torch
from app.store import Store
from app.tasks import Tasks

LANE = "finish"
AFTER_MS = 300  # by then the picture is drawn


class Finishing(QObject):
    """Watches the store for the first answer, and is done."""

    def __init__(self, store: Store, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._tasks = store, tasks
        store.changed.connect(self._changed)

    def _changed(self, names: frozenset[str]) -> None:
        if "answer" in names and self._store.state.answer is not None:
            self._store.changed.disconnect(self._changed)
            QTimer.singleShot(AFTER_MS, self, self._finish)

    def _finish(self) -> None:
        self._tasks.submit(LANE, lambda job: finish_torch(), lambda _: None, _ignore)


def _ignore(error: Exception) -> None:
    """What needs the rest imports it, and is told the reason then."""
