"""The few icons there are, drawn as paths; no font and no file needs to have them."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

from app.theme import DARK

SIZE = 16
_WINDOW_SIZES = (16, 24, 32, 48, 64, 128, 256)


def icon(name: str, colour: str, disabled: str) -> QIcon:
    """name: first back step last play pause left right close restart."""
    made = QIcon()
    for mode, tint in ((QIcon.Mode.Normal, colour), (QIcon.Mode.Disabled, disabled)):
        for ratio in (1, 2):
            made.addPixmap(_pixmap(name, tint, ratio), mode)
    return made


def window_icon() -> QIcon:
    """Three lenses, one over the other: the three architectures."""
    made = QIcon()
    for size in _WINDOW_SIZES:
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(size / 32, size / 32)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(DARK.background))
        painter.drawRoundedRect(QRectF(0, 0, 32, 32), 7, 7)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for place, colour in zip(
            ((16, 11.5), (11.5, 19.5), (20.5, 19.5)), DARK.lines, strict=False
        ):
            painter.setPen(QPen(QColor(colour), 2.6))
            painter.drawEllipse(QPointF(*place), 6.5, 6.5)
        painter.end()
        made.addPixmap(pixmap)
    return made


def _pixmap(name: str, colour: str, ratio: int) -> QPixmap:
    pixmap = QPixmap(SIZE * ratio, SIZE * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    _draw(painter, name, colour)
    painter.end()
    return pixmap


def _draw(painter: QPainter, name: str, colour: str) -> None:
    match name:
        case "play":
            _triangle(painter, 4, 13, right=True)
        case "pause":
            painter.drawRect(QRectF(4, 3, 3, 10))
            painter.drawRect(QRectF(9, 3, 3, 10))
        case "step":
            _triangle(painter, 5, 11, right=True)
            painter.drawRect(QRectF(11, 3, 1.5, 10))
        case "back":
            _triangle(painter, 5, 11, right=False)
            painter.drawRect(QRectF(3.5, 3, 1.5, 10))
        case "last":
            _triangle(painter, 1.5, 7, right=True)
            _triangle(painter, 7, 12.5, right=True)
            painter.drawRect(QRectF(12.5, 3, 1.5, 10))
        case "first":
            _triangle(painter, 9, 14.5, right=False)
            _triangle(painter, 3.5, 9, right=False)
            painter.drawRect(QRectF(2, 3, 1.5, 10))
        case "right":
            _triangle(painter, 5, 11, right=True)
        case "left":
            _triangle(painter, 5, 11, right=False)
        case _:
            painter.setPen(
                QPen(QColor(colour), 1.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
            )
            painter.setBrush(Qt.BrushStyle.NoBrush)
            if name == "close":
                painter.drawLine(QPointF(4.5, 4.5), QPointF(11.5, 11.5))
                painter.drawLine(QPointF(11.5, 4.5), QPointF(4.5, 11.5))
            elif name == "restart":
                painter.drawArc(QRectF(3.5, 3.5, 9, 9), 40 * 16, 290 * 16)
                painter.drawLine(QPointF(12.4, 2.2), QPointF(12, 5.6))
                painter.drawLine(QPointF(8.8, 4.9), QPointF(12, 5.6))
            else:
                raise ValueError(f"there is no icon {name!r}")


def _triangle(painter: QPainter, left: float, right_edge: float, *, right: bool) -> None:
    base, tip = (left, right_edge) if right else (right_edge, left)
    painter.drawPolygon(QPolygonF([QPointF(base, 3), QPointF(base, 13), QPointF(tip, 8)]))
