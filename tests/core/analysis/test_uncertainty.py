from __future__ import annotations

import numpy as np
import pytest

from core.analysis.uncertainty import entropy_bits


def test_known_entropies() -> None:
    assert entropy_bits(np.full(8, 1 / 8)) == pytest.approx(3.0)
    assert entropy_bits(np.array([1.0, 0.0, 0.0])) == 0.0
    assert entropy_bits(np.array([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5]])) == pytest.approx([1.0, 1.5])
