"""Over time: what decoding weighed at every step, and how sure it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.counting import signed
from app.figure import Axis, Cell, Curve, Curves, Figure, WordGrid
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._bars import NEVER_FILLED, RULED_OUT
from app.views._tokens import empty
from app.views._vectors import plain

if TYPE_CHECKING:
    from core.request import Candidate
    from core.trace import Trace

RANKS = 5
MOST_STEPS = 100


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    """Candidates of every step, entropy and surprise, and the log-probability of the whole."""
    title = "Probabilities over time: the likeliest tokens at each step"
    if not options.steps:
        reason = (
            "Decode a few tokens: here stands what was likely at every step."
            if trace.spec.decoder is not None
            else f"{trace.spec.name} is encoder-only: fill its masks with ▶, and here stands what "
            "was likely at every fill."
        )
        return empty(title, reason)
    steps = options.steps
    surprise = np.array([step.surprise for step in steps])
    entropy = np.array([step.entropy for step in steps])
    total = float(surprise.sum())
    return Figure(
        title=title,
        panels=(_candidates(trace, selection, options), _curves(trace, surprise, entropy, options)),
        note=(
            f"{_counted(len(steps))} log-probability {signed(-total * np.log(2))} "
            f"({total:z.2f} bits; perplexity {plain(2 ** (total / len(steps)))})."
            " Surprise: −log₂ P of the token taken; entropy: the surprise to be expected before it."
        ),
    )


def _candidates(trace: Trace, selection: Selection, options: ViewOptions) -> WordGrid:
    """Rank by step; the token taken is marked, also where it stands below the shown ranks.

    Of a long run only the steps around the one that is looked at.
    """
    steps = options.steps
    at = len(steps) - 1 if selection.step is None else min(selection.step, len(steps) - 1)
    first = max(0, min(at - MOST_STEPS // 2, len(steps) - MOST_STEPS))
    steps = steps[first : first + MOST_STEPS]
    filling = trace.spec.decoder is None
    rows = []
    ranks = min(RANKS, *(len(step.candidates) for step in steps))
    for rank in range(ranks):
        row = []
        for step in steps:
            candidate = step.candidates[rank]
            taken = candidate.token == step.token
            never = filling and candidate.ruled_out
            row.append(
                Cell(
                    text=("▸ " if taken else "") + options.pieces(candidate.token),
                    strength=0.0 if candidate.ruled_out else candidate.probability,
                    note=_note(candidate, taken, filling=filling),
                    token=None if taken or never else candidate.token,
                    action="" if taken or never else "click to take it instead",
                )
            )
        rows.append(tuple(row))
    taken_row = tuple(
        Cell(text=options.pieces(s.token), strength=s.probability, note=f"{s.probability:.4f}")
        for s in steps
    )
    names = ("taken", *(f"{rank + 1}." for rank in range(ranks)))
    return WordGrid(
        title="",
        cells=(taken_row, *rows),
        rows=Axis(title="Rank", labels=names),
        columns=Axis(
            title=_move(trace),
            labels=tuple(str(s.index + 1) for s in steps),
            numbers=tuple(range(first, first + len(steps))),
        ),
        picks=(None, "step"),
        value_name="probability",
        column=None if selection.step is None else at - first,
    )


def _move(trace: Trace) -> str:
    """Also of the text itself, before the first one."""
    return "Step" if trace.spec.decoder is not None else "Fill"


def _note(candidate: Candidate, taken: bool, *, filling: bool) -> str:
    if taken:
        return f"{candidate.probability:.4f}, taken"
    if candidate.ruled_out:
        return f"{candidate.probability:.4f}, {NEVER_FILLED if filling else RULED_OUT}"
    cut = ", cut off" if candidate.kept == 0 else ""
    return f"{candidate.probability:.4f}{cut}"


def _curves(
    trace: Trace, surprise: np.ndarray, entropy: np.ndarray, options: ViewOptions
) -> Curves:
    steps = options.steps
    at = np.arange(len(steps), dtype=np.float32)
    return Curves(
        title="Surprise and entropy",
        curves=(
            Curve(
                name="surprise of the token taken",
                x=at,
                y=surprise.astype(np.float32),
                emphasised=True,
            ),
            Curve(name="entropy before it", x=at, y=entropy.astype(np.float32)),
        ),
        x_title=_move(trace),
        y_title="bits",
        x_labels=tuple(f"{step.index + 1} {options.pieces(step.token)}" for step in steps),
        y_limits=(0.0, 1.06 * max(1e-3, float(surprise.max()), float(entropy.max()))),
    )


def _counted(tokens: int) -> str:
    return "The token has" if tokens == 1 else f"The {tokens} tokens have"


VIEW = View(
    key="over_time",
    title="Over time",
    summary="What was likely at every step of decoding, and how sure the model was",
    group="decoding",
    order=10,
    draw=draw,
    looks=frozenset(),
)
