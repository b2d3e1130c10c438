"""Embeddings: token + position + segment = what enters the first layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.figure import Figure, Heatmap
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._tokens import no_stack, pinned_query, token_axis
from app.views._vectors import coordinates, together
from core.analysis.states import norms
from core.analysis.tying import input_output_cosine, output_shape
from core.spec import EmbeddingSpec

if TYPE_CHECKING:
    from core.trace import Trace

PARTS = (("token", "Token"), ("position", "+ position"), ("segment", "+ segment"))


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_stack(trace.spec, selection)
    if missing is not None:
        return missing
    stack = selection.stack
    spec = trace.spec.stack(stack).embedding
    found = [(t, trace[f"{stack}.embed.{p}"].numpy()) for p, t in PARTS if _has(trace, stack, p)]
    if len(found) > 1:
        found.append(("= sum", trace[f"{stack}.embed.sum"].numpy()))
    query = pinned_query(trace, selection, options)
    # One scale for all, so that a part that adds little looks as if it does.
    limit, limits_notes = together([values for _, values in found])
    longest = max(float(norms(values).max()) for _, values in found)
    return Figure(
        title=f"{stack.capitalize()} embeddings · {spec.sum_width} coordinates",
        panels=tuple(
            Heatmap(
                title=title,
                values=values,
                rows=token_axis("Token", trace, stack, options),
                columns=coordinates("Coordinate", spec.sum_width),
                limits=(-limit, limit),
                limits_note=limits_note,
                scale="diverging",
                row=query,
                picks=("query", None),
                details=(
                    ("norm of the row", np.broadcast_to(norms(values)[:, None], values.shape)),
                ),
                of_rows=("norm", norms(values), longest),
            )
            for (title, values), limits_note in zip(found, limits_notes, strict=True)
        ),
        columns=2 if len(found) > 2 else 1,  # below one another they would be a few pixels high
        wide_last=True,  # two parts above their sum
        note=_note(trace, stack, spec),
    )


def _has(trace: Trace, stack: str, part: str) -> bool:
    return f"{stack}.embed.{part}" in trace


def _note(trace: Trace, stack: str, spec: EmbeddingSpec) -> str:
    parts = []
    if spec.positions is None:
        parts.append("No position is added here; attention itself knows the positions.")
    if spec.scale != 1:
        root = " (√d_model)" if np.isclose(spec.scale, spec.d_model**0.5, rtol=1e-3) else ""
        parts.append(f"The token's vector is multiplied by {spec.scale:.4g}{root}.")
    after = ["normalised"] if spec.norm is not None else []
    projected = f"projected to {spec.d_model} coordinates"
    if spec.project_first:
        parts.append(f"The token's vector has been {projected}.")
    elif spec.d_embed is not None:
        after.append(projected)
    if after:
        several = spec.positions is not None or spec.segments
        what = "sum" if several else "token's vector"
        parts.append(f"The {what} is then {' and '.join(after)}.")
    if stack == trace.spec.main_stack.name:
        parts.append(_output(trace))
    return " ".join(part for part in parts if part)


def _output(trace: Trace) -> str:
    """Whether the model writes with the vectors it reads."""
    head, shape = trace.spec.heads.vocab, output_shape(trace)
    if head is None or shape is None:
        return ""
    size = f"[{shape[0]:,} × {shape[1]:,}]"
    if head.tied:
        return f"The output matrix {size} is this same token embedding: tied."
    alike = input_output_cosine(trace)
    if alike is None:
        return f"The output matrix {size} is one of its own, and of another width: not tied."
    return (
        f"The output matrix {size} is one of its own: not tied. A token's vectors in both have here"
        f" the cosine {alike.mean():z.2f} on average, {alike.min():z.2f} to {alike.max():z.2f}."
    )


VIEW = View(
    key="embeddings",
    title="Embeddings",
    summary="What enters the first layer, and what it is the sum of",
    group="inside",
    order=20,
    draw=draw,
    looks=frozenset({"site"}),
)
