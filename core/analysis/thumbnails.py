"""Every head of an attention site at once, shrunk by maximum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.analysis.pooling import Bools, Floats, pool_all, pool_max, shrink_factor
from core.analysis.segments import between
from core.analysis.sinks import sinks, without
from core.progress import step

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.trace import Trace

Sentences = tuple[int, int]

_AT_ONCE_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Thumbnails:
    """values: [layer, head, height, width], the largest weight of `factor` × `factor` cells.
    hidden: the same shape, True where all of these cells are masked; left_out: where none is shown,
    and not all are masked. A layer with fewer heads than another has hidden, empty maps."""

    values: Floats
    hidden: Bools
    left_out: Bools
    factor: int

    @property
    def nbytes(self) -> int:
        return self.values.nbytes + self.hidden.nbytes + self.left_out.nbytes


def thumbnails(
    trace: Trace,
    site: str,
    most: int,
    should_stop: ShouldStop | None = None,
    *,
    drop_sinks: bool = False,
    sentences: Sentences | None = None,
) -> Thumbnails:
    """All maps of a site ("encoder.self"), each at most `most` cells high and wide.

    Whole patterns are held for one layer, or one head when they are large, and not remembered: all
    144 maps of a base model at 512 tokens would be 151 MB. The result is remembered in the trace.

    drop_sinks: weights without `sinks`, the rest rescaled. sentences: of a pair, only the weights
    from one sentence to one (0 is A, 1 is B), unchanged; not for cross-attention.
    """
    return trace.remembered(
        key(site, most, drop_sinks, sentences),
        lambda: _thumbnails(trace, site, most, should_stop, drop_sinks, sentences),
    )


def key(
    site: str, most: int, drop_sinks: bool = False, sentences: Sentences | None = None
) -> tuple[object, ...]:
    """Under which a trace remembers them."""
    return "thumbnails", site, most, drop_sinks, sentences


def _thumbnails(
    trace: Trace,
    site: str,
    most: int,
    should_stop: ShouldStop | None,
    drop_sinks: bool,
    sentences: Sentences | None,
) -> Thumbnails:
    stack_name, part = site.split(".")
    stack = trace.spec.stack(stack_name)
    queries, keys = trace.allowed(site, 0).shape
    tokens = trace.tokens["encoder" if part == "cross" else stack_name]
    mask = trace.spec.special.mask
    dropped = sinks(tokens, mask) if drop_sinks else np.zeros(keys, dtype=bool)
    inside = None if sentences is None else between(tokens, *sentences)
    factor = shrink_factor(max(queries, keys), most)
    heads = [stack.attention(part, layer).heads for layer in range(stack.layers)]
    size = (-(-queries // factor), -(-keys // factor))
    values = np.zeros((stack.layers, max(heads), *size), dtype=np.float32)
    hidden = np.ones(values.shape, dtype=bool)
    left_out = np.zeros(values.shape, dtype=bool)
    whole = max(heads) * queries * keys * 4 <= _AT_ONCE_BYTES
    for layer, count in enumerate(heads):
        allowed = trace.allowed(site, layer).numpy()
        shown = allowed & ~dropped
        shown = shown if inside is None else shown & inside
        masked = pool_all(~allowed, factor, factor)
        hidden[layer, :count] = masked
        left_out[layer, :count] = pool_all(~shown, factor, factor) & ~masked
        for first, last in [(0, count)] if whole else [(h, h + 1) for h in range(count)]:
            step(should_stop, (layer + first / count) / len(heads), "drawing all heads")
            head = None if whole else first
            maps = trace.derive.pattern(trace, site, layer, head, None).detach().cpu().float()
            found = without(maps.numpy(), dropped) if drop_sinks else maps.numpy()
            found = found if inside is None else found * inside
            values[layer, first:last] = pool_max(found, factor, factor)
    return Thumbnails(values=values, hidden=hidden, left_out=left_out, factor=factor)
