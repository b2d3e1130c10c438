from __future__ import annotations

import numpy as np

from app.views._vectors import bright, symmetric


def test_a_scale_ends_at_the_largest_value() -> None:
    assert bright(np.array([[1.0, 3.0, 2.0]], np.float32)) == (3.0, "")


def test_a_few_outliers_do_not_drown_the_rest_and_it_says_so() -> None:
    values = np.array([[1.0, 1.0, 1.0, 50.0]], np.float32)
    assert bright(values) == (4.0, "colours end at 4; largest 50")


def test_nothing_but_zeros_still_has_a_scale() -> None:
    zeros = np.zeros((2, 2), np.float32)
    assert bright(zeros) == (1.0, "")
    assert symmetric(zeros) == (-1.0, 1.0)


def test_a_diverging_scale_has_zero_in_the_middle() -> None:
    assert symmetric(np.array([-3.0, 2.0], np.float32)) == (-3.0, 3.0)
