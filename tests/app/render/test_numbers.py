"""Numbers as people read them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.figure import Bar, Bars, Figure
from app.render.numbers import number, tick, ticks
from tests.app.render.examples import heatmap
from tests.app.render.recording import record


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


@pytest.mark.usefixtures("qapp")
def test_nothing_is_printed_as_minus_zero() -> None:
    """In cells, bars, read-outs and on axes."""
    cells = heatmap(np.array([[-0.00001, -0.0], [-0.004, -0.006]]))
    bars = Bars(title="", bars=(Bar(label="b", value=-0.0),))
    words = record(Figure(title="", panels=(cells, bars))).words
    assert words.count("0.00") == 3
    assert {"−0.01", "0.0000"} <= set(words)
    assert "−0.00" not in words
    assert number(-0.0) == "0.000"
    assert tick(-0.00001, 0.1) == "0"
