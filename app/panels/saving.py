"""Saving a decoding run: asks for the file, and writes it off the window's thread."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.panels.save_dialog import SaveDialog
from app.session import Session
from app.store import State, Store

FILE_TYPES = "JSON lines with candidates (*.jsonl);;CSV, a row a step (*.csv)"


class DecodingSaver(QObject):
    """saved: the path of a file that has been written."""

    saved = Signal(str)

    def __init__(self, window: QWidget, store: Store, session: Session, dialog: SaveDialog) -> None:
        super().__init__(window)
        self._store, self._session, self._dialog = store, session, dialog

    def choose(self) -> None:
        """Ask where to, unless there is nothing to save. What is written is what was decoded then:
        behind the dialog it may go on, or another model come."""
        state = self._store.state
        if not state.moves:
            self._session.complain("There is nothing decoded to export yet.", "decoding")
            return
        path = self._dialog.ask("Export the decoding run", "decoding.jsonl", FILE_TYPES)
        if path is not None:
            self._write(path, state)

    def save(self, path: Path) -> None:
        """Write what is decoded now; a failure is said."""
        self._write(path, self._store.state)

    def _write(self, path: Path, state: State) -> None:
        self._session.save_decoding(path, state, lambda: self.saved.emit(str(path)))
