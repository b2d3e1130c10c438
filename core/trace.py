"""What a run leaves behind: named, axis-labelled tensors, and the questions one may ask of them.

The forward pass hands every intermediate to a `Recorder` by name. The name of a recorded value is a
`Site`; `SITES` documents them all. Attention patterns are not among them: they are derived from q
and k when somebody looks (`Trace.pattern`), which costs a fraction of storing them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol, TypeVar

import torch
from torch import Tensor

from core.axes import GROWING, parse
from core.errors import Cancelled, RequestError
from core.spec import ModelSpec
from core.tokens import Tokens

SITES: dict[str, tuple[str, str]] = {
    # {stack}.embed.*
    "embed.token": ("position d_embed", "token embedding, times the embedding scale"),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A change made to a value on its way: ablate a head, paint a pattern.

    site: as printed by `Site`. at: (axis word, index) pairs; axes not named are taken whole.
    mode "set" writes `value`, "scale" multiplies by it.
    """

    site: str
    at: tuple[tuple[str, int], ...] = ()
    value: float = 0.0
    mode: str = "set"


@cache
def growing_dim(axes: tuple[str, ...]) -> int | None:
    """Index of the first growing axis."""
    return next((i for i, word in enumerate(axes) if word in GROWING), None)


class Captured:
    """A recorded tensor without its batch dimension, and one glossary word for each dimension.

    A run that continues another one holds its own rows and points to the earlier rows; `values`
    joins them along the growing axis when asked.
    """

    __slots__ = ("_joined", "axes", "growing", "length", "own", "parent")

    def __init__(self, own: Tensor, axes: tuple[str, ...], parent: Captured | None = None) -> None:
        self.own = own
        self.axes = axes
        self.parent = parent
        self.growing = growing_dim(axes)
        """The first dimension that grows as tokens are appended; None when there is none."""
        before = 0 if parent is None else parent.length
        self.length: int = 0 if self.growing is None else before + own.shape[self.growing]
        """Size of the growing dimension, known without joining."""
        self._joined: Tensor | None = own if parent is None else None

    @property
    def values(self) -> Tensor:
        if self._joined is None:
            dim, chunks, link = self.growing, [self.own], self.parent
            while link is not None:
                chunks.append(link._joined if link._joined is not None else link.own)
                link = None if link._joined is not None else link.parent
            self._joined = torch.cat(chunks[::-1], dim=dim or 0)
        return self._joined

    def cropped(self, length: int) -> Captured:
        """The first `length` rows of the growing axis, as a view where possible."""
        dim = self.growing
        if dim is None or self.length == length:
            return self
        link: Captured = self
        while link.parent is not None and link.parent.length >= length:
            link = link.parent
        if link.length == length:
            return link
        return Captured(link.values.narrow(dim, 0, length), self.axes)


