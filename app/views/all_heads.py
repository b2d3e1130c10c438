"""All heads: the maps of every layer and head as one mosaic, to find the one worth opening."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.counting import counted
from app.figure import Axis, Figure, Floats, Mosaic
from app.selection import Selection
from app.views import View, ViewOptions, _maps
from app.views._tokens import ATTENTION, KEY, QUERY, no_site, token_axis
from app.views._vectors import plain
from core.analysis.thumbnails import Thumbnails, key, thumbnails

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.spec import ModelSpec
    from core.trace import Trace

MOST_CELLS = 1600
"""Cells across the whole mosaic: about one a pixel on a large screen."""


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_site(trace.spec, selection)
    if missing is not None:
        return missing
    maps = _thumbnails(trace, selection, options)
    source = "encoder" if selection.part == "cross" else selection.stack
    layers, heads = maps.values.shape[:2]
    shown = ~(maps.hidden | maps.left_out).all(axis=-1)
    largest = maps.values.max(axis=-1)[shown]  # of every row of every map
    automatic = options.limits == "auto" and float(largest.max(initial=0)) > 0
    limit = _maps.fitted(largest) if automatic else 1.0
    return Figure(
        title=f"{ATTENTION[selection.site]} · {counted(layers, 'layer')} × {counted(heads, 'head')}"
        + _maps.filters(trace, selection, options),
        panels=(
            Mosaic(
                title="",
                values=maps.values,
                rows=Axis(title="Layer", labels=_counted(layers)),
                columns=Axis(title="Head", labels=_counted(heads)),
                limits=(0.0, limit),
                hidden=maps.hidden,
                left_out=maps.left_out if maps.left_out.any() else None,
                down=token_axis(QUERY, trace, selection.stack, options),
                across=token_axis(KEY, trace, source, options),
                factor=maps.factor,
                selected=None if selection.head is None else (selection.layer, selection.head),
            ),
        ),
        note=_note(
            maps,
            largest,
            limit if automatic else None,
            options,
            _maps.note(trace, selection, options),
        ),
        hint=_maps.faint(largest, options),
    )


def prepare(
    trace: Trace, selection: Selection, options: ViewOptions, should_stop: ShouldStop | None
) -> None:
    if selection.site in trace.spec.sites:
        _thumbnails(trace, selection, options, should_stop)


def ready(trace: Trace, selection: Selection, options: ViewOptions) -> bool:
    if selection.site not in trace.spec.sites:
        return True
    tile = _tile(trace.spec, selection)
    sentences = _sentences(trace, selection, options)
    return trace.remembers(key(selection.site, tile, options.drop_sinks, sentences))


def _thumbnails(
    trace: Trace,
    selection: Selection,
    options: ViewOptions,
    should_stop: ShouldStop | None = None,
) -> Thumbnails:
    return thumbnails(
        trace,
        selection.site,
        _tile(trace.spec, selection),
        should_stop,
        drop_sinks=options.drop_sinks,
        sentences=_sentences(trace, selection, options),
    )


def _sentences(trace: Trace, selection: Selection, options: ViewOptions) -> tuple[int, int] | None:
    """From which sentence to which; None where the text is no pair."""
    if _maps.other_sentences(trace, selection, options) is None:
        return None
    return options.sentences


def _tile(spec: ModelSpec, selection: Selection) -> int:
    """The most cells of one map, so that the mosaic has about as many cells as a screen pixels."""
    stack = spec.stack(selection.stack)
    heads = max(stack.attention(selection.part, i).heads for i in range(stack.layers))
    return max(16, MOST_CELLS // max(stack.layers, heads))


def _counted(count: int) -> tuple[str, ...]:
    return tuple(str(i + 1) for i in range(count))


def _note(
    maps: Thumbnails, largest: Floats, limit: float | None, options: ViewOptions, left_out: str
) -> str:
    parts = [left_out] if left_out else []
    if maps.left_out.any():
        parts.append("Blank cells are left out.")
    parts.append("In every map queries run down, keys across.")
    if maps.factor > 1:
        side = maps.factor
        parts.append(f"A cell shows the largest weight of {side} × {side} tokens.")
    if limit is not None:
        beyond = f"; the largest is {plain(float(largest.max()))}" if limit < largest.max() else ""
        parts.append(f"Colours are scaled to 0 to {plain(limit)}{beyond}.")
    return " ".join(part for part in parts if part)


VIEW = View(
    key="all_heads",
    title="All heads",
    summary="The maps of every layer and head side by side; click one to open it",
    group="attention",
    order=20,
    draw=draw,
    prepare=prepare,
    ready=ready,
)
