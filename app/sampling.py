"""From what a person chose to what the core takes."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from app.choices import Narrowing

if TYPE_CHECKING:
    from core.request import Sampling
    from core.spec import ModelSpec


def sampling_of(narrowing: Narrowing, spec: ModelSpec) -> Sampling:
    """Imports the core's types, and so torch."""
    from core.request import Sampling

    chosen = asdict(narrowing)
    if narrowing.repetition_penalty is None:
        chosen["repetition_penalty"] = spec.repetition_penalty
    return Sampling(**chosen)
