"""Compare texts: the same word in different company, and the texts as a whole, by layer."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from app.figure import Curve, Curves, Figure, Floats, Heatmap
from app.selection import Selection
from app.views import View, ViewOptions, _kept
from app.views._readings import unlike
from app.views._tokens import (
    empty,
    labels,
    layer_rows,
    no_stack,
    pinned_query,
    token_axis,
    token_name,
)
from core.analysis.comparison import sentence_vector, shared_tokens, words
from core.analysis.states import cosine, norms

if TYPE_CHECKING:
    from core.trace import Trace

MOST_WORDS, MOST_PLACES = 8, 3
NOTE = (
    "Cosine of two states: 1 in the same direction, 0 at right angles. Lines: the same word in"
    " either text, and the texts' mean states, whose cosine is no mean of the lines."
)
BRIEF = "Cosine of two states: 1 in the same direction, 0 at right angles."
"""Where there is more to be said of the texts than of the picture."""
HINT = "Pin a word to follow it alone, in all texts kept."
MEAN = "the texts' mean states"
"""Not the mean of the lines: the cosine of two means."""


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_stack(trace.spec, selection)
    if missing is not None:
        return missing
    comparable = [kept for kept in options.kept if kept.spec == trace.spec]
    others = [kept for kept in comparable if kept is not trace]
    if comparable and not others:
        return empty(
            "Compare texts",
            "This text is kept. Now type another one: words that both have, and the texts as a"
            " whole, are compared layer by layer.",
        )
    if not others:
        return empty(
            "Compare texts",
            "Keep this text (View, Keep the text to compare) and then type another one: words that"
            " both have, and the texts as a whole, are compared layer by layer.",
        )
    stack = trace.spec.stack(selection.stack)
    after = selection.layer + 1
    name = layer_rows(stack.layers, stack.final_norm is not None)[after]
    query = pinned_query(trace, selection, options)
    last = others[-1]
    called = _kept.names(comparable, stack.name)
    names = {other: called[other] for other in others}
    unalike = unlike(trace, others, stack.name, names.__getitem__)
    return Figure(
        title=f"{stack.name.capitalize()} states of {len(others) + 1} texts · {name}"
        f" of {stack.layers}",
        panels=(
            _map(trace, last, names[last], stack.name, after, query, options),
            _curves(trace, names, stack.name, query, options),
        ),
        # First, and without the hint: so it has room where pictures are narrow.
        note=f"{unalike} {BRIEF}" if unalike else NOTE,
        hint="" if query is not None or unalike else HINT,
        columns=2,
    )


def _map(
    trace: Trace,
    other: Trace,
    name: str,
    stack: str,
    after: int,
    query: int | None,
    options: ViewOptions,
) -> Heatmap:
    """Every token of this text against every token of the other, at one layer."""
    here, there = (t.hidden(stack)[after].numpy() for t in (trace, other))
    lengths = norms(here)[:, None] * norms(there)[None]
    values = np.divide(here @ there.T, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return Heatmap(
        title="Cosine of every two tokens",
        values=np.clip(values, -1, 1),
        rows=token_axis("Token of this text", trace, stack, options),
        columns=token_axis(f"Token of “{name}”", other, stack, options),
        limits=(-1.0, 1.0),
        scale="diverging",
        row=query,
        value_name="cosine",
        picks=("query", None),
    )


def _curves(
    trace: Trace, others: dict[Trace, str], stack: str, query: int | None, options: ViewOptions
) -> Curves:
    """The pinned word wherever it stands in the kept texts, or all shared words of the last; and
    the mean state of each text's words against this text's."""
    if query is not None:
        words = _pinned_word(trace, others, stack, query)
        name = token_name(trace, stack, query, options)
        title = f"{name} by layer" if words else f"{name} is in no other text"
    else:
        words = _shared_words(trace, list(others)[-1], stack, options)
        title = "Shared words by layer" if words else "No word is shared"
    curves = [*words, *_means(trace, others, stack, emphasised=query is None)]
    low = min(float(curve.y.min()) for curve in curves)
    return Curves(
        title=title,
        curves=tuple(curves),
        x_title="Layer",
        y_title="Cosine",
        x_labels=("emb", *(str(i + 1) for i in range(len(curves[0].y) - 1))),
        # Texts that differ by a word are alike throughout: from 0 on, all would be one line.
        y_limits=(-1.0 if low < 0 else min(0.9, float(np.floor(10 * low)) / 10), 1.0),
    )


def _pinned_word(trace: Trace, others: dict[Trace, str], stack: str, query: int) -> list[Curve]:
    here = trace.hidden(stack).numpy()
    token = trace.tokens[stack].ids[query]
    curves = []
    for other, short in others.items():
        places = [i for i in words(other.tokens[stack]) if other.tokens[stack].ids[i] == token]
        for place in places[:MOST_PLACES]:
            name = f"{short} ({place})" if places[1:] else short
            y = cosine(here[:, query], other.hidden(stack)[:, place].numpy())
            curves.append(_curve(name, y, emphasised=True))
    return curves


def _shared_words(trace: Trace, other: Trace, stack: str, options: ViewOptions) -> list[Curve]:
    here, there = (t.hidden(stack).numpy() for t in (trace, other))
    names = labels(trace.tokens[stack], options.raw_labels)
    pairs = shared_tokens(trace.tokens[stack], other.tokens[stack])[:MOST_WORDS]
    shared = [names[i] for i, _ in pairs]
    often = Counter(shared)
    return [
        _curve(f"{name} ({i})" if often[name] > 1 else name, cosine(here[:, i], there[:, j]))
        for (i, j), name in zip(pairs, shared, strict=True)
    ]


def _means(trace: Trace, others: dict[Trace, str], stack: str, *, emphasised: bool) -> list[Curve]:
    here = sentence_vector(trace.hidden(stack).numpy(), trace.tokens[stack])
    last = list(others)[-1]
    return [
        _curve(
            MEAN if len(others) == 1 else f"mean state: {name}",
            cosine(here, sentence_vector(other.hidden(stack).numpy(), other.tokens[stack])),
            emphasised=emphasised and other is last,
        )
        for other, name in others.items()
    ]


def _curve(name: str, y: Floats, *, emphasised: bool = False) -> Curve:
    return Curve(name=name, x=np.arange(len(y), dtype=np.float32), y=y, emphasised=emphasised)


VIEW = View(
    key="compare",
    title="Compare texts",
    summary="The same word in different texts, and the texts as a whole, layer by layer",
    group="states",
    order=50,
    draw=draw,
    looks=frozenset({"site", "layer"}),
)
