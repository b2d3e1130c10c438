"""The widget under a real mouse: what it reads out, what a click picks, how it looks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.figure import Bar, Bars, Box, Diagram, Figure, Heatmap
from app.render.mosaic import MosaicDrawing
from app.render.page import Page
from app.render.widget import FigureWidget
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
)
from tests.app.render.pointing import LEFT, listen, middle, show

CONTROL = Qt.KeyboardModifier.ControlModifier


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
