"""What may have to be done to a checkpoint's tensor: nothing, a transpose, a split.

Each change says which shape it expects, given the shapes it must produce, and then makes them as
views wherever it can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from torch import Tensor

Shape = tuple[int, ...]


class Change(Protocol):
    def source_shape(self, targets: Sequence[Shape]) -> Shape:
        """The shape the checkpoint's tensor must have."""
        ...

    def apply(self, tensor: Tensor, targets: Sequence[Shape]) -> list[Tensor]:
        """The tensors for the targets, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Keep:
    """The tensor as it is."""

    def source_shape(self, targets: Sequence[Shape]) -> Shape:
        return targets[0]

    def apply(self, tensor: Tensor, targets: Sequence[Shape]) -> list[Tensor]:
        return [tensor]


@dataclass(frozen=True, slots=True)
class Row:
    """A vector stored with a leading dimension of 1 (BART's bias on the logits)."""

    def source_shape(self, targets: Sequence[Shape]) -> Shape:
        return (1, *targets[0])

    def apply(self, tensor: Tensor, targets: Sequence[Shape]) -> list[Tensor]:
        return [tensor[0]]


@dataclass(frozen=True, slots=True)
class Rows:
    """Several matrices (or vectors) stored below one another: a fused q, k, v or gate and in."""

    def source_shape(self, targets: Sequence[Shape]) -> Shape:
        return (sum(shape[0] for shape in targets), *targets[0][1:])

    def apply(self, tensor: Tensor, targets: Sequence[Shape]) -> list[Tensor]:
        return list(tensor.split([shape[0] for shape in targets]))


@dataclass(frozen=True, slots=True)
class Columns:
    """Matrices stored as [in, out] side by side (GPT-2's Conv1D), or one vector of all biases."""

    def source_shape(self, targets: Sequence[Shape]) -> Shape:
        return (*targets[0][1:], sum(shape[0] for shape in targets))

    def apply(self, tensor: Tensor, targets: Sequence[Shape]) -> list[Tensor]:
        parts = [tensor]
        if len(targets) > 1:
            parts = list(tensor.split_with_sizes([shape[0] for shape in targets], dim=-1))
        return [part.T if part.dim() == 2 else part for part in parts]


@dataclass(frozen=True, slots=True)
class HeadRows:
    """Rows fused head by head, [head, target, d_head] (GPT-NeoX); undoing it takes a copy."""

    heads: int

    def source_shape(self, targets: Sequence[Shape]) -> Shape:
        return Rows().source_shape(targets)

    def apply(self, tensor: Tensor, targets: Sequence[Shape]) -> list[Tensor]:
        by_head = tensor.unflatten(0, (self.heads, len(targets), -1))
        return [by_head[:, i].flatten(0, 1) for i in range(len(targets))]


@dataclass(frozen=True, slots=True)
class ExpertRows:
    """[expert, rows, in]: for each expert its matrices below one another."""

    per_expert: int = 1

    def source_shape(self, targets: Sequence[Shape]) -> Shape:
        one = targets[: self.per_expert]
        return (len(targets) // self.per_expert, *Rows().source_shape(one))

    def apply(self, tensor: Tensor, targets: Sequence[Shape]) -> list[Tensor]:
        one = targets[: self.per_expert]
        return [part for expert in tensor for part in Rows().apply(expert, one)]
