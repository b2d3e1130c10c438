from __future__ import annotations

from dataclasses import replace

import pytest
from torch import nn

from core.analysis import parameters
from core.model import Transformer
from core.spec import (
    ClassHead,
    ExpertsSpec,
    Heads,
    LatentSpec,
    ModelSpec,
    NormSpec,
    PairHead,
    RotaryPositions,
    VocabHead,
)
from tests.traces import KINDS, VOCAB, attention, spec


def weights(module: nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())


def one_block(made: ModelSpec, **changes: object) -> ModelSpec:
    assert made.decoder is not None
    block = replace(made.decoder.blocks[0], **changes)
    return replace(made, decoder=replace(made.decoder, blocks=(block,) * 3))


def variants() -> dict[str, ModelSpec]:
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
        **{kind: spec(kind) for kind in KINDS},
        "latent": one_block(decoder, attention=wide),
        "latent, direct": one_block(
            decoder, attention=replace(wide, latent=replace(latent, q_rank=None))
        ),
        "experts": one_block(decoder, feedforward=replace(feed, experts=mixed)),
        "one norm": one_block(spec("parallel decoder"), shared_norm=True),
        "no first norm": one_block(decoder, first_norm=False),
        "shared layers": replace(
            encoder, encoder=replace(encoder.encoder, shared_layers=True, embedding=embed)
        ),
        "other heads": replace(encoder, heads=inner),
        "one table": replace(spec("translator"), shared_embedding=True),
    }


@pytest.mark.parametrize("name", variants())
def test_every_weight_is_counted_once(name: str) -> None:
    made = variants()[name]
    network = Transformer(made)
    assert parameters.model(made) == weights(network)
    for stack in made.stacks:
        memory = made.encoder.d_model if made.encoder is not None else None
        module = network.stack(stack.name)
        assert parameters.stack(stack, memory) == weights(module)
        block, built = stack.blocks[0], module.block(0)
        assert parameters.attention(block.attention) == weights(built.attention)
        assert parameters.feedforward(block.feedforward) == weights(built.feedforward)
        if built.cross is not None and block.cross is not None:
            assert parameters.attention(block.cross, memory) == weights(built.cross)
        assert parameters.block(block, memory) == weights(built)
    bank = parameters.heads(made.heads, made.main_stack.d_model)
    assert sum(bank.values()) == weights(network.heads)
