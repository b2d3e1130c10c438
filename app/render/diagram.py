"""Boxes and arrows in their own coordinates, scaled to the room there is.

Kinds of boxes: plain, group (a frame behind others), text (no box), embedding, attention,
feedforward, norm, residual, head, selected. Kinds of arrows: plain, residual (dashed), link (no
head), attention (no head, the stronger the wider `width`, 0–1 being faint to full), selected.
Others read as plain.
"""

from __future__ import annotations

import math
from functools import cached_property

from app.figure import Arrow, Box, Diagram
from app.render import text
from app.render.canvas import Canvas, Point
from app.render.diagram_parts import even_sizes, nearest_line, paint_even, worth
from app.render.drawing import Hit
from app.render.geometry import Rect
from app.render.shortening import number_of, of_frame, shorter
from app.theme import Theme

LARGEST, SMALLEST = 14.0, 9.0
ENOUGH = 1.0  # the scale at which letters find the room they were given
TALLEST = 1.5  # how far from its proportions a diagram is drawn
SHORTENED = 10.0  # letters of a text that had to be shortened
FAINTEST = 0.01  # a weaker line of attention could not be seen, and there are n² of them
# Which of the theme's line colours tints a kind of box.
TINTS = {"embedding": 4, "attention": 1, "feedforward": 0, "norm": 5, "residual": 7, "head": 3}


