"""Tokens as chips, all painted by one widget: thousands cost no more than those in sight."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from app.theme import LIGHT, Theme

_GAP, _PAD, _MARGIN = 4.0, 6.0, 2.0
_RADIUS = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One token. kind: "word", "special", "padding", "masked" or "generated".

    below: a second line (a probability). group: tokens of one character are lit up together.
    """

    label: str
    kind: str = "word"
    segment_b: bool = False
    below: str = ""
    tooltip: str = ""
    group: int = -1


def _same(old: tuple[Chip, ...], new: tuple[Chip, ...]) -> int:
    """How many chips at the beginning are the very same."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((i for i, (a, b) in pairs if a is not b), min(len(old), len(new)))


class TokenChips(QWidget):
    """Chips in lines (wrap) or in one row. Tab comes here, ←/→ moves, Enter clicks."""

    clicked = Signal(int, bool)  # index; whether Shift was held
    height_wanted = Signal(int)

    def __init__(self, name: str, *, wrap: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._wrap = name, wrap
        self._chips: tuple[Chip, ...] = ()
        self._boxes: list[QRectF] = []
        self._theme = LIGHT
        self._hover = self._current = -1
        self._selected: int | None = None
        self._empty = ""
        self.setMouseTracking(True)
        # Not by a click: the arrow keys go on choosing heads after a chip was clicked.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(name)
        self._arrange()

    @property
    def chips(self) -> tuple[Chip, ...]:
        return self._chips

    def set_chips(self, chips: tuple[Chip, ...]) -> None:
        if chips == self._chips:
            return
        same = _same(self._chips, chips)
        self._chips = chips
        self._hover = -1
        self._current = min(self._current, len(chips) - 1)
        self._tell()
        self._arrange(same)
        self.update()

    def _tell(self) -> None:
        """What a screen reader says: all tokens, or what the keys have gone to."""
        if self.hasFocus() and 0 <= self._current < len(self._chips):
            chip = self._chips[self._current]
            said = " ".join((chip.tooltip or chip.label).split())
            self.setAccessibleDescription(f"{self._current + 1} of {len(self._chips)}: {said}")
        else:
            self.setAccessibleDescription(" ".join(chip.label for chip in self._chips))

    def set_selected(self, index: int | None) -> None:
        if index != self._selected:
            self._selected = index
            self.update()

    @property
    def selected(self) -> int | None:
        return self._selected

    def set_empty_text(self, text: str) -> None:
        """What stands there while there is no chip."""
        self._empty = text
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def box(self, index: int) -> QRectF:
        """Where a chip stands, in the widget's own coordinates."""
        return QRectF(self._boxes[index])

    def at(self, point: QPointF) -> int:
        """The chip at a point, -1 where there is none."""
        return next((i for i, box in enumerate(self._boxes) if box.contains(point)), -1)

    # --- layout -----------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        # In one row the last box says it all: no walk over thousands at every step.
        boxes = self._boxes if self._wrap else self._boxes[-1:]
        right = max((box.right() for box in boxes), default=0.0)
        return QSize(int(right + _MARGIN), self._height())

    def _height(self) -> int:
        boxes = self._boxes if self._wrap else self._boxes[-1:]
        bottom = max((box.bottom() for box in boxes), default=_MARGIN + self._chip_height())
        return int(bottom + _MARGIN + 1)

    def _chip_height(self) -> float:
        # In one row as high as it will be, so that nothing moves when the first chip comes.
        lines = 2 if not self._wrap or any(chip.below for chip in self._chips) else 1
        return QFontMetricsF(self.font()).height() * lines + 5

    def _arrange(self, same: int = 0) -> None:
        """same: so many chips are the old ones; in one row they keep their places."""
        metrics = QFontMetricsF(self.font())
        height = self._chip_height()
        x = y = _MARGIN
        kept = self._boxes[:same] if not self._wrap else []
        if kept and kept[0].height() == height:
            x = kept[-1].right() + _GAP
        else:
            kept = []
        self._boxes = kept
        for chip in self._chips[len(kept) :]:
            text = max(
                metrics.horizontalAdvance(chip.label), metrics.horizontalAdvance(chip.below), 8.0
            )
            width = text + 2 * _PAD
            if self._wrap:
                width = min(width, self.width() - 2 * _MARGIN)
                if x > _MARGIN and x + width > self.width() - _MARGIN:
                    x, y = _MARGIN, y + height + _GAP
            self._boxes.append(QRectF(x, y, width, height))
            x += width + _GAP
        wanted = self._height()
        if wanted != self.minimumHeight():
            self.setMinimumHeight(wanted)
            self.height_wanted.emit(wanted)
        if not self._wrap:
            self.setMinimumWidth(int(x + _MARGIN))
        self.updateGeometry()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._wrap:  # one row is as wide as its chips, whatever room there is
            self._arrange()

    # --- painting ---------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self._chips and self._empty:
            painter.setPen(QColor(self._theme.muted))
            where = self.rect().adjusted(4, 0, -4, 0)
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(where, flags, self._empty)
        seen = QRectF(event.rect())
        lit = self._chips[self._hover].group if 0 <= self._hover < len(self._chips) else -1
        for i, (chip, box) in enumerate(zip(self._chips, self._boxes, strict=True)):
            if box.intersects(seen):
                hot = i == self._hover or (lit >= 0 and chip.group == lit)
                self._paint_chip(painter, i, chip, box, hot)
        painter.end()

    def _paint_chip(
        self, painter: QPainter, index: int, chip: Chip, box: QRectF, hot: bool
    ) -> None:
        theme = self._theme
        fill, edge, ink = theme.raised, theme.border, theme.text
        style = Qt.PenStyle.SolidLine
        if chip.kind == "special":
            fill, edge, ink = theme.background, theme.kind("special"), theme.kind("special")
        elif chip.kind == "padding":
            fill, ink, style = theme.background, theme.muted, Qt.PenStyle.DashLine
            edge = theme.kind("padding")
        elif chip.kind == "masked":
            fill, edge, ink = theme.accent, theme.accent, theme.on_accent
        elif chip.kind == "generated":
            edge = theme.kind("generated")
        width = 1.0
        focused = self.hasFocus() and index == self._current
        if index == self._selected or hot or focused:
            edge, width = theme.accent, 2.0
            if chip.kind == "masked":
                edge = theme.text
        painter.setPen(QPen(QColor(edge), width, style))
        painter.setBrush(QColor(fill))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        if chip.segment_b:
            painter.fillRect(
                QRectF(box.left() + 4, box.bottom() - 4, box.width() - 8, 2),
                QColor(theme.kind("segment_b")),
            )
        painter.setPen(QColor(ink))
        inner = box.adjusted(_PAD, 2, -_PAD, -3)
        if not chip.below:
            painter.drawText(inner, Qt.AlignmentFlag.AlignCenter, chip.label)
            return
        half = inner.height() / 2
        top = QRectF(inner.left(), inner.top(), inner.width(), half)
        painter.drawText(top, Qt.AlignmentFlag.AlignCenter, chip.label)
        painter.setPen(QColor(theme.muted))
        painter.drawText(top.translated(0, half), Qt.AlignmentFlag.AlignCenter, chip.below)

    # --- mouse and keys ---------------------------------------------------------------------

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover_at(self.at(event.position()))
        if self._hover >= 0 and self._chips[self._hover].tooltip:
            where = self._boxes[self._hover].toRect()
            text = self._chips[self._hover].tooltip
            QToolTip.showText(event.globalPosition().toPoint(), text, self, where)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover_at(-1)

    def _hover_at(self, index: int) -> None:
        if index != self._hover:
            self._hover = index
            over = index >= 0
            self.setCursor(
                Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor
            )
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.at(event.position())
        if index >= 0 and event.button() == Qt.MouseButton.LeftButton:
            held = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.clicked.emit(index, held)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._tell()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._tell()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is not None and self._chips:
            self._current = max(0, min(len(self._chips) - 1, self._current + step))
            self._tell()
            self.update()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._current >= 0:
            self.clicked.emit(self._current, False)
        else:
            super().keyPressEvent(event)
