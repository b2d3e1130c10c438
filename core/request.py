"""What is asked of the core, and what decoding answers; frozen data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from core.edits import Edit
from core.masks import MaskChoice
from core.tokens import Tokens
from core.trace import Trace

ShouldStop = Callable[[], bool]
Strategy = Literal["greedy", "sample", "beam"]

LAST, MASKED, ALL, HEADS = "logits.last", "logits.masked", "logits.all", "heads"
"""What a run computes ahead, off the window's thread; anything else is computed when asked for."""
WISHES = frozenset({LAST, MASKED, ALL, HEADS})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """One forward pass.

    source: the text of an encoder or of a lone decoder. target: what the decoder of an
    encoder-decoder reads, start token included. masks: (site, choice) pairs, the model's own mask
    where a site is not named. edits: values changed on their way. wants: see `LAST` and its
    neighbours.
    """

    source: Tokens
    target: Tokens | None = None
    masks: tuple[tuple[str, MaskChoice], ...] = ()
    edits: tuple[Edit, ...] = ()
    wants: frozenset[str] = frozenset({LAST, MASKED, HEADS})

    def mask(self, site: str) -> MaskChoice:
        return dict(self.masks).get(site, MaskChoice())


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How a distribution is narrowed, in this order. Defaults leave it as it is.

    repetition_penalty divides the positive logits of tokens already there and multiplies the
    negative ones (Keskar et al. 2019); a checkpoint's own is in its `ModelSpec`. top_k 0, top_p 1,
    min_p 0: everything is kept; min_p keeps tokens at least that share as likely as the likeliest.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeRequest:
    """A run to continue token by token.

    strategy: "greedy" takes the likeliest token, "sample" draws with `seed` after `sampling`,
    "beam" keeps the `beams` best continuations (`core.decoding.beam`), ranked by log-probability
    divided by length ** length_penalty; nothing is drawn there, and of `sampling` only the
    repetition penalty acts. forced: (step index, token id) choices made by hand.
    """

    run: RunRequest
    strategy: Strategy = "greedy"
    max_new_tokens: int = 20
    sampling: Sampling = Sampling()
    seed: int = 0
    beams: int = 4
    length_penalty: float = 1.0
    forced: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A possible next token: probability of the model, and in the distribution that is chosen from,
    after temperature, top-k and top-p (0 where it was cut). ruled_out: the checkpoint's settings do
    not let it come here, or it is the mask that is to be filled, so it is cut whatever the
    sampling."""

    token: int
    probability: float
    kept: float
    ruled_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Step:
    """One generated token.

    index from 0. token: the choice, piece its raw spelling, probability the model's. surprise:
    -log2 of it, entropy: of the distribution before it, both in bits and the model's own. text: all
    generated text so far; pending: trailing bytes that are no whole character yet. candidates: the
    likeliest first. logits [vocab]. trace: the run up to the position that predicted this token,
    which is its last row. tokens: the decoder's sequence with the new token. cache_*: what the
    cache holds, 0 where every step runs the whole text and nothing can be kept. forced: taken by
    hand. fixed: the only token that the checkpoint's settings let come here, None where there is
    no such. finished: why decoding ends here, such as "end token" or "20 new tokens"; None to go
    on.
    """

    index: int
    token: int
    piece: str
    probability: float
    surprise: float
    entropy: float
    text: str
    pending: int
    candidates: tuple[Candidate, ...]
    logits: Tensor
    trace: Trace
    tokens: Tokens
    cache_positions: int
    cache_bytes: int
    forced: bool = False
    fixed: int | None = None
    finished: str | None = None
