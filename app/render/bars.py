"""Horizontal bars with their exact numbers: probabilities of candidates."""

from __future__ import annotations

import math

from app.figure import Bar, Bars
from app.render import text
from app.render.beginnings import told_apart
from app.render.canvas import Canvas
from app.render.drawing import Hit
from app.render.geometry import Rect
from app.render.moving import walked
from app.render.numbers import number, small
from app.theme import Theme

ROW, LEAST_ROW = 27.0, 17.0
SHORT_REMARK = 0.2  # of the width
LEAST_BAR = 72.0
SIZE, NOTE_SIZE, NOTE_LINE = 13.0, 11.0, 16.0


class BarsDrawing:
    """Labels at the left, bars from one common edge, numbers behind them."""

    def __init__(self, panel: Bars, box: Rect, theme: Theme) -> None:
        self.panel, self.box, self.theme = panel, box, theme
        notes = text.wrap(panel.note, max(60.0, box.width), NOTE_SIZE) if panel.note else []
        self._notes = notes
        room = max(0.0, box.height - NOTE_LINE * len(notes) - 6 * bool(notes))
        count = len(panel.bars)
        self._row = min(ROW, max(LEAST_ROW, room / max(1, count)))
        fits = max(0, int(room / self._row + 1e-6))
        self._shown = count if fits >= count else max(0, fits - 1)
        labels = [bar.label for bar in panel.bars[: self._shown]]
        longest = max((text.width(label, SIZE) for label in labels), default=0.0)
        numbers = [_exact(bar.value) for bar in panel.bars[: self._shown]]
        wide = max((text.width(words, SIZE) for words in numbers), default=0.0)
        # A label is cut only where the bars would get too short to compare.
        remarks = [bar.note for bar in panel.bars[: self._shown]]
        remark = max((text.width(words, NOTE_SIZE) for words in remarks), default=0.0)
        # Or by a word such as "chosen", which says more than the end of the longest label.
        word = remark + 10 if 0 < remark <= box.width * SHORT_REMARK else 0.0
        spare = box.width - 10 - wide - 8 - LEAST_BAR - word
        self._label_room = min(longest, max(box.width * 0.34, spare))
        self._labels = told_apart(labels, self._label_room, SIZE)
        free = box.width - self._label_room - 10 - wide - 8
        # The bars come first; a note that finds no room is read under the pointer.
        fits = remark <= free * 0.45 or 0 < word <= free - LEAST_BAR
        self._remark_room = remark if fits else 0.0
        self._bar_room = max(12.0, free - self._remark_room - 10 * bool(self._remark_room))

    def paint(self, canvas: Canvas) -> None:
        for place, bar in enumerate(self.panel.bars[: self._shown]):
            self._paint_bar(canvas, bar, self._labels[place], self._band(place))
        y = self.box.y + self._row * self._shown
        left = len(self.panel.bars) - self._shown
        if left:
            words = f"… {left} more"
            colour = self.theme.muted
            canvas.text(self.box.x, y + self._row / 2, words, colour=colour, size=NOTE_SIZE)
            y += self._row
        for line in self._notes:
            y += NOTE_LINE
            canvas.text(self.box.x, y - 2, line, colour=self.theme.muted, size=NOTE_SIZE)

    def at(self, x: float, y: float) -> Hit | None:
        place = int((y - self.box.y) // self._row)
        inside = self.box.holds(x, y) and 0 <= place < self._shown
        return self._hit(place) if inside else None

    def beside(self, hit: Hit | None, down: int, right: int) -> Hit | None:
        place = walked(hit, down, right, self._shown, 1, (0, 0))
        return None if place is None else self._hit(place[0])

    def _hit(self, place: int) -> Hit:
        bar = self.panel.bars[place]
        words = f"“{bar.label}”: {self.panel.value_name} {_exact(bar.value, full=True)}"
        if bar.note:
            words += f" · {bar.note}"
        picks = dict(bar.picks)
        if bar.token is not None and self.panel.takes:
            picks = {"token": bar.token}
            if self.panel.position is not None:
                picks["position"] = self.panel.position
        return Hit(text=words, picks=picks, row=place, column=0)

    def paint_hover(self, canvas: Canvas, hit: Hit) -> None:
        if hit.row is not None and hit.row < self._shown:
            band = self._band(hit.row)
            canvas.rect(band, fill=self.theme.accent, opacity=0.10, radius=4)

    def _band(self, place: int) -> Rect:
        return Rect(self.box.x, self.box.y + place * self._row, self.box.width, self._row)

    def _paint_bar(self, canvas: Canvas, bar: Bar, label: str, band: Rect) -> None:
        theme = self.theme
        y = band.middle[1]
        colour = theme.muted if bar.dimmed else theme.text
        right = band.x + self._label_room
        canvas.text(right, y, label, colour=colour, size=SIZE, align="right")
        part = min(1.0, max(0.0, bar.value / self.panel.limit)) if self.panel.limit > 0 else 0.0
        track = Rect(right + 10, y - self._row * 0.3, self._bar_room, self._row * 0.6)
        canvas.rect(track, fill=theme.border, opacity=0.35, radius=3)
        if part > 0:
            filled = Rect(track.x, track.y, max(1.5, track.width * part), track.height)
            fill = theme.muted if bar.dimmed else theme.lines[0]
            opacity = 0.45 if bar.dimmed else 1.0
            canvas.rect(filled, fill=fill, opacity=opacity, radius=min(3.0, filled.width / 2))
        x = track.right + 8
        canvas.text(x, y, _exact(bar.value), colour=colour, size=SIZE)
        if bar.note and self._remark_room:
            x = band.right - self._remark_room
            canvas.text(x, y, bar.note, colour=theme.muted, size=NOTE_SIZE)


def remark_height(panel: Bars, width: float) -> float:
    """What the note below the bars takes."""
    if not panel.note:
        return 0.0
    return NOTE_LINE * len(text.wrap(panel.note, max(60.0, width), NOTE_SIZE)) + 6


def _exact(value: float, full: bool = False) -> str:
    """Four decimals; of what those would round to nothing that it is less, or in full."""
    if not math.isfinite(value):
        return number(value)
    if value == int(value) and abs(value) > 1:
        return f"{value:,.0f}".replace("-", "−")  # a count
    if value != 0 and abs(value) < 0.00005:
        return small(value) if full else "<0.0001" if value > 0 else ">−0.0001"
    return f"{value:z.4f}".replace("-", "−")
