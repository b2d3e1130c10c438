"""Small networks of every architecture and residual kind, weights redrawn, and traces of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import torch

from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import (
    AttentionSpec,
    BlockSpec,
    ClassHead,
    EmbeddingSpec,
    ExpertsSpec,
    FeedForwardSpec,
    Heads,
    LatentSpec,
    LearnedPositions,
    ModelSpec,
    NormSpec,
    PairHead,
    RelativeBuckets,
    ReplacedHead,
    ResidualKind,
    RotaryPositions,
    SinusoidalPositions,
    SpecialIds,
    StackSpec,
    VocabHead,
)
from core.tokens import Tokens
from core.trace import Trace

VOCAB, WIDTH, HEADS, LAYERS, MASK = 40, 16, 4, 3, 4
LABELS = ("negative", "neutral", "positive")
RMS = NormSpec(kind="rms", bias=False)
ALL_HEADS = Heads(
    vocab=VocabHead(vocab=VOCAB, tied=True, bias=True, transform="gelu", transform_norm=NormSpec()),
    pair=PairHead(),
    classes=ClassHead(labels=LABELS),
    replaced=ReplacedHead(),
)
LAST_TOKEN = ClassHead(labels=LABELS, pooler="none", of="last", bias=False)
"""How decoders classify a text."""
NEXT_TOKEN = Heads(vocab=VocabHead(vocab=VOCAB, tied=True))

KINDS = (
    "encoder",
    "decoder",
    "rotary decoder",
    "parallel decoder",
    "sandwich decoder",
    "joint encoder",
    "translator",
    "relative translator",
)
"""Names of the models of `spec`: all residual kinds and all architectures are among them."""


def attention(*, causal: bool = False, kv_heads: int = HEADS, **more: object) -> AttentionSpec:
    d_head = WIDTH // HEADS
    return AttentionSpec(
        d_model=WIDTH, heads=HEADS, kv_heads=kv_heads, d_head=d_head, causal=causal, **more
    )


def stack(
    name: str,
    residual: ResidualKind,
    *,
    self_attention: AttentionSpec | None = None,
    cross: bool = False,
    norm: NormSpec = NormSpec(),  # noqa: B008 (frozen)
    gated: bool = False,
    positions: object = LearnedPositions(size=600),
    segments: int = 0,
) -> StackSpec:
    block = BlockSpec(
        attention=self_attention or attention(causal=name == "decoder"),
        cross=attention() if cross else None,
        feedforward=FeedForwardSpec(d_model=WIDTH, d_ff=24, activation="gelu", gated=gated),
        norm=norm,
        residual=residual,
        shared_norm=False,
    )
    normed = residual in ("post", "joint")
    return StackSpec(
        name=name,
        embedding=EmbeddingSpec(
            vocab=VOCAB,
            d_model=WIDTH,
            positions=positions,
            segments=segments,
            norm=norm if normed else None,
        ),
        blocks=(block,) * LAYERS,
        final_norm=None if normed else norm,
        max_positions=600,
    )


def spec(kind: str) -> ModelSpec:
    """The ModelSpec of one of `KINDS`."""
    rotary = RotaryPositions(theta=10000.0, d_rotary=WIDTH // HEADS)
    both = RelativeBuckets(buckets=8, max_distance=16, bidirectional=True)
    past = replace(both, bidirectional=False)
    special = SpecialIds(pad=0, mask=MASK if "encoder" in kind else None, decoder_start=1)
    match kind:
        case "encoder":
            parts = {"encoder": stack("encoder", "post", segments=2), "heads": ALL_HEADS}
        case "decoder":
            parts = {"decoder": stack("decoder", "pre"), "heads": NEXT_TOKEN}
        case "rotary decoder":
            own = attention(causal=True, kv_heads=2, positions=rotary, window=5)
            made = stack("decoder", "pre", self_attention=own, norm=RMS, gated=True, positions=None)
            parts = {"decoder": made, "heads": NEXT_TOKEN}
        case "parallel decoder":
            own = attention(causal=True, positions=rotary)
            parts = {
                "decoder": stack("decoder", "parallel", self_attention=own, positions=None),
                "heads": NEXT_TOKEN,
            }
        case "sandwich decoder":
            own = attention(causal=True, positions=rotary, softcap=20.0, qk_norm=RMS)
            parts = {
                "decoder": stack(
                    "decoder", "sandwich", self_attention=own, norm=RMS, gated=True, positions=None
                ),
                "heads": NEXT_TOKEN,
            }
        case "joint encoder":
            parts = {
                "encoder": stack("encoder", "joint", positions=SinusoidalPositions(size=600)),
                "heads": NEXT_TOKEN,
            }
        case "translator":
            parts = {
                "encoder": stack("encoder", "post"),
                "decoder": stack("decoder", "post", cross=True),
                "heads": NEXT_TOKEN,
            }
        case "relative translator":
            parts = {
                "encoder": stack(
                    "encoder",
                    "pre",
                    self_attention=attention(positions=both, scale=1.0),
                    norm=RMS,
                    positions=None,
                ),
                "decoder": stack(
                    "decoder",
                    "pre",
                    self_attention=attention(causal=True, positions=past, scale=1.0),
                    cross=True,
                    norm=RMS,
                    positions=None,
                ),
                "heads": NEXT_TOKEN,
            }
        case _:
            raise ValueError(kind)
    return ModelSpec(family="test", name=f"The {kind}", special=special, **parts)


def one_block(made: ModelSpec, **changes: object) -> ModelSpec:
    """A decoder whose layers are all like its first with these fields changed."""
    assert made.decoder is not None
    block = replace(made.decoder.blocks[0], **changes)
    return replace(made, decoder=replace(made.decoder, blocks=(block,) * 3))


def widened_first() -> ModelSpec:
    """OPT-350m's ends: narrow tokens widened before positions are added, narrowed for the head."""
    made = spec("encoder")
    assert made.encoder is not None
    assert made.encoder.embedding.d_embed is None
    embed = replace(made.encoder.embedding, d_embed=10, project_first=True, project_bias=False)
    head = VocabHead(vocab=VOCAB, tied=True, d_transform=10, transform_bias=False)
    return replace(made, encoder=replace(made.encoder, embedding=embed), heads=Heads(vocab=head))


