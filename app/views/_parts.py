"""The parts of a model in words: what stands in each box of the architecture."""

from __future__ import annotations

from dataclasses import replace

from app.views._blueprint import Detour, Part
from core.analysis import parameters
from core.spec import (
    AlibiPositions,
    AttentionSpec,
    BlockSpec,
    DisentangledPositions,
    EmbeddingSpec,
    FeedForwardSpec,
    Heads,
    LearnedPositions,
    NormSpec,
    RelativeBuckets,
    RotaryPositions,
    SinusoidalPositions,
    VocabHead,
)

POSITIONS = {
    RotaryPositions: "rotary positions",
    RelativeBuckets: "relative positions",
    AlibiPositions: "ALiBi positions",
    DisentangledPositions: "positions scored apart",
}


def count(number: int) -> str:
    """1234 -> "1.23 k", 23_440_896 -> "23.4 M"."""
    size, sign = next(
        (size, sign)
        for size, sign in ((10**9, " B"), (10**6, " M"), (10**3, " k"), (1, ""))
        if number >= 0.9995 * size or size == 1
    )
    return f"{number / size:.3g}{sign}"


def embedding(spec: EmbeddingSpec, *, shared: bool) -> list[Part]:
    """Token + position + segment, then what is done to the sum. shared: the encoder's table."""
    projection = _projection(spec)
    weights = parameters.embedding(spec)
    size = "shared" if shared else count(weights["token"])
    parts = [
        Part(
            text=f"Token embedding\n{spec.vocab:,} × {spec.width} · {size}",
            kind="embedding",
            note=_token_note(spec) + (", shared with the encoder" if shared else ""),
            target="embeddings",
        )
    ]
    if spec.project_first:
        parts += projection
    match spec.positions:
        case LearnedPositions(size=rows):
            parts.append(
                Part(
                    text=f"+ position\n{rows:,} × {spec.sum_width} · {count(weights['position'])}",
                    kind="embedding",
                    note="One learned vector for each position, added to the token's",
                    target="embeddings",
                )
            )
        case SinusoidalPositions():
            parts.append(
                Part(
                    text="+ sines and cosines\nfixed, not learned",
                    kind="embedding",
                    note="Sinusoidal positions (Vaswani et al. 2017), added to the token's vector",
                    target="embeddings",
                )
            )
    if spec.segments:
        parts.append(
            Part(
                text=f"+ segment\n{spec.segments} × {spec.sum_width} · {count(weights['segment'])}",
                kind="embedding",
                note="One learned vector for sentence A and one for B, added",
                target="embeddings",
            )
        )
    if spec.norm is not None:
        parts.append(norm(spec.norm, weights["norm"], "the sum of the embeddings"))
    return parts if spec.project_first else parts + projection


def _projection(spec: EmbeddingSpec) -> list[Part]:
    """Where the token table is narrower than the layers."""
    if spec.d_embed is None:
        return []
    what = "token's vector" if spec.project_first else "embedding"
    weights = parameters.embedding(spec)["project"]
    return [
        Part(
            text=f"Projection\n{spec.width} → {spec.d_model} · {count(weights)}",
            kind="embedding",
            note=f"The {what} is narrower than the layers and widened here",
        )
    ]


def _token_note(spec: EmbeddingSpec) -> str:
    scaled = "" if spec.scale == 1 else f", times {spec.scale:.4g}"
    return f"One row of {spec.width} numbers for each of {spec.vocab:,} tokens{scaled}"


def norm(spec: NormSpec, weights: int, of: str) -> Part:
    name = "LayerNorm" if spec.kind == "layer" else "RMSNorm"
    return Part(
        text=name,
        kind="norm",
        note=f"{name} of {of}: {weights:,} weights",
        target="inside_layer",
        height=24,
    )


def attention(spec: AttentionSpec, weights: int, name: str) -> Part:
    heads = _many(spec.heads, "head")
    shared = ""
    if spec.latent is not None:
        shared = "\nlatent K, V"
    elif spec.kv_heads < spec.heads:
        shared = f"\n{_many(spec.kv_heads, 'head')} of K, V"
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
    return Part(
        text=f"{name}\n{heads} × {spec.d_head} · {count(weights)}{shared}",
        kind="attention",
        height=54 if shared else 40,
        note=f"{name}: {', '.join(notes)}",
        target="attention",
    )


def _many(number: int, what: str) -> str:
    return f"1 {what}" if number == 1 else f"{number} {what}s"


