"""What the forward pass leaves on record: named values, and the recorder that takes them.

The forward pass hands every intermediate to a `Recorder` by name. The name of a recorded value is a
`Site`; `SITES` documents them all. Attention patterns are not among them: they are derived from q
and k when somebody looks (`core.trace`), which costs a fraction of storing them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import torch
from torch import Tensor

from core.axes import GROWING, parse
from core.edits import Edit, apply
from core.errors import Cancelled

SITES: dict[str, tuple[str, str]] = {
    # {stack}.embed.*
    "embed.token": ("position d_embed", "token embedding, scaled (and projected) as it is added"),
    "embed.position": ("position d_embed", "position embedding (learned or sinusoidal)"),
    "embed.segment": ("position d_embed", "segment (sentence A or B) embedding"),
    "embed.sum": ("position d_embed", "token + position + segment"),
    "embed.out": ("position d_model", "what enters layer 0: the sum, normalised and projected"),
    # {stack}.{layer}.self.* and {stack}.{layer}.cross.*
    "self.q": ("head query d_head", "queries, after query norm and rotation"),
    "self.k": ("kv_head key d_head", "keys, after key norm and rotation"),
    "self.v": ("kv_head key d_head", "values"),
    "self.scores": ("head query key", "q·k scaled, soft-capped, biased; only when edited"),
    "self.pattern": ("head query key", "softmax weights; recorded only when edited"),
    "self.context": ("head query d_head", "Σ pattern · v, for each head"),
    "self.out": ("position d_model", "context of all heads through W_O"),
    "cross.*": ("", "the same for cross-attention; keys and values come from the encoder"),
    # {stack}.{layer}.norm.*
    "norm.self": ("position d_model", "output of the norm of the self-attention sublayer"),
    "norm.cross": ("position d_model", "output of the norm of the cross-attention sublayer"),
    "norm.ffn": ("position d_model", "output of the norm of the feed-forward sublayer"),
    "norm.self_post": ("position d_model", "second norm of a sandwich, after attention"),
    "norm.ffn_post": ("position d_model", "second norm of a sandwich, after feed-forward"),
    # {stack}.{layer}.ffn.*
    "ffn.inner": ("position d_ff", "x·W_in before the activation"),
    "ffn.gate": ("position d_ff", "x·W_gate before the activation (gated only)"),
    "ffn.act": ("position d_ff", "after the activation, and after gating"),
    "ffn.router": ("position expert", "weight of each expert, 0 where it does not run"),
    "ffn.out": ("position d_model", "output of the feed-forward network"),
    # {stack}.{layer}.resid.*
    "resid.self_sum": ("position d_model", "h + attention, before the norm (post-norm only)"),
    "resid.self": ("position d_model", "residual stream after the self-attention sublayer"),
    "resid.cross_sum": ("position d_model", "h + cross-attention, before the norm (post-norm)"),
    "resid.cross": ("position d_model", "residual stream after the cross-attention sublayer"),
    "resid.out_sum": ("position d_model", "the last sum before the norm (post-norm and joint)"),
    "resid.out": ("position d_model", "residual stream after the layer"),
    # {stack}.final.*
    "final.norm": ("position d_model", "output of the stack's last norm"),
}
"""Every recorded site with its axes and meaning, without the stack and layer in front."""


@dataclass(frozen=True, slots=True)
class Site:
    """The name of a recorded value; prints as "decoder.3.self.q" or "encoder.embed.sum"."""

    stack: str
    layer: int | None
    part: str
    name: str

    def __str__(self) -> str:
        layer = "" if self.layer is None else f"{self.layer}."
        return f"{self.stack}.{layer}{self.part}.{self.name}"


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


class Recorder:
    """Takes values by name during the forward pass and hands them back, perhaps edited.

    `rec.at("decoder", 3, "self")` gives a recorder that prefixes names. Values have a leading batch
    dimension; their rank is checked against the axis words. should_stop is asked once a part;
    Cancelled is raised when it says so.
    """

    __slots__ = ("_edits", "_prefix", "_should_stop", "axes", "store")
    active = True

    def __init__(
        self,
        edits: Iterable[Edit] = (),
        *,
        should_stop: Callable[[], bool] | None = None,
    ) -> None:
        self.store: dict[str, Tensor | Recipe] = {}
        self.axes: dict[str, tuple[str, ...]] = {}
        self._edits: dict[str, list[Edit]] = {}
        for edit in edits:
            self._edits.setdefault(edit.site, []).append(edit)
        self._prefix = ""
        self._should_stop = should_stop

    def at(self, stack: str, layer: int | None, part: str) -> Recorder:
        if self._should_stop is not None and self._should_stop():
            raise Cancelled("the run was stopped")
        layer_text = "" if layer is None else f"{layer}."
        scoped = Recorder.__new__(Recorder)
        scoped.store, scoped.axes = self.store, self.axes
        scoped._edits = self._edits
        scoped._prefix = f"{stack}.{layer_text}{part}."
        scoped._should_stop = None
        return scoped

    def edits(self, *names: str) -> bool:
        """True when one of these values is to be edited, so it must be computed explicitly."""
        return bool(self._edits) and any(self._prefix + name in self._edits for name in names)

    def __call__(self, name: str, value: Tensor, axes: str) -> Tensor:
        site = self._prefix + name
        words = self._note(site, value, axes)
        for edit in self._edits.get(site, ()):
            value = apply(edit, value, words)
        self.store[site] = value
        return value

    def derived(self, name: str, value: Tensor, axes: str, compute: Callable[[], Tensor]) -> Tensor:
        """The same for what `compute` makes again in next to no time out of values that are held
        anyway: only that is kept, which for a long text is a third of the memory. An edited value
        is kept as it is."""
        site = self._prefix + name
        if site in self._edits:
            return self(name, value, axes)
        self._note(site, value, axes)
        self.store[site] = Recipe(value.shape, compute)
        return value

    def _note(self, site: str, value: Tensor, axes: str) -> tuple[str, ...]:
        """Check a value against its axes and keep those."""
        if site in self.store:
            raise RuntimeError(f"site {site} was recorded twice in one run")
        words = parse(axes) if axes not in _PARSED else _PARSED[axes]
        _PARSED[axes] = words
        if value.dim() != len(words) + 1:
            raise RuntimeError(
                f"site {site} has shape {tuple(value.shape)}, but its axes are batch {axes}"
            )
        self.axes[site] = words
        return words


_PARSED: dict[str, tuple[str, ...]] = {}


class _Silent(Recorder):
    """Records nothing; for training and for timing a bare forward."""

    __slots__ = ()
    active = False

    def at(self, stack: str, layer: int | None, part: str) -> Recorder:
        return self

    def edits(self, *names: str) -> bool:
        return False

    def __call__(self, name: str, value: Tensor, axes: str) -> Tensor:
        return value

    def derived(self, name: str, value: Tensor, axes: str, compute: Callable[[], Tensor]) -> Tensor:
        return value


SILENT: Recorder = _Silent()
