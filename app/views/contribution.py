"""Contribution: a bright cell matters only as much as the value it weighs is long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.figure import Axis, Figure, Floats, Heatmap
from app.selection import Selection
from app.views import View, ViewOptions, _maps
from app.views._tokens import (
    KEY,
    QUERY,
    attention_title,
    no_site,
    pinned,
    pinned_query,
    token_axis,
)
from core.analysis.contribution import contribution, key

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.trace import Trace


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_site(trace.spec, selection)
    if missing is not None:
        return missing
    found = contribution(trace, selection.site, selection.layer, selection.head)
    source = "encoder" if selection.part == "cross" else selection.stack
    rows = token_axis(QUERY, trace, selection.stack, options)
    columns = token_axis(KEY, trace, source, options)
    hidden = ~trace.allowed(selection.site, selection.layer).numpy()
    sizes = np.broadcast_to(found.values, found.weights.shape)

    name, vector = "weight", "the vector weight · v · W_O"
    if selection.head is None:
        name, vector = "mean weight", "the sum of all heads' vectors weight · v · W_O"

    def panel(title: str, values: Floats, name: str) -> Heatmap:
        return _map(
            title,
            values,
            name,
            rows,
            columns,
            hidden=hidden,
            row=pinned_query(trace, selection, options),
            column=pinned(selection.key, len(found.values)),
            options=options,
            details=(
                ("‖v‖" if selection.head is not None else "mean ‖v‖", sizes),
                ("‖weight · v · W_O‖", found.norms),
            ),
        )

    title = attention_title(trace.spec, selection, "all", counted=False)
    largest = np.maximum(found.weights.max(axis=1), found.shares.max(axis=1))
    return Figure(
        title=f"Contribution · {title[0].lower()}{title[1:]}",
        panels=(
            panel("Weight" if selection.head is not None else "Mean weight", found.weights, name),
            panel("Share of what is added", found.shares, "share"),
        ),
        note=(
            f"Right: length of {vector}, as a share of its row (Kobayashi et al. 2020): a bright"
            f" weight on a short value brings little.{_edited(trace, selection)}"
            f"{_maps.still_count(trace, selection, options)}"
        ),
        hint=_maps.faint(largest, options),
        columns=2,
    )


def _edited(trace: Trace, selection: Selection) -> str:
    attention = f"{selection.stack}.{selection.layer}.{selection.part}"
    if trace.edited.isdisjoint((f"{attention}.context", f"{attention}.out")):
        return ""
    return " What this run's edits keep from arriving adds nothing."


def prepare(
    trace: Trace, selection: Selection, options: ViewOptions, should_stop: ShouldStop | None
) -> None:
    if selection.site in trace.spec.sites:
        contribution(trace, selection.site, selection.layer, selection.head, should_stop)


def ready(trace: Trace, selection: Selection, options: ViewOptions) -> bool:
    site = selection.site
    if site not in trace.spec.sites or selection.head is not None:
        return True  # one head takes a few milliseconds
    return trace.remembers(key(site, selection.layer, None))


def _map(
    title: str,
    values: Floats,
    name: str,
    rows: Axis,
    columns: Axis,
    *,
    hidden: np.typing.NDArray[np.bool_],
    row: int | None,
    column: int | None,
    options: ViewOptions,
    details: tuple[tuple[str, Floats], ...],
) -> Heatmap:
    limits, limits_note = _maps.limits(values.max(axis=1), options)
    return Heatmap(
        title=title,
        values=values,
        rows=rows,
        columns=columns,
        limits=limits,
        hidden=hidden,
        dead_rows=tuple(np.flatnonzero(hidden.all(axis=1)).tolist()),
        row=row,
        column=column,
        value_name=name,
        picks=("query", "key"),
        details=details,
        limits_note=limits_note,
    )


VIEW = View(
    key="contribution",
    title="Contribution",
    summary="What a cell really adds: its weight times the length of its value",
    group="matters",
    order=10,
    draw=draw,
    prepare=prepare,
    ready=ready,
)
