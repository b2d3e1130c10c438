"""Unlearning to say the same thing again: sequence-level unlikelihood (Welleck et al. 2020, "Neural
Text Generation with Unlikelihood Training").

The model goes on from a prompt by itself, and is told that what it had said before was unlikely.
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.model import Transformer

SAID_AGAIN = 4  # tokens in a row


@torch.no_grad()
def greedy_rows(model: Transformer, prompts: Tensor, *, new: int) -> Tensor:
    """prompts [row, position] -> prompts and `new` greedy tokens [row, position + new]."""
    cache = model.new_cache()
    said, last = [prompts], prompts
    for _ in range(new):
        last = model.vocab_logits(model.decode(last, cache=cache)[:, -1:]).argmax(-1)
        said.append(last)
    return torch.cat(said, 1)


def repeated(ids: Tensor, *, size: int = SAID_AGAIN) -> Tensor:
    """ids [row, position] -> whether a token is part of `size` in a row that stood there before."""
    runs = ids.unfold(1, size, 1)
    again = (runs[:, :, None] == runs[:, None]).all(-1).tril(-1).any(-1)
    found = torch.zeros_like(ids, dtype=torch.bool)
    for place in range(size):
        found[:, place : place + again.shape[1]] |= again
    return found


def unlikelihood(logits: Tensor, ids: Tensor, unwanted: Tensor) -> Tensor:
    """−log(1 − p) of the unwanted tokens, their mean: logits [row, position, vocab] of ids [row,
    position]; 0 when none is unwanted."""
    p = logits.softmax(-1).gather(-1, ids[..., None])[..., 0]
    each = -torch.log1p(-p.clamp(max=1 - 1e-4)) * unwanted
    return each.sum() / unwanted.sum().clamp(min=1)
