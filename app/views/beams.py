"""Beams: every hypothesis of a beam search, its score, and where and why it was dropped."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

from app.cutting import in_tokens, was_cut
from app.figure import Arrow, Bar, Bars, Box, Diagram, Figure
from app.labels import SPACE
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._tokens import empty

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.decoding import BeamSearch, Hypothesis
    from core.trace import Trace

MOST_STEPS, MOST_ROWS, MOST_ENDED = 7, 12, 8
WIDTH, GAP_X = 84.0, 16.0
TALL, LEAST_ROW, MOST_ROW = 272.0, 22.0, 76.0  # the tree, and a row of it with the gap below
LEAST_BOX, MOST_BOX, BOX = 18.0, 32.0, 0.72  # the height of a box; its part of a row
NONE_YET = "Choose the strategy Beam and press ▶: here stands every text that was considered."
SEARCHING = "The search runs: once it has ended, here stands every text that was considered."
BY_HAND = (
    "The first token was taken by hand, and from there it goes on greedily. Throw the tokens away, "
    "choose the strategy Beam and press ▶: here stands every text that was considered."
)
KINDS = {"kept": "embedding", "ended": "head", "dropped": "text"}


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    """A column of candidates a step, likeliest on top; the finished ones below."""
    title, search = "Beam search", options.search
    if trace.spec.decoder is None:
        return empty(title, f"{trace.spec.name} is encoder-only and writes no text to search for.")
    if search is None or not search.nodes:
        by_hand = bool(options.steps) and options.steps[0].forced
        none_yet = BY_HAND if by_hand else NONE_YET
        return empty(title, SEARCHING if options.searching else none_yet)
    path = _path(search, options)
    steps = _window(search, selection.step)
    tree = _tree(search, path, steps, options)
    return Figure(
        title=f"{title} · {search.request.beams} beams · length penalty "
        f"{search.request.length_penalty:g}",
        panels=(tree, _ended(search, path, options)),
        note=_note(search, tree),
        hint="Point to one to see why; click to follow it.",
    )


def _note(search: BeamSearch, tree: Diagram) -> str:
    parts = [_legend(search, tree)]
    most = max(_candidates(search))
    if most > MOST_ROWS:
        parts.append(f"Of up to {most} candidates a step the {MOST_ROWS} first are shown.")
    if search.finished is not None:
        parts.append(f"The search ended: {_minus(search.finished)}.")
    parts.append("Score: log-probability ÷ length to the power of the penalty.")
    return " ".join(parts)


def _legend(search: BeamSearch, tree: Diagram) -> str:
    """What the boxes mean that are in sight."""
    ids: dict[str, list[int]] = {}
    for box in tree.boxes:
        ids.setdefault(box.kind, []).append(dict(box.picks)["hypothesis"])
    purple = _ended_or_cut(search, [search.nodes[i] for i in ids.get(KINDS["ended"], [])])
    words = {
        "selected": "orange is followed",
        KINDS["kept"]: "boxed went on",
        KINDS["ended"]: f"purple {purple}",
        KINDS["dropped"]: "the rest was dropped",
    }
    said = ", ".join(text for kind, text in words.items() if kind in ids)
    return f"{said[0].upper()}{said[1:]}."


def _ended_or_cut(search: BeamSearch, nodes: Sequence[Hypothesis]) -> str:
    cut = [was_cut(search, node) for node in nodes]
    return "was cut" if all(cut) else "ended or was cut" if any(cut) else "ended"


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
    rows = max(len(column) for column in columns.values())
    pitch, high = _row(rows)
    places = {
        node.id: ((step - steps.start) * (WIDTH + GAP_X), row * pitch)
        for step, column in columns.items()
        for row, node in enumerate(column)
    }
    shown = [node for column in columns.values() for node in column]
    on_path = [node for node in shown if node.id in path]
    # Lines of the path come last, above the others.
    arrows = [
        Arrow(
            points=(_right(places[node.parent], high), _left(places[node.id], high)),
            kind="selected" if node.id in path else "link",
            width=1.4 if node.id in path else 0.6 if node.fate == "dropped" else 1.2,
        )
        for node in (*(n for n in shown if n.id not in path), *on_path)
        if node.parent is not None and node.parent in places
    ]
    last = steps.stop
    cut = f"steps {steps.start + 1} to {last} of {search.index}"
    return Diagram(
        title=f"What was considered: {cut}",
        boxes=tuple(
            _box(node, places[node.id], high, node.id in path, was_cut(search, node), options)
            for node in shown
        ),
        arrows=tuple(arrows),
        width=max(5, len(steps)) * (WIDTH + GAP_X) - GAP_X,
        height=(rows - 1) * pitch + high,
        stretch=True,
        even=True,
    )


def _row(rows: int) -> tuple[float, float]:
    """The height of a row with the gap below it, and of a box in it. Few rows stand further apart,
    so that few beams do not leave most of a page empty: a diagram keeps its proportions."""
    pitch = min(MOST_ROW, max(LEAST_ROW, TALL / max(1, rows)))
    return pitch, min(MOST_BOX, max(LEAST_BOX, BOX * pitch))


def _first(column: list[Hypothesis], path: frozenset[int]) -> list[Hypothesis]:
    """So many candidates of a step as find room, in their order: what is shown, what went on or
    ended, then the likeliest of the others."""
    ranked = sorted(column, key=lambda node: (node.id not in path, node.fate == "dropped", node.id))
    return sorted(ranked[:MOST_ROWS], key=lambda node: node.id)


def _box(
    node: Hypothesis,
    place: tuple[float, float],
    high: float,
    shown: bool,
    cut: bool,
    options: ViewOptions,
) -> Box:
    name = options.pieces(node.token)
    x, y = place
    return Box(
        key=f"h{node.id}",
        text=name,
        value=_signed(node.score, 2),
        x=x,
        y=y,
        width=WIDTH,
        height=high,
        kind="selected" if shown else KINDS[node.fate],
        note=f"step {node.index + 1} “{name}”: log-probability {_signed(node.log_probability)}, "
        f"score {_signed(node.score)}; {'cut' if cut else node.fate}: {_minus(node.why)}",
        picks=(("hypothesis", node.id),),
    )


def _right(place: tuple[float, float], high: float) -> tuple[float, float]:
    return place[0] + WIDTH, place[1] + high / 2


def _left(place: tuple[float, float], high: float) -> tuple[float, float]:
    return place[0], place[1] + high / 2


def _ended(search: BeamSearch, path: frozenset[int], options: ViewOptions) -> Bars:
    """exp(score): with a length penalty of 1 the geometric mean of the tokens' probabilities."""
    bars = []
    for node in search.best[:MOST_ENDED]:
        path_to = search.path(node.id)
        count = in_tokens(len(path_to))
        bars.append(
            Bar(
                label=_text([step.token for step in path_to], options),
                value=math.exp(node.score),
                note=f"score {_signed(node.score)}, {count}{', cut' * was_cut(search, node)}",
                state="not followed" if path and node.id not in path else "",
                picks=(("hypothesis", node.id),),
            )
        )
    return Bars(
        title=_ended_title(search),
        bars=tuple(bars),
        limit=max((bar.value for bar in bars), default=1.0),
        value_name="exp(score)",
    )


def _ended_title(search: BeamSearch) -> str:
    count = len(search.best)
    if not count:
        return "None has ended yet"
    cut, at = [was_cut(search, node) for node in search.best], f"cut at {in_tokens(search.index)}"
    best = at if all(cut) else f"ended, or {at}" if any(cut) else "ended"
    if count > MOST_ENDED:
        best = f"the best {MOST_ENDED} of {count}, {best}"
    best = f"{best[0].upper()}{best[1:]}"
    return f"{best} · exp(score)"


def _text(ids: list[int], options: ViewOptions) -> str:
    """What they read as, on one line."""
    pieces = "".join(options.pieces(token) for token in ids)
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
