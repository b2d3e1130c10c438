"""Numbers as people read them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.render.numbers import number, tick, ticks


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.000"),
        (0.4119, "0.412"),
        (1.0, "1.000"),
        (3.1749, "3.17"),
        (-3.1749, "−3.17"),
        (128.44, "128.4"),
        (12345.6, "12,346"),
        (2.13e-5, "2.1e-05"),
        (float("nan"), "–"),
        (float("-inf"), "−∞"),
    ],
)
def test_a_number_is_short_and_never_shown_as_zero_unless_it_is(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0, 1, ["0", "0.25", "0.5", "0.75", "1"]),
        (0, 12, ["0", "5", "10"]),
        (-3, 3, ["−2", "0", "2"]),
        (0, 4000, ["0", "1,000", "2,000", "3,000", "4,000"]),
    ],
)
def test_ticks_are_round(low: float, high: float, shown: list[str]) -> None:
    marks, step = ticks(low, high, 5)
    assert [tick(mark, step) for mark in marks] == shown


@given(
    st.floats(-1e6, 1e6),
    st.floats(1e-3, 1e6),
    st.integers(2, 12),
)
def test_ticks_lie_within_and_are_evenly_spaced(low: float, span: float, most: int) -> None:
    marks, step = ticks(low, low + span, most)
    assert len(marks) <= most
    assert all(low - 1e-6 * span <= mark <= low + span + 1e-6 * span for mark in marks)
    if len(marks) > 1:
        assert np.allclose(np.diff(marks), step, rtol=1e-6)
