"""What a run may keep of an earlier one.

The encoder when source and mask are the same, and in a decoder whose mask never looks ahead the
rows of the common prefix, with the cache that holds their keys and values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from core import masks
from core.cache import KVCache
from core.captured import Captured
from core.derive import Derived
from core.masks import MaskChoice
from core.model import Transformer
from core.request import RunRequest
from core.spec import RotaryPositions, StackSpec
from core.tokens import Tokens
from core.trace import Trace


@dataclass(slots=True)
class Handle:
    """A cache and the moment it was left; a later run that moves the cache makes it stale."""

    cache: KVCache
    stamp: int
    positions: int
    bytes: int


def comparable(network: Transformer, request: RunRequest, previous: Trace) -> bool:
    """Only runs of one network without edits share anything; an edit may reach any later row."""
    same = isinstance(previous.derive, Derived) and previous.derive.network is network
    return same and not request.edits and not previous.request.edits


def same_encoder(request: RunRequest, previous: Trace) -> bool:
    """Whether the encoder would read the same tokens under the same mask."""
    old, new = previous.tokens["encoder"], request.source
    same_text = (old.ids, old.segments, old.padding) == (new.ids, new.segments, new.padding)
    return same_text and request.mask("encoder.self") == previous.request.mask("encoder.self")


def valid_prefix(
    spec: StackSpec, request: RunRequest, tokens: Mapping[str, Tokens], previous: Trace
) -> int:
    """How many leading decoder rows of `previous` are rows of this run too."""
    site = "decoder.self"
    choice = request.mask(site)
    if choice != previous.request.mask(site):
        return 0
    if "encoder" in tokens:
        if not same_encoder(request, previous):
            return 0
        if request.mask("decoder.cross") != previous.request.mask("decoder.cross"):
            return 0
    mine, theirs = tokens["decoder"], previous.tokens["decoder"]
    shared = mine.shares_prefix(theirs)
    if not choice.hide_padding:
        # Padding has the position of the token before it, which therefore sees it come and go.
        while shared > 0 and (True,) in (t.padding[shared : shared + 1] for t in (mine, theirs)):
            shared -= 1
    return 0 if rows_moved_by(spec, choice, mine.real(shared)) else shared


def rows_moved_by(
    spec: StackSpec, choice: MaskChoice, real: int
) -> Literal["mask", "positions"] | None:
    """What lets tokens appended to `real` decoder tokens, padding not counted, change the rows
    there are; None where the rows stay.

    A mask that looks ahead does, and so do rotary scalings that turn every position anew as the
    text grows (dynamic, longrope). Nothing is cached then and every run is a whole one, so a step
    equals the full forward of its own text. (transformers' `generate` keeps the keys as an earlier
    length had turned them.)
    """
    if real < max(masks.look_ahead(choice, block.attention) for block in spec.blocks):
        return "mask"
    turning = any(_depends_on_length(block.attention.positions) for block in spec.blocks)
    return "positions" if turning else None


def moved_by(trace: Trace) -> Literal["mask", "positions"] | None:
    """Likewise of a run: unless None, the run that follows it finds nothing on its cache."""
    choice, real = trace.request.mask("decoder.self"), trace.tokens["decoder"].real()
    return rows_moved_by(trace.spec.stack("decoder"), choice, real)


def _depends_on_length(where: object) -> bool:
    """Some rotary scalings turn every position differently in a longer text."""
    return (
        isinstance(where, RotaryPositions)
        and where.scaling is not None
        and where.scaling.kind in ("dynamic", "longrope")
    )


def continue_cache(
    network: Transformer, previous: Trace, earlier: Mapping[str, Captured], start: int
) -> KVCache:
    """The previous run's cache cropped to `start`, or one refilled from recorded k and v."""
    handle = previous.cache
    if isinstance(handle, Handle) and handle.cache.stamp == handle.stamp:
        # First of all: a run that fails or is stopped leaves a cache that nobody may read.
        handle.cache.stamp += 1
        handle.cache.crop(start)
        return handle.cache
    cache = network.new_cache()
    for index, layer in enumerate(cache.layers):
        for part, held in (("self", layer.self_), ("cross", layer.cross)):
            if held is not None:
                k = earlier[f"decoder.{index}.{part}.k"].values[None]
                v = earlier[f"decoder.{index}.{part}.v"].values[None]
                held.append(k, v)
    return cache
