"""What is remembered from one session to the next."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings
from pytestqt.qtbot import QtBot

from app.choices import DecodeChoice, Display, Inputs, Narrowing
from app.settings import Remembered, Settings
from tests.app.driver import Opener, go_to, settled, type_text


def test_everything_comes_back_as_it_was(tmp_path: Path) -> None:
    remembered = Remembered(
        source="/a b/模型, 1",
        device="cuda:0",
        view="lens",
        display=Display(theme="dark", raw_labels=True, limits="auto"),
        narrowing=Narrowing(temperature=0.7, top_k=5, top_p=0.9),
        decode=DecodeChoice(strategy="sample", seed=3, max_new_tokens=44, speed=9),
        recent=("/a b/模型, 1", "C:\\models\\bert"),
        texts={"encoder": Inputs(text='One, "two"\nthree; 😀 = 中文 %20', pair="yes", pad_to=9)},
        sources={"decoder": "random:decoder"},
        geometry=QByteArray(b"\x00\x01\xff"),
        layout=QByteArray(b"\x02"),
    )
    file = tmp_path / "s.ini"
    Settings(file).save(remembered)
    assert Settings(file).load() == remembered


def test_without_a_file_there_are_defaults(tmp_path: Path) -> None:
    assert Settings(tmp_path / "none.ini").load() == Remembered()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("display/theme", "purple"),
        ("display/raw_labels", "perhaps"),
        ("narrowing/temperature", "hot"),
        ("narrowing/temperature", "nan"),
        ("narrowing/top_p", "7"),
        ("decode/speed", "0"),
        ("decode/speed", "-3"),
        ("decode/strategy", ""),
        ("geometry", "text"),
    ],
)
def test_a_value_that_cannot_be_gives_the_default(tmp_path: Path, key: str, value: str) -> None:
    file = tmp_path / "s.ini"
    written = QSettings(str(file), QSettings.Format.IniFormat)
    written.setValue(key, value)
    written.sync()
    assert Settings(file).load() == Remembered()


def test_a_file_of_rubbish_does_not_keep_the_window_from_opening(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    (tmp_path / "settings.ini").write_bytes(bytes(range(256)) * 4)
    app = open_app()
    assert app.store.state.answer is not None


def test_the_next_window_goes_on_where_the_last_one_ended(qtbot: QtBot, open_app: Opener) -> None:
    first = open_app("random:decoder")
    type_text(first, "my own words")
    go_to(qtbot, first, "hidden_states")
    first.session.display(theme="dark")
    first.window.docks[1].hide()
    settled(qtbot, first)
    first.window.close()
    second = open_app("")
    state = second.store.state
    assert state.model.source == "random:decoder"
    assert state.inputs.text == "my own words"
    assert state.view == "hidden_states"
    assert second.window.theme.name == "dark"
    assert second.window.docks[1].isHidden()
    assert not second.window.docks[0].isHidden()


def test_each_architecture_keeps_its_own_text(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder")
    type_text(app, "for the encoder")
    settled(qtbot, app)
    buttons = app.window.header.architectures
    for architecture, text in (("decoder", "Once upon a time"), ("encoder", "for the encoder")):
        buttons[architecture].click()  # type: ignore[index]
        qtbot.waitUntil(
            lambda a=architecture: (
                app.store.state.model.spec.architecture == a and app.store.state.answer is not None
            )
        )
        settled(qtbot, app)
        assert app.store.state.inputs.text == text
        assert app.window.prompt.text.toPlainText() == text
        assert buttons[architecture].isChecked()  # type: ignore[index]


def test_a_model_that_is_gone_gives_way_to_another_and_is_told(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    app = open_app(str(tmp_path / "deleted"))
    assert app.store.state.model is not None
    assert "deleted" in app.window.banner.label.text()
    assert app.window.banner.isVisible()
    app.window.banner.close_button.click()
    assert not app.window.banner.isVisible()


def test_what_is_typed_while_the_model_loads_is_kept(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder", wait=False)
    assert app.window.prompt.text.toPlainText() == "Once upon a time"
    type_text(app, "early bird")
    qtbot.waitUntil(lambda: app.store.state.answer is not None, timeout=30_000)
    assert app.store.state.answer.inputs.text == "early bird"
    assert app.window.prompt.text.toPlainText() == "early bird"


def test_pair_and_target_come_back_as_one_line(tmp_path: Path) -> None:
    file = tmp_path / "s.ini"
    Settings(file).save(
        Remembered(texts={"encoder": Inputs(text="a\nb", pair="c\nd", target="\n")})
    )
    assert Settings(file).load().texts["encoder"] == Inputs(text="a\nb", pair="c d")
