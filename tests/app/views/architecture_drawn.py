"""The drawn architecture, and a box of it."""

from __future__ import annotations

from app.figure import Box, Diagram, Figure
from app.selection import Selection
from app.views import ViewOptions, view
from core.trace import Trace


def draw(trace: Trace, **more: object) -> tuple[Figure, Diagram]:
    stack = trace.spec.main_stack.name
    options = ViewOptions(**more)  # type: ignore[arg-type]
    figure = view("architecture").draw(trace, Selection(stack=stack, layer=1), options)
    (panel,) = figure.panels
    assert isinstance(panel, Diagram)
    return figure, panel


def box(panel: Diagram, name: str) -> Box:
    return next(b for b in panel.boxes if b.text.startswith(name))
