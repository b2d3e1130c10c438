"""What an entry of a menu is about stands beside the menu, and hides none of its entries."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QMenu, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from tests.app.driver import Opener

# The offscreen platform has no windows in front of others, and no keyboard to grab.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def point_at(menu: QMenu, row: int) -> None:
    spot = menu.actionGeometry(menu.actions()[row]).center()
    event = QHelpEvent(QEvent.Type.ToolTip, spot, menu.mapToGlobal(spot))
    QApplication.sendEvent(menu, event)


def tips() -> list[QWidget]:
    found = QApplication.topLevelWidgets()
    return [w for w in found if w.metaObject().className() == "QTipLabel" and w.isVisible()]


@pytest.mark.parametrize("which", ["examples", "views"])
def test_a_note_stands_beside_its_menu(qtbot: QtBot, open_app: Opener, which: str) -> None:
    app = open_app()
    menus = app.window.menus
    menu = menus.examples["builtin:encoder"] if which == "examples" else menus.groups["attention"]
    menu.popup(QPoint(0, 40))
    qtbot.waitUntil(menu.isVisible)
    point_at(menu, 1)
    qtbot.waitUntil(lambda: bool(tips()))
    assert not tips()[0].geometry().intersects(menu.geometry())
    assert QToolTip.text() == f"<p>{menu.actions()[1].toolTip()}</p>".replace("'", "&#x27;")
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not tips())
    menu.close()


def test_an_entry_without_a_note_shows_none(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    menu = app.window.menus.groups["attention"]
    plain = menu.addAction("Plain")
    menu.popup(QPoint(0, 40))
    qtbot.waitUntil(menu.isVisible)
    point_at(menu, menu.actions().index(plain))
    qtbot.wait(20)
    assert not tips()
    menu.close()
