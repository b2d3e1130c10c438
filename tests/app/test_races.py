"""Old answers never overwrite new ones, and a picture never mixes two texts."""

from __future__ import annotations

import time
from typing import Any

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.engine import Question
from app.store import Answer
from tests.app.driver import Opener, QuickCore, heatmap, labels, press, settled, type_text


class SlowCore(QuickCore):
    """Takes as long as told for a text, and counts what runs at the same time."""

    def __init__(self) -> None:
        self.delays: dict[str, float] = {}
        self.started: list[str] = []
        self.running = 0
        self.most_at_once = 0

    def run(self, question: Question, previous: Answer | None, stop: Any) -> Answer:
        self.running += 1
        self.most_at_once = max(self.most_at_once, self.running)
        self.started.append(question.inputs.text)
        try:
            time.sleep(self.delays.get(question.inputs.text, 0))
            return super().run(question, previous, stop)
        finally:
            self.running -= 1


def test_the_latest_text_wins_over_a_slower_earlier_one(qtbot: QtBot, open_app: Opener) -> None:
    core = SlowCore()
    app = open_app(core=core)
    core.delays = {"abc": 0.8, "abcde": 0.05}
    sizes: set[tuple[int, int, int]] = set()

    def look(_: str) -> None:
        rows, columns = heatmap(app).values.shape
        assert heatmap(app).rows.labels == heatmap(app).columns.labels == tuple(labels(app))
        sizes.add((rows, columns, len(heatmap(app).columns.labels)))

    app.window.prompt.text.setPlainText("abc")
    qtbot.waitUntil(lambda: core.started[-1] == "abc")
    app.window.pictures.drawn.connect(look)
    app.window.prompt.text.setPlainText("abcde")
    press(app, Qt.Key.Key_Down)
    press(app, Qt.Key.Key_Right)
    for _ in range(10):
        app.session.running.run()
    qtbot.waitUntil(lambda: app.store.state.answer.inputs.text == "abcde", timeout=5000)
    settled(qtbot, app)
    assert labels(app) == "[CLS] a b c d e [SEP]".split()
    assert heatmap(app).values.shape == (7, 7)
    trace = app.store.state.answer.trace
    assert (heatmap(app).values == trace.pattern("encoder.self", 1, 1).numpy()).all()
    assert sizes == {(23, 23, 23), (5, 5, 5), (7, 7, 7)}, "each picture is of one text"
    assert core.most_at_once == 1
    assert core.started.count("abcde") == 1, "ten requests for the same run wait as one"
    assert app.window.status.tokens.text() == "7 tokens"


def test_the_running_text_is_shown_while_one_goes_on_typing(qtbot: QtBot, open_app: Opener) -> None:
    core = SlowCore()
    app = open_app(core=core)
    core.delays = {"a": 0.3, "ab": 0.3, "abc": 0.3}
    shown: list[str] = []
    app.window.pictures.drawn.connect(lambda _: shown.append("".join(labels(app)[1:-1])))
    type_text(app, "a")
    qtbot.waitUntil(lambda: core.started[-1] == "a")
    type_text(app, "ab")
    type_text(app, "abc")
    settled(qtbot, app)
    assert shown == ["a", "abc"], "the first was finished and shown, the second never ran"


def test_a_run_for_the_model_before_is_dropped(qtbot: QtBot, open_app: Opener) -> None:
    core = SlowCore()
    app = open_app(core=core)
    core.delays = {"slow": 0.5}
    app.window.prompt.text.setPlainText("slow")
    qtbot.waitUntil(lambda: core.started[-1] == "slow")
    app.session.opening.open("random:decoder")
    qtbot.waitUntil(
        lambda: (
            app.store.state.answer is not None and app.store.state.model.source == "random:decoder"
        ),
        timeout=5000,
    )
    settled(qtbot, app)
    assert app.store.state.answer.model is app.store.state.model
    assert heatmap(app).rows.labels == tuple(labels(app))


def test_progress_and_cancel_appear_on_what_is_slow(qtbot: QtBot, open_app: Opener) -> None:
    core = SlowCore()
    app = open_app(core=core)
    status = app.window.status
    assert not status.cancel.isVisible()
    core.delays = {"abc": 1.5}
    app.window.prompt.text.setPlainText("abc")
    qtbot.wait(250)
    assert not status.progress.isVisible(), "nothing flickers for quick work"
    qtbot.waitUntil(status.cancel.isVisible, timeout=2000)
    status.cancel.click()
    assert not status.progress.isVisible()
    assert app.store.state.old
    qtbot.wait(1600)
    assert app.store.state.answer.inputs.text != "abc", "what was cancelled is not shown later"
