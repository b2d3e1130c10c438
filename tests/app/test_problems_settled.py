"""What went wrong is told no more once the same went well, and only what is read is dismissed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from pytestqt.qtbot import QtBot

from app.examples import Example
from app.wiring import App
from tests.app.driver import Opener, settled
from tests.app.test_decoding import step, turn_to


def told(app: App) -> str:
    banner = app.window.banner
    return banner.label.text() if banner.isVisible() else ""


def test_a_picture_that_is_saved_after_all(qtbot: QtBot, open_app: Opener, tmp_path: Path) -> None:
    app = open_app("random:decoder")
    app.window.exporting.save(tmp_path / "no such folder" / "map.svg")
    assert "Could not save" in told(app)
    app.window.exporting.save(tmp_path / "map.svg")
    assert told(app) == ""


def test_a_decoding_run_that_is_saved_after_all(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    app = open_app("random:decoder")
    step(qtbot, app)
    app.window.menus.saver.save(tmp_path / "no such folder" / "run.csv")
    qtbot.waitUntil(lambda: "Could not save" in told(app))
    app.window.menus.saver.save(tmp_path / "run.csv")
    qtbot.waitUntil(lambda: told(app) == "")
    settled(qtbot, app)


def test_a_token_that_is_taken_after_one_that_could_not_be(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    app.session.stepping.take_at(0, 5)
    assert "belongs to the text" in told(app)
    app.session.stepping.choose(max_new_tokens=3)
    app.session.stepping.last()
    qtbot.waitUntil(lambda: len(app.store.state.steps) == 3)
    settled(qtbot, app)
    assert told(app) == ""
    assert app.window.decoding.ending.text().startswith("Ended at 3 tokens")


def test_a_picture_that_is_prepared_after_all(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    views = app.window.pictures._views
    lens, failures = views["lens"], [MemoryError("no room")]

    def prepare(*asked: Any) -> Any:
        if failures:
            raise failures.pop()
        assert lens.prepare is not None
        return lens.prepare(*asked)

    views["lens"] = replace(lens, prepare=prepare)
    turn_to(qtbot, app, "lens")
    qtbot.waitUntil(lambda: told(app) != "")
    turn_to(qtbot, app, "attention")
    turn_to(qtbot, app, "lens")
    qtbot.waitUntil(lambda: app.window.pictures.figure is not None)
    qtbot.waitUntil(lambda: told(app) == "")


def test_dismissing_a_note_leaves_what_is_wrong_with_the_input(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder")
    example = Example(title="One", model="random:encoder", text="ab", note="See.")
    app.window.show_example(example)
    settled(qtbot, app)
    app.session.complain("This was typed by hand.", "input")
    assert told(app) == "See."
    app.window.banner.close_button.click()
    assert told(app) == ""
    assert app.window.prompt.problem.text() == "This was typed by hand."
