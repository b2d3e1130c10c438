"""The keys go to the window again once a file was chosen, also where no desktop sees to that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.wiring import App
from tests.app.driver import Opener

ASKING: dict[str, tuple[Callable[[App], None], Any]] = {
    "getSaveFileName": (lambda app: app.window.exporting.choose(), ("", "")),
    "getExistingDirectory": (lambda app: app.window.choose_folder(), ""),
    "getOpenFileName": (lambda app: app.window.choose_file(), ("", "")),
}


@pytest.mark.parametrize("dialog", ASKING)
def test_the_window_has_the_keys_again(
    qtbot: QtBot, open_app: Opener, monkeypatch: pytest.MonkeyPatch, dialog: str
) -> None:
    app = open_app()
    ask, nothing = ASKING[dialog]
    app.window.activateWindow()
    qtbot.waitUntil(app.window.isActiveWindow)

    def answer(*_: object) -> Any:
        other = QWidget()
        other.show()
        other.activateWindow()
        qtbot.waitUntil(other.isActiveWindow)
        other.close()
        other.deleteLater()
        assert QApplication.activeWindow() is not app.window
        return nothing

    monkeypatch.setattr(QFileDialog, dialog, answer)
    ask(app)
    qtbot.waitUntil(app.window.isActiveWindow)
