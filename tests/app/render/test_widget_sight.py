"""The part of a large map that is in sight: by wheel and by dragging."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.render.drawing import Scrollable
from app.render.widget import FigureWidget
from app.render.window import Window
from tests.app.render.examples import (
    ENGLISH,
    bars,
    heatmap,
    words,
)
from tests.app.render.pointing import LEFT, drawing, listen, middle, move, show, turn, window

CONTROL = Qt.KeyboardModifier.ControlModifier


def test_the_wheel_zooms_about_the_pointer_and_reading_stays_exact(
    qtbot: QtBot, widget: FigureWidget
) -> None:
    values = np.arange(200 * 200, dtype=np.float32).reshape(200, 200)
    show(widget, heatmap(values, limits=(0, 40_000)))
    heard = listen(widget)
    at = middle(widget, 150, 30)
    for _ in range(8):
        assert turn(widget, at, 1, Qt.KeyboardModifier.NoModifier)
    seen = window(widget)
    assert seen.rows < 60
    assert seen.row <= 150 < seen.row + seen.rows
    assert seen.column <= 30 < seen.column + seen.columns
    for row, column in ((seen.row, seen.column), (seen.row + 7, seen.column + 5)):
        qtbot.mouseMove(widget, middle(widget, row, column))
        assert heard["hovered"][-1] == (
            f"query {row} → key {column}: weight {values[row, column]:,.0f}"
        )
    for _ in range(12):
        turn(widget, at, -1, Qt.KeyboardModifier.NoModifier)
    assert window(widget) == Window(0, 0, 200, 200)


def test_dragging_moves_the_map_and_picks_nothing(qtbot: QtBot, widget: FigureWidget) -> None:
    show(widget, heatmap(np.zeros((100, 100))))
    heard = listen(widget)
    start = middle(widget, 50, 50)
    for _ in range(5):
        turn(widget, start, 1, Qt.KeyboardModifier.NoModifier)
    before = window(widget)
    wide, high = drawing(widget).grid.cell
    qtbot.mousePress(widget, LEFT, pos=start)
    end = start - QPoint(round(3 * wide), round(2 * high))
    move(widget, end)
    qtbot.mouseRelease(widget, LEFT, pos=end)
    after = window(widget)
    assert (after.row - before.row, after.column - before.column) == (2, 3)
    assert heard["picked"] == []
    qtbot.mouseDClick(widget, LEFT, pos=start)
    assert window(widget) == Window(0, 0, 100, 100)


def test_a_hand_that_trembles_still_clicks(qtbot: QtBot, widget: FigureWidget) -> None:
    show(widget, heatmap(np.zeros((10, 10))))
    heard = listen(widget)
    at = middle(widget, 5, 5)
    qtbot.mousePress(widget, LEFT, pos=at)
    move(widget, at + QPoint(2, 1))
    qtbot.mouseRelease(widget, LEFT, pos=at + QPoint(2, 1))
    assert heard["picked"] == [{"query": 5, "key": 5}]


def test_what_is_zoomed_stays_so_for_another_head_but_not_another_text(
    widget: FigureWidget,
) -> None:
    show(widget, heatmap(np.zeros((60, 60))))
    turn(widget, middle(widget, 30, 30), 3, Qt.KeyboardModifier.NoModifier)
    zoomed = window(widget)
    assert zoomed != Window(0, 0, 60, 60)
    show(widget, heatmap(np.ones((60, 60))))
    assert window(widget) == zoomed
    show(widget, heatmap(np.ones((61, 61))))
    assert window(widget) == Window(0, 0, 61, 61)


def test_a_grid_of_many_words_shows_what_can_be_read_and_scrolls(widget: FigureWidget) -> None:
    show(widget, words(ENGLISH, 6, 200))
    found = widget.page.placed[0].drawing
    assert isinstance(found, Scrollable)
    first = found.window
    assert first.columns < 30
    box = found.grid.box
    at = QPoint(int(box.x + 50), int(box.y + 50))
    assert turn(widget, at, -1, Qt.KeyboardModifier.NoModifier)
    assert window(widget) == Window(0, first.column + 1, first.rows, first.columns)


def test_the_wheel_over_anything_else_is_left_to_others(widget: FigureWidget) -> None:
    show(widget, bars(["a", "b"]))
    assert not turn(widget, QPoint(100, 100), 1, Qt.KeyboardModifier.NoModifier)
