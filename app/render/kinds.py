"""Which drawing draws which kind of panel, and the height each needs."""

from __future__ import annotations

from app.figure import Heatmap, Panel, Words
from app.render.drawing import Drawing, Window
from app.render.geometry import Rect
from app.render.heatmap import HeatmapDrawing
from app.render.words import WordsDrawing
from app.theme import Theme


def draw(panel: Panel, box: Rect, theme: Theme, window: Window | None = None) -> Drawing:
    """The drawing of a panel in a box; `window`: the part of its cells in sight."""
    match panel:
        case Heatmap():
            return HeatmapDrawing(panel, box, theme, window)
        case Words():
            return WordsDrawing(panel, box, theme)
    raise TypeError(f"no drawing for a panel of type {type(panel).__name__}")


def natural_height(panel: Panel, width: float) -> float:
    """The height in which the panel shows everything at a good size."""
    match panel:
        case Heatmap():
            rows, columns = panel.values.shape
            wide = min(60.0, (width - 220) / max(1, columns))
            return min(max(240.0, 130 + rows * min(36.0, max(wide, 1.0))), width)
        case _:
            return 180.0
