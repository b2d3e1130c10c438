"""Attention flow: lines from every query to the keys it attends to, a layer's heads in colours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.figure import Arrow, Box, Diagram, Figure, Floats
from app.selection import Selection
from app.views import View, ViewOptions, _maps
from app.views._flow import Lines, lines
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

MOST_TOKENS, WHOLE = 24, 28
"""A page of a long text; a text that is hardly longer is shown as a whole."""
ROW, HEADER, NAME, WIDTH = 24.0, 30.0, 150.0, 640.0
ROOMY, ROOMIEST = 14, 1.75
"""Fewer rows than so many are taller, up to so many times, that their lines come apart."""
MOST_ACROSS, SPREAD = 10, 0.6
"""Heads in a row of the legend; the part of a row over which the heads' lines spread."""
ALONE = "click to see its lines alone"
COLOURS = 8
"""How many heads have a colour of their own."""


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_site(trace.spec, selection)
    if missing is not None:
        return missing
    stack = selection.stack
    source = "encoder" if selection.part == "cross" else stack
    heads = heads_of(trace, selection, options)
    whole: Floats = heads.mean(axis=0)
    left_out = _maps.note(trace, selection, options)
    outside = other_sentences(trace, selection, options)
    heads = heads if outside is None else np.where(outside, np.float32(0), heads)
    weights: Floats = heads.mean(axis=0)
    query = pinned_query(trace, selection, options)
    key = pinned(selection.key, weights.shape[1])
    rows = _page(weights.shape[0], last_position(trace, stack) if query is None else query)
    focus = key if key is not None else rows[-1] if source == stack else 0
    columns = _page(weights.shape[1], focus)
    around = query is not None or key is not None
    legend, top = _legend(len(heads))
    names = labels(trace.tokens[stack], options.raw_labels)
    key_names = labels(trace.tokens[source], options.raw_labels)
    said = weights[query] if query is not None else None
    deep = max(len(rows), len(columns))
    row = ROW * min(ROOMIEST, max(1.0, ROOMY / deep))
    left, right = _Side(rows[0], top, row), _Side(columns[0], top, row)
    found = lines(heads, rows, columns, query)
    boxes = [
        *legend,
        _header(QUERY, 0.0, top, "query"),
        _header(KEY, WIDTH - NAME, top, "key"),
        *(_query(i, left, names[i], weights[i], key_names, i == query) for i in rows),
        *(_key(i, right, key_names[i], said, i == key) for i in columns),
    ]
    return Figure(
        title=_maps.title(trace, selection, options, "all"),
        panels=(
            Diagram(
                title="",
                boxes=tuple(boxes),
                arrows=_arrows(found, len(heads), left, right, names, key_names),
                width=WIDTH,
                height=top + HEADER + row * deep + 4,
                stretch=True,
                even=True,
            ),
        ),
        note=" ".join(
            part
            for part in (
                found.note,
                _elsewhere(whole, rows, columns, query, around=around),
                _colours(len(heads), query is not None),
                left_out,
            )
            if part
        ),
        hint=_hint(len(heads), query is not None),
    )


