"""Hidden states: how large every token's vector is after each layer, and how much it turns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.counting import counted
from app.figure import Axis, Figure, Floats, Heatmap
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._tokens import after_layers, no_stack, pinned_query, token_axis, token_name
from app.views._vectors import bright, plain
from core.analysis.states import norms, similarity_to_before

if TYPE_CHECKING:
    from core.trace import Trace

MEANING = (
    "Norm: the vector's length. Cosine: 1 where a layer kept the direction, 0 where it turned it"
    " by 90°."
)
PIN = "Pin a token to see its vector through all layers."
ALIKE, EQUAL = 0.2, 1e-3  # spread of the norms, of the largest; below EQUAL it is mere rounding


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_stack(trace.spec, selection)
    if missing is not None:
        return missing
    stack = trace.spec.stack(selection.stack)
    hidden = trace.hidden(selection.stack).numpy()
    rows = after_layers(stack.layers, stack.final_norm is not None)
    rows = replace(rows, in_line=rows.labels)
    tokens = token_axis("Token", trace, selection.stack, options)
    query = pinned_query(trace, selection, options)
    panels = [
        _norm(hidden, rows, tokens, query, selection, options),
        _similarity(hidden, rows, tokens, query, selection, options),
    ]
    if query is not None:
        name = token_name(trace, selection.stack, query, options)
        title = f"The vector of {name}"
        panels.append(_vector(hidden[:, query], rows, title, selection.layer + 1))
    return Figure(
        title=f"{selection.stack.capitalize()} hidden states · {counted(stack.layers, 'layer')}",
        panels=tuple(panels),
        note=MEANING,
        hint="" if query is not None else PIN,
        columns=2 if query is not None else 1,  # three one below the other would be strips
        wide_last=True,
    )


def _norm(
    hidden: Floats,
    rows: Axis,
    tokens: Axis,
    query: int | None,
    selection: Selection,
    options: ViewOptions,
) -> Heatmap:
    values = norms(hidden)
    limits, note = _norm_limits(values, options)
    return Heatmap(
        title="Norm ‖h‖",
        values=values,
        rows=rows,
        columns=tokens,
        limits=limits,
        row=selection.layer + 1,  # the first row is that of the embeddings
        column=query,
        value_name="norm",
        picks=(None, "query"),
        limits_note=note,
    )


def _norm_limits(values: Floats, options: ViewOptions) -> tuple[tuple[float, float], str]:
    """From 0, unless all are so alike (as after a LayerNorm) that they would be one colour."""
    least, most = float(values.min()), float(values.max())
    if EQUAL * most < most - least < ALIKE * most:
        return (least, most), f"colours from {plain(least, 4)} to {plain(most, 4)}"
    limit, note = bright(values)
    if options.limits == "fixed":
        return (0.0, limit), note
    return (min(least, 0.999 * limit), limit), note or "colours scaled to these values"


def _similarity(
    hidden: Floats,
    rows: Axis,
    tokens: Axis,
    query: int | None,
    selection: Selection,
    options: ViewOptions,
) -> Heatmap:
    values = similarity_to_before(hidden)
    automatic = options.limits == "auto"
    lowest, highest = float(values.min()), float(values.max())
    return Heatmap(
        title="Cosine to the layer before",
        values=values,
        rows=replace(rows, labels=rows.labels[1:]),
        columns=tokens,
        limits=(lowest, max(highest, lowest + 1e-6)) if automatic else (-1.0, 1.0),
        scale="sequential" if automatic else "diverging",
        row=selection.layer,
        column=query,
        value_name="cosine",
        picks=("layer", "query"),
        limits_note="colours scaled to these values" if automatic else "",
    )


def _vector(states: Floats, rows: Axis, title: str, row: int) -> Heatmap:
    limit, note = bright(np.abs(states))
    return Heatmap(
        title=title,
        values=states,
        rows=rows,
        columns=Axis(
            title="Coordinate (d_model)", labels=tuple(str(i) for i in range(states.shape[1]))
        ),
        limits=(-limit, limit),
        scale="diverging",
        row=row,
        value_name="value",
        limits_note=note,
    )


VIEW = View(
    key="hidden_states",
    title="Hidden states",
    summary="How long each token's vector is after every layer, and how much it turns",
    group="states",
    order=10,
    draw=draw,
    looks=frozenset({"site", "layer"}),
)
