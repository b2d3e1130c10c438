"""Playing through the layers changes only what is looked at, and ends at the last one."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.panels import layer_play
from app.wiring import App
from core.errors import Cancelled
from tests.app.driver import Opener, go_to, settled


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer_play, "FRAME_MS", 30)


def test_it_goes_to_the_last_layer_and_from_there_to_the_first(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    go_to(qtbot, app, "paths")
    play = app.window.sitebar.play
    last = app.store.state.model.spec.encoder.layers - 1
    app.store.select(layer=1)
    answer = app.store.state.answer
    play.click()
    assert play.playing
    qtbot.waitUntil(lambda: not play.playing)
    assert app.store.state.selection.layer == last
    assert app.store.state.answer is answer, "nothing is run again"
    play.click()
    assert app.store.state.selection.layer == 0
    qtbot.waitUntil(lambda: not play.playing)
    assert app.store.state.selection.layer == last


def test_pressing_again_stops_it(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    play = app.window.sitebar.play
    play.click()
    play.click()
    layer = app.store.state.selection.layer
    qtbot.wait(100)
    assert not play.playing
    assert app.store.state.selection.layer == layer


class Dear:
    """Replaces a view's preparation: each layer is prepared once this is let go; shown: the layers
    whose pictures were drawn."""

    def __init__(self, app: App, key: str) -> None:
        self.gate, self.ready = threading.Semaphore(0), set[int]()
        self.shown: list[int] = []
        views = app.window.pictures._views
        views[key] = replace(
            views[key],
            prepare=self._prepare,
            ready=lambda trace, selection, options: selection.layer in self.ready,
        )
        app.window.pictures.drawn.connect(
            lambda _: self.shown.append(app.store.state.selection.layer)
        )

    def _prepare(self, trace: Any, selection: Any, options: Any, stop: Any) -> None:
        while not self.gate.acquire(timeout=0.01):
            if stop():
                raise Cancelled("stopped")
        self.ready.add(selection.layer)


def test_it_waits_for_pictures_that_are_dear_to_make(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    go_to(qtbot, app, "paths")
    dear = Dear(app, "paths")
    play = app.window.sitebar.play
    last = app.store.state.model.spec.encoder.layers - 1
    app.store.select(layer=1)
    play.click()
    for layer in range(1, last):
        qtbot.waitUntil(lambda: app.tasks.active("prepare"))
        qtbot.wait(100)  # several frames
        assert app.store.state.selection.layer == layer and play.playing
        dear.gate.release()
        qtbot.waitUntil(lambda layer=layer: app.store.state.selection.layer == layer + 1)
    dear.gate.release()
    settled(qtbot, app)
    assert not play.playing
    assert dear.shown == list(range(1, last + 1))


def test_it_stops_where_a_picture_is_cancelled(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    go_to(qtbot, app, "paths")
    Dear(app, "paths")
    app.store.select(layer=1)
    app.window.sitebar.play.click()
    qtbot.waitUntil(lambda: app.tasks.active("prepare"))
    app.session.cancel()
    qtbot.waitUntil(lambda: not app.window.sitebar.play.playing)
    settled(qtbot, app)
    assert app.store.state.selection.layer == 1
    assert not app.tasks.active("prepare"), "it does not begin again"
