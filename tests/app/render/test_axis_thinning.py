"""Only the labels that fit are drawn, and the pinned and masked ones always."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from app.figure import Axis, Figure
from app.render.heatmap import HeatmapDrawing
from app.render.page import Page
from app.render.thinning import fitting
from app.theme import LIGHT
from tests.app.render.examples import (
    AWKWARD,
    CHINESE,
    ENGLISH,
    attention,
    heatmap,
)
from tests.app.render.labelled import labels, names
from tests.app.render.recording import RecordingCanvas, overlapping, record

pytestmark = pytest.mark.usefixtures("qapp")


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


@pytest.mark.parametrize("labels_", [ENGLISH, CHINESE, AWKWARD])
def test_a_short_text_shows_every_label(labels_: list[str]) -> None:
    words = record(Figure(title="t", panels=(attention(labels_),))).words
    for label in set(labels_):
        assert words.count(label) == 2 * labels_.count(label)


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
