"""Evolution: how far every layer moves a state, where to, and which part of the layer does it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.counting import counted
from app.figure import Axis, Figure, Floats, Heatmap
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._tokens import no_stack, pinned_query, token_axis
from core.analysis.states import cosine, norms
from core.analysis.updates import added, attention_share, relative_change

if TYPE_CHECKING:
    from core.trace import Trace

PARTS = {"self": "‖attention‖", "cross": "‖cross-attention‖", "ffn": "‖feed-forward‖"}


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_stack(trace.spec, selection)
    if missing is not None:
        return missing
    stack = trace.spec.stack(selection.stack)
    hidden = trace.hidden(stack.name).numpy()
    after = _after(stack.layers, stack.final_norm is not None)
    after = replace(after, in_line=after.labels)
    tokens = token_axis("Token", trace, stack.name, options)
    query = pinned_query(trace, selection, options)
    lengths = added(trace, stack.name)
    change = relative_change(hidden)

    def panel(
        title: str,
        values: Floats,
        rows: Axis,
        limits: tuple[float, float],
        name: str,
        details: tuple[tuple[str, Floats], ...] = (),
    ) -> Heatmap:
        by_layer = len(rows.labels) == stack.layers
        return Heatmap(
            title=title,
            values=values,
            rows=rows,
            columns=tokens,
            limits=limits,
            scale="diverging" if limits[0] < 0 else "sequential",
            row=selection.layer + (not by_layer),  # else the first row is the embeddings'
            column=query,
            value_name=name,
            picks=("layer" if by_layer else None, "query"),
            details=details,
        )

    only = Axis(
        title="Layer",
        labels=tuple(str(i + 1) for i in range(stack.layers)),
        in_line=after.labels,
    )
    cosines = (-1.0, 1.0)
    panels = (
        panel(
            "Change from the layer before",
            _moved(hidden),
            replace(after, labels=after.labels[1:]),
            (0.0, 1.0),
            "change",
            (("‖Δh‖ / ‖h‖", change),),
        ),
        panel(
            "Attention's share",
            attention_share(lengths),
            only,
            (0.0, 1.0),
            "share",
            tuple((PARTS[part], values) for part, values in lengths.items()),
        ),
        panel("Cosine to the embedding", cosine(hidden, hidden[:1]), after, cosines, "cosine"),
        panel("Cosine to the final state", cosine(hidden, hidden[-1:]), after, cosines, "cosine"),
    )
    return Figure(
        title=f"{stack.name.capitalize()} states through {counted(stack.layers, 'layer')}",
        panels=panels,
        note=(
            "Change: ‖Δh‖ / (‖h‖ + ‖h + Δh‖), near 1 where a layer drowns or reverses the state h."
            " Share: attention's part of the length added. Cosine: 1 in the same direction, 0 at"
            " right angles."
        ),
        columns=2,
    )


def _moved(hidden: Floats) -> Floats:
    """[layer, position]: how far each layer moves a state, 0–1. hidden [layer + 1, position, d].

    Against the lengths before and after together: against the one before alone, a first layer
    that moves small embeddings a hundredfold would leave no colours for all others."""
    lengths = norms(hidden)
    both = lengths[:-1] + lengths[1:]
    moved: Floats = norms(np.diff(hidden, axis=0)) / np.maximum(both, np.float32(1e-12))
    return moved


def _after(layers: int, final_norm: bool) -> Axis:
    """The states in few words: four maps stand close together."""
    names = ["emb", *(str(i + 1) for i in range(layers))]
    if final_norm:
        names[-1] += " + norm"
    return Axis(title="After layer", labels=tuple(names))


VIEW = View(
    key="evolution",
    title="State evolution",
    summary="How far every layer moves a token, where to, and which part of the layer does it",
    group="states",
    order=20,
    draw=draw,
    looks=frozenset({"site", "layer"}),
)
