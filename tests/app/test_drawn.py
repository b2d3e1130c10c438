"""A picture that fails is a sentence, in front and in the panels, and is drawn again later."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.figure import Bars, Figure, Heatmap, Words
from app.store import State
from app.view_options import drawn
from app.wiring import App
from core.errors import RequestError
from tests.app.driver import Opener, settled


def failing(error: Exception) -> Any:
    def draw(*_: Any) -> Any:
        raise error

    return draw


def put(app: App, key: str, **changes: Any) -> None:
    """Another view in place of the one with this key."""
    abilities = app.store.state.abilities
    assert abilities is not None
    views = tuple(replace(v, **changes) if v.key == key else v for v in abilities.views)
    app.store.update(abilities=replace(abilities, views=views))
    app.window.pictures._views = {view.key: view for view in views}


def only_words(figure: Figure | None) -> str:
    assert figure is not None
    (panel,) = figure.panels
    assert isinstance(panel, Words)
    return panel.text


@pytest.mark.parametrize("error", [RequestError("there is no such row"), ZeroDivisionError("a/b")])
def test_a_view_that_fails_says_so_until_it_can_be_drawn(
    qtbot: QtBot, open_app: Opener, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    app = open_app()
    state, panel = app.store.state, app.window.predictions
    assert state.abilities is not None
    whole = {view.key: view.draw for view in state.abilities.views}
    for key in ("attention", "predictions"):
        put(app, key, draw=failing(error))
    app.store.select(query=1)
    settled(qtbot, app)
    foreseen = isinstance(error, RequestError)
    told = "there is no such row." if foreseen else "ZeroDivisionError('a/b')."
    assert only_words(app.window.pictures.figure) == f"Attention cannot be drawn: {told}"
    shown = panel.figure
    assert shown is not None
    qtbot.waitUntil(lambda: isinstance(shown.figure.panels[0], Words))
    assert only_words(shown.figure) == f"Predictions cannot be drawn: {told}"
    assert ("Traceback" in capsys.readouterr().err) is not foreseen
    for key in ("attention", "predictions"):
        put(app, key, draw=whole[key])
    app.store.select(query=2)
    settled(qtbot, app)
    assert isinstance(app.window.pictures.figure.panels[0], Heatmap)
    qtbot.waitUntil(lambda: isinstance(shown.figure.panels[0], Bars))


def test_what_is_asked_of_every_picture_may_fail_too(
    qtbot: QtBot, open_app: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app("random:decoder")
    shown = app.window.predictions.figure
    assert shown is not None
    told = "cannot be drawn: there is no such word."
    with monkeypatch.context() as broken:
        broken.setattr("app.view_options.shown", failing(RequestError("there is no such word")))
        app.session.ask("q")
        settled(qtbot, app)
        assert only_words(app.window.pictures.figure) == f"Attention {told}"
        qtbot.waitUntil(lambda: isinstance(shown.figure.panels[0], Words))
        assert only_words(shown.figure) == f"Predictions {told}"
        app.session.look_at("ablation")  # which is prepared first
        settled(qtbot, app)
        assert told in only_words(app.window.pictures.figure)
    app.session.ask("qu")
    settled(qtbot, app)
    assert not isinstance(app.window.pictures.figure.panels[0], Words)
    qtbot.waitUntil(lambda: isinstance(shown.figure.panels[0], Bars))


def test_options_of_ones_own(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    state, seen = app.store.state, []
    assert isinstance(state, State) and state.abilities is not None

    def draw(trace: Any, selection: Any, options: Any) -> Figure:
        seen.append((trace, selection, options.compact))
        return Figure(title="", panels=())

    one = replace(state.abilities.views[0], draw=draw)
    for compact in (True, False):
        drawn(one, state, compact=compact)
    assert seen == [(state.trace, state.selection, compact) for compact in (True, False)]


def test_out_of_sight_the_list_holds_no_run_that_is_over(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder")
    panel = app.window.predictions
    assert panel._read is not None and panel._shown
    dock = next(d for d in app.window.docks if d.isAncestorOf(panel))
    dock.hide()
    app.session.write(text="another")
    settled(qtbot, app)
    assert not panel._shown
    app.session.opening.open("random:decoder")
    qtbot.waitUntil(lambda: app.store.state.model.source == "random:decoder")
    settled(qtbot, app)
    assert not panel._shown and panel._read is None
    dock.show()
    qtbot.waitUntil(lambda: panel._read is not None)
    assert isinstance(panel.figure.figure.panels[0], Bars)
