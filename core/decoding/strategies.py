"""How the next token is chosen."""

from __future__ import annotations

import torch
from torch import Tensor

from core.decoding.filters import probabilities
from core.request import DecodeRequest


def choose(logits: Tensor, request: DecodeRequest, index: int) -> int:
    """The next token id. Greedy: the likeliest. Sample: drawn with the request's seed.

    Each step has its own generator, made of seed and index: going back and forward again draws
    the same token.
    """
    if request.strategy == "greedy":
        return int(logits.argmax())
    generator = torch.Generator().manual_seed(request.seed * 1_000_003 + index)
    return int(torch.multinomial(probabilities(logits, request.sampling), 1, generator=generator))
