"""How the next token is chosen."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from core.arguments import SEEDS
from core.decoding.filters import penalised, probabilities
from core.request import DecodeRequest


def choose(logits: Tensor, request: DecodeRequest, index: int, seen: Sequence[int] = ()) -> int:
    """The next token id. Greedy: the likeliest. Sample: drawn with the request's seed.

    Each step has its own generator, made of seed and index: going back and forward again draws
    the same token. seen: ids of the text so far, for the repetition penalty.
    """
    if request.strategy == "greedy":
        return int(penalised(logits, request.sampling, seen).argmax())
    generator = torch.Generator().manual_seed((request.seed * 1_000_003 + index) % SEEDS)
    drawn = probabilities(logits, request.sampling, seen)
    return int(torch.multinomial(drawn, 1, generator=generator))
