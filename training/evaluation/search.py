"""Greedy and beam search over many sources at once. `core.decoding` finds the same; it shows its
work and therefore takes one text at a time."""

from __future__ import annotations

import torch
from torch import Tensor

from core.model import Transformer

Hypothesis = tuple[float, list[int]]


@torch.inference_mode()
def greedy(
    network: Transformer, source: Tensor, padding: Tensor, *, start: int, end: int, longest: int
) -> list[list[int]]:
    """source, padding [row, key] -> the likeliest next token again and again, up to the end."""
    memory = network.encode(source, padding=padding)
    cache = network.new_cache()
    last = torch.full((len(source), 1), start)
    said: list[Tensor] = []
    done = torch.zeros(len(source), dtype=torch.bool)
    while len(said) < longest and not bool(done.all()):
        states = network.decode(last, memory=memory, memory_padding=padding, cache=cache)
        last = network.vocab_logits(states).argmax(-1)
        done |= last[:, 0] == end
        said.append(last[:, 0])
    return [_up_to(end, ids) for ids in torch.stack(said, -1).tolist()]


@torch.inference_mode()
def beam_search(
    network: Transformer,
    source: Tensor,
    padding: Tensor,
    *,
    start: int,
    end: int,
    beams: int,
    longest: int,
) -> list[list[int]]:
    """source, padding [row, key] -> the best target of each row, without its end.

    A score is the sum of log-probabilities over the number of tokens, the end included (a length
    penalty of 1). A row is done when none of its beams can beat its `beams` finished ones.
    """
    memory = network.encode(source, padding=padding)
    ended: list[list[Hypothesis]] = [[] for _ in source]
    rows = list(range(len(source)))  # those that are not done
    said = torch.full((len(rows), 1, 1), start)  # [row, beam, position]
    totals = torch.zeros(len(rows), 1)  # [row, beam]
    for length in range(1, longest + 1):
        live = said.shape[1]
        states = network.decode(
            said.flatten(0, 1),
            memory=memory[rows].repeat_interleave(live, 0),
            memory_padding=padding[rows].repeat_interleave(live, 0),
        )
        step = network.vocab_logits(states[:, -1:])[:, 0].log_softmax(-1)
        sums = totals[:, :, None] + step.unflatten(0, (len(rows), live))
        best = sums.flatten(1).topk(2 * beams)
        from_beam, token = best.indices // step.shape[-1], best.indices % step.shape[-1]
        grown = torch.cat(
            [said.gather(1, from_beam[..., None].expand(-1, -1, length)), token[..., None]], -1
        )
        ends = token == end if length < longest else torch.ones_like(token, dtype=torch.bool)
        for place, row in enumerate(rows):
            for rank in ends[place, :beams].nonzero()[:, 0].tolist():
                score = float(best.values[place, rank]) / length
                ended[row].append((score, grown[place, rank, 1:].tolist()))
            ended[row] = sorted(ended[row], key=lambda h: -h[0])[:beams]
        # The likeliest unfinished ones go on; there are enough, as each beam can end only once.
        order = ends.long().sort(dim=-1, stable=True).indices[:, :beams]
        said = grown.gather(1, order[..., None].expand(-1, -1, length + 1))
        totals = best.values.gather(1, order)
        going = [
            place
            for place, row in enumerate(rows)
            if len(ended[row]) < beams or float(totals[place, 0]) / length > ended[row][-1][0]
        ]
        rows = [rows[place] for place in going]
        if not rows or length == longest:
            break
        said, totals = said[going], totals[going]
    return [_up_to(end, finished[0][1]) for finished in ended]


def _up_to(end: int, ids: list[int]) -> list[int]:
    return ids[: ids.index(end)] if end in ids else ids
