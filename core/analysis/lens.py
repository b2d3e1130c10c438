"""The logit lens: what every layer's state would already predict through the final norm and the
output head (nostalgebraist 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.progress import step

if TYPE_CHECKING:
    from torch import Tensor

    from core.request import ShouldStop
    from core.trace import Trace

Floats = NDArray[np.float32]

_AT_ONCE = 4_000_000  # logits held for one layer


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lens:
    """All arrays [layer + 1, position], the last row being the model's own answer.

    top: the likeliest token's id, probability: its probability. final: the probability of the
    model's answer, rank: its rank (1 is first). divergence: KL(answer ‖ this layer) in bits.
    """

    top: NDArray[np.int64]
    probability: NDArray[np.float32]
    final: NDArray[np.float32]
    rank: NDArray[np.int64]
    divergence: NDArray[np.float32]

    @property
    def nbytes(self) -> int:
        return 5 * self.top.nbytes


def key(positions: Sequence[int]) -> tuple[object, ...]:
    """Under which a trace remembers the lens of these positions."""
    return "lens", *positions


def lens(trace: Trace, positions: Sequence[int], should_stop: ShouldStop | None = None) -> Lens:
    """The lens at these positions of the main stack; KeyError when the model has no vocabulary
    head. One projection to the vocabulary a layer and position, so dear; remembered."""
    return trace.remembered(key(positions), lambda: _lens(trace, positions, should_stop))


def _lens(trace: Trace, positions: Sequence[int], should_stop: ShouldStop | None) -> Lens:
    stack = trace.spec.main_stack
    head = trace.spec.heads.vocab
    if head is None:
        raise KeyError(f"{trace.spec.name} has no vocabulary head for a lens")
    hidden = trace.hidden(stack.name)
    shape = (len(hidden), len(positions))
    made = Lens(
        top=np.empty(shape, np.int64),
        probability=np.empty(shape, np.float32),
        final=np.empty(shape, np.float32),
        rank=np.empty(shape, np.int64),
        divergence=np.empty(shape, np.float32),
    )
    chunk = max(1, _AT_ONCE // head.vocab)
    for start in range(0, len(positions), chunk):
        part = slice(start, start + chunk)
        a_layer = len(positions[part]) / len(hidden)  # so many positions' worth of work
        answer = trace.logits_at(*positions[part]).log_softmax(-1)  # [position, vocab]
        for layer in range(len(hidden)):
            step(should_stop, (start + a_layer * layer) / len(positions), "the lens")
            if layer == len(hidden) - 1:
                here = answer
            else:
                states = hidden[layer, list(positions[part])]
                here = trace.derive.project(states, normalise=True).cpu().float().log_softmax(-1)
            _fill(made, layer, part, here, answer)
    return made


def growth_key(position: int, tokens: Sequence[int]) -> tuple[object, ...]:
    """Under which a trace remembers how these tokens grow."""
    return "growth", position, *tokens


def growth(
    trace: Trace, position: int, tokens: Sequence[int], should_stop: ShouldStop | None = None
) -> Floats:
    """[layer + 1, token]: the probability that each layer's state gives to these tokens at a
    position of the main stack, the last row being the model's own; remembered. KeyError when the
    model has no vocabulary head. One projection to the vocabulary a layer."""
    found: Floats = trace.remembered(
        growth_key(position, tokens), lambda: _growth(trace, position, tokens, should_stop)
    )
    return found


def _growth(
    trace: Trace, position: int, tokens: Sequence[int], should_stop: ShouldStop | None
) -> Floats:
    head = trace.spec.heads.vocab
    if head is None:
        raise KeyError(f"{trace.spec.name} has no vocabulary head for a lens")
    before = trace.hidden(trace.spec.main_stack.name)[:-1, position]  # the last is the answer's
    made = np.empty((len(before) + 1, len(tokens)), np.float32)
    chunk = max(1, _AT_ONCE // head.vocab)
    for start in range(0, len(before), chunk):
        step(should_stop, start / len(before), "following the predictions")
        states = before[start : start + chunk]
        here = trace.derive.project(states, normalise=True).cpu().float().softmax(-1)
        made[start : start + len(states)] = here[:, list(tokens)].numpy()
    made[-1] = trace.logits_at(position)[0].softmax(-1)[list(tokens)].numpy()
    return made


def _fill(made: Lens, layer: int, part: slice, here: Tensor, answer: Tensor) -> None:
    """here, answer: log-probabilities [position, vocab] at a layer and at the end."""
    best, token = here.max(dim=-1)
    chosen = answer.argmax(dim=-1, keepdim=True)
    of_chosen = here.gather(-1, chosen)
    made.top[layer, part] = token.numpy()
    made.probability[layer, part] = best.exp().numpy()
    made.final[layer, part] = of_chosen.exp()[:, 0].numpy()
    made.rank[layer, part] = 1 + (here > of_chosen).sum(dim=-1).numpy()
    nats = (answer.exp() * (answer - here)).sum(dim=-1).clamp(min=0)
    made.divergence[layer, part] = nats.numpy() / np.log(2)
