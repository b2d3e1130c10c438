"""Labels: how they stand, what marks them, and what the pointer says of them."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.figure import Axis, Figure
from app.render.axes import paint_axes, stretches
from app.render.geometry import Rect
from app.render.grid import SMALLEST, TIGHTEST, fit, taken
from app.render.heatmap import HeatmapDrawing
from app.render.page import Page
from app.render.window import Window
from app.theme import LIGHT
from tests.app.render.examples import (
    figures,
    heatmap,
    mosaic,
)
from tests.app.render.labelled import labels, names
from tests.app.render.recording import RecordingCanvas, Text, overlapping, record

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.mark.parametrize("count", [7, 512])
def test_the_hovered_labels_are_drawn_over_what_they_touch(count: int) -> None:
    known = names(count)
    page = Page(
        Figure(title="t", panels=(heatmap(np.zeros((count, count)), known, known),)),
        1000,
        800,
        LIGHT,
    )
    drawing = page.placed[0].drawing
    assert isinstance(drawing, HeatmapDrawing)
    row, column = count // 2 + 1, count // 3 + 1
    hit = drawing.at(*drawing.grid.rect(row, column).middle)
    assert hit is not None
    assert (hit.row, hit.column) == (row, column)
    canvas = RecordingCanvas()
    drawing.paint_hover(canvas, hit)
    assert [text.words for text in canvas.texts] == [known[row], known[column]]
    for text in canvas.texts:
        assert any(
            how.get("fill") == LIGHT.surface
            and box.x <= text.box.x
            and box.right >= text.box.right
            and box.y <= text.box.y
            and box.bottom >= text.box.bottom
            for box, how in canvas.rects
        ), text


def test_a_long_label_is_cut_and_read_in_full_under_the_pointer() -> None:
    long = "an unreasonably long token that nobody would expect to meet"
    page = Page(Figure(title="t", panels=(heatmap(np.eye(2), ["a", long]),)), 800, 600, LIGHT)
    canvas = RecordingCanvas()
    page.paint(canvas)
    assert long not in canvas.words
    assert any(words.startswith("an unreas") and words.endswith("…") for words in canvas.words)
    drawing = page.placed[0].drawing
    assert isinstance(drawing, HeatmapDrawing)
    hit = drawing.at(*drawing.grid.rect(1, 0).middle)
    assert hit is not None
    assert f"“{long}” (1)" in hit.text


def test_marks_are_coloured_beside_their_tokens() -> None:
    axis = Axis(
        title="Query (attends)", labels=("a", "b", "c"), marks=((0, "special"), (2, "padding"))
    )
    page = Page(Figure(title="t", panels=(heatmap(np.eye(3), rows=axis),)), 800, 600, LIGHT)
    canvas = RecordingCanvas()
    page.paint(canvas)
    drawing = page.placed[0].drawing
    assert isinstance(drawing, HeatmapDrawing)
    for row, kind in axis.marks:
        band = drawing.grid.row_band(row)
        marks = [box for box, how in canvas.rects if how.get("fill") == LIGHT.kind(kind)]
        assert any(box.y == band.y and box.right <= drawing.grid.box.x for box in marks)
    hit = drawing.at(*drawing.grid.rect(2, 0).middle)
    assert hit is not None
    assert "query “c” (2), padding → key 0" in hit.text


def test_layers_and_heads_are_named_as_they_are_counted() -> None:
    page = Page(Figure(title="t", panels=(mosaic(3, 4, 8),)), 800, 600, LIGHT)
    drawing = page.placed[0].drawing
    hit = drawing.at(*drawing.grid.rect(1, 2).middle)  # type: ignore[attr-defined]
    assert hit is not None
    assert hit.text.startswith("layer 2, head 3: largest weight 0.")
    assert hit.picks == {"layer": 1, "head": 2}


@pytest.mark.parametrize("name", figures())
@pytest.mark.parametrize("size", [(1000, 720), (560, 430), (300, 260)])
def test_nothing_is_drawn_outside_the_page(qtbot: QtBot, name: str, size: tuple[int, int]) -> None:
    canvas = record(figures()[name], *size)
    for text in canvas.texts:
        assert text.box.x >= -1, text
        assert text.box.right <= size[0] + 1, text


def test_neighbours_of_one_kind_are_one_strip() -> None:
    marks = ((0, "special"), (3, "generated"), (4, "generated"), (5, "generated"), (6, "masked"))
    assert list(stretches(marks, 0, 9)) == [
        (0, 1, "special"),
        (3, 3, "generated"),
        (6, 1, "masked"),
    ]
    assert list(stretches(marks, 4, 2)) == [(4, 2, "generated")]
    assert list(stretches((), 0, 9)) == []


def column_labels(page: Page) -> list[Text]:
    drawing = page.placed[0].drawing
    assert isinstance(drawing, HeatmapDrawing)
    canvas = RecordingCanvas()
    page.paint(canvas)
    above = [text for text in canvas.texts if text.box.bottom < drawing.grid.box.y]
    return [text for text in above if text.words not in {"t", "Key (attended to)"}]


@pytest.mark.parametrize("width", range(280, 700, 20))
def test_a_special_token_among_chinese_characters_is_turned_rather_than_cut(width: int) -> None:
    known = [*"我们在河岸上坐了很久。", "</s>"]
    panel = heatmap(np.zeros((12, 12)), known, known)
    above = column_labels(Page(Figure(title="t", panels=(panel,)), width, 500, LIGHT))
    assert [text.words for text in above] == known
    assert {text.words for text in above if text.turn} <= {"</s>"}
    assert overlapping(above) == []


def test_a_single_character_stands_upright_among_words_that_are_turned() -> None:
    known = ["<s>", "I", "·went", "W", "·apples", "😀", "·today", "."]
    panel = heatmap(np.zeros((8, 8)), known, known, column=1)
    above = column_labels(Page(Figure(title="t", panels=(panel,)), 320, 400, LIGHT))
    assert {text.words for text in above if not text.turn} == {"I", "W", "😀", "."}
    assert overlapping(above) == []


@pytest.mark.parametrize("title", ["Key (attended to)", "Coordinate (of the head)"])
@pytest.mark.parametrize("width", [90, 120, 180, 240])
def test_the_title_of_an_axis_stays_within_its_map(width: int, title: str) -> None:
    rows = Axis(title="Key (attended to)", labels=tuple("我今天"))
    columns = Axis(title=title, labels=tuple(str(i) for i in range(32)))
    panel = heatmap(np.zeros((3, 32)), rows=rows, columns=columns)
    for height in (70, 90, 120):
        drawing = HeatmapDrawing(panel, Rect(100, 50, width, height), LIGHT)
        canvas = RecordingCanvas()
        drawing.paint(canvas)
        titles = [text for text in canvas.texts if text.words[:3] in {"Key", "Coo"}]
        assert len(titles) == 2
        assert overlapping(titles) == []
        for text in titles:
            assert text.box.x >= 99, text
            assert text.box.right <= 101 + width, text
            assert text.box.y >= 49, text


def test_a_pinned_label_is_whole_and_clear_of_the_title() -> None:
    """It is bold, so wider than the others."""
    known = ["the", "cat", "[MASK]", "mat"]
    for size in ((240, 300), (400, 200), (800, 400)):
        panel = heatmap(np.zeros((4, 4)), known, known, row=2, column=2)
        canvas = record(Figure(title="t", panels=(panel,)), *size)
        strong = [text.words for text in canvas.texts if text.bold and text.words != "t"]
        assert strong == ["[MASK]", "[MASK]"]
        assert overlapping(canvas.texts) == []


@pytest.mark.parametrize("wide", range(20, 30))
def test_one_word_before_numbers_stands_upright_without_touching_them(wide: int) -> None:
    columns = Axis(title="After layer", labels=("emb", "1", "2", "3", "4", "5", "6"))
    rows = Axis(title="Token", labels=("floor", "bed", "table"))
    whole = Window(0, 0, 3, 7)
    beside, _ = taken(rows)
    grid = fit(Rect(0, 0, beside + 7 * wide, 200), rows, columns, whole)
    canvas = RecordingCanvas()
    paint_axes(canvas, grid, LIGHT, None, 1)
    drawn = labels(canvas, list(columns.labels))
    assert {text.words for text in drawn} == set(columns.labels)
    assert not grid.turned
    assert overlapping(drawn) == []


def test_words_above_a_table_get_smaller_only_where_fewer_are_cut() -> None:
    names = ("entropy", "distance", "itself", "previous", "next", "first", "other special")
    columns, rows = Axis(title="Measure", labels=names), Axis(title="Head", labels=("1", "2"))
    whole = Window(0, 0, 2, len(names))
    sizes = []
    for wide in (40, 52):
        box = Rect(0, 0, taken(rows)[0] + len(names) * wide, 200)
        sizes.append(fit(box, rows, columns, whole, upright=True).size[1])
    assert sizes == [TIGHTEST, SMALLEST]


def test_few_rows_under_many_columns_are_tall_enough_for_their_labels() -> None:
    """As the four parts of an attention's output over 768 coordinates in a narrow window."""
    names = ["head 1", "other heads", "bias", "sum"]
    panel = heatmap(np.zeros((4, 768)), names, [str(i) for i in range(768)])
    canvas = record(Figure(title="", panels=(panel,)), 340, 200)
    assert set(names) <= set(canvas.words)
