"""Two runs: a kept one beside this one, their maps, what differs, and what both predict.

The weights of the model are the same: only the mask, the text or painted cells were changed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.figure import Figure, Floats, Heatmap, Words
from app.mask_names import mask_name
from app.selection import Selection
from app.views import View, ViewOptions, _kept, _maps
from app.views._apart import apart, without_filter
from app.views._both import predictions
from app.views._readings import differences, words
from app.views._tokens import empty, labels, no_site
from app.views._vectors import symmetric
from app.views._weights import keys_of, largest, masked, weights_map

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.tokens import Tokens
    from core.trace import Trace

NOISE = 1e-5
"""Equal weights may differ so much where a run went on from another one."""
BESIDE = "both maps, their difference and both predictions stand side by side."
ONE_SIDED = "Masked counts as 0."


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_site(trace.spec, selection)
    if missing is not None:
        return missing
    comparable = [kept for kept in options.kept if kept.spec == trace.spec]
    other = _other(trace, options)
    if comparable and other is None:
        return empty("Two runs", f"This run is kept. Now change the mask or the text: {BESIDE}")
    if other is None:
        return empty(
            "Two runs",
            "Keep this text (View, Keep the text to compare) and then change the mask or the"
            f" text: {BESIDE}",
        )
    called = _kept.names(comparable, selection.stack)
    own = called.get(trace) or _kept.names((trace,), selection.stack)[trace]
    titles = _titles(trace, other, (called[other], own), selection)
    options, whole = without_filter(trace, other, selection.stack, options)
    first, second = _maps_of(trace, other, selection, options)
    tables, told = predictions(trace, other, selection, options)
    read = _elsewhere(trace, other, selection)
    why = _why_none(trace, other, selection, options)
    one_sided = not why and bool((masked(first) != masked(second)).any())
    said = (read, whole, ONE_SIDED * one_sided, told, _maps.note(trace, selection, options))
    title = _maps.title(trace, selection, options)
    return Figure(
        title=f"Two runs · {title[0].lower()}{title[1:]}",
        panels=(
            replace(first, title=titles[0]),
            replace(second, title=titles[1]),
            Words(title="This run − kept", text=why) if why else _difference(first, second),
            *tables,
        ),
        note=" ".join(sentence for sentence in said if sentence),
        hint="" if read else _maps.faint(np.append(largest(first), largest(second)), options),
        columns=3,
        wide_last=True,
    )


def _other(trace: Trace, options: ViewOptions) -> Trace | None:
    """The last kept run of the model, unless it is this one run again."""
    kept = [one for one in options.kept if one.spec == trace.spec and not _same(one, trace)]
    return kept[-1] if kept else None


def _same(one: Trace, other: Trace) -> bool:
    first, second = one.request, other.request
    return one is other or (
        (first.source, first.target, first.edits) == (second.source, second.target, second.edits)
        and all(first.mask(site) == second.mask(site) for site in one.spec.sites)
    )


def _maps_of(
    trace: Trace, other: Trace, selection: Selection, options: ViewOptions
) -> tuple[Heatmap, Heatmap]:
    """The kept run's map and this one's, one colour scale for both."""
    same = {stack: _aligned(trace, other, stack) for stack in other.tokens}
    queries, keys = same[selection.stack], same[keys_of(selection)]
    # Where the tokens are others, a place of one text is no place of the other.
    there = replace(
        selection,
        query=selection.query if queries else None,
        key=selection.key if keys else None,
    )
    # Nothing of the kept text was decoded or filled.
    kept = weights_map(other, there, replace(options, step=None, fill=None))
    own = weights_map(trace, selection, options)
    rows = np.append(largest(kept), largest(own))
    limits, said = _maps.limits(rows, options, "both maps")
    kept = replace(kept, picks=("query" if queries else None, "key" if keys else None))
    kept, own = (
        replace(one, limits=limits, limits_note=said, scale_at="below") for one in (kept, own)
    )
    return kept, own


def _difference(kept: Heatmap, own: Heatmap) -> Heatmap:
    """This run's weights minus the kept ones, of the same queries and keys."""
    hidden = masked(kept) & masked(own)
    values = np.where(hidden, 0, own.values - kept.values).astype(np.float32)
    if kept.left_out is not None or own.left_out is not None:
        outside = np.zeros(values.shape, bool)
        for one in (kept, own):
            outside |= False if one.left_out is None else one.left_out
    else:
        outside = None
    shown = values if outside is None else np.where(outside, 0, values)
    alike = float(np.abs(shown).max(initial=0)) <= NOISE
    return Heatmap(
        title="This run − kept" + ": no weight differs" * alike,
        values=values,
        rows=own.rows,
        columns=own.columns,
        limits=(-1.0, 1.0) if alike else symmetric(shown),
        scale="diverging",
        scale_at="below",
        hidden=hidden,
        left_out=outside,
        dead_rows=tuple(sorted(set(kept.dead_rows) & set(own.dead_rows))),
        row=own.row,
        column=own.column,
        value_name="difference",
        picks=own.picks,
        # Masked is not the same as 0.
        details=tuple(
            (name, np.where(masked(one), np.float32(np.nan), _weighed(one)))
            for name, one in (("kept", kept), ("this run", own))
        ),
    )


