"""Tiny models from a spec alone, every parameter redrawn so that no fault hides."""

from __future__ import annotations

import torch

from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import (
    AlibiPositions,
    AttentionPositions,
    AttentionSpec,
    BlockSpec,
    EmbeddingSpec,
    FeedForwardSpec,
    Heads,
    LearnedPositions,
    ModelSpec,
    NormSpec,
    PairHead,
    RelativeBuckets,
    ResidualKind,
    RotaryPositions,
    SinusoidalPositions,
    SpecialIds,
    StackSpec,
    VocabHead,
)
from core.tokens import Tokens
from core.trace import Trace

VOCAB, WIDTH, HEADS = 64, 32, 4
NORM = NormSpec()
POSITIONS: dict[str, AttentionPositions | None] = {
    "none": None,
    "rotary": RotaryPositions(theta=10000.0, d_rotary=8),
    "rotary interleaved": RotaryPositions(theta=500.0, d_rotary=4, interleaved=True),
    "buckets": RelativeBuckets(buckets=8, max_distance=20, bidirectional=False),
    "alibi": AlibiPositions(),
}


def redraw(network: Transformer, seed: int = 0) -> Transformer:
    """Weights and biases N(0, 0.3), norm weights 1 + N(0, 0.3)."""
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in network.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator) * 0.3
        is_norm = "norm" in name and name.endswith("weight")
        parameter.data.copy_(1 + noise if is_norm else noise)
    return network.eval()


def attention(
    *,
    causal: bool,
    kv_heads: int = HEADS,
    positions: AttentionPositions | None = None,
    window: int | None = None,
    softcap: float | None = None,
) -> AttentionSpec:
    return AttentionSpec(
        d_model=WIDTH,
        heads=HEADS,
        kv_heads=kv_heads,
        d_head=8,
        causal=causal,
        positions=positions,
        window=window,
        softcap=softcap,
    )


def feedforward(*, gated: bool = False) -> FeedForwardSpec:
    return FeedForwardSpec(
        d_model=WIDTH, d_ff=48, activation="silu" if gated else "gelu", gated=gated
    )


def block(attention: AttentionSpec, residual: ResidualKind = "pre", **more: object) -> BlockSpec:
    return BlockSpec(
        attention=attention,
        feedforward=feedforward(),
        norm=NORM,
        residual=residual,
        **more,  # type: ignore[arg-type]
    )


def decoder(*blocks: BlockSpec, seed: int = 0, max_positions: int | None = None) -> Transformer:
    """A decoder-only model; three blocks of rotary grouped-query attention when none is given."""
    if not blocks:
        rotary = attention(causal=True, kv_heads=2, positions=POSITIONS["rotary"])
        blocks = (block(rotary),) * 3
    spec = ModelSpec(
        family="tiny",
        name="tiny decoder",
        decoder=StackSpec(
            name="decoder",
            embedding=EmbeddingSpec(vocab=VOCAB, d_model=WIDTH),
            blocks=blocks,
            final_norm=NORM,
            max_positions=max_positions,
        ),
        heads=Heads(vocab=VocabHead(vocab=VOCAB, tied=False)),
    )
    return redraw(Transformer(spec), seed)


def encoder(seed: int = 0) -> Transformer:
    """BERT's shape, with masked-word and pair heads."""
    spec = ModelSpec(
        family="tiny",
        name="tiny encoder",
        encoder=_encoder_stack(),
        heads=Heads(
            vocab=VocabHead(
                vocab=VOCAB, tied=True, bias=True, transform="gelu", transform_norm=NORM
            ),
            pair=PairHead(),
        ),
        special=SpecialIds(mask=3, pad=0),
    )
    return redraw(Transformer(spec), seed)


def encoder_decoder(seed: int = 0) -> Transformer:
    """The 2017 shape: post-norm, sinusoidal, shared embedding."""
    own, cross = attention(causal=True), attention(causal=False)
    spec = ModelSpec(
        family="tiny",
        name="tiny translator",
        encoder=_encoder_stack(),
        decoder=StackSpec(
            name="decoder",
            embedding=EmbeddingSpec(
                vocab=VOCAB, d_model=WIDTH, positions=SinusoidalPositions(size=64), scale=3.0
            ),
            blocks=(block(own, "post", cross=cross),) * 2,
            max_positions=64,
        ),
        heads=Heads(vocab=VocabHead(vocab=VOCAB, tied=True)),
        special=SpecialIds(decoder_start=2, pad=0, end=(1,)),
        shared_embedding=True,
    )
    return redraw(Transformer(spec), seed)


def _encoder_stack() -> StackSpec:
    return StackSpec(
        name="encoder",
        embedding=EmbeddingSpec(
            vocab=VOCAB,
            d_model=WIDTH,
            positions=LearnedPositions(size=64),
            segments=2,
            norm=NORM,
        ),
        blocks=(block(attention(causal=False), "post"),) * 3,
        max_positions=64,
    )


def ids(count: int, seed: int = 0) -> list[int]:
    """Random token ids, none of them below 4."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(4, VOCAB, (count,), generator=generator).tolist()


def trace(network: Transformer, source: list[int] | Tokens, **more: object) -> Trace:
    """Run ids or Tokens."""
    tokens = source if isinstance(source, Tokens) else Tokens.of_ids(source)
    target = more.pop("target", None)
    if isinstance(target, list):
        target = Tokens.of_ids(target)
    previous = more.pop("previous", None)
    request = RunRequest(source=tokens, target=target, **more)  # type: ignore[arg-type]
    return run(network, request, previous=previous)  # type: ignore[arg-type]


class Bare:
    """A network dressed as a model, without a tokenizer."""

    def __init__(self, network: Transformer) -> None:
        self.network = network
        self.spec = network.spec
        self.tokenizer = None

    def run(
        self, request: RunRequest, *, previous: Trace | None = None, should_stop: object = None
    ) -> Trace:
        return run(self.network, request, previous=previous)
