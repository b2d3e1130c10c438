"""More layers for a trained model that begin as what it was (Chen et al. 2016, "Net2Net")."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from core.model import Transformer

OUTPUTS = ("attention.out", "feedforward.out")
NORMS = ("residual.self.norm", "residual.ffn.norm")


@torch.no_grad()
def deepen(shallow: Transformer, deep: Transformer, look: Callable[[Transformer], object]) -> None:
    """Fill `deep` with the weights of `shallow`, its further layers on top adding nothing yet.

    They differ in the layers of their only stack, or in nothing. A further layer copies the one
    as many layers below it, but for what writes to the residual stream, which is zero. Before-norm
    layers then pass on exactly what they get. After-norm layers cannot, as each norm takes the
    mean and the spread of every position away: theirs give back the mean ones, found by
    `look`, which runs `shallow` on a batch.
    """
    stack = shallow.spec.main_stack
    deep_layers = deep.spec.main_stack.layers
    added = deep_layers - stack.layers
    if added < 0 or added > stack.layers:
        raise ValueError(f"{stack.layers} layers cannot become {deep_layers}")
    if not added:
        deep.load_state_dict(shallow.state_dict())
        return
    state = dict(shallow.state_dict())
    mean, spread = _passed_on(shallow, look)
    after = stack.blocks[-1].residual == "post"
    for layer in range(stack.layers, deep_layers):
        below, above = (f"{stack.name}.blocks.{k}." for k in (layer - added, layer))
        for key in [key for key in state if key.startswith(below)]:
            part = key.removeprefix(below)
            module, _, kind = part.rpartition(".")
            value = state[key].clone()
            if module in OUTPUTS:
                value.zero_()
            elif after and module in NORMS:
                value.fill_(spread if kind == "weight" else mean)
            state[above + part] = value
    deep.load_state_dict(state)


def _passed_on(model: Transformer, look: Callable[[Transformer], object]) -> tuple[float, float]:
    """Mean and spread over the features of what the last layer gives, averaged over positions."""
    kept: list[Tensor] = []
    last = model.stack(model.spec.main_stack.name).blocks[-1]
    handle = last.register_forward_hook(lambda _module, _args, output: kept.append(output))
    try:
        look(model)
    finally:
        handle.remove()
    states = kept[0]
    return float(states.mean(-1).mean()), float(states.std(-1, correction=0).mean())
