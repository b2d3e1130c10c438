"""Narrowing a distribution: repetition penalty, temperature, top-k, top-p, min-p."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from core.arguments import check_finite, whole_number
from core.errors import RequestError
from core.request import Candidate, Sampling
from core.spec import PENALTIES


def check(sampling: Sampling) -> None:
    """RequestError when a setting is out of range."""
    whole_number(sampling.top_k, "top-k")
    for name in ("temperature", "top_p", "min_p", "repetition_penalty"):
        check_finite(name, getattr(sampling, name))
    if sampling.temperature < 0:
        raise RequestError(f"temperature is {sampling.temperature}; it must be 0 or more")
    if sampling.top_k < 0:
        raise RequestError(f"top-k is {sampling.top_k}; it must be 0 (off) or more")
    if not 0 < sampling.top_p <= 1:
        raise RequestError(f"top-p is {sampling.top_p}; it must be above 0 and at most 1")
    if not 0 <= sampling.min_p <= 1:
        raise RequestError(f"min-p is {sampling.min_p}; it must be between 0 and 1")
    if sampling.repetition_penalty <= 0:
        raise RequestError(
            f"the repetition penalty is {sampling.repetition_penalty}; it must be above 0 (1: off)"
        )
    least, most = PENALTIES
    if not least <= sampling.repetition_penalty <= most:
        raise RequestError(
            f"the repetition penalty is {sampling.repetition_penalty:g}; it must be between "
            f"{least:g} and {most:g} (1: off)"
        )


def closed(logits: Tensor, allowed: Tensor | None) -> Tensor:
    """logits [vocab] at minus infinity where `allowed` [vocab] is false; None leaves them."""
    return logits if allowed is None else logits.masked_fill(~allowed, float("-inf"))


def penalised(logits: Tensor, sampling: Sampling, seen: Sequence[int]) -> Tensor:
    """logits [vocab] with the tokens already there made less likely (more, below 1)."""
    if sampling.repetition_penalty == 1 or not seen:
        return logits
    index = torch.tensor(sorted(set(seen)))
    held = logits[index]
    penalty = sampling.repetition_penalty
    changed = torch.where(held < 0, held * penalty, held / penalty)
    return logits.index_copy(0, index, changed)


def probabilities(logits: Tensor, sampling: Sampling, seen: Sequence[int] = ()) -> Tensor:
    """logits [vocab] -> probabilities [vocab] after everything in `sampling`.

    seen: ids of the text so far, for the repetition penalty. Cut tokens are exactly 0 and the rest
    sums to 1. Temperature 0 keeps the likeliest token only. top-k as in Fan et al. 2018, top-p
    as in Holtzman et al. 2020, min-p as in Nguyen et al. 2024.
    """
    check(sampling)
    logits = penalised(logits, sampling, seen)
    if sampling.temperature == 0:
        return torch.zeros_like(logits).index_fill(0, logits.argmax(), 1.0)
    if 0 < sampling.top_k < logits.shape[-1]:
        least = logits.topk(sampling.top_k).values[-1]
        logits = logits.masked_fill(logits < least, float("-inf"))
    # The largest becomes 0 first: next to no temperature would make it infinite.
    least_temperature = torch.finfo(logits.dtype).tiny
    scaled = (logits - logits.max()) / max(sampling.temperature, least_temperature)
    found = scaled.softmax(-1)
    if sampling.top_p < 1:
        ordered, order = found.sort(descending=True)
        # A token stays while the tokens before it hold less than top_p: the first always stays.
        cut = ordered.cumsum(-1) - ordered >= sampling.top_p
        found = _without(found, order[cut])
    if sampling.min_p > 0:
        found = _without(found, (found < sampling.min_p * found.max()).nonzero().flatten())
    return found


def _without(found: Tensor, cut: Tensor) -> Tensor:
    found = found.index_fill(0, cut, 0.0)
    return found / found.sum()


def of_token(
    logits: Tensor,
    sampling: Sampling,
    token: int,
    seen: Sequence[int] = (),
    allowed: Tensor | None = None,
) -> tuple[Candidate, int]:
    """One token as in `top`, and its rank: 1 is the model's likeliest; equals share a rank.
    IndexError for a token outside logits [vocab]."""
    if not 0 <= token < logits.shape[-1]:
        raise IndexError(f"token {token} is outside the vocabulary of {logits.shape[-1]}")
    rank = 1 + int((logits > logits[token]).sum())
    return _candidates(logits, torch.tensor([token]), sampling, seen, allowed)[0], rank


def top(
    logits: Tensor,
    sampling: Sampling,
    count: int,
    seen: Sequence[int] = (),
    allowed: Tensor | None = None,
) -> tuple[Candidate, ...]:
    """The model's `count` likeliest tokens with their probability before and after narrowing, and
    before them a token that alone is `allowed` [vocab] and no such one."""
    best = logits.topk(min(count, logits.shape[-1])).indices
    if allowed is not None and int(allowed.sum()) == 1:
        only = allowed.nonzero()[0]
        best = best if only in best else torch.cat([only, best[:-1]])
    return _candidates(logits, best, sampling, seen, allowed)


def _candidates(
    logits: Tensor,
    tokens: Tensor,
    sampling: Sampling,
    seen: Sequence[int],
    allowed: Tensor | None,
) -> tuple[Candidate, ...]:
    before = after = logits.softmax(-1)
    if allowed is not None and not allowed.any():
        after = torch.zeros_like(before)
    elif allowed is not None or sampling != Sampling():
        after = probabilities(closed(logits, allowed), sampling, seen)
    out = torch.zeros_like(tokens).bool() if allowed is None else ~allowed[tokens]
    columns = (tokens, before[tokens], after[tokens], out)
    return tuple(
        Candidate(token=token, probability=p, kept=kept, ruled_out=ruled_out)
        for token, p, kept, ruled_out in zip(*(c.tolist() for c in columns), strict=True)
    )
