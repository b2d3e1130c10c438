from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from core.analysis.divergence import divergence_bits
from tests.core.analysis.by_hand import array, softmax


def test_it_is_the_sum_of_p_times_log2_of_p_over_q() -> None:
    torch.manual_seed(1)
    before, after = 3 * torch.randn(2, 4, 9)
    p, q = softmax(array(before)), softmax(array(after))
    found = divergence_bits(before, after)
    assert found.numpy() == pytest.approx((p * np.log2(p / q)).sum(axis=-1))
    assert found.numpy() != pytest.approx(divergence_bits(after, before).numpy())
    assert divergence_bits(before[0], after).numpy() == pytest.approx(
        (p[0] * np.log2(p[0] / q)).sum(axis=-1)
    )
    assert (divergence_bits(before, before) == 0).all()


def test_what_is_ruled_out() -> None:
    """Of two choices one: a bit away from both alike, and never reached from the other one."""
    open_, one, other = torch.tensor([[0.0, 0.0], [0.0, -math.inf], [-math.inf, 0.0]])
    assert divergence_bits(one, open_) == pytest.approx(1)
    assert divergence_bits(open_, one) == math.inf
    assert divergence_bits(one, other) == math.inf
    assert divergence_bits(one, one) == 0
