"""While a beam search runs, the beams say so."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.figure import Words
from app.wiring import App
from core.decoding import BeamSearch
from tests.app.driver import Opener, QuickCore, settled
from tests.app.test_decoding import click


class HeldSearch(QuickCore):
    """A core whose search ends when it is let go, or stopped."""

    def __init__(self) -> None:
        self.let_go = threading.Event()

    def search(self, *args: Any) -> BeamSearch:
        stop = args[-1]
        while not self.let_go.wait(0.01):
            if stop():
                break
        return super().search(*args)


def said(app: App) -> str:
    figure = app.window.pictures.figure
    panel = None if figure is None else figure.panels[0]
    return panel.text if isinstance(panel, Words) else ""


@pytest.mark.parametrize("cancelled", [False, True])
def test_the_beams_say_that_the_search_runs(
    qtbot: QtBot, open_app: Opener, cancelled: bool
) -> None:
    core = HeldSearch()
    app = open_app("random:decoder", core=core)
    app.session.look_at("beams")
    settled(qtbot, app)
    assert said(app).startswith("Choose the strategy Beam")
    app.session.stepping.choose(strategy="beam", max_new_tokens=4)
    click(app.window.decoding.buttons["last"])
    qtbot.waitUntil(lambda: said(app).startswith("The search runs"))
    if cancelled:
        app.session.cancel()
        qtbot.waitUntil(lambda: said(app).startswith("Choose the strategy Beam"))
    else:
        core.let_go.set()
        qtbot.waitUntil(lambda: app.store.state.search is not None)
        qtbot.waitUntil(lambda: said(app) == "" and app.window.pictures.figure is not None)
    core.let_go.set()


@pytest.mark.parametrize(("then", "shown"), [("nothing", 5), ("home", None), ("home and on", 0)])
def test_it_is_shown_where_one_wants_to_look_by_the_end(
    qtbot: QtBot, open_app: Opener, then: str, shown: int | None
) -> None:
    core = HeldSearch()
    app = open_app("random:decoder", core=core)
    stepping, store = app.session.stepping, app.store
    stepping.choose(strategy="beam", max_new_tokens=6)
    stepping.last()
    if then != "nothing":
        stepping.first()
    if then == "home and on":
        stepping.on()
    core.let_go.set()
    qtbot.waitUntil(lambda: store.state.search is not None, timeout=10_000)
    assert len(store.state.steps) == 6
    assert store.state.selection.step == shown
    settled(qtbot, app)