def variants() -> dict[str, ModelSpec]:
    """Further models: latent attention, experts, missing and shared parts, untied heads."""
    decoder, encoder = spec("decoder"), spec("encoder")
    assert decoder.decoder is not None
    assert encoder.encoder is not None
    feed = decoder.decoder.blocks[0].feedforward
    rotary = RotaryPositions(theta=10000.0, d_rotary=2)
    latent = LatentSpec(q_rank=6, kv_rank=5, d_nope=3, d_rope=2, norm=NormSpec(kind="rms"))
    wide = attention(causal=True, positions=rotary, latent=latent, d_value=7)
    wide = replace(wide, d_head=5)
    mixed = ExpertsSpec(count=4, top=2, d_ff=8, shared=1, correction_bias=True)
    embed = replace(encoder.encoder.embedding, d_embed=10)
    inner = Heads(
        vocab=VocabHead(vocab=VOCAB, tied=False, transform="gelu", d_transform=12),
        classes=ClassHead(labels=("a", "b"), pooler="inner"),
        pair=PairHead(),
    )
    return {
        "latent": one_block(decoder, attention=wide),
        "latent, direct": one_block(
            decoder, attention=replace(wide, latent=replace(latent, q_rank=None))
        ),
        "experts": one_block(decoder, feedforward=replace(feed, experts=mixed)),
        "one norm": one_block(spec("parallel decoder"), shared_norm=True),
        "no first norm": one_block(decoder, first_norm=False),
        "shared layers": replace(
            encoder,
            encoder=replace(encoder.encoder, shared_layers=True, embedding=embed),
            heads=replace(ALL_HEADS, vocab=replace(ALL_HEADS.vocab, d_transform=10)),
        ),
        "other heads": replace(encoder, heads=inner),
        "classes of the last token": replace(decoder, heads=Heads(classes=LAST_TOKEN)),
        "classes of the mean": replace(
            encoder,
            heads=Heads(
                classes=ClassHead(
                    labels=LABELS,
                    pooler="inner",
                    activation="gelu",
                    of="mean",
                    inner_bias=False,
                    norm=NormSpec(bias=False),
                )
            ),
        ),
        "one table": replace(spec("translator"), shared_embedding=True),
        "widened first": widened_first(),
    }


@cache
def network(kind: str) -> Transformer:
    """The network of a kind, every weight redrawn so that no bias is 0 and no norm weight is 1."""
    torch.manual_seed(KINDS.index(kind))
    made = Transformer(spec(kind)).eval()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return made.requires_grad_(False)


def sentence(length: int, *, masked: tuple[int, ...] = (), offset: int = 0) -> Tokens:
    """Ids that do not repeat soon, with some positions masked."""
    ids = [MASK if i in masked else 5 + (7 * i + offset) % (VOCAB - 5) for i in range(length)]
    return Tokens.of_ids(ids, [f"w{i}" for i in ids])


def trace_of(
    kind: str, length: int = 7, target: int = 5, *, source: Tokens | None = None, **more: object
) -> Trace:
    """A run of one of `KINDS` on `length` source tokens (and `target` target tokens)."""
    source = sentence(length) if source is None else source
    made = network(kind)
    if made.spec.architecture == "encoder-decoder":
        more["target"] = sentence(target, offset=3)
    return run(made, RunRequest(source=source, **more))
