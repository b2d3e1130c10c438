"""Rollout: how much of each input token has reached a position, all layers so far together; and
max-flow, the most that could have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.figure import Axis, Figure, Floats, Heatmap
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._focus import followed
from app.views._maps import still_count
from app.views._tokens import (
    no_stack,
    pinned,
    pinned_query,
    token_axis,
    token_name,
)
from app.views._vectors import beyond, round_end
from core.analysis import max_flow as flow
from core.analysis.max_flow import can_flow, max_flow, too_large
from core.analysis.rollout import key, rollout

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.trace import Trace


LONG = 20
"""What so many tokens share out is small beside what a position keeps of itself; where fewer have
arrived, every share is large."""


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_stack(trace.spec, selection)
    if missing is not None:
        return missing
    stack, layer = selection.stack, selection.layer
    layers = trace.spec.stack(stack).layers
    values = rollout(trace, stack, layer)
    limit, limits_note = _scale(values, np.arange(len(values)))
    whole = Heatmap(
        title="Every position",
        values=values,
        rows=token_axis("Position", trace, stack, options),
        columns=token_axis("Input token", trace, stack, options),
        limits=(0.0, limit),
        hidden=values == 0,  # no mask lets anything arrive here
        row=pinned_query(trace, selection, options),
        column=pinned(selection.key, len(values)) if selection.part == "self" else None,
        value_name="share",
        picks=("query", "key" if selection.part == "self" else None),
        limits_note=limits_note,
    )
    return Figure(
        title=f"{stack.capitalize()} attention rollout · {_through(layer)} of {layers}",
        panels=(whole, _into(trace, selection, options)),
        note=_note(trace, stack, layer) + still_count(trace, selection, options),
        columns=2,
        weights=(4, 3),
    )


def _through(layer: int) -> str:
    return "layer 1" if layer == 0 else f"layers 1 to {layer + 1}"


def _into(trace: Trace, selection: Selection, options: ViewOptions) -> Heatmap:
    """What has reached one position, layer by layer; beside it max-flow, as shares of its sum, the
    flows themselves on hovering."""
    stack, layer = selection.stack, selection.layer
    position = followed(trace, selection, options)
    columns = [rollout(trace, stack, number)[position] for number in range(layer + 1)]
    names = [f"layer {number + 1}" for number in range(layer + 1)]
    if can_flow(trace, stack, layer):
        columns.append(max_flow(trace, stack, layer, position))
        names.append("max-flow")
    found = np.stack(columns, axis=1)
    values = found / found.sum(axis=0)
    limit, limits_note = _scale(values.T, np.full(len(names), position))
    return Heatmap(
        title=f"Into {token_name(trace, stack, position, options)}",
        values=values,
        rows=token_axis("Input token", trace, stack, options),
        columns=Axis(title="", labels=tuple(names)),
        limits=(0.0, limit),
        hidden=values == 0,
        row=pinned(selection.key, len(values)) if selection.part == "self" else None,
        value_name="share",
        picks=("key" if selection.part == "self" else None, None),
        details=(("before rescaling", found),) if len(columns) > layer + 1 else (),
        limits_note=limits_note,
    )


def _scale(shares: Floats, own: NDArray[np.intp]) -> tuple[float, str]:
    """Where colours end for rows of shares; own: the column in which a row's position stands.

    Every position keeps much of itself, so the scale of a long text ends at the largest share of
    another token: only what is kept lies beyond, and no differences between other tokens do."""
    largest = float(shares.max(initial=0))
    others = shares.copy()
    others[np.arange(len(own)), own] = 0
    reached = (shares > 0).sum(axis=1) >= LONG
    usual = round_end(float(others[reached].max(initial=0))) if reached.any() else largest
    if usual >= largest / 2 or not others[reached].any():
        return round_end(largest), ""
    return usual, beyond(usual, largest)


def _note(trace: Trace, stack: str, layer: int) -> str:
    rolled = (
        "How much of each input token has reached a position: A_L · … · A_1, where A is half a"
        " layer's mean attention, half its residual connection (Abnar & Zuidema 2020)."
    )
    if stack == "decoder" and trace.spec.encoder is not None:
        rolled += " What cross-attention brings from the source is not in it."
    if not can_flow(trace, stack, layer):
        return f"{rolled} {too_large(trace, stack, layer)}"
    return (
        f"{rolled} Max-flow: the most that each token alone could bring through edges as wide as A,"
        " as shares."
    )


def prepare(
    trace: Trace, selection: Selection, options: ViewOptions, should_stop: ShouldStop | None
) -> None:
    if selection.stack in trace.tokens:
        stack, layer = selection.stack, selection.layer
        rollout(trace, stack, layer, should_stop)
        if can_flow(trace, stack, layer):
            max_flow(trace, stack, layer, followed(trace, selection, options), should_stop)


def ready(trace: Trace, selection: Selection, options: ViewOptions) -> bool:
    stack, layer = selection.stack, selection.layer
    if stack not in trace.tokens:
        return True
    if can_flow(trace, stack, layer):
        position = followed(trace, selection, options)
        if not trace.remembers(flow.key(stack, layer, position)):
            return False
    return all(trace.remembers(key(stack, number)) for number in range(layer + 1))


VIEW = View(
    key="rollout",
    title="Attention rollout",
    summary="How much of each input token has reached a position, through all layers so far",
    group="matters",
    order=40,
    draw=draw,
    looks=frozenset({"site", "layer"}),
    prepare=prepare,
    ready=ready,
)
