"""A model that does not come: what stays, what is remembered, and what is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytestqt.qtbot import QtBot

from app.by_architecture import ByArchitecture
from app.settings import Remembered, Settings
from app.wiring import App
from core.errors import RequestError
from core.loaded import LoadedModel
from tests.app.driver import Opener, settled
from tests.app.test_writing_while_loading import Gated


class Broken(Gated):
    """Its first graphics card has no memory left."""

    def load(self, source: str, device: str, report: Any, stop: Any) -> LoadedModel:
        found = super().load(source, device, report, stop)
        if device == "cuda:0":
            raise RequestError("the model needs 9 GB, but cuda:0 has 1 GB free")
        return found


def told(qtbot: QtBot, app: App) -> str:
    qtbot.waitUntil(lambda: app.store.state.problem is not None, timeout=20_000)
    settled(qtbot, app)
    problem = app.store.state.problem
    assert problem is not None
    return problem.text


def test_a_model_that_was_not_waited_for_is_still_the_one_of_its_architecture(
    qtbot: QtBot, open_app: Opener
) -> None:
    core = Gated()
    app = open_app("random:encoder", core=core)
    known = app.session.opening.known
    known.sources["decoder"] = "random:decoder"
    core.gate.clear()
    app.session.opening.choose_architecture("decoder")
    qtbot.waitUntil(lambda: core.asked[-1][0] == "random:decoder")
    app.session.cancel()
    core.gate.set()
    settled(qtbot, app)
    assert app.store.state.model.source == "random:encoder"
    assert known.sources == {"encoder": "random:encoder", "decoder": "random:decoder"}


def test_the_open_model_is_remembered_though_another_device_has_no_room_for_it(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:decoder", core=Broken())
    app.session.opening.choose_device("cuda:0")
    assert "9 GB" in told(qtbot, app)
    assert app.session.opening.known.sources == {"decoder": "random:decoder"}


def test_a_model_that_could_not_be_opened_is_forgotten_for_good(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    file, gone = tmp_path / "settings.ini", str(tmp_path / "gone")
    known = ByArchitecture(sources={"decoder": gone})
    Settings(file).save(Remembered(by_architecture=known))
    app = open_app("random:encoder")
    app.session.opening.choose_architecture("decoder")
    assert "gone" in told(qtbot, app)
    app.window.close()
    assert Settings(file).load().by_architecture.sources == {"encoder": "random:encoder"}
