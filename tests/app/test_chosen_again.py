"""The open model chosen again stays as it is: nothing that was done with it is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.wiring import App
from tests.app.driver import Opener, settled
from tests.app.test_coming_back import OfAFolder
from tests.app.test_decoding import step

SOURCES = ("random:decoder", "someone/of-the-hub")


def with_something_to_lose(qtbot: QtBot, open_app: Opener, core: OfAFolder, source: str) -> App:
    app = open_app(source, core=core)
    app.session.running.keep()
    step(qtbot, app, 2)
    return app


@pytest.mark.parametrize("source", SOURCES)
def test_while_nothing_loads(qtbot: QtBot, open_app: Opener, source: str) -> None:
    core = OfAFolder(source)
    app = with_something_to_lose(qtbot, open_app, core, source)
    before = app.store.state
    app.session.opening.open(source)
    assert not app.tasks.active("load")
    settled(qtbot, app)
    state = app.store.state
    assert (state.steps, state.kept, state.note) == (before.steps, before.kept, "")
    assert len(core.asked) == 1


@pytest.mark.parametrize("source", SOURCES)
def test_while_another_loads(qtbot: QtBot, open_app: Opener, source: str) -> None:
    core = OfAFolder(source)
    app = with_something_to_lose(qtbot, open_app, core, source)
    before = app.store.state
    core.gate.clear()
    app.session.opening.open("random:encoder")
    qtbot.waitUntil(lambda: core.asked[-1][0] == "random:encoder")
    app.session.opening.open(source)
    assert not app.tasks.active("load")
    core.gate.set()
    settled(qtbot, app)
    state = app.store.state
    assert state.model is before.model and state.source == source
    assert (state.steps, state.kept, state.note) == (before.steps, before.kept, "")
    assert len(core.asked) == 2


def test_by_its_entry_in_the_menu(qtbot: QtBot, open_app: Opener) -> None:
    core = OfAFolder("random:decoder")
    app = with_something_to_lose(qtbot, open_app, core, "random:decoder")
    menu = app.window.header.menu
    menu.aboutToShow.emit()
    (entry,) = [action for action in menu.actions() if action.text() == "Random decoder"]
    assert entry.isChecked()
    entry.trigger()
    settled(qtbot, app)
    assert len(app.store.state.steps) == 2
    assert len(core.asked) == 1


@pytest.mark.parametrize("loading", [True, False])
def test_where_its_folder_is_gone_that_is_said(
    qtbot: QtBot, open_app: Opener, tmp_path: Path, loading: bool
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    core = OfAFolder(str(folder))
    app = with_something_to_lose(qtbot, open_app, core, str(folder))
    before = app.store.state
    folder.rmdir()
    if loading:
        core.gate.clear()
        app.session.opening.open("random:encoder")
        qtbot.waitUntil(lambda: core.asked[-1][0] == "random:encoder")
    app.session.opening.open(str(folder))
    core.gate.set()
    settled(qtbot, app)
    state = app.store.state
    assert state.problem.text == (
        f"There is no file or folder {folder} any more; the model that was read from it stays open."
    )
    assert state.model is before.model and state.source == str(folder)
    assert (state.steps, state.kept) == (before.steps, before.kept)
    assert len(core.asked) == (2 if loading else 1)
