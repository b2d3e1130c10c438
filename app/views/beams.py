"""Beams: every hypothesis of a beam search, its score, and where and why it was dropped."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from app.figure import Arrow, Bar, Bars, Box, Diagram, Figure
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._tokens import empty

if TYPE_CHECKING:
    from core.decoding import BeamSearch, Hypothesis
    from core.trace import Trace

MOST_STEPS = 8
WIDTH, HEIGHT, GAP_X, GAP_Y = 37.0, 11.0, 8.0, 3.0
KINDS = {"kept": "embedding", "ended": "head", "dropped": "text"}


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    """A column of candidates a step, likeliest on top; the finished ones below."""
    title, search = "Beam search", options.search
    if trace.spec.decoder is None:
        return empty(title, f"{trace.spec.name} is encoder-only and writes no text to search for.")
    if search is None or not search.nodes:
        return empty(
            title,
            "Choose the strategy Beam and press ▶: here stands every text that was considered.",
        )
    path = _path(search, options)
    steps = _window(search, selection.step)
    panels = (_tree(search, path, steps, options), _ended(search, path, options))
    return Figure(
        title=f"{title} · {search.request.beams} beams · length penalty "
        f"{search.request.length_penalty:g}",
        panels=panels,
        note="Boxed went on, purple ended, the rest dropped: point to see why, click to follow. "
        f"It ended: {search.finished}.",
    )


def _path(search: BeamSearch, options: ViewOptions) -> frozenset[int]:
    """The hypotheses that the shown steps consist of; none once a token was taken by hand."""
    node = search.find([step.token for step in options.steps]) if options.steps else None
    return frozenset() if node is None else frozenset(h.id for h in search.path(node))


def _window(search: BeamSearch, shown: int | None) -> range:
    """The steps that find room: around the one that is looked at."""
    count = search.index
    first = 0 if shown is None else max(0, min(shown - MOST_STEPS // 2, count - MOST_STEPS))
    return range(first, min(count, first + MOST_STEPS))


def _tree(search: BeamSearch, path: frozenset[int], steps: range, options: ViewOptions) -> Diagram:
    columns: dict[int, list[Hypothesis]] = {step: [] for step in steps}
    for node in search.nodes:
        if node.index in columns:
            columns[node.index].append(node)
    places = {
        node.id: ((step - steps.start) * (WIDTH + GAP_X), row * (HEIGHT + GAP_Y))
        for step, column in columns.items()
        for row, node in enumerate(column)
    }
    shown = [node for column in columns.values() for node in column]
    on_path = [node for node in shown if node.id in path]
    # Lines of the path come last, above the others.
    arrows = [
        Arrow(
            points=(_right(places[node.parent]), _left(places[node.id])),
            kind="selected" if node.id in path else "plain",
            width=1.4 if node.id in path else 0.6,
        )
        for node in (*(n for n in shown if n.id not in path), *on_path)
        if node.parent is not None and node.parent in places
    ]
    rows = max(len(column) for column in columns.values())
    last = steps.stop
    cut = f"steps {steps.start + 1} to {last} of {search.index}"
    return Diagram(
        title=f"What was considered: {cut}",
        boxes=tuple(_box(node, places[node.id], node.id in path, options) for node in shown),
        arrows=tuple(arrows),
        width=max(5, len(steps)) * (WIDTH + GAP_X) - GAP_X,
        height=rows * (HEIGHT + GAP_Y) - GAP_Y,
    )


def _box(node: Hypothesis, place: tuple[float, float], shown: bool, options: ViewOptions) -> Box:
    name = options.pieces(node.token)
    x, y = place
    return Box(
        key=f"h{node.id}",
        text=f"{name} {_signed(node.score, 2)}",
        x=x,
        y=y,
        width=WIDTH,
        height=HEIGHT,
        kind="selected" if shown else KINDS[node.fate],
        note=f"step {node.index + 1} “{name}”: log-probability "
        f"{_signed(node.log_probability)}, score {_signed(node.score)}; {node.fate}: {node.why}",
        picks=(("hypothesis", node.id),),
    )


def _right(place: tuple[float, float]) -> tuple[float, float]:
    return place[0] + WIDTH, place[1] + HEIGHT / 2


def _left(place: tuple[float, float]) -> tuple[float, float]:
    return place[0], place[1] + HEIGHT / 2


def _ended(search: BeamSearch, path: frozenset[int], options: ViewOptions) -> Bars:
    """exp(score): with a length penalty of 1 the geometric mean of the tokens' probabilities."""
    bars = []
    for node in search.best:
        tokens = search.path(node.id)
        count = f"{len(tokens)} tokens" if len(tokens) > 1 else "1 token"
        bars.append(
            Bar(
                label="".join(options.pieces(step.token) for step in tokens),
                value=math.exp(node.score),
                note=f"score {_signed(node.score)}, {count}",
                dimmed=bool(path) and node.id not in path,
                picks=(("hypothesis", node.id),),
            )
        )
    return Bars(
        title="Ended · score = log-probability ÷ length to the power of the penalty",
        bars=tuple(bars),
        limit=max((bar.value for bar in bars), default=1.0),
        value_name="exp(score)",
    )


def _signed(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


VIEW = View(
    key="beams",
    title="Beams",
    summary="Every text a beam search considered, its score, and why it was dropped",
    group="decoding",
    order=30,
    draw=draw,
)
