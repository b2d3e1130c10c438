"""The same weights under another head sharing: what grouped-query attention would cost."""

from __future__ import annotations

import copy
from dataclasses import replace

import torch
from torch import Tensor

from core.errors import RequestError
from core.layers.attention import Attention
from core.layers.linear import Linear
from core.model import Transformer
from core.spec import StackSpec


def pool_key_value_heads(network: Transformer, kv_heads: int) -> Transformer:
    """A network whose decoder self-attention has `kv_heads` key/value heads, each the mean of the
    heads it replaces (Ainslie et al. 2023, section 2.1). All other weights are shared with
    `network`, which stays as it is.

    Raises RequestError when the heads cannot be shared so.
    """
    if network.decoder is None or network.spec.decoder is None:
        raise RequestError(f"{network.spec.name} has no decoder, so it keeps no key/value cache")
    _check(network.spec.decoder, kv_heads)
    shared: dict[int, object] = {id(p): p for p in network.parameters()}
    pooled: Transformer = copy.deepcopy(network, shared)
    blocks = tuple(
        replace(b, attention=replace(b.attention, kv_heads=kv_heads))
        for b in network.spec.decoder.blocks
    )
    stack_spec = replace(network.spec.decoder, blocks=blocks)
    pooled.spec = replace(network.spec, decoder=stack_spec)
    stack = pooled.stack("decoder")
    stack.spec = stack_spec
    for index, block in enumerate(stack.blocks):
        attention = block.attention
        assert isinstance(attention, Attention)
        old = attention.spec
        block.spec = blocks[index]  # type: ignore[assignment]
        attention.spec = blocks[index].attention
        attention.k = _pool(attention.k, old.kv_heads, kv_heads)
        attention.v = _pool(attention.v, old.kv_heads, kv_heads)
    return pooled


def _check(stack: StackSpec, kv_heads: int) -> None:
    for block in stack.blocks:
        attention = block.attention
        if attention.latent is not None:
            raise RequestError("latent attention already shares one vector among all heads")
        if kv_heads < 1 or attention.kv_heads % kv_heads:
            fits = [g for g in range(1, attention.kv_heads + 1) if attention.kv_heads % g == 0]
            raise RequestError(
                f"{attention.kv_heads} key/value heads cannot be pooled into {kv_heads}; "
                f"possible are {', '.join(map(str, fits))}"
            )


def _pool(linear: Linear, old: int, new: int) -> Linear:
    def mean(rows: Tensor) -> torch.nn.Parameter:
        grouped = rows.detach().unflatten(0, (new, old // new, -1)).mean(1).flatten(0, 1)
        return torch.nn.Parameter(grouped, requires_grad=False)

    made = Linear(1, 1, bias=linear.bias is not None)
    made.in_features = linear.in_features
    made.weight = mean(linear.weight)
    made.out_features = made.weight.shape[0]
    if linear.bias is not None:
        made.bias = mean(linear.bias)
    return made
