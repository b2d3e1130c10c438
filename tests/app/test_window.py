"""What the window has around its panels: menus, messages, help, the clipboard."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from app import examples, style
from app.about import about_html
from app.keys import BINDINGS, help_html
from app.panels.elided import ElidedLabel
from app.theme import DARK, LIGHT
from tests.app.driver import Opener, settled


def message_box() -> QMessageBox:
    (box,) = (w for w in QApplication.topLevelWidgets() if isinstance(w, QMessageBox))
    return box


def test_a_message_moves_neither_tabs_nor_what_one_types(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    tabs, banner = app.window.pictures.tabs, app.window.banner
    before = tabs.mapTo(app.window, QPoint(0, 0))
    app.session.complain("Something is not as it should be.", "model")
    qtbot.wait(1)
    assert banner.isVisible()
    assert tabs.mapTo(app.window, QPoint(0, 0)) == before
    assert banner.mapTo(app.window, QPoint(0, 0)).y() >= before.y() + tabs.height()


def test_a_long_path_in_a_message_does_not_widen_the_window(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    least = app.window.minimumSizeHint().width()
    path = "/home/somebody" + "/a folder of many" * 20 + "/" + "x" * 200
    app.session.complain(f"{path} has no config.json.", "model")
    qtbot.wait(1)
    assert app.window.minimumSizeHint().width() == least
    assert app.window.banner.label.text().replace("\u200b", "") == f"{path} has no config.json."
    assert app.window.banner.label.height() > 3 * app.window.banner.fontMetrics().lineSpacing()


def test_the_status_line_says_what_the_view_shows(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    for view in ("lens", "head_table"):
        app.session.look_at(view)
        settled(qtbot, app)
        views = app.store.state.abilities.views
        assert app.window.status.shows.text() == next(v.summary for v in views if v.key == view)
    assert app.window.status.shows.isVisible()


def test_every_example_is_in_the_submenu_of_its_model(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    menus = app.window.menus
    assert menus.example_menu.isEnabled()
    assert [menu.title() for menu in menus.examples.values()] == [
        "Encoder (BERT)",
        "Story teller (Llama)",
        "Translator (Transformer 2017)",
    ]
    for source, menu in menus.examples.items():
        wanted = [example.title for example in examples.read() if example.model == source]
        assert [action.text() for action in menu.actions()] == wanted


def test_the_menu_bar_too_opens_any_model(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    (menu,) = (a.menu() for a in app.window.menuBar().actions() if a.text() == "&Model")
    models = menu.actions()[-1].menu()
    models.aboutToShow.emit()
    models.aboutToShow.emit()
    marked = [action.text() for action in models.actions() if action.isChecked()]
    assert marked == ["Random encoder"]
    next(a for a in models.actions() if a.text() == "Random decoder").trigger()
    qtbot.waitUntil(lambda: app.store.state.model.source == "random:decoder")
    settled(qtbot, app)


def test_the_picture_in_front_is_copied(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    QApplication.clipboard().clear()
    app.window.exporting.copy()
    image = QApplication.clipboard().image()
    assert image.width() == 1200
    colours = {image.pixelColor(x, image.height() // 2).name() for x in range(image.width())}
    assert len(colours) > 10
    assert app.window.status.currentMessage() == "Copied as a picture"


def test_nothing_is_copied_before_there_is_a_picture(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app(wait=False)
    app.window.exporting.copy()
    assert app.store.state.problem.text == "There is no picture to copy yet."
    qtbot.waitUntil(lambda: app.store.state.answer is not None, timeout=30_000)
    settled(qtbot, app)


def test_the_help_lists_every_key_and_the_about_box_the_versions(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    app.window.show_keys()
    assert message_box().text() == help_html()
    message_box().close()
    qtbot.waitUntil(lambda: not _boxes())
    app.window.show_about()
    assert message_box().text() == about_html()
    message_box().close()
    qtbot.waitUntil(lambda: not _boxes())
    for binding in BINDINGS:
        if binding.action != "tab":
            assert binding.written in help_html()
            assert binding.meaning in help_html()
    assert "PgDown, PgUp</b></td>" in help_html().replace("Ctrl+PgDown, PgUp", "")
    for name in ("Trifocal", "PyTorch 2", "Qt for Python 6", "Python 3"):
        assert name in about_html()


def test_the_window_has_an_icon_at_every_size(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    for size in (16, 48, 256):
        image = app.window.windowIcon().pixmap(size, size).toImage()
        assert image.width() == size
        colours = {image.pixelColor(x, y).name() for x in range(size) for y in range(size)}
        assert {DARK.background, *DARK.lines[:3]} <= colours or size == 16
        assert len(colours) > 3


def test_one_goes_on_writing_at_the_end_of_a_text_that_came_from_outside(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:decoder")
    QTest.keyClicks(app.window.prompt.text, "!")
    settled(qtbot, app)
    assert app.store.state.answer.inputs.text == "Once upon a time!"


def test_what_finds_no_room_is_said_with_the_notes(qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.setText("A model with many layers and heads")
    label.explain("Two things are to be known of it.")
    label.resize(1000, 20)
    label.show()
    assert label.toolTip() == "Two things are to be known of it."
    label.resize(60, 20)
    qtbot.wait(1)
    assert label.toolTip() == f"{label.text()}\nTwo things are to be known of it."


def test_in_the_dark_a_box_to_check_is_seen(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    seen = {}
    for theme in (LIGHT, DARK):
        style.apply(theme)
        box = app.window.mask_panel.hide_padding
        box.setChecked(False)
        settled(qtbot, app)
        seen[theme.name] = _steps_of_grey(box.grab().toImage(), width=18)
    style.apply(app.window.theme)
    assert seen["light"] > 40
    assert seen["dark"] > 20


def _steps_of_grey(image: object, width: int) -> int:
    """From the ground to the edge of the box, in the row through its middle."""
    row = [image.pixelColor(x, image.height() // 2).lightness() for x in range(width)]  # type: ignore[attr-defined]
    return max(abs(grey - row[-1]) for grey in row)


def _boxes() -> list[QMessageBox]:
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, QMessageBox)]


def test_what_is_saved_next_is_offered_the_same_folder(
    qtbot: QtBot, open_app: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def answer(_: object, __: str, name: str, kinds: str) -> tuple[str, str]:
        asked.append(name)
        return str(tmp_path / "map"), kinds.split(";;")[1]

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    app = open_app("random:decoder")
    app.window.exporting.choose()
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    (tmp_path / "map.png").unlink()
    app.window.exporting.choose()
    app.window.decoding.buttons["step"].click()
    settled(qtbot, app)
    with qtbot.waitSignal(app.window.menus.saver.saved):
        app.window.menus.saver.choose()
    assert asked == [
        "attention.svg",
        str(tmp_path / "attention.svg"),
        str(tmp_path / "decoding.jsonl"),
    ]
    assert (tmp_path / "map.csv").exists()
    settled(qtbot, app)


def test_a_file_of_weights_is_opened_from_the_menu(
    qtbot: QtBot, open_app: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app()
    broken = tmp_path / "tiny.gguf"
    broken.write_bytes(b"GGUF but not really")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(broken), ""))
    app.window.choose_file()
    qtbot.waitUntil(lambda: app.store.state.problem is not None)
    assert "tiny.gguf" in app.store.state.problem.text
    settled(qtbot, app)


def test_the_first_token_moves_nothing(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    panel = app.window.decoding
    watched = (app.window.sitebar, panel.buttons["play"], panel.area, panel.text)

    def places() -> list[tuple[int, int]]:
        qtbot.wait(1)
        corners = [widget.mapTo(app.window, QPoint(0, 0)) for widget in watched]
        return [(corner.x(), corner.y()) for corner in corners]

    before = places()
    panel.buttons["step"].click()
    settled(qtbot, app)
    assert panel.chips.chips
    assert places() == before
    bar = panel.area.horizontalScrollBar().sizeHint().height()
    assert panel.area.maximumHeight() == panel.chips.minimumHeight() + bar
