"""Keeps what was derived for the runs looked at last, and lets go of the rest: a long decoding
would otherwise remember a map for every step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.store import Store

if TYPE_CHECKING:
    from core.trace import Trace

KEPT = 8


class Recent(QObject):
    """Looking at an older step again computes its picture again."""

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._traces: list[Trace] = []
        store.changed.connect(self._changed)

    def _changed(self, names: frozenset[str]) -> None:
        if "answer" in names:
            self._traces = []
        if not names & {"answer", "selection", "steps", "fills", "together"}:
            return
        trace = self._store.state.trace
        if trace is None or (self._traces and self._traces[-1] is trace):
            return
        self._traces = [*(other for other in self._traces if other is not trace), trace]
        while len(self._traces) > KEPT:
            self._traces.pop(0).forget()
