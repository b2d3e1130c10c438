"""What the forward pass leaves on record: named values, and the recorder that takes them.

The forward pass hands every intermediate to a `Recorder` by name. The name of a recorded value is a
`Site`; `SITES` documents them all. Attention patterns are not among them: they are derived from q
and k when somebody looks (`core.trace`), which costs a fraction of storing them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from torch import Tensor

from core.axes import parse
from core.captured import Recipe
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
