"""How many weights each part of a model has, from its spec alone."""

from __future__ import annotations

from core.spec import (
    AttentionSpec,
    BlockSpec,
    DisentangledPositions,
    EmbeddingSpec,
    FeedForwardSpec,
    Heads,
    LatentSpec,
    LearnedPositions,
    ModelSpec,
    NormSpec,
    RelativeBuckets,
    StackSpec,
    VocabHead,
)


def linear(inputs: int, outputs: int, bias: bool) -> int:
    return inputs * outputs + (outputs if bias else 0)


def norm(spec: NormSpec | None, width: int) -> int:
    return 0 if spec is None else width * (int(spec.weight) + int(spec.bias))


def attention(spec: AttentionSpec, d_source: int | None = None) -> int:
    """d_source: width of what keys and values are made from (cross-attention)."""
    out = linear(spec.heads * spec.value_size, spec.d_model, spec.out_bias)
    if spec.latent is not None:
        return out + _latent(spec, spec.latent)
    source = spec.d_model if d_source is None else d_source
    k_bias = spec.qkv_bias if spec.k_bias is None else spec.k_bias
    return (
        linear(spec.d_model, spec.heads * spec.d_head, spec.qkv_bias)
        + linear(source, spec.kv_heads * spec.d_head, k_bias)
        + linear(source, spec.kv_heads * spec.value_size, spec.qkv_bias)
        + out
        + 2 * norm(spec.qk_norm, spec.d_head)
        + _distances(spec)
    )


def _distances(spec: AttentionSpec) -> int:
    """Projections that disentangled attention keeps for distances alone."""
    where = spec.positions
    if not isinstance(where, DisentangledPositions) or where.shared:
        return 0
    wide = spec.heads * spec.d_head
    biases = {"c2p": where.key_bias, "p2c": True}
    return sum(linear(spec.d_model, wide, biases[term]) for term in where.terms)


def _latent(spec: AttentionSpec, latent: LatentSpec) -> int:
    wide = spec.heads * (latent.d_nope + latent.d_rope)
    if latent.q_rank is None:
        query = linear(spec.d_model, wide, False)
    else:
        query = (
            linear(spec.d_model, latent.q_rank, spec.qkv_bias)
            + norm(latent.norm, latent.q_rank)
            + linear(latent.q_rank, wide, False)
        )
    up = spec.heads * (latent.d_nope + spec.value_size)
    return (
        query
        + linear(spec.d_model, latent.kv_rank + latent.d_rope, spec.qkv_bias)
        + norm(latent.norm, latent.kv_rank)
        + linear(latent.kv_rank, up, False)
    )


def feedforward(spec: FeedForwardSpec) -> int:
    if spec.experts is None:
        return _network(spec, spec.d_ff)
    experts = spec.experts
    router = spec.d_model * experts.count + (experts.count if experts.correction_bias else 0)
    shared = _network(spec, experts.shared * experts.d_ff) if experts.shared else 0
    return router + experts.count * _network(spec, experts.d_ff) + shared


def _network(spec: FeedForwardSpec, d_ff: int) -> int:
    into = linear(spec.d_model, d_ff, spec.bias)
    return into * (2 if spec.gated else 1) + linear(d_ff, spec.d_model, spec.bias)


def norms(spec: BlockSpec) -> dict[str, int]:
    """Weights of the norms of a block by place: "self", "cross", "ffn", and "…_post" in a
    sandwich; only those that are there."""
    width = spec.attention.d_model
    found = {"self": norm(spec.norm, width)} if spec.first_norm else {}
    if spec.cross is not None:
        found["cross"] = norm(spec.norm, width)
    if not spec.shared_norm and spec.residual != "joint":
        found["ffn"] = norm(spec.norm, width)
    if spec.residual == "sandwich":
        parts = ("self", "cross", "ffn") if spec.cross is not None else ("self", "ffn")
        found |= {f"{part}_post": norm(spec.norm, width) for part in parts}
    return found


def block(spec: BlockSpec, d_memory: int | None = None) -> int:
    cross = 0 if spec.cross is None else attention(spec.cross, d_memory)
    return (
        attention(spec.attention)
        + cross
        + feedforward(spec.feedforward)
        + sum(norms(spec).values())
    )


def embedding(spec: EmbeddingSpec) -> dict[str, int]:
    """By part: "token", "position" (0 when it is not learned), "segment", "norm", "project"."""
    learned = isinstance(spec.positions, LearnedPositions)
    project = 0
    if spec.d_embed is not None:
        project = linear(spec.width, spec.d_model, spec.project_bias)
    return {
        "token": spec.vocab * spec.width,
        "position": spec.positions.size * spec.sum_width if learned and spec.positions else 0,
        "segment": spec.segments * spec.sum_width,
        "norm": norm(spec.norm, spec.sum_width),
        "project": project,
    }


def stack(spec: StackSpec, d_memory: int | None = None) -> int:
    """All of an encoder or a decoder, its embedding included."""
    blocks = spec.blocks[:1] if spec.shared_layers else spec.blocks
    first = spec.blocks[0].attention
    bias = 0
    if isinstance(first.positions, RelativeBuckets):
        bias = first.positions.buckets * first.heads
    elif isinstance(first.positions, DisentangledPositions):
        bias = 2 * first.positions.span * spec.d_model + norm(first.positions.norm, spec.d_model)
    return (
        sum(embedding(spec.embedding).values())
        + sum(block(b, d_memory) for b in blocks)
        + bias
        + norm(spec.final_norm, spec.d_model)
    )


def vocabulary(spec: VocabHead, d_model: int) -> int:
    """Of the vocabulary head alone: a tied matrix counts with the embedding."""
    width, found = d_model, 0
    if spec.transform is not None or spec.d_transform is not None:
        width = spec.d_transform if spec.d_transform is not None else d_model
        found += linear(d_model, width, spec.transform_bias) + norm(spec.transform_norm, width)
    if not spec.tied:
        found += width * spec.vocab
    return found + (spec.vocab if spec.bias else 0)


def heads(spec: Heads, d_model: int) -> dict[str, int]:
    """By head; the pooler of the pair and class heads is "pooler"."""
    found: dict[str, int] = {}
    if spec.vocab is not None:
        found["vocab"] = vocabulary(spec.vocab, d_model)
    if spec.pair is not None or (spec.classes is not None and spec.classes.pooler == "tanh"):
        found["pooler"] = linear(d_model, d_model, True)
    if spec.pair is not None:
        found["pair"] = linear(d_model, 2, True)
    if spec.classes is not None:
        head = spec.classes
        found["classes"] = linear(d_model, len(head.labels), head.bias) + norm(head.norm, d_model)
        if head.pooler == "inner":
            found["classes"] += linear(d_model, d_model, head.inner_bias)
    if spec.replaced is not None:
        found["replaced"] = linear(d_model, d_model, True) + linear(d_model, 1, True)
    return found


def model(spec: ModelSpec) -> int:
    """Every weight once, shared ones too."""
    memory = None if spec.encoder is None else spec.encoder.d_model
    total = sum(stack(s, memory) for s in spec.stacks)
    if spec.shared_embedding and spec.encoder is not None and spec.decoder is not None:
        total -= embedding(spec.decoder.embedding)["token"]
    return total + sum(heads(spec.heads, spec.main_stack.d_model).values())
