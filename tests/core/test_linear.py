"""Both kernels give the same product, for every layout a checkpoint brings."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from core.layers import linear as module


@pytest.mark.parametrize("rows", [1, 15, 16, 40])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("with_bias", [False, True])
@pytest.mark.parametrize("grad", [False, True])
def test_product(rows: int, transposed: bool, with_bias: bool, grad: bool) -> None:
    x = torch.randn(2, rows, 24)
    weight = torch.randn(24, 50).t() if transposed else torch.randn(50, 24)
    bias = torch.randn(50) if with_bias else None
    expected = F.linear(x.double(), weight.double(), None if bias is None else bias.double())
    with torch.set_grad_enabled(grad):
        weight.requires_grad_(grad)
        found = module.linear(x, weight, bias)
    assert found.shape == (2, rows, 50)
    assert (found.double() - expected).abs().max() < 1e-4
    if grad:
        found.sum().backward()
        assert weight.grad is not None


def test_a_view_with_gaps_is_left_to_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """GPT-2's q, k and v are columns of one stored matrix."""
    fused = torch.randn(24, 150)
    x, weight = torch.randn(2, 40, 24), fused[:, 50:100].t()

    def refuse(*_: object) -> None:
        raise AssertionError("oneDNN was asked for a view with gaps")

    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", refuse)
    with torch.no_grad():
        found = module.linear(x, weight, None)
        assert (found - x @ fused[:, 50:100]).abs().max() < 1e-4
        with pytest.raises(AssertionError, match="view with gaps"):
            module.linear(x, weight.contiguous(), None)


def test_other_types_are_left_to_torch() -> None:
    x, weight = torch.randn(1, 32, 24).bfloat16(), torch.randn(8, 24).bfloat16()
    with torch.no_grad():
        assert torch.equal(module.linear(x, weight, None), F.linear(x, weight))
        assert module.linear(torch.randn(0, 24), weight.float(), None).shape == (0, 8)
