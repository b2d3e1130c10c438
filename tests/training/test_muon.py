"""Muon's iteration in float32 does what torch's does in bfloat16, and torch's Muon then uses it."""

from __future__ import annotations

import pytest
import torch
from torch.optim import _muon

from training import muon

COEFFICIENTS = (_muon.DEFAULT_A, _muon.DEFAULT_B, _muon.DEFAULT_C)


@pytest.mark.parametrize("shape", [(24, 24), (40, 16), (16, 40)])
def test_it_agrees_with_torch_within_bfloat16(shape: tuple[int, int]) -> None:
    grad = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    ours = muon.newton_schulz(grad, COEFFICIENTS, 5, 1e-7)
    theirs = _muon._zeropower_via_newtonschulz(grad, COEFFICIENTS, 5, 1e-7).float()
    assert ours.dtype == torch.float32
    assert torch.dist(ours, theirs) / ours.norm() < 0.05


def test_singular_values_come_near_one_and_the_directions_stay() -> None:
    grad = torch.randn(16, 40, generator=torch.Generator().manual_seed(2))
    u, _, vh = torch.linalg.svd(grad, full_matrices=False)
    values = torch.diagonal(u.T @ muon.newton_schulz(grad, COEFFICIENTS, 5, 1e-7) @ vh.T)
    assert ((values > 0.6) & (values < 1.4)).all()


def test_torch_steps_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_muon, "_zeropower_via_newtonschulz", _muon._zeropower_via_newtonschulz)
    grad = torch.randn(12, 20, generator=torch.Generator().manual_seed(3))
    after = []
    for replaced in (False, True):
        if replaced:
            muon.in_float32()
        weight = torch.nn.Parameter(torch.zeros(12, 20))
        weight.grad = grad.clone()
        torch.optim.Muon([weight], lr=1.0, weight_decay=0.0).step()
        after.append(weight.detach().clone())
    assert not torch.equal(after[0], after[1])
    assert torch.dist(after[0], after[1]) / after[0].norm() < 0.05
