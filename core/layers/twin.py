"""Copies of a module that has no memory yet: making each layer anew would take most of the time a
checkpoint needs to load."""

from __future__ import annotations

from typing import Any, TypeVar

from torch import nn

Made = TypeVar("Made", bound=nn.Module)


def twin(module: Made) -> Made:
    """The same module on the meta device, with parameters and registries of its own."""
    made = object.__new__(type(module))
    own: dict[str, Any] = {
        key: value.copy() if isinstance(value, dict | set) else value
        for key, value in module.__dict__.items()
    }
    own["_parameters"] = {
        name: None if p is None else nn.Parameter(p.detach(), requires_grad=p.requires_grad)
        for name, p in module._parameters.items()
    }
    own["_modules"] = {
        name: None if child is None else twin(child) for name, child in module._modules.items()
    }
    made.__dict__ = own
    return made
