"""What is dropped on a field of the window: a folder is opened, and never becomes text."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.wiring import App
from tests.app.driver import Opener, settled

COPY, LEFT = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


def drop(target: QWidget, data: QMimeData) -> None:
    QApplication.sendEvent(target, QDragEnterEvent(QPoint(5, 5), COPY, data, LEFT, NONE))
    QApplication.sendEvent(target, QDropEvent(QPointF(5, 5), COPY, data, LEFT, NONE))


def field(app: App, name: str) -> QWidget:
    window = app.window
    return {
        "text": window.prompt.text.viewport(),
        "pair": window.prompt.pair.viewport(),
        "word": window.predictions.asked.field,
    }[name]


@pytest.mark.parametrize("name", ["text", "pair", "word"])
def test_a_folder_dropped_on_a_field_is_opened(
    qtbot: QtBot, open_app: Opener, tmp_path: Path, name: str
) -> None:
    app = open_app()
    inputs = app.store.state.inputs
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "gone"))])
    data.setText(str(tmp_path / "gone"))  # as desktops add it
    drop(field(app, name), data)
    qtbot.waitUntil(app.window.banner.isVisible)
    assert "gone" in app.window.banner.label.text()
    assert app.store.state.inputs == inputs
    assert not app.store.state.asked
    settled(qtbot, app)


def test_words_dropped_on_the_text_are_written_there(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    data = QMimeData()
    data.setText("dropped")
    drop(field(app, "text"), data)
    assert "dropped" in app.store.state.inputs.text
    settled(qtbot, app)
