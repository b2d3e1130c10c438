"""Which part of a grid of words is in sight, how it is counted, and what its colours mean."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.figure import Axis, Cell, Figure, WordGrid
from app.render import pixels
from app.render.page import Page
from app.render.widget import FigureWidget
from app.render.window import Window
from app.render.word_grid import WordGridDrawing
from app.theme import LIGHT
from tests.app.render.recording import record

pytestmark = pytest.mark.usefixtures("qapp")


def table(rows: int, columns: int, text: str = "+0.123", **more: object) -> WordGrid:
    """As the head table: rows that are named, columns of numbers."""
    cell = Cell(text=text, strength=0.5)
    found = WordGrid(
        title="",
        cells=((cell,) * columns,) * rows,
        rows=Axis(title="Head", labels=tuple(f"layer {i + 1}, head 1" for i in range(rows))),
        columns=Axis(title="Number", labels=tuple("abcdefghijkl"[:columns])),
    )
    return replace(found, **more)  # type: ignore[arg-type]


def drawing(panel: WordGrid, width: float = 710, height: float = 475) -> WordGridDrawing:
    page = Page(Figure(title="t", panels=(panel,)), width, height, LIGHT)
    found = page.placed[0].drawing
    assert isinstance(found, WordGridDrawing)
    return found


@pytest.mark.parametrize("rows", [5, 32, 144, 384])
def test_every_row_in_sight_shows_its_words(rows: int) -> None:
    panel = table(rows, 9)
    seen = drawing(panel).window
    canvas = record(Figure(title="t", panels=(panel,)), 710, 475)
    assert canvas.words.count("+0.123") == seen.rows * 9
    assert (seen.rows == rows) == (rows <= 32 - 2)
    said = [words for words in canvas.words if " in sight" in words]
    last = f"layer {seen.rows}, head 1"
    cut = [f"layer 1, head 1 to {last} in sight"] if seen.rows < rows else []
    assert said == cut


def test_the_pinned_row_is_in_sight_and_the_first_rows_where_they_hold_it() -> None:
    assert drawing(table(100, 9, row=3)).window.row == 0
    seen = drawing(table(100, 9, row=60)).window
    assert seen.row <= 60 < seen.row + seen.rows
    seen = drawing(table(100, 9, row=99)).window
    assert seen.row + seen.rows == 100


def test_a_sorted_table_begins_with_its_first_rows_wherever_the_pinned_one_stands() -> None:
    ranked = {"column": 3, "picks": (None, "sort")}
    assert drawing(table(100, 9, row=60, **ranked)).window.row == 0
    panel = table(20, 9, row=12, **ranked)
    canvas = record(Figure(title="t", panels=(panel,)), 710, 475)
    (marked,) = [box for box, how in canvas.rects if how.get("stroke") == LIGHT.accent]
    assert abs(marked.y - drawing(panel).grid.row_band(12).y) < 3
    assert marked.width > 300


def test_heads_of_many_layers_are_counted_from_one() -> None:
    counted = tuple(str(i + 1) for i in range(30))
    panel = replace(table(30, 9), rows=Axis(title="Layer", labels=counted))
    words = record(Figure(title="t", panels=(panel,)), 710, 300).words
    seen = drawing(panel, height=300).window
    assert f"layer 1–{seen.rows} of 1–30 in sight" in words


def test_eight_heads_fit_beside_their_layers_in_a_narrow_window() -> None:
    """Row labels of one digit take no room for long ones."""
    counted = tuple(str(i + 1) for i in range(8))
    panel = replace(table(4, 8, "previous"), rows=Axis(title="Layer", labels=counted[:4]))
    assert drawing(panel, width=430).window == Window(0, 0, 4, 8)


def test_a_part_of_a_text_is_counted_as_the_text_is() -> None:
    """Position 150 is 150 in the read-out, where clicked and below the grid."""
    labels = tuple(f"word{i}" for i in range(144, 168))
    columns = Axis(title="Token (what follows)", labels=labels, numbers=tuple(range(144, 168)))
    panel = WordGrid(
        title="",
        cells=((Cell(text="morning", strength=0.5),) * 24,) * 3,
        rows=Axis(title="After", labels=("embeddings", "layer 1", "layer 2")),
        columns=columns,
        picks=(None, "query"),
        column=6,
    )
    found = drawing(panel, width=500)
    assert found.window.columns < 24
    hit = found.at(*found.grid.rect(1, 6).middle)
    assert hit is not None
    assert hit.text == "after layer 1, token “word150” (150): “morning”"
    assert hit.picks == {"query": 150}
    words = record(Figure(title="t", panels=(panel,)), 500, 475).words
    last = 144 + found.window.columns - 1
    assert f"token 144–{last} of 144–167 in sight" in words


def test_a_cell_without_words_says_its_note_alone() -> None:
    cells = ((Cell(text="", strength=None, note="entropy 2.93 bits"),),)
    panel = replace(table(1, 1), cells=cells)
    found = drawing(panel)
    hit = found.at(*found.grid.rect(0, 0).middle)
    assert hit is not None
    assert hit.text == "layer 1, head 1, number a: entropy 2.93 bits"


def test_a_cell_without_strength_has_no_colour() -> None:
    """Not that of zero: an unnamed head has weights like any other."""
    blank, zero = Cell(text="–", strength=None), Cell(text="0", strength=0.0)
    found = drawing(replace(table(1, 2), cells=((blank, zero),)))
    assert found._index.tolist() == [[pixels.GAP, 0]]


def test_column_labels_are_cut_rather_than_turned() -> None:
    """Turned ones would take the height that the words need."""
    labels = tuple("[PAD]" if i < 7 else "embeddings" for i in range(14))
    panel = replace(table(5, 14, "word"), columns=Axis(title="Token", labels=labels))
    found = drawing(panel, height=190)
    assert not found.grid.turned
    canvas = record(Figure(title="t", panels=(panel,)), 710, 190)
    assert canvas.words.count("word") == 5 * 14


def test_colours_are_explained_where_they_are_a_number() -> None:
    panel = table(3, 3, value_name="probability")
    canvas = record(Figure(title="t", panels=(panel,)), 500, 300)
    assert "probability 0" in canvas.words
    key = [image for box, image, _ in canvas.maps if round(box.height) == 10]
    assert len(key) == 1
    assert key[0][0, 0] < 5
    assert key[0][0, -1] > 246
    assert (key[0][0, 1:].astype(int) >= key[0][0, :-1]).all()
    assert "probability 0" not in record(Figure(title="t", panels=(table(3, 3),)), 500, 300).words


def test_words_get_smaller_before_they_are_cut() -> None:
    wide = table(3, 8, "previous")
    assert record(Figure(title="t", panels=(wide,)), 640, 300).words.count("previous") == 24
    assert record(Figure(title="t", panels=(wide,)), 710, 300).words.count("previous") == 24


def test_a_pinned_cell_is_framed_alone() -> None:
    panel = table(4, 4, row=1, column=2)
    found = drawing(panel)
    canvas = record(Figure(title="t", panels=(panel,)), 710, 475)
    frames = [box for box, how in canvas.rects if how.get("stroke") == LIGHT.accent]
    assert len(frames) == 1
    cell = found.grid.rect(1, 2)
    assert abs(frames[0].width - cell.width) < 6


def test_the_wheel_scrolls_down_a_long_table_and_sideways_when_asked(qtbot: QtBot) -> None:
    widget = FigureWidget()
    qtbot.addWidget(widget)
    widget.resize(710, 475)
    widget.show_figure(Figure(title="t", panels=(table(100, 12, "a long cell's words"),)))
    found = widget.page.placed[0].drawing
    assert isinstance(found, WordGridDrawing)
    at = QPointF(found.grid.box.x + 20, found.grid.box.y + 20)
    before = found.window

    def turn(across: int, down: int) -> Window:
        event = QWheelEvent(
            at,
            at,
            QPoint(),
            QPoint(across, down),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(widget, event)
        now = widget.page.placed[0].drawing
        assert isinstance(now, WordGridDrawing)
        return now.window

    assert turn(0, -120).row == before.row + 1
    assert turn(0, 120).row == before.row
    sideways = turn(-120, 0)
    assert (sideways.row, sideways.column) == (before.row, min(1, 12 - before.columns))


def test_a_number_loses_decimals_before_it_is_cut() -> None:
    cell = Cell(text="0.126", strength=0.5, value=0.1262)
    panel = table(5, 9, cells=((cell,) * 9,) * 5)
    words = record(Figure(title="t", panels=(panel,)), 455, 300).words
    assert words.count("0.13") == 45, "narrow columns"
    assert "0.126" in record(Figure(title="t", panels=(panel,)), 710, 300).words


def test_a_word_is_shortened_before_the_number_behind_it() -> None:
    panel = replace(table(6, 8, "previous 0.97"), rows=Axis(title="Layer", labels=tuple("123456")))
    for width in (410, 480, 640):
        words = [
            w for w in record(Figure(title="t", panels=(panel,)), width, 300).words if " 0" in w
        ]
        assert len(words) == 48
        assert all(w.startswith("pr") and w.endswith(" 0.97") for w in words)
    assert "previous 0.97" in record(Figure(title="t", panels=(panel,)), 1100, 300).words


def test_a_table_sorted_anew_begins_at_its_top_again(qtbot: QtBot) -> None:
    widget = FigureWidget()
    qtbot.addWidget(widget)
    widget.resize(710, 475)
    panel = table(100, 3)
    widget.show_figure(Figure(title="t", panels=(panel,)))

    def first() -> int:
        now = widget.page.placed[0].drawing
        assert isinstance(now, WordGridDrawing)
        return now.window.row

    widget._sight.show_window(0, Window(40, 0, 20, 3))
    widget.show_figure(Figure(title="another map", panels=(panel,)))
    assert first() == 40
    turned = replace(panel, rows=replace(panel.rows, labels=panel.rows.labels[::-1]))
    widget.show_figure(Figure(title="t", panels=(turned,)))
    assert first() == 0
