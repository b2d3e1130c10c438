"""Plain sentences where a picture would be: what is missing, and what to do."""

from __future__ import annotations

from app.figure import Words
from app.render import text
from app.render.canvas import Canvas
from app.render.drawing import Hit
from app.render.geometry import Rect
from app.theme import Theme

SIZE, LINE, WIDEST = 14.0, 22.0, 520.0


class WordsDrawing:
    """The text wrapped and centred in its box."""

    def __init__(self, panel: Words, box: Rect, theme: Theme) -> None:
        self.panel, self.box, self.theme = panel, box, theme

    def paint(self, canvas: Canvas) -> None:
        box = self.box
        lines = text.wrap(self.panel.text, min(WIDEST, max(80.0, box.width - 32)), SIZE)
        x, y = box.middle
        y = max(box.y + LINE / 2, y - LINE * (len(lines) - 1) / 2)
        for line in lines:
            canvas.text(x, y, line, colour=self.theme.muted, size=SIZE, align="center")
            y += LINE

    def at(self, x: float, y: float) -> Hit | None:
        return None

    def beside(self, hit: Hit | None, down: int, right: int) -> Hit | None:
        return None

    def paint_hover(self, canvas: Canvas, hit: Hit) -> None:
        return None
