"""Predictions: what the heads on top say: masked words, the next token, sentence pair, classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.figure import Bar, Bars, Figure, Panel, Words
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._bars import ALLOWED, never_filled, vocabulary_bars
from app.views._focus import no_prediction
from app.views._growth import MOST_STRIPS, followed, strips
from app.views._judged import Judged, alone, judged, score, sees_itself
from app.views._ruled import allowed
from app.views._searched import heeded, search_of, weighing
from app.views._tokens import labels, last_position, pinned, token_name
from core.analysis.lens import growth, growth_key
from core.progress import part

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.spec import ClassHead
    from core.trace import Trace

MOST_LISTS = 12
MOST_TOKENS = 40
GROWTH = "Layer by layer: what each layer's state would already predict."


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    title, panels, note = _lists(trace, selection, options)
    lists = [] if options.compact else followed(panels)
    sentence = _sentence(trace, options)
    ruled = any(isinstance(panel, Bars) and panel.value_name == ALLOWED for panel in panels)
    grown = strips(trace, lists, selection, heeded(options), ruled=ruled)
    unlisted = bool(sentence) and not any(isinstance(panel, Bars) for panel in panels)
    if unlisted and options.compact and trace.spec.heads.vocab is not None:
        # In a narrow dock the reason why there is no list would take all the room there is.
        panels, note = sentence, _no_mask(trace, options)
    elif unlisted:
        panels = [*sentence, *panels]
    elif len(lists) == len(grown):  # each below or beside its list
        panels += [*grown, *sentence]
    else:
        panels += [*sentence, *grown]
    bars = sum(isinstance(panel, Bars) for panel in panels)
    columns = 2 if bars == 4 else min(3, max(1, bars))
    if 0 < len(lists) <= MOST_STRIPS:
        columns = max(2, len(lists))
    return Figure(
        title=title,
        panels=tuple(panels),
        note=" ".join(said for said in (note, *_remarks(trace, grown, options)) if said),
        columns=columns,
        wide_last=unlisted or len(lists) > MOST_STRIPS,
    )


def _remarks(trace: Trace, grown: list[Panel], options: ViewOptions) -> tuple[str, ...]:
    """A narrow dock has no room for more than what can be done there."""
    return (GROWTH if grown else "", "" if options.compact else alone(trace))


def prepare(
    trace: Trace, selection: Selection, options: ViewOptions, should_stop: ShouldStop | None
) -> None:
    lists = followed(_lists(trace, selection, options)[1])
    for number, (place, tokens) in enumerate(lists):
        watch = part(should_stop, number / len(lists), (number + 1) / len(lists))
        growth(trace, place, tokens, watch)


def ready(trace: Trace, selection: Selection, options: ViewOptions) -> bool:
    lists = followed(_lists(trace, selection, options)[1])
    return all(trace.remembers(growth_key(place, tokens)) for place, tokens in lists)


def _lists(
    trace: Trace, selection: Selection, options: ViewOptions
) -> tuple[str, list[Panel], str]:
    """Title, the lists over the vocabulary or why there is none, and note."""
    if trace.spec.architecture == "encoder":
        return _masked_words(trace, selection, options)
    return _next_token(trace, selection, options)


def _masked_words(
    trace: Trace, selection: Selection, options: ViewOptions
) -> tuple[str, list[Panel], str]:
    """One list for every mask, and one for a pinned token."""
    title = "What the encoder predicts"
    if trace.spec.heads.vocab is None:
        return title, [_missing("Masked words", trace, options)], ""
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
            f"Mask at {_where(place, tokens.positions[place])}"
            if place in masked
            else f"In place of {token_name(trace, 'encoder', place, options)}"
        )
        fill = options.fill
        chosen = fill.token if fill is not None and fill.position == place else None
        bars = vocabulary_bars(what, logits, options, chosen=chosen, position=place)
        panels.append(never_filled(bars, mask) if place in masked else bars)
    note = ""
    if len(masked) > MOST_LISTS:
        note = f"The first {MOST_LISTS} of {len(masked)} masked positions; pin another to see it."
    return title, panels, note


def _where(index: int, position: int | None) -> str:
    """The position first, so that a narrow panel's heading does not lose it."""
    return f"position {position}" if index == position else f"position {position} (index {index})"


def _no_mask(trace: Trace, options: ViewOptions) -> str:
    mask = trace.spec.special.mask
    if mask is None:
        return f"{trace.spec.name} has no mask token; pin a token to see what would fit there."
    return (
        f"There is no {options.pieces(mask)} in the text: click a word to mask it, "
        "or pin one to see what would fit there."
    )


