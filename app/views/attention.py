"""Attention: who looks at whom, in one head or in the mean of a layer's heads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.figure import Bools, Figure, Floats, Heatmap
from app.selection import Selection
from app.views import View, ViewOptions, _maps
from app.views._maps import heads_of, left_out, other_sentences, prepare, ready
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
    dropped = left_out(trace, selection, options)
    allowed = trace.allowed(site, layer).numpy() & ~dropped
    heads = heads_of(trace, selection, options)
    weights: Floats = heads[0] if head is not None else heads.mean(axis=0)
    if head is None:
        details = (("largest of the heads", heads.max(axis=0)),)
    else:
        details = (("raw score", trace.scores(site, layer, head).numpy()),)
    outside = other_sentences(trace, selection, options)
    dead = tuple(np.flatnonzero(~allowed.any(axis=1)).tolist())
    limits, limits_note = _limits(weights, allowed, options)
    return Figure(
        title=_maps.title(trace, selection, options),
        panels=(
            Heatmap(
                title="",
                values=weights,
                rows=token_axis(QUERY, trace, selection.stack, options),
                columns=token_axis(KEY, trace, source, options),
                limits=limits,
                hidden=~allowed if outside is None else ~allowed | outside,
                dead_rows=dead,
                row=pinned_query(trace, selection, options),
                column=pinned(selection.key, len(trace.tokens[source])),
                value_name="weight",
                picks=("query", "key"),
                details=details,
                limits_note=limits_note,
            ),
        ),
        note=_note(allowed, dead, _maps.note(trace, selection, options)),
    )


def _limits(
    weights: Floats, allowed: Bools, options: ViewOptions
) -> tuple[tuple[float, float], str]:
    """0–1 so that a colour means the same weight everywhere; the largest weight only when asked."""
    largest = float(weights[allowed].max()) if options.limits == "auto" and allowed.any() else 1.0
    if options.limits == "fixed" or largest <= 0:
        return (0.0, 1.0), ""
    return (0.0, largest), f"colours scaled to this map: 0 to {largest:.3g}"


def _note(allowed: Bools, dead: tuple[int, ...], left_out: str) -> str:
    parts = [left_out] if left_out else []
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
