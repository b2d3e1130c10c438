"""Keeps what was derived for the runs looked at last, and lets go of the rest: a long decoding
would otherwise remember a map for every step."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.store import Store

if TYPE_CHECKING:
    from core.trace import Trace

KEPT = 8
RETURN_EVERY = 32


class Recent(QObject):
    """Looking at an older step again computes its picture again."""

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._traces: list[Trace] = []
        self._forgotten = 0
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
            self._forgotten += 1
            if self._forgotten % RETURN_EVERY == 0:
                _return_memory()


def _return_memory() -> None:
    """Give freed pages back to the system: what a step keeps is small and lies between what it
    only needed for a moment, so glibc's heap would grow with the length of the text."""
    if sys.platform.startswith("linux"):
        with suppress(AttributeError, OSError):  # another C library has no such call
            ctypes.CDLL(None).malloc_trim(0)
