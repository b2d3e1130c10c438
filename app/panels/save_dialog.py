"""Asks where to save; the next time in the same folder."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

_ENDING = re.compile(r"\*(\.\w+)")


class SaveDialog:
    """One for the window, so that all it writes goes to the same folder unless told otherwise."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._folder = Path()

    def ask(self, title: str, name: str, kinds: str) -> Path | None:
        """The file, with an ending of `kinds` ("SVG picture (*.svg);;…"); None for no choice."""
        path, kind = QFileDialog.getSaveFileName(
            self._window, title, str(self._folder / name), kinds
        )
        if not path:
            return None
        target = Path(path)
        if target.suffix.lower() not in _ENDING.findall(kinds):
            chosen = _ENDING.findall(kind) or _ENDING.findall(kinds)
            target = target.with_name(target.name + chosen[0])
        self._folder = target.parent
        return target
