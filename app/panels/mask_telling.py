"""What is said of one site's mask on the run that is looked at, decoded tokens and all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.panels.mask_words import beyond_text, words
from app.store import State

if TYPE_CHECKING:  # the window's first paint needs no core
    from core.masks import MaskChoice


def told(state: State, site: str, choice: MaskChoice) -> str:
    """As rich text: a link clears painted cells. The model and the core must be there."""
    assert state.model is not None and state.abilities is not None
    stack, part = site.split(".")
    spec = state.model.spec.stack(stack)
    said = words(
        choice,
        state.abilities.mask_kinds,
        (spec.attention(part, layer) for layer in range(spec.layers)),
        state.inputs.pad_side,
        _padded(state, site),
        part,
        _beyond(state, site, choice),
    )
    if state.trace is None:
        return said
    return f"{said} {beyond_text(choice, state.trace.tokens[stack])}".rstrip()


def keys_of(site: str) -> str:
    """The stack whose tokens are the keys at a site."""
    stack, part = site.split(".")
    return "encoder" if part == "cross" else stack


def _padded(state: State, site: str) -> bool:
    """Whether there is padding among the keys of the site."""
    keys = None if state.trace is None else state.trace.tokens.get(keys_of(site))
    return keys is not None and any(keys.padding)


def _beyond(state: State, site: str, choice: MaskChoice) -> int:
    """How many painted cells of the site are not on its map: its text is too short."""
    trace = state.trace
    if trace is None or site not in trace.spec.sites:
        return 0
    rows, columns = len(trace.tokens[site.partition(".")[0]]), len(trace.tokens[keys_of(site)])
    return sum(query >= rows or key >= columns for query, key in choice.blocked)
