"""What the page asks of one panel laid out in its box."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from app.render.canvas import Canvas
from app.render.grid import Grid
from app.render.window import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """What lies under a point: a sentence to read, and what a click there means.

    text: the read-out. picks: `Selection` field name -> index; selects: those that hold words.
    target: the key of a view to open. row, column: the place on the axes, or what counts as such in
    a panel without.
    """

    text: str
    picks: dict[str, int] = field(default_factory=dict)
    selects: dict[str, str] = field(default_factory=dict)
    target: str | None = None
    row: int | None = None
    column: int | None = None


class Drawing(Protocol):
    """One panel in its box: painted, asked what lies under a point, and marked where hovered."""

    def paint(self, canvas: Canvas) -> None: ...

    def at(self, x: float, y: float) -> Hit | None: ...

    def paint_hover(self, canvas: Canvas, hit: Hit) -> None: ...

    def beside(self, hit: Hit | None, down: int, right: int) -> Hit | None:
        """The next place for the keyboard, the first without a `hit`; None beyond the edge."""


@runtime_checkable
class Scrollable(Protocol):
    """A drawing that can show a part of its cells: the widget zooms and pans it."""

    window: Window
    whole: Window
    grid: Grid

    def cell_at(self, x: float, y: float) -> tuple[float, float] | None: ...
