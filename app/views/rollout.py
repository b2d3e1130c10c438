"""Rollout: how much of each input token has reached a position, all layers so far together; and
max-flow, the most that could have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.figure import Axis, Figure, Floats, Heatmap
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._tokens import (
    last_position,
    no_stack,
    pinned,
    pinned_query,
    token_axis,
    token_name,
)
from core.analysis import max_flow as flow
from core.analysis.max_flow import can_flow, max_flow, too_large
from core.analysis.rollout import key, rollout

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.trace import Trace


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_stack(trace.spec, selection)
    if missing is not None:
        return missing
    stack, layer = selection.stack, selection.layer
    layers = trace.spec.stack(stack).layers
    values = rollout(trace, stack, layer)
    query = pinned_query(trace, selection, options)
    inputs = token_axis("Input token", trace, stack, options)
    panels = [
        Heatmap(
            title="",
            values=values,
            rows=token_axis("Position", trace, stack, options),
            columns=inputs,
            limits=(0.0, float(values.max())),
            hidden=values == 0,  # no mask lets anything arrive here
            row=query,
            column=pinned(selection.key, len(values)) if selection.part == "self" else None,
            value_name="share",
            picks=("query", "key" if selection.part == "self" else None),
            limits_note=f"colours scaled to this map: 0 to {float(values.max()):.3g}",
        )
    ]
    if query is not None:
        through = np.stack([rollout(trace, stack, i)[query] for i in range(layers)])
        panels.append(
            Heatmap(
                title=f"Layer by layer: {token_name(trace, stack, query, options)}",
                values=through,
                rows=Axis(title="Layer", labels=tuple(f"up to {i + 1}" for i in range(layers))),
                columns=inputs,
                limits=(0.0, float(through.max())),
                hidden=through == 0,
                row=layer,
                value_name="share",
                picks=("layer", None),
            )
        )
    beside = can_flow(trace, stack, layer)
    if beside:
        panels.insert(1, _beside(trace, selection, options, values))
    return Figure(
        title=f"{stack.capitalize()} attention rollout · layers 1 to {layer + 1} of {layers}",
        panels=tuple(panels),
        note=_note(trace, stack, layer),
        columns=2 if beside else 1,
        weights=(7, 3) if beside else (),
    )


def _beside(trace: Trace, selection: Selection, options: ViewOptions, rolled: Floats) -> Heatmap:
    """Rollout and max-flow of one position, as shares of their sums; the flows on hovering."""
    stack, layer = selection.stack, selection.layer
    position = _followed(trace, selection, options)
    found = np.stack([rolled[position], max_flow(trace, stack, layer, position)], axis=1)
    values = found / found.sum(axis=0)
    return Heatmap(
        title=f"Into {token_name(trace, stack, position, options)}",
        values=values,
        rows=token_axis("Input token", trace, stack, options),
        columns=Axis(title="", labels=("rollout", "max-flow")),
        limits=(0.0, float(values.max())),
        hidden=values == 0,
        value_name="share",
        details=(("before rescaling", found),),
    )


def _followed(trace: Trace, selection: Selection, options: ViewOptions) -> int:
    """The pinned position; else the last one, or the first real one of an encoder ([CLS])."""
    query = pinned_query(trace, selection, options)
    if query is not None:
        return query
    padding = trace.tokens[selection.stack].padding
    first = padding.index(False) if False in padding else 0
    return first if selection.stack == "encoder" else last_position(trace, selection.stack)


def _note(trace: Trace, stack: str, layer: int) -> str:
    parts = [
        "Rollout: A_L · … · A_1 with A = half the mean attention, half the residual connection."
    ]
    if can_flow(trace, stack, layer):
        parts.append(
            "Max-flow: the most that can flow to an input token through edges as wide as A,"
            " each token on its own, then rescaled to the sum 1 (both Abnar & Zuidema 2020)."
        )
    else:
        parts.append(f"(Abnar & Zuidema 2020.) {too_large(trace, stack, layer)}")
    return " ".join(parts)


def prepare(
    trace: Trace, selection: Selection, options: ViewOptions, should_stop: ShouldStop | None
) -> None:
    if selection.stack in trace.tokens:
        stack, layer = selection.stack, selection.layer
        rollout(trace, stack, _last(trace, selection, options), should_stop)
        if can_flow(trace, stack, layer):
            max_flow(trace, stack, layer, _followed(trace, selection, options), should_stop)


def ready(trace: Trace, selection: Selection, options: ViewOptions) -> bool:
    if selection.stack not in trace.tokens:
        return True
    last = _last(trace, selection, options)
    if can_flow(trace, selection.stack, selection.layer):
        position = _followed(trace, selection, options)
        if not trace.remembers(flow.key(selection.stack, selection.layer, position)):
            return False
    return all(trace.remembers(key(selection.stack, layer)) for layer in range(last + 1))


def _last(trace: Trace, selection: Selection, options: ViewOptions) -> int:
    """The last layer drawn: all of them while a token is followed."""
    if pinned_query(trace, selection, options) is None:
        return selection.layer
    return trace.spec.stack(selection.stack).layers - 1


VIEW = View(
    key="rollout",
    title="Attention rollout",
    summary="How much of each input token has reached a position, all layers together",
    group="matters",
    order=40,
    draw=draw,
    prepare=prepare,
    ready=ready,
)
