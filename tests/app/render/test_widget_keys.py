"""The widget by keyboard alone."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.render.widget import FigureWidget
from app.render.window import Window
from app.theme import LIGHT
from tests.app.render.examples import (
    bars,
    figures,
    heatmap,
)
from tests.app.render.pointing import listen, show, window

CONTROL = Qt.KeyboardModifier.ControlModifier


def test_cells_are_read_and_picked_by_keyboard(qtbot: QtBot, widget: FigureWidget) -> None:
    show(widget, heatmap(np.eye(4), row=1, column=2))
    heard = listen(widget)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Left):
        qtbot.keyClick(widget, key, CONTROL)
    assert heard["hovered"] == [
        "query 1 → key 2: weight 0.000",
        "query 2 → key 2: weight 1.000",
        "query 2 → key 1: weight 0.000",
    ]
    assert widget.accessibleDescription() == heard["hovered"][-1]
    qtbot.keyClick(widget, Qt.Key.Key_Return)
    assert heard["picked"] == [{"query": 2, "key": 1}]


def test_the_keyboard_walks_on_into_the_next_panel(qtbot: QtBot, widget: FigureWidget) -> None:
    show(widget, bars(["a", "b"]), bars(["c", "d"]))
    heard = listen(widget)
    for _ in range(4):
        qtbot.keyClick(widget, Qt.Key.Key_Down, CONTROL)
    assert [str(words)[1] for words in heard["hovered"]] == ["a", "b", "c", "d"]
    qtbot.keyClick(widget, Qt.Key.Key_Down, CONTROL)
    assert len(heard["hovered"]) == 4


@pytest.mark.parametrize("name", figures())
def test_every_figure_can_be_walked_by_keyboard(
    qtbot: QtBot, widget: FigureWidget, name: str
) -> None:
    widget.show_figure(figures()[name])
    heard = listen(widget)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Up):
        qtbot.keyClick(widget, key, CONTROL)
    widget.grab()
    assert bool(heard["hovered"]) == (not name.startswith("empty"))


def test_the_map_is_zoomed_by_keyboard_and_follows_the_reading(
    qtbot: QtBot, widget: FigureWidget
) -> None:
    show(widget, heatmap(np.zeros((40, 40))))
    for _ in range(6):
        qtbot.keyClick(widget, Qt.Key.Key_Plus)
    seen = window(widget)
    assert seen.rows < 20
    qtbot.keyClick(widget, Qt.Key.Key_Right, CONTROL)  # reads the first cell, out of sight so far
    assert window(widget) == Window(0, 0, seen.rows, seen.columns)
    qtbot.keyClick(widget, Qt.Key.Key_0)
    assert window(widget) == Window(0, 0, 40, 40)
    qtbot.keyClick(widget, Qt.Key.Key_Plus)
    qtbot.keyClick(widget, Qt.Key.Key_Minus)
    assert window(widget).rows in (39, 40)


def test_plain_arrows_are_left_to_the_window(qtbot: QtBot, widget: FigureWidget) -> None:
    show(widget, heatmap(np.eye(4)))
    heard = listen(widget)
    qtbot.keyClick(widget, Qt.Key.Key_Right)
    assert heard["hovered"] == []


def test_the_keyboard_reaches_it_and_a_reader_is_told_what_it_is(
    qtbot: QtBot, widget: FigureWidget
) -> None:
    widget.show_figure(figures()["attention"])
    assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert widget.accessibleName() == "Encoder self-attention · layer 3 · head 5"
    assert widget.accessibleDescription().startswith("Each row sums to 1")
    before = widget.grab().toImage()
    widget.clearFocus()
    widget.setFocus(Qt.FocusReason.MouseFocusReason)
    assert widget.grab().toImage() == before
    widget.clearFocus()
    widget.activateWindow()
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(widget.hasFocus, timeout=2000)
    assert widget.grab().toImage().pixelColor(0, 300).name() == LIGHT.accent
