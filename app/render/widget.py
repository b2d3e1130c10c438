"""The widget that shows a Figure and says what is pointed at and picked.

The picture is painted once into a pixmap of the screen's own pixels; the pointer only adds a few
lines above it, so that hovering costs next to nothing however large the figure.

A page is laid out for texts of the usual size. Where they are larger, by the system's settings or
for a lecture hall, it is laid out in as much less room and enlarged: all of it, lines too.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontInfo,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from app.figure import Figure, WordGrid, Words
from app.render.drawing import Hit
from app.render.guard import guarded
from app.render.moving import panned, showing, zoomed
from app.render.page import Page
from app.render.places import Drag, beside, map_at, map_of, whole_of
from app.render.qt_canvas import QtCanvas
from app.render.window import Window
from app.render.word_grid import WordGridDrawing
from app.theme import LIGHT, Theme

EMPTY = Figure(title="", panels=(Words(title="", text="Nothing to show yet."),))
ZOOM = 0.8
LEAST_PAGE = 400.0, 300.0  # pixels; in half of that several views were but a few pixels high
USUAL_TEXT, NOTABLE = 13.4, 1.2  # pixels of an interface's text; so much larger ones are followed
POINTING, ARROW = Qt.CursorShape.PointingHandCursor, Qt.CursorShape.ArrowCursor
CONTROL = Qt.KeyboardModifier.ControlModifier
ARROWS = {
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
}
TURNS = {Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1}
BY_KEY = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
HELP = "Control and an arrow key read cell by cell, Return picks, plus and minus zoom."


class FigureWidget(QWidget):
    """Shows one Figure at a time.

    picked: a click on a cell or label, as `Selection` field name -> index or word. hovered: the
    sentence of what is under the pointer; hover_left: the pointer is over nothing. opened: a box
    that leads to a view was clicked, with the box's target.

    The wheel zooms a map about the pointer and scrolls a grid of words; dragging pans, a double
    click shows all. Keys: Ctrl+arrows read, Return picks, + and − zoom, 0 shows all; Page Up and
    Down turn to panels that find no room.
    """

    picked = Signal(dict)
    hovered = Signal(str)
    hover_left = Signal()
    opened = Signal(str)

    def __init__(
        self,
        parent: QWidget | None = None,
        theme: Theme = LIGHT,
        least: tuple[float, float] = LEAST_PAGE,
    ) -> None:
        """least: width and height that a page keeps however much it is enlarged."""
        super().__init__(parent)
        self._least = least
        self._theme = theme
        self._figure = EMPTY
        self._windows: dict[int, Window] = {}
        self._first = 0  # the row of panels that the page begins with
        self._page: Page | None = None
        self._pixmap: QPixmap | None = None
        self._hit: tuple[int, Hit] | None = None
        self._pointer: tuple[float, float] | None = None
        self._drag: Drag | None = None
        self._framed = False
        self._enlarged = self._laid_out = 1.0
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(160, 120)
        self.setAccessibleName("Figure")
        self.setAccessibleDescription(HELP)

    @property
    def figure(self) -> Figure:
        """What is shown."""
        return self._figure

    @property
    def page(self) -> Page:
        """The figure laid out at the widget's size."""
        scale = self.scale
        if self._page is None or scale != self._laid_out:
            self._laid_out, self._pixmap = scale, None
            size = self.width() / scale, self.height() / scale
            windows, first = self._windows, self._first
            self._page = Page(self._figure, *size, self._theme, windows, first=first, hints=True)
        return self._page

    def show_figure(self, figure: Figure) -> None:
        """Shows another figure in place of the last; the pointer reads it at once, and what was
        zoomed stays zoomed while its shape, and the order of a table's rows, stay the same."""
        before = {index: whole_of(self.page, index) for index in self._windows}
        rows = {index: _names(self._figure, index) for index in self._windows}
        if len(figure.panels) != len(self._figure.panels):
            self._first = 0
        self._figure = figure
        self._redraw()
        kept = {
            index: window
            for index, window in self._windows.items()
            if whole_of(self.page, index) == before[index] and _names(figure, index) == rows[index]
        }
        if kept != self._windows:
            self._windows = kept
            self._redraw()
        self.setAccessibleName(figure.title or "Figure")
        self.setAccessibleDescription(" ".join(filter(None, (figure.note, figure.hint, HELP))))

    @property
    def scale(self) -> float:
        """How much larger than usual all is drawn: as asked for, times as large as the texts of the
        interface are; less where a page would have too little room to say anything."""
        text = QFontInfo(QApplication.font()).pixelSize() / USUAL_TEXT
        wanted = self._enlarged * (text if text >= NOTABLE else 1.0)
        room = min(self.width() / self._least[0], self.height() / self._least[1])
        return max(1.0, min(wanted, room))

    def enlarge(self, factor: float) -> None:
        """Draws everything so much larger than usual, in the same room."""
        if factor != self._enlarged:
            self._enlarged = factor
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
        elif self._hit is not None:  # read by keyboard: the place may be gone
            self._hover(None)
        self.update()

    # --- painting ---------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        ratio = self.devicePixelRatioF()
        if self._pixmap is None or self._pixmap.devicePixelRatio() != ratio:
            self._pixmap = self._picture(ratio)
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
            self._redraw()
        super().changeEvent(event)

    # --- the pointer ------------------------------------------------------------------------

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        where = self._place(event)
        if self._drag is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self._pan(self._drag, where)
        else:
            self._point(where.x(), where.y())

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._pointer = None
        self._hover(None)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        where = self._place(event)
        self._point(where.x(), where.y())
        found = map_at(self.page, where.x(), where.y())
        self._drag = Drag(where.x(), where.y(), None if found is None else found[0])

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        drag, self._drag = self._drag, None
        if drag is None or event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        where = self._place(event)
        self._point(where.x(), where.y())
        if not drag.moved and self._over_more:
            self._turn(1)
        elif not drag.moved:
            self._pick()

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        where = self._place(event)
        found = map_at(self.page, where.x(), where.y())
        if found is not None:
            self._show_window(found[0], None)

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        where = self._place(event)
        found = map_at(self.page, where.x(), where.y())
        turned = event.angleDelta().y() or event.angleDelta().x()
        if found is None and turned and self.page.more is not None:
            self._turn(-1 if turned > 0 else 1)
            return
        if found is None or not turned:
            event.ignore()
            return
        index, drawing, (row, column) = found
        if isinstance(drawing, WordGridDrawing) and not event.modifiers() & CONTROL:
            step = -1 if turned > 0 else 1
            sideways = not event.angleDelta().y() or drawing.window.rows == drawing.whole.rows
            moves = (0, step) if sideways else (step, 0)
            self._show_window(index, panned(drawing.window, drawing.whole, *moves))
        else:
            factor = ZOOM if turned > 0 else 1 / ZOOM
            self._show_window(index, zoomed(drawing.window, drawing.whole, row, column, factor))
        event.accept()

    def _place(self, event: QMouseEvent | QWheelEvent) -> QPointF:
        """Where on the page the pointer is."""
        return event.position() / self.scale

    def _point(self, x: float, y: float) -> None:
        self._pointer = x, y
        self._hover(self.page.at(x, y))

    def _hover(self, found: tuple[int, Hit] | None) -> None:
        before = self._hit
        self._hit = found
        if found is None:
            self.setCursor(POINTING if self._over_more else ARROW)
            self.setToolTip("")
            if before is not None:
                self.hover_left.emit()
                self.update()
            return
        hit = found[1]
        pickable = bool(hit.picks or hit.selects or hit.target)
        self.setCursor(POINTING if pickable else ARROW)
        if found != before:
            # Over a map the tip would hide cells; elsewhere it says labels that were cut in full.
            self.setToolTip("" if map_of(self.page, found[0]) is not None else hit.text)
            self.hovered.emit(hit.text)
            self.update()

    def _pick(self) -> None:
        if self._hit is None:
            return
        hit = self._hit[1]
        if hit.picks or hit.selects:
            self.picked.emit({**hit.picks, **hit.selects})
        if hit.target:
            self.opened.emit(hit.target)

    # --- the part in sight ------------------------------------------------------------------

    @property
    def _over_more(self) -> bool:
        """Whether the pointer is on the line that leads to the panels out of sight."""
        more = self.page.more
        return more is not None and self._pointer is not None and more.holds(*self._pointer)

    def _turn(self, down: int) -> None:
        """The panels that follow those in sight, or come before them."""
        self._first = self.page.turned(down)
        self._redraw()

    def _show_window(self, index: int, window: Window | None) -> None:
        """Shows a part of a panel's cells; all that fit for None or the whole."""
        if window is None or window == whole_of(self.page, index):
            self._windows.pop(index, None)
        else:
            self._windows[index] = window
        self._redraw()

    def _pan(self, drag: Drag, where: QPointF) -> None:
        drawing = None if drag.panel is None else map_of(self.page, drag.panel)
        cell = (1.0, 1.0) if drawing is None else drawing.grid.cell
        least = QApplication.startDragDistance()
        rows, columns = drag.to(where.x(), where.y(), cell, least)
        if drawing is not None and drag.panel is not None and (rows or columns):
            self._show_window(drag.panel, panned(drawing.window, drawing.whole, rows, columns))

    # --- the keyboard -----------------------------------------------------------------------

    def focusInEvent(self, event: QFocusEvent) -> None:
        # A frame around the picture helps who comes by keyboard and disturbs who clicks.
        self._framed = event.reason() in BY_KEY
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._framed = False
        self.update()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in ARROWS and event.modifiers() & CONTROL:
            self._walk(*ARROWS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._hit is not None:
            self._pick()
        elif key in TURNS and self.page.more is not None:
            self._turn(TURNS[key])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self._zoom(ZOOM)
        elif key == Qt.Key.Key_Minus:
            self._zoom(1 / ZOOM)
        elif key == Qt.Key.Key_0 and self._windows:
            self._windows = {}
            self._redraw()
        else:
            super().keyPressEvent(event)

    def _walk(self, down: int, right: int) -> None:
        """Reads the next place, wherever the mouse was left."""
        found = beside(self.page, self._hit, down, right)
        if found is None:
            return
        self._pointer = None
        index, hit = found
        if not self.page.layout.shows(index):
            self._first = self.page.layout.row_of(index)
            self._redraw()
        drawing = map_of(self.page, index)
        if drawing is not None:
            window = showing(drawing.window, drawing.whole, hit.row, hit.column)
            if window != drawing.window:
                self._show_window(index, window)
        self._hover(found)
        self.setAccessibleDescription(hit.text)

    def _zoom(self, factor: float) -> None:
        """Zooms the map that is read or pointed at, else the first, about that cell."""
        panels = range(len(self.page.placed))
        maps = [index for index in panels if map_of(self.page, index) is not None]
        hit = self._hit
        index = hit[0] if hit is not None else next(iter(maps), -1)
        drawing = map_of(self.page, index)
        if drawing is None:
            return
        window = drawing.window
        row, column = window.row + window.rows / 2, window.column + window.columns / 2
        if hit is not None and hit[1].row is not None and hit[1].column is not None:
            row, column = hit[1].row + 0.5, hit[1].column + 0.5
        pointer, self._pointer = self._pointer, None
        self._show_window(index, zoomed(window, drawing.whole, row, column, factor))
        self._pointer = pointer
        self._hover(hit)


def _names(figure: Figure, index: int) -> tuple[str, ...]:
    """What the rows of a table are called: sorted anew it begins at its top again."""
    panel = figure.panels[index] if index < len(figure.panels) else None
    return panel.rows.labels if isinstance(panel, WordGrid) else ()
