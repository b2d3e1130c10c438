"""What the menus offer, and that they offer nothing that would do nothing."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.panels.predictions import UNTRAINED
from tests.app.driver import Opener, front, settled, type_text


def test_what_would_do_nothing_is_grey(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder")
    menus = app.window.menus
    assert not menus.between.menuAction().isEnabled()
    assert not menus.export_run.isEnabled()
    assert not menus.forget.isEnabled()
    app.session.write(text="ab [MASK]", pair="cd")
    settled(qtbot, app)
    app.session.running.keep()
    app.session.stepping.on()
    settled(qtbot, app)
    assert menus.between.menuAction().isEnabled()
    assert menus.export_run.isEnabled()
    assert menus.forget.isEnabled()


def test_an_empty_state_is_no_picture(qtbot: QtBot, open_app: Opener, tmp_path: Path) -> None:
    app = open_app("random:decoder")
    app.session.look_at("beams")
    settled(qtbot, app)
    app.window.exporting.save(tmp_path / "beams.csv")
    assert not (tmp_path / "beams.csv").exists()
    said = app.window.banner.label.text()
    assert said.startswith("There is no picture to export: ")
    QApplication.clipboard().clear()
    app.window.exporting.copy()
    assert QApplication.clipboard().image().isNull()


def test_the_right_button_offers_the_picture(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    around = front(app).parentWidget()
    assert front(app).contextMenuPolicy() == Qt.ContextMenuPolicy.DefaultContextMenu
    assert around is not None
    assert around.contextMenuPolicy() == Qt.ContextMenuPolicy.ActionsContextMenu
    assert around.actions() == [app.window.menus.copy, app.window.menus.export]


def test_the_edit_menu_acts_on_the_text(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    editing, text = app.window.menus.editing, app.window.prompt.text
    type_text(app, "some words")
    editing.enable()
    assert not editing.actions["cut"].isEnabled()
    editing.actions["selectAll"].trigger()
    editing.enable()
    assert editing.actions["cut"].isEnabled()
    editing.actions["cut"].trigger()
    assert text.toPlainText() == ""
    assert QApplication.clipboard().text() == "some words"
    editing.actions["undo"].trigger()
    assert text.toPlainText() == "some words"


def test_an_untrained_model_says_so_in_sight(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:vanilla")
    assert app.window.header.model.text() == "The 2017 Transformer, untrained"
    assert " · untrained" in app.window.header.facts.text()
    assert app.window.predictions.untrained.isVisible()
    assert app.window.predictions.untrained.text() == UNTRAINED
