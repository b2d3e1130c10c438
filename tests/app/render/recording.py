"""A canvas that remembers what was drawn, for tests that ask which labels, not which pixels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.figure import Figure
from app.render import text
from app.render.geometry import Rect
from app.render.page import Page
from app.theme import LIGHT, Theme


@dataclass(frozen=True)
class Text:
    """One drawn text and the box it fills."""

    words: str
    colour: str
    bold: bool
    box: Rect
    turn: float = 0


@dataclass
class RecordingCanvas:
    """See `app.render.canvas.Canvas`."""

    texts: list[Text] = field(default_factory=list)
    rects: list[tuple[Rect, dict[str, Any]]] = field(default_factory=list)
    lines: list[tuple[list[tuple[float, float]], dict[str, Any]]] = field(default_factory=list)
    dots: list[tuple[float, float, float]] = field(default_factory=list)
    maps: list[tuple[Rect, np.ndarray, np.ndarray | None]] = field(default_factory=list)

    def rect(self, box: Rect, **how: Any) -> None:
        self.rects.append((box, how))

    def line(self, points: Sequence[tuple[float, float]], **how: Any) -> None:
        self.lines.append((list(points), how))

    def polygon(self, points: Sequence[tuple[float, float]], **how: Any) -> None:
        pass

    def dot(self, x: float, y: float, radius: float, **how: Any) -> None:
        self.dots.append((x, y, radius))

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        colour: str,
        size: float = 13,
        bold: bool = False,
        align: str = "left",
        turn: float = 0,
    ) -> None:
        wide = text.width(words, size, bold)
        shift = {"left": 0.0, "center": -wide / 2, "right": -wide}[align]
        if turn:
            box = Rect(x - size / 2, y - shift - wide, size, wide)
        else:
            box = Rect(x + shift, y - size / 2, wide, size)
        self.texts.append(Text(words, colour, bold, box, turn))

    def cells(
        self,
        box: Rect,
        index: np.ndarray,
        hatched: np.ndarray | None,
        table: np.ndarray,
        *,
        blank: np.ndarray | None = None,
        diverging: bool = False,
    ) -> None:
        self.maps.append((box, index, hatched))

    def raster(self, box: Rect, draw: Callable[[int, int], np.ndarray], table: np.ndarray) -> None:
        self.maps.append((box, draw(round(box.width), round(box.height)), None))

    @property
    def words(self) -> list[str]:
        return [text.words for text in self.texts]


def record(
    figure: Figure, width: float = 1000, height: float = 800, theme: Theme = LIGHT
) -> RecordingCanvas:
    """What a page of this figure draws."""
    canvas = RecordingCanvas()
    Page(figure, width, height, theme).paint(canvas)
    return canvas


def overlapping(texts: list[Text]) -> list[tuple[str, str]]:
    """Pairs of texts whose boxes meet by more than a pixel."""
    pairs = []
    for place, one in enumerate(texts):
        for other in texts[place + 1 :]:
            across = min(one.box.right, other.box.right) - max(one.box.x, other.box.x)
            down = min(one.box.bottom, other.box.bottom) - max(one.box.y, other.box.y)
            if across > 1 and down > 1:
                pairs.append((one.words, other.words))
    return pairs
