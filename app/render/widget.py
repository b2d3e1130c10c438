"""The widget that shows a Figure and says what is pointed at and picked."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from app.figure import Figure
from app.render.drawing import Hit
from app.render.guard import guarded
from app.render.picture import PictureWidget
from app.render.places import Drag, beside, map_at, map_of
from app.render.word_grid import WordGridDrawing

ZOOM = 0.8
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


class FigureWidget(PictureWidget):
    """Shows one Figure at a time.

    picked: a click on a cell or label, as `Selection` field name -> index or word. hovered: the
    sentence of what is under the pointer; hover_left: the pointer is over nothing. opened: a box
    that leads to a view was clicked, with the box's target. unpicked: what was picked last was the
    first half of a double click that shows all.

    The wheel zooms a map about the pointer and scrolls a grid of words; dragging pans, a double
    click shows all. Keys: Ctrl+arrows read, Return picks, + and − zoom, 0 shows all; Page Up and
    Down turn to panels that find no room.
    """

    picked = Signal(dict)
    unpicked = Signal()
    hovered = Signal(str)
    hover_left = Signal()
    opened = Signal(str)

    _pointer: tuple[float, float] | None = None
    _drag: Drag | None = None
    _clicked = False  # the last click picked something

    def show_figure(self, figure: Figure) -> None:
        """Shows another figure in place of the last; the pointer reads it at once."""
        super().show_figure(figure)
        self.setAccessibleName(figure.title or "Figure")
        self.setAccessibleDescription(" ".join(filter(None, (figure.note, figure.hint, HELP))))

    def _redraw(self) -> None:
        if self._pointer is not None:
            self._point(*self._pointer)
        elif self._hit is not None:  # read by keyboard: the place may be gone
            self._hover(None)
        super()._redraw()

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
        self._clicked = False
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
            self._clicked = self._pick()

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        where = self._place(event)
        found = map_at(self.page, where.x(), where.y())
        if found is not None:
            if self._clicked and self._sight.zoomed_at(found[0]):
                self.unpicked.emit()
            self._clicked = False
            self._sight.show_window(found[0], None)
            self._redraw()

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
            self._sight.pan(index, *moves)
        else:
            self._sight.zoom(index, row, column, ZOOM if turned > 0 else 1 / ZOOM)
        self._redraw()
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

    def _pick(self) -> bool:
        """Whether something was picked."""
        if self._hit is None:
            return False
        hit = self._hit[1]
        picks = {**hit.picks, **hit.selects}
        if picks:
            self.picked.emit(picks)
        if hit.target:
            self.opened.emit(hit.target)
        return bool(picks)

    @property
    def _over_more(self) -> bool:
        """Whether the pointer is on the line that leads to the panels out of sight."""
        more = self.page.more
        return more is not None and self._pointer is not None and more.holds(*self._pointer)

    def _turn(self, down: int) -> None:
        """The panels that follow those in sight, or come before them."""
        self._sight.turn(down)
        self._redraw()

    def _pan(self, drag: Drag, where: QPointF) -> None:
        drawing = None if drag.panel is None else map_of(self.page, drag.panel)
        cell = (1.0, 1.0) if drawing is None else drawing.grid.cell
        least = QApplication.startDragDistance()
        rows, columns = drag.to(where.x(), where.y(), cell, least)
        if drag.panel is not None and (rows or columns):
            self._sight.pan(drag.panel, rows, columns)
            self._redraw()

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
        elif key == Qt.Key.Key_0 and self._sight.zoomed:
            self._sight.show_all()
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
        if self._sight.reveal(index, hit):
            self._redraw()
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
        self._sight.zoom(index, row, column, factor)
        self._redraw()
        self._pointer = pointer
        self._hover(hit)
