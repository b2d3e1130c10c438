"""The map of a layer's attention: one head's, or the mean of all, as every view of it draws it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.figure import Bools, Floats, Heatmap
from app.selection import Selection
from app.views import _maps
from app.views._maps import heads_of, left_out
from app.views._tokens import KEY, QUERY, pinned, pinned_query, token_axis

if TYPE_CHECKING:
    from app.views import ViewOptions
    from core.trace import Trace


def weights_map(trace: Trace, selection: Selection, options: ViewOptions) -> Heatmap:
    """The weights at the selected site and layer, which the model must have. Without a title."""
    site, layer, head = selection.site, selection.layer, selection.head
    source = keys_of(selection)
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
    limits, limits_note = _maps.limits(_largest(weights, allowed & ~outside), options)
    return Heatmap(
        title="",
        values=weights,
        rows=token_axis(QUERY, trace, selection.stack, options),
        columns=token_axis(KEY, trace, source, options),
        limits=limits,
        hidden=~allowed,
        left_out=outside if outside.any() else None,
        dead_rows=tuple(np.flatnonzero(~allowed.any(axis=1)).tolist()),
        row=pinned_query(trace, selection, options),
        column=pinned(selection.key, len(trace.tokens[source])),
        value_name="weight",
        picks=("query", "key"),
        details=tuple(details),
        limits_note=limits_note,
    )


def keys_of(selection: Selection) -> str:
    """The stack whose tokens are the keys."""
    return "encoder" if selection.part == "cross" else selection.stack


def masked(panel: Heatmap) -> Bools:
    """[query, key]: the cells that the mask hides."""
    return np.zeros(panel.values.shape, bool) if panel.hidden is None else panel.hidden


def largest(panel: Heatmap) -> Floats:
    """The largest weight shown in each row that shows any."""
    shown = ~masked(panel)
    return _largest(panel.values, shown if panel.left_out is None else shown & ~panel.left_out)


def _largest(weights: Floats, shown: Bools) -> Floats:
    found: Floats = np.where(shown, weights, 0).max(axis=1)[shown.any(axis=1)]
    return found
