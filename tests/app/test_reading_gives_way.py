"""What the read-out reads in the worker gives way to a step and to a text, and is read again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.panels import readout
from app.reading import read
from app.selection import Selection
from app.wiring import App
from core.errors import RequestError
from tests.app.driver import Opener, QuickCore, settled
from tests.app.endless import Endless


class Reading(Endless):
    """Every column is dear to read; the first reading lasts until it is stopped."""

    def read(self, trace: Any, selection: Selection, raw: bool, stop: Any = None) -> Any:
        if selection.key is not None:
            self.last(stop)
        return read(trace, selection, raw)


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reading]:
    made = Reading()
    monkeypatch.setattr(readout, "dear", lambda trace, selection: selection.key is not None)
    monkeypatch.setattr(readout, "read", made.read)
    yield made
    made.begun += 1


def reading(qtbot: QtBot, app: App, endless: Reading) -> None:
    app.store.select(head=None, key=2)
    qtbot.waitUntil(lambda: endless.begun == 1)


def read_again(qtbot: QtBot, app: App, endless: Reading) -> None:
    qtbot.waitUntil(lambda: len(app.window.readout.lines) > 1)
    settled(qtbot, app)
    assert endless.stopped == 1
    assert app.window.readout.note.isHidden()


def test_to_a_step_after_which_nothing_is_pinned(
    qtbot: QtBot, open_app: Opener, endless: Reading
) -> None:
    app = open_app("random:decoder")
    reading(qtbot, app, endless)
    app.session.stepping.on()
    qtbot.waitUntil(lambda: bool(app.store.state.steps))
    settled(qtbot, app)
    assert (endless.begun, endless.stopped) == (1, 1)
    assert app.window.readout.note.text() == readout.NOTHING


class NoStep(QuickCore):
    def advance(self, *args: Any, **kwargs: Any) -> Any:
        raise RequestError("no step here")


def test_to_a_step_that_fails(qtbot: QtBot, open_app: Opener, endless: Reading) -> None:
    app = open_app("random:decoder", core=NoStep())
    reading(qtbot, app, endless)
    app.session.stepping.on()
    read_again(qtbot, app, endless)
    assert "No step here" in app.store.state.problem.text


@pytest.mark.parametrize("more", ["x", "a" * 600])
def test_to_a_text_that_is_read_or_refused(
    qtbot: QtBot, open_app: Opener, endless: Reading, more: str
) -> None:
    app = open_app("random:encoder")
    reading(qtbot, app, endless)
    app.session.write(text=app.store.state.inputs.text + more)
    read_again(qtbot, app, endless)
    assert app.store.state.old == (len(more) > 512)
