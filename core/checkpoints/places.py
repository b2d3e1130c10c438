"""A network without memory for its weights, and where each of them goes."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import torch
from torch import Tensor, nn

from core.heads import HeadBank
from core.model import Transformer
from core.spec import ModelSpec


class Place(NamedTuple):
    """own: the registry of a module, leaf: a name in it."""

    own: dict[str, nn.Parameter | None]
    leaf: str
    shape: tuple[int, ...]

    def put(self, tensor: Tensor) -> None:
        """Make the tensor the parameter. Not by setattr, which searches every registry of a module
        for an old value."""
        self.own[self.leaf] = nn.Parameter(tensor, requires_grad=False)


Places = dict[str, Place]
"""Parameter -> its place, in the order of `named_parameters`."""


def skeleton(spec: ModelSpec) -> Transformer:
    """The network without memory, in evaluation mode."""
    with torch.device("meta"):
        network = Transformer(spec)
    _rest(network)
    return network


def with_heads(network: Transformer, spec: ModelSpec, places: Places) -> Places:
    """Give a network without memory the heads of `spec`; its places then."""
    with torch.device("meta"):
        network.heads = HeadBank(spec.heads, spec.main_stack.d_model)
    _rest(network.heads)
    kept = {name: place for name, place in places.items() if not name.startswith("heads.")}
    return kept | places_of(network.heads, "heads.")


def places_of(network: nn.Module, prefix: str = "") -> Places:
    """Every parameter once; a module that stands in two places counts where it stands first."""
    found: Places = {}
    _add(found, set(), network, prefix)
    return found


def _add(found: Places, seen: set[nn.Module], module: nn.Module, prefix: str) -> None:
    if module in seen:
        return
    seen.add(module)
    own = module._parameters
    for leaf, parameter in own.items():
        if parameter is not None:
            found[prefix + leaf] = Place(own, leaf, parameter.shape)
    for name, child in module._modules.items():
        if child is not None:
            _add(found, seen, child, f"{prefix}{name}.")


def count(places: Places) -> int:
    """Number of weights."""
    return sum(prod(place.shape) for place in places.values())


def _rest(module: nn.Module) -> None:
    """`module.eval()` without its detour over `setattr`, which takes as long as reading a file."""
    vars(module)["training"] = False
    for child in module._modules.values():
        if child is not None:
            _rest(child)
