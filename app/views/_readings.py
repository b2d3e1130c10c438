"""How texts that are compared were read, where they were not read alike.

Their states depend on it as they do on their words, and no picture of them shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from app.mask_names import mask_name
from app.views._tokens import ATTENTION

if TYPE_CHECKING:
    from core.spec import AttentionSpec
    from core.trace import Trace

SPECIAL = "special tokens"
MOST_WAYS, MOST_NAMES = 2, 2
"""How many ways to read are told, and how many texts are named with each: three lines hold them."""


def unlike(trace: Trace, others: Sequence[Trace], stack: str, name: Callable[[Trace], str]) -> str:
    """One sentence about this text and those that were read otherwise; empty where none was. Of
    many it tells of the last ones, and how many more there are."""
    found = [(other, differences(trace, other, stack)) for other in others]
    said: dict[str, list[str]] = {}
    for other, where in found:
        if where:
            said.setdefault(words(other, where), []).append(f"“{name(other)}”")
    if not said:
        return ""
    anywhere = {place for _, where in found for place in where}
    own = words(trace, [place for place in (*trace.spec.sites, SPECIAL) if place in anywhere])
    # The map compares with the last text.
    latest = list(dict.fromkeys(words(*one) for one in reversed(found) if one[1]))[:MOST_WAYS]
    told = [f"{_named(said[how])} {how}" for how in said if how in latest]
    more = sum(len(names) for how, names in said.items() if how not in latest)
    if more:
        told.append(f"{more} more in {'another way' if more == 1 else 'other ways'}")
    return f"Not read alike: {', '.join([f'this text {own}', *told])}."


def _named(names: Sequence[str]) -> str:
    if len(names) <= MOST_NAMES:
        return " and ".join(names)
    return f"{names[-1]} and {len(names) - 1} more"


def differences(one: Trace, other: Trace, stack: str) -> tuple[str, ...]:
    """The attention sites that the states of a stack depend on and whose masks differ, and
    `SPECIAL` where one text only has special tokens around it. Padding is hidden, or is part of
    what a mask lets a token see."""
    spec = one.spec
    last = stack == spec.main_stack.name  # it reads what the other stack says
    sites = [site for site in spec.sites if last or site.startswith(f"{stack}.")]
    found = [site for site in sites if _masks_differ(one, other, site)]
    return (*found, *[SPECIAL] * (_has_special(one) != _has_special(other)))


def words(trace: Trace, where: Sequence[str]) -> str:
    """How a text was read at the places of `differences`."""
    told = []
    for place in where:
        if place == SPECIAL:
            told.append(f"{'with' if _has_special(trace) else 'without'} special tokens")
        else:
            at = f" in {ATTENTION[place].lower()}" if len(trace.spec.sites) > 1 else ""
            told.append(f"with {mask_name(trace.request.mask(place))}{at}")
    return " and ".join(told)


def _masks_differ(one: Trace, other: Trace, site: str) -> bool:
    """Whether either text would have been read otherwise under the mask of the other: two names may
    stand for one mask, and padding that is not there cannot be hidden."""
    from core.derive import context
    from core.masks import allowed

    first, second = one.request.mask(site), other.request.mask(site)
    if first == second:
        return False
    contexts = [context(trace.tokens, site) for trace in (one, other)]
    return any(
        bool((allowed(first, place, spec) != allowed(second, place, spec)).any())
        for spec in _attentions(one, site)
        for place in contexts
    )


def _attentions(trace: Trace, site: str) -> list[AttentionSpec]:
    """One of each kind: layers may have different windows."""
    name, _, part = site.partition(".")
    stack = trace.spec.stack(name)
    layers = [stack.attention(part, layer) for layer in range(stack.layers)]
    return list({(layer.causal, layer.window): layer for layer in layers}.values())


def _has_special(trace: Trace) -> bool:
    """Whether special tokens were added around the text; one that was typed is part of it."""
    tokens = trace.request.source
    each = zip(tokens.special, tokens.padding, tokens.spans, strict=True)
    return any(special and not padding and span is None for special, padding, span in each)
