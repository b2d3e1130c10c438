"""Running a traced text again with something altered on the way; nothing of it is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

    from core.masks import Mask
    from core.recorder import Recorder
    from core.request import ShouldStop
    from core.trace import Trace

Change = Callable[["Tensor"], "Tensor"]


def altering(
    trace: Trace, site: str, change: Change, should_stop: ShouldStop | None = None
) -> Recorder:
    """A recorder that keeps the edits of the trace's own run and passes the value at one site
    ("encoder.2.self.pattern", [batch, …]) through `change`."""
    from core.recorder import Recorder

    class Altering(Recorder):
        __slots__ = ("inner",)

        def __init__(self, inner: Recorder) -> None:
            self.inner = inner

        def at(self, stack: str, layer: int | None, part: str) -> Recorder:
            return Altering(self.inner.at(stack, layer, part))

        def edits(self, *names: str) -> bool:
            here = any(self.inner._prefix + name == site for name in names)
            return here or self.inner.edits(*names)

        def __call__(self, name: str, value: Tensor, axes: str) -> Tensor:
            value = self.inner(name, value, axes)
            here = self.inner._prefix + name
            del self.inner.store[here]  # nobody will ask, and a batch of runs is large
            return change(value) if here == site else value

        def derived(
            self, name: str, value: Tensor, axes: str, compute: Callable[[], Tensor]
        ) -> Tensor:
            return self(name, value, axes)

    return Altering(Recorder(trace.request.edits, should_stop=should_stop))


def states(trace: Trace, rec: Recorder) -> Tensor:
    """What the heads read, [1, position, d_model], from the very beginning."""
    network = trace.derive.network
    memory = None
    if network.encoder is not None:
        memory = network.encode(
            **_inputs(trace, "encoder", 1), self_masks=_masks(trace, "encoder.self"), rec=rec
        )
    return _decoded(trace, memory, 1, rec)


def states_from(trace: Trace, stack: str, layer: int, batch: int, rec: Recorder) -> Tensor:
    """The same, [batch, position, d_model], from the recorded stream that enters a layer on: the
    layers before it are not run again. The recorder may alter each row of the batch differently."""
    network = trace.derive.network
    site = f"{stack}.embed.out" if layer == 0 else f"{stack}.{layer - 1}.resid.out"
    h = trace.captured[site].values.expand(batch, -1, -1)
    memory = None
    if stack == "decoder" and network.encoder is not None:
        from core.derive import end_site

        memory = trace.captured[end_site(trace.spec.stack("encoder"))].values.expand(batch, -1, -1)
    found: Tensor = network.stack(stack).layers(
        h,
        first=layer,
        positions=_positions(trace, stack, batch),
        masks=_masks(trace, f"{stack}.self"),
        memory=memory,
        cross_masks=None if memory is None else _masks(trace, "decoder.cross"),
        rec=rec,
    )
    return found if stack == "decoder" else _decoded(trace, found, batch, rec)


def _decoded(trace: Trace, memory: Tensor | None, batch: int, rec: Recorder) -> Tensor:
    """The decoder's states over the encoder's; the encoder's own where there is no decoder."""
    network = trace.derive.network
    if network.decoder is None:
        assert memory is not None
        return memory
    found: Tensor = network.decode(
        **_inputs(trace, "decoder", batch),
        memory=memory,
        self_masks=_masks(trace, "decoder.self"),
        cross_masks=None if memory is None else _masks(trace, "decoder.cross"),
        rec=rec,
    )
    return found


def _inputs(trace: Trace, stack: str, batch: int) -> dict[str, Tensor]:
    tokens, device = trace.tokens[stack], _device(trace)
    return {
        "ids": tokens.ids_tensor(device).expand(batch, -1),
        "segments": tokens.segments_tensor(device).expand(batch, -1),
        "padding": tokens.padding_tensor(device).expand(batch, -1),
    }


def _positions(trace: Trace, stack: str, batch: int) -> Tensor:
    from core.masks import positions

    return positions(_inputs(trace, stack, batch)["padding"])


def _masks(trace: Trace, site: str) -> list[Mask]:
    from core.run import masks_of

    stack, _ = site.split(".")
    return masks_of(trace.request, trace.tokens, trace.spec.stack(stack), site, _device(trace))


def _device(trace: Trace) -> Any:
    return next(trace.derive.network.parameters()).device