def feedforward(spec: FeedForwardSpec) -> Part:
    weights = parameters.feedforward(spec)
    if spec.experts is not None:
        text = f"Mixture of experts\n{spec.experts.top} of {spec.experts.count} · {count(weights)}"
        note = f"A router picks {spec.experts.top} of {spec.experts.count} networks for each token"
    else:
        name = "Gated feed-forward" if spec.gated else "Feed-forward"
        text = f"{name}\n{spec.d_model} → {spec.d_ff:,} · {count(weights)}"
        note = f"{name}: {spec.d_ff:,} neurons with {spec.activation}, then back to {spec.d_model}"
    return Part(
        text=text, kind="feedforward", note=f"{note}: {weights:,} weights", target="inside_layer"
    )


def plus(what: str) -> Part:
    return Part(
        text="+", kind="residual", note=f"Residual connection: {what}", height=20,
        target="hidden_states",
    )  # fmt: skip


def layer(spec: BlockSpec, d_memory: int | None) -> tuple[list[list[Part]], list[Detour], int]:
    """Rows of one layer in its real order, its residual connections, and the row of
    cross-attention (-1: none)."""
    weights = parameters.norms(spec)
    own = attention(spec.attention, parameters.attention(spec.attention), "Self-attention")
    feed = feedforward(spec.feedforward)

    def a_norm(place: str, of: str) -> Part:
        return norm(spec.norm, weights[place], of)

    if spec.residual == "parallel":
        first = a_norm("self", "the stream")
        heads: list[list[Part]] = [[first]]
        if not spec.shared_norm:
            heads = [[first, a_norm("ffn", "the stream, for the feed-forward network")]]
        pair = [_narrow(own), _narrow(feed)]
        rows = [*heads, pair, [plus("x + attention + feed-forward")]]
        return rows, [Detour(start=0, end=2)], -1
    if spec.residual == "joint":
        rows = [[own], [feed], [plus("x + attention + feed-forward")]]
        rows.append([a_norm("self", "the sum")])
        return rows, [Detour(start=0, end=2), Detour(start=1, end=2, right=True)], -1
    subs = [("self", own)]
    if spec.cross is not None:
        crossing = parameters.attention(spec.cross, d_memory)
        crossed = attention(spec.cross, crossing, "Cross-attention")
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


def _narrow(part: Part) -> Part:
    """The same for half a column: its weights on a line of their own."""
    lines = part.text.replace(" · ", "\n")
    return replace(part, text=lines, height=14.0 * (lines.count("\n") + 1) + 12)


def heads(spec: Heads, d_model: int, *, decoder: bool) -> list[Part]:
    """One box a head that the checkpoint holds."""
    weights = parameters.heads(spec, d_model)
    parts = []
    if spec.vocab is not None:
        parts.append(_vocabulary(spec.vocab, weights["vocab"], decoder))
    pooled = weights.get("pooler", 0)
    by_class = spec.classes is not None and spec.classes.pooler == "tanh"
    if spec.pair is not None:
        size = weights["pair"] + pooled
        note = f"Sentence pair: {size:,} weights, {pooled:,} of them the pooler's"
        parts.append(_head(f"Sentence pair\n→ 2 · {count(size)}", note))
    if spec.classes is not None:
        size, number = weights["classes"], len(spec.classes.labels)
        text, note = f"Classes\n→ {number} · ", f"Classes: {size:,} weights"
        if by_class and spec.pair is not None:
            text, note = f"{text}pooler + ", f"{note}, beside the pooler of the sentence pair"
        elif by_class:
            size += pooled
            note = f"Classes: {size:,} weights, {pooled:,} of them the pooler's"
        parts.append(_head(f"{text}{count(size)}", note))
    if spec.replaced is not None:
        size = weights["replaced"]
        note = f"Replaced?: {size:,} weights"
        parts.append(_head(f"Replaced?\n→ 1 a token · {count(size)}", note))
    return parts


def _vocabulary(spec: VocabHead, weights: int, decoder: bool) -> Part:
    size = f"tied + {count(weights)}" if spec.tied and weights else "tied" if spec.tied else ""
    name = "Next token" if decoder else "Masked word"
    note = f"{name}: a score for each of {spec.vocab:,} tokens"
    if spec.tied:
        note += ", with the token embedding as its matrix"
    return Part(
        text=f"{name}\n→ {spec.vocab:,} · {size or count(weights)}",
        kind="head",
        note=note,
        target="predictions",
    )


def _head(text: str, note: str) -> Part:
    return Part(text=text, kind="head", note=note, target="predictions")
