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
    """An integer a mask kind takes. most None: the length of the text."""

    name: str
    label: str
    default: int
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Where queries and keys stand.

    q, k: positions [query] and [key] (left padding -1; right padding repeats the last position).
    segments and padding: for each of them, True where padding.
    """

    q: Tensor
    k: Tensor
    q_segments: Tensor
    k_segments: Tensor
    k_padding: Tensor
    q_start: int = 0


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
    """Register a mask kind; the docstring becomes its explanation on screen, without backticks."""

    def register(predicate: Predicate) -> Predicate:
        KINDS[key] = MaskKind(
            key=key,
            label=label,
            explanation=" ".join((predicate.__doc__ or "").replace("`", "").split()),
            predicate=predicate,
            parameters=parameters,
            sites=sites,
        )
        return predicate

    return register


@kind("bidirectional", "Bidirectional (open)")
def bidirectional(q: Tensor, k: Tensor, context: Context) -> Tensor:
    """Every query sees every key."""
    return torch.ones_like(q == k)


@kind("causal", "Causal", sites=("self",))
def causal(q: Tensor, k: Tensor, context: Context) -> Tensor:
    """A query sees itself and what came before: key ≤ query."""
    return k <= q


@kind("padding", "Padding only")
def padding(q: Tensor, k: Tensor, context: Context) -> Tensor:
    """Every query sees every key that is not padding."""
    return ~context.k_padding[None, :] & torch.ones_like(q == k)


@kind(
    "prefix",
    "Prefix LM",
    Parameter(name="prefix", label="prefix", default=3),
    sites=("self",),
)
def prefix_lm(q: Tensor, k: Tensor, context: Context, prefix: int) -> Tensor:
    """The first `prefix` positions see each other; the rest is causal."""
    return (k <= q) | (k < prefix)


@kind(
    "sliding_window",
    "Sliding window (causal)",
    Parameter(name="window", label="window", default=4, least=1),
    sites=("self",),
)
def sliding_window(q: Tensor, k: Tensor, context: Context, window: int) -> Tensor:
    """A query sees itself and the window - 1 positions before it: query - window < key ≤ query."""
    return (k <= q) & (k > q - window)


@kind(
    "local",
    "Local (both sides)",
    Parameter(name="window", label="window", default=3, least=1),
)
def local(q: Tensor, k: Tensor, context: Context, window: int) -> Tensor:
    """A query sees keys less than `window` positions away on either side."""
    return (q - k).abs() < window


@kind("segment", "Same segment", sites=("self",))
def segment(q: Tensor, k: Tensor, context: Context) -> Tensor:
    """Sentence A sees only A, sentence B only B."""
    return context.q_segments[:, None] == context.k_segments[None, :]


@kind(
    "strided",
    "Strided",
    Parameter(name="stride", label="stride", default=4, least=1),
    Parameter(name="local", label="local", default=2, least=1),
    sites=("self",),
)
def strided(q: Tensor, k: Tensor, context: Context, stride: int, local: int) -> Tensor:
    """Near keys (distance < local) and every stride-th key (Child et al. 2019)."""
    distance = (q - k).abs()
    return (distance < local) | (distance % stride == 0)


@kind(
    "global_local",
    "Global + local",
    Parameter(name="tokens", label="global", default=1),
    Parameter(name="window", label="window", default=3, least=1),
    sites=("self",),
)
def global_local(q: Tensor, k: Tensor, context: Context, tokens: int, window: int) -> Tensor:
    """The first `tokens` positions see and are seen by all; others see a local window."""
    return (q < tokens) | (k < tokens) | ((q - k).abs() < window)


@kind("no_self", "Not itself", sites=("self",))
def no_self(q: Tensor, k: Tensor, context: Context) -> Tensor:
    """A query sees every key but its own position."""
    return q != k
