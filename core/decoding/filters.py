"""Narrowing a distribution: temperature, top-k, top-p (Holtzman et al. 2020)."""

from __future__ import annotations

import torch
from torch import Tensor

from core.errors import RequestError
from core.request import Candidate, Sampling


def check(sampling: Sampling) -> None:
    """RequestError when a setting is out of range."""
    if sampling.temperature < 0:
        raise RequestError(f"temperature is {sampling.temperature}; it must be 0 or more")
    if sampling.top_k < 0:
        raise RequestError(f"top-k is {sampling.top_k}; it must be 0 (off) or more")
    if not 0 < sampling.top_p <= 1:
        raise RequestError(f"top-p is {sampling.top_p}; it must be above 0 and at most 1")


def probabilities(logits: Tensor, sampling: Sampling) -> Tensor:
    """logits [vocab] -> probabilities [vocab] after temperature, then top-k, then top-p.

    Cut tokens are exactly 0 and the rest sums to 1. Temperature 0 keeps the likeliest token only.
    """
    check(sampling)
    if sampling.temperature == 0:
        return torch.zeros_like(logits).index_fill(0, logits.argmax(), 1.0)
    scaled = logits / sampling.temperature
    if 0 < sampling.top_k < logits.shape[-1]:
        least = scaled.topk(sampling.top_k).values[-1]
        scaled = scaled.masked_fill(scaled < least, float("-inf"))
    found = scaled.softmax(-1)
    if sampling.top_p < 1:
        ordered, order = found.sort(descending=True)
        # A token stays while the tokens before it hold less than top_p: the first always stays.
        cut = ordered.cumsum(-1) - ordered >= sampling.top_p
        found = found.index_fill(0, order[cut], 0.0)
        found = found / found.sum()
    return found


def top(logits: Tensor, sampling: Sampling, count: int) -> tuple[Candidate, ...]:
    """The `count` likeliest tokens with their probability before and after narrowing."""
    before = logits.softmax(-1)
    after = probabilities(logits, sampling)
    best = before.topk(min(count, before.shape[-1]))
    return tuple(
        Candidate(token=token, probability=p, kept=kept)
        for token, p, kept in zip(
            best.indices.tolist(),
            best.values.tolist(),
            after[best.indices].tolist(),
            strict=True,
        )
    )