class Recorder:
    """Takes values by name during the forward pass and hands them back, perhaps edited.

    `rec.at("decoder", 3, "self")` gives a recorder that prefixes names. Values have a leading batch
    dimension; their rank is checked against the axis words. offset: how many positions an earlier
    run computed, so that edits at absolute positions land on the right rows. should_stop is asked
    once a part; Cancelled is raised when it says so.
    """

    __slots__ = ("_edits", "_offset", "_prefix", "_should_stop", "axes", "edited", "store")
    active = True

    def __init__(
        self,
        edits: Iterable[Edit] = (),
        *,
        should_stop: Callable[[], bool] | None = None,
        offset: int = 0,
    ) -> None:
        self.store: dict[str, Tensor] = {}
        self.axes: dict[str, tuple[str, ...]] = {}
        self.edited: set[str] = set()
        self._edits: dict[str, list[Edit]] = {}
        for edit in edits:
            self._edits.setdefault(edit.site, []).append(edit)
        self._prefix = ""
        self._offset = offset
        self._should_stop = should_stop

    def at(self, stack: str, layer: int | None, part: str) -> Recorder:
        if self._should_stop is not None and self._should_stop():
            raise Cancelled("the run was stopped")
        layer_text = "" if layer is None else f"{layer}."
        scoped = Recorder.__new__(Recorder)
        scoped.store, scoped.axes, scoped.edited = self.store, self.axes, self.edited
        scoped._edits = self._edits
        scoped._prefix = f"{stack}.{layer_text}{part}."
        scoped._offset = self._offset
        scoped._should_stop = None
        return scoped

    def edits(self, *names: str) -> bool:
        """True when one of these values is to be edited, so it must be computed explicitly."""
        return bool(self._edits) and any(self._prefix + name in self._edits for name in names)

    def __call__(self, name: str, value: Tensor, axes: str) -> Tensor:
        site = self._prefix + name
        if site in self.store:
            raise RuntimeError(f"site {site} was recorded twice in one run")
        words = parse(axes) if axes not in _PARSED else _PARSED[axes]
        _PARSED[axes] = words
        if value.dim() != len(words) + 1:
            raise RuntimeError(
                f"site {site} has shape {tuple(value.shape)}, but its axes are batch {axes}"
            )
        for edit in self._edits.get(site, ()):
            value = _apply(edit, value, words, self._offset)
            self.edited.add(site)
        self.store[site] = value
        self.axes[site] = words
        return value


_PARSED: dict[str, tuple[str, ...]] = {}


def _apply(edit: Edit, value: Tensor, words: tuple[str, ...], offset: int) -> Tensor:
    where = dict(edit.at)
    unknown = set(where) - set(words)
    if unknown:
        raise RequestError(
            f"the edit of {edit.site} names {', '.join(sorted(unknown))}, "
            f"but that value has the axes {' '.join(words)}"
        )
    first_growing = next((word for word in words if word in GROWING), None)
    index: list[slice] = [slice(None)]
    for dim, word in enumerate(words, start=1):
        if word not in where:
            index.append(slice(None))
            continue
        i = where[word] - (offset if word == first_growing else 0)
        if i < 0 or i >= value.shape[dim]:
            if word == first_growing:
                return value  # these rows belong to an earlier or a later run
            raise RequestError(
                f"the edit of {edit.site} names {word} {where[word]}, "
                f"but there are {value.shape[dim]}"
            )
        index.append(slice(i, i + 1))
    changed = value.clone()
    changed[tuple(index)] = edit.value if edit.mode == "set" else changed[tuple(index)] * edit.value
    return changed


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


SILENT: Recorder = _Silent()


class Derive(Protocol):
    """Computes what a trace does not store; `core.derive` is the implementation."""

    @property
    def network(self) -> Any:
        """The `core.model.Transformer` that ran."""

    def scores(
        self, trace: Trace, site: str, layer: int, head: int | None, query: int | None
    ) -> Tensor: ...

    def pattern(
        self, trace: Trace, site: str, layer: int, head: int | None, query: int | None
    ) -> Tensor: ...

    def allowed(self, trace: Trace, site: str, layer: int) -> Tensor: ...

    def logits(self, trace: Trace, positions: tuple[int, ...] | None) -> Tensor: ...

    def sentence_heads(self, trace: Trace) -> dict[str, Tensor]: ...

    def project(self, states: Tensor, *, normalise: bool) -> Tensor: ...

    def project_first(self, states: Tensor, *, normalise: bool) -> dict[str, Tensor]: ...

    def output_weight(self, site: str, layer: int) -> tuple[Tensor, Tensor | None]: ...

    def token_table(self, stack: str, *, output: bool = False) -> Tensor: ...


class CacheHandle(Protocol):
    """A key/value cache this trace left behind, for a run that continues it (`core.run`)."""

    @property
    def positions(self) -> int: ...

    @property
    def bytes(self) -> int: ...


class HasBytes(Protocol):
    """What a trace can remember: a tensor, an array, or a record that knows its size."""

    @property
    def nbytes(self) -> int: ...


