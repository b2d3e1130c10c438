"""What two runs predict, side by side, and how far apart that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from app.figure import Axis, Cell, Panel, WordGrid, Words
from app.selection import Selection
from app.views import ViewOptions
from app.views._bars import narrowed_by
from app.views._focus import answer_position, first_choice, no_prediction, pinned_answer
from app.views._growth import OPEN, OWN
from app.views._judged import Judged, alone, judged, score
from app.views._ruled import narrows
from app.views._tokens import token_name
from app.views._vectors import plain
from core.analysis.divergence import divergence_bits

if TYPE_CHECKING:
    from torch import Tensor

    from core.trace import Trace

MOST = 6
"""So many of the likeliest tokens of either run; a label of a classifier may be one of twice so
many."""
KL = "KL(kept ‖ this run)"
SHORT = {"classes": "class", "pair": "pair"}
ROUNDING = 1e-9
"""Bits that equal runs may be apart: their logits then differ by some 1e-5, as `float32` does."""


def predictions(
    trace: Trace, other: Trace, selection: Selection, options: ViewOptions
) -> tuple[tuple[Panel, ...], str]:
    """Tables of both, of the vocabulary or of the heads that judge the text where there is none;
    and in sentences how far apart they are, and what heads beside a vocabulary judge."""
    found = [
        (one, before)
        for one in judged(trace, options)
        for before in judged(other, options)
        if one.head == before.head
    ]
    unjudged = _unjudged(trace, other)
    if trace.spec.heads.vocab is not None:
        table, bits = _vocabulary(trace, other, selection, options)
        beside = [_likeliest(one, before) for one, before in found if one.logits is not None]
        of = "" if beside else " of the predictions"  # one line holds both
        return (table,), f"{KL}{of} = {'; '.join([_bits(bits), *beside])}."
    if not found:
        text = unjudged or no_prediction(trace, options)
        return (Words(title="Predictions", text=text),), ""
    apart = [
        f"{_bits(_divergence(before.logits, one.logits))} of “{one.title}”"
        for one, before in found
        if one.logits is not None and before.logits is not None
    ]
    tables = tuple(_judgement(one, before, trace, other) for one, before in found)
    said = [f"{KL} = {', '.join(apart)}."] if apart else []
    return tables, " ".join([*said, *[unjudged] * bool(unjudged)])


def _likeliest(one: Judged, before: Judged) -> str:
    """What a head judges in both runs, in few words: the table beside it is the vocabulary's."""
    kept, own = (
        f"“{run.labels[place]}” {run.values[place]:.3f}"
        for run in (before, one)
        for place in (max(range(len(run.values)), key=run.values.__getitem__),)
    )
    return f"{SHORT.get(one.head, one.title)}: kept {kept}, this run {own}"


def _unjudged(trace: Trace, other: Trace) -> str:
    """Why the sentence pair is not judged in both runs; empty where it is or no head judges it."""
    pair, here, there = trace.spec.heads.pair, alone(trace), alone(other)
    if pair is None or here == there:
        return here
    which = "this run" if here else "the kept run"
    return f"“{pair.question}” is not compared: {which} has no second sentence."


def _vocabulary(
    trace: Trace, other: Trace, selection: Selection, options: ViewOptions
) -> tuple[WordGrid, float]:
    """The likeliest tokens of either run at one position, as `filters.top` ranks them."""
    from core.decoding.filters import of_token, top
    from core.request import Sampling

    # Those of the model itself: what sampling cuts from one would be infinitely far.
    sampling = Sampling()
    position, before = _positions(trace, other, selection, options)
    runs = other.logits_at(before)[0], trace.logits_at(position)[0]
    listed = [c.token for logits in runs for c in top(logits, sampling, min(MOST, options.top))]
    asked = [token for token in options.asked if token < runs[0].shape[-1]]
    tokens = list(dict.fromkeys([*listed, *asked]))
    found = {t: [of_token(logits, sampling, t) for logits in runs] for t in tokens}
    tokens.sort(key=lambda t: -max(candidate.probability for candidate, _ in found[t]))
    narrowed = narrowed_by(options.sampling, penalised=trace.spec.decoder is not None)
    # The table is of the model itself, lists of one run are of what its checkpoint lets come next.
    ruled = narrows(other, before, runs[0]) or narrows(trace, position, runs[1], options.step)
    table = _table(
        _where(trace, other, position, before, options) + (OWN if narrowed else OPEN * ruled),
        Axis(
            title="Candidate",
            labels=tuple(options.pieces(token) for token in tokens),
            numbers=tuple(tokens),
            spoken=tuple(f"“{options.pieces(token)}”" for token in tokens),
        ),
        [[candidate.probability for candidate, _ in found[token]] for token in tokens],
        [[f"rank {rank:,}" for _, rank in found[token]] for token in tokens],
    )
    return table, _divergence(*runs)


