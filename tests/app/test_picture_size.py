"""Pictures drawn larger: laid out in as much less room, and read where they are drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.render.diagram import DiagramDrawing
from app.render.heatmap import HeatmapDrawing
from app.render.page import LEAST_SCALE
from app.settings import Settings
from tests.app.driver import Opener, front, settled, type_text


def test_a_larger_picture_fills_the_same_room_and_is_read_and_picked_there(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    type_text(app, "abcd")
    settled(qtbot, app)
    widget = front(app)
    usual, before = widget.page.box, widget.grab().toImage()
    app.window.menus.sizes["150"].trigger()
    settled(qtbot, app)
    page = widget.page
    assert (page.box.width, page.box.height) == pytest.approx(
        (usual.width / 1.5, usual.height / 1.5)
    )
    after = widget.grab().toImage()
    assert after.size() == before.size()
    assert after != before
    drawing = page.placed[0].drawing
    assert isinstance(drawing, HeatmapDrawing)
    x, y = drawing.grid.rect(2, 4).middle
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=QPoint(round(1.5 * x), round(1.5 * y)))
    assert (app.store.state.selection.query, app.store.state.selection.key) == (2, 4)


def test_the_list_of_predictions_grows_with_them(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    settled(qtbot, app)
    listed = app.window.predictions.figure
    assert listed is not None
    usual = listed.minimumHeight()
    app.session.display(picture_size="200")
    settled(qtbot, app)
    qtbot.waitUntil(lambda: listed.minimumHeight() > 1.6 * usual)
    assert listed.page.box.width >= 170, "words, bars and numbers find room side by side"


def test_large_texts_of_the_system_are_followed(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    settled(qtbot, app)
    assert front(app).scale == 1.0
    font = QApplication.font()
    larger = QApplication.font()
    larger.setPixelSize(20)
    QApplication.setFont(larger)
    try:
        assert front(app).scale == pytest.approx(20 / 13.4)
        assert front(app).page.box.width == pytest.approx(front(app).width() * 13.4 / 20)
    finally:
        QApplication.setFont(font)


@pytest.mark.parametrize(("kept", "used"), [("150", "150"), ("900", "100"), ("x", "100")])
def test_the_size_is_remembered_and_nonsense_is_not(tmp_path: Path, kept: str, used: str) -> None:
    # One file a case: QSettings reads a file anew only when its time stamp has moved.
    path = tmp_path / "s.ini"
    path.write_text(f"[display]\npicture_size={kept}\n")
    assert Settings(path).load().display.picture_size == used


def test_a_page_keeps_room_enough_to_be_read(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    app.session.display(picture_size="200")
    app.window.resize(1024, 700)
    settled(qtbot, app)
    widget = front(app)
    assert 1.0 < widget.scale < 1.5
    box = widget.page.box
    assert min(box.width / 400, box.height / 300) == pytest.approx(1.0)


def test_a_diagram_is_enlarged_only_while_its_arrows_find_room(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder-decoder")
    app.session.display(picture_size="200")
    settled(qtbot, app)
    map_scale = front(app).scale
    app.session.look_at("architecture")
    settled(qtbot, app)
    widget = front(app)
    assert 1.0 <= widget.scale < map_scale
    diagram = widget.page.placed[0].drawing
    assert isinstance(diagram, DiagramDrawing)
    assert diagram.panel.height * LEAST_SCALE <= widget.page.placed[0].box.height + 1
