"""Attention: who looks at whom, in one head or in the mean of a layer's heads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.figure import Bools, Figure, Floats, Heatmap
from app.selection import Selection
from app.views import View, ViewOptions, _maps
from app.views._maps import heads_of, left_out, prepare, ready
from app.views._tokens import (
    KEY,
    QUERY,
    no_site,
    pinned,
    pinned_query,
    token_axis,
)

if TYPE_CHECKING:
    from core.trace import Trace


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_site(trace.spec, selection)
    if missing is not None:
        return missing
    site, layer, head = selection.site, selection.layer, selection.head
    source = "encoder" if selection.part == "cross" else selection.stack
    allowed = trace.allowed(site, layer).numpy()
    outside = left_out(trace, selection, options) & allowed
    heads = heads_of(trace, selection, options)
    weights: Floats = heads[0] if head is not None else heads.mean(axis=0)
    if head is None:
        details = [("largest of the heads", heads.max(axis=0))]
    else:
        details = [("score", trace.scores(site, layer, head).numpy())]
    if outside.any():
        before = trace.pattern(site, layer, head).numpy()
        details.insert(0, ("weight before", before if head is not None else before.mean(axis=0)))
    dead = tuple(np.flatnonzero(~allowed.any(axis=1)).tolist())
    shown = allowed & ~outside
    largest = np.where(shown, weights, 0).max(axis=1)[shown.any(axis=1)]
    limits, limits_note = _maps.limits(largest, options)
    return Figure(
        title=_maps.title(trace, selection, options),
        panels=(
            Heatmap(
                title="",
                values=weights,
                rows=token_axis(QUERY, trace, selection.stack, options),
                columns=token_axis(KEY, trace, source, options),
                limits=limits,
                hidden=~allowed,
                left_out=outside if outside.any() else None,
                dead_rows=dead,
                row=pinned_query(trace, selection, options),
                column=pinned(selection.key, len(trace.tokens[source])),
                value_name="weight",
                picks=("query", "key"),
                details=tuple(details),
                limits_note=limits_note,
            ),
        ),
        note=_note(weights, allowed, dead, _left_out(trace, selection, options)),
        hint=_maps.faint(largest, options),
    )


def _left_out(trace: Trace, selection: Selection, options: ViewOptions) -> str:
    """What blank cells are, in sentences; empty where nothing is left out."""
    said = _maps.note(trace, selection, options)
    return f"{said} Blank cells are left out." if said else ""


def _note(
    weights: Floats,
    allowed: Bools,
    dead: tuple[int, ...],
    left_out: str,
) -> str:
    sums = weights[allowed.any(axis=1)].sum(axis=1)
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