def _page(length: int, focus: int) -> range:
    """All of a short text; of a long one the page that holds `focus`."""
    if length <= WHOLE:
        return range(length)
    start = min(focus // MOST_TOKENS * MOST_TOKENS, length - MOST_TOKENS)
    return range(start, start + MOST_TOKENS)


def _legend(heads: int) -> tuple[list[Box], float]:
    """A box a head in its colour, and the height of them all; nothing for one head."""
    if heads == 1:
        return [], 0.0
    deep = -(-heads // MOST_ACROSS)
    across = -(-heads // deep)
    wide = WIDTH / max(across, 6)
    boxes = [
        Box(
            key=f"head.{head}",
            text=f"head {head + 1}",
            x=head % across * wide,
            y=head // across * ROW,
            width=wide - 4,
            height=ROW - 1.5,
            note=f"head {head + 1}",
            action=ALONE,
            picks=(("head", head),),
            series=head % COLOURS,
        )
        for head in range(heads)
    ]
    return boxes, deep * ROW + 4


@dataclass(frozen=True, slots=True)
class _Side:
    """A column of tokens: the first one shown, what stands above it, and the height of a row."""

    first: int
    top: float
    row: float

    def level(self, index: int, part: float = 0.0) -> float:
        """Where a row begins, or so far down it (0–1)."""
        return self.top + HEADER + self.row * (index - self.first + part)


def _header(text: str, x: float, y: float, key: str) -> Box:
    return Box(key=key, text=text, x=x, y=y, width=NAME, height=ROW, kind="text")


def _query(
    index: int, side: _Side, name: str, weights: Floats, keys: tuple[str, ...], chosen: bool
) -> Box:
    strongest = [j for j in np.argsort(-weights, kind="stable")[:3].tolist() if weights[j] > 0]
    said = ", ".join(f"“{keys[j]}” ({j}) {weights[j]:.3f}" for j in strongest)
    return Box(
        key=f"query.{index}",
        text=name,
        x=0,
        y=side.level(index) + 1,
        width=NAME,
        height=side.row - 2,
        kind="selected" if chosen else "plain",
        note=f"query “{name}” ({index}) → {said or 'nothing'}",
        action=ALONE,
        picks=(("query", index),),
    )


def _key(index: int, side: _Side, name: str, said: Floats | None, chosen: bool) -> Box:
    return Box(
        key=f"key.{index}",
        text=name,
        value="" if said is None or not said[index] >= 0.0005 else f"{said[index]:.3f}",
        x=WIDTH - NAME,
        y=side.level(index) + 1,
        width=NAME,
        height=side.row - 2,
        kind="selected" if chosen else "plain",
        note=f"key “{name}” ({index})" + ("" if said is None else f" = {said[index]:.4f}"),
        picks=(("key", index),),
    )


def _arrows(
    found: Lines,
    heads: int,
    left: _Side,
    right: _Side,
    names: tuple[str, ...],
    key_names: tuple[str, ...],
) -> tuple[Arrow, ...]:
    """Faint ones first, so that strong ones lie on top; the heads side by side within a row."""
    shifts = [0.5 + SPREAD * ((head + 0.5) / heads - 0.5) for head in range(heads)]

    def arrow(place: tuple[int, int, int], weight: float, width: float) -> Arrow:
        head, i, j = place
        whose = f", head {head + 1}" if heads > 1 else ""
        return Arrow(
            points=(
                (NAME + 4, left.level(i, shifts[head])),
                (WIDTH - NAME - 4, right.level(j, shifts[head])),
            ),
            kind="attention",
            width=width,
            series=head % COLOURS if heads > 1 else None,
            note=f"query “{names[i]}” ({i}) → key “{key_names[j]}” ({j}){whose}:"
            f" weight {weight:.3g}",
            value=weight,
        )

    drawn = zip(found.places, found.weights, found.widths, strict=True)
    return tuple(arrow(*line) for line in drawn)


def _hint(heads: int, is_pinned: bool) -> str:
    """What can be seen alone."""
    if heads > 1:
        return (
            "Click a head or a query to see its lines alone."
            if not is_pinned
            else ("Click a head to see its lines alone.")
        )
    return "" if is_pinned else "Click a query to see its lines alone."


def _colours(heads: int, numbers: bool) -> str:
    """What the colours mean; empty for one head."""
    if heads == 1:
        return ""
    parts = ["Each head has its colour."]
    if heads > COLOURS:
        parts[0] = f"Heads have colours, which repeat after {COLOURS}."
    if numbers:
        parts.append("The numbers are means of the heads.")
    return " ".join(parts)


def _elsewhere(
    weights: Floats, rows: range, columns: range, query: int | None, *, around: bool
) -> str:
    """Which part of a long text is shown; empty for a short one. weights: of both sentences of a
    pair. around: whether it lies around a pinned token."""
    if len(rows) == weights.shape[0] and len(columns) == weights.shape[1]:
        return ""
    chosen = ": those around what is pinned" if around else "; pin a token to see those around it"
    found = (
        f"Queries {rows[0]} to {rows[-1]} of {weights.shape[0]},"
        f" keys {columns[0]} to {columns[-1]} of {weights.shape[1]}{chosen}."
    )
    if query is None:
        return found
    row = weights[query].astype(np.float64)
    outside = row.sum() - row[columns.start : columns.stop].sum()
    if not 0 < row.sum() < np.inf:  # it sees nothing, only what is left out, or no numbers
        return found
    return f"{found} {max(0.0, outside / row.sum()):.1%} of this query's weight lies elsewhere."


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
