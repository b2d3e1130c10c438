"""Attention: who looks at whom, in one head or in the mean of a layer's heads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.figure import Figure, Heatmap
from app.selection import Selection
from app.views import View, ViewOptions, _maps
from app.views._maps import prepare, ready
from app.views._tokens import no_site
from app.views._weights import largest, masked, weights_map

if TYPE_CHECKING:
    from core.trace import Trace


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_site(trace.spec, selection)
    if missing is not None:
        return missing
    panel = weights_map(trace, selection, options)
    return Figure(
        title=_maps.title(trace, selection, options),
        panels=(panel,),
        note=_note(panel, _left_out(trace, selection, options)),
        hint=_maps.faint(largest(panel), options),
    )


def _left_out(trace: Trace, selection: Selection, options: ViewOptions) -> str:
    """What blank cells are, in sentences; empty where nothing is left out."""
    said = _maps.note(trace, selection, options)
    return f"{said} Blank cells are left out." if said else ""


def _note(panel: Heatmap, left_out: str) -> str:
    allowed, dead = ~masked(panel), panel.dead_rows
    sums = panel.values[allowed.any(axis=1)].sum(axis=1)
    shared = np.allclose(sums, 1, atol=1e-3)  # not so where the pattern was edited
    parts = [left_out] if left_out else ["Each row adds up to 1."] if shared else []
    if not allowed.all():
        parts.append("Hatched cells are masked: the query may not see that key.")
    if dead:
        what = "One query has" if len(dead) == 1 else f"{len(dead)} queries have"
        parts.append(f"{what} no keys at all; attention adds nothing there.")
    return " ".join(parts)


VIEW = View(
    key="attention",
    title="Attention",
    summary="Who looks at whom, in one head or in the mean of a layer's heads",
    group="attention",
    order=10,
    draw=draw,
    prepare=prepare,
    ready=ready,
)