R = TypeVar("R", bound=HasBytes)

_REMEMBER_BYTES = 256 * 2**20


class _Memory:
    """Least-recently-used results, bounded in bytes."""

    def __init__(self) -> None:
        self._held: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._bytes = 0

    def get(self, key: tuple[Any, ...]) -> Any:
        found = self._held.get(key)
        if found is not None:
            with suppress(KeyError):  # a task of another thread may just have let it go
                self._held.move_to_end(key)
        return found

    def put(self, key: tuple[Any, ...], value: R) -> R:
        before = self._held.pop(key, None)
        if before is not None:
            self._bytes -= before.nbytes
        self._held[key] = value
        self._bytes += value.nbytes
        while self._bytes > _REMEMBER_BYTES and len(self._held) > 1:
            self._bytes -= self._held.popitem(last=False)[1].nbytes
        return value


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One run, ready to be asked. Tensors come back on the CPU in float32, without a batch axis.

    request: the `RunRequest` that made it. tokens: stack name -> `Tokens`. captured: site name ->
    `Captured`. milliseconds: time of the forward pass. Layers and heads count from 0.
    """

    request: Any
    spec: ModelSpec
    tokens: Mapping[str, Tokens]
    captured: Mapping[str, Captured]
    derive: Derive = field(repr=False)
    milliseconds: float = 0.0
    edited: frozenset[str] = frozenset()
    cache: CacheHandle | None = field(default=None, repr=False)
    _memory: _Memory = field(default_factory=_Memory, repr=False)

    def __getitem__(self, site: str | Site) -> Tensor:
        """The recorded value at a site such as "decoder.2.ffn.out"; KeyError lists near names."""
        name = str(site)
        if name not in self.captured:
            near = [s for s in self.captured if s.rsplit(".", 1)[0] == name.rsplit(".", 1)[0]]
            hint = f"; recorded beside it: {', '.join(near)}" if near else ""
            raise KeyError(f"{name} was not recorded{hint}")
        return _plain(self.captured[name].values)

    def __contains__(self, site: object) -> bool:
        return str(site) in self.captured

    def sites(self) -> Iterator[str]:
        """Names of all recorded values, in the order they were computed."""
        return iter(self.captured)

    def axes(self, site: str | Site) -> tuple[str, ...]:
        return self.captured[str(site)].axes

    def pattern(
        self, site: str, layer: int, head: int | None = None, query: int | None = None
    ) -> Tensor:
        """Softmax weights [head, query, key]; a head or a query given drops that dimension.

        site: "encoder.self", "decoder.self" or "decoder.cross". Blocked cells are exactly 0; a
        query that may see nothing has a row of zeros. Raises RequestError for what is not there.
        """
        return self._derived("pattern", site, layer, head, query)

    def scores(
        self, site: str, layer: int, head: int | None = None, query: int | None = None
    ) -> Tensor:
        """q·k scaled, soft-capped and biased, before the mask and softmax; same shape."""
        return self._derived("scores", site, layer, head, query)

    def allowed(self, site: str, layer: int) -> Tensor:
        """[query, key] bool: which keys each query may see. Masked is not the same as zero."""
        self._check(site, layer)
        key = ("allowed", site, layer)
        found: Tensor | None = self._memory.get(key)
        if found is None:
            found = self._memory.put(key, self.derive.allowed(self, site, layer).cpu())
        return found

    def hidden(self, stack: str) -> Tensor:
        """[layer + 1, position, d_model]: embeddings, after layer 1, …, the last after the final
        norm where the stack has one."""
        key = ("hidden", stack)
        found: Tensor | None = self._memory.get(key)
        if found is None:
            spec = self._stack(stack)
            names = [f"{stack}.embed.out"]
            names += [f"{stack}.{i}.resid.out" for i in range(spec.layers)]
            if spec.final_norm is not None:
                names[-1] = f"{stack}.final.norm"
            found = self._memory.put(key, torch.stack([self[n] for n in names]))
        return found

    @property
    def logits(self) -> Tensor:
        """[position, vocab] of the vocabulary head at every position; see `logits_at` for few."""
        found: Tensor | None = self._memory.get(("logits",))
        if found is None:
            found = self._memory.put(("logits",), _plain(self.derive.logits(self, None)))
        return found

    def logits_at(self, *positions: int) -> Tensor:
        """[len(positions), vocab], computed for these positions only."""
        everything: Tensor | None = self._memory.get(("logits",))
        if everything is not None:
            return everything[list(positions)]
        missing = tuple(p for p in positions if self._memory.get(("logits", p)) is None)
        rows: dict[int, Tensor] = {}
        if missing:
            rows = dict(zip(missing, _plain(self.derive.logits(self, missing)), strict=True))
            for position, row in rows.items():
                self._memory.put(("logits", position), row)
        found = [rows[p] if p in rows else self._memory.get(("logits", p)) for p in positions]
        return torch.stack([row for row in found if row is not None])

    @property
    def sentence_heads(self) -> dict[str, Tensor]:
        """Logits of the heads that are not the vocabulary's: "pair" [2] (is next, is not),
        "classes" [label], "replaced" [position]; those the checkpoint has."""
        names = [n for n in ("pair", "classes", "replaced") if getattr(self.spec.heads, n)]
        if any(self._memory.get(("heads", name)) is None for name in names):
            for name, value in self.derive.sentence_heads(self).items():
                self._memory.put(("heads", name), _plain(value))
        held = {name: self._memory.get(("heads", name)) for name in names}
        return {name: value for name, value in held.items() if value is not None}

    @property
    def heads(self) -> dict[str, Tensor]:
        """Every head the checkpoint has: "vocab" [position, vocab] and `sentence_heads`; logits,
        not probabilities."""
        found = self.sentence_heads
        return found if self.spec.heads.vocab is None else {"vocab": self.logits, **found}

    def remembered(self, key: tuple[Any, ...], compute: Callable[[], R]) -> R:
        """The result of an analysis, computed once and kept with this trace while there is room.

        key: begins with the name of the analysis, then everything the result depends on.
        """
        found: R | None = self._memory.get(key)
        return self._memory.put(key, compute()) if found is None else found

    def remembers(self, key: tuple[Any, ...]) -> bool:
        """Whether `remembered` would answer at once."""
        return self._memory.get(key) is not None

    def _stack(self, name: str) -> Any:
        try:
            return self.spec.stack(name)
        except KeyError as error:
            raise RequestError(str(error.args[0])) from None

    def _check(self, site: str, layer: int) -> None:
        if site not in self.spec.sites:
            raise RequestError(
                f"{self.spec.name} has no attention site {site!r}; it has "
                f"{', '.join(self.spec.sites)}"
            )
        layers = self.spec.stack(site.split(".", maxsplit=1)[0]).layers
        if not 0 <= layer < layers:
            raise RequestError(f"{site} has layers 0 to {layers - 1}, not {layer}")

    def _derived(
        self, what: str, site: str, layer: int, head: int | None, query: int | None
    ) -> Tensor:
        self._check(site, layer)
        key = (what, site, layer, head, query)
        found: Tensor | None = self._memory.get(key)
        if found is not None:
            return found
        whole: Tensor | None = self._memory.get((what, site, layer, None, None))
        if whole is not None:
            part = whole if head is None else whole[head]
            return part if query is None else part[..., query, :]
        stack, name = site.split(".")
        heads = self.spec.stack(stack).attention(name, layer).heads
        if head is not None and not 0 <= head < heads:
            raise RequestError(f"{site} has heads 0 to {heads - 1}, not {head}")
        compute = self.derive.pattern if what == "pattern" else self.derive.scores
        return self._memory.put(key, _plain(compute(self, site, layer, head, query)))


def _plain(value: Tensor) -> Tensor:
    return value.detach().to("cpu", torch.float32)
