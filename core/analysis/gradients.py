"""Which weights move a prediction: the gradient of its log-probability, times the weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.analysis.rerun import altering, states

if TYPE_CHECKING:
    from torch import Tensor

    from core.request import ShouldStop
    from core.trace import Trace

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Influence:
    """answer: the predicted token and its probability. values[head, query, key]: weight ·
    ∂ log p(answer) / ∂ weight, in nats: to first order, what the answer's log-probability would
    lose without that weight."""

    answer: int
    probability: float
    values: Floats

    @property
    def nbytes(self) -> int:
        return self.values.nbytes


def key(site: str, layer: int, position: int) -> tuple[object, ...]:
    """Under which a trace remembers it."""
    return "influence", site, layer, position


def influence(
    trace: Trace, site: str, layer: int, position: int, should_stop: ShouldStop | None = None
) -> Influence:
    """Of every weight of one attention on the vocabulary head's prediction at a position of the
    main stack (−1 is the last). Runs the model once more, forwards and backwards; remembered.
    KeyError when the model has no vocabulary head, RequestError when it has no such position."""
    if trace.spec.heads.vocab is None:
        raise KeyError(f"{trace.spec.name} has no vocabulary head whose prediction could move")
    position = trace.place(position)
    return trace.remembered(
        key(site, layer, position), lambda: _influence(trace, site, layer, position, should_stop)
    )


def _influence(
    trace: Trace, site: str, layer: int, position: int, should_stop: ShouldStop | None
) -> Influence:
    import torch

    stack, part = site.split(".")
    watched: list[Tensor] = []

    def watch(pattern: Tensor) -> Tensor:
        pattern = pattern if pattern.requires_grad else pattern.detach().requires_grad_()
        watched.append(pattern)
        return pattern

    rec = altering(trace, f"{stack}.{layer}.{part}.pattern", watch, should_stop)
    with torch.enable_grad():
        read = states(trace, rec)[:, position : position + 1]
        logits = trace.derive.network.vocab_logits(read)[0, 0]
        log_p = logits.log_softmax(-1).max()
        (gradient,) = torch.autograd.grad(log_p, watched)
    weights = watched[0].detach()
    return Influence(
        answer=int(logits.argmax()),
        probability=float(log_p.detach().exp()),
        values=(gradient * weights)[0].cpu().float().numpy(),
    )
