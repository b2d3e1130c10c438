"""What is written while a model loads is never lost, and never becomes another model's."""

from __future__ import annotations

import threading
from typing import Any

from pytestqt.qtbot import QtBot

from app.choices import Inputs
from app.examples import Example
from app.wiring import App
from core.errors import Cancelled
from core.loaded import LoadedModel
from tests.app.driver import Opener, QuickCore, settled, type_text


class Gated(QuickCore):
    """A core that, once it is shut, loads nothing before it is opened again. All devices are the
    CPU."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()
        self.asked: list[tuple[str, str]] = []

    def load(self, source: str, device: str, report: Any, stop: Any) -> LoadedModel:
        self.asked.append((source, device))
        while not self.gate.wait(0.01):
            if stop():
                raise Cancelled("Loading was cancelled.")
        return super().load(source, "cpu", report, stop)


def arrived(qtbot: QtBot, app: App, source: str, core: Gated) -> None:
    core.gate.set()
    qtbot.waitUntil(
        lambda: app.store.state.model.source == source and not app.tasks.active("load"),
        timeout=20_000,
    )
    settled(qtbot, app)


def test_text_written_while_the_device_changes_stays(qtbot: QtBot, open_app: Opener) -> None:
    core = Gated()
    app = open_app("random:encoder", core=core)
    core.gate.clear()
    app.session.opening.choose_device("cuda:0")
    qtbot.waitUntil(lambda: core.asked[-1] == ("random:encoder", "cuda:0"))
    type_text(app, "written since")
    arrived(qtbot, app, "random:encoder", core)
    assert app.store.state.answer.inputs.text == "written since"
    assert app.window.prompt.text.toPlainText() == "written since"


def test_text_for_the_coming_model_is_not_the_open_ones_when_another_is_chosen(
    qtbot: QtBot, open_app: Opener
) -> None:
    core = Gated()
    app = open_app("random:encoder", core=core)
    app.session.write(text="of the encoder")
    settled(qtbot, app)
    core.gate.clear()
    app.session.opening.open("random:vanilla")
    qtbot.waitUntil(lambda: core.asked[-1][0] == "random:vanilla")
    type_text(app, "Hello")
    app.session.opening.open("random:decoder")
    arrived(qtbot, app, "random:decoder", core)
    assert app.store.state.answer.inputs.text == "Hello"
    app.session.opening.choose_architecture("encoder")
    arrived(qtbot, app, "random:encoder", core)
    assert app.store.state.answer.inputs.text == "of the encoder"


def test_text_for_the_coming_model_stays_its_own_when_its_device_changes(
    qtbot: QtBot, open_app: Opener
) -> None:
    core = Gated()
    app = open_app("random:encoder", core=core)
    core.gate.clear()
    app.session.opening.open("random:decoder")
    qtbot.waitUntil(lambda: core.asked[-1][0] == "random:decoder")
    type_text(app, "Hello")
    app.session.opening.choose_device("cuda:0")
    arrived(qtbot, app, "random:decoder", core)
    assert app.store.state.answer.inputs.text == "Hello"
    assert app.session.opening.known.text("encoder") != Inputs(text="Hello")


def test_text_for_the_coming_model_gives_way_to_an_example_and_is_not_the_open_ones(
    qtbot: QtBot, open_app: Opener
) -> None:
    core = Gated()
    app = open_app("random:encoder", core=core)
    app.session.write(text="of the encoder")
    settled(qtbot, app)
    core.gate.clear()
    app.session.opening.open("random:decoder")
    qtbot.waitUntil(lambda: core.asked[-1][0] == "random:decoder")
    type_text(app, "Hello")
    app.session.opening.show_example(Example(title="Two", model="random:decoder", text="ab"))
    arrived(qtbot, app, "random:decoder", core)
    assert app.store.state.answer.inputs.text == "ab"
    app.session.opening.choose_architecture("encoder")
    arrived(qtbot, app, "random:encoder", core)
    assert app.store.state.answer.inputs.text == "of the encoder"
