"""Inside a layer: one token's vector step by step, in the order this model computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.figure import Axis, Bar, Bars, Cell, Figure, Heatmap, Panel, WordGrid
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._focus import followed
from app.views._tokens import no_stack, pinned_query, token_name
from app.views._vectors import bright, coordinates, symmetric, two_decimals
from core.analysis.entering import entering
from core.analysis.inside import Stage, experts, neurons, stream

if TYPE_CHECKING:
    from core.spec import BlockSpec, FeedForwardSpec
    from core.trace import Trace

MOST_NEURONS = 12
"""As many as have room for their numbers in a small window."""
IN_NUMBERS = 4
"""So many coordinates are printed, to be added up by hand."""

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
    at = followed(trace, selection, options)
    spec = trace.spec.stack(stack)
    stages = stream(trace, stack, layer, at)
    return Figure(
        title=(
            f"{stack.capitalize()} · inside layer {layer + 1} of {spec.layers}"
            f" · {token_name(trace, stack, at, options)}"
        ),
        panels=(_stream(stages), _numbers(stages), _feed_forward(trace, stack, layer, at)),
        note=_note(spec.blocks[layer]),
        hint="" if query is not None else "Pin a token to follow another.",
        columns=2,
        weights=(0.85, 1.15),
        wide_last=True,
    )


def _note(block: BlockSpec) -> str:
    """In words what the rows are: the letters of `core.analysis.inside.stream`."""
    cross = " c what cross-attention," if block.cross is not None else ""
    return (
        f"x enters the layer; a is what attention gives,{cross} f what feed-forward gives."
        f" {ORDERS[block.residual]}"
    )


def _stream(stages: tuple[Stage, ...]) -> Heatmap:
    values = np.stack([s.values for s in stages])
    limit, note = bright(np.abs(values))
    norms = np.linalg.norm(values, axis=1, keepdims=True).astype(np.float32)
    return Heatmap(
        title=f"Its vector, step by step [{values.shape[1]}]",
        values=values,
        rows=_steps(stages),
        columns=coordinates("Coordinate (d_model)", values.shape[1]),
        limits=(-limit, limit),
        scale="diverging",
        limits_note=note,
        details=(("norm of the row", np.broadcast_to(norms, values.shape)),),
    )


def _steps(stages: tuple[Stage, ...]) -> Axis:
    return Axis(
        title="Step",
        labels=tuple(s.name for s in stages),
        notes=tuple(s.meaning for s in stages),
    )


def _numbers(stages: tuple[Stage, ...]) -> WordGrid:
    """The same rows in numbers: their norms, and the coordinates that end up largest."""
    values = np.stack([s.values for s in stages])
    chosen = np.sort(np.argsort(-np.abs(values[-1]), kind="stable")[:IN_NUMBERS]).tolist()
    norms = np.linalg.norm(values, axis=1)
    return WordGrid(
        title="The same in numbers: where it ends largest",
        cells=tuple(
            (
                _number(float(norm), "its length √Σx²"),
                *(_number(float(row[i])) for i in chosen),
            )
            for norm, row in zip(norms, values, strict=True)
        ),
        rows=_steps(stages),
        columns=Axis(
            title="Norm, and some coordinates",
            labels=("norm", *(str(i) for i in chosen)),
            spoken=("norm", *(f"coordinate {i}" for i in chosen)),
        ),
    )


def _number(value: float, note: str = "") -> Cell:
    return Cell(text=two_decimals(value), strength=None, note=note, value=value)


def _feed_forward(trace: Trace, stack: str, layer: int, at: int) -> Panel:
    reads, _ = entering(trace.spec.stack(stack), layer, "ffn")
    routed = experts(trace, stack, layer, at)
    if routed is not None:
        order = np.argsort(-routed, kind="stable")[: max(MOST_NEURONS, np.count_nonzero(routed))]
        return Bars(
            title=f"Feed-forward of {reads}: the router's choice of {len(routed)} experts",
            bars=tuple(
                Bar(
                    label=f"expert {i + 1}",
                    value=float(routed[i]),
                    state="not chosen" if routed[i] == 0 else "",
                )
                for i in order.tolist()
            ),
            # Some models scale what the router gives, beyond 1.
            limit=max(1.0, float(routed.max())),
            value_name="weight",
        )
    found = neurons(trace, stack, layer, at, MOST_NEURONS)
    assert found is not None  # a feed-forward network has neurons or experts
    spec = trace.spec.stack(stack).blocks[layer].feedforward
    formulas = _formulas(spec, reads)
    given = [found.before, found.after]
    values = np.stack(given if found.gate is None else [found.gate, *given])
    return Heatmap(
        title=f"Feed-forward: {', '.join(formulas.values())}",
        values=values,
        rows=Axis(title="Step", labels=tuple(formulas), notes=tuple(formulas.values())),
        columns=Axis(
            title=f"Neuron (the {len(found.index)} most active of {found.of:,})",
            labels=tuple(str(i) for i in found.index.tolist()),
        ),
        limits=symmetric(values),
        scale="diverging",
        value_name="activation",
    )


def _formulas(spec: FeedForwardSpec, reads: str) -> dict[str, str]:
    """Row -> how it is computed: the letters are those of the title."""
    bias = " + b" if spec.bias else ""
    inner = f"u = {reads}·W_in{bias}"
    if not spec.gated:
        last = f"{spec.activation}(u)"
        return {"u": inner, last: f"f = {last}·W_out{bias}"}
    last = f"{spec.activation}(g) ⊙ u"
    gate = f"g = {reads}·W_gate{bias}"
    return {"g": gate, "u": inner, last: f"f = ({last})·W_out{bias}"}


VIEW = View(
    key="inside_layer",
    title="Inside a layer",
    summary="One token's vector step by step through a layer, in the order of this model",
    group="inside",
    order=40,
    draw=draw,
    looks=frozenset({"site", "layer"}),
)
