"""A preparation that nobody wants to see any more ends, and lets what is wanted go first."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

from pytestqt.qtbot import QtBot

from app.wiring import App
from core.errors import Cancelled
from tests.app.driver import Opener, settled, type_text


class Endless:
    """Replaces a view's preparation: the first one lasts until it is stopped or let go."""

    def __init__(self, app: App, key: str) -> None:
        self.begun, self.stopped, self.go_on = 0, 0, threading.Event()
        views = app.window.pictures._views
        real = views[key]
        assert real.prepare is not None
        self._real = real.prepare
        views[key] = replace(real, prepare=self._prepare)

    def _prepare(self, trace: Any, selection: Any, options: Any, stop: Any) -> None:
        self.begun += 1
        end = time.monotonic() + 30
        while self.begun == 1 and not self.go_on.is_set():
            if stop():
                self.stopped += 1
                raise Cancelled("stopped")
            assert time.monotonic() < end, "nobody stopped it"
            time.sleep(0.005)
        self._real(trace, selection, options, stop)


def preparing(qtbot: QtBot, app: App) -> Endless:
    endless = Endless(app, "ablation")
    app.session.look_at("ablation")
    qtbot.waitUntil(lambda: endless.begun == 1)
    return endless


def test_it_gives_way_to_another_text(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    endless = preparing(qtbot, app)
    type_text(app, "ab")
    qtbot.waitUntil(lambda: app.store.state.answer.inputs.text == "ab")
    settled(qtbot, app)
    # Each letter may have a run, and a picture, of its own.
    assert endless.begun >= 2 and endless.stopped == 1
    assert app.store.state.problem is None


def test_it_gives_way_to_a_text_to_compare_with(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    endless = preparing(qtbot, app)
    app.session.running.run_against(replace(app.store.state.inputs, text="ab"))
    qtbot.waitUntil(lambda: bool(app.store.state.kept))
    settled(qtbot, app)
    assert endless.stopped == 1


def test_it_gives_way_to_another_view(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    endless = preparing(qtbot, app)
    app.session.look_at("lens")
    settled(qtbot, app)
    assert endless.stopped == 1
    assert app.window.pictures.figure is not None


def test_it_goes_on_where_another_layer_is_looked_at(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    endless = preparing(qtbot, app)
    app.store.select(layer=1)
    qtbot.waitUntil(lambda: not app.window.pictures.pending)
    endless.go_on.set()
    settled(qtbot, app)
    assert (endless.begun, endless.stopped) == (2, 0)
    assert app.window.pictures.figure is not None
