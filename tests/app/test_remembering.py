"""What is remembered from one session to the next."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QByteArray, QSettings
from pytestqt.qtbot import QtBot

from app.by_architecture import ByArchitecture
from app.choices import Architecture, DecodeChoice, Display, Inputs, Narrowing
from app.mask_memory import write_masks
from app.selection import Selection
from app.settings import Remembered, Settings
from app.wiring import App
from core.masks import MaskChoice
from tests.app.driver import Opener, go_to, heatmap, settled, type_text

WINDOW = MaskChoice(
    key="sliding_window",
    params=(("window", 2),),
    also=(MaskChoice(key="prefix", params=(("prefix", 3),)),),
    how="or",
    blocked=((1, 0), (5, 4)),
    hide_padding=False,
)


def of(**known: Any) -> Remembered:
    return Remembered(by_architecture=ByArchitecture(**known))


def test_everything_comes_back_as_it_was(tmp_path: Path) -> None:
    remembered = Remembered(
        source="/a b/模型, 1",
        device="cuda:0",
        view="lens",
        fronts={"attention": "head_table", "predictions": "lens"},
        display=Display(theme="dark", raw_labels=True, limits="auto"),
        narrowing=Narrowing(temperature=0.7, top_k=5, top_p=0.9),
        decode=DecodeChoice(strategy="sample", seed=3, max_new_tokens=44, speed=9),
        recent=("/a b/模型, 1", "C:\\models\\bert"),
        by_architecture=ByArchitecture(
            texts={
                "encoder": Inputs(text='One, "two"\nthree; 😀 = 中文 %20', pair="yes", pad_to=9)
            },
            masks={"decoder": write_masks({"decoder.self": WINDOW})},
            sources={"decoder": "random:decoder"},
            places={
                "encoder": Selection(layer=3, head=None),
                "encoder-decoder": Selection(stack="decoder", part="cross", head=2),
            },
        ),
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
        ("encoder/site", "somewhere.else"),
        ("decoder/site", "decoder.self"),
        ("encoder/layer", "-1"),
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
    Settings(file).save(of(texts={"encoder": Inputs(text="a\nb", pair="c\nd", target="\n")}))
    assert Settings(file).load().by_architecture.texts["encoder"] == Inputs(text="a\nb", pair="c d")


def place(app: App) -> tuple[str, int, int | None]:
    selection = app.store.state.selection
    return selection.site, selection.layer, selection.head


def switch(qtbot: QtBot, app: App, architecture: Architecture) -> None:
    app.window.header.architectures[architecture].click()
    qtbot.waitUntil(
        lambda: (
            app.store.state.model.spec.architecture == architecture
            and app.store.state.answer is not None
        ),
        timeout=20_000,
    )
    settled(qtbot, app)


def test_the_next_window_looks_at_the_same_attention(qtbot: QtBot, open_app: Opener) -> None:
    first = open_app("random:encoder-decoder")
    first.window.sitebar.choose_site("decoder.cross")
    first.window.sitebar.move_layer(1)
    first.window.sitebar.move_head(2)
    first.store.select(key=1)
    switch(qtbot, first, "encoder")
    first.window.sitebar.move_layer(2)
    first.window.sitebar.toggle_mean()
    first.window.close()
    second = open_app("")
    assert place(second) == ("encoder.self", 3, None)
    assert second.window.sitebar.mean.isChecked()
    switch(qtbot, second, "encoder-decoder")
    assert place(second) == ("decoder.cross", 1, 2)
    assert second.store.state.selection.key is None


def test_a_place_that_the_model_does_not_have_gives_the_nearest(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    places = {"encoder": Selection(stack="decoder", part="cross", layer=90, head=90)}
    Settings(tmp_path / "settings.ini").save(of(places=places))
    app = open_app("random:encoder")
    spec = app.store.state.model.spec
    assert place(app) == ("encoder.self", spec.encoder.layers - 1, 3)


@pytest.mark.parametrize(("target", "site"), [("", "encoder.self"), ("ab", "decoder.cross")])
def test_a_new_encoder_decoder_opens_where_there_is_something_to_see(
    qtbot: QtBot, open_app: Opener, tmp_path: Path, target: str, site: str
) -> None:
    texts = {"encoder-decoder": Inputs(text="abc", target=target)}
    Settings(tmp_path / "settings.ini").save(of(texts=texts))
    app = open_app("random:decoder")
    switch(qtbot, app, "encoder-decoder")
    assert place(app)[0] == site
    assert min(heatmap(app).values.shape) > 1


def test_the_mask_comes_back_with_the_next_window(qtbot: QtBot, open_app: Opener) -> None:
    first = open_app("random:decoder")
    first.session.mask("decoder.self", WINDOW)
    settled(qtbot, first)
    first.window.close()
    second = open_app("")
    assert dict(second.store.state.masks) == {"decoder.self": WINDOW}
    assert second.store.state.answer.trace.request.mask("decoder.self") == WINDOW
    assert second.window.mask_panel.kind.key == "sliding_window"
    second.window.mask_panel.clear.click()
    settled(qtbot, second)
    second.window.close()
    assert dict(open_app("").store.state.masks) == {}


def test_each_architecture_has_its_own_mask(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    app.session.mask("decoder.self", WINDOW)
    settled(qtbot, app)
    switch(qtbot, app, "encoder-decoder")
    assert dict(app.store.state.masks) == {}
    switch(qtbot, app, "decoder")
    assert dict(app.store.state.masks) == {"decoder.self": WINDOW}


def test_a_broken_mask_in_the_file_does_not_keep_a_model_from_running(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    masks: dict[Architecture, str] = {"encoder": '{"encoder.self": {"key": ["causal"]}}'}
    Settings(tmp_path / "settings.ini").save(of(masks=masks))
    app = open_app()
    assert dict(app.store.state.masks) == {}
    assert app.store.state.answer is not None
