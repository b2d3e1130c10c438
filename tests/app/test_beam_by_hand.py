"""A first token taken by hand where beams are chosen: it goes on greedily, and is not lost."""

from __future__ import annotations

import threading
from typing import Any

from pytestqt.qtbot import QtBot

from app.figure import Words
from app.wiring import App
from core import LoadedModel
from tests.app.driver import Opener, QuickCore, settled

GREEDILY = "From the token taken by hand it goes on greedily."


class Held(QuickCore):
    """A token comes once it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go = threading.Event()

    def advance(self, *asked: Any, forced: Any = None) -> Any:
        assert self.let_go.wait(10)
        return super().advance(*asked, forced=forced)


def said(app: App) -> str:
    figure = app.window.pictures.figure
    panel = None if figure is None else figure.panels[0]
    return panel.text if isinstance(panel, Words) else ""


def test_it_goes_on_greedily_and_stays(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app("random:decoder", core=core)
    stepping, store = app.session.stepping, app.store
    stepping.choose(strategy="beam", max_new_tokens=3)
    app.session.look_at("beams")
    settled(qtbot, app)
    seen: list[str] = []
    store.changed.connect(lambda _: seen.append("search") if store.state.searching else None)
    stepping.take(5)
    qtbot.waitUntil(lambda: store.state.busy is not None)
    qtbot.wait(30)
    core.let_go.set()
    qtbot.waitUntil(lambda: len(store.state.steps) == 1)
    assert not seen, "no search ran"
    assert store.state.ending == GREEDILY
    qtbot.waitUntil(lambda: said(app).startswith("The first token was taken by hand"))
    stepping.last()
    qtbot.waitUntil(lambda: len(store.state.steps) == 3, timeout=10_000)
    settled(qtbot, app)
    model, answer = store.state.model, store.state.answer
    assert isinstance(model, LoadedModel)
    ids = (*answer.request.source.ids, 5)
    wanted = [step.token for step in model.decode(ids=ids, max_new_tokens=2)]
    assert [step.token for step in store.state.steps] == [5, *wanted]
    made = store.state.steps
    stepping.choose(max_new_tokens=4)
    assert store.state.steps is made
    assert len(store.state.tree.branches) == 1
    stepping.last()
    qtbot.waitUntil(lambda: len(store.state.steps) == 4, timeout=10_000)
    settled(qtbot, app)
    assert store.state.search is None
