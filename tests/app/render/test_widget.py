"""The widget under a real mouse and keyboard."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.figure import Bar, Bars, Box, Diagram, Figure, Heatmap
from app.render.drawing import Scrollable
from app.render.heatmap import HeatmapDrawing
from app.render.mosaic import MosaicDrawing
from app.render.page import Page
from app.render.widget import FigureWidget
from app.render.window import Window
from app.theme import DARK, LIGHT
from tests.app.render.examples import (
    ENGLISH,
    attention,
    bars,
    curves,
    diagram,
    figures,
    heatmap,
    mosaic,
    paths,
    words,
)

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def widget(qtbot: QtBot) -> FigureWidget:
    made = FigureWidget()
    qtbot.addWidget(made)
    made.resize(900, 640)
    made.show()
    return made


def show(widget: FigureWidget, *panels: object, **changes: object) -> None:
    widget.show_figure(Figure(title="t", panels=panels, **changes))  # type: ignore[arg-type]


def drawing(widget: FigureWidget, panel: int = 0) -> HeatmapDrawing:
    found = widget.page.placed[panel].drawing
    assert isinstance(found, HeatmapDrawing)
    return found


def middle(widget: FigureWidget, row: int, column: int, panel: int = 0) -> QPoint:
    x, y = drawing(widget, panel).grid.rect(row, column).middle
    return QPoint(int(x), int(y))


def turn(widget: FigureWidget, at: QPoint, steps: int, modifier: Qt.KeyboardModifier) -> bool:
    event = QWheelEvent(
        QPointF(at),
        QPointF(widget.mapToGlobal(at)),
        QPoint(),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        modifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def listen(widget: FigureWidget) -> dict[str, list[object]]:
    heard: dict[str, list[object]] = {"picked": [], "hovered": [], "left": [], "opened": []}
    widget.picked.connect(heard["picked"].append)
    widget.hovered.connect(heard["hovered"].append)
    widget.hover_left.connect(lambda: heard["left"].append(None))
    widget.opened.connect(heard["opened"].append)
    return heard


def test_the_read_out_names_words_positions_and_every_value(
    qtbot: QtBot, widget: FigureWidget
) -> None:
    heard = listen(widget)
    show(widget, attention(ENGLISH))
    panel = widget.figure.panels[0]
    assert isinstance(panel, Heatmap)
    qtbot.mouseMove(widget, middle(widget, 3, 2))
    weight, score = panel.values[3, 2], panel.details[0][1][3, 2]
    said = f"query “bank” (3) → key “river” (2): weight {weight:.3f} · score −{-score:.2f}"
    assert heard["hovered"] == [said]


def test_leaving_the_cells_and_the_widget_is_told_once(qtbot: QtBot, widget: FigureWidget) -> None:
    heard = listen(widget)
    show(widget, heatmap(np.eye(4)))
    qtbot.mouseMove(widget, middle(widget, 1, 1))
    qtbot.mouseMove(widget, QPoint(2, 2))
    qtbot.mouseMove(widget, QPoint(4, 2))
    assert len(heard["hovered"]) == 1
    assert len(heard["left"]) == 1


def test_another_figure_is_read_at_once_under_a_resting_pointer(
    qtbot: QtBot, widget: FigureWidget
) -> None:
    heard = listen(widget)
    show(widget, heatmap(np.zeros((4, 4))))
    qtbot.mouseMove(widget, middle(widget, 1, 1))
    show(widget, heatmap(np.ones((4, 4))))
    assert heard["hovered"] == [
        "query 1 → key 1: weight 0.000",
        "query 1 → key 1: weight 1.000",
    ]


def test_the_pointer_changes_the_picture_only_while_it_is_there(
    qtbot: QtBot, widget: FigureWidget
) -> None:
    show(widget, heatmap(np.eye(6)))
    before = widget.grab().toImage()
    qtbot.mouseMove(widget, middle(widget, 2, 2))
    during = widget.grab().toImage()
    qtbot.mouseMove(widget, QPoint(2, 2))
    assert before != during
    assert widget.grab().toImage() == before


def test_a_click_on_a_head_picks_layer_and_head(qtbot: QtBot, widget: FigureWidget) -> None:
    heard = listen(widget)
    show(widget, mosaic())
    found = widget.page.placed[0].drawing
    assert isinstance(found, MosaicDrawing)
    x, y = found.grid.rect(4, 9).middle
    qtbot.mouseClick(widget, LEFT, pos=QPoint(int(x), int(y)))
    assert heard["picked"] == [{"layer": 4, "head": 9}]


def test_a_click_on_a_bar_picks_its_token(qtbot: QtBot, widget: FigureWidget) -> None:
    heard = listen(widget)
    show(widget, bars(["a", "b", "c"]))
    body = widget.page.placed[0].box
    qtbot.mouseClick(widget, LEFT, pos=QPoint(200, int(body.y) + 24 + 27 + 13))
    assert heard["picked"] == [{"token": 101}]
    assert str(heard["hovered"][0]).startswith("“b”: probability 0.")


def test_a_list_that_only_tells_takes_no_token(qtbot: QtBot, widget: FigureWidget) -> None:
    """Neighbours of an embedding are no candidates of decoding."""
    heard = listen(widget)
    show(widget, replace(bars(["a", "b", "c"]), takes=False))
    body = widget.page.placed[0].box
    qtbot.mouseClick(widget, LEFT, pos=QPoint(200, int(body.y) + 24 + 27 + 13))
    assert heard["picked"] == []
    assert widget.cursor().shape() == Qt.CursorShape.ArrowCursor


def test_a_title_gets_smaller_before_it_is_cut(widget: FigureWidget) -> None:
    from app.render import text
    from tests.app.render.recording import record

    long = "Inside head 3 of 8 · encoder self-attention · layer 2 of 4 · “the” (index 12)"
    room = text.width(long, 14, True) + 30
    canvas = record(Figure(title=long, panels=(bars(["a"]),)), room, 300)
    assert canvas.words[0] == long
    assert canvas.texts[0].box.width <= room - 24
    lines = record(Figure(title=long, panels=(bars(["a"]),)), 400, 300).words[:2]
    assert " ".join(lines) == long, "two lines before it is cut"
    assert min(len(line) for line in lines) > len(long) / 3
    assert record(Figure(title=long, panels=(bars(["a"]),)), 200, 300).words[1].endswith("…")


def test_a_click_on_a_box_opens_its_view_and_picks(qtbot: QtBot, widget: FigureWidget) -> None:
    heard = listen(widget)
    show(widget, diagram())
    found = widget.page.placed[0].drawing
    x, y = found._boxes[2].middle  # type: ignore[attr-defined]
    qtbot.mouseClick(widget, LEFT, pos=QPoint(int(x), int(y)))
    assert heard["opened"] == ["attention"]
    assert heard["picked"] == [{"layer": 2}]
    assert heard["hovered"] == ["4 heads of 64"]


def test_a_click_on_a_box_names_the_words_it_selects(qtbot: QtBot, widget: FigureWidget) -> None:
    heard = listen(widget)
    words = (("stack", "decoder"), ("part", "cross"))
    box = Box(
        key="a", text="a", x=0, y=0, width=50, height=50, picks=(("layer", 1),), selects=words
    )
    show(widget, Diagram(title="", boxes=(box,)))
    found = widget.page.placed[0].drawing
    x, y = found._boxes[0].middle  # type: ignore[attr-defined]
    qtbot.mouseClick(widget, LEFT, pos=QPoint(int(x), int(y)))
    assert heard["picked"] == [{"layer": 1, "stack": "decoder", "part": "cross"}]


def test_a_click_on_a_path_picks_its_token(qtbot: QtBot, widget: FigureWidget) -> None:
    heard = listen(widget)
    panel = replace(paths(ENGLISH), points=np.arange(16 * 7 * 2).reshape(16, 7, 2))
    show(widget, panel)
    found = widget.page.placed[0].drawing
    x, y = found._places[5, 6]  # type: ignore[attr-defined]
    qtbot.mouseClick(widget, LEFT, pos=QPoint(round(x), round(y)))
    assert heard["picked"] == [{"query": 5}]
    assert heard["hovered"] == ["“steep” (5), layer 6: 82.00, 83.00"]
    show(widget, replace(panel, places=tuple(range(3, 19))))  # after three places of padding
    qtbot.mouseMove(widget, QPoint(3, 3))
    qtbot.mouseClick(widget, LEFT, pos=QPoint(round(x), round(y)))
    assert heard["picked"][1:] == [{"query": 8}]
    assert heard["hovered"][-1] == "“steep” (8), layer 6: 82.00, 83.00"


def test_curves_are_read_at_the_nearest_x(qtbot: QtBot, widget: FigureWidget) -> None:
    heard = listen(widget)
    panel = curves()
    show(widget, panel)
    found = widget.page.placed[0].drawing
    x, y = found.plot.at(3.2, 1.0)  # type: ignore[attr-defined]
    qtbot.mouseMove(widget, QPoint(round(x), round(y)))
    said = str(heard["hovered"][0])
    assert said.startswith("layer 3: ")
    for curve in panel.curves:
        assert curve.name in said


def test_a_click_beside_the_cells_picks_nothing(qtbot: QtBot, widget: FigureWidget) -> None:
    heard = listen(widget)
    show(widget, heatmap(np.eye(4)))
    qtbot.mouseClick(widget, LEFT, pos=QPoint(3, 3))
    qtbot.mouseClick(widget, Qt.MouseButton.RightButton, pos=middle(widget, 1, 1))
    assert heard["picked"] == []


# --- the part in sight --------------------------------------------------------------------------


def window(widget: FigureWidget, panel: int = 0) -> Window:
    found = widget.page.placed[panel].drawing
    assert isinstance(found, Scrollable)
    return found.window


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


def move(widget: FigureWidget, to: QPoint) -> None:
    """A move with the left button held, which qtbot cannot send."""
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent

    none = Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(to),
        QPointF(widget.mapToGlobal(to)),
        Qt.MouseButton.NoButton,
        LEFT,
        none,
    )
    QApplication.sendEvent(widget, event)


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


# --- the keyboard -------------------------------------------------------------------------------


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


# --- looks --------------------------------------------------------------------------------------


def test_another_theme_repaints_everything(widget: FigureWidget) -> None:
    show(widget, heatmap(np.eye(4)))
    light = widget.grab().toImage()
    widget.set_theme(DARK)
    dark = widget.grab().toImage()
    assert light.pixelColor(3, 3).name() == LIGHT.surface
    assert dark.pixelColor(3, 3).name() == DARK.surface


@pytest.mark.parametrize("name", figures())
@pytest.mark.parametrize("size", [(1366, 768), (420, 300), (170, 125), (30, 20)])
def test_every_figure_paints_at_every_size(
    qtbot: QtBot, widget: FigureWidget, name: str, size: tuple[int, int]
) -> None:
    widget.setMinimumSize(1, 1)
    widget.resize(*size)
    widget.show_figure(figures()[name])
    qtbot.mouseMove(widget, QPoint(size[0] // 2, size[1] // 2))
    assert not widget.grab().isNull()


def test_a_hidden_widget_does_not_paint(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    painted: list[object] = []
    monkeypatch.setattr(Page, "paint", lambda *arguments, **changes: painted.append(arguments))
    made = FigureWidget()
    qtbot.addWidget(made)
    made.show_figure(Figure(title="t", panels=(heatmap(np.eye(2)),)))
    QApplication.processEvents()
    assert painted == []


def test_hovering_does_not_paint_the_figure_again(
    qtbot: QtBot, widget: FigureWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(widget, heatmap(np.eye(50)))
    widget.grab()
    monkeypatch.setattr(Page, "paint", lambda *_, **__: pytest.fail("painted anew"))
    for row in range(10):
        qtbot.mouseMove(widget, middle(widget, row, row))
        widget.grab()


def test_bars_without_room_say_how_many_there_are(widget: FigureWidget) -> None:
    from tests.app.render.recording import record

    many = Bars(title="b", bars=tuple(Bar(label=f"token{i}", value=0.01) for i in range(50)))
    canvas = record(Figure(title="t", panels=(many,)), 400, 300)
    shown = sum(words.startswith("token") for words in canvas.words)
    assert 5 <= shown < 15
    assert f"… {50 - shown} more" in canvas.words


def test_an_error_while_painting_is_reported_and_not_fatal(
    qtbot: QtBot, widget: FigureWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    with qtbot.capture_exceptions() as errors, monkeypatch.context() as patch:
        patch.setattr(Page, "paint", lambda *_, **__: 1 / 0)
        show(widget, heatmap(np.eye(3)))
        widget.grab()
        QApplication.processEvents()
    assert {kind for kind, _, _ in errors} == {ZeroDivisionError}
