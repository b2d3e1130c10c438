"""A model that does not come: what stays, what is remembered, and what is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from pytestqt.qtbot import QtBot

from app.by_architecture import ByArchitecture
from app.examples import Example
from app.settings import Remembered, Settings
from app.telling import sentence
from app.wiring import App
from core import load_model
from core.errors import CoreError, RequestError
from core.loaded import LoadedModel
from tests.app.driver import Opener, settled
from tests.app.test_writing_while_loading import Gated

NO_ROOM = "The model needs 9 GB, but cuda:0 has 1 GB free."


class Broken(Gated):
    """Its first graphics card has no memory left."""

    def load(self, source: str, device: str, report: Any, stop: Any) -> LoadedModel:
        found = super().load(source, device, report, stop)
        if device == "cuda:0":
            raise RequestError("the model needs 9 GB, but cuda:0 has 1 GB free")
        return found


def why_not(folder: Path) -> str:
    """The sentence in which the core refuses a folder."""
    with pytest.raises(CoreError) as refused:
        load_model(str(folder))
    return sentence(str(refused.value))


def told(qtbot: QtBot, app: App) -> str:
    qtbot.waitUntil(lambda: app.store.state.problem is not None, timeout=20_000)
    settled(qtbot, app)
    problem = app.store.state.problem
    assert problem is not None
    return problem.text


def test_a_path_that_cannot_be_looked_at_is_told_of(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder")
    app.session.opening.open("/" + "a" * 5000)
    said = told(qtbot, app)
    assert said.startswith("/aaa")
    assert said.endswith("a… cannot be read: File name too long.")
    assert app.store.state.model.source == "random:encoder"


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


def test_a_model_is_remembered_though_the_device_has_no_room_for_it(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    core = Broken()
    app = open_app("random:encoder", core=core)
    app.session.opening.known.sources["decoder"] = "random:decoder"
    core.gate.clear()
    app.session.opening.choose_architecture("decoder")
    app.session.opening.choose_device("cuda:0")
    core.gate.set()
    assert "9 GB" in told(qtbot, app)
    assert core.asked[-1] == ("random:decoder", "cuda:0")
    app.window.close()
    remembered = Settings(tmp_path / "settings.ini").load().by_architecture.sources
    assert remembered == {"encoder": "random:encoder", "decoder": "random:decoder"}


def test_a_model_is_remembered_though_an_example_asks_it_for_a_mask_that_cannot_be(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder")
    known = app.session.opening.known
    known.sources["decoder"] = "random:decoder"
    bad = Example(title="Bad", model="random:decoder", text="a", mask="opaque")
    app.session.opening.show_example(bad)
    assert "opaque" in told(qtbot, app)
    assert known.sources == {"encoder": "random:encoder", "decoder": "random:decoder"}


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


def test_a_model_of_the_hub_is_remembered_though_the_hub_is_out_of_reach(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    file, hub = tmp_path / "settings.ini", "hub:nobody/has-this"
    known = ByArchitecture(sources={"decoder": hub, "encoder": hub})
    Settings(file).save(Remembered(by_architecture=known))
    app = open_app(hub)
    assert "the Hub cannot be reached" in told(qtbot, app)
    assert app.store.state.model.spec.architecture == "encoder", "the one that stands in for it"
    app.session.opening.choose_architecture("decoder")
    settled(qtbot, app)
    assert app.store.state.model.spec.architecture == "decoder", "it is not asked for at once again"
    app.window.close()
    assert Settings(file).load().by_architecture.sources == known.sources


def test_by_the_second_press_there_is_a_model_of_that_kind_and_what_is_chosen_is_remembered(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder")
    known, hub = app.session.opening.known, "hub:nobody/has-this"
    known.sources["decoder"] = hub
    app.session.opening.choose_architecture("decoder")
    assert "the Hub cannot be reached" in told(qtbot, app)
    assert app.store.state.model.spec.architecture == "encoder"
    app.session.opening.choose_architecture("decoder")
    settled(qtbot, app)
    assert app.store.state.model.spec.architecture == "decoder"
    assert known.sources["decoder"] == hub
    app.session.opening.open("random:decoder")
    settled(qtbot, app)
    assert known.sources["decoder"] == "random:decoder"


def test_what_was_to_go_on_to_its_end_does_not_after_a_load_that_failed(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    app = open_app("random:decoder")
    app.session.stepping.choose(max_new_tokens=20)
    app.session.stepping.last()
    app.session.opening.open(str(tmp_path / "gone"))
    assert "gone" in told(qtbot, app)
    before = len(app.store.state.steps)
    app.session.stepping.on()
    qtbot.waitUntil(lambda: len(app.store.state.steps) > before)
    settled(qtbot, app)
    assert len(app.store.state.steps) == before + 1


# --- the device -------------------------------------------------------------------------------


def with_cards(core: Gated) -> Gated:
    """Two graphics cards are there to choose."""
    own = core.abilities
    core.abilities = lambda: replace(own(), devices=("cpu", "cuda:0", "cuda:1"))  # type: ignore[method-assign]
    return core


def test_the_device_shown_is_the_one_the_model_stayed_on(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder", core=with_cards(Broken()))
    device = app.window.header.device
    assert [device.itemText(i) for i in range(device.count())] == ["CPU", "CUDA:0", "CUDA:1"]
    device.setCurrentIndex(1)
    device.activated.emit(1)
    assert app.store.state.device == "cuda:0"
    assert "9 GB" in told(qtbot, app)
    assert device.currentText() == "CPU"


def test_a_folder_that_is_gone_says_nothing_against_the_device(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    Settings(tmp_path / "settings.ini").save(Remembered(device="cuda:1"))
    core = with_cards(Broken())
    app = open_app(str(tmp_path / "gone"), core=core)
    first = app.store.state.models[0]
    assert core.asked[-1] == (first.source, "cuda:1")
    assert app.window.header.device.currentText() == "CUDA:1"
    why = why_not(tmp_path / "gone")
    assert told(qtbot, app) == f"{why} {first.title} is opened instead."


def test_a_device_that_fails_gives_way_to_the_cpu_and_that_is_said(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    Settings(tmp_path / "settings.ini").save(Remembered(device="cuda:0"))
    core = with_cards(Broken())
    app = open_app("random:decoder", core=core)
    first = app.store.state.models[0]
    assert core.asked == [
        ("random:decoder", "cuda:0"),
        (first.source, "cuda:0"),
        (first.source, "cpu"),
    ]
    assert app.window.header.device.currentText() == "CPU"
    assert told(qtbot, app) == f"{NO_ROOM} {first.title} is opened on the CPU instead."


def test_that_the_folder_is_gone_is_said_though_the_device_fails_too(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    Settings(tmp_path / "settings.ini").save(Remembered(device="cuda:0"))
    app = open_app(str(tmp_path / "gone"), core=with_cards(Broken()))
    first, why = app.store.state.models[0], why_not(tmp_path / "gone")
    assert told(qtbot, app) == f"{why} {NO_ROOM} {first.title} is opened on the CPU instead."


def test_that_the_device_is_gone_is_said_though_the_folder_is_gone_too(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    Settings(tmp_path / "settings.ini").save(Remembered(device="cuda:7"))
    app = open_app(str(tmp_path / "gone"), core=with_cards(Broken()))
    first, why = app.store.state.models[0], why_not(tmp_path / "gone")
    device = "There is no CUDA:7 here any more: the CPU is used."
    assert told(qtbot, app) == f"{device} {why} {first.title} is opened instead."
    app.session.opening.open("random:decoder")
    settled(qtbot, app)
    assert app.store.state.problem is None, "it is said once"


def test_where_nothing_can_be_opened_all_that_went_wrong_is_said(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    core = Gated()

    def load(source: str, device: str, report: Any, stop: Any) -> LoadedModel:
        core.asked.append((source, device))
        raise RequestError(f"no room for {source}")

    core.load = load  # type: ignore[method-assign]
    app = open_app("random:decoder", core=core, wait=False)
    qtbot.waitUntil(lambda: len(core.asked) == 3, timeout=20_000)
    tried = [source for source, _ in core.asked]
    assert told(qtbot, app) == " ".join(f"No room for {source}." for source in tried)
    assert len(set(tried)) == 3
    assert app.store.state.model is None


def test_after_a_cancel_a_mac_is_asked_for_by_the_name_it_is_listed_by(
    qtbot: QtBot, open_app: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Settings(tmp_path / "settings.ini").save(Remembered(device="mps"))
    core = Gated()
    own = core.abilities
    core.abilities = lambda: replace(own(), devices=("cpu", "mps"))  # type: ignore[method-assign]
    app = open_app("random:encoder", core=core)
    monkeypatch.setattr(LoadedModel, "device", torch.device("mps:0"))
    core.gate.clear()
    app.session.opening.open("random:decoder")
    qtbot.waitUntil(lambda: core.asked[-1][0] == "random:decoder")
    app.session.cancel()
    core.gate.set()
    settled(qtbot, app)
    assert app.store.state.device == "mps"
