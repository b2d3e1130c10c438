"""What is asked of a text that is still being read."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from app.store import Store
from app.tasks import Tasks


class Wish(QObject):
    """The latest one; it is done once the text is read, unless another is given meanwhile."""

    def __init__(self, store: Store, tasks: Tasks, parent: QObject) -> None:
        super().__init__(parent)
        self._store, self._tasks = store, tasks
        self._wish: Callable[[], None] | None = None
        store.changed.connect(self._changed)

    def later(self, wish: Callable[[], None]) -> bool:
        """Whether a text is being read, or read anew, so that it has to wait."""
        if not self._tasks.active("run") or self._tasks.active("load"):
            return False
        self._wish = wish
        return True

    def given(self, wish: Callable[[], None]) -> bool:
        """Whether it is the one that waits."""
        return self._wish == wish

    def forget(self) -> None:
        self._wish = None

    def _changed(self, names: frozenset[str]) -> None:
        if names & {"inputs", "masks", "model"}:
            self._wish = None
        elif "answer" in names and self._wish is not None:
            QTimer.singleShot(0, self, self._do)  # when everybody has heard of the answer

    def _do(self) -> None:
        if self._wish is not None and self._store.state.answered:
            wish, self._wish = self._wish, None
            wish()
