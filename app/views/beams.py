"""Beams: every hypothesis of a beam search, its score, and where and why it was dropped."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

from app.figure import Arrow, Bar, Bars, Box, Diagram, Figure
from app.labels import SPACE
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._tokens import empty

if TYPE_CHECKING:
    from core.decoding import BeamSearch, Hypothesis
    from core.trace import Trace

MOST_STEPS, MOST_ROWS, MOST_ENDED = 7, 12, 8
WIDTH, HEIGHT, GAP_X, GAP_Y = 84.0, 18.0, 16.0, 4.0
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
        note=_note(search),
        hint="Point to one to see why; click to follow it.",
    )


def _note(search: BeamSearch) -> str:
    parts = ["Boxed went on, purple ended, the rest dropped."]
    most = max(_candidates(search))
    if most > MOST_ROWS:
        parts.append(f"Of up to {most} candidates a step the {MOST_ROWS} first are shown.")
    if search.finished is not None:
        parts.append(f"It ended: {_minus(search.finished)}.")
    return " ".join(parts)


def _candidates(search: BeamSearch) -> list[int]:
    """How many there were at each step."""
    return list(Counter(node.index for node in search.nodes).values())


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
    columns = {step: _first(column, path) for step, column in columns.items()}
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
            kind="selected" if node.id in path else "link",
            width=1.4 if node.id in path else 0.6 if node.fate == "dropped" else 1.2,
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
        stretch=True,
        even=True,
    )


def _first(column: list[Hypothesis], path: frozenset[int]) -> list[Hypothesis]:
    """So many candidates of a step as find room, in their order: what is shown, what went on or
    ended, then the likeliest of the others."""
    ranked = sorted(column, key=lambda node: (node.id not in path, node.fate == "dropped", node.id))
    return sorted(ranked[:MOST_ROWS], key=lambda node: node.id)


def _box(node: Hypothesis, place: tuple[float, float], shown: bool, options: ViewOptions) -> Box:
    name = options.pieces(node.token)
    x, y = place
    return Box(
        key=f"h{node.id}",
        text=name,
        value=_signed(node.score, 2),
        x=x,
        y=y,
        width=WIDTH,
        height=HEIGHT,
        kind="selected" if shown else KINDS[node.fate],
        note=f"step {node.index + 1} “{name}”: log-probability {_signed(node.log_probability)}, "
        f"score {_signed(node.score)}; {node.fate}: {_minus(node.why)}",
        picks=(("hypothesis", node.id),),
    )


def _right(place: tuple[float, float]) -> tuple[float, float]:
    return place[0] + WIDTH, place[1] + HEIGHT / 2


def _left(place: tuple[float, float]) -> tuple[float, float]:
    return place[0], place[1] + HEIGHT / 2


def _ended(search: BeamSearch, path: frozenset[int], options: ViewOptions) -> Bars:
    """exp(score): with a length penalty of 1 the geometric mean of the tokens' probabilities."""
    bars = []
    for node in search.best[:MOST_ENDED]:
        tokens = search.path(node.id)
        count = f"{len(tokens)} tokens" if len(tokens) > 1 else "1 token"
        bars.append(
            Bar(
                label=_text([step.token for step in tokens], options),
                value=math.exp(node.score),
                note=f"score {_signed(node.score)}, {count}",
                dimmed=bool(path) and node.id not in path,
                picks=(("hypothesis", node.id),),
            )
        )
    return Bars(
        title=_ended_title(len(search.best)),
        bars=tuple(bars),
        limit=max((bar.value for bar in bars), default=1.0),
        value_name="exp(score)",
    )


def _ended_title(count: int) -> str:
    if not count:
        return "None has ended yet"
    best = f"The best {MOST_ENDED} of {count}" if count > MOST_ENDED else "Ended"
    return f"{best} · exp(score); score = log-probability ÷ length to the power of the penalty"


def _text(tokens: list[int], options: ViewOptions) -> str:
    """What they read as, on one line."""
    pieces = "".join(options.pieces(token) for token in tokens)
    return pieces if options.raw_labels else " ".join(pieces.replace(SPACE, " ").split())


def _minus(words: str) -> str:
    """A sentence of the core with the sign that numbers have on screen."""
    return re.sub(r"-(?=\d)", "−", words)


def _signed(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


VIEW = View(
    key="beams",
    title="Beams",
    summary="Every text a beam search considered, its score, and why it was dropped",
    group="decoding",
    order=30,
    draw=draw,
    looks=frozenset(),
)
