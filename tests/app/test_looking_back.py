"""One who looks back while a step is on its way stays there; a new step shows its own run."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.wiring import App
from tests.app.driver import Opener, QuickCore, settled, type_text
from tests.app.test_decoding import click, step


class Held(QuickCore):
    """Holds steps, fills and searches back until they are let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on, self.inside = threading.Event(), threading.Event()
        self.go_on.set()

    def _hold(self) -> None:
        self.inside.set()
        assert self.go_on.wait(10)

    def advance(self, *asked: Any, **more: Any) -> Any:
        self._hold()
        return super().advance(*asked, **more)

    def fill(self, *asked: Any, **more: Any) -> Any:
        self._hold()
        return super().fill(*asked, **more)

    def search(self, *asked: Any) -> Any:
        self._hold()
        return super().search(*asked)

    def hold(self) -> None:
        self.go_on.clear()
        self.inside.clear()


def let_go(qtbot: QtBot, app: App, core: Held) -> None:
    core.go_on.set()
    qtbot.waitUntil(lambda: not app.tasks.active("decode"), timeout=10_000)
    settled(qtbot, app)


@pytest.mark.parametrize("source", ["random:decoder", "random:encoder"])
@pytest.mark.parametrize(("where", "shown"), [("first", None), ("back", 0), ("chip", 0)])
def test_where_one_looks_stays_when_the_step_comes(
    qtbot: QtBot, open_app: Opener, source: str, where: str, shown: int | None
) -> None:
    core = Held()
    app = open_app(source, core=core)
    if source == "random:encoder":
        type_text(app, "a[MASK]c[MASK]e[MASK]g[MASK]")
        settled(qtbot, app)
    step(qtbot, app, 2)
    core.hold()
    click(app.window.decoding.buttons["last"])
    qtbot.waitUntil(core.inside.is_set)
    if where == "chip":
        app.window.decoding.chips.clicked.emit(0, False)
    else:
        click(app.window.decoding.buttons[where])
    assert app.store.state.selection.step == shown
    let_go(qtbot, app, core)
    assert app.store.state.selection.step == shown
    assert len(app.store.state.moves) == 3, "the step itself is not lost, and is the last"


def test_the_text_stays_in_sight_when_a_search_ends(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app("random:decoder", core=core)
    app.session.stepping.choose(strategy="beam", max_new_tokens=4)
    core.hold()
    click(app.window.decoding.buttons["last"])
    qtbot.waitUntil(core.inside.is_set)
    app.session.stepping.first()
    let_go(qtbot, app, core)
    assert app.store.state.search is not None
    assert app.store.state.selection.step is None


def test_a_token_taken_by_hand_is_looked_at_all_the_same(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app("random:decoder", core=core)
    step(qtbot, app, 2)
    other = app.store.state.steps[1].candidates[3].token
    core.hold()
    app.session.stepping.take(other, 1)
    qtbot.waitUntil(core.inside.is_set)
    app.session.stepping.first()
    let_go(qtbot, app, core)
    assert app.store.state.steps[-1].token == other
    assert app.store.state.selection.step == 1


def test_a_new_step_shows_its_own_run_and_not_all_at_once(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    checks = app.window.decoding.checks
    step(qtbot, app, 2)
    checks.together.click()
    qtbot.waitUntil(lambda: app.store.state.all_at_once is not None, timeout=20_000)
    step(qtbot, app, 1)
    checks.check.click()
    qtbot.waitUntil(lambda: checks.result.isVisible(), timeout=20_000)
    settled(qtbot, app)
    assert not checks.together.isChecked()
    assert app.store.state.trace is app.store.state.steps[-1].trace
    assert "cache" in app.window.decoding.text.text()


def test_another_branch_shows_its_own_run(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 2)
    app.session.stepping.take(app.store.state.steps[1].candidates[3].token, 1)
    qtbot.waitUntil(lambda: len(app.store.state.tree.branches) == 2)
    settled(qtbot, app)
    app.window.decoding.checks.together.click()
    qtbot.waitUntil(lambda: app.store.state.all_at_once is not None, timeout=20_000)
    app.session.stepping.revisit(0)
    settled(qtbot, app)
    assert not app.store.state.together


def test_to_the_end_holds_for_a_search_that_one_step_began(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app("random:decoder", core=core)
    app.session.stepping.choose(strategy="beam", max_new_tokens=4)
    core.hold()
    app.session.stepping.on()
    qtbot.waitUntil(core.inside.is_set)
    app.session.stepping.last()
    let_go(qtbot, app, core)
    assert app.store.state.selection.step == len(app.store.state.steps) - 1 > 0
