"""Scores and weights of attention as plain formulas; shared by the forward pass and by looking."""

from __future__ import annotations

import torch
from torch import Tensor


def share(kv: Tensor, group: int) -> Tensor:
    """Repeat key/value heads so that each query head has one: […, kv_head, n, d] -> [head]."""
    return kv if group == 1 else kv.repeat_interleave(group, dim=-3)


def attention_scores(
    q: Tensor, k: Tensor, *, scale: float, softcap: float | None = None, bias: Tensor | None = None
) -> Tensor:
    """softcap(q·k · scale) + bias: […, query, d] and […, key, d] -> […, query, key]."""
    scores = q @ k.transpose(-1, -2) * scale
    if softcap is not None:
        scores = torch.tanh(scores / softcap) * softcap
    return scores if bias is None else scores + bias


def attention_weights(scores: Tensor, allowed: Tensor | None) -> Tensor:
    """Softmax over the allowed keys. Blocked cells are exactly 0, and so are rows with no key."""
    if allowed is None:
        return torch.softmax(scores, dim=-1)
    blocked = ~allowed
    weights = torch.softmax(scores.masked_fill(blocked, float("-inf")), dim=-1)
    return weights.masked_fill(blocked | blocked.all(dim=-1, keepdim=True), 0.0)
