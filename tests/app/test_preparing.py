"""Dear pictures are prepared off the window's thread, and never computed in it."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

from pytestqt.qtbot import QtBot

from tests.app.driver import Opener, settled


def test_looking_elsewhere_meanwhile_waits_for_its_own_preparation(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    app.session.look_at("lens")
    settled(qtbot, app)
    pictures = app.window.pictures
    real = pictures._views["lens"]
    go_on, ready, drawn = threading.Event(), set[int | None](), []

    def prepare(trace: Any, selection: Any, options: Any, stop: Any) -> None:
        assert go_on.wait(10)
        ready.add(selection.query)

    def draw(trace: Any, selection: Any, options: Any) -> Any:
        drawn.append((selection.query, selection.query in ready))
        return real.draw(trace, selection, options)

    pictures._views["lens"] = replace(
        real, prepare=prepare, draw=draw, ready=lambda t, selection, o: selection.query in ready
    )
    app.store.select(query=1)
    qtbot.waitUntil(lambda: app.session._tasks.active("prepare"))
    app.store.select(query=2)
    qtbot.wait(20)
    go_on.set()
    settled(qtbot, app)
    assert drawn == [(2, True)]
