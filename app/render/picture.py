"""A widget that paints a figure, as large as texts are, and what is read of it at the moment.

The picture is painted once into a pixmap of the screen's own pixels; what is read only adds a few
lines above it, so that hovering costs next to nothing however large the figure.

A page is laid out for texts of the usual size. Where they are larger, by the system's settings or
for a lecture hall, it is laid out in as much less room and enlarged: all of it, lines too.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontInfo, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from app.figure import Figure, Words
from app.render.drawing import Hit
from app.render.guard import guarded
from app.render.page import Page, legible_height
from app.render.qt_canvas import QtCanvas
from app.render.sight import Sight
from app.theme import LIGHT, Theme

EMPTY = Figure(title="", panels=(Words(title="", text="Nothing to show yet."),))
LEAST_PAGE = 400.0, 300.0  # pixels; in half of that several views were but a few pixels high
USUAL_TEXT, NOTABLE = 13.4, 1.2  # pixels of an interface's text; so much larger ones are followed


class PictureWidget(QWidget):
    """Shows one Figure at a time; `widget.FigureWidget` adds how it is read and moved."""

    def __init__(self, *, theme: Theme = LIGHT, least: tuple[float, float] = LEAST_PAGE) -> None:
        """least: width and height that a page keeps however much it is enlarged."""
        super().__init__()
        self._least, self._theme = least, theme
        self._sight = Sight(EMPTY, theme)
        self._pixmap: QPixmap | None = None
        self._painted: tuple[Page, float, float] | None = None  # what the pixmap is of
        self._hit: tuple[int, Hit] | None = None  # the panel that is read, and where
        self._framed = False
        self._enlarged = 1.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(160, 120)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Figure")

    @property
    def figure(self) -> Figure:
        """What is shown."""
        return self._sight.figure

    @property
    def page(self) -> Page:
        """The figure laid out at the widget's size."""
        self._fit()
        return self._sight.page

    def show_figure(self, figure: Figure) -> None:
        """Shows another figure in place of the last."""
        self._fit()
        self._sight.show(figure)
        self._redraw()

    @property
    def scale(self) -> float:
        """How much larger than usual all is drawn: as asked for, times as large as the texts of the
        interface are; less where a page would have too little room to say anything."""
        text = QFontInfo(QApplication.font()).pixelSize() / USUAL_TEXT
        wanted = self._enlarged * (text if text >= NOTABLE else 1.0)
        least = max(self._least[1], legible_height(self.figure))
        room = min(self.width() / self._least[0], self.height() / least)
        return max(1.0, min(wanted, room))

    def enlarge(self, factor: float) -> None:
        """Draws everything so much larger than usual, in the same room."""
        if factor != self._enlarged:
            self._enlarged = factor
            self._redraw()

    def set_theme(self, theme: Theme) -> None:
        """Draws in another theme's colours."""
        self._theme = theme
        self._sight.dress(theme)
        self._redraw()

    def sizeHint(self) -> QSize:
        return QSize(760, 560)

    def _fit(self) -> None:
        scale = self.scale
        self._sight.resize(self.width() / scale, self.height() / scale)

    def _redraw(self) -> None:
        self.update()

    # --- painting ---------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        ratio = self.devicePixelRatioF()
        shows = self.page, self.scale, ratio
        if self._pixmap is None or self._painted != shows:
            self._pixmap, self._painted = self._picture(ratio), shows
        painter = QPainter(self)
        try:
            painter.drawPixmap(0, 0, self._pixmap)
            painter.scale(self.scale, self.scale)
            self._paint_over(QtCanvas(painter, ratio * self.scale))
        finally:
            painter.end()

    def _paint_over(self, canvas: QtCanvas) -> None:
        """What the pointer, the keyboard and the focus add to the picture."""
        if self._hit is None:
            self.page.paint_note(canvas)
        else:
            index, hit = self._hit
            self.page.placed[index].drawing.paint_hover(canvas, hit)
            self.page.paint_readout(canvas, hit.text)
        if self._framed:
            canvas.rect(self.page.box, stroke=self._theme.accent)

    def _picture(self, ratio: float) -> QPixmap:
        pixmap = QPixmap(QSize(round(self.width() * ratio), round(self.height() * ratio)))
        pixmap.setDevicePixelRatio(ratio)
        painter = QPainter(pixmap)
        try:
            painter.scale(self.scale, self.scale)
            self.page.paint(QtCanvas(painter, ratio * self.scale), note=False)
        finally:
            painter.end()
        return pixmap

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._redraw()

    @guarded
    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._sight.forget()
            self._redraw()
        super().changeEvent(event)
