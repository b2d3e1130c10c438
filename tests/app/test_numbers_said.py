"""Large numbers, bytes and signs as people read them."""

from __future__ import annotations

import pytest

from app.counting import in_bytes, short, signed


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "0"),
        (999, "999"),
        (1234, "1.23 k"),
        (999_700, "1 M"),
        (23_440_896, "23.4 M"),
        (1_500_000_000, "1.5 B"),
        (7e13, "70 T"),
    ],
)
def test_a_large_number_has_three_digits_and_a_unit(number: float, said: str) -> None:
    assert short(number) == said


@pytest.mark.parametrize(
    ("count", "said"), [(512, "512 B"), (21_504, "21.5 kB"), (999_900, "1 MB"), (1.57e9, "1.57 GB")]
)
def test_bytes_have_a_unit_that_reads_well(count: float, said: str) -> None:
    assert in_bytes(count) == said


def test_a_sign_is_a_minus_and_zero_has_none() -> None:
    assert signed(-1.25) == "−1.250"
    assert signed(-0.0001) == "0.000"
    assert signed(0.5, 2) == "0.50"
