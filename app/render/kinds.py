"""Which drawing draws which kind of panel, and the height each needs."""

from __future__ import annotations

from app.figure import Bars, Curves, Diagram, Heatmap, Mosaic, Panel, Paths, WordGrid, Words
from app.render import word_grid
from app.render.bars import LEAST_ROW, BarsDrawing, remark_height
from app.render.curves import CurvesDrawing
from app.render.diagram import DiagramDrawing
from app.render.drawing import Drawing
from app.render.geometry import Rect
from app.render.grid import least_labelled
from app.render.heatmap import HeatmapDrawing, headroom, room_across
from app.render.mosaic import MosaicDrawing
from app.render.paths import PathsDrawing
from app.render.window import Window
from app.render.word_grid import WordGridDrawing
from app.render.words import WordsDrawing
from app.theme import Theme

LABELLED = 24
"""So many rows of a map, or fewer, are worth a label each."""
FEW = 12  # rows to keep in sight where others need the room
READ, LISTED = 8, 4  # so many rows of a table, and lines of a list, show what it is about
MANY = 56.0  # many rows of a map, seen as a whole
LEAST_ACROSS, LEAST_COLUMN = 32.0, 4.0  # pixels of a map's cells from side to side; of few
ROOMY = 48  # so many rows of words are drawn as high as they like


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
            high = max(rows * cell, 18.0 * min(rows, LABELLED))
            return min(max(180.0, 140 + high), max(240.0, width))
        case Mosaic():
            rows, columns, high, wide = panel.values.shape
            tile = (width - 160) / max(1, columns) * high / max(1, wide)
            return max(200.0, 60 + rows * min(tile, 200.0))
        case Bars():
            return 27.0 * max(1, len(panel.bars)) + max(6.0, remark_height(panel, width))
        case Curves() | Paths():
            return max(260.0, width * 0.5)
        case WordGrid():
            rows = max(1, len(panel.cells))
            return 80 + 30.0 * min(rows, ROOMY) + 16.0 * max(0, rows - ROOMY)
        case Diagram():
            return min(width * panel.height / max(1e-6, panel.width), 1.2 * width)
        case Words():
            return 160.0


def least_height(panel: Panel, width: float) -> float:
    """The height below which the panel no longer shows what it is for."""
    match panel:
        case Heatmap():
            least = 4 + headroom(panel, width) + 13.0 * min(FEW, panel.values.shape[0])
        case Bars():
            least = LEAST_ROW * max(1, len(panel.bars)) + max(6.0, remark_height(panel, width))
        case WordGrid():
            least = 60 + 12.0 * min(FEW, max(1, len(panel.cells)))
        case Words():
            least = 60.0
        case Mosaic() | Curves() | Paths() | Diagram():
            least = 150.0
    return min(least, natural_height(panel, width))


def floor_height(panel: Panel, width: float) -> float:
    """The height below which nothing of the panel can be read."""
    match panel:
        case Heatmap():
            rows = panel.values.shape[0]
            cells = least_labelled(panel.rows) * rows if rows <= FEW else MANY
            floor = headroom(panel, width) + cells
        case Bars():
            floor = LEAST_ROW * min(LISTED, len(panel.bars)) + remark_height(panel, width)
        case WordGrid():
            rows = min(READ, max(1, len(panel.cells)))
            legend = word_grid.FOOT + (word_grid.ROW - word_grid.TIGHT_ROW) * rows
            floor = 42 + word_grid.TIGHT_ROW * rows + legend * bool(panel.value_name)
        case Words():
            floor = 44.0
        case Mosaic() | Curves() | Paths() | Diagram():
            floor = 100.0
    return min(floor, least_height(panel, width))


def too_narrow(panel: Panel, width: float) -> bool:
    """Whether nothing of the panel can be read at a width."""
    if not isinstance(panel, Heatmap):
        return False
    columns = panel.values.shape[1]
    return room_across(panel, width) < min(LEAST_ACROSS, LEAST_COLUMN * columns)


def whole_width(panel: Panel) -> float:
    """The width below which a part of the panel would have to be scrolled to."""
    return word_grid.whole_width(panel) if isinstance(panel, WordGrid) else 0.0


def grows(panel: Panel) -> bool:
    """Whether more than its natural height makes the panel any larger."""
    return not isinstance(panel, Bars | WordGrid)
