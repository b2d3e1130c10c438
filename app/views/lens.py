"""Lens: what every layer would already predict, read through the model's own output heads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.counting import counted
from app.figure import Axis, Cell, Curve, Curves, Figure, Floats, Panel, WordGrid
from app.labels import place_words
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._focus import answer_position, pinned_answer
from app.views._judged import alone, judged_place, sees_itself
from app.views._tokens import after_layers, empty, token_axis
from core.analysis.classes import class_values
from core.analysis.lens import Lens, key, lens

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.trace import Trace

MOST_POSITIONS = 24
"""A projection to the vocabulary at each layer and position is dear, and words need width."""
LIKELIEST = "1 is the likeliest token"
DIVERGENCE = "how far this layer's whole distribution is from the final one"
MOST_BELOW = 8  # layers: with more, what goes with the grid of words stands beside it


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    """The grid of words; beside it the story of the pinned token."""
    stack = trace.spec.main_stack
    title = f"{stack.name.capitalize()} lens · {counted(stack.layers, 'layer')}"
    focus = answer_position(trace, selection, options)
    chosen = pinned_answer(trace, selection, options) is not None
    of_sentence = _sentence(trace)
    judged, at_judged = _judged(trace), focus == judged_place(trace)
    panels: list[Panel] = []
    notes, hints = [], []
    if trace.spec.heads.vocab is not None:
        places = _places(trace, focus)
        found = lens(trace, places)
        panels.append(_words(found, places, focus, trace, options))
        if not (chosen and at_judged and of_sentence):
            panels.append(_numbers(found, places.index(focus), focus, trace, options))
            if stack.layers > MOST_BELOW:  # of few layers the numbers say it all, in less height
                panels.append(_certainty(found, places.index(focus), focus, trace, options))
        if len(places) < len(trace.tokens[stack.name]):
            notes.append(f"Positions {places[0]} to {places[-1]}.")
            hints.append("Pin another to move there.")
        if not chosen:
            hints.append("Pin a token to follow another answer through the layers.")
    if not panels or (chosen and at_judged):
        panels += of_sentence
        notes += [sees_itself(trace, options)] if of_sentence else []
    elif of_sentence:
        hints.append(f"Pin the {judged} to see what it says of the whole text.")
    if not panels:
        none = f"{trace.spec.name} has no output head to look with."
        reason = alone(trace) or options.missing.get("vocab", none)
        return empty(title, reason)
    if stack.final_norm is not None:
        notes.append("Every layer is read through the final norm.")
    # Words need width: with few layers there is room for the numbers below them.
    curves = sum(isinstance(panel, Curves) for panel in panels)
    beside = curves > 1 or (len(panels) > 1 and stack.layers > MOST_BELOW)
    if beside and any(isinstance(panel, WordGrid) for panel in panels[1:]):
        panels.append(panels.pop(1))  # the numbers of all layers, across the page
    return Figure(
        title=title,
        panels=tuple(panels),
        note=" ".join(filter(None, notes)),
        hint=" ".join(hints),
        columns=2 if beside else 1,
        weights=(3, 2) if beside else (),
        wide_last=True,
    )


def prepare(
    trace: Trace, selection: Selection, options: ViewOptions, should_stop: ShouldStop | None
) -> None:
    if trace.spec.heads.vocab is not None:
        lens(trace, _places(trace, answer_position(trace, selection, options)), should_stop)


def ready(trace: Trace, selection: Selection, options: ViewOptions) -> bool:
    if trace.spec.heads.vocab is None:
        return True
    return trace.remembers(key(_places(trace, answer_position(trace, selection, options))))


def _places(trace: Trace, focus: int) -> list[int]:
    """All positions of a short text; of a long one, the page that holds the focus."""
    length = len(trace.tokens[trace.spec.main_stack.name])
    if length <= MOST_POSITIONS:
        return list(range(length))
    start = min(focus // MOST_POSITIONS * MOST_POSITIONS, length - MOST_POSITIONS)
    return list(range(start, start + MOST_POSITIONS))


def _words(
    found: Lens, places: list[int], focus: int, trace: Trace, options: ViewOptions
) -> WordGrid:
    stack = trace.spec.main_stack
    tokens = token_axis(_reads(trace), trace, stack.name, options)
    first = places[0]
    return WordGrid(
        title="Likeliest token at every layer",
        cells=tuple(
            tuple(_cell(found, row, column, options) for column in range(len(places)))
            for row in range(len(found.top))
        ),
        rows=after_layers(stack.layers, final_norm=False),  # no row is read without it
        columns=Axis(
            title=tokens.title,
            labels=tokens.labels[first : places[-1] + 1],
            marks=tuple((i - first, kind) for i, kind in tokens.marks if i in places),
            numbers=tuple(places),
        ),
        picks=(None, "query"),
        column=places.index(focus),
        value_name="probability",
    )


def _reads(trace: Trace) -> str:
    return (
        "Token (in its place)" if trace.spec.architecture == "encoder" else "Token (what follows)"
    )


def _cell(found: Lens, row: int, column: int, options: ViewOptions) -> Cell:
    probability = float(found.probability[row, column])
    note = f"probability {probability:.4f}"
    if row < len(found.top) - 1:
        answer = options.pieces(int(found.top[-1, column]))
        note += (
            f" · the final answer “{answer}” ranks {found.rank[row, column]}"
            f" with {found.final[row, column]:.4f}"
            f" · KL to the final distribution {found.divergence[row, column]:z.2f} bits"
        )
    return Cell(text=options.pieces(int(found.top[row, column])), strength=probability, note=note)


def _numbers(found: Lens, column: int, focus: int, trace: Trace, options: ViewOptions) -> WordGrid:
    """What each layer makes of the final answer at one position: a row a number."""
    rows = {
        "probability": [_number(p, ".3f", p) for p in found.final[:, column].tolist()],
        "rank": [_number(r, ",d", None, LIKELIEST) for r in found.rank[:, column].tolist()],
        "KL, bits": [
            _number(bits, "z.2f", None, DIVERGENCE) for bits in found.divergence[:, column].tolist()
        ],
    }
    layers = trace.spec.main_stack.layers
    return WordGrid(
        title=f"{_answer(found, column, focus, trace, options)}, layer by layer",
        cells=tuple(tuple(row) for row in rows.values()),
        rows=Axis(title="", labels=tuple(rows)),
        columns=Axis(title="After layer", labels=("emb", *(str(i + 1) for i in range(layers)))),
    )


def _number(value: float, form: str, strength: float | None, note: str = "") -> Cell:
    return Cell(text=format(value, form), strength=strength, value=value, note=note)


def _answer(found: Lens, column: int, focus: int, trace: Trace, options: ViewOptions) -> str:
    place = place_words(focus, trace.tokens[trace.spec.main_stack.name].positions[focus])
    return f"The answer “{options.pieces(int(found.top[-1, column]))}” at {place}"


def _certainty(found: Lens, column: int, focus: int, trace: Trace, options: ViewOptions) -> Curves:
    """How the final answer wins at one position."""
    answer = options.pieces(int(found.top[-1, column]))
    return _curves(
        _answer(found, column, focus, trace, options),
        [
            (f"“{answer}”, the answer", found.final[:, column]),
            ("the layer's own best", found.probability[:, column]),
        ],
        0,
    )


def _judged(trace: Trace) -> str:
    """The token whose states the head of the whole text reads; of a mean, the first stands."""
    classes = trace.spec.heads.classes
    if classes is None or classes.of != "last":
        return "first token"
    tokens, place = trace.tokens[trace.spec.main_stack.name], judged_place(trace)
    if all(tokens.padding[place + 1 :]):
        return "last token"
    of_padding_alone = tokens.ids[place] == classes.pad
    return "first token" if of_padding_alone else "last token that is not the padding token"


def _sentence(trace: Trace) -> list[Panel]:
    """The states of every layer through the heads that judge the whole text."""
    spec, stack = trace.spec, trace.spec.main_stack
    classes, pair = spec.heads.classes, None if alone(trace) else spec.heads.pair
    if classes is None and pair is None:
        return []
    padding = trace.tokens[stack.name].padding
    real = [i for i, padded in enumerate(padding) if not padded]
    before = trace.derive.project_text(
        trace.hidden(stack.name)[:-1, real], normalise=True, last=real.index(judged_place(trace))
    )

    panels: list[Panel] = []
    if classes is not None:
        what = {"one": "Class", "several": "Classes", "score": "Score"}[classes.problem]
        judged = "mean of the tokens" if classes.of == "mean" else _judged(trace)
        title = f"{what} of the text, from the {judged} of each layer"
        rows = (*before["classes"].cpu().float(), trace.sentence_heads["classes"])
        values = np.stack([class_values(classes, row).numpy() for row in rows])
        panels.append(_lines(title, classes.labels, values, score=classes.problem == "score"))
    if pair is not None:
        title = f"{pair.question} From the first token of each layer"
        rows = (*before["pair"].cpu().float(), trace.sentence_heads["pair"])
        values = np.stack([row.softmax(-1).numpy() for row in rows])
        panels.append(_lines(title, pair.labels, values))
    return panels


def _lines(title: str, names: tuple[str, ...], values: Floats, *, score: bool = False) -> Curves:
    """values: [layer + 1, name]."""
    lines = [(name, values[:, i]) for i, name in enumerate(names)]
    return _curves(title, lines, int(values[-1].argmax()), score=score)


def _curves(
    title: str, lines: list[tuple[str, Floats]], answer: int, *, score: bool = False
) -> Curves:
    """Probabilities (or scores) over the layers; the line of the model's answer stands out."""
    layers = len(lines[0][1]) - 1
    x = np.arange(layers + 1, dtype=np.float32)
    return Curves(
        title=title,
        curves=tuple(
            Curve(name=name, x=x, y=y, emphasised=i == answer) for i, (name, y) in enumerate(lines)
        ),
        x_title="Layer",
        y_title="Score" if score else "Probability",
        x_labels=("emb", *(str(i + 1) for i in range(layers))),
        y_limits=None if score else (0.0, 1.0),
    )


VIEW = View(
    key="lens",
    title="Lens",
    summary="What every layer would already predict",
    group="predictions",
    order=20,
    draw=draw,
    looks=frozenset({"site"}),
    prepare=prepare,
    ready=ready,
)
