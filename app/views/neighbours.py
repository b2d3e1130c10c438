"""Neighbours: which words a token's embedding lies next to, and how alike the positions are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.figure import Bar, Bars, Figure, Heatmap, Panel
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._focus import followed
from app.views._tokens import no_stack, pinned_query, token_axis, token_name
from core.analysis.neighbours import Neighbours, key, neighbours
from core.analysis.states import cosine_matrix

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.trace import Trace


MEANING = "Cosine of the angle between two vectors: 1 where both point the same way."


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_stack(trace.spec, selection)
    if missing is not None:
        return missing
    stack = selection.stack
    at = followed(trace, selection, options)
    panels: list[Panel] = [
        _bars(
            neighbours(trace, stack, token, options.top, output=output),
            "Nearest in the output matrix" if output else "Nearest in the token embedding",
            options.pieces_of(stack),
        )
        for token, output in _wanted(trace, selection, options)
    ]
    if f"{stack}.embed.position" in trace:
        panels.append(_positions(trace, stack, at, options))
    chosen = pinned_query(trace, selection, options) is not None
    return Figure(
        title=f"Neighbours of {token_name(trace, stack, at, options)} in the {stack}'s vocabulary",
        panels=tuple(panels),
        note=MEANING,
        hint="" if chosen else "Pin a token to see its neighbours.",
        columns=min(2, len(panels)),
    )


def prepare(
    trace: Trace, selection: Selection, options: ViewOptions, should_stop: ShouldStop | None
) -> None:
    for token, output in _wanted(trace, selection, options):
        neighbours(trace, selection.stack, token, options.top, output=output)


def ready(trace: Trace, selection: Selection, options: ViewOptions) -> bool:
    return all(
        trace.remembers(key(selection.stack, token, options.top, output))
        for token, output in _wanted(trace, selection, options)
    )


def _wanted(trace: Trace, selection: Selection, options: ViewOptions) -> list[tuple[int, bool]]:
    """(token, whether in the output matrix) of each list: the token table, and the output matrix
    where the model has one of its own."""
    stack, head = selection.stack, trace.spec.heads.vocab
    if stack not in trace.tokens:
        return []
    token = trace.tokens[stack].ids[followed(trace, selection, options)]
    own = head is not None and not head.tied and stack == trace.spec.main_stack.name
    return [(token, False), (token, True)] if own else [(token, False)]


def _bars(found: Neighbours, title: str, label: Callable[[int], str]) -> Bars:
    return Bars(
        title=title,
        bars=tuple(
            Bar(label=label(token), value=value, token=token)
            for token, value in zip(found.tokens.tolist(), found.cosine.tolist(), strict=True)
        ),
        value_name="cosine",
        takes=False,
    )


def _positions(trace: Trace, stack: str, at: int, options: ViewOptions) -> Heatmap:
    vectors = trace[f"{stack}.embed.position"].numpy()
    automatic = options.limits == "auto"
    values = cosine_matrix(vectors)
    low = float(values.min())
    return Heatmap(
        title="Position against position",
        values=values,
        rows=token_axis("Position", trace, stack, options),
        columns=token_axis("Position", trace, stack, options),
        limits=(min(low, 0.999), 1.0) if automatic else (-1.0, 1.0),
        scale="sequential" if automatic else "diverging",
        row=at,
        value_name="cosine",
        picks=("query", None),
        limits_note="colours scaled to these values" if automatic else "",
    )


VIEW = View(
    key="neighbours",
    title="Embedding neighbours",
    summary="Which words a token's embedding lies next to, and how alike the positions are",
    group="inside",
    order=30,
    draw=draw,
    looks=frozenset({"site"}),
    prepare=prepare,
    ready=ready,
)
