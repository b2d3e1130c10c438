"""Whose the keys are: the text's while one types, else the picture's."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.app.driver import Opener, front, settled


def test_keys_belong_to_the_text_while_one_types(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    before = app.store.state.selection
    editor = app.window.prompt.text
    editor.setFocus()
    editor.setPlainText("")
    QTest.keyClicks(editor, "m 1s2 nb")
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Home):
        QTest.keyClick(editor, key)
    settled(qtbot, app)
    assert editor.toPlainText() == "m 1s2 nb"
    assert app.store.state.selection == before
    assert app.store.state.view == "attention"


def test_after_a_click_on_a_button_the_keys_are_the_pictures(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:decoder")
    app.window.activateWindow()
    app.window.prompt.text.setFocus()
    QTest.mouseClick(app.window.sitebar.head.on, Qt.MouseButton.LeftButton)
    assert front(app).hasFocus()
    QTest.mouseClick(app.window.decoding.buttons["step"], Qt.MouseButton.LeftButton)
    assert front(app).hasFocus()
    button = app.window.decoding.buttons["step"]
    button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert button.hasFocus(), "who came by Tab stays"
