"""A model with more layers begins as the one it was made from."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from core.model import Transformer
from core.spec import ModelSpec
from training.deepen import deepen
from training.optim import initialise
from training.shapes import decoder_spec, encoder_spec, translator_spec

IDS = torch.tensor([[2, 11, 12, 13, 3, 14, 3, 0], [2, 21, 22, 23, 24, 25, 26, 3]])


def with_layers(spec: ModelSpec, layers: int) -> ModelSpec:
    stack = replace(spec.main_stack, blocks=spec.main_stack.blocks[:1] * layers)
    return replace(spec, **{stack.name: stack})


def drawn(spec: ModelSpec) -> Transformer:
    """A model whose every parameter is random, norms too."""
    model = Transformer(spec)
    initialise(model, block_std=0.05, seed=0)
    for name, parameter in model.named_parameters():
        if "norm" in name:
            torch.nn.init.normal_(parameter, mean=float("weight" in name), std=0.1)
    return model.eval()


def test_before_norm_layers_change_nothing() -> None:
    spec = with_layers(decoder_spec(vocab=40), 2)
    shallow, deep = drawn(spec), Transformer(with_layers(spec, 4)).eval()
    deepen(shallow, deep, lambda model: model.decode(IDS))
    with torch.no_grad():
        assert torch.equal(deep.decode(IDS), shallow.decode(IDS))
    blocks = deep.stack("decoder").blocks
    for layer, below in ((2, 0), (3, 1)):
        for key, value in blocks[layer].state_dict().items():
            if key.startswith(("attention.out", "feedforward.out")):
                assert not value.any()
            else:
                assert torch.equal(value, blocks[below].state_dict()[key])


def test_after_norm_layers_change_little() -> None:
    spec = with_layers(encoder_spec(vocab=40), 4)
    shallow, deep = drawn(spec), Transformer(with_layers(spec, 6)).eval()
    untouched = drawn(with_layers(spec, 6))
    deepen(shallow, deep, lambda model: model.encode(IDS))
    with torch.no_grad():
        before, after, other = (m.encode(IDS) for m in (shallow, deep, untouched))
    assert (after - before).abs().mean() < 0.05 * before.std()
    assert (other - before).abs().mean() > 0.3 * before.std()


def test_a_model_of_two_stacks_comes_as_it_is() -> None:
    spec = translator_spec(vocab=40)
    shallow, deep = drawn(spec), Transformer(spec)
    deepen(shallow, deep, lambda model: pytest.fail("nothing to look at"))
    for key, value in deep.state_dict().items():
        assert torch.equal(value, shallow.state_dict()[key])


@pytest.mark.parametrize("layers", [1, 5])
def test_what_cannot_be_made_is_said(layers: int) -> None:
    spec = with_layers(encoder_spec(vocab=40), 2)
    deep = Transformer(with_layers(spec, layers))
    with pytest.raises(ValueError, match=f"2 layers cannot become {layers}"):
        deepen(Transformer(spec), deep, lambda model: model.encode(IDS))
