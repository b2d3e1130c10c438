"""Attention flow: lines from every query to the keys it attends to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.figure import Arrow, Box, Diagram, Figure, Floats
from app.selection import Selection
from app.views import View, ViewOptions, _maps
from app.views._maps import heads_of, other_sentences, prepare, ready
from app.views._tokens import (
    KEY,
    QUERY,
    labels,
    last_position,
    no_site,
    pinned,
    pinned_query,
)

if TYPE_CHECKING:
    from core.trace import Trace

MOST_TOKENS = 36
FAINTEST, FAINTEST_PINNED = 0.04, 0.005
ROW, HEADER, NAME = 24.0, 30.0, 150.0


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_site(trace.spec, selection)
    if missing is not None:
        return missing
    stack = selection.stack
    source = "encoder" if selection.part == "cross" else stack
    weights: Floats = heads_of(trace, selection, options).mean(axis=0)
    left_out = _maps.note(trace, selection, options)
    outside = other_sentences(trace, selection, options)
    weights = weights if outside is None else np.where(outside, np.float32(0), weights)
    query = pinned_query(trace, selection, options)
    key = pinned(selection.key, weights.shape[1])
    rows = _page(weights.shape[0], last_position(trace, stack) if query is None else query)
    focus = key if key is not None else rows[-1] if source == stack else 0
    columns = _page(weights.shape[1], focus)
    faintest = FAINTEST if query is None else FAINTEST_PINNED
    height = HEADER + ROW * max(len(rows), len(columns)) + 4
    width = max(480.0, 1.5 * height)
    names = labels(trace.tokens[stack], options.raw_labels)
    key_names = labels(trace.tokens[source], options.raw_labels)
    said = weights[query] if query is not None else None
    boxes = [
        _header(QUERY, 0.0, "query"),
        _header(KEY, width - NAME, "key"),
        *(_query(i, rows[0], names[i], i == query) for i in rows),
        *(_key(i, columns[0], width, key_names[i], said, i == key) for i in columns),
    ]
    return Figure(
        title=_maps.title(trace, selection, options),
        panels=(
            Diagram(
                title="",
                boxes=tuple(boxes),
                arrows=_lines(weights, rows, columns, query, faintest, width),
                width=width,
                height=height,
            ),
        ),
        note=f"{_note(weights, rows, columns, query, faintest)} {left_out}".strip(),
    )


def _page(length: int, focus: int) -> range:
    """All of a short text; of a long one the page that holds `focus`."""
    if length <= MOST_TOKENS:
        return range(length)
    start = min(focus // MOST_TOKENS * MOST_TOKENS, length - MOST_TOKENS)
    return range(start, start + MOST_TOKENS)


def _level(index: int, first: int) -> float:
    return HEADER + ROW * (index - first)


def _header(text: str, x: float, key: str) -> Box:
    return Box(key=key, text=text, x=x, y=0, width=NAME, height=ROW, kind="text")


def _query(index: int, first: int, name: str, chosen: bool) -> Box:
    return Box(
        key=f"query.{index}",
        text=name,
        x=0,
        y=_level(index, first) + 1,
        width=NAME,
        height=ROW - 2,
        kind="selected" if chosen else "plain",
        note=f"query {index} “{name}”: click to see its lines alone",
        picks=(("query", index),),
    )


def _key(index: int, first: int, width: float, name: str, said: Floats | None, chosen: bool) -> Box:
    text = name if said is None or said[index] < 0.0005 else f"{name}  {said[index]:.3f}"
    return Box(
        key=f"key.{index}",
        text=text,
        x=width - NAME,
        y=_level(index, first) + 1,
        width=NAME,
        height=ROW - 2,
        kind="selected" if chosen else "plain",
        note=f"key {index} “{name}”" + ("" if said is None else f" = {said[index]:.4f}"),
        picks=(("key", index),),
    )


def _lines(
    weights: Floats,
    rows: range,
    columns: range,
    query: int | None,
    faintest: float,
    width: float,
) -> tuple[Arrow, ...]:
    """Faint ones first, so that strong ones lie on top."""
    seen = weights[rows.start : rows.stop, columns.start : columns.stop]
    if query is not None:
        only = np.zeros_like(seen)
        only[query - rows.start] = seen[query - rows.start]
        seen = only
    places = np.argwhere(seen >= faintest)
    strengths = seen[places[:, 0], places[:, 1]]
    order = np.argsort(strengths, kind="stable")
    return tuple(
        Arrow(
            points=(
                (NAME + 4, HEADER + ROW * (i + 0.5)),
                (width - NAME - 4, HEADER + ROW * (j + 0.5)),
            ),
            kind="attention",
            # Alone, the lines of one query have room to be seen.
            width=strength if query is None else strength**0.5,
        )
        for (i, j), strength in zip(places[order].tolist(), strengths[order].tolist(), strict=True)
    )


def _note(weights: Floats, rows: range, columns: range, query: int | None, faintest: float) -> str:
    parts = [f"Lines for weights of {faintest:g} and more; the stronger the wider."]
    if query is None:
        parts.append("Click a query to see its lines alone.")
    if len(rows) < weights.shape[0] or len(columns) < weights.shape[1]:
        parts.append(
            f"Queries {rows[0]} to {rows[-1]} of {weights.shape[0]},"
            f" keys {columns[0]} to {columns[-1]} of {weights.shape[1]}."
        )
        if query is not None:
            inside = float(weights[query, columns.start : columns.stop].sum())
            parts.append(f"{max(0.0, 1 - inside):.1%} of this query's weight lies elsewhere.")
    return " ".join(parts)


VIEW = View(
    key="attention_flow", title="Attention flow", draw=draw, prepare=prepare, ready=ready, order=68
)
