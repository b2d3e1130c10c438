"""A device that was chosen stays wished for, whatever is chosen while a model loads on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.examples import Example
from app.settings import Remembered, Settings
from app.wiring import App
from core.errors import RequestError
from core.loaded import LoadedModel
from tests.app.driver import Opener, settled
from tests.app.test_failed_loads import NO_ROOM, Broken, told, with_cards
from tests.app.test_writing_while_loading import Gated

EXAMPLE = Example(title="Two", model="random:encoder", text="ab", note="See here.")


def loading(qtbot: QtBot, open_app: Opener, core: Gated) -> App:
    """The encoder is open, and is on its way to a graphics card."""
    app = open_app("random:encoder", core=with_cards(core))
    core.gate.clear()
    app.session.opening.choose_device("cuda:0")
    qtbot.waitUntil(lambda: core.asked[-1] == ("random:encoder", "cuda:0"))
    return app


def let_go(qtbot: QtBot, app: App, core: Gated) -> None:
    core.gate.set()
    settled(qtbot, app)
    assert not app.tasks.active("load")


def test_it_is_loaded_on_though_its_architecture_is_chosen(qtbot: QtBot, open_app: Opener) -> None:
    core = Gated()
    app = loading(qtbot, open_app, core)
    app.session.opening.choose_architecture("encoder")
    let_go(qtbot, app, core)
    assert core.asked == [("random:encoder", "cpu"), ("random:encoder", "cuda:0")]
    assert app.store.state.device == "cuda:0"
    assert app.window.header.device.currentText() == "CUDA:0"


def test_back_from_another_architecture_it_is_loaded_there(qtbot: QtBot, open_app: Opener) -> None:
    core = Gated()
    app = loading(qtbot, open_app, core)
    app.session.opening.open("random:decoder")
    qtbot.waitUntil(lambda: core.asked[-1] == ("random:decoder", "cuda:0"))
    app.session.opening.choose_architecture("encoder")
    let_go(qtbot, app, core)
    assert core.asked[-1] == ("random:encoder", "cuda:0")
    state = app.store.state
    assert (state.source, state.model.source, state.device) == (*["random:encoder"] * 2, "cuda:0")


def test_an_example_of_the_open_model_comes_with_it(qtbot: QtBot, open_app: Opener) -> None:
    core = Gated()
    app = loading(qtbot, open_app, core)
    app.session.opening.show_example(EXAMPLE)
    let_go(qtbot, app, core)
    state = app.store.state
    assert core.asked[-1] == ("random:encoder", "cuda:0")
    assert (state.device, state.note, state.answer.inputs.text) == ("cuda:0", "See here.", "ab")


def test_where_the_device_fails_the_example_comes_without_it(
    qtbot: QtBot, open_app: Opener
) -> None:
    core = Broken()
    app = loading(qtbot, open_app, core)
    app.session.opening.show_example(EXAMPLE)
    core.gate.set()
    assert told(qtbot, app) == NO_ROOM
    state = app.store.state
    assert (state.device, state.answer.inputs.text, state.example) == ("cpu", "ab", EXAMPLE)


def test_the_device_of_the_open_model_chosen_again_needs_no_loading(
    qtbot: QtBot, open_app: Opener
) -> None:
    core = Gated()
    app = open_app("random:encoder", core=with_cards(core))
    app.session.running.keep()
    kept = app.store.state.kept
    core.gate.clear()
    for device in ("cuda:0", "cpu"):
        app.session.opening.choose_device(device)
    let_go(qtbot, app, core)
    assert ("random:encoder", "cpu") not in core.asked[1:]
    assert (app.store.state.kept, app.store.state.device) == (kept, "cpu")
    assert app.store.state.note == ""


def first_model(qtbot: QtBot, open_app: Opener, core: Gated, source: str) -> App:
    """The first model is on its way to the CPU, for its remembered device is gone or full."""
    core.gate.clear()
    app = open_app(source, core=with_cards(core), wait=False)
    qtbot.waitUntil(lambda: bool(core.asked), timeout=20_000)
    return app


def test_where_a_remembered_device_is_gone_no_other_is_said_to_be_used(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    Settings(tmp_path / "settings.ini").save(Remembered(device="cuda:7"))
    core = Gated()
    app = first_model(qtbot, open_app, core, "random:encoder")
    assert core.asked == [("random:encoder", "cpu")]
    app.session.opening.choose_device("cuda:1")
    core.gate.set()
    assert told(qtbot, app) == "There is no CUDA:7 here any more."
    assert core.asked[-1] == ("random:encoder", "cuda:1")


@pytest.mark.parametrize("source", ["builtin:encoder", "random:decoder"])
def test_where_a_device_is_full_no_other_is_said_to_be_used(
    qtbot: QtBot, open_app: Opener, tmp_path: Path, source: str
) -> None:
    Settings(tmp_path / "settings.ini").save(Remembered(device="cuda:0"))

    class Full(Broken):
        """Its first graphics card fails at once; elsewhere it waits."""

        def load(self, source: str, device: str, report: Any, stop: Any) -> LoadedModel:
            if device == "cuda:0":
                raise RequestError("the model needs 9 GB, but cuda:0 has 1 GB free")
            return super().load(source, device, report, stop)

    core = Full()
    app = first_model(qtbot, open_app, core, source)
    first = app.store.state.models[0]
    assert core.asked == [(first.source, "cpu")]
    assert told_by_now(app) == f"{NO_ROOM} {first.title} is opened on the CPU instead."
    app.session.opening.choose_device("cuda:1")
    # Of the model that was asked for there is no more to be said.
    instead = "" if source == first.source else f" {first.title} is opened instead."
    assert told_by_now(app) == NO_ROOM + instead
    core.gate.set()
    assert told(qtbot, app) == NO_ROOM + instead
    assert core.asked[-1] == (first.source, "cuda:1")


def told_by_now(app: App) -> str:
    problem = app.store.state.problem
    assert problem is not None
    return problem.text
