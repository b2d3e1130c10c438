"""The map of the selected head, or the mean of a layer's heads, which is dearer; and what of it is
left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.figure import Bools, Floats
from app.looking import quick
from app.selection import Selection
from app.views._tokens import attention_title
from app.views._vectors import plain
from core.analysis.segments import between, has_pair
from core.analysis.sinks import sinks, without

if TYPE_CHECKING:
    from app.views import ViewOptions
    from core.request import ShouldStop
    from core.trace import Trace


def heads_of(trace: Trace, selection: Selection, options: ViewOptions) -> Floats:
    """[head, query, key]: the selected head alone, or all of the layer; sinks left out if asked."""
    maps: Floats = trace.pattern(selection.site, selection.layer, selection.head).numpy()
    maps = maps[None] if selection.head is not None else maps
    return without(maps, _dropped(trace, selection, options)) if options.drop_sinks else maps


def left_out(trace: Trace, selection: Selection, options: ViewOptions) -> Bools:
    """[query, key]: the cells that are not shown because the person asked so, whatever the mask."""
    keys = _dropped(trace, selection, options)
    outside = other_sentences(trace, selection, options)
    if outside is None:
        return np.broadcast_to(keys, (len(trace.tokens[selection.stack]), len(keys)))
    return outside | keys


def _dropped(trace: Trace, selection: Selection, options: ViewOptions) -> Bools:
    """[key]: the sinks, where they are not wanted."""
    keys = trace.tokens["encoder" if selection.part == "cross" else selection.stack]
    if not options.drop_sinks:
        return np.zeros(len(keys), dtype=bool)
    return sinks(keys, trace.spec.special.mask)


def other_sentences(trace: Trace, selection: Selection, options: ViewOptions) -> Bools | None:
    """[query, key]: cells outside the sentences asked for; None where there is no such choice."""
    if options.sentences is None or selection.part == "cross":
        return None
    tokens = trace.tokens[selection.stack]
    return ~between(tokens, *options.sentences) if has_pair(tokens) else None


def title(
    trace: Trace, selection: Selection, options: ViewOptions, together: str = "mean of"
) -> str:
    """“Encoder self-attention · layer 3 of 6 · head 5 of 8”, and what of it is not shown."""
    return attention_title(trace.spec, selection, together) + filters(trace, selection, options)


def filters(trace: Trace, selection: Selection, options: ViewOptions) -> str:
    """“ · sinks left out · A → B”: what of a map is not shown, for its title."""
    found = ""
    if options.drop_sinks:
        found += " · sinks left out"
    if other_sentences(trace, selection, options) is not None:
        found += f" · {_direction(options)}"
    return found


def note(trace: Trace, selection: Selection, options: ViewOptions) -> str:
    """What is not shown, in sentences; empty when all is."""
    parts = [sinks_note(options)] if options.drop_sinks else []
    if other_sentences(trace, selection, options) is not None:
        how = "not rescaled again" if options.drop_sinks else "the weights are unchanged"
        parts.append(f"Only {_direction(options)} is shown; {how}.")
    return " ".join(parts)


def still_count(
    trace: Trace, selection: Selection, options: ViewOptions, *, sinks: bool = True
) -> str:
    """“ Sinks count too.”: for the end of the note of what shows whole maps or more, what
    counts there although the person left it out of maps. sinks: False where they do not."""
    found = " Sinks count too." if sinks and options.drop_sinks else ""
    if other_sentences(trace, selection, options) is not None:
        found += f" Both sentences count, not {_direction(options)} alone."
    return found


FAINT, FEW = 0.25, 0.1
"""Where fewer than FEW of the rows hold a weight above FAINT, a map is all pale on the fixed scale;
so is nearly every one of a long text."""
FIT, ROWS = 0.9, 20
"""A fitted scale holds all weights of this part of the rows, where there are at least ROWS: in a
causal map the first rows are near 1 whatever the others are."""


def faint(largest: Floats, options: ViewOptions) -> str:
    """How to see more of a map whose rows have these largest weights; nothing if one sees it."""
    if options.limits == "auto" or not largest.size or np.mean(largest > FAINT) >= FEW:
        return ""
    return "Small weights: “Colour scale” in the menu fits the colours to them."


def fitted(largest: Floats) -> float:
    """Where the scale ends that is fitted to rows with these largest weights."""
    if not largest.size:
        return 1.0
    most, usual = float(largest.max()), float(np.quantile(largest, FIT))
    return usual if largest.size >= ROWS and 0 < usual < most / 2 else most


def limits(
    largest: Floats, options: ViewOptions, what: str = "this map"
) -> tuple[tuple[float, float], str]:
    """0–1 so that a colour means the same weight everywhere; fitted only when asked. largest: the
    largest weight of each row of `what` is drawn."""
    limit = fitted(largest) if options.limits == "auto" else 1.0
    if options.limits == "fixed" or limit <= 0:
        return (0.0, 1.0), ""
    beyond = (
        f"; the largest is {plain(float(largest.max()))}" if limit < largest.max(initial=0) else ""
    )
    return (0.0, limit), f"colours scaled to {what}: 0 to {plain(limit)}{beyond}"


def sinks_note(options: ViewOptions) -> str:
    """One sentence where sinks are left out, else nothing."""
    if not options.drop_sinks:
        return ""
    return "Without the first token, special tokens and punctuation; the rest is rescaled to 1."


def _direction(options: ViewOptions) -> str:
    return " → ".join("AB"[sentence] for sentence in options.sentences or ())


def prepare(
    trace: Trace, selection: Selection, options: ViewOptions, should_stop: ShouldStop | None
) -> None:
    """All heads of the selected layer, remembered by the trace."""
    if not ready(trace, selection, options):
        trace.pattern(selection.site, selection.layer)


def ready(trace: Trace, selection: Selection, options: ViewOptions) -> bool:
    site = selection.site
    one = selection.head is not None or site not in trace.spec.sites
    return one or quick(trace, site, selection.layer)
