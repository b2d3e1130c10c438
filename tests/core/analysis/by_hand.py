"""The model's formulas once more, in float64 numpy, to check against."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def array(tensor: Any) -> Array:
    return tensor.detach().double().numpy()


def norm(module: Any, x: Array) -> Array:
    """LayerNorm or RMSNorm as its spec says."""
    eps = module.spec.eps
    if module.spec.kind == "layer":
        centred = x - x.mean(axis=-1, keepdims=True)
        y = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
    else:
        y = x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps)
    if module.weight is not None:
        y = y * (array(module.weight) + (1 if module.spec.unit_offset else 0))
    return y if module.bias is None else y + array(module.bias)


def gelu(x: Array) -> Array:
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def linear(module: Any, x: Array) -> Array:
    y = x @ array(module.weight).T
    return y if module.bias is None else y + array(module.bias)


def softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def vocabulary(network: Any, states: Array) -> Array:
    """Logits of states that are already normalised; heads with dense-gelu-norm or without."""
    head = network.heads.vocab
    if head.dense is not None:
        states = norm(head.norm, gelu(linear(head.dense, states)))
    table = network.stack(network.spec.main_stack.name).embedding.token.weight
    logits = states @ array(table).T
    return logits if head.bias is None else logits + array(head.bias)
