"""The status line: one text at a time."""

from __future__ import annotations

import re
from dataclasses import replace
from threading import Event

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.panels.elided import ElidedLabel
from app.store import Busy
from tests.app.driver import Opener, opened_on
from tests.app.test_decoding import step


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


def test_what_cannot_be_cancelled_offers_no_cancel(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    status, done = app.window.status, Event()
    app.tasks.submit("save", lambda job: done.wait(20), lambda _: None, lambda _: None)
    qtbot.waitUntil(status.progress.isVisible, timeout=5000)
    assert not status.cancel.isVisible()
    done.set()
    qtbot.waitUntil(lambda: app.store.state.busy is None)


@pytest.mark.parametrize("source", ["random:encoder", "random:decoder"])
def test_the_time_of_the_run_is_that_of_the_one_looked_at(
    qtbot: QtBot, open_app: Opener, source: str
) -> None:
    app = opened_on(qtbot, open_app, "a[MASK]b[MASK]", source)

    def told() -> str:
        found = re.search("run ([0-9.]+) ", app.window.status.times.text())
        assert found is not None
        return found[1]

    def took(milliseconds: float) -> None:
        assert told() == (f"{milliseconds:.1f}" if milliseconds < 10 else f"{milliseconds:.0f}")

    # So long that no other run is mistaken for it.
    app.store.update(answer=replace(app.store.state.answer, run_ms=123_456.0))
    assert told() == "123456"
    step(qtbot, app, 2)
    took(app.store.state.moves[1].trace.milliseconds)
    app.session.stepping.back()
    took(app.store.state.moves[0].trace.milliseconds)
    if source == "random:decoder":
        app.session.stepping.last()
        qtbot.waitUntil(lambda: app.store.state.ending != "", timeout=20_000)
        app.session.checker.together(True)
        qtbot.waitUntil(lambda: app.store.state.together)
        full = app.store.state.all_at_once
        assert full is not None
        took(full.milliseconds)
    app.session.stepping.first()
    assert told() == "123456"


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


def test_what_is_no_fact_of_the_run_rewrites_none(open_app: Opener) -> None:
    app = open_app()
    status = app.window.status
    told = status.model.text()
    status.model.setText("written before")
    app.store.update(note="Look here.")
    app.store.update(busy=Busy(lane="run", text="Running"))
    app.store.update(busy=None)
    assert status.model.text() == "written before"
    app.store.update(draw_ms=7.0)
    assert status.model.text() == told and "draw 7.0 ms" in status.times.text()
