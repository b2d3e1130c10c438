"""What the page asks of one panel laid out in its box."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from app.render.canvas import Canvas


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """What lies under a point: a sentence to read, and what a click there means.

    text: the read-out. picks: `Selection` field name -> index. target: the key of a view to open.
    row, column: the place on the axes. at: (x, y) where the pointer is, for panels without axes.
    """

    text: str
    picks: dict[str, int] = field(default_factory=dict)
    target: str | None = None
    row: int | None = None
    column: int | None = None
    at: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a map in sight: rows and columns from `row` and `column`, so many of them."""

    row: int
    column: int
    rows: int
    columns: int


class Drawing(Protocol):
    """One panel in its box: painted, asked what lies under a point, and marked where hovered."""

    def paint(self, canvas: Canvas) -> None: ...

    def at(self, x: float, y: float) -> Hit | None: ...

    def paint_hover(self, canvas: Canvas, hit: Hit) -> None: ...


class Scrollable(Protocol):
    """A drawing that can show a part of its cells: the widget zooms and pans it."""

    @property
    def window(self) -> Window: ...

    @property
    def whole(self) -> Window: ...

    def cell_at(self, x: float, y: float) -> tuple[float, float] | None: ...
