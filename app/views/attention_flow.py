"""Attention flow: lines from every query to the keys it attends to, a layer's heads in colours."""

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
SWATCH, SPREAD = 78.0, 0.6
"""Width of a head's place in the legend; the part of a row over which the heads' lines spread."""
MOST_LINES = 500
"""More take too long to paint, and nobody could tell them apart."""
COLOURS = 8
"""How many heads have a colour of their own."""


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_site(trace.spec, selection)
    if missing is not None:
        return missing
    stack = selection.stack
    source = "encoder" if selection.part == "cross" else stack
    heads = heads_of(trace, selection, options)
    left_out = _maps.note(trace, selection, options)
    outside = other_sentences(trace, selection, options)
    heads = heads if outside is None else np.where(outside, np.float32(0), heads)
    weights: Floats = heads.mean(axis=0)
    query = pinned_query(trace, selection, options)
    key = pinned(selection.key, weights.shape[1])
    rows = _page(weights.shape[0], last_position(trace, stack) if query is None else query)
    focus = key if key is not None else rows[-1] if source == stack else 0
    columns = _page(weights.shape[1], focus)
    faintest = FAINTEST if query is None else FAINTEST_PINNED
    high = HEADER + ROW * max(len(rows), len(columns)) + 4
    width = max(480.0, 1.5 * high)
    legend, top = _legend(len(heads), width)
    names = labels(trace.tokens[stack], options.raw_labels)
    key_names = labels(trace.tokens[source], options.raw_labels)
    said = weights[query] if query is not None else None
    boxes = [
        *legend,
        _header(QUERY, 0.0, top, "query"),
        _header(KEY, width - NAME, top, "key"),
        *(_query(i, _level(i, rows[0], top), names[i], i == query) for i in rows),
        *(
            _key(i, _level(i, columns[0], top), width, key_names[i], said, i == key)
            for i in columns
        ),
    ]
    return Figure(
        title=_maps.title(trace, selection, options, "all"),
        panels=(
            Diagram(
                title="",
                boxes=tuple(boxes),
                arrows=_lines(heads, rows, columns, query, faintest, width, top),
                width=width,
                height=top + high,
            ),
        ),
        note=" ".join(
            part
            for part in (
                _note(heads, rows, columns, query, faintest),
                _colours(len(heads), query is not None),
                left_out,
            )
            if part
        ),
    )


def _page(length: int, focus: int) -> range:
    """All of a short text; of a long one the page that holds `focus`."""
    if length <= MOST_TOKENS:
        return range(length)
    start = min(focus // MOST_TOKENS * MOST_TOKENS, length - MOST_TOKENS)
    return range(start, start + MOST_TOKENS)


def _legend(heads: int, width: float) -> tuple[list[Box], float]:
    """A box a head in its colour, and the height of them all; nothing for one head."""
    if heads == 1:
        return [], 0.0
    across = max(1, int(width // SWATCH))
    boxes = [
        Box(
            key=f"head.{head}",
            text=f"head {head + 1}",
            x=head % across * SWATCH,
            y=head // across * ROW,
            width=SWATCH - 4,
            height=ROW - 4,
            note=f"head {head + 1}: click to see its lines alone",
            picks=(("head", head),),
            series=head % COLOURS,
        )
        for head in range(heads)
    ]
    return boxes, -(-heads // across) * ROW + 4


def _level(index: int, first: int, top: float) -> float:
    return top + HEADER + ROW * (index - first)


def _header(text: str, x: float, y: float, key: str) -> Box:
    return Box(key=key, text=text, x=x, y=y, width=NAME, height=ROW, kind="text")


def _query(index: int, level: float, name: str, chosen: bool) -> Box:
    return Box(
        key=f"query.{index}",
        text=name,
        x=0,
        y=level + 1,
        width=NAME,
        height=ROW - 2,
        kind="selected" if chosen else "plain",
        note=f"query {index} “{name}”: click to see its lines alone",
        picks=(("query", index),),
    )


def _key(
    index: int, level: float, width: float, name: str, said: Floats | None, chosen: bool
) -> Box:
    text = name if said is None or said[index] < 0.0005 else f"{name}  {said[index]:.3f}"
    return Box(
        key=f"key.{index}",
        text=text,
        x=width - NAME,
        y=level + 1,
        width=NAME,
        height=ROW - 2,
        kind="selected" if chosen else "plain",
        note=f"key {index} “{name}”" + ("" if said is None else f" = {said[index]:.4f}"),
        picks=(("key", index),),
    )


def _seen(heads: Floats, rows: range, columns: range, query: int | None) -> Floats:
    """[head, row, column] of the page, only the pinned query's where there is one."""
    seen = heads[:, rows.start : rows.stop, columns.start : columns.stop]
    if query is None:
        return seen
    only = np.zeros_like(seen)
    only[:, query - rows.start] = seen[:, query - rows.start]
    return only


def _lines(
    heads: Floats,
    rows: range,
    columns: range,
    query: int | None,
    faintest: float,
    width: float,
    top: float,
) -> tuple[Arrow, ...]:
    """Faint ones first, so that strong ones lie on top; the heads side by side within a row."""
    seen = _seen(heads, rows, columns, query)
    places = np.argwhere(seen >= faintest)
    strengths = seen[tuple(places.T)]
    order = np.argsort(strengths, kind="stable")[-MOST_LINES:]
    count = len(heads)
    shifts = [0.5 + SPREAD * ((head + 0.5) / count - 0.5) for head in range(count)]
    first = top + HEADER
    return tuple(
        Arrow(
            points=(
                (NAME + 4, first + ROW * (i + shifts[head])),
                (width - NAME - 4, first + ROW * (j + shifts[head])),
            ),
            kind="attention",
            # Alone, the lines of one query have room to be seen.
            width=strength if query is None else strength**0.5,
            series=head % COLOURS if count > 1 else None,
        )
        for (head, i, j), strength in zip(
            places[order].tolist(), strengths[order].tolist(), strict=True
        )
    )


def _colours(heads: int, numbers: bool) -> str:
    """What the colours mean; empty for one head."""
    if heads == 1:
        return ""
    parts = ["Each head has its colour; click one to see it alone."]
    if heads > COLOURS:
        parts[0] = f"Heads have colours, which repeat after {COLOURS}; click one to see it alone."
    if numbers:
        parts.append("The numbers are means of the heads.")
    return " ".join(parts)


def _note(heads: Floats, rows: range, columns: range, query: int | None, faintest: float) -> str:
    weights: Floats = heads.mean(axis=0)
    parts = [f"Lines for weights of {faintest:g} and more; the stronger the wider."]
    count = int((_seen(heads, rows, columns, query) >= faintest).sum())
    if count > MOST_LINES:
        parts.append(f"Of {count:,} lines the {MOST_LINES} strongest are drawn.")
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
    key="attention_flow",
    title="Attention flow",
    summary="Lines from every word to those it attends to, a colour for each head",
    group="attention",
    order=30,
    draw=draw,
    prepare=prepare,
    ready=ready,
)
