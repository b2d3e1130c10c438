"""The map of the selected head or the mean of a layer's heads, which is dearer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.selection import Selection

if TYPE_CHECKING:
    from app.views import ViewOptions
    from core.request import ShouldStop
    from core.trace import Trace

QUICK = 1_500_000
"""Weights of a layer that are computed within a few milliseconds."""


def prepare(
    trace: Trace, selection: Selection, options: ViewOptions, should_stop: ShouldStop | None
) -> None:
    """All heads of the selected layer, remembered by the trace."""
    if not ready(trace, selection, options):
        trace.pattern(selection.site, selection.layer)


def ready(trace: Trace, selection: Selection, options: ViewOptions) -> bool:
    site, layer = selection.site, selection.layer
    if selection.head is not None or site not in trace.spec.sites:
        return True
    queries, keys = trace.allowed(site, layer).shape
    heads = trace.spec.stack(selection.stack).attention(selection.part, layer).heads
    return heads * queries * keys <= QUICK or trace.remembers(("pattern", site, layer, None, None))
