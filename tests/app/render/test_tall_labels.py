"""Column labels that run upwards stand as far apart as their ink is high."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtGui import QFontMetricsF

from app.figure import Axis, Cell, Figure, WordGrid
from app.render import text
from app.render.heatmap import HeatmapDrawing
from app.render.page import Page
from app.theme import LIGHT
from tests.app.render.examples import heatmap
from tests.app.render.recording import record

pytestmark = pytest.mark.usefixtures("qapp")  # letters are measured

PIECES = [f"{word} {part}/3" for word in "她每天早上在河边喂动物他很累" for part in (1, 2, 3)]


def drawn(known: list[str], pitch: int) -> tuple[float, list[tuple[float, float]]]:
    """The width of a column; of each label drawn above one its middle and the height of its ink."""
    count = len(known)
    figure = Figure(title="t", panels=(heatmap(np.zeros((4, count)), list("abcd"), known),))
    for wide in range(200, 1400, 4):
        (placed,) = Page(figure, wide, 400, LIGHT).placed
        assert isinstance(placed.drawing, HeatmapDrawing)
        if placed.drawing.grid.cell[0] == pitch:
            break
    found = [one for one in record(figure, wide, 400).texts if one.words in known and one.turn]
    assert found, "labels are turned"
    inks = [
        (
            one.box.middle[0],
            QFontMetricsF(text.font(one.box.width)).tightBoundingRect(one.words).height(),
        )
        for one in found
    ]
    return placed.drawing.grid.cell[0], sorted(inks)


@pytest.mark.parametrize("pitch", [8, 9, 10, 11, 12, 13])
def test_chinese_labels_do_not_lie_over_each_other(pitch: int) -> None:
    cell, found = drawn(PIECES, pitch)
    assert cell == pitch
    for (left, high), (right, next_high) in pairwise(found):
        assert right - left >= (high + next_high) / 2
    assert len(found) >= len(PIECES) // 2


def test_latin_labels_of_narrow_columns_are_all_drawn() -> None:
    known = [f"word{n}" for n in range(42)]
    assert len(drawn(known, 9)[1]) == len(known)


def test_upright_labels_as_wide_as_their_columns_do_not_touch() -> None:
    """Bytes among the candidates of a table, at each width of a window."""
    labels = ("a", "(U+000F)", "(U+0004)", "(U+001F)")
    cells = ((Cell(text="0.0001", strength=None),) * len(labels),) * 3
    table = WordGrid(
        title="t",
        cells=cells,
        rows=Axis(title="", labels=("kept", "this run", "change")),
        columns=Axis(title="Candidate", labels=labels),
    )
    for wide in range(240, 420, 2):
        texts = record(Figure(title="t", panels=(table,)), wide, 200).texts
        drawn = sorted(
            (one.box.x, one.box.right) for one in texts if one.words.startswith(("a", "(U+"))
        )
        assert len(drawn) == len(labels)
        assert all(left[1] + 1 <= right[0] for left, right in pairwise(drawn)), wide
