"""Heads at a glance: what every head does on this text, and the names of those that stand out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.counting import counted
from app.figure import Axis, Bar, Bars, Cell, Figure, Floats, Panel, WordGrid, Words
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._maps import sinks_note, still_count
from app.views._tokens import ATTENTION, no_site
from core.analysis.head_kinds import KINDS, LEAST, QUERIES, HeadKinds, head_kinds, key
from core.analysis.sinks import sinks

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.trace import Trace

NAMES = {
    "self": "itself",
    "previous": "previous token",
    "next": "next token",
    "first": "first token",
    "special": "other special tokens",
    "induction": "induction",
    "offset": "fixed distance",
}
"""“Other” special tokens than the first one, which stands before them wherever they are listed."""
SHORT = {"self": "itself", "induction": "induct."}
SPECIAL = "“Special” leaves out the first token."


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_site(trace.spec, selection)
    if missing is not None:
        return missing
    found = head_kinds(trace, selection.site, drop_sinks=options.drop_sinks)
    layers, heads = found.entropy.shape
    chosen = None if selection.head is None else (selection.layer, selection.head)
    blank = unmeasured(found.entropy, trace, selection, options)
    panels: list[Panel] = [_names(found, chosen, blank)]
    if chosen is not None:
        panels.append(_profile(found, *chosen, blank))
    return Figure(
        title=f"{ATTENTION[selection.site]} · {layers} × {counted(heads, 'head')} on this text",
        panels=tuple(panels),
        note=_note(found, trace, selection, options),
    )


def prepare(
    trace: Trace, selection: Selection, options: ViewOptions, should_stop: ShouldStop | None
) -> None:
    if selection.site in trace.spec.sites:
        head_kinds(trace, selection.site, should_stop, drop_sinks=options.drop_sinks)


def ready(trace: Trace, selection: Selection, options: ViewOptions) -> bool:
    known = key(selection.site, options.drop_sinks)
    return selection.site not in trace.spec.sites or trace.remembers(known)


def unmeasured(
    entropy: Floats, trace: Trace, selection: Selection, options: ViewOptions
) -> dict[tuple[int, int], str]:
    """(layer, head) -> why it has no numbers, in a few words; entropy[layer, head]: NaN there."""
    stack = trace.spec.stack(selection.stack)
    blank: dict[tuple[int, int], str] = {}
    for layer in range(stack.layers):
        heads = np.flatnonzero(np.isnan(entropy[layer])).tolist()
        here = stack.attention(selection.part, layer).heads
        why = _nothing(trace, selection, options, layer) if heads and heads[0] < here else ""
        for head in heads:
            blank[layer, head] = why if head < here else "this layer has no such head"
    return blank


def _nothing(trace: Trace, selection: Selection, options: ViewOptions, layer: int) -> str:
    """Why heads that there are have no numbers: no key that counts is seen, or no number is one."""
    queries = trace.tokens[selection.stack]
    keys = trace.tokens["encoder"] if selection.part == "cross" else queries
    seen = trace.allowed(selection.site, layer).numpy()[~np.array(queries.padding)]
    if options.drop_sinks:
        seen = seen & ~sinks(keys, trace.spec.special.mask)
    return "the weights are no numbers" if seen.any() else "no query here sees a key that counts"


def _names(
    found: HeadKinds, chosen: tuple[int, int] | None, blank: dict[tuple[int, int], str]
) -> WordGrid:
    layers, heads = found.entropy.shape
    cells = tuple(
        tuple(_cell(found, layer, head, blank) for head in range(heads)) for layer in range(layers)
    )
    named = sum(bool(cell.text) for row in cells for cell in row)
    stand = "stands" if named == 1 else "stand"
    return WordGrid(
        title=f"{named} of {counted(layers * heads, 'head')} {stand} out",
        cells=cells,
        rows=_counted("Layer", layers),
        columns=_counted("Head", heads),
        picks=("layer", "head"),
        row=None if chosen is None else chosen[0],
        column=None if chosen is None else chosen[1],
        value_name="weight",
    )


def _note(found: HeadKinds, trace: Trace, selection: Selection, options: ViewOptions) -> str:
    named = (
        f"A head has a name where at least {LEAST:.0%} of its weight goes one way, and twice what"
        f" an even spread would give, over at least {QUERIES} tokens."
    )
    heads = (found.name(layer, head) for layer, head in np.ndindex(*found.entropy.shape))
    special = any(head is not None and head[0] == "special" for head in heads)
    short = SPECIAL if special else ""  # its cells have no room for “other”
    counts = still_count(trace, selection, options, sinks=False).strip()
    more = "Choose a head to see where its weight goes." if selection.head is None else ""
    return " ".join(part for part in (named, short, sinks_note(options), counts, more) if part)


def _cell(found: HeadKinds, layer: int, head: int, blank: dict[tuple[int, int], str]) -> Cell:
    if (layer, head) in blank:
        return Cell(text="", strength=None, note=blank[layer, head])
    named = found.name(layer, head)
    parts = [
        f"{_kind(found, kind, layer, head)} {weight:.3f}"
        for kind, weight in zip(KINDS, found.weights[:, layer, head].tolist(), strict=True)
        if not np.isnan(weight)
    ]
    parts.append(f"entropy {found.entropy[layer, head]:.2f} bits")
    if not np.isnan(found.distance[layer, head]):
        parts.append(f"distance {found.distance[layer, head]:.1f}")
    note = " · ".join(parts)
    if named is None:
        return Cell(text="", strength=None, note=note)
    kind, weight = named
    short = _far(int(found.offset[layer, head])) if kind == "offset" else SHORT.get(kind, kind)
    return Cell(text=f"{short} {weight:.2f}", strength=min(1.0, weight), note=note)


def _far(offset: int) -> str:
    """How far from itself a head looks, in words: a bare number would run into the weight."""
    return f"{abs(offset)} {'back' if offset < 0 else 'ahead'}"


def _kind(found: HeadKinds, kind: str, layer: int, head: int) -> str:
    """The kind's name; a fixed distance with how far: 3 tokens before."""
    far = int(found.offset[layer, head])
    if kind != "offset" or far == 0:
        return NAMES[kind]
    return f"{counted(abs(far), 'token')} {'before' if far < 0 else 'after'}"


