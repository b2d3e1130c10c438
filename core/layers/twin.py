"""Copies of a module that has no memory yet: making each layer anew would take most of the time a
checkpoint needs to load."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import torch
from torch import nn

Made = TypeVar("Made", bound=nn.Module)


def several(count: int, make: Callable[[], Made]) -> Iterator[Made]:
    """`count` equal modules; on the meta device all but the first are copies of it."""
    first = make()
    yield first
    empty = torch.get_default_device().type == "meta"
    for _ in range(1, count):
        yield twin(first) if empty else make()


_REGISTRIES = tuple(key for key, held in vars(nn.Module()).items() if isinstance(held, dict | set))
"""Where torch keeps parameters, children and hooks of a module."""


def twin(module: Made) -> Made:
    """The same module on the meta device, with registries of its own.

    Its parameters are the other one's until they are given memory: making placeholders only to
    replace them would take longer than all the rest.
    """
    made = object.__new__(type(module))
    own = made.__dict__
    own.update(module.__dict__)
    for key in _REGISTRIES:
        held = own[key]
        # Most are empty, and an ordered one takes five times as long to copy as to make.
        own[key] = held.copy() if held else type(held)()
    children = own["_modules"]
    for name, child in children.items():
        if child is not None:
            children[name] = twin(child)
    return made