class DiagramDrawing:
    """The diagram, as large as its proportions allow, centred, and taller in a narrow box; a
    stretched one from side to side, at the top."""

    def __init__(self, panel: Diagram, box: Rect, theme: Theme) -> None:
        self.panel, self.theme = panel, theme
        wide, high = max(1e-6, panel.width), max(1e-6, panel.height)
        across, down = box.width / wide, box.height / high
        least = min(across, down)
        # Where the width is what lacks, letters gain by boxes that are higher than theirs.
        taller = least if panel.stretch else min(down, max(least, min(ENOUGH, TALLEST * least)))
        self._scale = (across if panel.stretch else least, taller)
        self._x = box.x + (box.width - wide * self._scale[0]) / 2
        self._y = box.y if panel.stretch else box.y + (box.height - high * self._scale[1]) / 2
        self._boxes = [self._rect(item) for item in panel.boxes]
        self._speaking = [
            index
            for index, item in enumerate(panel.boxes)
            if item.note or item.target or item.picks or item.selects
        ]
        noted = [index for index, arrow in enumerate(panel.arrows) if arrow.note]
        self._lines = {index: self._points(panel.arrows[index]) for index in noted}
        self._items = panel.boxes
        self._even = None
        if panel.even:
            self._items = tuple(worth(zip(panel.boxes, self._boxes, strict=True)))
            self._even = even_sizes(zip(self._items, self._boxes, strict=True))

    def paint(self, canvas: Canvas) -> None:
        for item, rect in zip(self._items, self._boxes, strict=True):
            if item.kind == "group":
                self._paint_box(canvas, item, rect)
        for arrow in self.panel.arrows:
            self._paint_arrow(canvas, arrow)
        for item, rect in zip(self._items, self._boxes, strict=True):
            if item.kind != "group":
                self._paint_box(canvas, item, rect)

    def at(self, x: float, y: float) -> Hit | None:
        """The front-most box under a point that has anything to say, else the nearest line."""
        for index in reversed(range(len(self._boxes))):
            if index in self._speaking and self._boxes[index].holds(x, y):
                return self._hit(index)
        line = nearest_line(list(self._lines.values()), x, y)
        return None if line is None else self._hit(len(self._boxes) + list(self._lines)[line])

    def beside(self, hit: Hit | None, down: int, right: int) -> Hit | None:
        if not self._speaking:
            return None
        row = None if hit is None else hit.row
        at = -1 if row is None or row not in self._speaking else self._speaking.index(row)
        place = at + (down + right if at >= 0 else 1)
        return self._hit(self._speaking[place]) if 0 <= place < len(self._speaking) else None

    def _hit(self, index: int) -> Hit:
        """Boxes count first, then lines."""
        if index >= len(self._boxes):
            return Hit(text=self.panel.arrows[index - len(self._boxes)].note, row=index)
        box = self.panel.boxes[index]
        words = box.note or " ".join(box.text.split())
        words += f"; {box.action}" if box.action else ""
        return Hit(
            text=words,
            picks=dict(box.picks),
            selects=dict(box.selects),
            target=box.target,
            row=index,
        )

    def paint_hover(self, canvas: Canvas, hit: Hit) -> None:
        if hit.row is None:
            return
        if hit.row >= len(self._boxes):
            points = self._lines[hit.row - len(self._boxes)]
            canvas.line(points, colour=self.theme.surface, width=6)
            canvas.line(points, colour=self.theme.accent, width=3)
        else:
            box = self._boxes[hit.row]
            canvas.rect(box, fill=self.theme.accent, opacity=0.10, radius=5)
            canvas.rect(box, stroke=self.theme.accent, width=1.5, radius=5)

    def _series(self, number: int) -> str:
        """Colours repeat where there are more series than colours."""
        return self.theme.lines[number % len(self.theme.lines)]

    def _points(self, arrow: Arrow) -> list[Point]:
        across, down = self._scale
        return [(self._x + x * across, self._y + y * down) for x, y in arrow.points]

    def _rect(self, box: Box) -> Rect:
        across, down = self._scale
        return Rect(
            self._x + box.x * across,
            self._y + box.y * down,
            box.width * across,
            box.height * down,
        )

    def _paint_box(self, canvas: Canvas, box: Box, rect: Rect) -> None:
        theme = self.theme
        if box.kind == "group":
            canvas.rect(rect, fill=theme.background, stroke=theme.border, radius=8)
        elif box.kind == "selected":
            canvas.rect(rect, fill=theme.accent, radius=5)
        elif box.kind != "text":
            tint = theme.lines[TINTS[box.kind]] if box.kind in TINTS else None
            tint = tint if box.series is None else self._series(box.series)
            canvas.rect(rect, fill=theme.raised, radius=5)
            if tint:
                opacity = 0.16 if box.series is None else 0.4
                canvas.rect(rect, fill=tint, opacity=opacity, radius=5)
            canvas.rect(rect, stroke=tint or theme.border, width=1.2, radius=5)
        self._paint_text(canvas, box, rect)

    def _paint_text(self, canvas: Canvas, box: Box, rect: Rect) -> None:
        if not box.text:
            return
        if self._even is not None and box.kind != "group":
            ink = self.theme.on_accent if box.kind == "selected" else self.theme.text
            paint_even(canvas, box, rect, self._even, ink)
            return
        theme = self.theme
        colour = theme.on_accent if box.kind == "selected" else theme.text
        if box.kind == "group":
            sizes = (12.0, 11.0, 10.0, SMALLEST)
            margin, words = 10.0, box.text
            if text.width(words, SMALLEST, True) > rect.width - 2 * margin:
                margin, words = 4.0, of_frame(words)
            size, words = text.shrunk(words, rect.width - 2 * margin, sizes, True)
            canvas.text(
                rect.x + margin, rect.y + 13, words, colour=theme.muted, size=size, bold=True
            )
            return
        # A part that had to be shortened is no more important than those that were not, and one
        # line no more than several.
        words = _shortened(box, rect, self._most)
        size, lines = _fitted(words, rect, self._most)
        most = max(1, int(rect.height // (size * 1.2)))
        paragraphs = words.split("\n")
        if len(lines) > most and any(line.startswith("…") for line in paragraphs[:most]):
            # What was cut at its beginning is cut further there: its end is what matters.
            lines = [
                text.ending(line, rect.width - 6, size) if line.startswith("…") else line
                for line in paragraphs[:most]
            ]
        elif len(lines) > most:
            lines = [*lines[: most - 1], lines[most - 1] + "…"]
        x, y = rect.middle
        y -= (len(lines) - 1) * size * 0.65
        for line in lines:
            words = text.elide(line, rect.width - 6, size)
            if words == "…":  # says nothing, but the number of the box may still fit
                words = text.elide(number_of(box.text), rect.width - 6, size).strip("…")
            canvas.text(x, y, words, colour=colour, size=size, align="center")
            y += size * 1.3

    @cached_property
    def _most(self) -> float:
        """The largest letters: one size for all parts whose several lines fit as they are."""
        pairs = zip(self.panel.boxes, self._boxes, strict=True)
        several = [(box.text, rect) for box, rect in pairs if "\n" in box.text]
        fitted = [_fitted(*each, LARGEST)[0] for each in several if _fits(*each, SHORTENED)[0]]
        return min(fitted, default=SHORTENED if several else LARGEST)

    def _paint_arrow(self, canvas: Canvas, arrow: Arrow) -> None:
        theme = self.theme
        points = self._points(arrow)
        if len(points) < 2:
            return
        if arrow.kind == "attention":
            strength = min(1.0, max(0.0, arrow.width))
            if strength >= FAINTEST:
                width, opacity = 0.6 + 3.4 * strength, 0.1 + 0.9 * strength
                colour = self._series(arrow.series or 0)
                canvas.line(points, colour=colour, width=width, opacity=opacity)
            return
        colour = theme.accent if arrow.kind == "selected" else theme.muted
        if arrow.kind == "link":
            canvas.line(points, colour=colour, width=arrow.width)
            return
        canvas.line(
            _short_of_tip(points),
            colour=colour,
            width=1.4 * arrow.width,
            dash=arrow.kind == "residual",
        )
        canvas.polygon(_head(points, 5.5 + 2.5 * arrow.width), fill=colour)
        if arrow.text:
            (x0, y0), (x1, y1) = points[0], points[1]
            x, y = (x0 + x1) / 2 + 6, (y0 + y1) / 2
            canvas.text(x, y, arrow.text, colour=theme.muted, size=11)


def _shortened(box: Box, rect: Rect, size: float) -> str:
    """As much of what names a part as fits at a size, or else at the smallest one; its bare name,
    to be cut, where none does."""
    found = [box.text] if box.kind == "text" else list(shorter(box.text))
    whole = box.text.count("\n")
    for least in (size, SMALLEST):
        for words in found:
            if least > SMALLEST and words.count("\n") < whole:
                break  # smaller letters say more than the name alone
            fits, lines = _fits(words, rect, least)
            alone = len(lines) == 1 and text.width(words, least) <= rect.width - 6
            if fits or alone:  # one line is readable also in a box that is hardly higher
                return words
    return found[-1]


def _fits(words: str, rect: Rect, size: float) -> tuple[bool, list[str]]:
    """Whether a text finds room at a size, and its lines."""
    lines = text.wrap(words, rect.width - 8, size)
    wide = max(text.width(line, size) for line in lines)
    return wide <= rect.width - 8 and len(lines) * size * 1.3 <= rect.height - 2, lines


def _fitted(words: str, rect: Rect, size: float) -> tuple[float, list[str]]:
    """The largest size, from `size` down, at which a text fits, and its lines."""
    while True:
        fits, lines = _fits(words, rect, size)
        if fits or size <= SMALLEST:
            return size, lines
        size -= 1


def _short_of_tip(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The line ends inside the head, so that its square end does not blunt the tip."""
    (x0, y0), (x1, y1) = points[-2:]
    length = math.hypot(x1 - x0, y1 - y0) or 1.0
    cut = min(5.0, length / 2)
    return [*points[:-1], (x1 - (x1 - x0) / length * cut, y1 - (y1 - y0) / length * cut)]


def _head(points: list[tuple[float, float]], size: float) -> list[tuple[float, float]]:
    (x0, y0), (x1, y1) = points[-2:]
    length = math.hypot(x1 - x0, y1 - y0) or 1.0
    along_x, along_y = (x1 - x0) / length, (y1 - y0) / length
    back_x, back_y = x1 - along_x * size, y1 - along_y * size
    side_x, side_y = -along_y * size * 0.45, along_x * size * 0.45
    return [(x1, y1), (back_x + side_x, back_y + side_y), (back_x - side_x, back_y - side_y)]