def _profile(
    found: HeadKinds, layer: int, head: int, blank: dict[tuple[int, int], str]
) -> Bars | Words:
    title = f"Layer {layer + 1}, head {head + 1}: weight on"
    if (layer, head) in blank:
        why = blank[layer, head]
        return Words(title=title, text=f"{why[0].upper()}{why[1:]}.")
    bars = [
        Bar(
            label=_kind(found, kind, layer, head),
            value=float(weight),
            note=f"over {counted(count, 'query', 'queries')}; an even spread would give {even:.3f}:"
            f" {what}",
        )
        for (kind, what), weight, even, count in zip(
            KINDS.items(),
            found.weights[:, layer, head],
            found.even[:, layer, head],
            found.queries[:, layer, head].tolist(),
            strict=True,
        )
        if not np.isnan(weight)
    ]
    note = f"Entropy {found.entropy[layer, head]:.2f} bits"
    if not np.isnan(found.distance[layer, head]):
        note += f", mean distance {found.distance[layer, head]:.1f} tokens"
    return Bars(
        title=title,
        bars=tuple(bars),
        value_name="weight",
        note=f"{note}.",
    )


def _counted(title: str, count: int) -> Axis:
    return Axis(title=title, labels=tuple(str(i + 1) for i in range(count)))


VIEW = View(
    key="heads",
    title="Heads at a glance",
    summary="What every head does on this text, and the names of those that stand out",
    group="attention",
    order=40,
    draw=draw,
    prepare=prepare,
    ready=ready,
)
