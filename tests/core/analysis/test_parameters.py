from __future__ import annotations

import pytest
from torch import nn

from core.analysis import parameters
from core.checkpoints.build import describe
from core.checkpoints.config import Config
from core.families import families
from core.model import Transformer
from tests.traces import KINDS, spec, variants


def weights(module: nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())


MODELS = {
    **{kind: spec(kind) for kind in KINDS},
    **variants(),
    **{
        f"{family.name} {i}": describe(Config(tiny))
        for family in families()
        for i, tiny in enumerate(family.tiny)
    },
}


@pytest.mark.parametrize("name", MODELS)
def test_every_weight_is_counted_once(name: str) -> None:
    made = MODELS[name]
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
