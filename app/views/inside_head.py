"""Inside a head: how one query's output is made, from x to what attention adds to the stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.figure import Figure
from app.selection import Selection
from app.views import View, ViewOptions, _attending
from app.views._attending import Keys
from app.views._focus import followed
from app.views._maps import still_count
from app.views._tokens import (
    ATTENTION,
    labels,
    no_site,
    pinned,
    pinned_query,
    token_name,
)
from core.analysis.entering import MEMORY
from core.analysis.inside import attend

if TYPE_CHECKING:
    from core.analysis.projections import Projections
    from core.trace import Trace

OUTPUT = {"self": "a", "cross": "c"}
"""What an attention's output is called, here and inside a layer."""
EDITED = " This run edits what the head or the attention gives: the rows are what is left of it."


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    from core.analysis.projections import project  # imports torch

    missing = no_site(trace.spec, selection)
    if missing is not None:
        return missing
    stack, layer = selection.stack, selection.layer
    query = pinned_query(trace, selection, options)
    at = followed(trace, selection, options)
    spec = trace.spec.stack(stack)
    heads = spec.attention(selection.part, layer).heads
    head = min(selection.kept_head, heads - 1)
    found = attend(trace, selection.site, layer, head, at)
    source = "encoder" if selection.part == "cross" else stack
    names = labels(trace.tokens[source], options.raw_labels)
    pin = pinned(selection.key, len(found.weights))
    keys = _attending.choose(found, at, pin, names)
    made = project(trace, selection.site, layer, head, at, keys.looked)
    key = f"{keys.looked} “{names[keys.looked]}”"
    return Figure(
        title=(
            f"Inside head {head + 1} of {heads} · {ATTENTION[selection.site].lower()}"
            f" · layer {layer + 1} of {spec.layers} · {token_name(trace, stack, at, options)}"
        ),
        panels=(
            _attending.projections(made, key),
            _attending.products(found, keys),
            _attending.scores(found, keys),
            _attending.weights(found, keys),
            _attending.weighted(found, keys),
            _attending.output(found, head, heads, OUTPUT[selection.part]),
        ),
        note=_note(made, keys, key, found.slope, head if selection.head is None else None)
        + (EDITED if found.edited else "")
        + still_count(trace, selection, options),
        hint=" ".join(
            hint
            for hint, useful in (
                ("Click a key for its k and v.", selection.key is None),
                ("Pin a query to follow another token.", query is None),
            )
            if useful
        ),
        columns=3,
        weights=(1.1, 1.0, 1.1),
    )


def _note(made: Projections, keys: Keys, key: str, slope: float | None, kept: int | None) -> str:
    """slope: of ALiBi. kept: the head that stands for a mean of heads."""
    done = "".join(f", {word}" for word in made.then)
    q, k, v = (
        f"{letter} = {product}" for letter, product in zip("qkv", made.products, strict=True)
    )
    parts = [f"{q}{done}; {k}{done} and {v}, of key {key}."]
    if made.source == MEMORY:
        parts.append("m is the encoder's last state.")
    if slope is not None:
        parts.append(f"bias = ALiBi's slope {slope:.4g} · (key − query).")
    if keys.masked_left:
        parts.append("The other masked keys share a line.")
    if kept is not None:
        parts.append(f"A mean of heads has no q and k: head {kept + 1} is shown.")
    return " ".join(parts)


VIEW = View(
    key="inside_head",
    title="Inside a head",
    summary="How a head makes its output: q, k, v, scores, mask, softmax, weighted values, W_O",
    group="inside",
    order=50,
    draw=draw,
)
