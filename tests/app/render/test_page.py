"""How a page shares its height among panels."""

from __future__ import annotations

import numpy as np
import pytest

from app.figure import Bar, Bars, Figure, Panel
from app.render.bars import LEAST_ROW
from app.render.geometry import Rect
from app.render.page import SPACE, Page, boxes
from app.theme import LIGHT
from tests.app.render.examples import ENGLISH, heatmap, words
from tests.app.render.recording import RecordingCanvas, record

pytestmark = pytest.mark.usefixtures("qapp")


def bars(count: int, title: str = "b") -> Bars:
    found = tuple(Bar(label=f"token{i}", value=0.5) for i in range(count))
    return Bars(title=title, bars=found)


def heights(panels: tuple[Panel, ...], height: float) -> list[float]:
    figure = Figure(title="t", panels=panels)
    return [box.height for box in boxes(figure, Rect(0, 0, 700, height))]


def test_bars_leave_the_height_they_cannot_use_to_the_map() -> None:
    low = heights((heatmap(np.zeros((9, 9))), bars(3)), 600)
    high = heights((heatmap(np.zeros((9, 9))), bars(3)), 900)
    assert high[1] == pytest.approx(low[1])
    assert high[0] == pytest.approx(low[0] + 300)
    assert sum(high) + SPACE == pytest.approx(900)


def test_bars_are_not_cut_while_a_map_beside_them_can_shrink() -> None:
    figure = Figure(title="t", panels=(heatmap(np.zeros((40, 40))), bars(8)))
    assert "token7" in record(figure, 700, 500).words
    assert heights(figure.panels, 430)[1] >= 8 * LEAST_ROW


def test_rows_that_all_are_rigid_keep_their_height() -> None:
    panels = (words(ENGLISH, 3), bars(2))
    assert heights(panels, 900) == heights(panels, 1200)


@pytest.mark.parametrize("height", [60, 120, 200, 320])
def test_too_little_room_is_shared_too(height: float) -> None:
    found = heights((heatmap(np.zeros((9, 9))), words(ENGLISH, 9), bars(9)), height)
    assert sum(found) + 2 * SPACE == pytest.approx(max(height, 2 * SPACE))
    assert all(part >= 0 for part in found)


def test_a_map_of_few_rows_keeps_the_label_of_each() -> None:
    """Ten steps of a layer over the sixteen neurons, as in a window of 1366 × 768."""
    names = [f"step {i}" for i in range(10)]
    steps = heatmap(np.zeros((10, 256)), names, [str(i) for i in range(256)])
    neurons = heatmap(np.zeros((2, 16)), ["before", "after"], [str(7 * i) for i in range(16)])
    page = Page(Figure(title="t", panels=(steps, neurons)), 710, 475, LIGHT)
    canvas = RecordingCanvas()
    page.paint(canvas)
    assert set(names) <= set(canvas.words)
