"""What is known about one query and one key: the numbers of the read-out. Free of Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.labels import labels_of
from app.looking import heads_at, quick
from app.selection import Selection
from core.progress import step

if TYPE_CHECKING:
    from torch import Tensor

    from core.trace import Trace

TOP = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A token of a query or key axis. position: as the model counts; None for padding."""

    index: int
    label: str
    token: int
    position: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """query and key: what is pinned. The numbers are None unless both are.

    product: q·k as it stands. scale: what it is multiplied by; d_head: of q and k. score:
    what enters the softmax (scaled, with a bias and soft cap where the model has them). weight:
    after the softmax. rank: of the key among those of the query, from 1. product, scale and score
    are of one head, so None for a mean. strongest: (key, weight) of a pinned query, or (query,
    weight) of a pinned key.
    """

    query: Place | None = None
    key: Place | None = None
    allowed: bool = True
    dead: bool = False
    weight: float | None = None
    rank: int | None = None
    keys: int = 0
    product: float | None = None
    scale: float | None = None
    d_head: int = 0
    score: float | None = None
    adjusted: str = ""
    strongest: tuple[tuple[Place, float], ...] = ()


def dear(trace: Trace, selection: Selection) -> bool:
    """Whether `read` takes long: a column of a mean needs all weights of all heads."""
    column = selection.query is None and selection.key is not None
    mean = selection.head is None
    return column and mean and not quick(trace, selection.site, selection.layer)


def pinned(trace: Trace, selection: Selection, raw: bool = False) -> Reading:
    """What is pinned, without any number."""
    return Reading(
        query=_place(trace, selection.stack, selection.query, raw),
        key=_place(trace, _keys(selection), selection.key, raw),
    )


def read(
    trace: Trace,
    selection: Selection,
    raw: bool = False,
    should_stop: Callable[[], bool] | None = None,
) -> Reading:
    """Read what is pinned; everything is derived from the trace. should_stop: asked while what is
    `dear` is read, which ends in Cancelled where it says so."""
    site, layer, head = selection.site, selection.layer, selection.head
    bare = pinned(trace, selection, raw)
    query, key = bare.query, bare.key
    if query is None and key is None:
        return bare
    if query is None:
        weights = _column(trace, selection, should_stop)
    else:  # one row is enough: a small part of the map
        pattern = trace.pattern(site, layer, head, query.index)
        weights = pattern.mean(0) if head is None else pattern
    allowed = trace.allowed(site, layer)
    if query is None or key is None:
        found = weights.topk(min(TOP, weights.shape[0]))
        stack = selection.stack if key is not None else _keys(selection)
        strongest = []
        for index, weight in zip(found.indices.tolist(), found.values.tolist(), strict=True):
            place = _place(trace, stack, index, raw)
            if place is not None and weight > 0:
                strongest.append((place, weight))
        dead = query is not None and not bool(allowed[query.index].any())
        return Reading(query=query, key=key, dead=dead, strongest=tuple(strongest))
    weight = float(weights[key.index])
    attention = trace.spec.stack(selection.stack).attention(selection.part, layer)
    product = score = None
    d_head = 0
    if head is not None:
        score = float(trace.scores(site, layer, head, query.index)[key.index])
        name = f"{selection.stack}.{layer}.{selection.part}"
        q, k = trace[f"{name}.q"], trace[f"{name}.k"]
        d_head = q.shape[-1]
        shared = q.shape[0] // k.shape[0]
        product = float(q[head, query.index] @ k[head // shared, key.index])
    return Reading(
        query=query,
        key=key,
        allowed=bool(allowed[query.index, key.index]),
        dead=not bool(allowed[query.index].any()),
        weight=weight,
        rank=int((weights > weight).sum()) + 1,
        keys=int(allowed[query.index].sum()),
        product=product,
        scale=attention.score_scale if head is not None else None,
        d_head=d_head,
        score=score,
        adjusted=_adjusted(product, attention.score_scale, score),
    )


def _column(trace: Trace, selection: Selection, should_stop: Callable[[], bool] | None) -> Tensor:
    """[query]: the weights of the pinned key."""
    site, layer, head, key = selection.site, selection.layer, selection.head, selection.key
    if not dear(trace, selection):
        pattern = trace.pattern(site, layer, head)
        return (pattern.mean(0) if head is None else pattern)[:, key]
    heads = heads_at(trace.spec, site, layer)
    total: Any = 0.0
    for one in range(heads):  # head by head, as only between two of them it can be stopped
        step(should_stop, one / heads, "reading the mean of all heads")
        total = total + trace.pattern(site, layer, one)[:, key]
    found: Tensor = total / heads
    return found


def _adjusted(product: float | None, scale: float, score: float | None) -> str:
    """What else was done to the score, seen from the numbers themselves."""
    if product is None or score is None or abs(product * scale - score) < 1e-3:
        return ""
    return "with the model's position bias or soft cap"


def _keys(selection: Selection) -> str:
    return "encoder" if selection.part == "cross" else selection.stack


def _place(trace: Trace, stack: str, index: int | None, raw: bool) -> Place | None:
    tokens = trace.tokens[stack]
    if index is None or not 0 <= index < len(tokens):
        return None
    return Place(
        index=index,
        label=labels_of(tokens, raw)[index],
        token=tokens.ids[index],
        position=tokens.positions[index],
    )