def _positions(
    trace: Trace, other: Trace, selection: Selection, options: ViewOptions
) -> tuple[int, int]:
    """The position of this run that predicts, and that of the kept one: the pinned one where both
    have it, else the one that every view begins with."""
    stack = trace.spec.main_stack.name
    padding = other.tokens[stack].padding
    # A step's own query is pinned by nobody.
    pinned = pinned_answer(trace, selection, replace(options, step=None))
    there = pinned is not None and pinned < len(padding) and not padding[pinned]
    return (
        answer_position(trace, selection, options),
        pinned if there and pinned is not None else first_choice(other, stack),
    )


def _where(trace: Trace, other: Trace, position: int, before: int, options: ViewOptions) -> str:
    stack = trace.spec.main_stack.name
    place = "In place of" if trace.spec.architecture == "encoder" else "After"
    here, there = (
        token_name(trace, stack, position, options),
        token_name(other, stack, before, options),
    )
    return f"{place} {here}" if here == there else f"{place} {there} kept, {here} in this run"


def _judgement(one: Judged, before: Judged, trace: Trace, other: Trace) -> Panel:
    """A column a label; of the head that judges each token, a column a token."""
    places: Sequence[int] = range(len(one.values))
    number = False
    if one.head == "replaced":
        here, there = (t.tokens["encoder"] for t in (trace, other))
        if (here.ids, here.padding) != (there.ids, there.padding):
            text = "The tokens of the two runs are not the same, so none is judged in both."
            return Words(title=one.title, text=text)
        places = [i for i in places if not here.padding[i]]
        number = True
    elif one.head == "classes" and not one.scores:
        larger = [max(pair) for pair in zip(one.values, before.values, strict=True)]
        places = sorted(places, key=lambda i: -larger[i])[: 2 * MOST]
    names = tuple(one.labels[i] for i in places)
    return _table(
        one.title,
        Axis(
            title="Token" if number else "Label",
            labels=names,
            numbers=tuple(places),
            spoken=() if number else tuple(f"“{name}”" for name in names),
        ),
        [[before.values[i], one.values[i]] for i in places],
        scores=one.scores,
    )


def _table(
    title: str,
    columns: Axis,
    values: Sequence[Sequence[float]],
    notes: Sequence[Sequence[str]] = (),
    *,
    scores: bool = False,
) -> WordGrid:
    """values: of each column that of the kept run and that of this one."""

    def cell(value: float, note: str = "") -> Cell:
        text = score(value) if scores else f"{value:.4f}"
        return Cell(text=text, strength=None if scores else value, value=value, note=note)

    said = notes or [("", "")] * len(values)
    runs = [
        [cell(pair[run], note[run]) for pair, note in zip(values, said, strict=True)]
        for run in (0, 1)
    ]
    changes = [pair[1] - pair[0] for pair in values]
    texts = [f"{change:+z.4f}".replace("-", "−") for change in changes]
    changed = [
        Cell(text=text, strength=None, value=change)
        for text, change in zip(texts, changes, strict=True)
    ]
    return WordGrid(
        title=title,
        cells=tuple(tuple(row) for row in (*runs, changed)),
        rows=Axis(
            title="Score" if scores else "Probability",
            labels=("kept", "this run", "change"),
            spoken=("kept", "this run", "this run − kept"),
        ),
        columns=columns,
    )


def _divergence(before: Tensor | None, after: Tensor | None) -> float:
    assert before is not None and after is not None
    return float(divergence_bits(before, after))


def _bits(value: float) -> str:
    if not math.isfinite(value):
        return "∞ bits" if value > 0 else "no number"
    if abs(value) < ROUNDING:
        return "0 bits"
    return f"{plain(value)} bits"
