"""Matrix times vector, by the faster of torch's two float32 kernels.

torch sends `linear` on a CPU to MKL. On processors that MKL favours less (AMD's), oneDNN, which
torch carries too, takes 0.5–0.95 of its time, for one row as for hundreds: least for the projection
onto a vocabulary. Both compute in float32 and differ by rounding alone.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def _onednn_works() -> bool:
    """The operator is torch's own, used by its compiler, but not promised: ask it for a product."""
    try:
        x, weight = torch.eye(2)[:1], torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        found = torch.ops.mkldnn._linear_pointwise(x, weight, None, "none", [], "")
        return bool(torch.equal(found, torch.tensor([[1.0, 3.0]])))
    except (AttributeError, RuntimeError, NotImplementedError):
        return False


_ONEDNN = torch.backends.mkldnn.is_available() and _onednn_works()


def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """x […, in] · weightᵀ [out, in] + bias [out] -> […, out]."""
    fast = (
        _ONEDNN
        and not torch.is_grad_enabled()  # that kernel keeps nothing for a backward pass
        and x.device.type == "cpu"
        and x.dtype == weight.dtype == torch.float32
        and x.numel() > 0
        # A view into a fused matrix (GPT-2's q, k and v) has gaps between its rows; oneDNN then
        # falls back on a reference kernel a thousand times slower, while MKL takes it as it is.
        and (weight.is_contiguous() or weight.t().is_contiguous())
    )
    if not fast:
        return F.linear(x, weight, bias)
    found: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return found


class Linear(nn.Linear):
    """torch's Linear with the choice of kernel above.

    Not drawn at random where it has no memory (the meta device): a network that waits for a
    checkpoint's tensors would spend most of its loading time on that.
    """

    def reset_parameters(self) -> None:
        if not self.weight.is_meta:
            super().reset_parameters()

    def forward(self, x: Tensor) -> Tensor:
        return linear(x, self.weight, self.bias)
