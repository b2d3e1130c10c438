"""Labels: only those that fit, the pinned and the hovered one always."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.figure import Axis, Figure
from app.render.axes import paint_axes, stretches
from app.render.geometry import Rect
from app.render.grid import SMALLEST, TIGHTEST, fit, taken
from app.render.heatmap import HeatmapDrawing
from app.render.page import Page
from app.render.thinning import fitting
from app.render.window import Window
from app.theme import LIGHT
from tests.app.render.examples import (
    AWKWARD,
    CHINESE,
    ENGLISH,
    attention,
    figures,
    heatmap,
    mosaic,
)
from tests.app.render.recording import RecordingCanvas, Text, overlapping, record

pytestmark = pytest.mark.usefixtures("qapp")


def names(count: int) -> list[str]:
    return [f"token{number}" for number in range(count)]


def labels(canvas: RecordingCanvas, known: list[str]) -> list[Text]:
    return [text for text in canvas.texts if text.words in known]


@pytest.mark.parametrize("count", [2, 7, 16, 40, 128, 512, 2048])
@pytest.mark.parametrize("size", [(1000, 800), (600, 420), (320, 240)])
def test_labels_never_touch_each_other(count: int, size: tuple[int, int]) -> None:
    known = names(count)
    panel = heatmap(np.zeros((count, count)), known, known, row=count // 2, column=count // 3)
    canvas = record(Figure(title="t", panels=(panel,)), *size)
    drawn = labels(canvas, known)
    assert 2 <= len(drawn) <= 2 * count
    assert overlapping(drawn) == []


@pytest.mark.parametrize("count", [7, 128, 2048])
def test_the_pinned_labels_are_always_drawn_and_emphasised(count: int) -> None:
    known = names(count)
    row, column = count // 2 + 1, count // 3 + 1
    panel = heatmap(np.zeros((count, count)), known, known, row=row, column=column)
    canvas = record(Figure(title="t", panels=(panel,)))
    strong = {text.words for text in canvas.texts if text.bold and text.colour == LIGHT.accent}
    assert strong == {known[row], known[column]}


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


@pytest.mark.parametrize("labels_", [ENGLISH, CHINESE, AWKWARD])
def test_a_short_text_shows_every_label(labels_: list[str]) -> None:
    words = record(Figure(title="t", panels=(attention(labels_),))).words
    for label in set(labels_):
        assert words.count(label) == 2 * labels_.count(label)


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


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("count", [4, 12, 24, 64, 256, 768])
@pytest.mark.parametrize("size", [(225, 150), (340, 200), (710, 475)])
def test_numbers_that_only_count_stand_upright_and_round(
    start: int, count: int, size: tuple[int, int]
) -> None:
    known = [str(place + start) for place in range(count)]
    panel = heatmap(np.zeros((3, count)), list("abc"), known)
    page = Page(Figure(title="", panels=(panel,)), *size, LIGHT)
    drawing = page.placed[0].drawing
    assert isinstance(drawing, HeatmapDrawing)
    assert not drawing.grid.turned
    canvas = RecordingCanvas()
    drawing.paint(canvas)
    box = drawing.grid.box
    above = [text for text in canvas.texts if text.box.bottom < box.y and text.words in known]
    assert len(above) >= 2
    assert overlapping(above) == []
    numbers = [int(text.words) for text in above]
    gaps = set(np.diff(numbers).tolist())
    if start == 1 and 2 not in gaps:
        gaps -= {numbers[1] - numbers[0]}  # 1 stands before the round ones
    assert len(gaps) <= 1
    assert all(gap in {1, 2, 5, 10, 20, 50, 100, 200, 500} for gap in gaps)
    hit = drawing.at(box.x + box.width * (count - 0.5) / count, box.y + 1)
    assert hit is not None
    drawing.paint_hover(canvas, hit)
    strong = [text for text in canvas.texts if text.bold]
    assert known[-1] in {text.words for text in strong}  # every number is read under the pointer


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


@pytest.mark.parametrize("count", range(20, 29))
def test_row_labels_get_smaller_before_they_are_dropped(count: int) -> None:
    """In the picture of a small screen, under column labels that lie on their sides."""
    known = [f"word{number}" for number in range(count)]
    panel = heatmap(np.zeros((count, count)), known, known, row=3)
    figure = Figure(title="t", panels=(panel,), note="Each row adds up to 1.")
    canvas = record(figure, 710, 453)
    page = Page(figure, 710, 453, LIGHT)
    drawing = page.placed[0].drawing
    assert isinstance(drawing, HeatmapDrawing)
    assert drawing.grid.cell[1] >= 10
    beside = [text for text in labels(canvas, known) if text.box.right < drawing.grid.box.x]
    assert [text.words for text in sorted(beside, key=lambda text: text.box.y)] == known
    assert overlapping(beside) == []
    assert min(text.box.height for text in beside) >= 9


@pytest.mark.parametrize("pinned", [None, 4, 5, 12])
def test_masks_keep_their_labels_where_others_are_left_out(pinned: int | None) -> None:
    drawn = list(fitting(0, 21, 6.0, 14.0, pinned, kept=[5, 6, 13]))
    assert len(drawn) == len(set(drawn))
    assert all(abs(a - b) * 6 >= 14 for a, b in combinations(drawn, 2)), "none touch"
    # Only what is pinned goes before them, and of two that touch there is room for one.
    for mask in (5, 13):
        assert mask in drawn or (pinned is not None and abs(mask - pinned) < 3)
    assert pinned is None or pinned in drawn
    assert len(drawn) >= 5


@pytest.mark.parametrize("at", [100, 101, 102, 103])
def test_a_mask_of_a_long_text_is_named_beside_its_row_and_above_its_column(at: int) -> None:
    known = names(200)
    known[at] = "[MASK]"
    panel = heatmap(np.zeros((200, 200)), known, known)
    marked = Axis(title="token", labels=tuple(known), marks=((at, "masked"),))
    canvas = record(Figure(title="t", panels=(replace(panel, rows=marked, columns=marked),)))
    assert [text.words for text in canvas.texts].count("[MASK]") == 2
    assert overlapping(labels(canvas, known)) == []
