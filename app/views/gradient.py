"""Gradient × weight: which cells of a map move the prediction, to first order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.counting import signed
from app.figure import Figure, Heatmap
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._focus import answer_name, answer_position, no_prediction
from app.views._maps import still_count
from app.views._tokens import (
    KEY,
    QUERY,
    attention_title,
    empty,
    no_site,
    pinned,
    pinned_query,
    token_axis,
)
from app.views._vectors import symmetric
from core.analysis.gradients import influence, key

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.trace import Trace


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_site(trace.spec, selection)
    if missing is not None:
        return missing
    if trace.spec.heads.vocab is None:
        return empty("Gradient × weight", no_prediction(trace, options))
    site, layer, head = selection.site, selection.layer, selection.head
    position = answer_position(trace, selection, options)
    found = influence(trace, site, layer, position)
    source = "encoder" if selection.part == "cross" else selection.stack
    values = found.values.sum(axis=0) if head is None else found.values[head]
    weights = trace.pattern(site, layer, head).numpy()
    weights = weights.mean(axis=0) if head is None else weights
    hidden = ~trace.allowed(site, layer).numpy()
    title = attention_title(trace.spec, selection, counted=False)
    return Figure(
        title=f"Gradient × weight · {title[0].lower()}{title[1:]}".replace("mean", "sum"),
        panels=(
            Heatmap(
                title=f"Towards {answer_name(trace, position, found.answer, options)}",
                values=values,
                rows=token_axis(QUERY, trace, selection.stack, options),
                columns=token_axis(KEY, trace, source, options),
                limits=symmetric(values),
                scale="diverging",
                hidden=hidden,
                dead_rows=tuple(np.flatnonzero(hidden.all(axis=1)).tolist()),
                row=pinned_query(trace, selection, options),
                column=pinned(selection.key, values.shape[1]),
                value_name="nats",
                picks=("query", "key"),
                details=(("mean weight" if head is None else "weight", weights),),
            ),
        ),
        note=(
            f"log P of that token is {signed(np.log(found.probability))}. Each cell: weight ·"
            " ∂ log P / ∂ weight, what log P would lose without the weight, to first order. Red"
            f" speaks for the token, blue against it.{still_count(trace, selection, options)}"
        ),
    )


def prepare(
    trace: Trace, selection: Selection, options: ViewOptions, should_stop: ShouldStop | None
) -> None:
    if _applies(trace, selection):
        position = answer_position(trace, selection, options)
        influence(trace, selection.site, selection.layer, position, should_stop)


def ready(trace: Trace, selection: Selection, options: ViewOptions) -> bool:
    if not _applies(trace, selection):
        return True
    position = answer_position(trace, selection, options)
    return trace.remembers(key(selection.site, selection.layer, position))


def _applies(trace: Trace, selection: Selection) -> bool:
    return selection.site in trace.spec.sites and trace.spec.heads.vocab is not None


VIEW = View(
    key="gradient",
    title="Gradient × weight",
    summary="Which cells of a map move the prediction, to first order",
    group="matters",
    order=20,
    draw=draw,
    prepare=prepare,
    ready=ready,
)
