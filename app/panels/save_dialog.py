"""Asks where to save; the next time in the same folder."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

_ENDING = re.compile(r"\*(\.\w+)")
_OF_A_KIND = re.compile(r"\.[A-Za-z]\w*")  # “.pdf” is a kind, “.5” of “top-p 0.5” is none


class SaveDialog:
    """One for the window, so that all it writes goes to the same folder unless told otherwise."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._folder = Path()

    def ask(self, title: str, name: str, kinds: str) -> Path | None:
        """The file, with an ending of `kinds` ("SVG picture (*.svg);;…") unless another kind was
        named, which whoever writes the file refuses; None for no choice."""
        start = str(self._folder / name)
        while True:
            path, kind = QFileDialog.getSaveFileName(self._window, title, start, kinds)
            self._window.activateWindow()  # not every desktop does: keys would go nowhere
            if not path:
                return None
            target = Path(path)
            if not _OF_A_KIND.fullmatch(target.suffix):
                chosen = _ENDING.findall(kind) or _ENDING.findall(kinds)
                target = target.with_name(target.name + chosen[0])
                if target.exists() and not self._may_replace(title, target):
                    start = str(target)
                    continue
            self._folder = target.parent
            return target

    def _may_replace(self, title: str, target: Path) -> bool:
        """The file dialog has asked of the name as it was typed, without its ending."""
        buttons = QMessageBox.StandardButton
        text = f"{target.name} is there already. Replace it?"
        answer = QMessageBox.question(
            self._window, title, text, buttons.Yes | buttons.No, buttons.No
        )
        return answer == buttons.Yes
