from __future__ import annotations

import numpy as np
import pytest

from app.views._vectors import bright, plain, round_end, symmetric


def test_a_scale_ends_just_beyond_the_largest_value() -> None:
    assert bright(np.array([[1.0, 3.0, 2.0]], np.float32)) == (3.2, "")
    assert bright(np.array([[1.0, np.nan, 4.0]], np.float32)) == (4.0, "")
    assert bright(np.array([], np.float32)) == (1.0, "")


@pytest.mark.parametrize("value", [1e-7, 0.000321, 0.3858, 0.5, 0.95, 1.0, 3.0001, 78.36, 1234.5])
def test_the_quarters_of_a_scale_are_short_numbers(value: float) -> None:
    end = round_end(value)
    assert value <= end < 1.35 * value
    for part in (1, 2, 3, 4):
        digits = f"{end * part / 4:.6e}".split("e")[0].replace(".", "").rstrip("0")
        assert len(digits) <= 2


def test_a_scale_of_nothing_ends_at_one() -> None:
    for value in (0.0, float("nan"), float("inf"), -1.0):
        assert round_end(value) == 1.0


def test_a_few_outliers_do_not_drown_the_rest_and_it_says_so() -> None:
    values = np.array([[1.0, 1.0, 1.0, 50.0]], np.float32)
    assert bright(values) == (4.0, "colours end at 4; largest 50")


def test_nothing_but_zeros_still_has_a_scale() -> None:
    zeros = np.zeros((2, 2), np.float32)
    assert bright(zeros) == (1.0, "")
    assert symmetric(zeros) == (-1.0, 1.0)


def test_a_diverging_scale_has_zero_in_the_middle() -> None:
    assert symmetric(np.array([-3.0, 2.0], np.float32)) == (-3.2, 3.2)


def test_large_numbers_are_written_out() -> None:
    numbers = (0.41237, 27.24, 999.6, 1912.6, -1912.6, 23456.7)
    assert [plain(n) for n in numbers] == ["0.412", "27.2", "1,000", "1,913", "−1,913", "23,457"]
    values = np.array([[1.0, 1.0, 1.0, 1330.0]], np.float32)
    assert bright(values) == (4.0, "colours end at 4; largest 1,330")
