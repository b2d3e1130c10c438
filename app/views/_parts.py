"""The parts of a model in words: what stands in each box of the architecture."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.counting import counted, short
from app.views._blueprint import Detour, Part
from core.analysis import parameters
from core.spec import (
    AlibiPositions,
    AttentionSpec,
    BlockSpec,
    DisentangledPositions,
    FeedForwardSpec,
    NormSpec,
    RelativeBuckets,
    RotaryPositions,
)

POSITIONS = {
    RotaryPositions: "rotary positions",
    RelativeBuckets: "relative positions",
    AlibiPositions: "ALiBi positions",
    DisentangledPositions: "positions scored apart",
}


def shape(*sizes: int) -> str:
    """[9 × 256]"""
    return f"[{' × '.join(f'{size:,}' for size in sizes)}]"


def norm(spec: NormSpec, weights: int, of: str, target: str = "inside_layer") -> Part:
    """The width first: the number of weights alone, gain and bias together, would be read as it."""
    name = "LayerNorm" if spec.kind == "layer" else "RMSNorm"
    width = weights // max(1, spec.weight + spec.bias)
    return Part(
        text=f"{name} {width:,} · {short(weights)} weights" if weights else name,
        kind="norm",
        note=f"{name} of {of}: {weights:,} weights",
        target=target,
        height=22,
    )


def attention(spec: AttentionSpec, weights: int, name: str, rows: int = 0, keys: int = 0) -> Part:
    """rows, keys: how many queries and keys there are now, 0 to say nothing of it."""
    heads = counted(spec.heads, "head")
    shared = ""
    if spec.latent is not None:
        shared = "\nlatent K, V"
    elif spec.kv_heads < spec.heads:
        shared = f"\n{counted(spec.kv_heads, 'head')} of K, V"
    notes = [f"{weights:,} weights", f"scores scaled by {spec.score_scale:.4g}"]
    where = POSITIONS.get(type(spec.positions))
    if where is not None:
        notes.append(where)
    if spec.causal:
        notes.append("a query sees itself and what came before")
    if spec.window is not None:
        notes.append(f"within a window of {spec.window}")
    if spec.qk_norm is not None:
        notes.append("queries and keys normalised")
    if spec.softcap is not None:
        notes.append(f"scores capped at {spec.softcap:g}")
    if rows:
        notes.append(f"scores {shape(spec.heads, rows, keys)}, out {shape(rows, spec.d_model)}")
    return Part(
        text=f"{name}\n{heads} × {spec.d_head} · {short(weights)}{shared}",
        kind="attention",
        height=54 if shared else 40,
        note=f"{name}: {', '.join(notes)}",
        target="attention",
    )


def feedforward(spec: FeedForwardSpec, rows: int = 0) -> Part:
    weights = parameters.feedforward(spec)
    if spec.experts is not None:
        text = f"Mixture of experts\n{spec.experts.top} of {spec.experts.count} · {short(weights)}"
        note = f"A router picks {spec.experts.top} of {spec.experts.count} networks for each token"
    else:
        name = "Gated feed-forward" if spec.gated else "Feed-forward"
        text = f"{name}\n{spec.d_model} → {spec.d_ff:,} · {short(weights)}"
        note = f"{name}: {spec.d_ff:,} neurons with {spec.activation}, then back to {spec.d_model}"
    if rows and spec.experts is None:
        note += f", {shape(rows, spec.d_ff)} inside"
    return Part(
        text=text, kind="feedforward", note=f"{note}: {weights:,} weights", target="inside_layer"
    )


def plus(what: str) -> Part:
    return Part(
        text="+", kind="residual", note=f"Residual connection: {what}", height=16,
        target="inside_layer",
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """How many positions run now, how many keys self-attention has, and how many cross-attention;
    0 where they are not to be told."""

    rows: int = 0
    keys: int = 0
    memory: int = 0


def layer(
    spec: BlockSpec, d_memory: int | None, now: Lengths
) -> tuple[list[list[Part]], list[Detour], int]:
    """Rows of one layer in its real order, its residual connections, and the row of
    cross-attention (-1: none)."""
    weights = parameters.norms(spec)
    size = parameters.attention(spec.attention)
    own = attention(spec.attention, size, "Self-attention", now.rows, now.keys)
    feed = feedforward(spec.feedforward, now.rows)

    def a_norm(place: str, of: str) -> Part:
        return norm(spec.norm, weights[place], of)

    if spec.residual == "parallel":
        first = a_norm("self", "the stream")
        heads: list[list[Part]] = [[first]]
        if not spec.shared_norm:
            heads = [[first, a_norm("ffn", "the stream, for the feed-forward network")]]
        pair = [narrow(own), narrow(feed)]
        rows = [*heads, pair, [plus("x + attention + feed-forward")]]
        return rows, [Detour(start=0, end=2)], -1
    if spec.residual == "joint":
        rows = [[own], [feed], [plus("x + attention + feed-forward")]]
        rows.append([a_norm("self", "the sum")])
        return rows, [Detour(start=0, end=2), Detour(start=1, end=2, right=True)], -1
    subs = [("self", own)]
    if spec.cross is not None:
        crossing = parameters.attention(spec.cross, d_memory)
        crossed = attention(spec.cross, crossing, "Cross-attention", now.rows, now.memory)
        subs.append(("cross", replace(crossed, crossing=True)))
    subs.append(("ffn", feed))
    found: list[list[Part]] = []
    detours: list[Detour] = []
    cross = -1
    for place, part in subs:
        start = len(found)
        if spec.residual != "post" and (place != "self" or spec.first_norm):
            found.append([a_norm(place, "the stream")])
        cross = len(found) if place == "cross" else cross
        found.append([part])
        if spec.residual == "sandwich":
            found.append([a_norm(f"{place}_post", "what is added")])
        detours.append(Detour(start=start, end=len(found)))
        found.append([plus("what came in is added to what was computed")])
        if spec.residual == "post" and (place != "self" or spec.first_norm):
            found.append([a_norm(place, "the sum")])
    return found, detours, cross


def narrow(part: Part) -> Part:
    """The same for half a column: its weights on a line of their own."""
    lines = part.text.replace(" · ", "\n")
    return replace(part, text=lines, height=14.0 * (lines.count("\n") + 1) + 12)
