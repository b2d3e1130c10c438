"""Lines of attention flow: what is said to be drawn is painted."""

from __future__ import annotations

import numpy as np
import pytest

from app.figure import Floats
from app.render import diagram
from app.render.diagram import DiagramDrawing
from app.render.geometry import Rect
from app.selection import Selection
from app.theme import LIGHT
from app.views import ViewOptions, _flow, attention_flow, view
from tests.app.render.recording import RecordingCanvas
from tests.traces import trace_of


def test_the_least_width_is_the_one_that_is_painted() -> None:
    assert _flow.PAINTED == diagram.FAINTEST


@pytest.mark.parametrize("query", [None, 3])
@pytest.mark.parametrize("largest", [0.9, 0.003])
@pytest.mark.usefixtures("qapp")
def test_every_line_that_is_said_to_be_drawn_is_painted(
    monkeypatch: pytest.MonkeyPatch, query: int | None, largest: float
) -> None:
    """Few weights that can be seen, and many far below them."""
    fading = (largest * 10.0 ** -np.arange(6)).astype(np.float32)
    maps: Floats = np.broadcast_to(fading, (1, 6, 6))
    monkeypatch.setattr(attention_flow, "heads_of", lambda *_: maps)
    figure = view("attention_flow").draw(
        trace_of("encoder", length=6), Selection(query=query), ViewOptions()
    )
    (panel,) = figure.panels
    canvas = RecordingCanvas()
    DiagramDrawing(panel, Rect(0, 0, 800, 500), LIGHT).paint(canvas)
    bound = figure.note.split("weights of ")[1].split(" and")[0]
    assert "e" not in bound
    rows = maps if query is None else maps[:, query]
    assert len(canvas.lines) == len(panel.arrows) == (rows >= np.float32(bound)).sum() > 0
