"""How positions enter a model: added to the embedding, or told to the attention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.spec.norm import NormSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedPositions:
    """A trained table added to the token embedding. offset: first row used (BART 2, RoBERTa 2).

    uncounted: a token that takes no place wherever it stands in a text, and reads the row before
    the first (RoBERTa's padding token).
    """

    size: int
    offset: int = 0
    uncounted: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SinusoidalPositions:
    """The fixed table of Vaswani et al. 2017, section 3.5.

    interleaved: sin and cos alternate (the paper); otherwise all sines, then all cosines (Marian).
    """

    size: int
    interleaved: bool = True
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RotaryScaling:
    """How rotary frequencies are stretched for contexts longer than in training."""

    kind: Literal["linear", "dynamic", "llama3", "yarn", "longrope"]
    factor: float
    original_size: int
    low_freq_factor: float = 1.0
    high_freq_factor: float = 4.0
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    attention_factor: float | None = None
    mscale: float | None = None
    mscale_all_dim: float | None = None
    truncate: bool = True
    short_factor: tuple[float, ...] = ()
    long_factor: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RotaryPositions:
    """Rotation of query and key (Su et al. 2021). d_rotary: how many coordinates turn.

    interleaved: pairs are (0, 1), (2, 3) …; otherwise (0, d/2), (1, d/2 + 1) … (Llama in
    Hugging Face layout).
    """

    theta: float
    d_rotary: int
    interleaved: bool = False
    scaling: RotaryScaling | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelativeBuckets:
    """T5's learned bias for each head and bucketed distance (Raffel et al. 2020, section 2.1)."""

    buckets: int
    max_distance: int
    bidirectional: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AlibiPositions:
    """A fixed slope for each head times the distance (Press et al. 2022)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DisentangledPositions:
    """DeBERTa's vectors for distances, which query and key attend to (He et al. 2021).

    buckets: 0 for one vector a distance. terms: "c2p" (query to distance), "p2c" (key to distance).
    shared: distances go through the projections of the tokens. key_bias: whether the projection to
    keys has one where it is its own. norm: of the vectors.
    """

    buckets: int
    max_distance: int
    terms: tuple[str, ...]
    shared: bool
    key_bias: bool = True
    norm: NormSpec | None = None

    @property
    def span(self) -> int:
        """How many vectors there are for either direction."""
        return self.buckets or self.max_distance


EmbeddedPositions = LearnedPositions | SinusoidalPositions
AttentionPositions = RotaryPositions | RelativeBuckets | AlibiPositions | DisentangledPositions
