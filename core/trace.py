"""A run, ready to be asked: its values by site, and what is derived from them on demand.

Patterns, scores and logits are not stored. They are computed from the recorded q, k and states when
somebody looks, by `core.derive`, and remembered within a bound of bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Protocol

import torch
from torch import Tensor

from core.arguments import whole_number
from core.captured import Captured
from core.errors import RequestError
from core.recorder import Site
from core.remembered import Memory, R
from core.spec import ModelSpec
from core.tokens import Tokens


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

    def project_text(
        self, states: Tensor, *, normalise: bool, last: int = -1
    ) -> dict[str, Tensor]: ...

    def output_weight(self, site: str, layer: int) -> tuple[Tensor, Tensor | None]: ...

    def towards_output(self, trace: Trace, changes: Tensor) -> Tensor: ...

    def token_table(self, stack: str, *, output: bool = False) -> Tensor: ...


class CacheHandle(Protocol):
    """A key/value cache this trace left behind, for a run that continues it (`core.reuse`)."""

    @property
    def positions(self) -> int: ...

    @property
    def bytes(self) -> int: ...


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Trace:
    """One run, ready to be asked. Tensors come back on the CPU in float32, without a batch axis;
    they are the caller's own, and changing them changes nothing here.

    request: the `RunRequest` that made it. tokens: stack name -> `Tokens`. captured: site name ->
    `Captured`. milliseconds: time of the forward pass. notes: what could not be taken at its word,
    a sentence each (a mask's prefix longer than the text). Layers and heads count from 0.
    """

    request: Any
    spec: ModelSpec
    tokens: Mapping[str, Tokens]
    captured: Mapping[str, Captured]
    derive: Derive
    milliseconds: float = 0.0
    edited: frozenset[str] = frozenset()
    cache: CacheHandle | None = None
    notes: tuple[str, ...] = ()
    _memory: Memory = field(default_factory=Memory)

    def __repr__(self) -> str:
        read = ", ".join(f"{len(tokens)} {stack} tokens" for stack, tokens in self.tokens.items())
        return f"Trace({self.spec.name}, {read}, {len(self.captured)} values)"

    def __getitem__(self, site: str | Site) -> Tensor:
        """The recorded value at a site such as "decoder.2.ffn.out"; KeyError lists near names."""
        return self._recorded(str(site)).clone()

    def __contains__(self, site: object) -> bool:
        return str(site) in self.captured

    def sites(self) -> Iterator[str]:
        """Names of all recorded values, in the order they were computed."""
        return iter(self.captured)

    def axes(self, site: str | Site) -> tuple[str, ...]:
        """One word for each dimension of the value at a site; RequestError lists near names."""
        if site not in self:
            raise RequestError(self._unrecorded(str(site)))
        return self.captured[str(site)].axes

    def pattern(
        self, site: str, layer: int, head: int | None = None, query: int | None = None
    ) -> Tensor:
        """Softmax weights [head, query, key]; a head or a query given drops that dimension.

        site: "encoder.self", "decoder.self" or "decoder.cross". Blocked cells are exactly 0; a
        query that may see nothing has a row of zeros. Raises RequestError for what is not there.
        """
        return self._derived("pattern", site, layer, head, query).clone()

    def scores(
        self, site: str, layer: int, head: int | None = None, query: int | None = None
    ) -> Tensor:
        """q·k scaled, soft-capped and biased, before the mask and softmax; same shape."""
        return self._derived("scores", site, layer, head, query).clone()

    def allowed(self, site: str, layer: int) -> Tensor:
        """[query, key] bool: which keys each query may see. Masked is not the same as zero."""
        self._check(site, layer)
        key = ("allowed", site, layer)
        found: Tensor | None = self._memory.get(key)
        if found is None:
            found = self._memory.put(key, self.derive.allowed(self, site, layer).cpu())
        return found.clone()

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
            found = self._memory.put(key, torch.stack([self._recorded(n) for n in names]))
        return found.clone()

    @property
    def logits(self) -> Tensor:
        """[position, vocab] of the vocabulary head at every position; see `logits_at` for few.
        RequestError says why where the model has no such head."""
        found: Tensor | None = self._memory.get(("logits",))
        if found is None:
            found = self._memory.put(("logits",), _plain(self.derive.logits(self, None)))
        return found.clone()

    def logits_at(self, *positions: int) -> Tensor:
        """[len(positions), vocab], computed for these positions only; −1 is the last one. Raises
        RequestError for a position that is not there, and without a vocabulary head."""
        head = self.spec.heads.vocab
        for position in positions:
            self.place(position)
        if not positions and head is not None:
            return torch.empty(0, head.vocab)
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

    def place(self, position: int) -> int:
        """A position of the main stack counted from 0, of one that may be counted from the end (−1
        is the last). RequestError where it is not there."""
        stack = self.spec.main_stack.name
        count = len(self.tokens[stack])
        if not -count <= whole_number(position, "the position") < count:
            raise RequestError(f"the {stack} has positions 0 to {count - 1}, not {position}")
        return position % count

    @property
    def sentence_heads(self) -> dict[str, Tensor]:
        """Logits of the heads that are not the vocabulary's: "pair" [2] (see `PairHead`),
        "classes" [label], "replaced" [position]; those the checkpoint has."""
        names = [n for n in ("pair", "classes", "replaced") if getattr(self.spec.heads, n)]
        if any(self._memory.get(("heads", name)) is None for name in names):
            for name, value in self.derive.sentence_heads(self).items():
                self._memory.put(("heads", name), _plain(value))
        held = {name: self._memory.get(("heads", name)) for name in names}
        return {name: value.clone() for name, value in held.items() if value is not None}

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

    def forget(self) -> None:
        """Let go of everything derived; it is computed again when asked for."""
        self._memory.clear()
        for captured in self.captured.values():
            captured.forget()

    def remembers(self, key: tuple[Any, ...]) -> bool:
        """Whether `remembered` would answer at once."""
        return self._memory.get(key) is not None

    def _recorded(self, name: str) -> Tensor:
        """The run's own memory where it is plain already, and its cache's: not to be changed."""
        if name not in self.captured:
            raise KeyError(self._unrecorded(name))
        return _plain(self.captured[name].values)

    def _unrecorded(self, name: str) -> str:
        near = [s for s in self.captured if s.rsplit(".", 1)[0] == name.rsplit(".", 1)[0]]
        near = near or get_close_matches(name, list(self.captured), n=4, cutoff=0.4)
        hint = f"; there are, near it: {', '.join(near)}" if near else ""
        return f"{name} was not recorded{hint}"

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
        _check_place(site, "layer", layer, layers)

    def _derived(
        self, what: str, site: str, layer: int, head: int | None, query: int | None
    ) -> Tensor:
        self._check(site, layer)
        stack, name = site.split(".")
        if head is not None:
            heads = self.spec.stack(stack).attention(name, layer).heads
            _check_place(site, "head", head, heads)
        if query is not None:
            _check_place(site, "query", query, len(self.tokens[stack]))
        key = (what, site, layer, head, query)
        found: Tensor | None = self._memory.get(key)
        if found is not None:
            return found
        whole: Tensor | None = self._memory.get((what, site, layer, None, None))
        if whole is not None:
            part = whole if head is None else whole[head]
            return part if query is None else part[..., query, :]
        compute = self.derive.pattern if what == "pattern" else self.derive.scores
        return self._memory.put(key, _plain(compute(self, site, layer, head, query)))


def _check_place(site: str, what: str, place: int, count: int) -> None:
    """RequestError unless there is such a layer, head or query."""
    if not 0 <= whole_number(place, f"the {what}") < count:
        several = "queries" if what == "query" else f"{what}s"
        raise RequestError(f"{site} has {several} 0 to {count - 1}, not {place}")


def _plain(value: Tensor) -> Tensor:
    return value.detach().to("cpu", torch.float32)
