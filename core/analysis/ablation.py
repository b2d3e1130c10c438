"""What changes when a head is switched off: the model run again without it, head by head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.analysis.rerun import altering, states_from
from core.progress import step

if TYPE_CHECKING:
    from torch import Tensor

    from core.request import ShouldStop
    from core.trace import Trace

Floats = NDArray[np.float32]

_AT_ONCE = 4096  # positions of a batch


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

    One run a head, all heads of a layer as a batch and from that layer on: slow for large models;
    remembered. KeyError when the model has no vocabulary head.
    """
    return trace.remembered(
        key(site, position), lambda: _ablation(trace, site, position, should_stop)
    )


def _ablation(trace: Trace, site: str, position: int, should_stop: ShouldStop | None) -> Ablation:
    import torch

    if trace.spec.heads.vocab is None:
        raise KeyError(f"{trace.spec.name} has no vocabulary head to compare predictions of")
    stack_name, part = site.split(".")
    stack = trace.spec.stack(stack_name)
    counts = [stack.attention(part, layer).heads for layer in range(stack.layers)]
    shape = (stack.layers, max(counts))
    without = np.full(shape, np.nan, np.float32)
    divergence = np.full(shape, np.nan, np.float32)
    whole = _logs(trace.logits_at(position)[0])
    answer = int(whole.argmax())
    rows = len(trace.tokens[stack_name])
    chunk = max(1, _AT_ONCE // rows)
    work, done = _work(trace, stack_name, counts), 0.0
    for layer, count in enumerate(counts):
        for start in range(0, count, chunk):
            fraction = (done + work[layer] * start / count) / sum(work)
            step(should_stop, fraction, "switching off heads")
            heads = range(start, min(start + chunk, count))
            with torch.no_grad():
                logits = _without(trace, site, layer, heads, position, should_stop)
            here = _logs(logits)
            without[layer, heads.start : heads.stop] = here[:, answer].exp()
            nats = (whole.exp() * (whole - here)).sum(-1).clamp(min=0)
            divergence[layer, heads.start : heads.stop] = nats.numpy() / np.log(2)
        done += work[layer]
    return Ablation(
        answer=answer,
        probability=float(whole[answer].exp()),
        without=without,
        divergence=divergence,
    )


def _logs(logits: Tensor) -> Tensor:
    """Log-probabilities in float64, on the CPU: not every device has it."""
    return logits.cpu().double().log_softmax(-1)


def _work(trace: Trace, stack: str, heads: list[int]) -> list[float]:
    """What switching off the heads of each layer takes: the layers that every run goes through."""
    layers = len(heads)
    beyond = 0
    if stack == "encoder" and trace.spec.decoder is not None:
        beyond = trace.spec.decoder.layers
    return [float(count * (layers - layer + beyond)) for layer, count in enumerate(heads)]


def _without(
    trace: Trace,
    site: str,
    layer: int,
    heads: range,
    position: int,
    should_stop: ShouldStop | None,
) -> Tensor:
    """Logits [len(heads), vocab] of runs that each lack one of these heads, as one batch."""
    stack, part = site.split(".")

    def switch_off(context: Tensor) -> Tensor:
        context = context.clone()  # [batch, head, query, d_head]
        for row, head in enumerate(heads):
            context[row, head] = 0
        return context

    rec = altering(trace, f"{stack}.{layer}.{part}.context", switch_off, should_stop)
    found = states_from(trace, stack, layer, len(heads), rec)
    logits: Tensor = trace.derive.network.vocab_logits(found[:, position : position + 1])[:, 0]
    return logits