def _weighed(one: Heatmap) -> Floats:
    """The weights as shown; where a sink is left out, the one that it has and not the 0 in its
    place."""
    before = dict(one.details).get("weight before")
    if before is None or one.left_out is None:
        return one.values
    found: Floats = np.where(one.left_out, before, one.values)
    return found


def _titles(
    trace: Trace, other: Trace, names: tuple[str, str], selection: Selection
) -> tuple[str, str]:
    """Of the kept run's map and this one's. What is not the same stands first: where there is
    little room, the end is cut."""
    choices = [one.request.mask(selection.site) for one in (other, trace)]
    masks = [mask_name(choice).removeprefix("the ") for choice in choices]
    texts = [f"“{name}”" for name in names]
    parts = (texts, masks) if masks[0] == masks[1] else (masks, texts)
    kept, own = (" · ".join(pair) for pair in zip(*parts, strict=True))
    return f"Kept: {kept}", f"This run: {own}"


def _elsewhere(trace: Trace, other: Trace, selection: Selection) -> str:
    """What else was read otherwise, in sentences, beside the mask and the text that stand above
    the maps."""
    found = differences(trace, other, trace.spec.main_stack.name)
    where = [place for place in found if place != selection.site]
    texts = apart(trace, other, selection.stack)
    if not where:
        return texts
    told = f"the kept run {words(other, where)}, this one {words(trace, where)}"
    return f"Not read alike: {told}. {texts}".rstrip()


def _why_none(trace: Trace, other: Trace, selection: Selection, options: ViewOptions) -> str:
    """One sentence where cells of the two maps are not of the same tokens; else nothing."""
    for stack, what in ((selection.stack, "queries"), (keys_of(selection), "keys")):
        if _aligned(trace, other, stack):
            continue
        here, there = trace.tokens[stack], other.tokens[stack]
        if len(here) != len(there):
            what = what if selection.part == "cross" else "tokens"
            counts = f"this run has {len(here)} {what}, the kept one {len(there)}"
            return f"There is no difference to show cell by cell: {counts}."
        place = next(i for i, one in enumerate(_read(here)) if one != _read(there)[i])
        own, kept = (labels(tokens, options.raw_labels)[place] for tokens in (here, there))
        return (
            "There is no difference to show cell by cell, as the tokens are not the same: at"
            f" position {place} this run has “{own}”, the kept one “{kept}”."
        )
    return ""


def _aligned(trace: Trace, other: Trace, stack: str) -> bool:
    """Whether a stack reads the same tokens in both runs."""
    return _read(trace.tokens[stack]) == _read(other.tokens[stack])


def _read(tokens: Tokens) -> tuple[tuple[int, bool], ...]:
    """What stands at each place; padding is not a token that happens to be its like."""
    return tuple(zip(tokens.ids, tokens.padding, strict=True))


def prepare(
    trace: Trace, selection: Selection, options: ViewOptions, should_stop: ShouldStop | None
) -> None:
    for one in _both(trace, options):
        _maps.prepare(one, selection, options, should_stop)


def ready(trace: Trace, selection: Selection, options: ViewOptions) -> bool:
    return all(_maps.ready(one, selection, options) for one in _both(trace, options))


def _both(trace: Trace, options: ViewOptions) -> tuple[Trace, ...]:
    other = _other(trace, options)
    return (trace,) if other is None else (trace, other)


VIEW = View(
    key="two_runs",
    title="Two runs",
    summary="A kept run beside this one: both maps, their difference, and what both predict",
    group="matters",
    order=50,
    draw=draw,
    prepare=prepare,
    ready=ready,
)
