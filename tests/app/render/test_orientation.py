"""Query down, key across: what is painted where, and what the pointer reads there."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.figure import Figure
from app.render import pixels
from app.render.export import png
from app.render.heatmap import HeatmapDrawing
from app.render.widget import FigureWidget
from app.theme import LIGHT
from tests.app.render.examples import heatmap

PEAKS = ((0, 6), (2, 1))


def three_by_seven() -> Figure:
    values = np.zeros((3, 7), np.float32)
    for peak in PEAKS:
        values[peak] = 1
    return Figure(title="Attention", panels=(heatmap(values),))


def array(image: QImage) -> np.ndarray:
    """[y, x, rgb] of an image."""
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    flat = np.frombuffer(image.constBits(), np.uint8, image.sizeInBytes())
    rows = flat.reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


@pytest.fixture
def widget(qtbot: QtBot) -> FigureWidget:
    made = FigureWidget()
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show_figure(three_by_seven())
    made.show()
    qtbot.wait(10)
    return made


def bright_places(picture: np.ndarray) -> list[tuple[int, int]]:
    """(row, column) of the 3 × 7 cells that hold the table's last colour, from pixels alone: the
    map is the block of pixels in the table's first or last colour."""
    table = pixels.colours(LIGHT, "sequential")
    last = (picture == table[pixels.LEVELS - 1]).all(axis=2)
    first = (picture == table[0]).all(axis=2)
    # The colour bar has both colours too, in columns of pixels that hold few of the first.
    columns = np.flatnonzero(first.sum(axis=0) > 40)
    left, right = columns.min(), columns.max() + 1
    rows = np.flatnonzero(first[:, left:right].sum(axis=1) > 60)
    top, bottom = rows.min(), rows.max() + 1
    inside = last[top:bottom, left:right]
    found = []
    for row, column in np.ndindex(3, 7):
        high, wide = inside.shape[0] / 3, inside.shape[1] / 7
        cell = inside[
            int(row * high) + 3 : int((row + 1) * high) - 3,
            int(column * wide) + 3 : int((column + 1) * wide) - 3,
        ]
        if cell.mean() > 0.5:
            found.append((row, column))
    return found


def test_bright_cells_are_top_right_and_bottom_left_but_one(widget: FigureWidget) -> None:
    assert bright_places(array(widget.grab().toImage())) == list(PEAKS)


def test_the_exported_picture_has_the_same_orientation(widget: FigureWidget) -> None:
    image = QImage.fromData(png(three_by_seven()))
    assert bright_places(array(image)) == list(PEAKS)


def test_the_pointer_reads_the_cell_it_is_over(qtbot: QtBot, widget: FigureWidget) -> None:
    heard: list[str] = []
    widget.hovered.connect(heard.append)
    drawing = widget.page.placed[0].drawing
    assert isinstance(drawing, HeatmapDrawing)
    box = drawing.grid.box
    for row, column in np.ndindex(3, 7):
        x = box.x + box.width * (column + 0.5) / 7
        y = box.y + box.height * (row + 0.5) / 3
        qtbot.mouseMove(widget, QPoint(round(x), round(y)))
        value = "1.000" if (row, column) in PEAKS else "0.000"
        expected = f"query {row} → key {column}: weight {value}"
        assert heard[-1] == expected
    assert len(heard) == 21


def test_axis_titles_say_which_is_which(widget: FigureWidget) -> None:
    from tests.app.render.recording import record

    texts = {text.words: text.box for text in record(three_by_seven(), 900, 600).texts}
    drawing = widget.page.placed[0].drawing
    assert isinstance(drawing, HeatmapDrawing)
    box = drawing.grid.box
    query, key = texts["Query (attends)"], texts["Key (attended to)"]
    assert query.right < box.x
    assert query.height > query.width  # it runs upwards beside the rows
    assert key.bottom < box.y


@pytest.mark.parametrize(
    ("at", "picked"),
    [("cell", {"query": 2, "key": 1}), ("row", {"query": 2}), ("column", {"key": 1})],
)
def test_a_click_picks_the_cell_the_row_or_the_column(
    qtbot: QtBot, widget: FigureWidget, at: str, picked: dict[str, int]
) -> None:
    heard: list[dict[str, int]] = []
    widget.picked.connect(heard.append)
    drawing = widget.page.placed[0].drawing
    assert isinstance(drawing, HeatmapDrawing)
    x, y = drawing.grid.rect(2, 1).middle
    place = {
        "cell": QPoint(round(x), round(y)),
        "row": QPoint(round(drawing.grid.box.x - 12), round(y)),
        "column": QPoint(round(x), round(drawing.grid.box.y - 14)),
    }[at]
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place)
    assert heard == [picked]
