"""What changes when heads are switched off: the model run again without one of them, head by head,
and without all of a layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.analysis.divergence import divergence_bits
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
    whole distribution, in bits. A layer with fewer heads has NaN for those it lacks.
    without_all[layer], divergence_all[layer]: the same without any head of the layer."""

    answer: int
    probability: float
    without: Floats
    divergence: Floats
    without_all: Floats
    divergence_all: Floats

    @property
    def nbytes(self) -> int:
        arrays = self.without, self.divergence, self.without_all, self.divergence_all
        return sum(array.nbytes for array in arrays)


def key(site: str, position: int) -> tuple[object, ...]:
    """Under which a trace remembers it."""
    return "ablation", site, position


def ablation(
    trace: Trace, site: str, position: int, should_stop: ShouldStop | None = None
) -> Ablation:
    """Every head of an attention site set to zero in turn (its context, before W_O), then all of a
    layer at once, and the prediction of the vocabulary head at a position of the main stack (−1
    is the last) compared.

    One run a head and one more a layer, those of a layer as a batch and from that layer on: slow
    for large models; remembered. KeyError when the model has no vocabulary head, RequestError when
    it has no such position.
    """
    position = trace.place(position)
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
    # The last column of either is that of all heads.
    without = np.full((stack.layers, max(counts) + 1), np.nan, np.float32)
    divergence = np.full_like(without, np.nan)
    whole = trace.logits_at(position)[0]
    answer = int(whole.argmax())
    rows = len(trace.tokens[stack_name])
    chunk = max(1, _AT_ONCE // rows)
    work, done = _work(trace, stack_name, counts), 0.0
    for layer, count in enumerate(counts):
        runs = [*(slice(head, head + 1) for head in range(count)), slice(None)]
        places = [*range(count), -1]
        for start in range(0, len(runs), chunk):
            fraction = (done + work[layer] * start / len(runs)) / sum(work)
            step(should_stop, fraction, "switching off heads")
            off, here = runs[start : start + chunk], places[start : start + chunk]
            with torch.no_grad():
                logits = _without(trace, site, layer, off, position, should_stop)
            without[layer, here] = _probabilities(logits)[:, answer]
            divergence[layer, here] = divergence_bits(whole, logits).numpy()
        done += work[layer]
    return Ablation(
        answer=answer,
        probability=float(_probabilities(whole)[answer]),
        without=without[:, :-1],
        divergence=divergence[:, :-1],
        without_all=without[:, -1],
        divergence_all=divergence[:, -1],
    )


def _probabilities(logits: Tensor) -> Tensor:
    """In float64, on the CPU: not every device has it."""
    return logits.cpu().double().softmax(-1)


def _work(trace: Trace, stack: str, heads: list[int]) -> list[float]:
    """What switching off the heads of each layer takes: the layers that every run goes through."""
    layers = len(heads)
    beyond = 0
    if stack == "encoder" and trace.spec.decoder is not None:
        beyond = trace.spec.decoder.layers
    return [float((count + 1) * (layers - layer + beyond)) for layer, count in enumerate(heads)]


def _without(
    trace: Trace,
    site: str,
    layer: int,
    off: Sequence[slice],
    position: int,
    should_stop: ShouldStop | None,
) -> Tensor:
    """Logits [len(off), vocab] of runs that each lack some heads, as one batch."""
    stack, part = site.split(".")

    def switch_off(context: Tensor) -> Tensor:
        context = context.clone()  # [batch, head, query, d_head]
        for row, heads in enumerate(off):
            context[row, heads] = 0
        return context

    rec = altering(trace, f"{stack}.{layer}.{part}.context", switch_off, should_stop)
    found = states_from(trace, stack, layer, len(off), rec)
    logits: Tensor = trace.derive.network.vocab_logits(found[:, position : position + 1])[:, 0]
    return logits
