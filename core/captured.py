"""Recorded values: held or computed again, alone or behind the rows of an earlier run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import torch
from torch import Tensor

from core.axes import GROWING


@cache
def growing_dim(axes: tuple[str, ...]) -> int | None:
    """Index of the first growing axis."""
    return next((i for i, word in enumerate(axes) if word in GROWING), None)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to compute a value again, to the last bit, from values that are held.

    whole: the shape of what is computed, [batch, …]. kept: (dimension, how many of its first
    entries) are taken of that; None: all of it.
    """

    whole: torch.Size
    compute: Callable[[], Tensor]
    kept: tuple[int, int] | None = None

    @property
    def shape(self) -> torch.Size:
        if self.kept is None:
            return self.whole
        dim, count = self.kept
        return torch.Size((*self.whole[:dim], count, *self.whole[dim + 1 :]))

    def value(self) -> Tensor:
        with torch.no_grad():
            found = self.compute()
        return found if self.kept is None else found.narrow(self.kept[0], 0, self.kept[1])


class Captured:
    """A recorded value without its batch dimension, and one glossary word for each dimension.

    A run that continues another one holds its own rows and points to the earlier rows; `values`
    joins them along the growing axis when asked. What a `Recipe` tells is computed when asked for
    and not kept.
    """

    __slots__ = ("_held", "_joined", "axes", "growing", "length", "parent")

    def __init__(
        self, held: Tensor | Recipe, axes: tuple[str, ...], parent: Captured | None = None
    ) -> None:
        """held: [batch, …], of which the first is taken."""
        self._held = held if isinstance(held, Recipe) else held[0]
        self.axes = axes
        self.parent = parent
        self.growing = growing_dim(axes)
        """The first dimension that grows as tokens are appended; None when there is none."""
        before = 0 if parent is None else parent.length
        self.length: int = 0 if self.growing is None else before + held.shape[1 + self.growing]
        """Size of the growing dimension, known without joining."""
        self._joined: Tensor | None = None

    @property
    def own(self) -> Tensor:
        """This run's rows."""
        held = self._held
        return held.value()[0] if isinstance(held, Recipe) else held

    @property
    def bytes(self) -> int:
        """Bytes of this run's rows; 0 where they are computed again."""
        return 0 if isinstance(self._held, Recipe) else self._held.nbytes

    @property
    def values(self) -> Tensor:
        # `_joined` is read once: another thread may let it go meanwhile.
        if self.parent is None:
            return self.own
        joined = self._joined
        if joined is not None:
            return joined
        dim, chunks = self.growing, [self.own]
        link: Captured | None = self.parent
        while link is not None:
            held = link._joined
            chunks.append(link.own if held is None else held)
            link = link.parent if held is None else None
        self._joined = joined = torch.cat(chunks[::-1], dim=dim or 0)
        return joined

    def rows(self, positions: Sequence[int]) -> Tensor:
        """These places of the growing axis; nothing is joined where the newest rows hold them."""
        dim = self.growing or 0
        places = [place if place >= 0 else place + self.length for place in positions]
        first = 0 if self.parent is None else self.parent.length
        held = self._joined
        if held is None and min(places, default=0) >= first:
            held, places = self.own, [place - first for place in places]
        elif held is None:
            held = self.values
        return held.index_select(dim, torch.tensor(places, device=held.device))

    def forget(self) -> None:
        """Let go of joined rows; they are joined again when asked for."""
        if self.parent is not None:
            self._joined = None

    def cropped(self, length: int) -> Captured:
        """The first `length` rows of the growing axis: a view, or a copy where a view would keep
        more than twice as much in memory as it shows."""
        if self.growing is None or self.length == length:
            return self
        link: Captured = self
        while link.parent is not None and link.parent.length >= length:
            link = link.parent
        if link.length == length:
            return link
        before = 0 if link.parent is None else link.parent.length
        return Captured(link._first(length - before), self.axes, link.parent)

    def _first(self, count: int) -> Tensor | Recipe:
        """The first `count` of this run's rows, [batch, …]."""
        dim, held = 1 + (self.growing or 0), self._held
        if isinstance(held, Recipe):
            # From what is computed first, not from this: each crop would wrap the one before it.
            shorter = replace(held, kept=(dim, count))
            return shorter if 2 * count >= held.whole[dim] else shorter.value().clone()
        rows = held[None].narrow(dim, 0, count)
        return rows if 2 * rows.nbytes >= rows.untyped_storage().nbytes() else rows.clone()
