"""A decoding run that waits to be written is written, whatever is cancelled or closed."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.wiring import App
from core.errors import Cancelled
from tests.app.driver import Opener, QuickCore
from tests.app.test_decoding import step


class Held(QuickCore):
    """Once held, a step takes until it is cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.held = False
        self.inside = threading.Event()

    def advance(
        self, answer: Any, steps: Any, choice: Any, narrowing: Any, stop: Any, **more: Any
    ) -> Any:
        while self.held:
            self.inside.set()
            if stop():
                time.sleep(0.05)  # it is asked to stop and does so a little later
                raise Cancelled("Cancelled.")
            time.sleep(0.005)
        return super().advance(answer, steps, choice, narrowing, stop, **more)


def stuck(qtbot: QtBot, open_app: Opener) -> App:
    """One token is there, and the next one does not come."""
    core = Held()
    app = open_app("random:decoder", core=core)
    step(qtbot, app, 1)
    core.held = True
    app.window.decoding.buttons["step"].click()
    qtbot.waitUntil(core.inside.is_set)
    return app


def test_cancelling_leaves_it(qtbot: QtBot, open_app: Opener, tmp_path: Path) -> None:
    app = stuck(qtbot, open_app)
    file = tmp_path / "run.csv"
    app.window.menus.saver.save(file)
    app.session.cancel()
    assert not app.tasks.active("decode")
    qtbot.waitUntil(file.exists)
    qtbot.waitUntil(lambda: app.store.state.busy is None)
    assert "Exported to" in app.window.status.currentMessage()


def test_closing_waits_for_it(qtbot: QtBot, open_app: Opener, tmp_path: Path) -> None:
    app = stuck(qtbot, open_app)
    file = tmp_path / "run.csv"
    app.window.menus.saver.save(file)
    app.window.close()
    assert app.clean
    assert file.exists()


def test_what_cannot_be_written_after_closing_is_told_on_standard_error(
    qtbot: QtBot, open_app: Opener, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = stuck(qtbot, open_app)
    folder = tmp_path / "gone"
    app.session.save_decoding(folder / "run.csv", app.store.state, lambda: None)
    app.window.close()
    assert app.clean
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "run.csv" in told


def test_another_one_does_not_take_its_place(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    app = stuck(qtbot, open_app)
    files = [tmp_path / "run.csv", tmp_path / "run.jsonl"]
    for file in files:
        app.window.menus.saver.save(file)
    app.session.cancel()
    qtbot.waitUntil(lambda: all(file.exists() for file in files))
    qtbot.waitUntil(lambda: app.store.state.busy is None)
