"""A run that the person did not want to wait for: what is said is of the present text."""

from __future__ import annotations

import threading

from pytestqt.qtbot import QtBot

from app.engine import Question
from app.store import Answer
from app.tasks import ShouldStop
from app.wiring import App
from core.errors import Cancelled
from tests.app.driver import Opener, QuickCore, settled, type_text


class Held(QuickCore):
    """A core that, once it is shut, ends no run before it is opened again."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()
        self.texts: list[str] = []

    def run(self, question: Question, previous: Answer | None, stop: ShouldStop) -> Answer:
        self.texts.append(question.inputs.text)
        while not self.gate.wait(0.01):
            if stop():
                raise Cancelled("The run was stopped.")
        return super().run(question, previous, stop)


def cancelled_while_it_runs(qtbot: QtBot, app: App, core: Held, text: str) -> None:
    core.gate.clear()
    type_text(app, text)
    qtbot.waitUntil(lambda: core.texts[-1][:1] == text[:1])
    app.session.cancel()
    core.gate.set()
    settled(qtbot, app)


def test_the_first_run_after_a_refusal(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app("builtin:encoder", core=core)
    app.session.write(text="the " * 600)
    app.session.opening.open("random:encoder")
    qtbot.waitUntil(lambda: app.store.state.model.source == "random:encoder")
    settled(qtbot, app)
    said = app.window.prompt.problem
    assert "Random encoder takes at most 512" in said.text()
    assert app.store.state.answer is None
    cancelled_while_it_runs(qtbot, app, core, "short")
    assert said.text() == "The run was cancelled."
    assert app.window.pictures.waiting.text() == "There is no picture yet. The run was cancelled."
    type_text(app, "shorter")
    qtbot.waitUntil(lambda: app.store.state.answered)
    settled(qtbot, app)
    assert not said.isVisible()


def test_a_later_run(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app(core=core)
    app.window.prompt.text.setPlainText("a" * 600)
    settled(qtbot, app)
    cancelled_while_it_runs(qtbot, app, core, "short")
    assert app.window.prompt.problem.text() == ("The run was cancelled; what is shown is older.")
