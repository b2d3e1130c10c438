"""Predictions: what the heads on top say: masked words, the next token, sentence pair, classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.figure import Bar, Bars, Figure, Floats, Panel, Words
from app.labels import place_words
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._bars import vocabulary_bars
from app.views._tokens import labels, last_position, pinned, token_name

if TYPE_CHECKING:
    from core.trace import Trace

MOST_LISTS = 12
MOST_TOKENS = 40


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    architecture = trace.spec.architecture
    if architecture == "encoder":
        title, panels, note = _masked_words(trace, selection, options)
    else:
        title, panels, note = _next_token(trace, selection, options)
    panels += _sentence(trace, options)
    bars = sum(isinstance(panel, Bars) for panel in panels)
    columns = 2 if bars == 4 else min(3, max(1, bars))
    return Figure(title=title, panels=tuple(panels), note=note, columns=columns)


def _masked_words(
    trace: Trace, selection: Selection, options: ViewOptions
) -> tuple[str, list[Panel], str]:
    """One list for every mask, and one for a pinned token."""
    title = "What the encoder predicts"
    if trace.spec.heads.vocab is None:
        return title, [_missing("vocab", "Masked words", trace, options)], ""
    tokens, mask = trace.tokens["encoder"], trace.spec.special.mask
    masked = [i for i, token in enumerate(tokens.ids) if mask is not None and token == mask]
    query = pinned(selection.query, len(tokens)) if selection.stack == "encoder" else None
    places = masked[:MOST_LISTS]
    if query is not None and query not in places:
        places = [query, *places]
    if not places:
        return title, [Words(title="Masked words", text=_no_mask(trace, options))], ""
    panels: list[Panel] = []
    for place, logits in zip(places, trace.logits_at(*places), strict=True):
        what = (
            f"Masked word at {place_words(place, tokens.positions[place])}"
            if place in masked
            else f"In place of {token_name(trace, 'encoder', place, options)}"
        )
        fill = options.fill
        chosen = fill.token if fill is not None and fill.position == place else None
        panels.append(vocabulary_bars(what, logits, options, chosen=chosen, position=place))
    note = ""
    if len(masked) > MOST_LISTS:
        note = f"The first {MOST_LISTS} of {len(masked)} masked positions; pin another to see it."
    return title, panels, note


def _no_mask(trace: Trace, options: ViewOptions) -> str:
    mask = trace.spec.special.mask
    if mask is None:
        return f"{trace.spec.name} has no mask token; pin a token to see what would fit there."
    return (
        f"There is no {options.pieces(mask)} in the text: mask a word by clicking it, "
        "or pin a token to see what would fit in its place."
    )


def _next_token(
    trace: Trace, selection: Selection, options: ViewOptions
) -> tuple[str, list[Panel], str]:
    """The distribution after the pinned decoder position, or after the last one."""
    target = trace.spec.architecture == "encoder-decoder"
    title = "Next target token" if target else "Next token"
    if trace.spec.heads.vocab is None:
        return title, [_missing("vocab", title, trace, options)], ""
    tokens = trace.tokens["decoder"]
    query = pinned(selection.query, len(tokens)) if selection.stack == "decoder" else None
    last = last_position(trace, "decoder")
    place = last if query is None else query
    chosen = options.step.token if options.step is not None and place == last else None
    if place < last:
        note = f"The text goes on with {token_name(trace, 'decoder', place + 1, options)}."
    elif chosen is not None:
        note = f"Decoding took “{options.pieces(chosen)}”."
    else:
        note = ""
    after = f"After {token_name(trace, 'decoder', place, options)}"
    bars = vocabulary_bars(
        after,
        trace.logits_at(place)[0],
        options,
        chosen=chosen,
        position=place,
        seen=tokens.ids[: place + 1],
    )
    return title, [bars], note


def _sentence(trace: Trace, options: ViewOptions) -> list[Panel]:
    """The heads that judge the whole text, those that the checkpoint holds."""
    heads, spec = trace.sentence_heads, trace.spec.heads
    panels: list[Panel] = []
    if spec.pair is not None:
        panels.append(_pair(heads["pair"].numpy(), 1 in trace.tokens["encoder"].sequence))
    if spec.classes is not None:
        panels.append(_classes(heads["classes"].numpy(), spec.classes.labels))
    if spec.replaced is not None:
        panels.append(_replaced(heads["replaced"].numpy(), trace, options))
    return panels


def _pair(logits: Floats, has_pair: bool) -> Bars:
    follows, random = softmax(logits)
    return Bars(
        title="Does B follow A?",
        bars=(Bar(label="B follows A", value=follows), Bar(label="B is random", value=random)),
        note="" if has_pair else "There is no second sentence, so this says nothing yet.",
    )


def _classes(logits: Floats, names: tuple[str, ...]) -> Bars:
    chances = softmax(logits)
    order = np.argsort(-np.asarray(chances), kind="stable").tolist()
    return Bars(
        title="Class of the text",
        bars=tuple(Bar(label=names[i], value=chances[i]) for i in order),
    )


def _replaced(logits: Floats, trace: Trace, options: ViewOptions) -> Bars:
    """P(replaced) of every token, in the order of the text."""
    tokens = trace.tokens["encoder"]
    chances = 1 / (1 + np.exp(-logits.astype(np.float64)))
    places = [i for i, padding in enumerate(tokens.padding) if not padding]
    note = ""
    if len(places) > MOST_TOKENS:
        note = f"The {MOST_TOKENS} likeliest of {len(places)} tokens, in the order of the text."
        places = sorted(sorted(places, key=lambda i: -chances[i])[:MOST_TOKENS])
    names = labels(tokens, options.raw_labels)
    return Bars(
        title="Was this token replaced?",
        bars=tuple(Bar(label=names[i], value=float(chances[i])) for i in places),
        note=note,
    )


def _missing(head: str, title: str, trace: Trace, options: ViewOptions) -> Words:
    """Never a made-up distribution: why there is none."""
    reason = options.missing.get(head, f"{trace.spec.name} has no output over the vocabulary.")
    return Words(title=title, text=reason)


def softmax(logits: Floats) -> tuple[float, ...]:
    powers = np.exp(logits.astype(np.float64) - logits.max())
    return tuple((powers / powers.sum()).tolist())


VIEW = View(
    key="predictions",
    title="Predictions",
    summary="What the model expects: masked words, the next token, a sentence pair, classes",
    group="predictions",
    order=10,
    draw=draw,
    wants=frozenset({"logits.last", "logits.masked", "heads"}),
)
