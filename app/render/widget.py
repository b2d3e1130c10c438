"""The widget that shows a Figure and says what is pointed at and picked.

The picture is painted once into a pixmap of the screen's own pixels; the pointer only adds a few
lines above it, so that hovering costs next to nothing however large the figure.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.figure import Figure, Words
from app.render.drawing import Hit, Window
from app.render.page import Page
from app.render.qt_canvas import QtCanvas
from app.theme import LIGHT, Theme

EMPTY = Figure(title="", panels=(Words(title="", text="Nothing to show yet."),))


class FigureWidget(QWidget):
    """Shows one Figure at a time.

    picked: a click on a cell or label, as `Selection` field name -> index. hovered: the sentence of
    what is under the pointer; hover_left: the pointer is over nothing. opened: a box that leads to
    a view was clicked, with the box's target.
    """

    picked = Signal(dict)
    hovered = Signal(str)
    hover_left = Signal()
    opened = Signal(str)

    def __init__(self, parent: QWidget | None = None, theme: Theme = LIGHT) -> None:
        super().__init__(parent)
        self._theme = theme
        self._figure = EMPTY
        self._windows: dict[int, Window] = {}
        self._page: Page | None = None
        self._pixmap: QPixmap | None = None
        self._hit: tuple[int, Hit] | None = None
        self._pointer: tuple[float, float] | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(160, 120)
        self.setAccessibleName("Figure")

    @property
    def figure(self) -> Figure:
        """What is shown."""
        return self._figure

    @property
    def page(self) -> Page:
        """The figure laid out at the widget's size."""
        if self._page is None:
            self._page = Page(self._figure, self.width(), self.height(), self._theme, self._windows)
        return self._page

    def show_figure(self, figure: Figure) -> None:
        """Shows another figure in place of the last; the pointer reads it at once."""
        self._figure = figure
        self.setAccessibleName(figure.title or "Figure")
        self.setAccessibleDescription(figure.note)
        self._redraw()

    def set_theme(self, theme: Theme) -> None:
        """Draws in another theme's colours."""
        self._theme = theme
        self._redraw()

    def sizeHint(self) -> QSize:
        return QSize(760, 560)

    def _redraw(self) -> None:
        self._page = None
        self._pixmap = None
        if self._pointer is not None:
            self._point(*self._pointer)
        self.update()

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        ratio = self.devicePixelRatioF()
        if self._pixmap is None or self._pixmap.devicePixelRatio() != ratio:
            self._pixmap = self._picture(ratio)
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._pixmap)
        canvas = QtCanvas(painter, ratio)
        if self._hit is not None:
            index, hit = self._hit
            self.page.placed[index].drawing.paint_hover(canvas, hit)
        self._paint_footer(canvas)
        if self.hasFocus():
            painter.setPen(QPen(QColor(self._theme.accent), 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(0.5, 0.5, self.width() - 1, self.height() - 1))
        painter.end()

    def _picture(self, ratio: float) -> QPixmap:
        pixmap = QPixmap(QSize(round(self.width() * ratio), round(self.height() * ratio)))
        pixmap.setDevicePixelRatio(ratio)
        painter = QPainter(pixmap)
        self.page.paint(QtCanvas(painter, ratio), note=False)
        painter.end()
        return pixmap

    def _paint_footer(self, canvas: QtCanvas) -> None:
        """The read-out while something is pointed at, else the note."""
        if self._hit is None:
            self.page.paint_note(canvas)
        else:
            self.page.paint_readout(canvas, self._hit[1].text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._redraw()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._redraw()
        super().changeEvent(event)

    # The pointer

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(event.position().x(), event.position().y())

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer = None
        self._hover(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        self._point(event.position().x(), event.position().y())
        self._pick()

    def _point(self, x: float, y: float) -> None:
        self._pointer = x, y
        self._hover(self.page.at(x, y))

    def _hover(self, found: tuple[int, Hit] | None) -> None:
        before = self._hit
        self._hit = found
        if found is None:
            self.unsetCursor()
            if before is not None:
                self.hover_left.emit()
                self.update()
            return
        hit = found[1]
        pickable = bool(hit.picks or hit.target)
        self.setCursor(
            Qt.CursorShape.PointingHandCursor if pickable else Qt.CursorShape.ArrowCursor
        )
        if before is None or before[0] != found[0] or before[1].text != hit.text:
            self.hovered.emit(hit.text)
            self.update()

    def _pick(self) -> None:
        if self._hit is None:
            return
        hit = self._hit[1]
        if hit.picks:
            self.picked.emit(dict(hit.picks))
        if hit.target:
            self.opened.emit(hit.target)
