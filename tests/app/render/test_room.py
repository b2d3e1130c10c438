"""Maps of a short text in half a small window: what has no use for its room leaves it to them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.figure import Axis, Cell, Figure, Heatmap, WordGrid
from app.render.page import Page
from app.selection import Selection
from app.theme import LIGHT
from app.views import ViewOptions, view
from tests.app.render.recording import record
from tests.traces import sentence, trace_of

PIECES = tuple("[CLS] my grandmother put her sav -ings in the bank , but the bank of the".split())
PIECES = (*PIECES, *"river was her favour -ite place on sunday -s . [SEP]".split())
SMALL = 710, 456  # the picture of a window of 1366 × 768


def text() -> object:
    return trace_of("encoder", source=replace(sentence(len(PIECES)), pieces=PIECES))


def test_a_map_of_27_tokens_names_them_all(qapp: QApplication) -> None:
    figure = view("similarity").draw(text(), Selection(), ViewOptions())
    page = Page(figure, *SMALL, LIGHT)
    box = page.placed[0].drawing.grid.box  # type: ignore[attr-defined]
    assert min(box.width, box.height) >= 9 * len(PIECES)
    words = record(figure, *SMALL).words
    names = sum(words.count(piece) for piece in set(PIECES))
    assert names >= 2 * len(PIECES) - 4  # all down, across but for a few that are cut
    assert "“[CLS]” and the mean of the others" in words


def test_four_maps_of_27_tokens_name_every_second_one(qapp: QApplication) -> None:
    figure = view("evolution").draw(text(), Selection(), ViewOptions())
    words = record(figure, *SMALL).words
    assert sum(words.count(piece) for piece in set(PIECES)) >= 4 * (len(PIECES) // 2)


@pytest.mark.parametrize("high", [118, 130, 150])
def test_the_frame_of_a_low_row_crosses_no_number(qapp: QApplication, high: int) -> None:
    """Digits are about 0.75 of a letter's size high, in the middle of their row."""
    cells = tuple((Cell(text=f"{i}.07", strength=0.5),) * 2 for i in range(4))
    rows = Axis(title="", labels=tuple("abcd"))
    grid = WordGrid(title="", cells=cells, rows=rows, columns=Axis(title="", labels=("x", "y")))
    canvas = record(Figure(title="", panels=(replace(grid, row=1),)), 400, high)
    frames = [box for box, how in canvas.rects if how.get("stroke") == LIGHT.accent]
    numbers = [text for text in canvas.texts if text.words in ("1.07", "0.07", "2.07")]
    assert frames
    for frame in frames:
        for number in numbers:
            middle, half = number.box.middle[1], 0.375 * number.box.height / 1.2
            assert all(abs(edge - middle) > half for edge in (frame.y, frame.bottom))


def test_what_a_scale_needs_no_room_for_is_the_maps(qapp: QApplication) -> None:
    """In half of a small window; maps one below the other stay in line."""
    axis = Axis(title="Token", labels=PIECES)
    maps = tuple(
        Heatmap(
            title="m",
            values=np.zeros((6, len(PIECES)), np.float32),
            rows=Axis(title="", labels=tuple("123456")),
            columns=axis,
            value_name=name,
            limits=limits,
        )
        for name, limits in (("change", (0.0, 1.0)), ("cosine", (-1.0, 1.0)))
    )
    page = Page(Figure(title="t", panels=maps), 350, 400, LIGHT)
    boxes = [placed.drawing.grid.box for placed in page.placed]  # type: ignore[attr-defined]
    assert boxes[0].width == boxes[1].width >= 8 * len(PIECES)
