"""All heads at once: layers × heads small maps in one image, with gaps; one pass for 144 maps."""

from __future__ import annotations

import numpy as np

from app.figure import Mosaic
from app.render import colour_bar, pixels, readout
from app.render.axes import paint_axes, paint_hover_labels
from app.render.canvas import Canvas, Indices, Integers
from app.render.drawing import Hit
from app.render.frames import around, frame
from app.render.geometry import Rect
from app.render.grid import Limits, fit, picks
from app.render.moving import walked
from app.render.numbers import number
from app.render.window import Window
from app.theme import Theme

GAP = 3.0


class MosaicDrawing:
    """`values[row, column]` are maps; a click picks the row and the column, layer and head."""

    def __init__(self, panel: Mosaic, box: Rect, theme: Theme) -> None:
        rows, columns, height, width = panel.values.shape
        self.panel, self.theme, self.box = panel, theme, box
        shape = width / max(1, height)
        # A map of few queries and many keys may be drawn as tall as wide.
        slender = min(0.9 * shape, 0.9)
        limits = Limits(width=200, height=200, slender=slender, broad=1.5 * shape)
        self.grid = fit(
            box,
            panel.rows,
            panel.columns,
            Window(0, 0, rows, columns),
            right=colour_bar.ROOM,
            limits=limits,
        )
        self._table = pixels.colours(theme, "sequential")
        self._left_out = panel.left_out is not None and bool(panel.left_out.any())

    def paint(self, canvas: Canvas) -> None:
        panel, grid, theme = self.panel, self.grid, self.theme
        canvas.raster(grid.box, self._image, self._table)
        if self._left_out:  # else nothing would tell where a map ends
            for tile in np.ndindex(panel.values.shape[:2]):
                canvas.rect(around(self._tile(*tile), 1), stroke=theme.border)
        row, column = panel.selected or (None, None)
        paint_axes(canvas, grid, theme, row, column)
        if panel.selected is not None and grid.in_sight(row, column):
            frame(canvas, self._tile(*panel.selected), theme, width=2.5)
        high = max(grid.box.height, min(200.0, self.box.bottom - grid.box.y))
        colour_bar.paint(
            canvas,
            Rect(grid.box.right + colour_bar.AWAY, grid.box.y, colour_bar.ROOM - 18, high),
            self._table,
            theme,
            limits=panel.limits,
            name=panel.value_name,
            masked=panel.hidden is not None and bool(panel.hidden.any()),
            left_out=self._left_out,
        )

    def at(self, x: float, y: float) -> Hit | None:
        row, column = self.grid.at(x, y)
        return None if row is None and column is None else self._hit(row, column)

    def beside(self, hit: Hit | None, down: int, right: int) -> Hit | None:
        rows, columns = self.panel.values.shape[:2]
        tile = walked(hit, down, right, rows, columns, self.panel.selected or (0, 0))
        return None if tile is None else self._hit(*tile)

    def _hit(self, row: int | None, column: int | None) -> Hit:
        panel = self.panel
        words = readout.places(panel.rows, panel.columns, row, column)
        if row is not None and column is not None:
            largest = number(float(np.nanmax(panel.values[row, column])))
            words += f": largest {panel.value_name} {largest} · click to look at it"
        return Hit(text=words, picks=picks(panel.picks, row, column), row=row, column=column)

    def paint_hover(self, canvas: Canvas, hit: Hit) -> None:
        if hit.row is not None and hit.column is not None:
            frame(canvas, self._tile(hit.row, hit.column), self.theme, width=1.5)
        paint_hover_labels(canvas, self.grid, self.theme, hit.row, hit.column)

    def _tile(self, row: int, column: int) -> Rect:
        return self.grid.rect(row, column).inset(right=self._gap, bottom=self._gap)

    @property
    def _gap(self) -> float:
        return GAP if min(self.grid.cell) >= 24 else 1.0

    def _image(self, width: int, height: int) -> Indices:
        """The whole mosaic at `width` × `height` device pixels."""
        panel, box = self.panel, self.grid.box
        gap = max(1, round(self._gap * width / box.width))
        index = pixels.quantise(panel.values, panel.limits)
        hidden, unseen = panel.hidden, panel.left_out
        if unseen is not None and hidden is not None:
            unseen = unseen | hidden
        rows, columns = index.shape[:2]
        for axis, room in ((2, height // rows - gap), (3, width // columns - gap)):
            index = pixels.shrink(index, axis, max(1, room))
            hidden = None if hidden is None else pixels.shrink_all(hidden, axis, max(1, room))
            unseen = None if unseen is None else pixels.shrink_all(unseen, axis, max(1, room))
        down = _pixels_of_tiles(rows, index.shape[2], height, gap)
        across = _pixels_of_tiles(columns, index.shape[3], width, gap)
        if unseen is not None:
            index = np.where(unseen, np.uint8(pixels.GAP), index)
        if hidden is not None:
            index = np.where(hidden, np.uint8(pixels.HATCH), index)
        image = _joined(index).take(across, axis=1).take(down, axis=0)
        if hidden is not None:
            pixels.striped(image, width / box.width)
        image[down < 0] = pixels.GAP
        image[:, across < 0] = pixels.GAP
        return image


def _joined(tiles: Indices) -> Indices:
    """[row, column, height, width] as one map of all tiles side by side."""
    rows, columns, height, width = tiles.shape
    return tiles.transpose(0, 2, 1, 3).reshape(rows * height, columns * width)


def _pixels_of_tiles(tiles: int, cells: int, size: int, gap: int) -> Integers:
    """For each of `size` pixels the cell, counted through all tiles; −1 in a gap."""
    edges = np.rint(np.linspace(0, size, tiles + 1)).astype(np.intp)
    result = np.full(size, -1, dtype=np.intp)
    for tile in range(tiles):
        first, last = edges[tile], max(edges[tile] + 1, edges[tile + 1] - gap)
        result[first:last] = tile * cells + pixels.spread(cells, last - first)
    return result
