"""What the three models are, as specs of the core."""

from __future__ import annotations

from core.spec import (
    AttentionSpec,
    BlockSpec,
    ClassHead,
    EmbeddingSpec,
    FeedForwardSpec,
    Heads,
    LearnedPositions,
    ModelSpec,
    NormSpec,
    PairHead,
    RotaryPositions,
    SinusoidalPositions,
    SpecialIds,
    StackSpec,
    VocabHead,
)
from training.data.sentiment import LABELS
from training.vocabularies import DECODER_SIZE, ENCODER_SIZE, TRANSLATOR_SIZE

D_MODEL, HEADS, D_HEAD = 256, 8, 32
ENCODER_LAYERS, ENCODER_FF, ENCODER_POSITIONS = 6, 1024, 128
DECODER_LAYERS, DECODER_KV_HEADS, DECODER_FF, DECODER_POSITIONS = 6, 2, 704, 256
TRANSLATOR_LAYERS, TRANSLATOR_FF, TRANSLATOR_POSITIONS = 3, 512, 128
BERT_EPS, LLAMA_EPS, VANILLA_EPS, ROPE_THETA = 1e-12, 1e-5, 1e-5, 500_000.0


def encoder_spec(vocab: int = ENCODER_SIZE) -> ModelSpec:
    """BERT: post-norm, learned positions, segments; masked word, next sentence, sentiment."""
    norm = NormSpec(kind="layer", eps=BERT_EPS)
    block = BlockSpec(
        attention=AttentionSpec(d_model=D_MODEL, heads=HEADS, kv_heads=HEADS, d_head=D_HEAD),
        feedforward=FeedForwardSpec(d_model=D_MODEL, d_ff=ENCODER_FF, activation="gelu"),
        norm=norm,
        residual="post",
    )
    stack = StackSpec(
        name="encoder",
        embedding=EmbeddingSpec(
            vocab=vocab,
            d_model=D_MODEL,
            positions=LearnedPositions(size=ENCODER_POSITIONS),
            segments=2,
            norm=norm,
        ),
        blocks=(block,) * ENCODER_LAYERS,
        max_positions=ENCODER_POSITIONS,
    )
    heads = Heads(
        vocab=VocabHead(vocab=vocab, tied=True, bias=True, transform="gelu", transform_norm=norm),
        pair=PairHead(),
        classes=ClassHead(labels=LABELS, pooler="tanh"),
    )
    return ModelSpec(
        family="bert", name="encoder", encoder=stack, heads=heads, special=SpecialIds(pad=0, mask=4)
    )


def decoder_spec(vocab: int = DECODER_SIZE) -> ModelSpec:
    """Llama: RMSNorm before each sublayer, rotary positions, SwiGLU, grouped queries, tied head."""
    norm = NormSpec(kind="rms", eps=LLAMA_EPS, bias=False)
    attention = AttentionSpec(
        d_model=D_MODEL,
        heads=HEADS,
        kv_heads=DECODER_KV_HEADS,
        d_head=D_HEAD,
        qkv_bias=False,
        out_bias=False,
        positions=RotaryPositions(theta=ROPE_THETA, d_rotary=D_HEAD),
        causal=True,
    )
    block = BlockSpec(
        attention=attention,
        feedforward=FeedForwardSpec(
            d_model=D_MODEL, d_ff=DECODER_FF, activation="silu", gated=True, bias=False
        ),
        norm=norm,
        residual="pre",
    )
    stack = StackSpec(
        name="decoder",
        embedding=EmbeddingSpec(vocab=vocab, d_model=D_MODEL),
        blocks=(block,) * DECODER_LAYERS,
        final_norm=norm,
        max_positions=DECODER_POSITIONS,
    )
    return ModelSpec(
        family="llama",
        name="decoder",
        decoder=stack,
        heads=Heads(vocab=VocabHead(vocab=vocab, tied=True)),
        special=SpecialIds(end=(1,)),
    )


def translator_spec(vocab: int = TRANSLATOR_SIZE) -> ModelSpec:
    """The Transformer of 2017: post-norm, sinusoids, ReLU, one tied embedding for all three."""
    norm = NormSpec(kind="layer", eps=VANILLA_EPS)
    self_attention, masked, cross = (
        AttentionSpec(d_model=D_MODEL, heads=HEADS, kv_heads=HEADS, d_head=D_HEAD, causal=causal)
        for causal in (False, True, False)
    )
    feedforward = FeedForwardSpec(d_model=D_MODEL, d_ff=TRANSLATOR_FF, activation="relu")
    embedding = EmbeddingSpec(
        vocab=vocab,
        d_model=D_MODEL,
        positions=SinusoidalPositions(size=TRANSLATOR_POSITIONS),
        scale=D_MODEL**0.5,
    )
    encoder = StackSpec(
        name="encoder",
        embedding=embedding,
        blocks=(
            BlockSpec(
                attention=self_attention, feedforward=feedforward, norm=norm, residual="post"
            ),
        )
        * TRANSLATOR_LAYERS,
        max_positions=TRANSLATOR_POSITIONS,
    )
    decoder = StackSpec(
        name="decoder",
        embedding=embedding,
        blocks=(
            BlockSpec(
                attention=masked,
                feedforward=feedforward,
                norm=norm,
                residual="post",
                cross=cross,
            ),
        )
        * TRANSLATOR_LAYERS,
        max_positions=TRANSLATOR_POSITIONS,
    )
    return ModelSpec(
        family="vanilla",
        name="translator",
        encoder=encoder,
        decoder=decoder,
        heads=Heads(vocab=VocabHead(vocab=vocab, tied=True)),
        special=SpecialIds(pad=0, decoder_start=1, end=(2,)),
        shared_embedding=True,
    )


SPECS = {"encoder": encoder_spec, "decoder": decoder_spec, "translator": translator_spec}
