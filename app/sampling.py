"""From what a person chose to what the core takes."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from app.choices import Narrowing

if TYPE_CHECKING:
    from core.request import Sampling


def sampling_of(narrowing: Narrowing) -> Sampling:
    """Imports the core's types, and so torch."""
    from core.request import Sampling

    return Sampling(**asdict(narrowing))
