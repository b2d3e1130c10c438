"""Inside a head: how one query's output is made: q·k, softmax, weighted values, W_O."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.figure import Axis, Bar, Bars, Figure, Heatmap
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._tokens import (
    ATTENTION,
    KEY,
    labels,
    last_position,
    no_site,
    pinned,
    pinned_query,
    token_name,
)
from app.views._vectors import coordinates, symmetric
from core.analysis.inside import Attending, attend

if TYPE_CHECKING:
    from core.trace import Trace

MOST_KEYS = 7


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_site(trace.spec, selection)
    if missing is not None:
        return missing
    stack, layer = selection.stack, selection.layer
    head = 0 if selection.head is None else selection.head
    query = pinned_query(trace, selection, options)
    at = last_position(trace, stack) if query is None else query
    found = attend(trace, selection.site, layer, head, at)
    source = "encoder" if selection.part == "cross" else stack
    keys = _keys(found, selection)
    names = labels(trace.tokens[source], options.raw_labels)
    axis = Axis(title=KEY, labels=tuple(f"{i} {names[i]}" for i in keys), numbers=tuple(keys))
    spec = trace.spec.stack(stack)
    heads = spec.attention(selection.part, layer).heads
    return Figure(
        title=(
            f"Inside head {head + 1} of {heads} · {ATTENTION[selection.site].lower()}"
            f" · layer {layer + 1} of {spec.layers} · {token_name(trace, stack, at, options)}"
        ),
        panels=(
            _products(found, keys, axis),
            _weights(found, keys, axis),
            _weighted(found, keys, axis),
            _output(found, head, heads),
        ),
        note=_note(found, keys, selection, query is not None),
        columns=2,
    )


def _keys(found: Attending, selection: Selection) -> list[int]:
    """The keys with the largest weights and the pinned one, in the order of the text."""
    order = np.argsort(-found.weights, kind="stable")
    seen = order[found.allowed[order]]
    seen = seen if seen.size else order
    most = seen.size if seen.size == MOST_KEYS + 1 else MOST_KEYS  # “1 other” would hide its name
    chosen = seen[:most].tolist()
    pin = pinned(selection.key, len(found.weights))
    if pin is not None and pin not in chosen:
        chosen = [*chosen[: MOST_KEYS - 1], pin]
    return sorted(chosen)


def _products(found: Attending, keys: list[int], axis: Axis) -> Heatmap:
    values = found.products[keys]
    return Heatmap(
        title="1  q ⊙ k: each row sums to q·k",
        values=values,
        rows=axis,
        columns=coordinates("Coordinate (d_head)", found.q.size),
        limits=symmetric(values),
        scale="diverging",
        value_name="product",
        details=(
            ("q", np.broadcast_to(found.q, values.shape)),
            ("k", found.k[keys]),
            ("q·k", np.broadcast_to(found.dots[keys, None], values.shape)),
        ),
    )


def _weights(found: Attending, keys: list[int], axis: Axis) -> Bars:
    """α for every key, and behind it the way from q·k to α."""
    steps = _scaled(found)
    if found.softcap is not None:
        steps = f"{found.softcap:g}·tanh({steps} / {found.softcap:g})"
    if found.bias is not None:
        steps += " + bias"
    bars = [
        Bar(
            label=name,
            value=float(found.weights[i]),
            note=_way(found, i),
            dimmed=not bool(found.allowed[i]),
        )
        for i, name in zip(keys, axis.labels, strict=True)
    ]
    if _others(found, keys):
        rest = float(found.weights.sum() - found.weights[keys].sum())
        bars.append(Bar(label=_others(found, keys), value=max(0.0, rest)))
    return Bars(title=f"2  α = softmax({steps})", bars=tuple(bars), value_name="weight")


def _scaled(found: Attending) -> str:
    """The score as the textbook has it, where this model's factor is the textbook's."""
    if found.scale == 1:
        return "q·k"
    if np.isclose(found.scale, found.q.size**-0.5, rtol=1e-6):
        return f"q·k / √{found.q.size}"
    return f"q·k × {found.scale:.4g}"


def _others(found: Attending, keys: list[int]) -> str:
    """Name of the keys that are seen but not shown; masked ones have nothing to add."""
    count = int(found.allowed.sum()) - int(found.allowed[keys].sum())
    return f"{count} others" if count > 1 else "1 other" if count else ""


def _way(found: Attending, key: int) -> str:
    text = f"q·k {found.dots[key]:z.3f} → scaled {found.scaled[key]:z.3f}"
    if found.capped is not None:
        text += f" → capped {found.capped[key]:z.3f}"
    if found.bias is not None:
        text += f" → with bias {found.bias[key]:+z.3f} {found.scores[key]:z.3f}"
    text = text.replace("-", "−")
    return text if found.allowed[key] else f"{text} → masked"


def _weighted(found: Attending, keys: list[int], axis: Axis) -> Heatmap:
    rows = [found.weighted[keys]]
    names = list(axis.labels)
    if _others(found, keys):
        rows.append((found.context - found.weighted[keys].sum(axis=0))[None])
        names.append(_others(found, keys))
    values = np.concatenate([*rows, found.context[None]])
    no_token = (None,) * (len(names) + 1 - len(keys))
    return Heatmap(
        title="3  α·v: the rows add up to the context",
        values=values,
        rows=Axis(title=axis.title, labels=(*names, "Σ α·v"), numbers=(*keys, *no_token)),
        columns=coordinates("Coordinate (d_value)", found.context.size),
        limits=symmetric(values),
        scale="diverging",
    )


def _output(found: Attending, head: int, heads: int) -> Heatmap:
    rows = [(f"head {head + 1}", found.head_out)]
    bias = np.zeros_like(found.out) if found.out_bias is None else found.out_bias
    if heads > 1:
        rows.append(("other heads", found.out - bias - found.head_out))
    if found.out_bias is not None:
        rows.append(("bias", found.out_bias))
    rows.append(("a: sum", found.out))
    values = np.stack([row for _, row in rows]).astype(np.float32)
    return Heatmap(
        title="4  Through W_O, all heads added",
        values=values,
        rows=Axis(title="Part", labels=tuple(name for name, _ in rows)),
        columns=coordinates("Coordinate (d_model)", found.out.size),
        limits=symmetric(values),
        scale="diverging",
    )


STEPS = (
    "1 compare query and key, 2 turn that into weights, 3 mix the values by these, 4 write the"
    " mixture back."
)


def _note(found: Attending, keys: list[int], selection: Selection, is_pinned: bool) -> str:
    parts = [STEPS]
    masked = int((~found.allowed).sum()) - int((~found.allowed[keys]).sum())
    if masked:
        what = "One key is" if masked == 1 else f"{masked} keys are"
        parts.append(f"{what} masked and not shown.")
    if selection.head is None:
        parts.append("A mean of heads has no q and k: head 1 is shown.")
    if not is_pinned:
        parts.append("Pin a query to follow another token.")
    return " ".join(parts)


VIEW = View(
    key="inside_head",
    title="Inside a head",
    summary="How a head makes its output: q·k, softmax, weighted values, output matrix",
    group="inside",
    order=50,
    draw=draw,
)
