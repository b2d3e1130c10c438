"""The figure of one head."""

from __future__ import annotations

from app.figure import Figure
from app.selection import Selection
from app.views import ViewOptions, view
from tests.traces import trace_of


def head_figure(kind: str, selection: Selection, length: int = 7) -> Figure:
    trace = trace_of(kind, length=length, target=length)
    return view("inside_head").draw(trace, selection, ViewOptions())
