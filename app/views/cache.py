"""Cache: the keys and values that decoding keeps, cell by cell, and what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.counting import counted, in_bytes
from app.figure import (
    Arrow,
    Axis,
    Bar,
    Bars,
    Box,
    Cell,
    Diagram,
    Figure,
    Floats,
    Heatmap,
    Panel,
    WordGrid,
)
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._tokens import empty, token_axis
from app.views._vectors import round_end
from core.analysis.cache_size import CacheNeed, needs
from core.analysis.states import norms

if TYPE_CHECKING:
    from core.analysis.sharing import Shared
    from core.spec import StackSpec
    from core.trace import Trace

POOLED = "What if: each shared head is the mean of its own, without the training that would follow."
CONTEXTS = (1_000, 8_000, 128_000)
NOT_KEPT = {
    "mask": "This mask lets earlier tokens see later ones: a new token changes the keys and values"
    " of all before it, so each step runs the whole text anew. The table tells what a causal mask"
    " would keep.",
    "positions": "This model turns every position anew as the text grows, so each step runs the"
    " whole text. The table tells what could be kept if it did not.",
}
"""Why nothing is cached, as `core.reuse.moved_by` names it."""
MOST_NAMED, MOST_NUMBERED = 8, 16
"""More heads side by side have no room for names, and more still none for numbers."""
SHARINGS = (
    "MHA: every head has its own keys and values; GQA: groups share theirs; MQA: all share one;"
    " MLA: one latent vector for all"
)

BYTES = "Bytes of a self-attention cache by how heads share keys and values"
EXPANDED = ", for which this model is made; here the keys and values made from it are held"


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    """Norms of all cached keys, the sharing of heads, and bytes under each kind of sharing."""
    title = "Key/value cache"
    if trace.spec.decoder is None:
        return empty(
            title,
            f"{trace.spec.name} is encoder-only and writes no text, so it keeps no cache: that "
            "spares a decoder from computing the keys and values of its earlier tokens anew.",
        )
    stack = trace.spec.decoder
    layer = min(selection.layer, stack.layers - 1)
    panels: list[Panel] = [_keys(trace, "self", options)]
    # Two caches and a table are as much as can be read; of heads that share, the table tells too.
    if trace.spec.encoder is not None:
        panels.append(_keys(trace, "cross", options))
    else:
        panels.append(_sharing(stack, layer, options.shared))
    panels.append(_costs(stack, _itemsize(trace), beside=bool(options.shared)))
    panels += [_shared(options.shared)] if options.shared else []
    return Figure(
        title=_title(trace),
        panels=tuple(panels),
        columns=2,
        wide_last=True,
        note=POOLED if options.shared else _note(trace),
    )


def _moved_by(trace: Trace) -> str | None:
    """A key of NOT_KEPT; None where earlier rows stay."""
    from core.reuse import moved_by  # it imports torch, which listing the views must not

    return moved_by(trace)


def _title(trace: Trace) -> str:
    held = trace.cache
    if held is None:
        return "Key/value cache"
    if _moved_by(trace):
        return "Key/value cache · nothing can be kept"
    places = f"{held.positions} positions" if held.positions != 1 else "1 position"
    if trace.spec.encoder is not None:
        places += f" + {len(trace.tokens['encoder'])} of source"
    return f"Key/value cache · {places} · {in_bytes(held.bytes)}"


def _keys(trace: Trace, part: str, options: ViewOptions) -> Heatmap:
    """‖k‖ of every layer and key/value head at every position; one row a head."""
    stack = trace.spec.stack("decoder")
    values, rows = [], []
    for layer in range(stack.layers):
        k: Floats = trace[f"decoder.{layer}.{part}.k"].numpy()  # [kv_head, key, d_head]
        values.append(norms(k))
        rows += [f"{layer + 1} · {head + 1}" for head in range(k.shape[0])]
    found = np.concatenate(values)
    source = "decoder" if part == "self" else "encoder"
    moved = _moved_by(trace) is not None
    grows = "a column a token" if part == "self" else "computed once"
    if moved:
        grows = "anew at every step"
    name = "Self" if part == "self" else "Cross"
    return Heatmap(
        title=f"{name} ‖k‖ · {grows}",
        values=found,
        rows=Axis(title="Layer · K/V head", labels=tuple(rows)),
        columns=token_axis("Position" if moved else "Cached position", trace, source, options),
        limits=(0.0, round_end(float(found.max()))),
        value_name="norm",
    )


def _sharing(stack: StackSpec, layer: int, tried: tuple[Shared, ...]) -> Diagram:
    """Query heads over the key/value heads that they share, or would share as tried: of several
    with the fewest, which come last."""
    attention = stack.blocks[layer].attention
    heads, groups = attention.heads, tried[-1].kv_heads if tried else attention.kv_heads
    group = heads // groups
    step, gap = 10.0, 2.0
    width = step - gap
    # Many heads are narrow: taller boxes and longer lines than their width alone would give.
    high, apart = max(6.0, 0.8 * heads), max(10.0, heads)
    boxes = [
        Box(
            key=f"q{head}",
            text=_name("Q", head, heads),
            x=head * step,
            y=0,
            width=width,
            height=high,
            kind="attention",
            note=f"query head {head + 1} reads K/V head {head // group + 1}",
            picks=(("head", head),),
        )
        for head in range(heads)
    ]
    arrows: list[Arrow] = []
    for at in range(groups):
        mine = list(range(at * group, (at + 1) * group))
        x = mine[0] * step
        boxes.append(
            Box(
                key=f"kv{at}",
                text=_name("K/V", at, groups),
                x=x,
                y=high + apart,
                width=mine[-1] * step + width - x,
                height=high,
                kind="head",
                note=f"K/V head {at + 1} serves {_served(mine)}",
            )
        )
        middles = (h * step + width / 2 for h in mine)
        arrows += [Arrow(points=((x, high), (x, high + apart))) for x in middles]
    kind = _kind(heads, groups, latent=attention.latent is not None)
    return Diagram(
        title=f"{'What if, layer' if tried else 'Layer'} {layer + 1}: {kind}",
        boxes=tuple(boxes),
        arrows=tuple(arrows),
        width=heads * step - gap,
        height=2 * high + apart,
    )


def _name(what: str, index: int, count: int) -> str:
    if count <= MOST_NAMED:
        return f"{what}{index + 1}"
    return str(index + 1) if count <= MOST_NUMBERED else ""


def _served(heads: list[int]) -> str:
    if len(heads) == 1:
        return f"query head {heads[0] + 1}"
    return f"query heads {heads[0] + 1} to {heads[-1] + 1}"


def _kind(heads: int, groups: int, *, latent: bool) -> str:
    """Short enough for half a window."""
    if latent:
        return f"latent attention, {counted(heads, 'head')}"
    if groups == heads:
        return f"multi-head, {counted(heads, 'K/V head')}"
    if groups == 1:
        return f"multi-query, {heads} heads on one K/V"
    return f"grouped-query, {heads} heads on {groups} K/V"


def _itemsize(trace: Trace) -> int:
    """Bytes of a number that is held."""
    return trace.captured["decoder.0.self.k"].own.element_size()


def _costs(stack: StackSpec, itemsize: int, *, beside: bool) -> WordGrid:
    """Every kind of sharing by context length; darker is more. beside: in half of the width."""
    found = needs(stack, itemsize=itemsize)
    lengths = (1, *CONTEXTS)
    most = max(need.bytes_per_token for need in found)
    return WordGrid(
        title=f"{'Bytes by how heads share' if beside else BYTES} ({8 * itemsize}-bit numbers)",
        cells=tuple(
            tuple(
                Cell(
                    text=in_bytes(need.total(n)),
                    strength=need.bytes_per_token / most,
                    value=need.total(n),
                )
                for n in lengths
            )
            for need in found
        ),
        rows=Axis(title="", labels=tuple(_sharing_name(need) for need in found)),
        columns=Axis(
            title="Tokens", labels=tuple(f"{n // 1000}k" if n >= 1000 else str(n) for n in lengths)
        ),
        row=next((i for i, need in enumerate(found) if need.is_own), None),
    )


def _sharing_name(need: CacheNeed) -> str:
    return need.label if need.label == "MLA" else f"{need.label} {need.kv_heads}"


def _shared(found: tuple[Shared, ...]) -> Bars:
    """What was tried under "what if": how far predictions move."""
    bars = tuple(
        Bar(
            label="1 K/V head" if one.kv_heads == 1 else f"{one.kv_heads} K/V heads",
            value=one.mean_kl,
            note=f"last token {one.last_kl:.3g}, cache {in_bytes(one.bytes_after)}",
        )
        for one in found
    )
    return Bars(
        title="What if: mean KL(own ‖ shared) in bits",
        bars=bars,
        limit=max(bar.value for bar in bars) or 1.0,
        value_name="KL in bits",
    )


def _note(trace: Trace) -> str:
    stack = trace.spec.stack("decoder")
    moved = _moved_by(trace)
    if moved is not None:
        return f"{NOT_KEPT[moved]} {SHARINGS}."
    found = needs(stack, itemsize=_itemsize(trace))
    own = next((need for need in found if need.is_own), None)
    if own is None:
        return ""
    is_latent = stack.blocks[0].attention.latent is not None
    latent = EXPANDED if is_latent else " (DeepSeek-V2's sizes)"
    return f"Each new token adds {in_bytes(own.bytes_per_token)}. {SHARINGS}{latent}."


VIEW = View(
    key="cache",
    title="Cache",
    summary="The keys and values that decoding keeps, and what they cost",
    group="decoding",
    order=40,
    draw=draw,
    looks=frozenset({"layer"}),
)
