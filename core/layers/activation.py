"""Activation functions by their name in a spec."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from core.spec import Activation


def quick_gelu(x: Tensor) -> Tensor:
    """x · sigmoid(1.702 x)."""
    return x * torch.sigmoid(1.702 * x)


def relu_squared(x: Tensor) -> Tensor:
    return F.relu(x).square()


def gelu_tanh(x: Tensor) -> Tensor:
    """The tanh form of GELU (Hendrycks & Gimpel 2016), as GPT-2 and Gemma use it."""
    return F.gelu(x, approximate="tanh")


ACTIVATIONS: dict[Activation, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "gelu_tanh": gelu_tanh,
    "relu": F.relu,
    "silu": F.silu,
    "quick_gelu": quick_gelu,
    "relu_squared": relu_squared,
}
