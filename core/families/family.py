"""What a model family is: how its configuration is read and how its tensors are named."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.checkpoints.config import Config
from core.checkpoints.convert import Matched, Rule
from core.spec import ModelSpec


def as_configured(spec: ModelSpec, found: Matched) -> ModelSpec:
    """Nothing about the model depends on which tensors the file holds, but its heads."""
    return spec


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One file of this package.

    name: as people say it. model_types: config's model_type -> what its class names begin with.
    spec: reads a configuration; all heads the configuration allows are in it, and those the file
    does not hold are taken out afterwards. rules: the rename table for a spec. prefixes: wrappers
    that may stand before a name ("bert."). adapt: what the tensors present say about the spec.
    tiny: configurations of tiny models, for tests.
    """

    name: str
    model_types: Mapping[str, str]
    spec: Callable[[Config], ModelSpec]
    rules: Callable[[ModelSpec], Sequence[Rule]]
    prefixes: tuple[str, ...] = ()
    adapt: Callable[[ModelSpec, Matched], ModelSpec] = as_configured
    tiny: tuple[Mapping[str, Any], ...] = ()
