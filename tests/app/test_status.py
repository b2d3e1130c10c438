"""The status line: one text at a time."""

from __future__ import annotations

from threading import Event

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.panels.elided import ElidedLabel
from app.store import Busy
from tests.app.driver import Opener


def test_a_passing_message_is_alone_after_quick_work(open_app: Opener) -> None:
    app = open_app()
    status = app.window.status
    status.showMessage("Exported to a.svg", 60_000)
    app.store.update(busy=Busy(lane="run", text="Running"))
    app.store.update(busy=None)  # sooner than is worth a progress bar
    assert status.currentMessage() == "Exported to a.svg"
    assert not status.shows.isVisible()
    status.clearMessage()
    assert status.shows.isVisible()


def test_work_that_takes_long_is_more_than_a_message(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    status = app.window.status
    status.showMessage("Exported to a.svg", 60_000)
    done = Event()
    app.tasks.submit("run", lambda job: done.wait(20), lambda _: None, lambda _: None)
    qtbot.waitUntil(status.cancel.isVisible, timeout=5000)
    assert not status.currentMessage()
    assert not status.shows.isVisible()
    status.showMessage("Exported to b.svg", 60_000)
    done.set()
    qtbot.waitUntil(lambda: app.store.state.busy is None)
    assert not status.shows.isVisible()
    status.clearMessage()
    assert status.shows.isVisible()
    assert not status.cancel.isVisible()


def test_a_label_cuts_its_text_to_the_room_inside_its_padding(qtbot: QtBot) -> None:
    around = QWidget()
    qtbot.addWidget(around)
    label = ElidedLabel(around)
    label.setContentsMargins(20, 0, 20, 0)
    text = "softmax(QKᵀ/√d) → weighted values, W_O"
    label.setText(text)
    width = label.fontMetrics().horizontalAdvance(text)
    label.resize(width + 10, 20)
    around.show()
    shown = super(ElidedLabel, label).text()
    assert shown != text
    assert label.fontMetrics().horizontalAdvance(shown) <= label.contentsRect().width()
    assert label.toolTip() == text
    assert label.sizeHint().width() >= width + 40
    label.resize(label.sizeHint().width(), 20)
    assert super(ElidedLabel, label).text() == text
