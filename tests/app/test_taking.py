"""Taking another token, or another seed, while something is being decoded."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from core.errors import RequestError
from tests.app.driver import Opener, QuickCore, settled, type_text
from tests.app.test_decoding import step


class Waiting(QuickCore):
    """Waits before it takes a token, or each, and then may fail."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on, self.fails, self.always = threading.Event(), False, False

    def advance(self, *asked: Any, forced: Any = None) -> Any:
        return self._after(super().advance, *asked, forced=forced)

    def fill(self, *asked: Any, forced: Any = None) -> Any:
        return self._after(super().fill, *asked, forced=forced)

    def _after(self, work: Callable[..., Any], *asked: Any, forced: Any) -> Any:
        if forced is not None or self.always:
            assert self.go_on.wait(10)
            if self.fails:
                raise RequestError("this token cannot be taken")
        return work(*asked, forced=forced)


@pytest.mark.parametrize("source", ["random:decoder", "random:encoder"])
@pytest.mark.parametrize("end", ["taken", "failed", "cancelled"])
def test_what_is_there_stays_until_the_new_one_comes(
    qtbot: QtBot, open_app: Opener, source: str, end: str
) -> None:
    core = Waiting()
    app = open_app(source, core=core)
    type_text(app, "a[MASK]c[MASK]e[MASK]" if source == "random:encoder" else "abc")
    settled(qtbot, app)
    step(qtbot, app, 3)
    before, trace = app.store.state.moves, app.store.state.trace
    other, at = before[1].candidates[3].token, app.store.state.selection
    app.session.stepping.take(other, 1)
    qtbot.waitUntil(lambda: app.store.state.busy is not None)
    count = app.window.decoding.count.text()
    try:
        assert (app.store.state.moves, app.store.state.trace) == (before, trace)
        assert app.store.state.selection == at
        assert count in ("step 3 of 3", "fill 3 of 3")
        if end == "cancelled":
            app.session.cancel()
    finally:
        core.fails = end == "failed"
        core.go_on.set()
    settled(qtbot, app)
    if end == "taken":
        qtbot.waitUntil(lambda: len(app.store.state.moves) == 2)
        assert app.store.state.moves[1].token == other
        assert app.store.state.selection.step == 1
        return
    assert (app.store.state.moves, app.store.state.trace) == (before, trace)
    assert app.store.state.selection == at
    assert len(app.store.state.tree.branches) == 1
    assert (app.store.state.problem is not None) == (end == "failed")


def test_another_seed_ends_what_was_to_go_on_to_the_end(qtbot: QtBot, open_app: Opener) -> None:
    core = Waiting()
    app = open_app("random:decoder", core=core)
    core.always = True
    app.session.stepping.last()
    qtbot.waitUntil(lambda: app.store.state.busy is not None)
    app.session.stepping.choose(seed=7)
    core.go_on.set()
    settled(qtbot, app)
    step(qtbot, app)
    assert len(app.store.state.steps) == 1
    qtbot.wait(50)
    settled(qtbot, app)
    assert len(app.store.state.steps) == 1
