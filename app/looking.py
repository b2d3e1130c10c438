"""What a model and a text have to look at, and selections kept inside it; free of Qt and torch."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.selection import Selection

if TYPE_CHECKING:
    from core.spec import ModelSpec
    from core.trace import Trace


QUICK = 1_500_000
"""So many attention weights are computed within a few milliseconds."""


def layers_at(spec: ModelSpec, site: str) -> int:
    return spec.stack(site.partition(".")[0]).layers


def heads_at(spec: ModelSpec, site: str, layer: int) -> int:
    stack, part = site.split(".")
    return spec.stack(stack).attention(part, layer).heads


def lengths_at(trace: Trace, site: str) -> tuple[int, int]:
    """How many queries and keys an attention site of this run has."""
    stack, part = site.split(".")
    keys = "encoder" if part == "cross" else stack
    return len(trace.tokens[stack]), len(trace.tokens[keys])


def quick(trace: Trace, site: str, layer: int) -> bool:
    """Whether the weights of all heads of a layer are there at once: few, or remembered."""
    queries, keys = lengths_at(trace, site)
    few = heads_at(trace.spec, site, layer) * queries * keys <= QUICK
    return few or trace.remembers(("pattern", site, layer, None, None))


def at_site(selection: Selection, stack: str, part: str) -> Selection:
    """The same place at another attention site. Pins stay only with the tokens they were put on."""
    query = selection.query if selection.stack == stack else None
    key = selection.key if (selection.stack, selection.part) == (stack, part) else None
    return replace(selection, stack=stack, part=part, query=query, key=key)


def fitted(selection: Selection, spec: ModelSpec, trace: Trace | None = None) -> Selection:
    """The nearest selection that exists: site, layer and head of the model, pins of the text."""
    if selection.site not in spec.sites:
        stack, part = (spec.main_stack.name if spec.encoder is None else "encoder"), "self"
        selection = replace(selection, stack=stack, part=part, query=None, key=None)
    layer = min(selection.layer, layers_at(spec, selection.site) - 1)
    head = selection.head
    if head is not None:
        head = min(head, heads_at(spec, selection.site, layer) - 1)
    selection = replace(selection, layer=layer, head=head)
    if trace is None:
        return selection
    queries, keys = lengths_at(trace, selection.site)
    if selection.query is not None and selection.query >= queries:
        selection = replace(selection, query=None)
    if selection.key is not None and selection.key >= keys:
        selection = replace(selection, key=None)
    return selection
