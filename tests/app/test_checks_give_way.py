"""A comparison gives way to a step, and is made again of what is there by then."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.checking import shown
from app.wiring import App
from core.errors import RequestError
from tests.app.driver import Opener, QuickCore, settled
from tests.app.endless import Endless
from tests.app.test_decoding import step


class Comparing(Endless, QuickCore):
    """The first comparison lasts until it is stopped. Tokens taken by hand can be none."""

    def __init__(self) -> None:
        super().__init__()
        self.fails = False

    def verify(self, model: Any, steps: Any, stop: Any) -> Any:
        self.last(stop)
        return super().verify(model, steps, stop)

    def share(self, model: Any, trace: Any, kv_heads: int, stop: Any) -> Any:
        self.last(stop)
        return super().share(model, trace, kv_heads, stop)

    def advance(self, *args: Any, **kwargs: Any) -> Any:
        if self.fails:
            raise RequestError("no step here")
        return super().advance(*args, **kwargs)


@pytest.fixture
def core() -> Comparing:
    return Comparing()


@pytest.fixture
def app(qtbot: QtBot, open_app: Opener, core: Comparing) -> App:
    made: App = open_app("random:decoder", core=core)
    made.session.stepping.choose(max_new_tokens=6, speed=20)
    step(qtbot, made, 2)
    return made


def comparing(qtbot: QtBot, core: Comparing) -> None:
    qtbot.waitUntil(lambda: core.begun == 1)


def test_the_cache_is_checked_after_the_step(qtbot: QtBot, app: App, core: Comparing) -> None:
    app.session.checker.verify()
    comparing(qtbot, core)
    app.session.stepping.on()
    qtbot.waitUntil(lambda: app.store.state.checked is not None)
    state = app.store.state
    assert len(state.steps) == 3 and state.checked.steps is state.steps
    assert (core.begun, core.stopped) == (2, 1)
    qtbot.waitUntil(lambda: app.window.decoding.checks.result.isVisible())


@pytest.mark.parametrize("play", [True, False])
def test_it_is_checked_once_at_the_end(qtbot: QtBot, app: App, core: Comparing, play: bool) -> None:
    app.session.checker.verify()
    comparing(qtbot, core)
    stepping = app.session.stepping
    (stepping.play if play else stepping.last)()
    qtbot.waitUntil(lambda: app.store.state.checked is not None, timeout=20_000)
    state = app.store.state
    assert len(state.steps) == 6 and state.checked.steps is state.steps
    assert (core.begun, core.stopped) == (2, 1)


@pytest.mark.parametrize("fails", [True, False])
def test_all_at_once_is_shown_unless_there_are_other_steps(
    qtbot: QtBot, app: App, core: Comparing, fails: bool
) -> None:
    core.fails = fails
    app.session.checker.together(True)
    comparing(qtbot, core)
    app.session.stepping.on()
    qtbot.waitUntil(lambda: app.store.state.checked is not None)
    settled(qtbot, app)
    state = app.store.state
    assert len(state.steps) == (2 if fails else 3)
    assert state.together == fails == app.window.decoding.checks.together.isChecked()


@pytest.mark.parametrize("moved", [True, False])
def test_all_at_once_does_not_lead_back_who_looks_elsewhere(
    qtbot: QtBot, app: App, core: Comparing, moved: bool
) -> None:
    core.begun = 1  # none lasts
    app.session.checker.together(True)
    if moved:
        app.session.stepping.first()
    qtbot.waitUntil(lambda: app.store.state.checked is not None)
    settled(qtbot, app)
    state = app.store.state
    assert state.selection.step == (None if moved else 1)
    assert state.together != moved
    assert app.window.decoding.checks.together.isChecked() != moved


def test_pooled_heads_are_compared_with_the_step_that_is_looked_at(
    qtbot: QtBot, app: App, core: Comparing
) -> None:
    app.session.checker.share(2)
    comparing(qtbot, core)
    app.session.stepping.on()
    qtbot.waitUntil(lambda: bool(shown(app.store.state)))
    assert app.store.state.what_if.trace is app.store.state.steps[2].trace
    assert (core.begun, core.stopped) == (2, 1)


def cancel(app: App) -> None:
    app.session.cancel()


def write(app: App) -> None:
    app.session.write(text="abc")


@pytest.mark.parametrize("act", [cancel, write])
def test_it_is_not_made_again_where_it_is_not_wanted(
    qtbot: QtBot, app: App, core: Comparing, act: Any
) -> None:
    app.session.checker.verify()
    comparing(qtbot, core)
    act(app)
    qtbot.waitUntil(lambda: core.stopped == 1)
    settled(qtbot, app)
    step(qtbot, app, 1)
    assert core.begun == 1
    assert app.store.state.checked is None
