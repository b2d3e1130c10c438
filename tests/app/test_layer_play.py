"""Playing through the layers changes only what is looked at, and ends at the last one."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.panels import layer_play
from tests.app.driver import Opener, go_to


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
