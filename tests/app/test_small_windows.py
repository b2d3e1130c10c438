"""The window on a projector: all of it fits, and what finds no room gives way."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QScrollArea,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.panels.room import Room
from tests.app.driver import Opener, settled

SMALL = (1024, 700)


@pytest.mark.parametrize("model", ["encoder", "decoder", "encoder-decoder"])
def test_a_projector_is_wide_and_high_enough(qtbot: QtBot, open_app: Opener, model: str) -> None:
    app = open_app(f"random:{model}")
    app.window.resize(*SMALL)
    qtbot.waitUntil(lambda: app.window.size().toTuple() == SMALL)
    for strategy in ("greedy", "sample", "beam"):
        app.session.stepping.choose(strategy=strategy)
        qtbot.wait(20)
        assert app.window.minimumSizeHint().width() <= SMALL[0]
        assert app.window.minimumSizeHint().height() <= 600
        assert app.window.size().toTuple() == SMALL
    assert app.window.pictures.width() >= 400


def test_what_steers_a_search_is_read_and_the_slider_aimed_at(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder-decoder")
    app.window.resize(*SMALL)
    app.session.stepping.choose(strategy="beam", beams=4)
    settled(qtbot, app)
    bar = app.window.decoding
    qtbot.waitUntil(lambda: bar.choices.length_penalty.isVisible())
    qtbot.wait(20)
    assert bar.slider.width() >= 120
    spins = (bar.choices.beams, bar.choices.length_penalty, bar.choices.most)
    for spin, text in zip(spins, ("4 beams", "penalty 1.00", "at most 20 tokens"), strict=True):
        assert spin.text() == text
        field = spin.findChild(QLineEdit)
        assert spin.fontMetrics().horizontalAdvance(text) <= field.width()
    app.session.stepping.choose(beams=1)
    assert bar.choices.beams.text() == "1 beam"


def test_the_window_stays_so_while_a_model_decodes(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    app.window.resize(*SMALL)
    app.session.stepping.choose(max_new_tokens=6)
    app.session.stepping.last()
    settled(qtbot, app)
    app.session.stepping.take_at(0, 7)  # another branch
    settled(qtbot, app)
    app.window.decoding.checks.check.click()
    settled(qtbot, app)
    assert app.window.decoding.checks.result.text()
    assert app.window.minimumSizeHint().width() <= SMALL[0]


def test_the_text_so_far_is_read_beside_beams_and_branches(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    app.window.resize(*SMALL)
    app.session.stepping.choose(max_new_tokens=12)
    app.session.stepping.last()
    settled(qtbot, app)
    app.session.stepping.choose(strategy="beam")
    app.session.stepping.last()
    settled(qtbot, app)
    bar = app.window.decoding
    qtbot.waitUntil(bar.branch.isVisible)
    qtbot.wait(20)
    assert bar.ending.text()
    assert bar.text.width() >= min(240, bar.text.sizeHint().width())
    assert bar.branch.width() >= 120
    assert app.window.minimumSizeHint().width() <= SMALL[0]


def test_the_decoding_bar_is_whole_where_texts_are_large(qtbot: QtBot, open_app: Opener) -> None:
    font, larger = QApplication.font(), QApplication.font()
    larger.setPixelSize(20)
    QApplication.setFont(larger)
    try:
        app = open_app("random:decoder")
        app.session.stepping.choose(max_new_tokens=4)
        app.session.stepping.last()
        settled(qtbot, app)
        check, room = app.window.decoding.checks.check, app.window.docks[4].widget()
        qtbot.waitUntil(check.isVisible)
        qtbot.waitUntil(lambda: _inside(check, room))
    finally:
        QApplication.setFont(font)


def test_the_bar_of_heads_gives_way_and_comes_back(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder-decoder")
    bar = app.window.sitebar
    assert bar.layer.of.isVisible()
    assert bar.site.currentText() == "Encoder self-attention"
    wide = bar.layer.on.width()
    app.window.resize(*SMALL)
    qtbot.waitUntil(lambda: not bar.layer.of.isVisible())
    assert bar.site.currentText() == "Encoder"
    assert bar.layer.spin.toolTip() == f"1 {bar.layer.of.text()}"
    assert bar.mean.geometry().right() <= bar.width(), "no control is cut off"
    app.window.resize(1366, 768)
    qtbot.waitUntil(bar.layer.of.isVisible)
    assert bar.site.currentText() == "Encoder self-attention"
    qtbot.waitUntil(lambda: bar.layer.on.width() == wide)


@pytest.mark.parametrize("width", range(1200, 1380, 20))
def test_the_site_is_named_in_full_at_every_width(
    qtbot: QtBot, open_app: Opener, width: int
) -> None:
    app = open_app("random:encoder-decoder", wait=False)
    app.window.resize(width, 720)  # before there is a site to be named
    bar = app.window.sitebar
    qtbot.waitUntil(lambda: app.store.state.answer is not None, timeout=30_000)
    settled(qtbot, app)
    for site in ("encoder.self", "decoder.cross"):
        bar.choose_site(site)
        option = QStyleOptionComboBox()
        bar.site.initStyleOption(option)
        field = bar.site.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            bar.site,
        )
        words = bar.site.currentText()
        assert bar.site.fontMetrics().horizontalAdvance(words) <= field.width()
    assert bar.mean.geometry().right() <= bar.width(), "no control is cut off"


def test_a_panel_in_a_low_window_scrolls(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder-decoder")
    room = app.window.docks[1].widget()
    assert isinstance(room, Room)
    assert not room.verticalScrollBar().isVisible(), "here all of it has room"
    app.window.resize(1366, 560)
    qtbot.waitUntil(room.verticalScrollBar().isVisible)
    reset = app.window.mask_panel.clear
    assert reset.mapTo(room, QPoint(0, 0)).y() > room.height()
    room.ensureWidgetVisible(reset)
    assert room.widget().x() == 0
    assert _inside(reset, room)
    app.window.resize(1366, 768)
    qtbot.waitUntil(lambda: not room.verticalScrollBar().isVisible())


def test_a_panel_that_grows_gets_its_room(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder")
    dock, panel = app.window.docks[1], app.window.mask_panel
    before = dock.height()
    line = QLabel("one more line")
    line.setMinimumHeight(before // 3)
    layout = panel.layout()
    assert layout is not None
    layout.addWidget(line)
    qtbot.waitUntil(lambda: dock.height() > before)
    room = dock.widget()
    assert isinstance(room, QScrollArea)
    qtbot.waitUntil(lambda: not room.verticalScrollBar().isVisible())


def _inside(widget: QWidget, around: QWidget) -> bool:
    top = widget.mapTo(around, QPoint(0, 0))
    return around.rect().contains(top) and around.rect().contains(
        top + QPoint(widget.width() - 1, widget.height() - 1)
    )


def test_the_chosen_step_stays_in_sight_when_the_window_becomes_narrow(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:decoder")
    app.window.resize(1920, 900)
    app.session.stepping.choose(max_new_tokens=40)
    app.session.stepping.last()
    settled(qtbot, app)
    bar = app.window.decoding
    qtbot.waitUntil(lambda: len(bar.chips.chips) == 40 and app.store.state.selection.step == 39)

    def sees(index: int) -> bool:
        return bar.chips.visibleRegion().contains(bar.chips.box(index).center().toPoint())

    qtbot.waitUntil(lambda: sees(39))
    app.window.resize(*SMALL)
    qtbot.waitUntil(lambda: app.window.size().toTuple() == SMALL)
    qtbot.wait(20)
    assert bar.area.horizontalScrollBar().maximum() > 0
    assert sees(39)
    bar.area.horizontalScrollBar().setValue(0)
    app.window.resize(1060, 700)
    qtbot.wait(20)
    assert bar.area.horizontalScrollBar().value() == 0, "brought back after it was scrolled away"


@pytest.mark.parametrize("strategy", ["greedy", "beam"])
def test_why_it_ended_is_read_beside_all_else(
    qtbot: QtBot, open_app: Opener, strategy: str
) -> None:
    """Where there is a branch too, and the cache was checked."""
    app = open_app("random:decoder")
    app.window.resize(1366, 768)
    stepping = app.session.stepping
    stepping.choose(strategy="sample", max_new_tokens=20)
    stepping.last()
    settled(qtbot, app)
    stepping.choose(strategy=strategy, beams=4)
    stepping.last()
    settled(qtbot, app)
    bar = app.window.decoding
    bar.checks.check.click()
    settled(qtbot, app)
    qtbot.waitUntil(bar.branch.isVisible)
    qtbot.wait(20)
    assert "raise “at most”" in bar.ending.text().lower()
    qtbot.waitUntil(lambda: QLabel.text(bar.ending) == bar.ending.text())
    assert bar.text.width() >= 240
