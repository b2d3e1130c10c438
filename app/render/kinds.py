"""Which drawing draws which kind of panel, and the height each needs."""

from __future__ import annotations

from app.figure import Bars, Curves, Diagram, Heatmap, Mosaic, Panel, Paths, WordGrid, Words
from app.render.bars import BarsDrawing
from app.render.curves import CurvesDrawing
from app.render.diagram import DiagramDrawing
from app.render.drawing import Drawing
from app.render.geometry import Rect
from app.render.heatmap import HeatmapDrawing
from app.render.mosaic import MosaicDrawing
from app.render.paths import PathsDrawing
from app.render.window import Window
from app.render.word_grid import WordGridDrawing
from app.render.words import WordsDrawing
from app.theme import Theme


def draw(panel: Panel, box: Rect, theme: Theme, window: Window | None = None) -> Drawing:
    """The drawing of a panel in a box; `window`: the part of its cells in sight."""
    match panel:
        case Heatmap():
            return HeatmapDrawing(panel, box, theme, window)
        case Mosaic():
            return MosaicDrawing(panel, box, theme)
        case Bars():
            return BarsDrawing(panel, box, theme)
        case Curves():
            return CurvesDrawing(panel, box, theme)
        case Paths():
            return PathsDrawing(panel, box, theme)
        case WordGrid():
            return WordGridDrawing(panel, box, theme, window)
        case Diagram():
            return DiagramDrawing(panel, box, theme)
        case Words():
            return WordsDrawing(panel, box, theme)


def natural_height(panel: Panel, width: float) -> float:
    """The height in which the panel shows everything at a good size."""
    match panel:
        case Heatmap():
            rows, columns = panel.values.shape
            cell = min(36.0, max(1.0, (width - 220) / max(1, columns)))
            return min(max(240.0, 140 + rows * cell), max(240.0, width))
        case Mosaic():
            rows, columns, high, wide = panel.values.shape
            tile = (width - 160) / max(1, columns) * high / max(1, wide)
            return max(200.0, 60 + rows * min(tile, 200.0))
        case Bars():
            notes = 24 if panel.note else 6
            return 27.0 * max(1, len(panel.bars)) + notes
        case Curves() | Paths():
            return max(260.0, width * 0.5)
        case WordGrid():
            return 80 + 30.0 * max(1, len(panel.cells))
        case Diagram():
            return min(width * panel.height / max(1e-6, panel.width), 1.2 * width)
        case Words():
            return 160.0
