"""How tests choose from a list of the window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from app.wiring import App
from tests.app.driver import settled


def choose(qtbot: QtBot, app: App, combo: QComboBox, key: str) -> None:
    """Through the keyboard, as a person without a mouse would."""
    combo.setFocus()
    target = combo.findData(key)
    assert target >= 0, key
    step = Qt.Key.Key_Down if target > combo.currentIndex() else Qt.Key.Key_Up
    while combo.currentIndex() != target:
        QTest.keyClick(combo, step)
    settled(qtbot, app)
