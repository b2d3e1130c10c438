"""What changes when a head is switched off: the model run again without it, head by head."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.errors import Cancelled

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.trace import Trace

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ablation:
    """answer: the token predicted with all heads, and its probability. without[layer, head]: the
    probability of that token without the head. divergence[layer, head]: KL(with ‖ without) of the
    whole distribution, in bits. A layer with fewer heads has NaN for those it lacks."""

    answer: int
    probability: float
    without: Floats
    divergence: Floats

    @property
    def nbytes(self) -> int:
        return self.without.nbytes + self.divergence.nbytes


def key(site: str, position: int) -> tuple[object, ...]:
    """Under which a trace remembers it."""
    return "ablation", site, position


def ablation(
    trace: Trace, site: str, position: int, should_stop: ShouldStop | None = None
) -> Ablation:
    """Every head of an attention site set to zero in turn (its context, before W_O), and the
    prediction of the vocabulary head at a position of the main stack compared.

    As many runs as the site has heads, so slow for large models; remembered. KeyError when the
    model has no vocabulary head.
    """
    return trace.remembered(
        key(site, position), lambda: _ablation(trace, site, position, should_stop)
    )


def _ablation(trace: Trace, site: str, position: int, should_stop: ShouldStop | None) -> Ablation:
    from core.recorder import Edit
    from core.run import run

    if trace.spec.heads.vocab is None:
        raise KeyError(f"{trace.spec.name} has no vocabulary head to compare predictions of")
    stack_name, part = site.split(".")
    stack = trace.spec.stack(stack_name)
    counts = [stack.attention(part, layer).heads for layer in range(stack.layers)]
    shape = (stack.layers, max(counts))
    without = np.full(shape, np.nan, np.float32)
    divergence = np.full(shape, np.nan, np.float32)
    whole = trace.logits_at(position)[0].double().log_softmax(-1)
    answer = int(whole.argmax())
    for layer, count in enumerate(counts):
        for head in range(count):
            if should_stop is not None and should_stop():
                raise Cancelled("switching heads off was stopped")
            off = Edit(site=f"{stack_name}.{layer}.{part}.context", at=(("head", head),))
            request = replace(trace.request, edits=(*trace.request.edits, off), wants=frozenset())
            again = run(trace.derive.network, request, should_stop=should_stop)
            here = again.logits_at(position)[0].double().log_softmax(-1)
            without[layer, head] = here[answer].exp()
            nats = (whole.exp() * (whole - here)).sum().clamp(min=0)
            divergence[layer, head] = float(nats) / np.log(2)
    return Ablation(
        answer=answer,
        probability=float(whole[answer].exp()),
        without=without,
        divergence=divergence,
    )
