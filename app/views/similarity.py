"""Similarity: which tokens' states point the same way after a layer; the first against the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.figure import Curve, Curves, Figure, Floats, Heatmap
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._tokens import (
    labels,
    layer_rows,
    no_stack,
    pinned,
    pinned_query,
    token_axis,
)
from core.analysis.states import cosine, cosine_matrix

if TYPE_CHECKING:
    from core.trace import Trace


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_stack(trace.spec, selection)
    if missing is not None:
        return missing
    stack = trace.spec.stack(selection.stack)
    hidden = trace.hidden(stack.name).numpy()
    after = selection.layer + 1
    axis = token_axis("Token", trace, stack.name, options)
    query = pinned_query(trace, selection, options)
    values = cosine_matrix(hidden[after])
    automatic = options.limits == "auto"
    low = float(values.min())
    name = layer_rows(stack.layers, stack.final_norm is not None)[after]
    column = pinned(selection.key, len(values)) if selection.part == "self" else None
    return Figure(
        title=f"{stack.name.capitalize()} similarity · {name} of {stack.layers}",
        panels=(
            Heatmap(
                title="Cosine of every two tokens",
                values=values,
                rows=axis,
                columns=axis,
                limits=(min(low, 0.999), 1.0) if automatic else (-1.0, 1.0),
                scale="sequential" if automatic else "diverging",
                row=query,
                column=column,
                value_name="cosine",
                picks=("query", "key" if selection.part == "self" else None),
                limits_note="colours scaled to these values" if automatic else "",
            ),
            _curves(trace, hidden, query, options, selection),
        ),
        note="Cosine: 1 in the same direction, 0 at right angles, −1 opposite.",
        hint=(
            "Choose another layer to see the states draw together or apart."
            if query is not None
            else "Pin a token to follow it against its own embedding and final state."
        ),
        columns=2,
        weights=(5, 3),  # a map of tokens needs more width than a few lines
    )


def _curves(
    trace: Trace, hidden: Floats, query: int | None, options: ViewOptions, selection: Selection
) -> Curves:
    stack = selection.stack
    padding = np.array(trace.tokens[stack].padding)
    real = np.flatnonzero(~padding)
    names = labels(trace.tokens[stack], options.raw_labels)
    x = np.arange(len(hidden), dtype=np.float32)
    curves = []
    if len(real) == 1:
        query = int(real[0])  # of a lone token there is nothing else to follow
    else:
        others = hidden[:, real[1:]].mean(axis=1)
        curves.append(
            Curve(
                name=f"“{names[real[0]]}” and the mean of the others",
                x=x,
                y=cosine(hidden[:, real[0]], others),
                emphasised=query is None,
            )
        )
    if query is not None:
        own = hidden[:, query]
        name = f"“{names[query]}”"
        curves += [
            Curve(name=f"{name} and its embedding", x=x, y=cosine(own, own[:1]), emphasised=True),
            Curve(name=f"{name} and its final state", x=x, y=cosine(own, own[-1:])),
        ]
        key = pinned(selection.key, len(names)) if selection.part == "self" else None
        if key is not None and key != query:
            curves.append(
                Curve(name=f"{name} and “{names[key]}”", x=x, y=cosine(own, hidden[:, key]))
            )
    return Curves(
        title="By layer",
        curves=tuple(curves),
        x_title="Layer",
        y_title="Cosine",
        x_labels=("emb", *(str(i + 1) for i in range(len(hidden) - 1))),
        y_limits=(-1.0 if any(curve.y.min() < 0 for curve in curves) else 0.0, 1.0),
    )


VIEW = View(
    key="similarity",
    title="Similarity",
    summary="Which tokens point the same way after a layer, and which come closer to one another",
    group="states",
    order=30,
    draw=draw,
    looks=frozenset({"site", "layer"}),
)
