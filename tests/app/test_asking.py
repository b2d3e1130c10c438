"""A word typed in the PREDICTIONS panel appears in its lists with probability and rank."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.figure import Bars
from app.wiring import App
from tests.app.driver import Opener, settled, type_text


def bars(app: App) -> Bars:
    figure = app.window.predictions.figure
    assert figure is not None
    found = figure.figure.panels[0]
    assert isinstance(found, Bars)
    return found


def test_a_typed_word_is_listed_with_its_rank(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("builtin:encoder")
    type_text(app, "The cat sat on the [MASK].")
    settled(qtbot, app)
    panel = app.window.predictions.asked
    QTest.keyClicks(panel.field, "elephant")
    answer = app.store.state.answer
    qtbot.waitUntil(lambda: any("rank" in bar.note for bar in bars(app).bars))
    assert app.store.state.answer is answer, "nothing was run again"
    assert not panel.said.isVisible() or "several tokens" in panel.said.text()
    QTest.keyClick(panel.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not any("rank" in bar.note for bar in bars(app).bars))
    panel.field.setText("☃")
    QTest.keyClick(panel.field, Qt.Key.Key_Return)
    qtbot.waitUntil(panel.said.isVisible)
    assert panel.said.text() == "Nothing in the vocabulary writes “☃”."
