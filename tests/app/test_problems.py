"""What goes wrong is said in one sentence where the person looks; the last picture stays."""

from __future__ import annotations

import shutil
from pathlib import Path

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.panels.dimming import dimmed
from app.wiring import App
from core.builtin import FOLDER
from tests.app.driver import Opener, QuickCore, heatmap, press, settled, type_text


class Broken(QuickCore):
    """Raises something nobody planned for."""

    def run(self, question, previous, stop):  # type: ignore[no-untyped-def]
        if question.inputs.text == "boom":
            raise ZeroDivisionError("by chance")
        return super().run(question, previous, stop)


def belonging_to_the_text(app: App) -> tuple[QWidget, ...]:
    """What shows values of the run, beside the picture."""
    window = app.window
    return (
        window.prompt.chips,
        window.mask_panel.maps["encoder.self"],
        window.predictions.figure,
        window.status.tokens,
        window.status.times,
    )


def test_an_empty_text(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    before = app.window.pictures.figure
    app.window.prompt.text.setPlainText("")
    settled(qtbot, app)
    assert app.window.prompt.problem.isVisible()
    assert "type" in app.window.prompt.problem.text()
    assert app.window.pictures.figure is before
    assert app.window.banner.isVisible()
    assert app.window.banner.label.text() == (
        "Old picture: it still shows “The cat sat on the [MASK].”"
    )
    assert not app.window.banner.close_button.isVisible()
    for shown in belonging_to_the_text(app):
        assert dimmed(shown)
    assert app.window.status.times.toolTip()
    decoding = app.window.decoding
    assert not any(button.isEnabled() for button in decoding.buttons.values())
    assert not decoding.slider.isEnabled()
    press(app, Qt.Key.Key_Space)
    settled(qtbot, app)
    assert not app.store.state.playing and not app.store.state.fills
    type_text(app, "a")
    settled(qtbot, app)
    assert not app.window.prompt.problem.isVisible()
    assert not app.window.banner.isVisible()
    for shown in belonging_to_the_text(app):
        assert not dimmed(shown)
    assert app.window.status.times.toolTip() == ""


def test_a_text_longer_than_the_model_allows(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    app.window.prompt.text.setPlainText("a" * 600)
    settled(qtbot, app)
    assert app.window.prompt.problem.text() == (
        "The text has 602 tokens; Random encoder takes at most 512."
    )
    assert "The cat sat" in app.window.banner.label.text()
    assert heatmap(app).values.shape == (23, 23)


def test_a_failed_text_stops_what_is_decoded_of_the_one_before(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:decoder")
    press(app, Qt.Key.Key_N)
    settled(qtbot, app)
    press(app, Qt.Key.Key_N)
    settled(qtbot, app)
    press(app, Qt.Key.Key_Space)
    assert app.store.state.playing
    app.window.prompt.text.setPlainText("")
    settled(qtbot, app)
    made = app.store.state.steps
    assert len(made) >= 2 and not app.store.state.playing
    press(app, Qt.Key.Key_Space)
    press(app, Qt.Key.Key_End)
    qtbot.wait(400)
    assert app.store.state.steps == made and not app.store.state.playing
    decoding = app.window.decoding
    assert dimmed(decoding.chips)
    assert not decoding.buttons["play"].isEnabled()
    assert not decoding.choices.isEnabled()
    assert decoding.slider.isEnabled()  # it may still be looked at
    decoding.slider.setValue(1)
    settled(qtbot, app)
    assert app.store.state.selection.step == 0
    press(app, Qt.Key.Key_N)
    settled(qtbot, app)
    assert app.store.state.selection.step == 1
    type_text(app, "on")
    settled(qtbot, app)
    assert not dimmed(decoding.chips)
    assert decoding.buttons["play"].isEnabled()


def test_a_text_without_a_mask(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "no mask here")
    settled(qtbot, app)

    def told() -> bool:
        return "no [MASK]" in app.window.predictions.figure.figure.note

    qtbot.waitUntil(told)


def test_a_folder_that_is_no_checkpoint(qtbot: QtBot, open_app: Opener, tmp_path: Path) -> None:
    app = open_app()
    model, answer = app.store.state.model, app.store.state.answer
    folder = tmp_path / "holiday pictures"
    folder.mkdir()
    app.session.opening.open(str(folder))
    settled(qtbot, app)
    assert app.window.banner.isVisible()
    assert "config.json" in app.window.banner.label.text()
    assert app.window.banner.label.text().endswith(".")
    assert app.store.state.model is model
    assert app.store.state.answer is answer
    assert app.window.header.model.text() == "Random encoder"
    app.window.banner.close_button.click()
    assert not app.window.banner.isVisible()
    type_text(app, "still alive")
    settled(qtbot, app)
    assert heatmap(app).values.shape == (13, 13)


def test_a_dropped_folder_is_opened(qtbot: QtBot, open_app: Opener, tmp_path: Path) -> None:
    app = open_app()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "gone"))])
    event = QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    app.window.dropEvent(event)
    settled(qtbot, app)
    assert "gone" in app.window.banner.label.text()


