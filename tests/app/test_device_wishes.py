"""A device that was chosen stays wished for, whatever is chosen while a model loads on it."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.examples import Example
from app.wiring import App
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
