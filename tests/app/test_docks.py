"""The docks of the real window, and who has the keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from app.panels.dock import Dock
from tests.app.driver import Opener, settled

# The offscreen platform has no windows in front of others.
no_raise = pytest.mark.qt_log_ignore("does not support raise", extend=True)


def on_screen(dock: Dock) -> QRect:
    return QRect(dock.mapToGlobal(QPoint(0, 0)), dock.size())


def click_float(dock: Dock) -> None:
    button = dock.findChild(QAbstractButton, "qt_dockwidget_floatbutton")
    assert button is not None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@no_raise
def test_floating_docks_cover_neither_their_places_nor_one_another(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    others = app.window.docks[0], app.window.docks[3]
    mask, readout = app.window.docks[1], app.window.docks[2]
    places = [on_screen(dock).topLeft() for dock in (*others, mask, readout)]
    for dock in (mask, readout):
        click_float(dock)
        qtbot.waitUntil(dock.isFloating)
    now = [on_screen(dock).topLeft() for dock in (mask, readout)]
    assert len({(p.x(), p.y()) for p in (*places, *now)}) == 6
    picture = app.window.pictures
    shown = QRect(picture.mapToGlobal(QPoint(0, 0)), picture.size())
    assert all(shown.contains(point) for point in now)
    mask.move(40, 50)
    click_float(mask)
    qtbot.waitUntil(lambda: not mask.isFloating())


@no_raise
def test_a_floating_dock_comes_back_where_it_was_put(qtbot: QtBot, open_app: Opener) -> None:
    first = open_app()
    click_float(first.window.docks[1])
    first.window.docks[1].move(40, 50)
    qtbot.wait(20)
    first.window.close()
    second = open_app("")
    assert second.window.docks[1].isFloating()
    assert second.window.docks[1].pos() == QPoint(40, 50)


def test_after_another_architecture_one_goes_on_typing(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder")
    app.window.activateWindow()
    app.window.pictures.take_keys()
    button = app.window.header.architectures["decoder"]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: app.store.state.model.spec.architecture == "decoder")
    settled(qtbot, app)
    assert app.window.prompt.text.hasFocus()
