"""Which weights move a prediction: the gradient of its log-probability, times the weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

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
    main stack. Runs the model once more, forwards and backwards; remembered. KeyError when the
    model has no vocabulary head."""
    if trace.spec.heads.vocab is None:
        raise KeyError(f"{trace.spec.name} has no vocabulary head whose prediction could move")
    return trace.remembered(
        key(site, layer, position), lambda: _influence(trace, site, layer, position, should_stop)
    )


def _influence(
    trace: Trace, site: str, layer: int, position: int, should_stop: ShouldStop | None
) -> Influence:
    import torch

    stack, part = site.split(".")
    watched: list[Tensor] = []
    rec = _watch(trace, f"{stack}.{layer}.{part}.pattern", watched, should_stop)
    with torch.enable_grad():
        states = _forward(trace, rec)
        logits = trace.derive.network.vocab_logits(states[:, position : position + 1])[0, 0]
        log_p = logits.log_softmax(-1).max()
        (gradient,) = torch.autograd.grad(log_p, watched)
    weights = watched[0].detach()
    return Influence(
        answer=int(logits.argmax()),
        probability=float(log_p.detach().exp()),
        values=(gradient * weights)[0].cpu().float().numpy(),
    )


def _forward(trace: Trace, rec: Any) -> Tensor:
    """The states that the heads read [1, position, d_model], with a graph behind them."""
    network = trace.derive.network
    memory = None
    if network.encoder is not None:
        memory = network.encode(
            **_inputs(trace, "encoder"), self_masks=_masks(trace, "encoder.self"), rec=rec
        )
    if network.decoder is None:
        assert memory is not None
        found: Tensor = memory
        return found
    crossing = None if memory is None else _masks(trace, "decoder.cross")
    states: Tensor = network.decode(
        **_inputs(trace, "decoder"),
        memory=memory,
        self_masks=_masks(trace, "decoder.self"),
        cross_masks=crossing,
        rec=rec,
    )
    return states


def _inputs(trace: Trace, stack: str) -> dict[str, Tensor]:
    tokens, device = trace.tokens[stack], _device(trace)
    return {
        "ids": tokens.ids_tensor(device)[None],
        "segments": tokens.segments_tensor(device)[None],
        "padding": tokens.padding_tensor(device)[None],
    }


def _masks(trace: Trace, site: str) -> list[Any]:
    from core import masks
    from core.derive import context

    stack, part = site.split(".")
    spec = trace.spec.stack(stack)
    where, choice = context(trace.tokens, site), trace.request.mask(site)
    return [
        masks.build(choice, where, spec.attention(part, layer)).to(_device(trace))
        for layer in range(spec.layers)
    ]


def _device(trace: Trace) -> Any:
    return next(trace.derive.network.parameters()).device


def _watch(trace: Trace, wanted: str, watched: list[Tensor], should_stop: ShouldStop | None) -> Any:
    """A recorder that keeps the run's edits and makes the wanted pattern a variable."""
    from core.recorder import Recorder

    class Watch(Recorder):
        __slots__ = ("inner",)

        def __init__(self, inner: Recorder) -> None:
            self.inner = inner

        def at(self, stack: str, layer: int | None, part: str) -> Recorder:
            return Watch(self.inner.at(stack, layer, part))

        def edits(self, *names: str) -> bool:
            here = any(self.inner._prefix + name == wanted for name in names)
            return here or self.inner.edits(*names)

        def __call__(self, name: str, value: Tensor, axes: str) -> Tensor:
            value = self.inner(name, value, axes)
            if self.inner._prefix + name == wanted:
                value = value if value.requires_grad else value.detach().requires_grad_()
                watched.append(value)
            return value

    return Watch(Recorder(trace.request.edits, should_stop=should_stop))
