"""Paths: where every token's state wanders from layer to layer, in two dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.figure import Figure, Paths
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._tokens import labels, layer_rows, no_stack, pinned_query
from core.analysis.projection import key, projection

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.trace import Trace


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_stack(trace.spec, selection)
    if missing is not None:
        return missing
    stack = trace.spec.stack(selection.stack)
    tokens = trace.tokens[stack.name]
    found = projection(trace, stack.name)
    names = labels(tokens, options.raw_labels)
    query = pinned_query(trace, selection, options)
    reached = min(selection.layer + 1, stack.layers)
    first, second = found.explained
    scaled = " (scaled to length 1)" if found.directions else ""
    return Figure(
        title=f"{stack.name.capitalize()} states from the embeddings to layer {reached} of"
        f" {stack.layers}",
        panels=(
            Paths(
                title="",
                points=found.points,
                labels=tuple(names[i] for i in found.positions),
                step_labels=layer_rows(stack.layers, stack.final_norm is not None),
                x_title=f"Component 1 ({first:.0%} of the variance)",
                y_title=f"Component 2 ({second:.0%})",
                emphasised=found.positions.index(query) if query in found.positions else None,
                places=found.positions,
                pick="query",
                reached=reached,
            ),
        ),
        note=(
            f"The two directions in which the states of all layers{scaled} differ most (PCA)."
            f" Others hold {1 - first - second:.0%} of the variance: what is near here need not be"
            " near. Layers above the chosen one are faint."
        ),
        hint="▶ moves the tokens.",
    )


def prepare(
    trace: Trace, selection: Selection, options: ViewOptions, should_stop: ShouldStop | None
) -> None:
    if selection.stack in trace.tokens:
        projection(trace, selection.stack)


def ready(trace: Trace, selection: Selection, options: ViewOptions) -> bool:
    return selection.stack not in trace.tokens or trace.remembers(key(selection.stack))


VIEW = View(
    key="paths",
    title="Paths",
    summary="Where every token wanders from layer to layer, in two dimensions",
    group="states",
    order=40,
    draw=draw,
    looks=frozenset({"site", "layer"}),
    prepare=prepare,
    ready=ready,
)
