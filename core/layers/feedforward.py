"""The feed-forward network of a block, plain or gated."""

from __future__ import annotations

from torch import Tensor, nn

from core.layers.activation import ACTIVATIONS
from core.layers.linear import Linear
from core.recorder import SILENT, Recorder
from core.spec import FeedForwardSpec


class FeedForward(nn.Module):
    """out(act(inner(x))); gated (Shazeer 2020): out(act(gate(x)) * inner(x))."""

    def __init__(self, spec: FeedForwardSpec) -> None:
        super().__init__()
        self.spec = spec
        self.activation = ACTIVATIONS[spec.activation]
        self.gate = Linear(spec.d_model, spec.d_ff, bias=spec.bias) if spec.gated else None
        self.inner = Linear(spec.d_model, spec.d_ff, bias=spec.bias)
        self.out = Linear(spec.d_ff, spec.d_model, bias=spec.bias)

    def forward(self, x: Tensor, rec: Recorder = SILENT) -> Tensor:
        inner = rec("inner", self.inner(x), "position d_ff")
        gate = None if self.gate is None else rec("gate", self.gate(x), "position d_ff")
        act = self.activated(inner, gate)
        act = rec.derived("act", act, "position d_ff", lambda: self.activated(inner, gate))
        return rec("out", self.out(act), "position d_model")

    def activated(self, inner: Tensor, gate: Tensor | None) -> Tensor:
        """[batch, position, d_ff]: what W_out reads."""
        return self.activation(inner) if gate is None else self.activation(gate) * inner
