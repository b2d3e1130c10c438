"""Drawing with QPainter, for the screen and for PNG."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter, QPen, QPolygonF

from app.render import pixels, text
from app.render.canvas import Align, Bools, Indices, Point
from app.render.geometry import Rect

FLAT, ROUND = Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.RoundJoin
DASH, NO_PEN = Qt.PenStyle.DashLine, Qt.PenStyle.NoPen
NO_BRUSH = Qt.BrushStyle.NoBrush


class QtCanvas:
    """See `canvas.Canvas`. `ratio`: device pixels to a logical pixel."""

    def __init__(self, painter: QPainter, ratio: float) -> None:
        self._painter = painter
        self._ratio = ratio
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)

    def rect(
        self,
        box: Rect,
        *,
        fill: str | None = None,
        stroke: str | None = None,
        width: float = 1.0,
        radius: float = 0.0,
        opacity: float = 1.0,
    ) -> None:
        if not radius:
            self._square(box, fill, stroke, width, opacity)
            return
        painter = self._painter
        half = width / 2 if stroke else 0.0
        painter.setPen(_pen(stroke, width, opacity) if stroke else NO_PEN)
        painter.setBrush(_colour(fill, opacity) if fill else NO_BRUSH)
        painter.drawRoundedRect(QRectF(*box.inset(half, half, half, half)), radius, radius)

    def _square(
        self, box: Rect, fill: str | None, stroke: str | None, width: float, opacity: float
    ) -> None:
        """A box on whole device pixels, as images are: a frame never dims the cells it encloses."""
        painter, ratio = self._painter, self._ratio
        left, top, right, bottom = (
            round(edge * ratio) / ratio for edge in (box.x, box.y, box.right, box.bottom)
        )
        if fill:
            painter.fillRect(QRectF(left, top, right - left, bottom - top), _colour(fill, opacity))
        if stroke:
            thick = max(1, round(width * ratio)) / ratio
            colour = _colour(stroke, opacity)
            inner = bottom - top - 2 * thick
            painter.fillRect(QRectF(left, top, right - left, thick), colour)
            painter.fillRect(QRectF(left, bottom - thick, right - left, thick), colour)
            painter.fillRect(QRectF(left, top + thick, thick, inner), colour)
            painter.fillRect(QRectF(right - thick, top + thick, thick, inner), colour)

    def line(
        self,
        points: Sequence[Point],
        *,
        colour: str,
        width: float = 1.0,
        dash: bool = False,
        opacity: float = 1.0,
    ) -> None:
        pen = _pen(colour, width, opacity)
        if dash:
            pen.setStyle(DASH)
        self._painter.setPen(pen)
        self._painter.setBrush(NO_BRUSH)
        if len(points) == 2:  # many times faster than a polyline of two points
            self._painter.drawLine(QPointF(*points[0]), QPointF(*points[1]))
        else:
            self._painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in points]))

    def polygon(self, points: Sequence[Point], *, fill: str, opacity: float = 1.0) -> None:
        self._painter.setPen(NO_PEN)
        self._painter.setBrush(_colour(fill, opacity))
        self._painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in points]))

    def dot(self, x: float, y: float, radius: float, *, fill: str, stroke: str = "") -> None:
        self._painter.setPen(_pen(stroke, 1.0, 1.0) if stroke else NO_PEN)
        self._painter.setBrush(_colour(fill, 1.0))
        self._painter.drawEllipse(QPointF(x, y), radius, radius)

    def text(
        self,
        x: float,
        y: float,
        text_: str,
        *,
        colour: str,
        size: float = 13,
        bold: bool = False,
        align: Align = "left",
        turn: float = 0,
    ) -> None:
        painter = self._painter
        painter.setFont(text.font(size, bold))
        painter.setPen(_colour(colour, 1.0))
        shift = 0.0
        if align != "left":
            wide = text.width(text_, size, bold)
            shift = -wide / 2 if align == "center" else -wide
        if turn:
            painter.save()
            painter.translate(x, y)
            painter.rotate(turn)
            painter.drawText(QPointF(shift, text.MIDDLE * size), text_)
            painter.restore()
        else:
            painter.drawText(QPointF(x + shift, y + text.MIDDLE * size), text_)

    def cells(
        self,
        box: Rect,
        index: Indices,
        hatched: Bools | None,
        table: Indices,
        *,
        blank: Bools | None = None,
        diverging: bool = False,
    ) -> None:
        def draw(width: int, height: int) -> Indices:
            return pixels.image(
                *(index, hatched, width, height),
                blank=blank,
                ratio=self._ratio,
                diverging=diverging,
            )

        self.raster(box, draw, table)

    def raster(self, box: Rect, draw: Callable[[int, int], Indices], table: Indices) -> None:
        # Whole device pixels: a cell's edge is never blurred over two of them.
        left, top = round(box.x * self._ratio), round(box.y * self._ratio)
        width = round(box.right * self._ratio) - left
        height = round(box.bottom * self._ratio) - top
        if width < 1 or height < 1:
            return
        image = indexed_image(draw(width, height), table)
        image.setDevicePixelRatio(self._ratio)
        self._painter.drawImage(QPointF(left / self._ratio, top / self._ratio), image)


def indexed_image(index: Indices, table: Indices) -> QImage:
    """A QImage of its own memory from an index [height, width] and a table [256, 3]."""
    index = np.ascontiguousarray(index)
    height, width = index.shape
    image = QImage(index.data, width, height, width, QImage.Format.Format_Indexed8).copy()
    rgb = table.astype(np.uint32)
    image.setColorTable((0xFF000000 | rgb[:, 0] << 16 | rgb[:, 1] << 8 | rgb[:, 2]).tolist())
    return image


def png_data(image: QImage) -> bytes:
    """The image as the content of a PNG file; OSError if Qt cannot write it."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(b"png"))
    if not writer.write(image):
        raise OSError(writer.errorString())
    return bytes(buffer.data().data())


def _colour(colour: str, opacity: float) -> QColor:
    result = QColor(colour)
    if opacity < 1:
        result.setAlphaF(opacity)
    return result


def _pen(colour: str, width: float, opacity: float) -> QPen:
    pen = QPen(_colour(colour, opacity), width)
    pen.setCapStyle(FLAT)
    pen.setJoinStyle(ROUND)
    return pen
