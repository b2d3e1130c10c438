"""Inside a layer: one token's vector step by step, in the order this model computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.figure import Axis, Bar, Bars, Figure, Heatmap, Panel
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._tokens import last_position, no_stack, pinned_query, token_name
from app.views._vectors import bright, coordinates, symmetric
from core.analysis.inside import experts, neurons, stream

if TYPE_CHECKING:
    from core.spec import BlockSpec
    from core.trace import Trace

MOST_NEURONS = 16

ORDERS = {
    "post": "Post-norm: each part adds to the stream, and the sum is normalised.",
    "pre": "Pre-norm: each part reads the normalised stream and adds to it.",
    "sandwich": (
        "Sandwich: each part reads the normalised stream, and is normalised before it adds to it."
    ),
    "parallel": "Parallel: attention and feed-forward both read x, and add to it together.",
    "joint": "Joint: feed-forward reads what attention gives; one norm ends the layer.",
}


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_stack(trace.spec, selection)
    if missing is not None:
        return missing
    stack, layer = selection.stack, selection.layer
    query = pinned_query(trace, selection, options)
    at = last_position(trace, stack) if query is None else query
    spec = trace.spec.stack(stack)
    return Figure(
        title=(
            f"{stack.capitalize()} · inside layer {layer + 1} of {spec.layers}"
            f" · {token_name(trace, stack, at, options)}"
        ),
        panels=(_stream(trace, stack, layer, at), _feed_forward(trace, stack, layer, at)),
        note=_note(spec.blocks[layer], query is not None),
    )


def _note(block: BlockSpec, is_pinned: bool) -> str:
    """In words what the rows are: the letters of `core.analysis.inside.stream`."""
    cross = " c what cross-attention," if block.cross is not None else ""
    parts = [
        f"x enters the layer; a is what attention gives,{cross} f what feed-forward gives.",
        ORDERS[block.residual],
    ]
    if not is_pinned:
        parts.append("Pin a token to follow another.")
    return " ".join(parts)


def _stream(trace: Trace, stack: str, layer: int, at: int) -> Heatmap:
    stages = stream(trace, stack, layer, at)
    values = np.stack([s.values for s in stages])
    limit, note = bright(np.abs(values))
    norms = np.linalg.norm(values, axis=1, keepdims=True).astype(np.float32)
    return Heatmap(
        title="Its vector, step by step",
        values=values,
        rows=Axis(
            title="Step",
            labels=tuple(s.name for s in stages),
            notes=tuple(s.meaning for s in stages),
        ),
        columns=coordinates("Coordinate (d_model)", values.shape[1]),
        limits=(-limit, limit),
        scale="diverging",
        limits_note=note,
        details=(("norm of the row", np.broadcast_to(norms, values.shape)),),
    )


def _feed_forward(trace: Trace, stack: str, layer: int, at: int) -> Panel:
    routed = experts(trace, stack, layer, at)
    if routed is not None:
        order = np.argsort(-routed, kind="stable")[: max(MOST_NEURONS, np.count_nonzero(routed))]
        return Bars(
            title=f"Feed-forward: the router's choice of {len(routed)} experts",
            bars=tuple(
                Bar(label=f"expert {i + 1}", value=float(routed[i]), dimmed=bool(routed[i] == 0))
                for i in order.tolist()
            ),
            value_name="weight",
        )
    found = neurons(trace, stack, layer, at, MOST_NEURONS)
    assert found is not None  # a feed-forward network has neurons or experts
    spec = trace.spec.stack(stack).blocks[layer].feedforward
    if found.gate is None:
        rows = [("x·W_in", found.before), (f"{spec.activation}(x·W_in)", found.after)]
    else:
        gated = f"{spec.activation}(g) ⊙ u"
        rows = [("g = x·W_gate", found.gate), ("u = x·W_in", found.before), (gated, found.after)]
    values = np.stack([row for _, row in rows])
    return Heatmap(
        title=f"Feed-forward: the {len(found.index)} most active of {found.of:,} neurons",
        values=values,
        rows=Axis(title="Step", labels=tuple(name for name, _ in rows)),
        columns=Axis(title="Neuron", labels=tuple(str(i) for i in found.index.tolist())),
        limits=symmetric(values),
        scale="diverging",
        value_name="activation",
    )


VIEW = View(
    key="inside_layer",
    title="Inside a layer",
    summary="One token's vector step by step through a layer, in the order of this model",
    group="inside",
    order=40,
    draw=draw,
)
