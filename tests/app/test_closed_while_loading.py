"""What was given to a model that is still on its way when the window closes is remembered."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.choices import Inputs
from app.settings import Settings
from tests.app.driver import Opener, settled, type_text
from tests.app.test_writing_while_loading import Gated, arrived


def remembered(folder: Path) -> dict[str, Inputs]:
    return dict(Settings(folder / "settings.ini").load().by_architecture.texts)


def test_a_text_written_before_the_first_model_came(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    core = Gated()
    core.gate.clear()
    app = open_app("random:decoder", core=core, wait=False)
    qtbot.waitUntil(lambda: bool(core.asked), timeout=20_000)
    type_text(app, "written early")
    app.window.close()
    assert remembered(tmp_path) == {"decoder": Inputs(text="written early")}
    again = open_app("random:decoder")
    assert again.store.state.answer.inputs.text == "written early"


def test_a_text_for_the_coming_model_is_not_the_open_ones(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    core = Gated()
    app = open_app("random:encoder", core=core)
    type_text(app, "of the encoder")
    settled(qtbot, app)
    core.gate.clear()
    app.session.opening.choose_architecture("decoder")
    qtbot.waitUntil(lambda: core.asked[-1][0] != "random:encoder")
    type_text(app, "for the decoder")
    app.window.close()
    texts = remembered(tmp_path)
    assert texts["encoder"].text == "of the encoder"
    assert texts["decoder"].text == "for the decoder"


def test_padding_chosen_for_the_coming_model_is_its_own_beside_its_own_text(
    qtbot: QtBot, open_app: Opener
) -> None:
    core = Gated()
    app = open_app("random:encoder", core=core)
    app.session.write(text="of the encoder", pad_to=9)
    settled(qtbot, app)
    core.gate.clear()
    app.session.opening.open("random:decoder")
    qtbot.waitUntil(lambda: core.asked[-1][0] == "random:decoder")
    app.window.prompt.pad_to.setValue(12)
    arrived(qtbot, app, "random:decoder", core)
    assert app.store.state.answer.inputs == Inputs(text="Once upon a time", pad_to=12)
    assert app.session.opening.known.texts["encoder"] == Inputs(text="of the encoder", pad_to=9)