def test_a_fault_nobody_foresaw_is_told_and_survived(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app(core=Broken())
    type_text(app, "boom")
    settled(qtbot, app)
    assert "ZeroDivisionError" in app.window.prompt.problem.text()
    type_text(app, "ok")
    settled(qtbot, app)
    assert not app.window.prompt.problem.isVisible()


def test_a_failed_export_is_said(qtbot: QtBot, open_app: Opener, tmp_path: Path) -> None:
    app = open_app()
    app.window.exporting.save(tmp_path / "no such folder" / "map.svg")
    assert app.window.banner.isVisible()
    assert "map.svg" in app.window.banner.label.text()
    app.window.exporting.save(tmp_path / "map.svg")
    assert (tmp_path / "map.svg").read_text(encoding="utf-8").lstrip().startswith("<")


def test_why_a_model_did_not_open_is_said_though_the_one_before_reads_no_text(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    app = open_app("random:decoder")
    bare = tmp_path / "bare"
    shutil.copytree(FOLDER / "encoder", bare)
    (bare / "tokenizer.json").unlink()

    def told(name: str) -> str:
        app.session.opening.open(str(tmp_path / name))
        qtbot.waitUntil(lambda: not app.tasks.active("load"))
        settled(qtbot, app)
        assert "cannot read text" in app.window.pictures.waiting.text()
        return app.window.banner.label.text().replace("\u200b", "")

    assert told("bare") == ""
    for name in ("none", "nothing", "never"):
        assert told(name) == f"There is no file or folder {tmp_path / name}."
    type_text(app, "Another text")
    settled(qtbot, app)
    assert "cannot read text" in app.window.prompt.problem.text()


def test_a_picture_is_old_whatever_else_goes_wrong(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    app = open_app()
    app.window.prompt.text.setPlainText("a" * 600)
    settled(qtbot, app)
    why = app.window.prompt.problem.text()
    old = app.window.banner.label.text()
    assert "602 tokens" in why and "Old picture" in old

    def stays_old() -> None:
        assert app.window.prompt.problem.text() == why
        assert all(dimmed(shown) for shown in belonging_to_the_text(app))
        press(app, Qt.Key.Key_N)
        settled(qtbot, app)
        assert not app.store.state.fills

    for name in ("none", "nothing"):
        app.session.opening.open(str(tmp_path / name))
        qtbot.waitUntil(lambda: not app.tasks.active("load"))
        settled(qtbot, app)
        assert "There is no file or folder" in app.window.banner.label.text()
        assert app.window.banner.close_button.isVisible()
        stays_old()
    app.window.banner.close_button.click()
    settled(qtbot, app)
    assert app.window.banner.label.text() == old
    assert not app.window.banner.close_button.isVisible()
    stays_old()
