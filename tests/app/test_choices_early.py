"""How one decodes, chosen before the first model is there, is its own architecture's."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.choices import DecodeChoice, Narrowing
from app.settings import Settings
from tests.app.driver import Opener
from tests.app.test_starting import Held, let_go
from tests.app.test_writing_while_loading import Gated


def test_another_architecture_chosen_early_has_its_own_choices(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:decoder")
    app.session.narrow(temperature=2.0)
    app.session.stepping.choose(strategy="sample", seed=7)
    app.window.close()
    core = Held()
    later = open_app("random:decoder", core=core, wait=False)
    later.session.narrow(temperature=0.5)
    later.session.opening.choose_architecture("encoder-decoder")
    assert later.store.state.narrowing == Narrowing(), "it is seen at once"
    let_go(qtbot, later, core)
    state = later.store.state
    assert (state.decode, state.narrowing) == (DecodeChoice(), Narrowing())
    known = later.session.opening.known
    assert known.narrowings["decoder"].temperature == 0.5
    assert known.decodings["decoder"].seed == 7


def test_what_was_chosen_while_the_first_model_loads_is_remembered(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    app = open_app("random:decoder")
    app.session.narrow(temperature=0.5)
    app.window.close()
    core = Gated()
    core.gate.clear()
    later = open_app("random:decoder", core=core, wait=False)
    qtbot.waitUntil(lambda: bool(core.asked), timeout=20_000)
    later.session.narrow(temperature=2.0)
    later.window.close()
    known = Settings(tmp_path / "settings.ini").load().by_architecture
    assert known.narrowings["decoder"].temperature == 2.0
