"""What a person chooses before the core is imported is what is opened once it is."""

from __future__ import annotations

import threading
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.examples import read
from app.panels.nothing_read import NO_MODEL
from app.store import Abilities
from app.wiring import App
from tests.app.driver import Opener, QuickCore, settled


class Held(QuickCore):
    """A core whose import lasts until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    def abilities(self) -> Abilities:
        assert self.go.wait(20)
        return super().abilities()


def let_go(qtbot: QtBot, app: App, core: Held) -> None:
    core.go.set()
    qtbot.waitUntil(lambda: app.store.state.answer is not None, timeout=30_000)
    settled(qtbot, app)


def test_an_architecture_chosen_early_opens_its_built_in_model(
    qtbot: QtBot, open_app: Opener
) -> None:
    core = Held()
    app = open_app("", core=core, wait=False)
    app.window.header.architectures["decoder"].click()
    assert app.store.state.inputs == app.session.opening.known.text("decoder"), "it is seen at once"
    let_go(qtbot, app, core)
    assert app.store.state.source == "builtin:decoder"
    assert app.store.state.problem is None
    assert app.window.pictures.figure.panels


def test_of_several_early_wishes_the_last_one_holds(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app("", core=core, wait=False)
    app.window.header.architectures["encoder-decoder"].click()
    app.session.opening.open("random:decoder")
    app.session.cancel()
    assert app.store.state.source == "random:decoder"
    let_go(qtbot, app, core)
    assert app.store.state.model.source == "random:decoder"
    assert app.store.state.abilities is not None


def test_an_example_chosen_early(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app("", core=core, wait=False)
    example = next(e for e in read() if e.model == "builtin:translator")
    app.session.opening.show_example(example)
    let_go(qtbot, app, core)
    assert app.store.state.source == "builtin:translator"
    assert app.store.state.inputs == example.inputs


def test_what_was_typed_early_is_kept(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app("", core=core, wait=False)
    app.session.write(text="Typed before.")
    app.session.opening.choose_architecture("decoder")
    let_go(qtbot, app, core)
    assert app.store.state.source == "builtin:decoder"
    assert app.store.state.inputs.text == "Typed before."


def test_a_remembered_device_that_is_gone_gives_way_to_the_cpu(
    qtbot: QtBot, tmp_path: Path, open_app: Opener
) -> None:
    (tmp_path / "settings.ini").write_text("[General]\ndevice=mps\n")
    app = open_app("random:decoder")
    assert app.store.state.model.source == "random:decoder"
    assert app.store.state.device == "cpu"
    problem = app.store.state.problem
    assert problem is not None
    assert problem.text == "There is no MPS here any more: the CPU is used."


def test_what_comes_in_place_of_a_broken_model_is_said(
    qtbot: QtBot, tmp_path: Path, open_app: Opener
) -> None:
    app = open_app(str(tmp_path / "gone"))
    problem = app.store.state.problem
    assert problem is not None
    assert problem.text.endswith(" is opened instead.")
    assert problem.text.count(".") >= 2


def test_a_gone_device_does_not_undo_an_early_choice(
    qtbot: QtBot, tmp_path: Path, open_app: Opener
) -> None:
    (tmp_path / "settings.ini").write_text("[General]\ndevice=mps\n")
    core = Held()
    app = open_app("", core=core, wait=False)
    app.session.opening.choose_architecture("decoder")
    let_go(qtbot, app, core)
    assert app.store.state.source == "builtin:decoder"
    problem = app.store.state.problem
    assert problem is not None
    assert problem.text == "There is no MPS here any more: the CPU is used."


def test_a_built_in_model_has_a_name_before_its_title_is_known(
    qtbot: QtBot, open_app: Opener
) -> None:
    core = Held()
    app = open_app("builtin:decoder", core=core, wait=False)
    assert app.window.header.model.text() == "Decoder"
    let_go(qtbot, app, core)
    assert app.window.header.model.text() == "Story teller (Llama)"


class Missing(QuickCore):
    """A core that cannot be imported at first."""

    def __init__(self) -> None:
        super().__init__()
        self.there = False

    def abilities(self) -> Abilities:
        if not self.there:
            raise ImportError("libtorch_cpu.so: cannot open shared object file")
        return super().abilities()


def test_a_choice_after_a_failed_import_tries_it_again(qtbot: QtBot, open_app: Opener) -> None:
    core = Missing()
    app = open_app("random:decoder", core=core, wait=False)
    window = app.window
    qtbot.waitUntil(window.banner.isVisible)
    assert window.pictures.waiting.text() == NO_MODEL
    app.session.dismiss()
    app.session.opening.open("random:encoder")
    qtbot.waitUntil(window.banner.isVisible)
    assert "libtorch" in window.banner.label.text(), "it is said again"
    core.there = True
    app.session.opening.choose_architecture("decoder")
    assert app.store.state.problem is None
    qtbot.waitUntil(lambda: app.store.state.answer is not None, timeout=30_000)
    settled(qtbot, app)
    assert app.store.state.model.spec.architecture == "decoder"
