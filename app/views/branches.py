"""Branches: the continuations that were tried, as a tree of the texts between their forks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.branches import Tree, how
from app.counting import signed
from app.figure import Arrow, Box, Diagram, Figure
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._tokens import empty

if TYPE_CHECKING:
    from core.request import Step
    from core.trace import Trace

WIDTH, GAP_X, GAP_Y = 200.0, 36.0, 14.0
FEWEST_COLUMNS = 3
LEAST, LINE, ACROSS = 58.0, 17.0, 20
"""The height of a low box, of three lines; of a line; the letters in one."""
ROOM = 420.0
"""Boxes may grow until all rows are so high together: the page of a few would be empty below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Steps start … end - 1 of a branch, between two forks; parent: the stretch they follow."""

    branch: int
    start: int
    end: int
    parent: int | None
    column: int


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    """A box a stretch of text; the current branch is marked, a click goes there."""
    title = "Branches"
    if trace.spec.decoder is None:
        return empty(title, f"{trace.spec.name} is encoder-only and writes no text that branches.")
    tree = options.tree
    if not any(branch.steps for branch in tree.branches):
        return empty(
            title,
            "Decode a few tokens, then take another candidate: what was there stays as a branch.",
        )
    found = stretches(tree)
    rows = {branch: row for row, branch in enumerate(order(tree))}
    high = _height(tree, found, len(rows), options)
    path = _path(tree)
    boxes = [_prompt(tree, high)]
    arrows = []
    for number, stretch in enumerate(found):
        row, current = rows[stretch.branch], _current(path, stretch)
        boxes.append(_box(options, number, stretch, row, high, current))
        arrows.append(_arrow(found, stretch, rows, high))
    columns = 2 + max(stretch.column for stretch in found)
    return Figure(
        title=title,
        panels=(
            Diagram(
                title=f"{len(rows)} continuations" if len(rows) > 1 else "One continuation so far",
                boxes=tuple(boxes),
                arrows=tuple(arrows),
                width=max(FEWEST_COLUMNS, columns) * (WIDTH + GAP_X) - GAP_X,
                height=len(rows) * (high + GAP_Y) - GAP_Y,
                stretch=True,
                even=True,
            ),
        ),
        note="Orange is the continuation that is shown."
        " log P: the tokens' log-probabilities, added up.",
        hint="A click goes to another; taking another candidate begins a new one.",
    )


def order(tree: Tree) -> tuple[int, ...]:
    """Branches from top to bottom: each followed by those that left it, the latest fork first, so
    that no line crosses a box."""

    def below(branch: int) -> list[int]:
        left = [i for i, other in enumerate(tree.branches) if other.parent == branch]
        left.sort(key=lambda i: (-tree.branches[i].fork, i))
        return [branch, *(found for child in left for found in below(child))]

    return tuple(branch for branch in below(0) if tree.branches[branch].steps)


def stretches(tree: Tree) -> tuple[Stretch, ...]:
    """Every branch cut where another one leaves it; a stretch comes after the one it follows."""
    found: list[Stretch] = []
    ends: dict[tuple[int, int], int] = {}  # (branch, end) -> stretch
    for number, branch in enumerate(tree.branches):
        cuts = {other.fork for other in tree.branches if other.parent == number}
        inner = {cut for cut in cuts if branch.fork < cut < len(branch.steps)}
        start = branch.fork
        left = None if branch.parent is None else ends.get((branch.parent, branch.fork))
        parent = left
        for end in sorted({*inner, len(branch.steps)}):
            if end <= start:
                continue
            column = 0 if parent is None else found[parent].column + 1
            ends[number, end] = len(found)
            found.append(Stretch(branch=number, start=start, end=end, parent=parent, column=column))
            parent, start = len(found) - 1, end
        if left is not None:
            ends.setdefault((number, branch.fork), left)
    return tuple(found)


def _path(tree: Tree) -> dict[int, int]:
    """Branch -> how many of its steps belong to the current continuation."""
    at: int | None = tree.current
    end = len(tree.branches[tree.current].steps)
    found: dict[int, int] = {}
    while at is not None:
        found[at] = end
        end, at = tree.branches[at].fork, tree.branches[at].parent
    return found


def _current(path: dict[int, int], stretch: Stretch) -> bool:
    """Whether the current continuation runs through this stretch."""
    return stretch.end <= path.get(stretch.branch, -1)


def _height(tree: Tree, found: tuple[Stretch, ...], rows: int, options: ViewOptions) -> float:
    """Of every box: enough for the longest text, within the room that so many rows leave."""
    written = [_written(tree.branches[one.branch].steps, one, options) for one in found]
    longest = max(len(_source(tree)[1]), *(len(text) + ACROSS for text in written))
    needed = LINE * -(-longest // ACROSS) + 8
    return max(LEAST, min(needed, (ROOM + GAP_Y) / rows - GAP_Y))


def _letters(high: float, kept: int) -> int:
    """How many find room in a box beside so many lines kept for something else."""
    return ACROSS * (int((high - 7) / LINE) - kept)


def _source(tree: Tree) -> tuple[Trace, str]:
    """What all continuations begin with, and the run of it."""
    trace = next(branch.steps[0].trace for branch in tree.branches if branch.steps)
    source = trace.tokens[trace.spec.stacks[0].name]
    return trace, " ".join((source.text or "".join(source.pieces)).split())


def _prompt(tree: Tree, high: float) -> Box:
    """What all continuations begin with: the end of the text, or the text to be translated."""
    trace, text = _source(tree)
    most = _letters(high, 0)
    shown = text
    if len(text) > most and trace.spec.encoder is None:
        shown = "…" + text[1 - most :]
    elif len(text) > most:
        shown = text[: most - 1] + "…"
    return Box(
        key="prompt",
        text=shown,
        x=0,
        y=0,
        width=WIDTH,
        height=high,
        kind="plain",
        note=f"what all continuations begin with: “{text}”",
    )


def _box(
    options: ViewOptions, number: int, stretch: Stretch, row: int, high: float, current: bool
) -> Box:
    tree = options.tree
    steps = tree.branches[stretch.branch].steps[stretch.start : stretch.end]
    written = _written(tree.branches[stretch.branch].steps, stretch, options)
    by = how(tree.branches[stretch.branch].choice)
    name = f"branch {stretch.branch + 1}" + (f", {by}" if by else "")
    sure = sum(math.log(max(step.probability, 1e-45)) for step in steps)
    places = f"step {stretch.start + 1}"
    if len(steps) > 1:
        places = f"steps {stretch.start + 1}–{stretch.end}"
    shown = _short(written, _letters(high, 1))
    return Box(
        key=f"stretch{number}",
        # The number first: where there is little room, the end is what is cut.
        text=f"{shown}\nlog P {signed(sure)}{' · ' + by if by else ''}",
        x=(stretch.column + 1) * (WIDTH + GAP_X),
        y=row * (high + GAP_Y),
        width=WIDTH,
        height=high,
        kind="selected" if current else "embedding",
        note=f"{name}, {places}: “{written}” · log-probability {signed(sure)}",
        picks=(("branch", stretch.branch), ("step", stretch.end - 1)),
    )


def _written(steps: tuple[Step, ...], stretch: Stretch, options: ViewOptions) -> str:
    """The text that these steps added; a character not yet whole counts with the one it ends in."""
    before = len(steps[stretch.start - 1].text) if stretch.start else 0
    written = steps[stretch.end - 1].text[before:]
    mine = steps[stretch.start : stretch.end]
    return written or "".join(options.pieces(step.token) for step in mine)


def _short(written: str, most: int) -> str:
    shown = written.strip() or repr(written)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def _arrow(
    found: tuple[Stretch, ...], stretch: Stretch, rows: dict[int, int], high: float
) -> Arrow:
    from_row = 0 if stretch.parent is None else rows[found[stretch.parent].branch]
    x = stretch.column * (WIDTH + GAP_X) + WIDTH
    y = from_row * (high + GAP_Y) + high / 2
    to_y = rows[stretch.branch] * (high + GAP_Y) + high / 2
    middle = x + GAP_X / 2
    bend = ((middle, y), (middle, to_y)) if to_y != y else ()
    return Arrow(points=((x, y), *bend, (x + GAP_X, to_y)))


VIEW = View(
    key="branches",
    title="Branches",
    summary="The continuations that were tried, as a tree; click one to go back to it",
    group="decoding",
    order=20,
    draw=draw,
    looks=frozenset(),
)
