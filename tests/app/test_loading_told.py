"""What the window says while a model loads, and of what it noted on the way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pytestqt.qtbot import QtBot

from app.engine import Engine
from core import builtin
from tests.app.driver import Opener, QuickCore


def test_progress_says_what_is_being_done_once() -> None:
    told: list[tuple[str, float | None]] = []
    source = builtin.available()[0].source
    Engine().load(source, "cpu", lambda text, done=None: told.append((text, done)), lambda: False)
    assert {text for text, _ in told} == {"Loading weights"}
    done = [fraction for _, fraction in told]
    assert done == sorted(done)  # type: ignore[type-var]
    assert done[-1] == 1


class Noting(QuickCore):
    def load(self, source: str, device: str, report: Any, stop: Any) -> Any:
        model = super().load(source, device, report, stop)
        notes = ("one thing", "another thing")
        spec = replace(model.spec, notes=notes)
        return replace(model, spec=spec, notes=notes)


def test_a_note_is_counted_and_read_once(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app(core=Noting())
    header = app.window.header
    assert header.facts.toolTip().count("one thing") == 1
    assert "2 notes" in header.facts.text()
