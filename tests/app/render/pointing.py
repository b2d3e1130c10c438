"""A figure's widget under a real mouse: what is shown, where its cells are, what is heard."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from app.figure import Figure
from app.render.drawing import Scrollable
from app.render.heatmap import HeatmapDrawing
from app.render.widget import FigureWidget
from app.render.window import Window

LEFT = Qt.MouseButton.LeftButton


def show(widget: FigureWidget, *panels: object, **changes: object) -> None:
    widget.show_figure(Figure(title="t", panels=panels, **changes))  # type: ignore[arg-type]


def drawing(widget: FigureWidget, panel: int = 0) -> HeatmapDrawing:
    found = widget.page.placed[panel].drawing
    assert isinstance(found, HeatmapDrawing)
    return found


def middle(widget: FigureWidget, row: int, column: int, panel: int = 0) -> QPoint:
    x, y = drawing(widget, panel).grid.rect(row, column).middle
    return QPoint(int(x), int(y))


def turn(widget: FigureWidget, at: QPoint, steps: int, modifier: Qt.KeyboardModifier) -> bool:
    event = QWheelEvent(
        QPointF(at),
        QPointF(widget.mapToGlobal(at)),
        QPoint(),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        modifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def listen(widget: FigureWidget) -> dict[str, list[object]]:
    heard: dict[str, list[object]] = {"picked": [], "hovered": [], "left": [], "opened": []}
    widget.picked.connect(heard["picked"].append)
    widget.hovered.connect(heard["hovered"].append)
    widget.hover_left.connect(lambda: heard["left"].append(None))
    widget.opened.connect(heard["opened"].append)
    return heard


def move(widget: FigureWidget, to: QPoint) -> None:
    """A move with the left button held, which qtbot cannot send."""
    none = Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(to),
        QPointF(widget.mapToGlobal(to)),
        Qt.MouseButton.NoButton,
        LEFT,
        none,
    )
    QApplication.sendEvent(widget, event)


def window(widget: FigureWidget, panel: int = 0) -> Window:
    found = widget.page.placed[panel].drawing
    assert isinstance(found, Scrollable)
    return found.window