def _next_token(
    trace: Trace, selection: Selection, options: ViewOptions
) -> tuple[str, list[Panel], str]:
    """The distribution after the pinned decoder position, or after the last one; on a hypothesis
    of a beam search as the search weighs it."""
    target = trace.spec.architecture == "encoder-decoder"
    title = "Next target token" if target else "Next token"
    if trace.spec.heads.vocab is None:
        return title, [_missing(title, trace, options)], ""
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
    from core.decoding import rules

    logits, search = trace.logits_at(place)[0], search_of(options)
    if search is not None:
        logits = search.weighed(logits)
        note = f"{note} {weighing(search, options)}".strip()
    past = rules.past(trace, 0 if options.step is None else options.step.index, place + 1)
    bars = vocabulary_bars(
        f"After {token_name(trace, 'decoder', place, options)}",
        logits,
        heeded(options),
        chosen=chosen,
        position=place,
        seen=past.read,
        allowed=allowed(trace, logits, past, options.step if place == last else None),
    )
    return title, [bars], note


def _sentence(trace: Trace, options: ViewOptions) -> list[Panel]:
    """The heads that judge the whole text, those that the checkpoint holds."""
    return [_judgement(one, trace, options) for one in judged(trace, options)]


def _judgement(one: Judged, trace: Trace, options: ViewOptions) -> Panel:
    if one.head == "replaced":
        return _replaced(one, trace)
    head = trace.spec.heads.classes if one.head == "classes" else None
    if head is None or (head.of == "first" and trace.spec.encoder is not None):
        remark = _not_special(trace, options)
    else:
        remark = _not_last(trace, head, options)
    remark = f"{remark} {sees_itself(trace, options)}".strip()
    if one.scores:
        lines = [f"{name}: {score(v)}" for name, v in zip(one.labels, one.values, strict=True)]
        return Words(title=one.title, text="\n".join([*lines, *[remark] * bool(remark)]))
    places: Iterable[int] = range(len(one.values))
    if head is not None:
        places = sorted(places, key=lambda i: -one.values[i])
    each = "" if one.logits is not None else "Each class on its own (sigmoid): no sum of 1."
    return Bars(
        title=one.title,
        bars=tuple(Bar(label=one.labels[i], value=one.values[i]) for i in places),
        note=" ".join(said for said in (each, remark) if said),
    )


def _not_special(trace: Trace, options: ViewOptions) -> str:
    """What to say where the position that these heads read is a word; empty where all is well."""
    tokens = trace.tokens["encoder"]
    first = tokens.padding.index(False) if False in tokens.padding else 0
    if tokens.special[first]:
        return ""
    name = labels(tokens, options.raw_labels)[first]
    where = f"the first position that is no padding, {first}" if first else "the first position"
    return f"It reads {where}, which is “{name}” now, not a special token."


def _not_last(trace: Trace, head: ClassHead, options: ViewOptions) -> str:
    """What to say where the text ends with padding tokens that stand in it as tokens, and the
    classes of its last one are read before them; empty elsewhere."""
    tokens = trace.tokens[trace.spec.main_stack.name]
    place = head.place(tokens.ids, tokens.padding)
    if head.of != "last" or all(tokens.padding[place + 1 :]):
        return ""
    if tokens.ids[place] == head.pad:
        return "It reads the first token, as all are the padding token."
    name = labels(tokens, options.raw_labels)[place]
    return f"It reads “{name}”, the last token that is not the padding token."


def _replaced(one: Judged, trace: Trace) -> Bars:
    """P(replaced) of every token, in the order of the text."""
    chances, padding = one.values, trace.tokens["encoder"].padding
    places = [i for i, hidden in enumerate(padding) if not hidden]
    note = ""
    if len(places) > MOST_TOKENS:
        note = f"The {MOST_TOKENS} likeliest of {len(places)} tokens, in the order of the text."
        places = sorted(sorted(places, key=lambda i: -chances[i])[:MOST_TOKENS])
    return Bars(
        title=one.title,
        bars=tuple(Bar(label=one.labels[i], value=chances[i]) for i in places),
        note=note,
    )


def _missing(title: str, trace: Trace, options: ViewOptions) -> Words:
    """Never a made-up distribution: why there is none."""
    return Words(title=title, text=no_prediction(trace, options))


VIEW = View(
    key="predictions",
    title="Predictions",
    summary="What the model expects: masked words, the next token, a sentence pair, classes",
    group="predictions",
    order=10,
    draw=draw,
    looks=frozenset({"site", "layer"}),
    prepare=prepare,
    ready=ready,
)
