"""Mask kinds: one predicate on positions each, and their registry.

A kind is one function `(q, k, context, **params) -> allowed` on broadcast positions, registered
with its label and parameters; a new one is one decorated function here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """An integer a mask kind takes. most None: the length of the text. leading: it counts the first
    tokens of the text, so that more than there are say no more than all of them."""

    name: str
    label: str
    default: int
    least: int = 0
    most: int | None = None
    leading: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Where queries and keys stand.

    q, k: positions [query] and [key] (left padding -1; right padding repeats the last position).
    q_start: the index of the first query, where a cache holds those before it.
    segments and padding: for each of them, True where padding.
    """

    q: Tensor
    k: Tensor
    q_segments: Tensor
    k_segments: Tensor
    k_padding: Tensor
    q_start: int = 0

    @property
    def q_index(self) -> Tensor:
        """[query] index in the text, padding counted too."""
        return torch.arange(self.q_start, self.q_start + len(self.q), device=self.q.device)

    @property
    def k_index(self) -> Tensor:
        """[key] index in the text, padding counted too."""
        return torch.arange(len(self.k), device=self.k.device)


Predicate = Callable[..., Tensor]


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskKind:
    """A registered predicate. sites: "self", "cross" or both."""

    key: str
    label: str
    explanation: str
    predicate: Predicate
    parameters: tuple[Parameter, ...] = ()
    sites: tuple[str, ...] = ("self", "cross")


KINDS: dict[str, MaskKind] = {}


def kind(
    key: str, label: str, *parameters: Parameter, sites: tuple[str, ...] = ("self", "cross")
) -> Callable[[Predicate], Predicate]:
    """Register a mask kind; the docstring becomes its explanation on screen.

    It is for learners: sentences without formulas, and parameters by their labels in quotation
    marks.
    """

    def register(predicate: Predicate) -> Predicate:
        KINDS[key] = MaskKind(
            key=key,
            label=label,
            explanation=" ".join((predicate.__doc__ or "").split()),
            predicate=predicate,
            parameters=parameters,
            sites=sites,
        )
        return predicate

    return register


@kind("bidirectional", "Bidirectional (open)")
def bidirectional(q: Tensor, k: Tensor, context: Context) -> Tensor:
    """Every token sees every token, before and after it."""
    return torch.ones_like(q == k)


@kind("causal", "Causal", sites=("self",))
def causal(q: Tensor, k: Tensor, context: Context) -> Tensor:
    """A token sees itself and the tokens before it, none after it."""
    return k <= q


@kind("padding", "Padding only")
def padding(q: Tensor, k: Tensor, context: Context) -> Tensor:
    """Every token sees every token that is not padding."""
    return ~context.k_padding[None, :] & torch.ones_like(q == k)


@kind(
    "prefix",
    "Prefix LM",
    Parameter(name="prefix", label="prefix", default=3, leading=True),
    sites=("self",),
)
def prefix_lm(q: Tensor, k: Tensor, context: Context, prefix: int) -> Tensor:
    """The first “prefix” tokens all see each other; every later token sees itself and the tokens
    before it."""
    return (k <= q) | (k < prefix)


@kind(
    "sliding_window",
    "Sliding window (causal)",
    Parameter(name="window", label="window", default=4, least=1),
    sites=("self",),
)
def sliding_window(q: Tensor, k: Tensor, context: Context, window: int) -> Tensor:
    """A token sees itself and the tokens just before it, “window” tokens in all."""
    return (k <= q) & (k > q - window)


@kind(
    "local",
    "Local (both sides)",
    Parameter(name="window", label="window", default=3, least=1),
)
def local(q: Tensor, k: Tensor, context: Context, window: int) -> Tensor:
    """A token sees itself and its neighbours on both sides, those less than “window” positions
    away."""
    return (q - k).abs() < window


@kind("segment", "Same segment", sites=("self",))
def segment(q: Tensor, k: Tensor, context: Context) -> Tensor:
    """Tokens of sentence A see only sentence A, those of sentence B only sentence B."""
    return context.q_segments[:, None] == context.k_segments[None, :]


@kind(
    "strided",
    "Strided",
    Parameter(name="stride", label="stride", default=4, least=1),
    Parameter(name="local", label="local", default=2, least=1),
    sites=("self",),
)
def strided(q: Tensor, k: Tensor, context: Context, stride: int, local: int) -> Tensor:
    """A token sees itself, its neighbours less than “local” positions away and, further off on
    both sides, the tokens at every multiple of “stride” positions (Child et al. 2019)."""
    distance = (q - k).abs()
    return (distance < local) | (distance % stride == 0)


@kind(
    "global_local",
    "Global + local",
    Parameter(name="tokens", label="global", default=1, leading=True),
    Parameter(name="window", label="window", default=3, least=1),
    sites=("self",),
)
def global_local(q: Tensor, k: Tensor, context: Context, tokens: int, window: int) -> Tensor:
    """The first “global” tokens see every token and every token sees them; the others also see
    themselves and their neighbours less than “window” positions away."""
    return (q < tokens) | (k < tokens) | ((q - k).abs() < window)


@kind("no_self", "Not itself", sites=("self",))
def no_self(q: Tensor, k: Tensor, context: Context) -> Tensor:
    """A token sees every token but itself."""
    # By index: all the padding on one side shares one position.
    return context.q_index[:, None] != context.k_index[None, :]
